# SPDX-License-Identifier: Apache-2.0
"""An Ω and a set of structures written in Python: equal to the built-in ones they re-implement, safe with threads."""
import itertools
import pickle
import threading
import unittest
import weakref

import numpy as np

import fenchel


class Ridge(fenchel.CustomRegularizer):
    """½‖μ‖² with its gradient; predictions by projected gradient."""

    def __init__(self, domain="simplex"):
        self.domain = domain

    def value(self, mu):
        return 0.5 * (mu @ mu)

    def gradient(self, mu):
        return mu


class RidgeByValue(fenchel.CustomRegularizer):
    """½‖μ‖² by its value alone."""

    def value(self, mu):
        return 0.5 * (mu @ mu)


class Entropy(fenchel.CustomRegularizer):
    """Σ p log p with its prediction."""

    def value(self, p):
        p = p[p > 0]
        return p @ np.log(p)

    def predict(self, theta):
        weights = np.exp(theta)
        return weights / weights.sum()


class WithEverything(Entropy):
    strong_convexity = 1.0
    called = ()

    def __init__(self):
        self.called = []

    def gradient(self, p):
        self.called.append("gradient")
        return np.log(p) + 1

    def jvp(self, theta, prediction, v):
        self.called.append("jvp")
        return prediction * (v - prediction @ v)

    def prox(self, eta, tau):
        self.called.append("prox")
        return fenchel.prox(eta, "softmax", tau)

    def margin(self, d):
        self.called.append("margin")
        return None


class Log(fenchel.CustomRegularizer):
    """Poisson's Ω on the cone."""

    domain = "cone"

    def value(self, mu):
        return float(np.sum(np.where(mu > 0, mu * np.log(np.maximum(mu, 1e-300)), 0) - mu))

    def predict(self, theta):
        return np.exp(theta)


class Apart(fenchel.CustomPolytope):
    """Subsets of d items in a row without neighbours, by enumeration."""

    def __init__(self, d):
        self.dimension = d
        self.all = np.array([y for y in itertools.product((0.0, 1.0), repeat=d)
                             if not any(a and b for a, b in zip(y, y[1:]))])

    def map(self, theta):
        return self.all[np.argmax(self.all @ theta)]


class ApartWithEverything(Apart):
    def probabilities(self, theta):
        scores = self.all @ theta
        log_partition = np.logaddexp.reduce(scores)
        return np.exp(scores - log_partition), log_partition

    def marginals(self, theta):
        p, log_partition = self.probabilities(theta)
        return p @ self.all, log_partition

    def k_best(self, theta, k):
        return self.all[np.argsort(-(self.all @ theta), kind="stable")[:k]]

    def sample(self, theta, count, seed):
        return self.all[np.random.default_rng(seed).choice(len(self.all), count, p=self.probabilities(theta)[0])]


class Units(fenchel.CustomPolytope):
    """The unit matrices of 2 × 3: a simplex in a matrix."""

    shape = (2, 3)

    def map(self, theta):
        assert theta.shape == (2, 3)
        return np.eye(6)[theta.argmax()].reshape(2, 3)


THETA = np.random.default_rng(0).normal(size=(30, 5))
LABELS = np.random.default_rng(1).integers(0, 5, size=30)


