# SPDX-License-Identifier: Apache-2.0
"""What lp-sparsemap's tests look at: logic factors, as the hull of the structures that they allow, and negated variables."""
import itertools
import unittest

import fenchel
import numpy as np
from scipy.optimize import nnls

D, BUDGET = 5, 3
ALLOWED = {
    "or": lambda u: u.sum() >= 1,
    "xor": lambda u: u.sum() == 1,
    "at most one": lambda u: u.sum() <= 1,
    "budget": lambda u: u.sum() <= BUDGET,
    "or out": lambda u: u[:-1].any() == u[-1],
}
OPTIMAL = 1e-8  # what is left of the inequalities of a projection, for scores up to 100


class Vertices(fenchel.CustomPolytope):
    def __init__(self, points):
        super().__init__()
        self.points, self.dimension = points, points.shape[1]

    def map(self, theta):
        return self.points[(self.points @ theta).argmax()]


def scores():
    rng = np.random.default_rng(0)
    for base in (0.0, 100.0, -100.0):
        for value in (base, 1.0, 100.0, -1.0, -100.0):
            theta = np.full(D, base)
            theta[rng.integers(D)] = value
            yield theta
    yield from rng.normal(size=(10, D))


class Factors(unittest.TestCase):
    def test_best_structures_and_projections(self):
        every = np.array(list(itertools.product((0.0, 1.0), repeat=D)))
        for (name, allowed), negated in itertools.product(ALLOWED.items(), ([], [1, 2], [-1])):
            flipped = every.copy()
            flipped[:, negated] = 1 - flipped[:, negated]
            points = every[[bool(allowed(u)) for u in flipped]]
            for theta, degrees in itertools.product(scores(), (np.ones(D), np.arange(1.0, D + 1))):
                hull = points / np.sqrt(degrees)
                with self.subTest(factor=name, negated=negated, theta=theta.tolist(), degrees=degrees.tolist()):
                    best = fenchel.predict(theta, fenchel.Map(Vertices(hull)))
                    self.assertAlmostEqual(theta @ best, (hull @ theta).max())
                    mu = fenchel.predict(theta, fenchel.SparseMap(Vertices(hull)))
                    _, outside = nnls(np.vstack([hull.T, np.ones(len(hull))]), np.append(mu, 1))
                    self.assertLess(outside, OPTIMAL)                             # μ is in the hull,
                    self.assertLess(((hull - mu) @ (theta - mu)).max(), OPTIMAL)  # and nothing there is nearer to θ

    def test_sets_with_a_name(self):
        """Factors over which the projection is known in closed form: the simplex, and no factor at all."""
        for theta in scores():
            one = fenchel.predict(theta, fenchel.SparseMap(Vertices(np.eye(D))))
            np.testing.assert_allclose(one, fenchel.sparsemax(theta), atol=1e-9)
            free = fenchel.predict(theta, fenchel.SparseMap(fenchel.Cube(D)))
            np.testing.assert_array_equal(free, np.clip(theta, 0, 1))


if __name__ == "__main__":
    unittest.main()
