# SPDX-License-Identifier: Apache-2.0
"""Regularizers and polytopes as values: equal ones hash alike, survive pickling, and do not change."""
import copy
import pickle
import unittest
from decimal import Decimal
from fractions import Fraction

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


class Parameters(unittest.TestCase):
    def test_numbers_of_other_types(self):
        self.assertEqual(fenchel.Tsallis(Decimal("1.5")), fenchel.Tsallis(1.5))
        self.assertEqual(fenchel.predict([1.0, 0.0], {"name": "tsallis", "alpha": Fraction(3, 2)}).tolist(),
                         fenchel.predict([1.0, 0.0], "entmax15").tolist())
        self.assertEqual(fenchel.Permutahedron(range(3)), fenchel.Permutahedron([Decimal(0), Fraction(1), 2]))
        self.assertEqual(fenchel.Norm(Decimal("Infinity")), fenchel.Norm(float("inf")))

    def test_errors_name_the_parameter(self):
        nan = float("nan")
        for make, error, message in (
                (lambda: fenchel.Tsallis(len), TypeError, "alpha is <built-in function len>; expected a number"),
                (lambda: fenchel.Tsallis(b"1.5"), TypeError, "alpha is b'1.5'; expected"),
                (lambda: fenchel.Tsallis(Decimal("NaN")), ValueError, "alpha is nan; expected a real number"),
                (lambda: fenchel.Tsallis(1.5, temperature={1}), TypeError, "temperature is {1}; expected"),
                (lambda: fenchel.Tsallis(1.5, cost=[1, nan]), ValueError, r"cost\[1\] is nan; expected"),
                (lambda: fenchel.Permutahedron(i for i in (1, 2)), TypeError, "w is <generator"),
                (lambda: fenchel.Permutahedron([1, nan]), ValueError, r"w\[1\] is nan; expected a real number"),
                (lambda: fenchel.Permutahedron(np.array([1j])), ValueError, r"w\[0\] is 1j; expected a real number"),
                (lambda: fenchel.SparseMap({"name": "arborescence", "n": {3}}), TypeError, "n is {3}; expected"),
                (lambda: fenchel.predict([1.0], {"name": "tsallis", "alpha": nan}), ValueError, "alpha is nan; expected"),
                (lambda: fenchel.Arborescence(10**18), ValueError, r"n is 1000000000000000000; expected a whole number <= 2\^53"),
                (lambda: fenchel.loss([1.0, 2.0], 0, "softmax", cost=int), TypeError, "cost has dtype object"),
                (lambda: fenchel.read_conllu(None), TypeError, "paths is None; expected a path"),
                (lambda: fenchel.read_conllu([3]), TypeError, "paths has the entry 3; expected a path")):
            with self.subTest(message), self.assertRaisesRegex(error, "^" + message.replace("{", r"\{")):
                make()

    def test_texts_with_parameters(self):
        self.assertEqual(fenchel.Regularizer("tsallis:alpha=1.5"), fenchel.Tsallis(1.5))
        self.assertEqual(fenchel.Regularizer("tsallis:alpha=1.5", temperature=2), fenchel.Tsallis(1.5, temperature=2))
        self.assertEqual(fenchel.Regularizer("norm:q=inf"), fenchel.Norm(float("inf")))
        self.assertEqual(fenchel.Regularizer("sparsemap:polytope=arborescence:n=3").polytope["n"], 3)
        self.assertEqual(fenchel.Polytope("sequence:n=3,m=2"), fenchel.Sequence(3, 2))
        self.assertEqual(fenchel.Polytope("arborescence:n=3", single_root=True), fenchel.Arborescence(3, single_root=True))
        self.assertEqual(repr(fenchel.Regularizer("tsallis:alpha=1.5")), "Regularizer('tsallis', alpha=1.5)")
        for given in (fenchel.Regularizer("tsallis:alpha=1.5"), fenchel.Polytope("sequence:n=3,m=2")):
            self.assertEqual(pickle.loads(pickle.dumps(given)), given)
        for make, error, message in (
                (lambda: fenchel.Regularizer("tsallis:alpha=1.5", alpha=2), TypeError, "alpha is given twice: in the text"),
                (lambda: fenchel.Polytope("arborescence:n=3", n=3), TypeError, "n is given twice"),
                (lambda: fenchel.Regularizer("tsallis:beta=1.5"), ValueError, "tsallis has no parameter 'beta'"),
                (lambda: fenchel.Polytope("sequence:n=3"), ValueError, "sequence needs m"),
                (lambda: fenchel.Regularizer(None), TypeError, "name is None; expected a text"),
                (lambda: fenchel.Polytope({"name": "simplex", "d": 3}), TypeError, "name is {'name': 'simplex', 'd': 3}")):
            with self.subTest(message), self.assertRaisesRegex(error, "^" + message.replace("{", r"\{")):
                make()


if __name__ == "__main__":
    unittest.main()
