# SPDX-License-Identifier: Apache-2.0
"""Numbers and axes that are none: errors name the argument, its value and what was expected; none is NumPy's own."""
import unittest

import fenchel
import numpy as np

THETA, COST = np.zeros((2, 3)), np.ones((3, 4))
# What is no number, and how a message shows it.
NO_NUMBERS = [([1.2, 1.5], r"\[1.2, 1.5\]"), (np.array([1.2, 1.5]), r"array\(\[1.2, 1.5\]\)"),
              ([[1.2], [1.5, 2]], r"\[\[1.2\], \[1.5, 2\]\]"),
              (None, "None"), ("a", "'a'"), (b"1", "b'1'"), (1j, "1j"), (np.complex128(1j), ".*1j.*"), (True, "True"), ({}, "{}"),
              (np.array(["a"]), r"array\(\['a'\].*"), (np.zeros((1, 1)), r"array\(\[\[0.\]\]\)")]
NO_AXES = [(None, "None"), ("a", "'a'"), ([0, 1], r"\[0, 1\]"), (np.array([0, 1]), r"array\(\[0, 1\]\)"), (0.5, "0.5"),
           (1j, "1j")]


def of_numbers():
    """Calls of each function with a number: the argument, and values that are out of bounds."""
    nan, inf = float("nan"), float("inf")
    yield "alpha", lambda x: fenchel.entmax(THETA, x), (0, -1.5, nan)
    yield "alpha", lambda x: fenchel.entmax_loss(THETA, [0, 1], x), (0, -1.5, nan)
    yield "q", lambda x: fenchel.normmax(THETA, x), (1, 0.5, nan)
    yield "q", lambda x: fenchel.normmax_loss(THETA, [0, 1], x), (1, -2, nan)
    yield "k", lambda x: fenchel.budget(THETA, x), (-1, 3.5, nan, inf)
    yield "gamma", lambda x: fenchel.sinkhorn(COST, gamma=x), (0, -1, nan, inf, 10**400)
    yield "gamma", lambda x: fenchel.soft_dtw(COST, x), (-1, nan, inf, 10**400)
    yield "gamma", lambda x: fenchel.soft_dtw_barycenter([[1.0, 2.0]], x), (0, -1, nan, inf)
    yield "tolerance", lambda x: fenchel.soft_dtw_barycenter([[1.0, 2.0]], tolerance=x), (-1, nan, inf)
    for name in ("soft_rank", "soft_sort"):
        yield "regularization_strength", lambda x, name=name: getattr(fenchel, name)(THETA, "l2", x), (0, -1, nan, inf)
        yield "regularization_strength", lambda x, name=name: getattr(fenchel, name + "_vjp")(THETA, THETA, "l2", x), (0, nan)
    yield "tau", lambda x: fenchel.prox(THETA, "shannon", x), (-1, nan, inf)
    yield "tau", lambda x: fenchel.prox([THETA[0], THETA[0, :2]], "shannon", x), (-1, nan, inf)


def of_whole_numbers():
    """Calls of each function with a whole number."""
    yield "d", lambda x: fenchel.margin("sparsemax", x)
    yield "band", lambda x: fenchel.soft_dtw(COST, band=x)
    yield "band", lambda x: fenchel.dtw(COST, x)
    yield "band", lambda x: fenchel.soft_dtw_barycenter([[1.0, 2.0]], band=x)
    yield "max_iterations", lambda x: fenchel.soft_dtw_barycenter([[1.0, 2.0]], max_iterations=x)
    yield "n_threads", lambda x: fenchel.predict(THETA, "shannon", n_threads=x)
    yield "n_threads", lambda x: fenchel.softmax(THETA, n_threads=x)
    yield "n_threads", lambda x: fenchel.dtw(COST, n_threads=x)


def of_axes():
    """Calls of each function with an axis."""
    for name in ("softmax", "sparsemax", "entmax15", "entmax", "normmax", "soft_rank", "soft_sort"):
        yield lambda x, name=name: getattr(fenchel, name)(THETA, axis=x)
    for name in ("softmax_loss", "sparsemax_loss", "entmax15_loss", "entmax_loss", "normmax_loss"):
        yield lambda x, name=name: getattr(fenchel, name)(THETA, [0, 1], axis=x)
    yield lambda x: fenchel.budget(THETA, 1, axis=x)
    for name in ("soft_rank_vjp", "soft_sort_vjp"):
        yield lambda x, name=name: getattr(fenchel, name)(THETA, THETA, axis=x)
    for omega in ("sparsemax", fenchel.Tsallis(2.0)):
        for name in ("predict", "conjugate", "prox"):
            yield lambda x, name=name, omega=omega: getattr(fenchel, name)(THETA, omega, axis=x)
        for name in ("value", "link"):
            yield lambda x, name=name, omega=omega: getattr(fenchel, name)(np.full((2, 3), 1 / 3), omega, axis=x)
        for name in ("loss", "gradient", "value_and_gradient", "jvp", "vjp"):
            yield lambda x, name=name, omega=omega: getattr(fenchel, name)(THETA, THETA + 1 / 3, omega, axis=x)
    yield lambda x: fenchel.predict([THETA[0], THETA[0, :2]], "sparsemax", axis=x)


