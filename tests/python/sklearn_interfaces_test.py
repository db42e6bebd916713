# SPDX-License-Identifier: Apache-2.0
"""Estimators with the tools of scikit-learn, their files, and what each of them is for."""
import copy
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest

import numpy as np

try:
    import joblib
    import scipy.sparse
    from fenchel.sklearn import (
        FenchelYoungClassifier,
        FenchelYoungMultilabel,
        FenchelYoungProportions,
        FenchelYoungRegressor,
        LabelRanker,
        SequenceTagger,
        load,
    )
    from sklearn import config_context
    from sklearn.base import clone
    from sklearn.datasets import load_iris
    from sklearn.linear_model import PoissonRegressor
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
except ImportError as error:
    raise unittest.SkipTest(f"scikit-learn is missing: {error}")

import fenchel

X, Y = load_iris(return_X_y=True)
X = StandardScaler().fit_transform(X)


class Tools(unittest.TestCase):
    def test_no_probabilities(self):
        for omega in ("hinge", "perceptron", "one_vs_all_hinge", "squared"):
            with self.subTest(omega):
                self.assertFalse(hasattr(FenchelYoungClassifier(omega), "predict_proba"))
                model = FenchelYoungClassifier(omega, penalty="l2", tol=0.01).fit(X, Y)
                self.assertFalse(hasattr(model, "predict_proba"))
        self.assertFalse(hasattr(FenchelYoungMultilabel("hinge"), "predict_proba"))
        self.assertTrue(hasattr(FenchelYoungClassifier("softmax_margin"), "predict_proba"))

    def test_what_is_missing_says_why(self):
        missing = [(FenchelYoungClassifier("hinge"), "predict_proba", "omega='hinge'.*'logistic'.*decision_function"),
                   (FenchelYoungClassifier("hinge").fit(X, Y), "predict_log_proba", "omega='hinge'.*'tsallis:alpha=1.5'"),
                   (FenchelYoungClassifier(fenchel.Argmax()), "predict_proba", r"omega=Argmax\(\)"),
                   (FenchelYoungMultilabel("hinge"), "predict_proba", "omega='hinge'.*'sparsemax'"),
                   (FenchelYoungProportions("perceptron"), "predict_proba", "omega='perceptron'.*'sparsemax'"),
                   (SequenceTagger("hinge"), "predict_proba", "omega='hinge'.*'crf' or 'sparsemap'.*k_best"),
                   (SequenceTagger("perceptron"), "predict_marginals", "omega='perceptron'.*'crf'"),
                   (FenchelYoungRegressor(kernel="rbf"), "sparsify", "kernel='rbf'.*kernel=None"),
                   (FenchelYoungClassifier(kernel="rbf"), "partial_fit", "kernel='rbf'.*kernel=None")]
        for estimator, method, pattern in missing:
            with self.subTest(estimator=estimator, method=method):
                self.assertFalse(hasattr(estimator, method))
                self.assertTrue(callable(getattr(type(estimator), method)))  # with its signature and its docstring
                with self.assertRaisesRegex(AttributeError, f"{type(estimator).__name__} has no {method} with {pattern}"):
                    getattr(estimator, method)

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
            weighted = FenchelYoungClassifier().set_fit_request(sample_weight=True)
            weighted.set_score_request(sample_weight=True)
            search = GridSearchCV(weighted, {"reg_lambda": [1.0]}, cv=2)
            search.fit(X, Y, sample_weight=np.ones(len(Y)))

    def test_import_is_lazy(self):
        code = ("import sys, fenchel; "
                "sys.exit(any(name.partition('.')[0] in ('sklearn', 'scipy') for name in sys.modules))")
        subprocess.run([sys.executable, "-c", code], check=True)

    def test_names_of_columns(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is missing")
        frame = pandas.DataFrame(X, columns=["sepal length", "sepal width", "petal length", "petal width"])
        shares = pandas.DataFrame(fenchel.softmax(X[:, :3]), columns=["low", "middle", "high"])
        model = FenchelYoungProportions().fit(frame, shares)
        self.assertEqual(model.classes_.tolist(), ["low", "middle", "high"])
        with tempfile.TemporaryDirectory() as folder:
            model.save(pathlib.Path(folder) / "m.safetensors")
            again = load(pathlib.Path(folder) / "m.safetensors")
        self.assertEqual(again.feature_names_in_.tolist(), frame.columns.tolist())
        self.assertEqual(again.classes_.tolist(), model.classes_.tolist())
        np.testing.assert_array_equal(again.predict(frame), model.predict(frame))

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.safetensors"
            for names in ([3, 5, 9], [-1.0, 1.0, 2.0], ["a, b", "ü", "="], [False, True], [2**53, 2**53 + 1], [-2.0**40, 2.0**62],
                          [-2**63, 2**63 - 1], np.array([2**63 + 1, 2**63 + 5], np.uint64), ["-", "--5", "²"]):
                classes = np.array(names)
                model = FenchelYoungClassifier("sparsemax").fit(X, classes[Y % len(classes)])
                model.save(path)
                np.testing.assert_array_equal(load(path).classes_, model.classes_)
                np.testing.assert_array_equal(load(os.fspath(path)).predict_proba(X), model.predict_proba(X))
            whole = FenchelYoungClassifier(class_weight={2**63 + 5: 2.0})
            whole.fit(X, np.array([2**63 + 1, 2**63 + 5], np.uint64)[Y % 2]).save(path)
            self.assertEqual(load(path).classes_.dtype, np.uint64)
            self.assertEqual(load(path).class_weight, whole.class_weight)
            one_label = FenchelYoungMultilabel().fit(X, np.array(["a", "b", "c"])[Y])
            one_label.save(path)
            np.testing.assert_array_equal(load(path).predict(X), one_label.predict(X))
            for content in (b"no model", b"", b"no model " * 100):
                path.write_bytes(content)
                with self.assertRaisesRegex(ValueError, "m.safetensors"):
                    load(path)


    def round_trip(self, estimator):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.safetensors"
            estimator.save(path)
            return load(path)

    def test_files_keep_parameters(self):
        labels = np.array(["a", "b", "c"])
        orders = labels[np.argsort(-X[:, :3], axis=1)]
        for model, y in (
                (LabelRanker(targets="orders", max_iter=50, tol=1e-3), orders),
                (FenchelYoungClassifier(fenchel.Tsallis(1.5), kernel="rbf:gamma=0.5", fit_intercept=False), Y),
                (FenchelYoungClassifier({"name": "tsallis", "alpha": 1.5}, class_weight={0: 2.0, 2: np.float32(3)},
                                        kernel={"name": "polynomial", "degree": 2}), Y),
                (FenchelYoungClassifier(scale="standard", fit_intercept="penalised", solver="lbfgs:memory=5"), Y),
                (FenchelYoungProportions("sparsemax", fit_intercept=False), fenchel.softmax(X[:, :3])),
                (FenchelYoungMultilabel(penalty="elastic_net", rho=0.5), X[:, :3] > 0),
                (FenchelYoungRegressor(n_jobs=2, verbose=0, random_state=3), X[:, :1])):
            with self.subTest(model):
                again = self.round_trip(model.fit(X, y))
                self.assertEqual(again.get_params(), model.get_params())
                for attribute in ("n_iter_", "solver_", "objective_", "dual_gap_", "remarks_"):
                    self.assertEqual(getattr(again, attribute), getattr(model, attribute))
                np.testing.assert_array_equal(again.predict(X), model.predict(X))
                np.testing.assert_array_equal(again.fit(X, y).predict(X), model.predict(X))
        with_generator = FenchelYoungClassifier(tol=1e-3, random_state=np.random.RandomState(0)).fit(X, Y)
        self.assertEqual(self.round_trip(with_generator).get_params(), {**with_generator.get_params(),
                                                                       "random_state": None})

    def test_hostile_record(self):
        model = FenchelYoungClassifier().fit(X, Y)
        for record in ("[]", "{", '{"parameters": {"omega": {"omega": "nonsense"}}, "results": {}}',
                       '{"parameters": {"kernel": {}}, "results": {}}'):
            model.model_.provenance = {**model.model_.provenance, "estimator": record}
            with self.subTest(record), self.assertRaisesRegex(ValueError, "m.safetensors: estimator is not a record"):
                self.round_trip(model)

    def test_paths(self):
        model = FenchelYoungClassifier().fit(X, Y)
        with tempfile.TemporaryDirectory() as folder:
            absent = os.path.join(folder, "nope")
            with self.assertRaisesRegex(FileNotFoundError, "nope"):
                load(absent)
            with self.assertRaisesRegex(FileNotFoundError, "nope"):
                model.save(os.path.join(absent, "m.safetensors"))
            for call in (load, model.save):
                with self.assertRaisesRegex(IsADirectoryError, os.path.basename(folder)):
                    call(folder)
                with self.assertRaisesRegex(TypeError, "path is 3; expected"):
                    call(3)


def _fitted(reg_lambda):
    return FenchelYoungClassifier(reg_lambda=reg_lambda, n_jobs=2).fit(X, Y).coef_


class Weights(unittest.TestCase):
    def test_they_are_read_only(self):
        """Predictions are those of the model; a weight that could be written would have no effect on them."""
        for estimator in (FenchelYoungClassifier().fit(X, Y), FenchelYoungRegressor().fit(X, X[:, 0])):
            for name in ("coef_", "intercept_"):
                with self.assertRaisesRegex(AttributeError, f"{name} is read-only"):
                    setattr(estimator, name, 0)
            for one in (estimator, pickle.loads(pickle.dumps(estimator)), copy.deepcopy(estimator)):
                with self.assertRaisesRegex(ValueError, "read-only"):
                    one.coef_[0] = 1
        self.assertFalse(hasattr(FenchelYoungClassifier(), "coef_"))
        self.assertFalse(hasattr(FenchelYoungClassifier(kernel="rbf").fit(X, Y), "coef_"))

    def test_sparse_coefficients(self):
        classifier = FenchelYoungClassifier(penalty="l1", reg_lambda=10.0).fit(X, Y)
        dense, predicted = classifier.coef_, classifier.predict(X)
        self.assertTrue((dense == 0).any())
        sparse = classifier.sparsify().coef_
        self.assertTrue(scipy.sparse.issparse(sparse))
        self.assertEqual(sparse.nnz, np.count_nonzero(dense))
        np.testing.assert_array_equal(sparse.toarray(), dense)
        np.testing.assert_array_equal(classifier.predict(X), predicted)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(classifier)).coef_.toarray(), dense)
        np.testing.assert_array_equal(classifier.densify().coef_, dense)

    def test_tags_of_numbers(self):
        for omega, positive in ((None, False), ("squared", False), ("poisson", True), ("relu", True), ("nothing", False)):
            self.assertEqual(FenchelYoungRegressor(omega).__sklearn_tags__().target_tags.positive_only, positive)

    def test_weights_of_classes_that_y_lacks(self):
        """As in scikit-learn: allowed where all classes of y have weights, else perhaps a misspelling."""
        weights = dict.fromkeys(np.unique(Y).tolist(), 2.0)
        expected = FenchelYoungClassifier(class_weight=weights).fit(X, Y).coef_
        np.testing.assert_array_equal(FenchelYoungClassifier(class_weight={**weights, 77: 3.0}).fit(X, Y).coef_, expected)
        with self.assertRaisesRegex(ValueError, "class_weight has the class 77"):
            FenchelYoungClassifier(class_weight={int(Y[0]): 1.0, 77: 3.0}).fit(X, Y)


