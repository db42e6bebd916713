# SPDX-License-Identifier: Apache-2.0
"""Sums, restrictions and Fenchel-Youngized losses as Ω, in NumPy and, where it is there, in PyTorch."""
import math
import pickle
import unittest
import warnings

import fenchel
import numpy as np

try:
    import fenchel.torch as ft
    import torch
except ImportError:
    torch = None

RNG = np.random.default_rng(7)
THETA = RNG.normal(size=(4, 3))


def logistic(theta, k):
    """−log softmax(θ)_k and its gradient."""
    p = np.exp(theta - theta.max())
    p /= p.sum()
    return -math.log(p[k]), p - np.eye(len(theta))[k]


def ball(point):
    return point / max(1.0, np.linalg.norm(point))


class Sums(unittest.TestCase):
    def test_with_a_quadratic_it_is_a_prox(self):
        for phi in ("shannon", "tsallis:alpha=1.5", "relu"):
            with self.subTest(phi=phi):
                omega = fenchel.Sum("squared", phi)
                np.testing.assert_allclose(fenchel.predict(THETA, omega), fenchel.prox(THETA, phi), atol=1e-8)
                self.assertEqual(omega.domain, fenchel.Regularizer.from_spec(phi).domain)
        mu = fenchel.softmax(THETA)
        omega = fenchel.Sum(fenchel.Squared(), fenchel.Shannon())
        np.testing.assert_allclose(fenchel.value(mu, omega), 0.5 * (mu**2).sum(1) + (mu * np.log(mu)).sum(1))
        losses = fenchel.loss(THETA, np.array([0, 1, 2, 0]), omega)
        expected = fenchel.conjugate(THETA, omega) + 0.5 - THETA[range(4), [0, 1, 2, 0]]
        np.testing.assert_allclose(losses, expected, atol=1e-10)
        self.assertEqual(repr(omega), "Sum(Squared(), Shannon())")
        again = pickle.loads(pickle.dumps(omega))
        np.testing.assert_array_equal(fenchel.predict(THETA, again), fenchel.predict(THETA, omega))


    def test_sizes_are_those_of_the_structures(self):
        """Scores of another size would be read and written out of bounds."""
        omega = fenchel.Sum("squared", fenchel.SparseMap(fenchel.Birkhoff(10)))
        self.assertEqual(omega.dimension, 100)
        for size in (2, 99, 101):
            for call in (lambda t: fenchel.predict(t, omega), lambda t: fenchel.loss(t, t, omega),
                         lambda t: fenchel.link(t, omega), lambda t: fenchel.bregman_divergence(t, t, omega)):
                with self.assertRaisesRegex(ValueError, "100|structure|size"):
                    call(np.ones(size))
        with self.assertRaisesRegex(ValueError, "psi is for 4"):
            fenchel.Sum(fenchel.SparseMap(fenchel.Birkhoff(2)), fenchel.SparseMap(fenchel.Birkhoff(3)))