class Arguments(unittest.TestCase):
    def test_numbers(self):
        for name, call, wrong in of_numbers():
            for value, shown in NO_NUMBERS:
                with self.subTest(name, value=value):
                    with self.assertRaisesRegex(TypeError, rf"^{name} is {shown}; expected a .*number"):
                        call(value)
            for value in wrong:
                with self.subTest(name, value=value):
                    with self.assertRaisesRegex(ValueError, rf"^{name} is .*; expected "):
                        call(value)

    def test_numbers_of_other_types(self):
        for value in (2, np.float32(2), np.int64(2), np.array(2.0)):
            np.testing.assert_array_equal(fenchel.entmax(THETA, value), fenchel.sparsemax(THETA))
            self.assertEqual(fenchel.soft_dtw(COST, value), fenchel.soft_dtw(COST, 2.0))

    def test_whole_numbers(self):
        for name, call in of_whole_numbers():
            for value, shown in NO_AXES:
                with self.subTest(name, value=value), self.assertRaisesRegex(TypeError, rf"^{name} is {shown}; expected a whole"):
                    call(value)

    def test_axes(self):
        for i, call in enumerate(of_axes()):
            for value, shown in NO_AXES:
                with self.subTest(i, value=value), self.assertRaisesRegex(TypeError, rf"^axis is {shown}; expected a whole"):
                    call(value)

    def test_words(self):
        for value in (None, 2, ["l2"]):
            for name in ("soft_rank", "soft_sort"):
                with self.assertRaisesRegex(TypeError, "^regularization is .*; expected 'l2'"):
                    getattr(fenchel, name)(THETA, value)
                with self.assertRaisesRegex(ValueError, "^direction is .*; expected 'ascending' or 'descending'"):
                    getattr(fenchel, name)(THETA, direction=value)
        for value in (None, 3, "abc"):
            with self.assertRaisesRegex(TypeError, "^series is .*; expected a list of series"):
                fenchel.soft_dtw_barycenter(value)

    def test_long_values_are_cut(self):
        for value in (list(range(1000)), np.arange(900.0), np.zeros((30, 30)), "x" * 5000):
            with self.assertRaises(TypeError) as caught:
                fenchel.entmax(THETA, value)
            self.assertLess(len(str(caught.exception)), 200)
            self.assertNotIn("\n", str(caught.exception))

    def test_omega_and_sets(self):
        for value in (None, 1.5, np.array(["shannon"]), 1j):
            with self.subTest(value=value), self.assertRaisesRegex(TypeError, "^omega is .*; expected a Regularizer, a name"):
                fenchel.predict(THETA, value)
        with self.assertRaisesRegex(TypeError, "^polytope is None; expected"):
            fenchel.sparsemap(THETA, None)
        with self.assertRaisesRegex(ValueError, "^polytope is 3; expected a polytope"):
            fenchel.sparsemap(THETA, 3)
        # None where a value is needed was taken for the default of C++.
        for name, call in (("k", lambda: fenchel.KSubsets(3, None)), ("w", lambda: fenchel.Permutahedron(None)),
                           ("entropy", lambda: fenchel.OneVsAll(None)), ("n", lambda: fenchel.Arborescence(None))):
            with self.subTest(name), self.assertRaisesRegex(TypeError, f"^{name} is None; expected "):
                call()
        for value in ([1.2, 1.5], np.array([1.2, 1.5]), "a"):
            with self.subTest(value=value), self.assertRaisesRegex(ValueError, "^alpha is .*; expected a number"):
                fenchel.Tsallis(value)

    def test_dictionaries_of_any_kind(self):
        import types

        spec = types.MappingProxyType({"name": "tsallis", "alpha": 1.5})
        np.testing.assert_array_equal(fenchel.predict(THETA, spec), fenchel.entmax15(THETA))
        self.assertEqual(fenchel.Regularizer.from_spec(spec), fenchel.Tsallis(1.5))
        polytope = types.MappingProxyType({"name": "k_subsets", "d": 3, "k": 2})
        self.assertEqual(fenchel.SparseMap(polytope), fenchel.SparseMap(fenchel.KSubsets(3, 2)))


if __name__ == "__main__":
    unittest.main()
