# SPDX-License-Identifier: Apache-2.0
"""What estimators of rows promise beyond scikit-learn's own checks."""
import contextlib
import copy
import io
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings

import numpy as np

try:
    import _thread

    import joblib
    import scipy.sparse
    from sklearn import config_context
    from sklearn.base import clone
    from sklearn.datasets import load_digits, load_iris
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from fenchel.sklearn import (FenchelYoungClassifier, FenchelYoungMultilabel, FenchelYoungProportions,
                                 FenchelYoungRegressor, LabelRanker, load)
except ImportError as error:
    raise unittest.SkipTest(f"scikit-learn is missing: {error}")

import fenchel

X, Y = load_iris(return_X_y=True)
X = StandardScaler().fit_transform(X)
DIGITS, DIGIT = (part[:600] for part in load_digits(return_X_y=True))
DIGITS = DIGITS / 16


class Optima(unittest.TestCase):
    def test_logistic_regression(self):
        peer = LogisticRegression(C=2.0, tol=1e-10, max_iter=10000).fit(X, Y)
        ours = FenchelYoungClassifier("logistic", reg_lambda=0.5, tol=1e-12).fit(X, Y)
        np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-4)
        np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-4)

    def test_two_classes_have_two_rows(self):
        y = Y == 1
        peer = LogisticRegression(C=1.0, tol=1e-10, max_iter=10000).fit(X, y)
        ours = FenchelYoungClassifier("logistic", reg_lambda=2.0, tol=1e-12).fit(X, y)  # λ/2 for each of two rows
        self.assertEqual(ours.coef_.shape, (2, 4))
        np.testing.assert_allclose(ours.coef_[[1]] - ours.coef_[[0]], peer.coef_, atol=1e-4)
        np.testing.assert_allclose(ours.decision_function(X), peer.decision_function(X), atol=1e-3)

    def test_ridge(self):
        y = X @ [[1.0, 0.5], [0.0, 1.0], [2.0, 0.0], [0.0, 0.0]] + 3
        peer = Ridge(alpha=0.7).fit(X, y)
        ours = FenchelYoungRegressor("squared", reg_lambda=0.7, tol=1e-14).fit(X, y)
        np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-6)
        np.testing.assert_allclose(ours.intercept_, peer.intercept_, atol=1e-6)
        self.assertEqual(FenchelYoungRegressor().fit(X, y[:, 0]).coef_.shape, (4,))

    def test_coefficients_of_scaled_features(self):
        shifted = 5 + X * [1, 10, 100, 0.1]
        for scale in ("standard", "maxabs"):
            ours = FenchelYoungClassifier(scale=scale).fit(shifted, Y)
            np.testing.assert_allclose(shifted @ ours.coef_.T + ours.intercept_, ours.decision_function(shifted), atol=1e-9)
        np.testing.assert_allclose(FenchelYoungClassifier(scale="standard").fit(shifted, Y).predict_proba(shifted),
                                   FenchelYoungClassifier(tol=1e-8).fit(X, Y).predict_proba(X), atol=1e-3)

    def test_sparse_predictions(self):
        p = FenchelYoungClassifier("sparsemax", reg_lambda=0.1).fit(X, Y).predict_proba(X)
        np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-12)
        self.assertGreater((p == 0).sum(), 100)

    def test_intercepts(self):
        self.assertFalse(FenchelYoungClassifier(fit_intercept=False).fit(X, Y).intercept_.any())
        free = FenchelYoungClassifier(fit_intercept="free", reg_lambda=10.0).fit(X, Y).intercept_
        penalised = FenchelYoungClassifier(fit_intercept="penalised", reg_lambda=10.0).fit(X, Y).intercept_
        self.assertGreater(np.abs(free).sum(), np.abs(penalised).sum())

    def test_penalties(self):
        self.assertGreater((FenchelYoungClassifier(penalty="l1", reg_lambda=8.0).fit(DIGITS, DIGIT).coef_ == 0).mean(), 0.5)
        grouped = FenchelYoungClassifier(penalty="group_lasso", reg_lambda=8.0).fit(DIGITS, DIGIT).coef_
        self.assertTrue(((grouped == 0).all(axis=0) | (grouped != 0).all(axis=0)).all())


