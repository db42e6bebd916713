# SPDX-License-Identifier: Apache-2.0
"""Bregman projections onto permutahedra and plans from NumPy, PyTorch and scikit-learn."""
import unittest

import fenchel
import numpy as np

try:
    import fenchel.torch as ft
    import torch
except ImportError:
    torch = None
try:
    from fenchel.sklearn import LabelRanker, StructuredPredictor
except ImportError:
    StructuredPredictor = None

RNG = np.random.default_rng(7)
CHOICES = [(polytope, fenchel.Bregman(polytope, **options)) for polytope, options in (
    (fenchel.Permutahedron([3, 2, 1, 0]), {"alpha": 1.5}),
    (fenchel.Permutahedron([3, 2, 1]), {"generator": "burg"}),
    (fenchel.Permutahedron([1, 0.5, 0.25, 0]), {"generator": "fermi_dirac"}),
    (fenchel.Birkhoff(3), {"alpha": 1.3}),
    (fenchel.Birkhoff(3), {"generator": "fermi_dirac"}),
    (fenchel.Transport([0.4, 0.6], [0.3, 0.3, 0.4]), {"alpha": 0.5}),
    (fenchel.KSubsets(5, 2), {"alpha": 1.5}))]


class Arrays(unittest.TestCase):
    def test_optimality(self):
        # No structure improves the objective to first order.
        for polytope, omega in CHOICES:
            theta = RNG.normal(size=(5, *polytope.shape))
            mu = fenchel.predict(theta, omega)
            slack = theta - fenchel.link(mu, omega)
            slack[~np.isfinite(slack)] = 0
            best = fenchel.predict(slack, fenchel.Map(polytope))
            self.assertLess(((slack * (best - mu)).reshape(5, -1).sum(-1)).max(), 1e-10, omega)

    def test_losses_and_gradients(self):
        for polytope, omega in CHOICES:
            theta = RNG.normal(size=polytope.shape)
            y = fenchel.predict(RNG.normal(size=polytope.shape), fenchel.Map(polytope))
            self.assertGreaterEqual(fenchel.loss(theta, y, omega), 0)
            np.testing.assert_allclose(fenchel.gradient(theta, y, omega), fenchel.predict(theta, omega) - y, atol=1e-12)
            single = fenchel.predict(theta.astype(np.float32), omega)
            np.testing.assert_allclose(single, fenchel.predict(theta.astype(np.float32).astype(float), omega), atol=1e-5)

    def test_refusals(self):
        for make, message in ((lambda: fenchel.Bregman(fenchel.Permutahedron([3, 1]), "fermi_dirac"), "entries from 1 to 3"),
                              (lambda: fenchel.Bregman(fenchel.Sequence(2, 2)), "has no Bregman projections"),
                              (lambda: fenchel.Bregman(fenchel.Birkhoff(2), "cosh"), "generator is 'cosh'"),
                              (lambda: fenchel.Bregman(fenchel.Birkhoff(2), alpha=-1), "alpha is -1")):
            with self.assertRaisesRegex(ValueError, message):
                make()


@unittest.skipIf(torch is None, "PyTorch is missing")
class Tensors(unittest.TestCase):
    def test_losses_and_layers_have_gradients(self):
        for polytope, omega in CHOICES:
            theta = torch.tensor(RNG.normal(size=(2, polytope.dimension)), requires_grad=True)
            y = torch.tensor(fenchel.predict(RNG.normal(size=(2, *polytope.shape)), fenchel.Map(polytope)).reshape(2, -1))
            self.assertTrue(torch.autograd.gradcheck(lambda t, o=omega, y=y: ft.loss(t, y, o).sum(), theta))
            self.assertTrue(torch.autograd.gradcheck(lambda t, o=omega: ft.predict(t, o), theta, atol=1e-4))

    def test_structured_layers(self):
        theta = torch.tensor(RNG.normal(size=(2, 3, 3)))
        for omega, same in (("bregman", {}), ("bregman:alpha=1.2", {"alpha": 1.2}),
                            ("bregman:generator=fermi_dirac", {"generator": "fermi_dirac"})):
            mu = ft.StructuredPredict("birkhoff", omega)(theta)
            expected = fenchel.predict(theta.numpy(), fenchel.Bregman(fenchel.Birkhoff(3), **same))
            np.testing.assert_allclose(mu.numpy(), expected, atol=1e-12)
        with self.assertRaisesRegex(ValueError, "'alpha' in omega 'bregman:alpha'; expected key=value"):
            ft.StructuredPredict("birkhoff", "bregman:alpha")


@unittest.skipIf(StructuredPredictor is None, "scikit-learn is missing")
class Estimators(unittest.TestCase):
    def test_it_trains(self):
        X = RNG.normal(size=(60, 4))
        polytope = fenchel.Birkhoff(3)
        y = fenchel.predict((X @ RNG.normal(size=(4, 9))).reshape(-1, 3, 3), fenchel.Map(polytope))
        for omega in ("bregman:alpha=1.5", "bregman:generator=fermi_dirac"):
            predictor = StructuredPredictor(omega, polytope=polytope, reg_lambda=0.05).fit(X, y)
            self.assertGreater(predictor.score(X, y), 0.8)
        orders = np.argsort(np.argsort(-X[:, :3])) + 1
        ranker = LabelRanker("bregman:alpha=1.5", reg_lambda=0.05).fit(X, orders)
        self.assertGreater(ranker.score(X, orders), 0.8)


if __name__ == "__main__":
    unittest.main()
