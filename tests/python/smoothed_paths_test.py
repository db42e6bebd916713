# SPDX-License-Identifier: Apache-2.0
"""Smoothed dynamic programmes from NumPy, PyTorch and scikit-learn."""
import itertools
import unittest

import fenchel
import numpy as np

try:
    import fenchel.torch as ft
    import torch
except ImportError:
    torch = None
try:
    from fenchel.sklearn import SequenceTagger, StructuredPredictor
except ImportError:
    StructuredPredictor = None

RNG = np.random.default_rng(4)
SETS = [fenchel.Sequence(3, 2), fenchel.Chain(4, 3), fenchel.Alignment(3, 4)]


def recursion(theta, entropy):
    """The smoothed best score of sequences [n, m, m], as the definition has it."""
    values = theta[0, :, 0]
    for step in theta[1:]:
        values = np.array([fenchel.conjugate(row + values, entropy) for row in step])
    return fenchel.conjugate(values, entropy)


class Arrays(unittest.TestCase):
    def test_shannon_is_the_random_field(self):
        for polytope in SETS:
            theta = RNG.normal(size=(5, *polytope.shape))
            omega = fenchel.SmoothedPaths(polytope, fenchel.Shannon())
            field = fenchel.Marginal(polytope)
            np.testing.assert_allclose(fenchel.predict(theta, omega), fenchel.predict(theta, field), atol=1e-12)
            np.testing.assert_allclose(fenchel.conjugate(theta, omega), fenchel.conjugate(theta, field))

    def test_definition(self):
        theta = RNG.normal(size=(4, 3, 3))
        for entropy in ("shannon", "sparsemax", "tsallis:alpha=1.5", "norm:q=2"):
            omega = fenchel.SmoothedPaths(fenchel.Sequence(4, 3), entropy)
            self.assertAlmostEqual(float(fenchel.conjugate(theta, omega)), float(recursion(theta, entropy)), places=12)

    def test_losses(self):
        polytope = fenchel.Alignment(3, 3)
        omega = fenchel.SmoothedPaths(polytope, "sparsemax")
        theta = RNG.normal(size=polytope.shape)
        best = fenchel.predict(theta, fenchel.Map(polytope))
        self.assertGreaterEqual(fenchel.loss(theta, best, omega), 0)
        self.assertAlmostEqual(float(fenchel.loss(100 * theta, best, omega)), 0, places=9)
        np.testing.assert_allclose(fenchel.gradient(theta, best, omega), fenchel.predict(theta, omega) - best, atol=1e-12)
        soft = fenchel.predict(RNG.normal(size=polytope.shape), omega)
        self.assertGreaterEqual(fenchel.loss(theta, soft, omega), 0)

    def test_sparse_and_refused(self):
        theta = RNG.normal(size=(6, 5, 5))
        dense, sparse = (fenchel.predict(theta, fenchel.SmoothedPaths(fenchel.Sequence(6, 5), entropy))
                         for entropy in ("shannon", "sparsemax"))
        self.assertGreater((sparse == 0).sum(), (dense == 0).sum() + 50)
        for polytope, entropy, message in ((fenchel.Birkhoff(3), "shannon", "a set of paths"),
                                           (SETS[0], "squared", "over the simplex"), (SETS[0], "renyi:beta=2", "not convex")):
            with self.assertRaisesRegex(ValueError, message):
                fenchel.SmoothedPaths(polytope, entropy)


@unittest.skipIf(torch is None, "PyTorch is missing")
class Tensors(unittest.TestCase):
    def test_losses_have_gradients(self):
        for polytope, entropy in itertools.product(SETS, ("shannon", "sparsemax", "tsallis:alpha=1.5")):
            omega = fenchel.SmoothedPaths(polytope, entropy)
            theta = torch.tensor(RNG.normal(size=(2, polytope.dimension)), requires_grad=True)
            y = torch.tensor(fenchel.predict(RNG.normal(size=(2, *polytope.shape)), fenchel.Map(polytope)).reshape(2, -1))
            self.assertTrue(torch.autograd.gradcheck(lambda t, o=omega, y=y: ft.loss(t, y, o).sum(), theta))
            self.assertTrue(torch.autograd.gradcheck(lambda t, o=omega: ft.predict(t, o), theta, atol=1e-4))


@unittest.skipIf(StructuredPredictor is None, "scikit-learn is missing")
class Estimators(unittest.TestCase):
    def test_it_trains(self):
        X = RNG.normal(size=(60, 4))
        polytope = fenchel.Sequence(3, 2)
        y = fenchel.predict((X @ RNG.normal(size=(4, 12))).reshape(-1, 3, 2, 2), fenchel.Map(polytope))
        predictor = StructuredPredictor("smoothed_paths:entropy=shannon", polytope=polytope, reg_lambda=0.05).fit(X, y)
        self.assertGreater(predictor.score(X, y), 0.8)
        tokens = [[{"w": word} for word in "abcab"], [{"w": word} for word in "cba"]]
        tags = [["X", "Y", "X", "X", "Y"], ["X", "Y", "X"]]
        self.assertEqual(SequenceTagger("smoothed_paths:entropy=shannon", reg_lambda=0.1).fit(tokens, tags).predict(tokens), tags)


if __name__ == "__main__":
    unittest.main()
