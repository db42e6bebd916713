# SPDX-License-Identifier: Apache-2.0
"""The names people search for: soft ranks and sorting, soft-DTW, Sinkhorn, SparseMAP, losses; explanations."""
import doctest
import unittest

import fenchel
import numpy as np
from fenchel import _core

THETA = np.random.default_rng(0).normal(size=(3, 4, 6))


def by_differences(function, theta, u, step=1e-6):
    """uᵀ J by central differences."""
    result = np.empty_like(theta)
    for index in np.ndindex(theta.shape):
        above, below = theta.copy(), theta.copy()
        above[index] += step
        below[index] -= step
        result[index] = (u * (function(above) - function(below))).sum() / (2 * step)
    return result


class SoftSorting(unittest.TestCase):
    def test_small_strength_is_exact(self):
        for kind in ("l2", "kl"):
            # ε → 0: the gap between ranks is 1, so that projections of θ/ε are ranks from some ε on.
            options = {"regularization": kind, "regularization_strength": 1e-4}
            ranks = THETA.argsort(-1).argsort(-1) + 1
            np.testing.assert_allclose(fenchel.soft_rank(THETA, **options), ranks, atol=1e-6)
            np.testing.assert_allclose(fenchel.soft_sort(THETA, **options), np.sort(THETA, -1), atol=1e-6)
            options["direction"] = "DESCENDING"
            np.testing.assert_allclose(fenchel.soft_rank(THETA, **options), 7 - ranks, atol=1e-6)
            np.testing.assert_allclose(fenchel.soft_sort(THETA, **options), -np.sort(-THETA, -1), atol=1e-6)

    def test_is_the_projection_onto_the_permutahedron(self):
        w = np.arange(6.0, 0, -1)
        np.testing.assert_allclose(fenchel.soft_rank(THETA, regularization_strength=0.5),
                                   fenchel.sparsemap(THETA / 0.5, fenchel.Permutahedron(w)), atol=1e-12)
        np.testing.assert_allclose(fenchel.soft_rank(THETA, "kl", 0.5),
                                   fenchel.predict(THETA / 0.5, fenchel.Entropic(fenchel.Permutahedron(w))), atol=1e-9)
        np.testing.assert_allclose(fenchel.soft_rank(THETA, "tsallis:alpha=1.5", 0.5),
                                   fenchel.predict(THETA / 0.5, fenchel.Bregman(fenchel.Permutahedron(w), alpha=1.5)),
                                   atol=1e-12)
        np.testing.assert_allclose(fenchel.soft_rank(THETA, "tsallis:alpha=2", 0.5), fenchel.soft_rank(THETA, "l2", 0.5))
        with self.assertRaisesRegex(ValueError, "expected l2 or kl"):
            fenchel.soft_sort(THETA, "tsallis:alpha=1.5")

    def test_derivatives(self):
        theta, u = THETA[0, :2], np.cos(THETA[1, :2])
        for kind in ("l2", "kl", "tsallis:alpha=1.5", "burg"):
            for direction in ("ascending", "descending"):
                for name in ("soft_rank", "soft_sort") if kind in ("l2", "kl") else ("soft_rank",):
                    options = (kind, 0.7, direction)
                    expected = by_differences(lambda at: getattr(fenchel, name)(at, *options), theta, u)
                    np.testing.assert_allclose(getattr(fenchel, name + "_vjp")(theta, u, *options), expected, atol=1e-7)

    def test_axes_types_threads(self):
        last = fenchel.soft_rank(np.moveaxis(THETA, 1, -1))
        np.testing.assert_array_equal(fenchel.soft_rank(THETA, axis=1), np.moveaxis(last, -1, 1))
        self.assertEqual(fenchel.soft_rank(THETA[0, 0]).shape, (6,))
        single = fenchel.soft_sort(THETA.astype(np.float32))
        self.assertEqual(single.dtype, np.float32)
        np.testing.assert_allclose(single, fenchel.soft_sort(THETA), atol=1e-6)
        many = np.random.default_rng(1).normal(size=(3000, 20))
        np.testing.assert_array_equal(fenchel.soft_rank(many), fenchel.soft_rank(many, n_threads=2))
        self.assertEqual(fenchel.soft_rank(np.zeros((0, 4))).shape, (0, 4))

    def test_bad_input(self):
        for pattern, function in (("theta.*nan", lambda: fenchel.soft_rank([1.0, np.nan])),
                                  (r"row 1: theta\[0\] is inf", lambda: fenchel.soft_sort([[1.0, 2.0], [np.inf, 0.0]])),
                                  ("regularization is 'l1'", lambda: fenchel.soft_rank([1.0], "l1")),
                                  ("regularization_strength is 0", lambda: fenchel.soft_rank([1.0], "l2", 0)),
                                  ("direction is 'up'", lambda: fenchel.soft_rank([1.0], direction="up")),
                                  ("single number", lambda: fenchel.soft_rank(1.0)),
                                  ("axis is 1", lambda: fenchel.soft_rank([1.0], axis=1)),
                                  ("u has shape", lambda: fenchel.soft_rank_vjp([1.0, 2.0], [1.0]))):
            with self.subTest(pattern), self.assertRaisesRegex(ValueError, pattern):
                function()