class Weights(unittest.TestCase):
    def test_sample_weights_repeat(self):
        weight = np.random.default_rng(0).integers(0, 4, size=len(Y))
        repeated = np.repeat(np.arange(len(Y)), weight)
        rows = np.eye(3)[Y] * 0.5 + 1 / 6
        for estimator, y in ((FenchelYoungClassifier(tol=1e-12), Y), (FenchelYoungProportions(tol=1e-12), rows),
                             (FenchelYoungClassifier(class_weight="balanced", tol=1e-12), Y),
                             (FenchelYoungMultilabel(tol=1e-12), np.eye(3)[Y]),
                             (FenchelYoungRegressor(tol=1e-14), X[:, 0] * 2 + Y)):
            with self.subTest(estimator):
                one = clone(estimator).fit(X, y, sample_weight=weight)
                two = clone(estimator).fit(X[repeated], y[repeated])
                np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-4)

    def test_class_weights(self):
        by_class = {"setosa": 2.0, "virginica": 0.5}
        names = np.array(["setosa", "versicolor", "virginica"])[Y]
        one = FenchelYoungClassifier(class_weight=by_class).fit(X, names)
        two = FenchelYoungClassifier().fit(X, names, sample_weight=np.array([2.0, 1.0, 0.5])[Y])
        np.testing.assert_array_equal(one.coef_, two.coef_)
        few = np.flatnonzero((Y != 1) | (np.arange(len(Y)) % 5 == 0))
        counts = np.bincount(Y[few])
        balanced = FenchelYoungClassifier(class_weight="balanced").fit(X[few], Y[few])
        given = FenchelYoungClassifier(class_weight={k: len(few) / (3 * counts[k]) for k in range(3)}).fit(X[few], Y[few])
        np.testing.assert_allclose(balanced.coef_, given.coef_, atol=1e-9)
        for wrong in ({"rosa": 1.0}, {"setosa": -1.0}, "balnced", 3):
            with self.assertRaisesRegex(ValueError, "class_weight"):
                FenchelYoungClassifier(class_weight=wrong).fit(X, names)

    def test_wrong_sample_weights(self):
        for wrong in (np.full(len(Y), -1.0), np.full(len(Y), np.nan), np.ones(3), np.zeros(len(Y))):
            with self.assertRaises(ValueError):
                FenchelYoungClassifier().fit(X, Y, sample_weight=wrong)


