# SPDX-License-Identifier: Apache-2.0
"""An Ω or a set of structures of one's own, costs, and temperatures in estimators."""
import pickle
import tempfile
import unittest
import warnings

import numpy as np

try:
    from fenchel.sklearn import (
        FenchelYoungClassifier,
        FenchelYoungMultilabel,
        FenchelYoungProportions,
        FenchelYoungRegressor,
        load,
    )
    from sklearn.base import clone
    from sklearn.datasets import load_iris
    from sklearn.model_selection import GridSearchCV
    from sklearn.preprocessing import StandardScaler
except ImportError as error:
    raise unittest.SkipTest(f"scikit-learn is missing: {error}")

import fenchel

X, Y = load_iris(return_X_y=True)
X = StandardScaler().fit_transform(X)
MATRIX = np.array([[0.0, 1, 4], [1, 0, 2], [4, 2, 0]])


class Ridge(fenchel.CustomRegularizer):
    """½‖μ‖² − ½ on the simplex: sparsemax, in Python."""

    domain = "simplex"

    def value(self, mu):
        return 0.5 * float(mu @ mu) - 0.5

    def gradient(self, mu):
        return mu

    def predict(self, theta):
        return fenchel.sparsemax(theta)


class Broken(Ridge):
    def predict(self, theta):
        raise ZeroDivisionError("a mistake of the user")


class Units(fenchel.CustomPolytope):
    """The classes e_1, e_2, e_3."""

    dimension = 3

    def map(self, theta):
        return np.eye(3)[np.argmax(theta)]


class Entropy(fenchel.CustomRegularizer):
    """Independent labels, in Python."""

    domain = "cube"

    def value(self, mu):
        inside = np.clip(mu, 1e-300, 1)
        outside = np.clip(1 - mu, 1e-300, 1)
        return float((inside * np.log(inside) + outside * np.log(outside)).sum())

    def gradient(self, mu):
        return np.log(mu / (1 - mu))

    def predict(self, theta):
        return 1 / (1 + np.exp(-theta))


