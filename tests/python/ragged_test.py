# SPDX-License-Identifier: Apache-2.0
"""Ragged batches, and scores of structures with their natural shape."""
import unittest

import fenchel
import numpy as np

LENGTHS = (3, 1, 4, 2)


def arc_scores(dtype=np.float64):
    rng = np.random.default_rng(0)
    return [rng.normal(size=(n, n)).astype(dtype) for n in LENGTHS]


def trees(n):
    """Some tree over n words: a chain of heads."""
    y = np.zeros((n, n))
    y[0, 0] = 1
    for word in range(1, n):
        y[word - 1, word] = 1
    return y


class Ragged(unittest.TestCase):
    def setUp(self):
        self.theta = arc_scores()
        self.omegas = [fenchel.SparseMap(fenchel.Arborescence(n)) for n in LENGTHS]
        self.y = [trees(n) for n in LENGTHS]

    def each(self, operation, *others):
        """The operation on flat scores, one example after the other."""
        flat = [theta.ravel() for theta in self.theta]
        return [operation(theta, *(other[i].ravel() for other in others), self.omegas[i])
                for i, theta in enumerate(flat)]

    def same(self, results, expected):
        self.assertEqual([result.shape for result in results], [theta.shape for theta in self.theta])
        for result, one in zip(results, expected):
            np.testing.assert_array_equal(result.ravel(), one)

    def test_is_one_by_one(self):
        for threads in (1, 2):
            self.same(fenchel.predict(self.theta, self.omegas, n_threads=threads), self.each(fenchel.predict))
            v = [np.cos(theta) for theta in self.theta]
            self.same(fenchel.jvp(self.theta, v, self.omegas, n_threads=threads), self.each(fenchel.jvp, v))
            losses, slopes = fenchel.value_and_gradient(self.theta, self.y, self.omegas, n_threads=threads)
            self.same(slopes, self.each(fenchel.gradient, self.y))
            np.testing.assert_array_equal(losses, self.each(fenchel.loss, self.y))
            np.testing.assert_array_equal(fenchel.loss(self.theta, self.y, self.omegas, n_threads=threads), losses)
            np.testing.assert_array_equal(fenchel.conjugate(self.theta, self.omegas, n_threads=threads),
                                          self.each(fenchel.conjugate))
        np.testing.assert_array_equal(fenchel.value(self.y, self.omegas), self.each_value())
        proxes = fenchel.prox(self.theta, self.omegas, 0.7)
        self.same(proxes, [fenchel.prox(theta.ravel(), omega, 0.7) for theta, omega in zip(self.theta, self.omegas)])

    def each_value(self):
        return [fenchel.value(y.ravel(), omega) for y, omega in zip(self.y, self.omegas)]

    def test_ways_to_say_omega(self):
        expected = fenchel.predict(self.theta, self.omegas)

        def maker(theta):
            return fenchel.SparseMap(fenchel.Arborescence(len(theta)))

        specs = [{"name": "sparsemap", "polytope": {"name": "arborescence", "n": n}} for n in LENGTHS]
        for omega in (maker, specs, tuple(self.omegas)):
            self.same(fenchel.predict(self.theta, omega), [one.ravel() for one in expected])

    def test_one_omega_for_vectors(self):
        rows = [np.array([1.0, 2.0]), np.array([[0.5, 0.1, 0.2], [3.0, 1.0, 1.0]])]
        results = fenchel.predict(rows, "sparsemax")
        for result, row in zip(results, rows):
            np.testing.assert_array_equal(result, fenchel.sparsemax(row))
        losses = fenchel.loss(rows, [1, np.array([0, 2])], "sparsemax")
        np.testing.assert_allclose(losses[0], fenchel.loss(rows[0], 1, "sparsemax"))
        np.testing.assert_allclose(losses[1], fenchel.loss(rows[1], [0, 2], "sparsemax"))
        rows = [np.array([1.0, 2.0]), np.array([0.5, 0.1, 0.2])]
        self.assertEqual(fenchel.loss(rows, [1, 0], "logistic").shape, (2,))
        with self.assertRaisesRegex(ValueError, r"y\[1\] is 3; expected labels from 0 to 2"):
            fenchel.loss(rows, [1, 3], "logistic")

    def test_precision(self):
        single = fenchel.predict(arc_scores(np.float32), self.omegas)
        self.assertEqual({p.dtype for p in single}, {np.dtype(np.float32)})
        mixed = [*arc_scores(np.float32)[:2], *arc_scores(np.float64)[2:]]
        self.assertEqual({p.dtype for p in fenchel.predict(mixed, self.omegas)}, {np.dtype(np.float64)})

    def test_lists_of_numbers_are_arrays(self):
        self.assertEqual(fenchel.predict([[1, 2], [3, 4]], "sparsemax").shape, (2, 2))
        self.assertEqual(fenchel.predict([np.zeros(2), np.ones(2)], "sparsemax").shape, (2, 2))
        with self.assertRaisesRegex(ValueError, "several lengths"):
            fenchel.predict([[1, 2], [3]], "sparsemax")

    def test_empty(self):
        self.assertEqual(fenchel.predict([], []), [])
        self.assertEqual(fenchel.conjugate([], []).shape, (0,))
        with self.assertRaisesRegex(ValueError, r"theta\[1\]"):
            fenchel.predict([np.zeros(2), np.zeros(0)], "sparsemax")

    def test_errors_name_the_example(self):
        self.theta[2][1, 1] = np.nan
        with self.assertRaisesRegex(ValueError, r"theta\[2.*nan"):
            fenchel.predict(self.theta, self.omegas)
        expected = r"theta\[1\] has shape \(1, 1\); expected 9 scores, or the shape \(3, 3\)"
        with self.assertRaisesRegex(ValueError, expected):
            fenchel.predict(self.theta, [self.omegas[0]] * 4)
        with self.assertRaisesRegex(ValueError, r"theta\[2.*nan.*all rows are counted"):
            fenchel.predict([np.zeros((2, 3)), np.array([0.0, np.nan])], "sparsemax")
        with self.assertRaisesRegex(ValueError, "omega has 3 entries; expected 4"):
            fenchel.predict(self.theta, self.omegas[:3])
        with self.assertRaisesRegex(ValueError, r"y\[3\] has shape"):
            fenchel.loss(arc_scores(), [*self.y[:3], np.zeros((3, 3))], self.omegas)
        with self.assertRaisesRegex(ValueError, "y has 1 examples"):
            fenchel.loss(arc_scores(), self.y[:1], self.omegas)
        with self.assertRaisesRegex(ValueError, r"y\[1\]: |y\[1\]"):
            fenchel.loss(arc_scores(), [self.y[0], np.array([[2.0]]), *self.y[2:]], self.omegas)
        with self.assertRaisesRegex(TypeError, "class Tsallis"):
            fenchel.predict(self.theta, fenchel.Tsallis)
        with self.assertRaisesRegex(TypeError, r"theta\[0\] has dtype"):
            fenchel.predict([np.array(["a"]), np.zeros(2)], "sparsemax")
        with self.assertRaisesRegex(ValueError, "axis is 0"):
            fenchel.predict(arc_scores(), self.omegas, axis=0)