class Restrictions(unittest.TestCase):
    def test_projections(self):
        omega = fenchel.Restriction("squared", ball)
        points = 3 * THETA
        np.testing.assert_allclose(fenchel.predict(points, omega), np.array([ball(row) for row in points]), atol=1e-12)
        simplex = fenchel.Restriction("squared", fenchel.sparsemax, "simplex")
        np.testing.assert_allclose(fenchel.predict(THETA, simplex), fenchel.sparsemax(THETA), atol=1e-12)
        np.testing.assert_allclose(fenchel.loss(THETA, np.eye(3)[[0, 1, 2, 0]], simplex),
                                   fenchel.loss(THETA, np.array([0, 1, 2, 0]), "sparsemax"), atol=1e-12)

    def test_errors(self):
        with self.assertRaisesRegex(TypeError, "project is 3"):
            fenchel.Restriction("squared", 3)
        for domain in ("ball", "polytope", None):
            with self.assertRaisesRegex(ValueError, f"domain is {domain!r}"):
                fenchel.Restriction("squared", ball, domain)
        with self.assertRaisesRegex(ValueError, "Restriction.project returned"):
            fenchel.predict(THETA, fenchel.Restriction("squared", lambda point: point[:1]))
        with self.assertRaisesRegex(ZeroDivisionError, "division"):
            fenchel.predict(THETA, fenchel.Restriction("squared", lambda point: 1 // 0))
        with self.assertRaisesRegex(TypeError, "written in Python"):
            _ = fenchel.Restriction("squared", ball).spec


class Youngized(unittest.TestCase):
    def test_the_logistic_loss_gives_itself(self):
        omega = fenchel.FenchelYoungized(logistic, convex=True, strictly_concave=True)
        np.testing.assert_allclose(fenchel.predict(THETA, omega), fenchel.softmax(THETA), atol=1e-5)
        labels = np.array([0, 1, 2, 0])
        np.testing.assert_allclose(fenchel.loss(THETA, labels, omega), fenchel.softmax_loss(THETA, labels), atol=1e-7)

    def test_exponential(self):
        """Σ exp(θ_j − θ_k) at (1.1, .3, −.2), whose prediction a refined grid confirms."""
        def exponential(theta, k):
            terms = np.exp(theta - theta[k])
            terms[k] = 0
            gradient = terms.copy()
            gradient[k] = -terms.sum()
            return terms.sum(), gradient

        found = fenchel.predict([1.1, 0.3, -0.2], fenchel.FenchelYoungized(exponential, convex=True))
        np.testing.assert_allclose(found, [0.504324, 0.283586, 0.212090], atol=2e-6)

    def test_names(self):
        p = fenchel.softmax(THETA)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # entropies of one row at a time may be a rounding off
            np.testing.assert_allclose(fenchel.value(p, fenchel.FenchelYoungized("zero_one")), p.max(1) - 1, atol=1e-6)
            one_sided = fenchel.FenchelYoungized("one_sided_hinge", sum_to_zero=True, convex=True)
            np.testing.assert_allclose(fenchel.value(p, one_sided), fenchel.value(p, fenchel.PairwiseHinge()), atol=1e-5)

    def test_errors(self):
        for error, message, make in (
                (ValueError, "loss is 'hinge'", lambda: fenchel.FenchelYoungized("hinge")),
                (TypeError, "loss is 3", lambda: fenchel.FenchelYoungized(3)),
                (ValueError, "tolerance is nan", lambda: fenchel.FenchelYoungized(logistic, tolerance=math.nan)),
                (ValueError, "loss returned inf",
                 lambda: fenchel.predict(THETA[0], fenchel.FenchelYoungized(lambda t, k: (math.inf, t)))),
                (TypeError, "expected a pair", lambda: fenchel.predict(THETA[0], fenchel.FenchelYoungized(lambda t, k: 1.0))),
                (ValueError, "FenchelYoungized.loss returned",
                 lambda: fenchel.predict(THETA[0], fenchel.FenchelYoungized(lambda t, k: (1.0, t[:1]))))):
            with self.subTest(message=message), self.assertRaisesRegex(error, message):
                make()


@unittest.skipIf(torch is None, "PyTorch is not installed")
class Tensors(unittest.TestCase):
    def test_layers_and_losses(self):
        theta = torch.tensor(THETA, requires_grad=True)
        for omega in (fenchel.Sum("squared", "shannon"), fenchel.Restriction("squared", fenchel.sparsemax, "simplex")):
            with self.subTest(omega=repr(omega)):
                prediction = ft.predict(theta, omega)
                np.testing.assert_array_equal(prediction.detach(), fenchel.predict(THETA, omega))
                loss = ft.loss(theta, torch.tensor([0, 1, 2, 0]), omega, reduction="sum")
                slopes, = torch.autograd.grad(loss, theta)
                np.testing.assert_allclose(slopes, prediction.detach().numpy() - np.eye(3)[[0, 1, 2, 0]], atol=1e-9)


if __name__ == "__main__":
    unittest.main()