class Inputs(unittest.TestCase):
    def test_sparse_is_dense(self):
        dense = FenchelYoungClassifier(tol=1e-10).fit(DIGITS, DIGIT)
        for kind in (scipy.sparse.csr_array, scipy.sparse.csr_matrix, scipy.sparse.csc_array, scipy.sparse.coo_matrix):
            sparse = FenchelYoungClassifier(tol=1e-10).fit(kind(DIGITS), DIGIT)
            np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-3)
            np.testing.assert_allclose(sparse.predict_proba(kind(DIGITS)), dense.predict_proba(DIGITS), atol=1e-4)
        unsorted = scipy.sparse.csr_array(DIGITS)
        unsorted.indices[:2] = unsorted.indices[1::-1].copy()
        unsorted.data[:2] = unsorted.data[1::-1].copy()
        unsorted.has_sorted_indices = unsorted.has_canonical_format = False
        before = unsorted.indices.copy()
        FenchelYoungClassifier().fit(unsorted, DIGIT)
        np.testing.assert_array_equal(unsorted.indices, before)

    def test_hostile_csr(self):
        wrong = scipy.sparse.csr_array(DIGITS)
        wrong.indptr[-1] += 1000
        with self.assertRaises(ValueError):
            FenchelYoungClassifier().fit(wrong, DIGIT)

    def test_single_precision(self):
        single = FenchelYoungClassifier().fit(DIGITS.astype(np.float32), DIGIT)
        double = FenchelYoungClassifier().fit(DIGITS, DIGIT)
        np.testing.assert_allclose(single.predict_proba(DIGITS.astype(np.float32)), double.predict_proba(DIGITS), atol=1e-2)

    def test_threads_give_the_same_bits(self):
        for omega in ("logistic", "hinge"):
            one = FenchelYoungClassifier(omega, n_jobs=1).fit(DIGITS, DIGIT)
            two = FenchelYoungClassifier(omega, n_jobs=2).fit(DIGITS, DIGIT)
            np.testing.assert_array_equal(one.coef_, two.coef_)
        with self.assertRaisesRegex(ValueError, "n_jobs is 0"):
            FenchelYoungClassifier(n_jobs=0).fit(X, Y)

    def test_wrong_targets(self):
        good = np.full((len(X), 3), 1 / 3)
        for change, message in ((-0.1, "-0.1"), (np.nan, "nan"), (0.9, "sums to")):
            wrong = good.copy()
            wrong[4, 1] = change
            with self.assertRaisesRegex(ValueError, message):
                FenchelYoungProportions().fit(X, wrong)
        with self.assertRaisesRegex(ValueError, r"y\[0, 1\] is 2"):
            FenchelYoungMultilabel().fit(X, np.tile([0, 2, 1], (len(X), 1)))
        for ragged in ([[1.0], [0.5, 0.5]] * 75, [[0.5, "b"]] * 150):
            with self.assertRaises(ValueError):
                FenchelYoungProportions().fit(X, ragged)
        with self.assertRaisesRegex(ValueError, "y"):
            FenchelYoungRegressor("poisson").fit(X, -np.ones(len(X)))
        with self.assertRaisesRegex(ValueError, "twice"):
            LabelRanker(targets="orders").fit(X[:1], [["a", "a"]])
        ranker = LabelRanker(targets="orders").fit(X[:2], [["a", "b"], ["b", "a"]])
        with self.assertRaisesRegex(ValueError, "label 'q'"):
            ranker.score(X[:1], [["q", "a"]])
        with self.assertRaisesRegex(ValueError, "targets is"):
            LabelRanker(targets="places").fit(X, good)

    def test_wrong_parameters(self):
        for name, value in (("reg_lambda", -1.0), ("reg_lambda", float("nan")), ("tol", "small"), ("max_iter", 0),
                            ("max_iter", 2.5), ("rho", -1), ("solver", "newton"), ("penalty", "l3"), ("omega", "sparsmax"),
                            ("scale", "unit"), ("fit_intercept", "maybe"), ("kernel", "rfb")):
            with self.subTest(name), self.assertRaisesRegex(ValueError, name):
                FenchelYoungClassifier(**{name: value}).fit(X, Y)
        with self.assertRaisesRegex(TypeError, "omega is 3"):
            FenchelYoungClassifier(3).fit(X, Y)


class Training(unittest.TestCase):
    def test_warm_start(self):
        for scale in (None, "standard"):
            model = FenchelYoungClassifier(reg_lambda=0.1, scale=scale, warm_start=True, tol=1e-9).fit(DIGITS, DIGIT)
            cold, coefficients = model.n_iter_, model.coef_
            model.fit(DIGITS, DIGIT)
            self.assertLess(model.n_iter_, cold / 2)
            np.testing.assert_allclose(model.coef_, coefficients, atol=1e-3)
        with self.assertRaisesRegex(ValueError, "warm_start"):
            model.fit(DIGITS, DIGIT % 3)
        with self.assertRaisesRegex(ValueError, "features"):
            model.fit(DIGITS[:, :5], DIGIT)

    def test_not_converged(self):
        with self.assertWarnsRegex(ConvergenceWarning, "max_iter"):
            FenchelYoungClassifier(max_iter=2).fit(DIGITS, DIGIT)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for omega in ("logistic", "sparsemax", "hinge"):
                FenchelYoungClassifier(omega).fit(load_iris().data, Y)  # not scaled

    def test_report(self):
        hinge = FenchelYoungClassifier("hinge").fit(X, Y)
        self.assertEqual(hinge.solver_, "dual_ascent")
        self.assertLessEqual(hinge.dual_gap_, 1e-6 * hinge.objective_)
        self.assertTrue(any(remark.startswith("solver: dual_ascent") for remark in hinge.remarks_))
        self.assertIsNone(FenchelYoungClassifier(penalty="none", max_iter=5, tol=1.0).fit(X, Y).dual_gap_)

    def test_verbose(self):
        with contextlib.redirect_stderr(io.StringIO()) as printed:
            FenchelYoungClassifier(verbose=1).fit(X, Y)
        self.assertIn("[FenchelYoungClassifier] solver: lbfgs", printed.getvalue())
        self.assertIn("converged", printed.getvalue())

    def test_interrupt(self):
        timer = threading.Timer(0.5, _thread.interrupt_main)
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            FenchelYoungClassifier(solver="subgradient", tol=0, max_iter=10**9).fit(DIGITS, DIGIT)
        timer.join()

    def test_random_state(self):
        fits = [FenchelYoungClassifier(solver="saga", tol=1e-3, random_state=state).fit(X, Y).coef_ for state in (1, 1, 2)]
        np.testing.assert_array_equal(fits[0], fits[1])
        self.assertTrue((fits[0] != fits[2]).any())
        state = np.random.RandomState(0)
        FenchelYoungClassifier(random_state=state).fit(X, Y)