class NaturalShapes(unittest.TestCase):
    def test_trailing_axes(self):
        rng = np.random.default_rng(1)
        for polytope in (fenchel.Arborescence(3), fenchel.Sequence(4, 2), fenchel.Alignment(2, 5), fenchel.Birkhoff(3),
                         fenchel.Transport([0.5, 0.5], [0.2, 0.3, 0.5]), fenchel.Chain(3, 2)):
            omega = fenchel.SparseMap(polytope)
            theta = rng.normal(size=(2, 5, *polytope.shape))
            flat = theta.reshape(2, 5, polytope.dimension)
            p = fenchel.predict(theta, omega)
            self.assertEqual(p.shape, theta.shape)
            np.testing.assert_array_equal(p.reshape(flat.shape), fenchel.predict(flat, omega))
            self.assertEqual(fenchel.conjugate(theta, omega).shape, (2, 5))
            losses = fenchel.loss(flat, p.reshape(flat.shape), omega)
            np.testing.assert_array_equal(fenchel.loss(theta, p, omega), losses)
            self.assertEqual(fenchel.gradient(theta, p, omega).shape, theta.shape)
            self.assertEqual(fenchel.jvp(theta, theta, omega).shape, theta.shape)
            self.assertEqual(fenchel.prox(theta, omega).shape, theta.shape)
            self.assertEqual(fenchel.value(p, omega).shape, (2, 5))
            out = np.empty_like(theta)
            self.assertIs(fenchel.predict(theta, omega, out=out), out)
            np.testing.assert_array_equal(out, p)

    def test_one_structure_and_integers(self):
        omega = fenchel.Marginal(fenchel.Arborescence(3))
        y = trees(3).astype(int)
        self.assertEqual(np.shape(fenchel.loss(np.zeros((3, 3)), y, omega)), ())
        with self.assertRaisesRegex(ValueError, "dimension"):
            fenchel.predict(np.zeros((2, 2)), omega)

    def test_temperature_keeps_the_shape(self):
        omega = fenchel.SparseMap(fenchel.Arborescence(3), temperature=2.0)
        self.assertEqual(fenchel.predict(np.zeros((4, 3, 3)), omega).shape, (4, 3, 3))


if __name__ == "__main__":
    unittest.main()