class OfOnesOwn(unittest.TestCase):
    def test_same_as_that_of_the_library(self):
        expected = FenchelYoungClassifier("sparsemax", tol=1e-9).fit(X, Y)
        for omega in (Ridge(), fenchel.SparseMap(Units())):
            with self.subTest(omega=repr(omega)):
                own = FenchelYoungClassifier(omega, tol=1e-9).fit(X, Y)
                np.testing.assert_allclose(own.coef_, expected.coef_, atol=1e-6)
                np.testing.assert_allclose(own.predict_proba(X), expected.predict_proba(X), atol=1e-6)
                self.assertEqual(own.score(X, Y), expected.score(X, Y))
        indicators = (X > 0).astype(float)
        own, expected = (FenchelYoungMultilabel(omega, tol=1e-10).fit(X, indicators) for omega in (Entropy(), "logistic"))
        np.testing.assert_allclose(own.coef_, expected.coef_, atol=1e-3)
        np.testing.assert_array_equal(own.predict(X), expected.predict(X))

    def test_combinations_train(self):
        for omega in (fenchel.Sum("squared", "shannon"), fenchel.Restriction("squared", fenchel.sparsemax, "simplex"),
                      fenchel.FenchelYoungized("pairwise_squared_hinge", convex=True, strictly_concave=True)):
            with self.subTest(omega=repr(omega)), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # searches within searches
                classifier = FenchelYoungClassifier(omega, reg_lambda=0.5, fit_intercept=False, tol=1e-5, max_iter=100)
                classifier.fit(X[::5], Y[::5])
                losses = fenchel.loss(classifier.decision_function(X[::5]), Y[::5], omega)
                objective = losses.sum() + 0.25 * (classifier.coef_**2).sum()
                self.assertAlmostEqual(classifier.objective_, objective, delta=1e-4 * objective)
                self.assertGreater(classifier.score(X, Y), 0.8)

    def test_a_proximity_operator_that_is_a_search_is_not_chosen(self):
        """Each would take hundreds of games: steps that need a prediction only are taken instead."""
        omega = fenchel.FenchelYoungized("one_sided_squared_hinge", sum_to_zero=True, convex=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            classifier = FenchelYoungClassifier(omega, max_iter=20).fit(X[::5], Y[::5])
        self.assertNotEqual(classifier.solver_, "dual_ascent")
        self.assertGreater(classifier.score(X, Y), 0.8)

    def test_tools_of_scikit_learn(self):
        estimator = FenchelYoungClassifier(Ridge())
        self.assertIs(clone(estimator).omega.__class__, Ridge)
        self.assertNotIn("omega__alpha", estimator.get_params(deep=True))
        search = GridSearchCV(estimator, {"reg_lambda": [0.1, 10.0]}, cv=3).fit(X, Y)
        self.assertGreater(search.best_score_, 0.9)
        pickle.loads(pickle.dumps(estimator))
        fitted = estimator.fit(X, Y)
        with tempfile.TemporaryDirectory() as folder:
            for call in (lambda: fitted.save(f"{folder}/m.safetensors"), lambda: pickle.dumps(fitted)):
                with self.assertRaisesRegex(TypeError, "written in Python"):
                    call()
            fitted.set_params(omega="sparsemax")  # it is the fitted model that cannot be saved
            with self.assertRaisesRegex(TypeError, "written in Python"):
                fitted.save(f"{folder}/m.safetensors")
            fitted.fit(X, Y).save(f"{folder}/m.safetensors")

    def test_errors(self):
        with self.assertRaisesRegex(ZeroDivisionError, "a mistake of the user"):
            FenchelYoungClassifier(Broken()).fit(X, Y)
        with self.assertRaisesRegex(ValueError, "omega is over cube"):
            FenchelYoungClassifier(Entropy()).fit(X, Y)
        with self.assertRaisesRegex(ValueError, "omega is over simplex"):
            FenchelYoungRegressor(Ridge()).fit(X, Y)


class Costs(unittest.TestCase):
    def test_smoothed_hinge_trains(self):
        X = np.random.default_rng(8).normal(size=(60, 3))
        y = np.sign(X @ [1.0, -2.0, 0.5] + 0.3 * X[:, 0] ** 2)
        model = FenchelYoungClassifier("smoothed_hinge", reg_lambda=0.5, tol=1e-10).fit(X, y)
        values, slopes = fenchel.binary_loss(model.decision_function(X), y.astype(int), "smoothed_hinge", return_derivative=True)
        self.assertAlmostEqual(model.objective_, values.sum() + 0.25 * (model.coef_ ** 2).sum(), places=8)
        np.testing.assert_allclose(slopes @ X + 0.5 * model.coef_[1], 0, atol=1e-3)

    def test_hinge(self):
        hinge = FenchelYoungClassifier("hinge", max_iter=5000).fit(X, Y)
        for cost in ("zero_one", 1 - np.eye(3), lambda y: 1 - y):
            same = FenchelYoungClassifier("argmax", cost=cost, max_iter=5000).fit(X, Y)
            np.testing.assert_allclose(same.objective_, hinge.objective_, rtol=1e-6)

    def test_the_objective_is_that_of_the_losses(self):
        classifier = FenchelYoungClassifier("shannon", cost=MATRIX, reg_lambda=0.5, fit_intercept=False).fit(X, Y)
        losses = fenchel.loss(classifier.decision_function(X), Y, "shannon", cost=MATRIX)
        self.assertAlmostEqual(classifier.objective_, losses.sum() + 0.25 * (classifier.coef_**2).sum(), places=8)
        plain = FenchelYoungClassifier("shannon", reg_lambda=0.5).fit(X, Y)
        self.assertGreater(np.abs(classifier.coef_ - plain.coef_).max(), 0.1)
        with tempfile.TemporaryDirectory() as folder:  # predictions leave costs out, and so does the file
            classifier.save(f"{folder}/m.safetensors")
            again = load(f"{folder}/m.safetensors")
            np.testing.assert_array_equal(again.predict_proba(X), classifier.predict_proba(X))
            self.assertEqual(again.fit(X, Y).objective_, classifier.objective_)  # but a parameter it is

    def test_errors(self):
        for message, omega, cost in (("a cost of its own", "hinge", MATRIX), ("cost has shape", "argmax", MATRIX[:2]),
                                     ("cost is 'some'", "argmax", "some"), ("unknown|did you mean", "shanon", MATRIX)):
            with self.subTest(message=message), self.assertRaisesRegex(ValueError, message):
                FenchelYoungClassifier(omega, cost=cost).fit(X, Y)

    def test_names_of_losses_that_have_costs(self):
        for omega in ("svm", "crammer-singer", "hinge:w=full", '{"name": "softmax_margin"}', {"name": "hinge"},
                      {"name": "one_vs_all_hinge", "w": 1}):
            with self.subTest(omega=omega), self.assertRaisesRegex(ValueError, "a cost of its own"):
                FenchelYoungClassifier(omega, cost=MATRIX).fit(X, Y)


class Temperatures(unittest.TestCase):
    def test_calibration(self):
        train, rest = (X[::2], Y[::2]), (X[1::2], Y[1::2])
        classifier = FenchelYoungClassifier("logistic", reg_lambda=30.0).fit(*train)
        theta, before = classifier.decision_function(rest[0]), classifier.predict(X)
        self.assertEqual(classifier.temperature_, 1)
        losses = {t: fenchel.softmax_loss(theta / t, rest[1]).mean() for t in (0.2, 0.5, 1.0, 2.0)}
        self.assertIs(classifier.calibrate(*rest, temperatures=list(losses)), classifier)
        self.assertEqual(classifier.temperature_, min(losses, key=losses.get))
        expected = fenchel.softmax(theta / classifier.temperature_)
        np.testing.assert_allclose(classifier.predict_proba(rest[0]), expected, atol=1e-12)
        np.testing.assert_array_equal(classifier.predict(X), before)
        again = pickle.loads(pickle.dumps(classifier))
        self.assertEqual(again.temperature_, classifier.temperature_)
        self.assertEqual(classifier.fit(*train).temperature_, 1)

    def test_other_targets(self):
        shares = np.eye(3)[Y]
        proportions = FenchelYoungProportions(reg_lambda=30.0).fit(X, shares)
        worse = proportions.score(X, shares)
        self.assertGreater(proportions.calibrate(X, shares).score(X, shares), worse)
        sets = FenchelYoungMultilabel(reg_lambda=30.0).fit(X, shares)
        self.assertLess(sets.calibrate(X, shares).temperature_, 1)
        words = FenchelYoungClassifier(reg_lambda=30.0).fit(X, np.array(["b", "a", "c"])[Y])
        self.assertLess(words.calibrate(X, np.array(["b", "a", "c"])[Y]).temperature_, 1)

    def test_errors(self):
        classifier = FenchelYoungClassifier().fit(X, Y)
        for message, call in (("the class 7", lambda: classifier.calibrate(X[:1], [7])),
                              ("metric", lambda: classifier.calibrate(X, Y, "ndcg")),
                              ("a temperature is -1", lambda: classifier.calibrate(X, Y, temperatures=[-1])),
                              ("temperature", lambda: classifier.calibrate(X, Y, temperatures=[0.0]))):
            with self.subTest(message=message), self.assertRaisesRegex(ValueError, message):
                call()
        with self.assertRaisesRegex(NotImplementedError, "no temperature"):
            FenchelYoungRegressor().fit(X, Y).calibrate(X, Y)


if __name__ == "__main__":
    unittest.main()
