# SPDX-License-Identifier: Apache-2.0
"""What InferOpt's and jaxopt's tests look at: predictions from a maximizer, losses that teach it, projections, gradients."""
import itertools
import unittest

import fenchel
import numpy as np

STEP, STEPS = 0.1, 400      # of plain gradient descent
DIFFERENCE = 1e-6           # of central differences, whose error is of the order of its square and of 1e-16 / 1e-6
SAME = 1e-6


class Paths(fenchel.CustomPolytope):
    """Monotone paths through a grid, from a maximizer: which is all that InferOpt asks for."""

    def __init__(self, n):
        super().__init__()
        self.shape = (n, n)
        walks = itertools.product((0, 1), repeat=2 * n - 2)
        self.paths = np.array([self.cells(n, turns) for turns in walks if sum(turns) == n - 1])

    @staticmethod
    def cells(n, turns):
        path, row, column = np.zeros((n, n)), 0, 0
        path[0, 0] = 1
        for down in turns:
            row, column = row + down, column + 1 - down
            path[row, column] = 1
        return path

    def map(self, theta):
        return self.paths[np.tensordot(self.paths, theta, 2).argmax()]


class Maximizers(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(0)

    def test_unit_vectors_and_ranks(self):
        theta = self.rng.normal(size=(20, 6))
        unit = fenchel.predict(theta, fenchel.Map(fenchel.Simplex(6)))
        np.testing.assert_array_equal(unit, np.eye(6)[theta.argmax(-1)])
        ranks = fenchel.predict(theta, fenchel.Map(fenchel.Permutahedron([6.0, 5.0, 4.0, 3.0, 2.0, 1.0])))
        np.testing.assert_array_equal(ranks, np.argsort(np.argsort(theta, -1), -1) + 1.0)

    def test_a_set_of_ones_own(self):
        grid = Paths(4)
        for theta in self.rng.normal(size=(10, 4, 4)):
            best = fenchel.predict(theta, fenchel.Map(grid))
            self.assertAlmostEqual((theta * best).sum(), np.tensordot(grid.paths, theta, 2).max())
            mu = fenchel.predict(theta, fenchel.SparseMap(grid))
            self.assertLess(np.tensordot(grid.paths - mu, theta - mu, 2).max(), SAME)
            self.assertGreaterEqual(mu.min(), -SAME)
            self.assertAlmostEqual(mu.sum(), 7)  # the cells of a path

    def test_losses_are_those_of_the_definition(self):
        """L ≥ 0, 0 exactly at the prediction, and the gradient is ŷ(θ) − y."""
        grid = Paths(3)
        for omega in (fenchel.SparseMap(grid), fenchel.SparseMap(fenchel.Birkhoff(3)), fenchel.Marginal(fenchel.Arborescence(3))):
            for theta in self.rng.normal(size=(5, 3, 3)):
                mu = fenchel.predict(theta, omega)
                self.assertAlmostEqual(fenchel.loss(theta, mu, omega), 0, places=6)
                y = fenchel.predict(self.rng.normal(size=(3, 3)), omega)
                self.assertGreaterEqual(fenchel.loss(theta, y, omega), 0)
                gradient = fenchel.gradient(theta, y, omega)
                np.testing.assert_allclose(gradient, mu - y, atol=SAME)
                v = self.rng.normal(size=(3, 3))
                slope = (fenchel.loss(theta + DIFFERENCE * v, y, omega) - fenchel.loss(theta - DIFFERENCE * v, y, omega))
                self.assertAlmostEqual(slope / (2 * DIFFERENCE), (gradient * v).sum(), places=5)

    def test_a_loss_teaches_the_maximizer(self):
        """Scores linear in features are found again, so that the best structures are those of the teacher."""
        for polytope in (fenchel.Simplex(4), fenchel.Birkhoff(2)):
            teacher, features = self.rng.normal(size=(4, 3)), self.rng.normal(size=(60, 3))
            y = fenchel.predict(features @ teacher.T, fenchel.Map(polytope))
            weights = np.zeros((4, 3))
            for _ in range(STEPS):
                weights -= STEP * fenchel.gradient(features @ weights.T, y, fenchel.SparseMap(polytope)).T @ features / len(y)
            found = fenchel.predict(features @ weights.T, fenchel.Map(polytope))
            self.assertLess(np.abs(found - y).sum(-1).mean(), 0.2)

    def test_costs(self):
        """The structured hinge loss by enumeration: max over y' of cost + ⟨θ, y' − y⟩."""
        theta = self.rng.normal(size=(8, 5))
        y = self.rng.integers(5, size=8)
        hinge = fenchel.loss(theta, np.eye(5)[y], fenchel.Map(fenchel.Simplex(5)), cost="zero_one")
        own = theta[np.arange(8), y][:, None]
        np.testing.assert_allclose(hinge, (theta + (np.arange(5) != y[:, None]) - own).max(-1))


class Projections(unittest.TestCase):
    """jaxopt's: the nearest point of a set satisfies ⟨θ − μ, z − μ⟩ ≤ 0 for all z of it."""

    def test_sets(self):
        rng = np.random.default_rng(1)
        matrices = np.array([np.eye(3)[list(order)] for order in itertools.permutations(range(3))]).reshape(6, 9)
        subsets = np.array([u for u in itertools.product((0.0, 1.0), repeat=5) if sum(u) == 2])
        orders = np.array(list(itertools.permutations((3.0, 2.0, 1.0))))
        cases = ((fenchel.Simplex(5), np.eye(5)), (fenchel.Cube(4), np.array(list(itertools.product((0.0, 1.0), repeat=4)))),
                 (fenchel.KSubsets(5, 2), subsets), (fenchel.Birkhoff(3), matrices),
                 (fenchel.Permutahedron([3.0, 2.0, 1.0]), orders))
        for polytope, vertices in cases:
            for theta in 3 * rng.normal(size=(10, vertices.shape[1])):
                mu = np.ravel(fenchel.predict(theta, fenchel.SparseMap(polytope)))
                self.assertLess(((vertices - mu) @ (theta - mu)).max(), SAME)
                again = np.ravel(fenchel.predict(mu, fenchel.SparseMap(polytope)))
                np.testing.assert_allclose(again, mu, atol=SAME)  # so it is in the set

    def test_transport(self):
        rng = np.random.default_rng(2)
        a, b = np.array([0.2, 0.3, 0.5]), np.array([0.6, 0.4])
        cost = rng.uniform(size=(3, 2))
        plan = fenchel.sinkhorn(cost, a, b, 0.1)
        np.testing.assert_allclose(plan.sum(1), a, atol=1e-9)
        np.testing.assert_allclose(plan.sum(0), b, atol=1e-9)
        potentials = 0.1 * np.log(plan) + cost  # u_i + v_j at the optimum
        np.testing.assert_allclose(potentials - potentials[:1] - potentials[:, :1] + potentials[0, 0], 0, atol=1e-7)

    def test_derivatives(self):
        rng = np.random.default_rng(3)
        for omega in (fenchel.Shannon(), fenchel.Tsallis(1.5), fenchel.SparseMap(fenchel.Simplex(4)),
                      fenchel.Marginal(fenchel.KSubsets(4, 2))):
            theta, v = rng.normal(size=4), rng.normal(size=4)
            forward, back = (fenchel.predict(theta + s * DIFFERENCE * v, omega) for s in (1, -1))
            np.testing.assert_allclose(fenchel.jvp(theta, v, omega), (forward - back) / (2 * DIFFERENCE), atol=1e-6)


if __name__ == "__main__":
    unittest.main()