class Alignments(unittest.TestCase):
    def setUp(self):
        self.cost = np.random.default_rng(2).random((2, 3, 4, 5))

    def test_is_the_partition_function_of_alignments(self):
        values, alignments = fenchel.soft_dtw(self.cost, 0.3, return_alignment=True)
        made = fenchel.Alignment(4, 5).distribution(-self.cost / 0.3)
        np.testing.assert_allclose(values, -0.3 * made.log_partition, atol=1e-12)
        np.testing.assert_allclose(alignments, made.marginals, atol=1e-12)
        np.testing.assert_array_equal(values, fenchel.soft_dtw(self.cost, 0.3))
        slopes = by_differences(lambda at: fenchel.soft_dtw(at, 0.3), self.cost[0, 0], 1.0)
        np.testing.assert_allclose(alignments[0, 0], slopes, atol=1e-8)
        best, paths = fenchel.dtw(self.cost, return_alignment=True)
        hard = fenchel.Alignment(4, 5).distribution(-self.cost)
        np.testing.assert_array_equal(paths, hard.map)
        np.testing.assert_allclose(best, (self.cost * paths).sum((-1, -2)), atol=1e-12)
        np.testing.assert_allclose(fenchel.soft_dtw(self.cost, 1e-6), best, atol=1e-4)

    def test_bands_masks_threads_types(self):
        square = self.cost[..., :4]
        _, paths = fenchel.dtw(square, band=1, return_alignment=True)
        rows, columns = np.indices((4, 4))
        self.assertEqual(paths[..., np.abs(rows - columns) > 1].any(), False)
        masked = square.copy()
        masked[0, 0, 1, 1] = np.inf
        self.assertEqual(fenchel.soft_dtw(masked, return_alignment=True)[1][0, 0, 1, 1], 0)
        self.assertEqual(fenchel.soft_dtw(np.full((2, 2), np.inf)), np.inf)
        np.testing.assert_array_equal(fenchel.soft_dtw(square), fenchel.soft_dtw(square, n_threads=2))
        for got, expected in zip(fenchel.soft_dtw(square, 0, band=2, return_alignment=True),
                                 fenchel.dtw(square, 2, return_alignment=True)):
            np.testing.assert_array_equal(got, expected)
        values, alignments = fenchel.soft_dtw(square.astype(np.float32), return_alignment=True)
        self.assertEqual((values.dtype, alignments.dtype), (np.dtype(np.float64), np.dtype(np.float32)))
        for pattern, function in (("gamma", lambda: fenchel.soft_dtw(square, -1)),
                                  ("band is -1", lambda: fenchel.dtw(square, -1)),
                                  ("cost has shape", lambda: fenchel.dtw([1.0])),
                                  ("empty", lambda: fenchel.dtw(np.zeros((2, 0)))),
                                  ("nan", lambda: fenchel.soft_dtw([[np.nan]]))):
            with self.subTest(pattern), self.assertRaisesRegex(ValueError, pattern):
                function()