class SameAsBuiltIn(unittest.TestCase):
    def check(self, own, built_in, theta=THETA, y=LABELS, predict=1e-10, jvp=1e-6):
        for threads in (1, 2):
            def close(operation, *arguments, tolerance):
                np.testing.assert_allclose(operation(*arguments, own, n_threads=threads),
                                           operation(*arguments, built_in, n_threads=threads), atol=tolerance)

            close(fenchel.predict, theta, tolerance=predict)
            close(fenchel.loss, theta, y, tolerance=predict)
            close(fenchel.gradient, theta, y, tolerance=predict)
            close(fenchel.jvp, theta, np.cos(theta), tolerance=jvp)
            prox = fenchel.prox(theta, own, 0.7, n_threads=threads)
            np.testing.assert_allclose(prox, fenchel.prox(theta, built_in, 0.7), atol=1e-6)
        difference = fenchel.conjugate(theta, own) - fenchel.conjugate(theta, built_in)
        np.testing.assert_allclose(difference, difference[0], atol=1e-9)  # the same up to a constant of Ω

    def test_regularizers(self):
        self.check(Ridge(), "sparsemax")
        self.check(RidgeByValue(), "sparsemax", predict=1e-7, jvp=1e-2)
        self.check(Entropy(), "softmax")
        self.check(WithEverything(), "softmax")
        self.check(Ridge("cube"), fenchel.SparseMap(fenchel.Cube(5)), y=(THETA > 0).astype(float))
        self.check(Ridge("cone"), "relu", y=np.abs(THETA))
        self.check(Ridge("reals"), "squared", y=THETA[::-1])
        self.check(Log(), "poisson", y=np.abs(THETA))

    def test_over_a_polytope(self):
        tree = fenchel.Arborescence(3)
        theta = np.random.default_rng(2).normal(size=(4, 3, 3))
        y = tree.encode([[-1, 0, 1]] * 4)
        self.check(Ridge(tree), fenchel.SparseMap(tree), theta, y, predict=1e-5, jvp=1e-2)
        self.assertEqual(fenchel.predict(theta, Ridge(tree)).shape, (4, 3, 3))
        with self.assertRaisesRegex(ValueError, "entries|sum|structure|y"):
            fenchel.loss(theta, np.zeros((4, 3, 3)), Ridge(tree))

    def test_separable(self):
        square = fenchel.Separable(lambda t: t * t / 2, lambda t: t)
        self.check(square, "sparsemax")
        self.check(fenchel.Separable(lambda t: t * t / 2, lambda t: t, lambda x: x), "sparsemax")
        self.assertAlmostEqual(fenchel.margin(square, 3), 1)
        with self.assertRaisesRegex(ValueError, "strictly convex"):
            fenchel.predict(THETA, fenchel.Separable(lambda t: t, lambda t: 1.0))
        with self.assertRaisesRegex(TypeError, "g_prime is None"):
            fenchel.Separable(lambda t: t, None)

    def test_optional_methods_are_used(self):
        omega = WithEverything()
        fenchel.jvp(THETA[0], THETA[1], omega)
        fenchel.prox(THETA[0], omega)
        self.assertIsNone(fenchel.margin(omega, 3))
        self.assertEqual(set(omega.called), {"jvp", "prox", "margin"})
        self.assertEqual(omega.strong_convexity, 1.0)
        self.assertAlmostEqual(fenchel.margin(Ridge(), 3), 1, places=5)

    def test_masks_ragged_and_single_precision(self):
        masked = [0.0, -np.inf, 1.0]
        np.testing.assert_allclose(fenchel.predict(masked, Entropy()), fenchel.softmax(masked))
        np.testing.assert_allclose(fenchel.predict([0.0, -np.inf, 0.5], Ridge()), [0.25, 0, 0.75])
        rows = [THETA[0], THETA[1, :3]]
        for result, row in zip(fenchel.predict(rows, [Entropy(), Ridge()], n_threads=2), rows):
            self.assertEqual(result.shape, row.shape)
        self.assertEqual(fenchel.predict(THETA.astype(np.float32), Entropy()).dtype, np.float32)
        self.assertIn("user-defined", fenchel.explain(Entropy()))


