# SPDX-License-Identifier: Apache-2.0
"""Regularizers and polytopes as values: equal ones hash alike, survive pickling, and do not change."""
import copy
import pickle
import unittest

import fenchel
import numpy as np

OBJECTS = (fenchel.Tsallis(2), fenchel.PairwiseHinge(), fenchel.PairwiseHinge(costs=[[0, 1], [2, 0]]),
           fenchel.Shannon(cost=[0, 1]), fenchel.SparseMap(fenchel.Simplex(3)), fenchel.Permutahedron([1, 2, 3]),
           fenchel.Alignment(3, 3), fenchel.Chain(3, 2), fenchel.Norm(float("inf")), fenchel.Regularizer.from_spec("sparsemax"))


class OneOfThree(fenchel.CustomPolytope):
    dimension = 3

    def map(self, theta):
        return np.eye(3)[theta.argmax()]


class Values(unittest.TestCase):
    def same(self, one, other):
        self.assertEqual(one, other)
        self.assertEqual(hash(one), hash(other))
        self.assertEqual(len({one, other}), 1)

    def test_equal_ones_hash_alike(self):
        self.same(fenchel.Tsallis(2), fenchel.Tsallis(2.0))
        self.same(fenchel.Chain(3, 2, boundary=True), fenchel.Chain(3, 2, boundary=1))
        self.same(fenchel.Permutahedron([1, 2]), fenchel.Permutahedron(np.array([1.0, 2.0])))
        self.same(fenchel.SparseMap(fenchel.Simplex(3)), fenchel.SparseMap({"d": 3, "name": "simplex"}))
        self.same(fenchel.PairwiseHinge(), fenchel.Regularizer.from_spec({"name": "pairwise_hinge"}))
        self.same(fenchel.Tsallis(2.0), fenchel.Regularizer.from_spec("sparsemax"))
        own = OneOfThree()
        self.same(fenchel.SparseMap(own, temperature=2), fenchel.SparseMap(own, temperature=2.0))
        self.assertNotEqual(fenchel.SparseMap(own), fenchel.SparseMap(OneOfThree()))
        self.assertNotEqual(fenchel.Tsallis(1.5), fenchel.Tsallis(2))
        self.assertNotEqual(fenchel.PairwiseHinge(), fenchel.PairwiseHinge(costs=[[0, 1], [2, 0]]))
        self.assertNotEqual(fenchel.Simplex(3), own)
        self.assertNotEqual(fenchel.Simplex(3), "simplex:d=3")

    def test_copies(self):
        for given in OBJECTS:
            for again in (pickle.loads(pickle.dumps(given)), copy.copy(given), copy.deepcopy(given)):
                with self.subTest(given):
                    self.same(again, given)
                    self.assertEqual(again.spec, given.spec)

    def test_they_do_not_change(self):
        nested = fenchel.SparseMap(fenchel.Simplex(3))
        nested.spec["polytope"]["d"] = 5
        nested.polytope["d"] = 5
        self.assertEqual(nested.spec["polytope"]["d"], 3)
        self.assertEqual(nested, fenchel.SparseMap(fenchel.Simplex(3)))
        weights = fenchel.Permutahedron([1, 2, 3])
        weights.w.append(7)
        weights.spec["w"].append(7)
        self.assertEqual(weights.w, [1, 2, 3])
        given = {"name": "simplex", "d": 3}
        omega = fenchel.SparseMap(given)
        given["d"] = 5
        self.assertEqual(omega.polytope["d"], 3)


if __name__ == "__main__":
    unittest.main()