class Tools(unittest.TestCase):
    def test_no_probabilities(self):
        for omega in ("hinge", "perceptron", "one_vs_all_hinge", "squared"):
            with self.subTest(omega):
                self.assertFalse(hasattr(FenchelYoungClassifier(omega), "predict_proba"))
                self.assertFalse(hasattr(FenchelYoungClassifier(omega, penalty="l2", tol=0.01).fit(X, Y), "predict_proba"))
        self.assertFalse(hasattr(FenchelYoungMultilabel("hinge"), "predict_proba"))
        self.assertTrue(hasattr(FenchelYoungClassifier("softmax_margin"), "predict_proba"))

    def test_copies(self):
        model = FenchelYoungClassifier(fenchel.Tsallis(alpha=1.3)).fit(X, Y)
        fresh = clone(model)
        self.assertEqual(fresh.omega, model.omega)
        self.assertIsInstance(fresh.omega, fenchel.Tsallis)
        self.assertFalse(hasattr(fresh, "model_"))
        for same in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            np.testing.assert_array_equal(same.predict_proba(X), model.predict_proba(X))
            self.assertEqual(same.omega, model.omega)

    def test_grid_search(self):
        search = GridSearchCV(FenchelYoungClassifier(fenchel.Tsallis(alpha=1.5)),
                              [{"omega__alpha": [1.2, 2.0], "reg_lambda": [0.1, 10.0]},
                               {"omega": ["logistic", fenchel.Norm(2.0)]}], cv=3, n_jobs=2).fit(X, Y)
        self.assertEqual(len(search.cv_results_["params"]), 6)
        self.assertGreater(search.best_score_, 0.9)
        with self.assertRaisesRegex(ValueError, "omega__alpha"):
            FenchelYoungClassifier("sparsemax").set_params(omega__alpha=1.2)

    def test_pipeline_and_joblib(self):
        pipeline = make_pipeline(StandardScaler(), FenchelYoungClassifier("sparsemax"))
        self.assertGreater(cross_val_score(pipeline, X, Y).mean(), 0.9)
        found = joblib.Parallel(n_jobs=2)(joblib.delayed(_fitted)(value) for value in (0.1, 1.0))
        for value, coefficients in zip((0.1, 1.0), found):
            np.testing.assert_array_equal(coefficients, _fitted(value))

    def test_routing(self):
        with config_context(enable_metadata_routing=True):
            weighted = FenchelYoungClassifier().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
            search = GridSearchCV(weighted, {"reg_lambda": [1.0]}, cv=2)
            search.fit(X, Y, sample_weight=np.ones(len(Y)))

    def test_import_is_lazy(self):
        code = "import sys, fenchel; sys.exit(any(name.partition('.')[0] in ('sklearn', 'scipy') for name in sys.modules))"
        subprocess.run([sys.executable, "-c", code], check=True)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.safetensors"
            for classes in (np.array([3, 5, 9]), np.array([-1.0, 1.0, 2.0]), np.array(["a, b", "ü", "="]), np.array([False, True])):
                model = FenchelYoungClassifier("sparsemax").fit(X, classes[Y % len(classes)])
                model.save(path)
                np.testing.assert_array_equal(load(path).classes_, model.classes_)
                np.testing.assert_array_equal(load(os.fspath(path)).predict_proba(X), model.predict_proba(X))
            path.write_bytes(b"no model")
            with self.assertRaisesRegex(RuntimeError, "m.safetensors"):
                load(path)


