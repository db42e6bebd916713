# SPDX-License-Identifier: Apache-2.0
"""What the tests of fast-soft-sort and torchsort look at: isotonic regression, ranks and sorting in both regularizations.

Projections are compared with scikit-learn's isotonic regression and with optimality, gradients with differences.
"""
import unittest

import fenchel
import numpy as np

from torch_tensors import double, torch  # isort: skip

import fenchel.torch as ft
from torch.autograd import gradcheck

try:
    from sklearn.isotonic import isotonic_regression
except ImportError:
    isotonic_regression = None

STRENGTHS = (1e-3, 0.1, 1.0, 10.0, 1e3)
NO_STRENGTH = 1e-6  # at which soft is hard, for scores that differ by more than that


def hard_ranks(theta, ascending):
    order = np.argsort(theta if ascending else -theta, axis=-1)
    return np.argsort(order, axis=-1) + 1.0


@unittest.skipIf(isotonic_regression is None, "scikit-learn is missing")
class Projections(unittest.TestCase):
    def test_l2_by_isotonic_regression(self):
        """The projection of z onto the permutahedron of w is z − v at the sorted z, v the regression of z − w (both falling)."""
        rng = np.random.default_rng(0)
        for n in (1, 2, 5, 40):
            for strength in STRENGTHS:
                theta = rng.normal(size=n)
                z = -theta / strength  # rank 1 is the smallest
                order = np.argsort(-z)
                fitted = isotonic_regression(z[order] - np.arange(n, 0, -1), increasing=False)
                expected = np.empty(n)
                expected[order] = z[order] - fitted
                ranks = fenchel.soft_rank(theta, "l2", strength, "descending")
                scale = max(1.0, np.abs(z).max())
                np.testing.assert_allclose(fenchel.soft_rank(theta, "l2", strength, "ascending"),
                                           fenchel.soft_rank(-theta, "l2", strength, "descending"), atol=1e-12 * scale)
                np.testing.assert_allclose(ranks, expected, atol=1e-12 * scale)

    def test_sorting_by_isotonic_regression(self):
        rng = np.random.default_rng(1)
        for strength in STRENGTHS:
            theta = rng.normal(size=9)
            weights, values = np.arange(9, 0, -1) / strength, np.sort(theta)[::-1]
            expected = weights - isotonic_regression(weights - values, increasing=False)
            found = fenchel.soft_sort(theta, "l2", strength, "descending")
            np.testing.assert_allclose(found, expected, atol=1e-11 * weights.max())


class RanksAndSorting(unittest.TestCase):
    def test_limits(self):
        theta = np.random.default_rng(2).normal(size=(3, 7))
        for regularization in ("l2", "kl"):
            for ascending, direction in ((True, "ascending"), (False, "descending")):
                ranks = fenchel.soft_rank(theta, regularization, NO_STRENGTH, direction)
                np.testing.assert_allclose(ranks, hard_ranks(theta, ascending), atol=1e-9)
                values = np.sort(theta, -1) if ascending else -np.sort(-theta, -1)
                np.testing.assert_allclose(fenchel.soft_sort(theta, regularization, NO_STRENGTH, direction), values, atol=1e-4)
        flat = fenchel.soft_rank(theta, "l2", 1e9)
        np.testing.assert_allclose(flat, np.full_like(theta, 4.0), atol=1e-6)

    def test_sums_and_order(self):
        theta = np.random.default_rng(3).normal(size=(20, 6))
        for strength in STRENGTHS:
            ranks = fenchel.soft_rank(theta, "l2", strength)
            np.testing.assert_allclose(ranks.sum(-1), 21.0)  # 1 + … + 6
            order = np.argsort(theta, -1)
            self.assertTrue((np.diff(np.take_along_axis(ranks, order, -1)) >= -1e-9).all())
            values = fenchel.soft_sort(theta, "l2", strength)
            np.testing.assert_allclose(values.sum(-1), theta.sum(-1))
            self.assertTrue((np.diff(values) >= -1e-9).all())

    def test_gradients(self):
        for regularization in ("l2", "kl"):
            for strength in (0.1, 1.0, 10.0):
                for function in (ft.soft_rank, ft.soft_sort):
                    with self.subTest(function=function.__name__, regularization=regularization, strength=strength):
                        self.assertTrue(gradcheck(
                            lambda theta, f=function, r=regularization, s=strength: f(theta, r, s), (double(3, 5),)))
        self.assertTrue(gradcheck(lambda theta: ft.soft_rank(theta, "tsallis:alpha=1.5", 0.7), (double(3, 5),)))

    def test_shapes_and_types(self):
        for shape in ((4,), (2, 4), (2, 3, 4)):
            for dtype in (torch.float32, torch.float64):
                for function in (ft.soft_rank, ft.soft_sort):
                    found = function(torch.randn(shape, dtype=dtype))
                    self.assertEqual((tuple(found.shape), found.dtype), (shape, dtype))
        with self.assertRaises(ValueError):
            ft.soft_rank(torch.randn(3), regularization="l3")
        with self.assertRaises(ValueError):
            ft.soft_rank(torch.randn(3), direction="up")
        with self.assertRaises(ValueError):
            ft.soft_rank(torch.randn(3), regularization_strength=0.0)


if __name__ == "__main__":
    unittest.main()
