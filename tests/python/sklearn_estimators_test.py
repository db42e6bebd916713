# SPDX-License-Identifier: Apache-2.0
"""Training of estimators of rows: optima, weights, inputs and how it is reported."""
import contextlib
import io
import os
import pickle
import signal
import tempfile
import threading
import unittest
import warnings

import fenchel
import numpy as np

try:
    import _thread

    import scipy.sparse
    from fenchel.sklearn import (
        FenchelYoungClassifier,
        FenchelYoungMultilabel,
        FenchelYoungProportions,
        FenchelYoungRegressor,
        LabelRanker,
        load,
    )
    from sklearn.base import clone
    from sklearn.datasets import load_digits, load_iris
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.preprocessing import StandardScaler
except ImportError as error:
    raise unittest.SkipTest(f"scikit-learn is missing: {error}")

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
            theta = shifted @ ours.coef_.T + ours.intercept_
            np.testing.assert_allclose(theta, ours.decision_function(shifted), atol=1e-9)
        np.testing.assert_allclose(FenchelYoungClassifier(scale="standard", tol=1e-8).fit(shifted, Y).predict_proba(shifted),
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
        sparse = FenchelYoungClassifier(penalty="l1", reg_lambda=8.0).fit(DIGITS, DIGIT).coef_
        self.assertGreater((sparse == 0).mean(), 0.5)
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
        by_hand = {k: len(few) / (3 * counts[k]) for k in range(3)}
        given = FenchelYoungClassifier(class_weight=by_hand).fit(X[few], Y[few])
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
        p = single.predict_proba(DIGITS.astype(np.float32))
        np.testing.assert_allclose(p, double.predict_proba(DIGITS), atol=1e-2)

    def test_results_are_single_where_features_are(self):
        rows = X.astype(np.float32)
        sets = np.eye(3)[Y]
        for model, y, names in (
                (FenchelYoungClassifier(), Y, ("decision_function", "predict_proba", "predict_log_proba")),
                (FenchelYoungMultilabel(), sets, ("decision_function", "predict_proba")),
                (FenchelYoungProportions(), sets, ("decision_function", "predict_proba", "predict")),
                (FenchelYoungRegressor(tol=1e-3), X[:, :2], ("predict",)), (LabelRanker(), sets + 1, ("decision_function",))):
            single, double = clone(model).fit(rows, y), clone(model).fit(X, y)
            with self.subTest(type(model).__name__), tempfile.TemporaryDirectory() as folder:
                single.save(os.path.join(folder, "model"))
                for one in (single, load(os.path.join(folder, "model")), pickle.loads(pickle.dumps(single))):
                    self.assertEqual((one.coef_.dtype, one.intercept_.dtype), (np.float32, np.float32))
                    for name in names:
                        self.assertEqual(getattr(one, name)(rows).dtype, np.float32)
                        self.assertEqual(getattr(one, name)(X).dtype, np.float64)
                self.assertEqual(double.coef_.dtype, np.float64)
                for name in names:
                    self.assertEqual(getattr(double, name)(rows).dtype, np.float64)
                np.testing.assert_allclose(single.coef_, double.coef_, atol=2e-2)
                # The model itself is not rounded: these are its results for the same numbers as doubles.
                exact = getattr(single, names[0])(rows.astype(np.float64))
                np.testing.assert_allclose(getattr(single, names[0])(rows), exact.astype(np.float32), rtol=2e-5, atol=2e-5)
        surely = FenchelYoungClassifier().fit(rows, Y)
        self.assertTrue((surely.predict_proba(20 * rows) == 0).any())  # below the smallest float32
        self.assertTrue(np.isfinite(surely.predict_log_proba(20 * rows)).all())

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
        for name, value in (("reg_lambda", -1.0), ("reg_lambda", float("nan")), ("tol", "small"), ("max_iter", -1),
                            ("max_iter", 2.5), ("rho", -1), ("solver", "newton"), ("penalty", "l3"),
                            ("omega", "sparsmax"), ("scale", "unit"), ("fit_intercept", "maybe"), ("kernel", "rfb")):
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

    def test_no_iterations_give_the_start(self):
        for omega in ("logistic", "sparsemax", "hinge"):
            for solver in ("auto", "subgradient", "dual_ascent", "frank_wolfe"):
                with self.subTest(omega=omega, solver=solver), self.assertWarnsRegex(ConvergenceWarning, "after 0 iterations"):
                    model = FenchelYoungClassifier(omega, solver=solver, max_iter=0, fit_intercept="penalised").fit(X, Y)
                self.assertEqual(model.n_iter_, 0)
                self.assertFalse(model.coef_.any() or model.intercept_.any())
                loss = {"logistic": np.log(3), "sparsemax": 1 / 3, "hinge": 1}[omega]
                self.assertAlmostEqual(model.objective_, len(Y) * loss)
        warm = FenchelYoungClassifier(warm_start=True).fit(X, Y)
        weights = warm.coef_.copy()
        with self.assertWarns(ConvergenceWarning):
            warm.set_params(max_iter=0, tol=0).fit(X, Y)
        np.testing.assert_allclose(warm.coef_, weights, atol=1e-12)

    def test_hinge_losses_take_few_rounds(self):
        for data, most in ((load_iris().data, 60), (X, 30)):  # 967 and 183 without steps on faces of the simplices
            model = FenchelYoungClassifier("hinge").fit(data, Y)
            self.assertLess(model.n_iter_, most)
            self.assertLessEqual(model.dual_gap_, 1e-6 * model.objective_)

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
        # What a shell starts in the background ignores the signal, and would train for ever.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        timer = threading.Timer(0.5, _thread.interrupt_main)
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            FenchelYoungClassifier(solver="subgradient", tol=0, max_iter=10**9).fit(DIGITS, DIGIT)
        timer.join()

    def test_random_state(self):
        fits = [FenchelYoungClassifier(solver="saga", tol=1e-3, random_state=state).fit(X, Y).coef_
                for state in (1, 1, 2)]
        np.testing.assert_array_equal(fits[0], fits[1])
        self.assertTrue((fits[0] != fits[2]).any())
        state = np.random.RandomState(0)
        FenchelYoungClassifier(random_state=state).fit(X, Y)


class Sets(unittest.TestCase):
    def test_sets_of_k_labels_have_k_labels(self):
        random = np.random.default_rng(0)
        x = random.normal(size=(80, 4))
        best = np.argsort(x @ random.normal(size=(4, 6)) + 0.3 * random.normal(size=(80, 6)), axis=1)[:, -2:]
        y = np.zeros((80, 6), dtype=int)
        np.put_along_axis(y, best, 1, axis=1)
        sets = fenchel.KSubsets(6, 2)
        for omega in (fenchel.SparseMap(sets), fenchel.MaximumEntropy(sets, fenchel.Shannon())):
            predicted = FenchelYoungMultilabel(omega).fit(x, y).predict(x)
            self.assertEqual(set(predicted.sum(axis=1)), {2})


if __name__ == "__main__":
    unittest.main()