def _fitted(reg_lambda):
    return FenchelYoungClassifier(reg_lambda=reg_lambda, n_jobs=2).fit(X, Y).coef_


class Tasks(unittest.TestCase):
    def test_proportions(self):
        shares = fenchel.sparsemax(X[:, :3])
        model = FenchelYoungProportions("sparsemax", reg_lambda=1e-3, fit_intercept=False).fit(X, shares)
        np.testing.assert_allclose(model.predict(X), shares, atol=0.05)
        self.assertGreater(model.score(X, shares), -0.01)
        self.assertEqual(model.classes_.tolist(), [0, 1, 2])

    def test_multilabel(self):
        y = (X[:, :3] + X[:, [3]] > 0).astype(int)
        for omega in ("logistic", "sparsemax", "hinge", "tsallis:alpha=1.5"):
            model = FenchelYoungMultilabel(omega, reg_lambda=0.1, tol=0.01).fit(X, y)
            self.assertGreater(model.score(X, y), 0.85)
        np.testing.assert_array_equal(FenchelYoungMultilabel().fit(X, scipy.sparse.csr_array(y)).coef_,
                                      FenchelYoungMultilabel().fit(X, y).coef_)

    def test_sets_of_a_size(self):
        y = np.zeros((len(X), 4))
        np.put_along_axis(y, np.argsort(-X, axis=1)[:, :2], 1, axis=1)
        omega = fenchel.SparseMap(fenchel.KSubsets(4, 2))
        model = FenchelYoungMultilabel(omega, reg_lambda=0.1).fit(X, y)
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 2, atol=1e-6)
        self.assertGreater(model.score(X, y), 0.8)

    def test_regressor(self):
        counts = np.random.default_rng(0).poisson(np.exp(0.5 * X[:, 0] + 1)).astype(float)
        model = FenchelYoungRegressor("poisson", reg_lambda=1e-3).fit(X, counts)
        self.assertAlmostEqual(model.coef_[0], 0.5, delta=0.3)
        np.testing.assert_allclose(model.predict(X), np.exp(X @ model.coef_ + model.intercept_), rtol=1e-9)
        self.assertGreaterEqual(FenchelYoungRegressor("relu").fit(X, counts).predict(X).min(), 0)

    def test_label_ranker(self):
        relevance = X[:, :3]
        order = np.argsort(-relevance, axis=1, kind="stable")
        ranks = np.argsort(order, axis=1) + 1
        labels = np.array(["a", "b", "c"])
        for omega in ("sparsemap", "entropic", "hinge", "squared"):
            with self.subTest(omega):
                model = LabelRanker(omega, reg_lambda=0.1, tol=0.01).fit(X, ranks)
                self.assertGreater(model.score(X, ranks), 0.8)
                self.assertEqual(sorted(model.predict(X)[0].tolist()), [1, 2, 3])
        by_order = LabelRanker(targets="orders", reg_lambda=0.1).fit(X, labels[order])
        by_rank = LabelRanker(reg_lambda=0.1).fit(X, ranks)
        np.testing.assert_array_equal(by_order.coef_, by_rank.coef_)
        np.testing.assert_array_equal(by_order.predict(X), labels[np.argsort(by_rank.predict(X), axis=1)])
        np.testing.assert_array_equal(LabelRanker(targets="relevance", reg_lambda=0.1).fit(X, relevance).coef_, by_rank.coef_)


if __name__ == "__main__":
    unittest.main()