class Barycenters(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(4)
        self.series = np.sin(np.linspace(0, 6, 20) + self.random.random((5, 1))) + 0.1 * self.random.standard_normal((5, 20))

    def slope(self, b, series, gamma, weights):
        """The gradient of Σ w soft-DTW(b, x) over Σ w, from expected alignments."""
        pulls = []
        for one in series:
            cost = ((b[:, None] - one[None]) ** 2).sum(-1)
            _, alignment = fenchel.soft_dtw(cost, gamma, return_alignment=True)
            pulls.append(2 * (alignment.sum(1)[:, None] * b - alignment @ one))
        return np.average(pulls, axis=0, weights=weights)

    def test_is_stationary(self):
        found = fenchel.soft_dtw_barycenter(self.series, 0.1)
        self.assertEqual((found.shape, found.dtype), ((20,), np.dtype(np.float64)))
        np.testing.assert_allclose(self.slope(found[:, None], self.series[..., None], 0.1, None), 0, atol=1e-5)
        cost = (found[:, None] - self.series[:, None, :]) ** 2
        mean = (self.series.mean(0)[:, None] - self.series[:, None, :]) ** 2
        self.assertLess(fenchel.soft_dtw(cost, 0.1).mean(), fenchel.soft_dtw(mean, 0.1).mean())
        ragged = [self.random.standard_normal((length, 3)) for length in (7, 4, 9)]
        found = fenchel.soft_dtw_barycenter(ragged, 0.5, weights=[1, 2, 0.5], start=np.zeros((6, 3)))
        self.assertEqual(found.shape, (6, 3))
        np.testing.assert_allclose(self.slope(found, ragged, 0.5, [1, 2, 0.5]), 0, atol=1e-5)

    def test_threads_types_and_warnings(self):
        found = fenchel.soft_dtw_barycenter(self.series, band=3)
        np.testing.assert_array_equal(found, fenchel.soft_dtw_barycenter(list(self.series), band=3, n_threads=2))
        np.testing.assert_array_equal(found, fenchel.soft_dtw_barycenter(self.series[..., None], band=3)[:, 0])
        self.assertEqual(fenchel.soft_dtw_barycenter(self.series.astype(np.float32)).dtype, np.dtype(np.float32))
        np.testing.assert_allclose(fenchel.soft_dtw_barycenter(self.series[:1], 1e-6), self.series[0], atol=1e-4)
        with self.assertWarnsRegex(RuntimeWarning, "did not converge in 2 iterations"):
            fenchel.soft_dtw_barycenter(self.series, max_iterations=2)

    def test_lengths_that_differ_need_no_start(self):
        series = [self.series[0], self.series[1][:7], self.series[2][:1]]
        longest = len(series[0])
        places = np.linspace(0, 1, longest)
        stretched = np.mean([np.interp(places, np.linspace(0, 1, len(one)), one) for one in series], axis=0)
        with self.assertWarns(RuntimeWarning):
            start = fenchel.soft_dtw_barycenter(series, 0.5, max_iterations=0)
        np.testing.assert_allclose(start, stretched, atol=1e-14)
        np.testing.assert_allclose(fenchel.soft_dtw_barycenter(series, 0.5),
                                   fenchel.soft_dtw_barycenter(series, 0.5, start=stretched), atol=1e-5)

    def test_bad_input(self):
        call = fenchel.soft_dtw_barycenter
        for pattern, function in (("series is empty", lambda: call([])),
                                  (r"series\[0\] is a single number", lambda: call([1.0, 2.0])),
                                  (r"series\[1\] has shape \(0,\)", lambda: call([[1.0], []])),
                                  (r"a step of series\[1\]", lambda: call([np.ones((2, 3)), np.ones((2, 2))])),
                                  ("start has shape", lambda: call([[1.0]], start=[])),
                                  (r"series\[0\]\[1, 0\] is nan", lambda: call([[1.0, np.nan]])),
                                  ("gamma is 0", lambda: call([[1.0]], 0)),
                                  ("band is -1", lambda: call([[1.0]], band=-1)),
                                  (r"weights\[0\] is -1", lambda: call([[1.0]], weights=[-1])),
                                  ("weights", lambda: call([[1.0]], weights=[])),
                                  ("weights", lambda: call([[1.0]], weights=[1, 2]))):
            with self.subTest(pattern), self.assertRaisesRegex(ValueError, pattern):
                function()


class Others(unittest.TestCase):
    def test_sinkhorn(self):
        cost = np.random.default_rng(3).random((5, 3, 4))
        a, b = np.array([0.2, 0.3, 0.5]), np.array([0.1, 0.2, 0.3, 0.4])
        plan = fenchel.sinkhorn(cost, a, b, gamma=0.1)
        np.testing.assert_allclose(plan.sum(-1), np.tile(a, (5, 1)), atol=1e-9)
        np.testing.assert_allclose(plan.sum(-2), np.tile(b, (5, 1)), atol=1e-9)
        # A scaling of exp(−C/γ): the logarithm of the quotient is a sum of a row's and a column's part.
        rest = np.log(plan[0]) + cost[0] / 0.1
        np.testing.assert_allclose(rest - rest[:1] - rest[:, :1] + rest[0, 0], 0, atol=1e-6)
        np.testing.assert_allclose(fenchel.sinkhorn(cost).sum(), 5)
        np.testing.assert_allclose(fenchel.sinkhorn(cost[0, :, :3], np.ones(3), np.ones(3)),
                                   fenchel.predict(-cost[0, :, :3], fenchel.Entropic(fenchel.Birkhoff(3))), atol=1e-8)
        with self.assertRaisesRegex(ValueError, "a and b have shapes"):
            fenchel.sinkhorn(cost, b, a)
        with self.assertRaisesRegex(ValueError, "equal sums"):
            fenchel.sinkhorn(cost, a, 2 * b)

    def test_masses_of_single_precision(self):
        for rows, columns in ((37, 53), (300, 200)):
            random = np.random.default_rng(rows)
            a, b = (random.random(count).astype(np.float32) for count in (rows, columns))
            a, b = a / a.sum(), b / b.sum()
            self.assertNotEqual(sum(a.tolist()), sum(b.tolist()))
            for masses in ((a, b), (a.tolist(), b.tolist()), (a.astype(np.float64), b.astype(np.float64))):
                transport = fenchel.Transport(*masses)
                plan = fenchel.predict(-random.random(rows * columns), fenchel.Entropic(transport)).reshape(rows, columns)
                np.testing.assert_allclose(plan.sum(1), a, atol=1e-7)
                np.testing.assert_allclose(plan.sum(0), b, atol=1e-7)
                self.assertGreaterEqual(fenchel.loss(np.zeros(plan.size), plan.reshape(-1), fenchel.Entropic(transport)), 0)

    def test_sums_of_sinkhorn(self):
        with self.assertRaisesRegex(ValueError, "sum of a"):
            fenchel.sinkhorn(np.ones((2, 2)), [0.0, 0.0], [0.0, 0.0])

    def test_sinkhorn_of_masses_in_single_precision(self):
        rng = np.random.default_rng(5)
        for rows, columns in ((3, 7), (11, 200), (49, 1000)):
            a, b = rng.random(rows).astype(np.float32), rng.random(columns).astype(np.float32)
            a, b = a / a.sum(), b / b.sum()  # totals of 1 but for rounding
            plan = fenchel.sinkhorn(rng.random((rows, columns)), a, b)
            np.testing.assert_allclose(plan.sum(1), a, atol=1e-6)
            np.testing.assert_allclose(plan.sum(0), b, atol=1e-6)

    def test_budget(self):
        mu = fenchel.budget(THETA, 2)
        np.testing.assert_allclose(mu.sum(-1), 2)
        self.assertTrue(((mu >= 0) & (mu <= 1)).all())
        part = fenchel.budget(THETA, 0.8)  # mu = clip(theta - tau, 0, 1), sums to 0.8
        np.testing.assert_allclose(part.sum(-1), 0.8)
        shift = (THETA - part).max(-1, where=(part > 0) & (part < 1), initial=-np.inf)[..., None]
        np.testing.assert_allclose(part, np.clip(THETA - shift, 0, 1), atol=1e-12)
        self.assertFalse(fenchel.budget(THETA, 0).any())
        for k, error in ((None, TypeError), ("2", TypeError), (True, TypeError)):
            with self.assertRaisesRegex(error, "k is"):
                fenchel.budget(THETA, k)
        with self.assertRaisesRegex(ValueError, "at least one entry"):
            fenchel.budget([], 0)
        for k in (-0.5, THETA.shape[-1] + 0.5, np.nan):
            with self.assertRaisesRegex(ValueError, "k is"):
                fenchel.budget(THETA, k)
        np.testing.assert_allclose(fenchel.budget(THETA, 1), fenchel.sparsemax(THETA), atol=1e-12)
        last = fenchel.budget(np.moveaxis(THETA, 0, -1), 2)
        np.testing.assert_array_equal(fenchel.budget(THETA, 2, axis=0), np.moveaxis(last, -1, 0))

    def test_sparsemap(self):
        theta = np.random.default_rng(4).normal(size=(2, 3, 3))
        expected = fenchel.predict(theta, fenchel.SparseMap(fenchel.Arborescence(3)))
        np.testing.assert_array_equal(fenchel.sparsemap(theta, fenchel.Arborescence(3)), expected)
        ragged = fenchel.sparsemap([theta[0], theta[1, :2, :2]], lambda scores: fenchel.Arborescence(len(scores)))
        np.testing.assert_array_equal(ragged[0], expected[0])
        self.assertEqual(fenchel.sparsemap([theta[0], theta[1]], [fenchel.Arborescence(3)] * 2)[1].shape, (3, 3))

    def test_losses(self):
        y = np.random.default_rng(5).integers(0, 6, size=(3, 4))
        omegas = {"softmax": fenchel.Shannon(), "sparsemax": fenchel.Tsallis(2.0), "entmax15": fenchel.Tsallis(1.5),
                  "entmax": fenchel.Tsallis(1.5), "normmax": fenchel.Norm(np.inf)}
        for name, omega in omegas.items():
            np.testing.assert_array_equal(getattr(fenchel, name + "_loss")(THETA, y), fenchel.loss(THETA, y, omega))


class Examples(unittest.TestCase):
    def test_docstrings(self):
        for module in (fenchel, fenchel.distribution, fenchel.custom):
            result = doctest.testmod(module)
            self.assertGreater(result.attempted, 0)
            self.assertEqual(result.failed, 0)


class Explanations(unittest.TestCase):
    def test_all(self):
        table = fenchel.explain()
        for name in [entry["name"] for entry in _core.regularizers()]:
            self.assertIn(name, table)
            self.assertIn("Omega", fenchel.explain(name))
        for name in [entry["name"] for entry in _core.polytopes()]:
            self.assertIn(name, table)
            self.assertIn("layout", fenchel.explain(name))

    def test_particular_ones(self):
        self.assertIn('"alpha":1.2', fenchel.explain(fenchel.Tsallis(1.2)))
        self.assertIn('"alpha":1.2', fenchel.explain("tsallis:alpha=1.2"))
        self.assertIn('"n":7', fenchel.explain(fenchel.Arborescence(7)))
        self.assertIn("[n, n]", fenchel.explain("arborescence:n=7"))
        self.assertIn("constant 2", fenchel.explain(fenchel.SparseMap(fenchel.Arborescence(3), temperature=2.0)))
        self.assertEqual(repr(fenchel.explain("tsallis")), str(fenchel.explain("tsallis")).rstrip("\n"))
        with self.assertRaisesRegex(ValueError, "did you mean 'sparsemax'"):
            fenchel.explain("sparsmax")
        with self.assertRaisesRegex(TypeError, "class Tsallis"):
            fenchel.explain(fenchel.Tsallis)


if __name__ == "__main__":
    unittest.main()
