# SPDX-License-Identifier: Apache-2.0
"""Structures of any set in scikit-learn."""
import pathlib
import pickle
import tempfile
import unittest

import numpy as np

try:
    from fenchel.sklearn import StructuredPredictor, load
    from scipy.sparse import csr_matrix
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV
except ImportError as error:
    raise unittest.SkipTest(f"scikit-learn is missing: {error}")

import fenchel

RNG = np.random.default_rng(3)
X = RNG.normal(size=(40, 5))
SCORES = X @ RNG.normal(size=(5, 9))
SET = fenchel.Birkhoff(3)
Y = fenchel.predict(SCORES.reshape(-1, 3, 3), fenchel.Map(SET))


class TopTwo(fenchel.CustomPolytope):
    """The two best of five, written in Python."""

    dimension = 5

    def map(self, theta):
        y = np.zeros(5)
        y[np.argsort(-theta, kind="stable")[:2]] = 1
        return y


class Structured(unittest.TestCase):
    def test_every_omega_and_solver(self):
        for omega, solver in (("sparsemap", "auto"), ("sparsemap", "dual_ascent"), ("hinge", "auto"), ("hinge", "frank_wolfe"),
                              ("perceptron+margin", "auto"), ("entropic", "lbfgs"), ("sparsemap", "saga")):
            with self.subTest(omega=omega, solver=solver):
                predictor = StructuredPredictor(omega, polytope=SET, reg_lambda=0.1, solver=solver, max_iter=3000,
                                                tol=1e-4).fit(X, Y)
                self.assertEqual(predictor.predict(X).shape, Y.shape)
                self.assertGreater(predictor.score(X, Y), 0.8)
                np.testing.assert_allclose(predictor.predict_marginals(X).sum(axis=(1, 2)), 3, atol=1e-6)

    def test_forms_of_the_same_model(self):
        expected = StructuredPredictor("sparsemap", polytope=SET).fit(X, Y).coef_
        flat = Y.reshape(len(Y), -1)
        for omega, polytope, y in ((fenchel.SparseMap(SET), None, Y), ("sparsemap", "birkhoff:n=3", flat),
                                   ({"name": "sparsemap", "polytope": SET.spec}, None, flat)):
            np.testing.assert_array_equal(StructuredPredictor(omega, polytope=polytope).fit(X, y).coef_, expected)
        np.testing.assert_allclose(StructuredPredictor("sparsemap", polytope=SET).fit(csr_matrix(X), Y).coef_, expected,
                                   atol=1e-5)

    def test_soft_targets_weights_and_costs(self):
        soft = 0.5 * Y + 0.5 / 3
        predictor = StructuredPredictor(polytope=SET, reg_lambda=0.1).fit(X, soft, sample_weight=np.ones(len(X)))
        self.assertGreater(predictor.score(X, Y), 0.8)
        self.assertGreater(predictor.score(X, soft), 0.8)
        hinge = StructuredPredictor("hinge", polytope=SET, solver="dual_ascent", tol=1e-8).fit(X, Y)
        ours = StructuredPredictor("map", polytope=SET, cost="hamming", solver="dual_ascent", tol=1e-8).fit(X, Y)
        self.assertAlmostEqual(hinge.objective_, ours.objective_, places=5)

    def test_a_set_of_ones_own(self):
        scores = X @ RNG.normal(size=(5, 5))
        y = np.array([TopTwo().map(row) for row in scores])
        own = StructuredPredictor("sparsemap", polytope=TopTwo(), reg_lambda=0.1).fit(X, y)
        same = StructuredPredictor("sparsemap", polytope=fenchel.KSubsets(5, 2), reg_lambda=0.1).fit(X, y)
        np.testing.assert_allclose(own.coef_, same.coef_, atol=1e-4)
        with self.assertRaisesRegex(TypeError, "written in Python"):
            pickle.dumps(own)

    def test_files_clones_and_grids(self):
        predictor = StructuredPredictor("sparsemap", polytope=SET, reg_lambda=0.3).fit(X, Y)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.safetensors"
            predictor.save(path)
            again = load(path)
        for other in (again, pickle.loads(pickle.dumps(predictor))):
            np.testing.assert_array_equal(other.predict(X), predictor.predict(X))
            self.assertEqual(other.polytope, SET)
        self.assertEqual(clone(predictor).polytope, SET)
        search = GridSearchCV(StructuredPredictor(polytope=SET), {"reg_lambda": [0.1, 10]}, cv=2).fit(X, Y.reshape(len(Y), -1))
        self.assertIn(search.best_params_["reg_lambda"], (0.1, 10))

    def test_mistakes(self):
        for arguments, y, message in ((("sparsemap",), Y, "polytope"), (("squared",), Y, "structures"),
                                      (("sparsemap", "birkhoff:n=2"), Y, "4"),
                                      (("sparsemap", SET), Y[:, 0, 0], "structure per row"),
                                      (("sparsemap", SET), Y + 1, "y|row"), ((fenchel.SparseMap(SET), SET), Y, "names one too")):
            with self.subTest(arguments=arguments), self.assertRaisesRegex(ValueError, message):
                StructuredPredictor(arguments[0], polytope=arguments[1] if len(arguments) > 1 else None).fit(X, y)


if __name__ == "__main__":
    unittest.main()