class Tasks(unittest.TestCase):
    def test_proportions(self):
        shares = fenchel.sparsemax(X[:, :3])
        model = FenchelYoungProportions("sparsemax", reg_lambda=1e-3, fit_intercept=False).fit(X, shares)
        np.testing.assert_allclose(model.predict(X), shares, atol=0.05)
        self.assertGreater(model.score(X, shares), -0.01)
        self.assertEqual(model.classes_.tolist(), [0, 1, 2])

    def test_half_precision_shares(self):
        shares = np.random.default_rng(0).dirichlet(np.ones(50), size=len(X))
        half = shares.astype(np.float16)
        self.assertGreater(np.abs(half.astype(float).sum(axis=1) - 1).max(), 1e-5)
        model = FenchelYoungProportions(tol=1e-3).fit(X, half)
        np.testing.assert_allclose(model.predict(X), FenchelYoungProportions(tol=1e-3).fit(X, shares).predict(X),
                                   atol=1e-3)
        with self.assertRaisesRegex(ValueError, "sums to"):
            FenchelYoungProportions().fit(X, (shares * 1.01).astype(np.float16))

    def test_multilabel(self):
        y = (X[:, :3] + X[:, [3]] > 0).astype(int)
        for omega in ("logistic", "sparsemax", "hinge", "tsallis:alpha=1.5"):
            model = FenchelYoungMultilabel(omega, reg_lambda=0.1, tol=0.01).fit(X, y)
            self.assertGreater(model.score(X, y), 0.85)
        np.testing.assert_array_equal(FenchelYoungMultilabel().fit(X, scipy.sparse.csr_array(y)).coef_,
                                      FenchelYoungMultilabel().fit(X, y).coef_)

    def test_soft_sets(self):
        """A label that is in a set by 0.75 is one that three sets out of four have."""
        y = (X[:, :3] + X[:, [3]] > 0).astype(float)
        options = {"reg_lambda": 0.1, "tol": 1e-9}
        for omega in ("logistic", "sparsemax"):
            soft = FenchelYoungMultilabel(omega, **options).fit(X, 0.25 + 0.5 * y)
            twice = FenchelYoungMultilabel(omega, **options).fit(
                np.vstack([X, X]), np.vstack([y, 1 - y]), sample_weight=np.repeat([0.75, 0.25], len(X)))
            np.testing.assert_allclose(soft.coef_, twice.coef_, rtol=1e-3, atol=1e-4)
            self.assertGreater(soft.score(X, 0.25 + 0.5 * y), 0.85)
            self.assertFalse(np.allclose(soft.coef_, FenchelYoungMultilabel(omega, **options).fit(X, y).coef_, atol=0.1))
        with self.assertRaisesRegex(ValueError, r"y\[0, 0\] is 1.5; expected numbers from 0 to 1"):
            FenchelYoungMultilabel().fit(X, np.full((len(X), 3), 1.5))

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

    def test_poisson_has_a_free_intercept(self):
        counts = np.random.default_rng(0).poisson(np.exp(0.5 * X[:, 0] + 4)).astype(float)
        theirs = PoissonRegressor(alpha=1.0, tol=1e-10, max_iter=10_000).fit(X, counts)
        ours = FenchelYoungRegressor("poisson", reg_lambda=len(X), tol=1e-12).fit(X, counts)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5)
        self.assertAlmostEqual(ours.intercept_, theirs.intercept_, places=6)
        for omega, expected in (("norm:q=2", "free"), ("hinge", "penalised")):
            model = FenchelYoungClassifier(omega).fit(X, Y)
            self.assertEqual(model.model_.provenance["intercept"], expected)

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
        by_relevance = LabelRanker(targets="relevance", reg_lambda=0.1).fit(X, relevance)
        np.testing.assert_array_equal(by_relevance.coef_, by_rank.coef_)


if __name__ == "__main__":
    unittest.main()