class Structures(unittest.TestCase):
    def test_every_omega_over_a_set_of_ones_own(self):
        theta = np.array([0.6, 0.8, 0.5, 0.1, 0.9])
        plain, full = Apart(5), ApartWithEverything(5)
        mu = fenchel.predict(theta, fenchel.SparseMap(plain))
        self.assertLess(((plain.all - mu) @ (theta - mu)).max(), 1e-9)  # optimality of the projection
        np.testing.assert_array_equal(fenchel.predict(theta, fenchel.Map(plain)), plain.map(theta))
        warm = fenchel.predict(theta, fenchel.Marginal(full, temperature=2.0))
        np.testing.assert_allclose(warm, full.marginals(theta / 2)[0])
        for omega in (fenchel.Entropic(plain), fenchel.StructuredSparsemax(full), fenchel.Conic(plain),
                      fenchel.MaximumEntropy(full, fenchel.Tsallis(2.0))):
            self.assertTrue(np.isfinite(fenchel.predict(theta, omega)).all())
        y = np.array([0, 1.0, 0, 0, 1])
        value, slope = fenchel.value_and_gradient(theta, y, fenchel.SparseMap(plain))
        self.assertGreater(value, 0)
        np.testing.assert_allclose(slope, mu - y)
        omegas = [fenchel.SparseMap(Apart(5)), fenchel.SparseMap(Apart(3))]
        ragged = fenchel.predict([theta, theta[:3]], omegas, n_threads=2)
        np.testing.assert_allclose(ragged[0], mu)
        with self.assertRaisesRegex(ValueError, "no method marginals"):
            fenchel.Marginal(plain)

    def test_distribution(self):
        full = ApartWithEverything(4)
        theta = np.random.default_rng(3).normal(size=(6, 4))
        one, two = (full.distribution(theta, n_threads=threads) for threads in (1, 2))
        np.testing.assert_array_equal(one.marginals, two.marginals)
        np.testing.assert_allclose(one.marginals[2], full.marginals(theta[2])[0])
        np.testing.assert_array_equal(one.map, one.k_best(3).structures[:, 0])
        np.testing.assert_allclose(np.exp(one.log_prob(np.broadcast_to(full.all, (6, *full.all.shape)))).sum(-1), 1)
        np.testing.assert_array_equal(one.sample(9, 1), two.sample(9, 1))
        with self.assertRaisesRegex(ValueError, "not a structure"):
            one.log_prob(np.ones((6, 4)))

    def test_shape(self):
        theta = np.random.default_rng(4).normal(size=(3, 2, 3))
        mu = fenchel.predict(theta, fenchel.SparseMap(Units()))
        np.testing.assert_allclose(mu.reshape(3, 6), fenchel.sparsemax(theta.reshape(3, 6)), atol=1e-9)


class Lifetimes(unittest.TestCase):
    def test_pickles(self):
        omega = pickle.loads(pickle.dumps(Ridge("cube")))
        np.testing.assert_array_equal(fenchel.predict(THETA, omega), fenchel.predict(THETA, Ridge("cube")))
        over = fenchel.SparseMap(Apart(5), temperature=2.0)
        again = pickle.loads(pickle.dumps(over))
        np.testing.assert_array_equal(fenchel.predict(THETA, again), fenchel.predict(THETA, over))
        self.assertEqual(repr(Ridge("cube")), "Ridge(domain='cube')")
        self.assertNotEqual(Ridge(), Ridge())

    def test_nothing_is_kept_alive(self):
        omega, polytope = Ridge(), Apart(5)
        over = fenchel.SparseMap(polytope)
        fenchel.predict(THETA, omega, n_threads=2)
        fenchel.predict(THETA, over, n_threads=2)
        gone = weakref.ref(omega), weakref.ref(polytope)
        del omega, polytope, over
        self.assertEqual([reference() for reference in gone], [None, None])

    def test_many_python_threads(self):
        theta = np.tile(THETA, (70, 1))  # enough rows for blocks on several threads
        expected = fenchel.predict(theta, Entropy())
        wrong = []

        def work():
            for _ in range(2):
                if not np.array_equal(fenchel.predict(theta, Entropy(), n_threads=2), expected):
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
        self.assertEqual(wrong, [])

    def test_callbacks_may_use_the_library(self):
        class Nested(fenchel.CustomRegularizer):
            def value(self, mu):
                return fenchel.value(mu, "sparsemax")

            def predict(self, theta):
                return fenchel.sparsemax(np.tile(theta, (50, 1)), n_threads=2)[0]

        np.testing.assert_array_equal(fenchel.predict(THETA, Nested(), n_threads=2), fenchel.sparsemax(THETA))


if __name__ == "__main__":
    unittest.main()
