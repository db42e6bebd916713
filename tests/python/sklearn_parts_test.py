# SPDX-License-Identifier: Apache-2.0
"""Learning from parts: partial_fit."""
import pickle
import unittest

import numpy as np

try:
    from fenchel.sklearn import (
        DocumentRanker,
        FenchelYoungClassifier,
        FenchelYoungMultilabel,
        FenchelYoungProportions,
        FenchelYoungRegressor,
        LabelRanker,
        StructuredPredictor,
    )
    from scipy.sparse import csr_matrix
except ImportError as error:
    raise unittest.SkipTest(f"scikit-learn is missing: {error}")

import fenchel

RNG = np.random.default_rng(5)
X = RNG.normal(size=(2000, 6))
SCORES = X @ RNG.normal(size=(6, 3)) * 2
LABELS = np.array(["a", "b", "c"])[SCORES.argmax(axis=1)]


def in_parts(estimator, X, y, size=100, passes=1, **first):
    for _ in range(passes):
        for start in range(0, len(y), size):
            rows = slice(start, start + size)
            estimator.partial_fit(X[rows], y[rows], **first)
    return estimator


class Parts(unittest.TestCase):
    def test_classes_come_near_the_fit_of_all(self):
        for omega in (None, "sparsemax", "entmax15", "hinge"):
            with self.subTest(omega=omega):
                whole = FenchelYoungClassifier(omega, tol=1e-4, max_iter=2000).fit(X, LABELS)
                parts = in_parts(FenchelYoungClassifier(omega), X, LABELS, classes=["a", "b", "c"])
                self.assertGreater(parts.score(X, LABELS), whole.score(X, LABELS) - 0.04)
                self.assertEqual(parts.t_, len(X))

    def test_more_passes_lower_the_objective(self):
        def objective(estimator):
            theta = estimator.decision_function(X)
            labels = np.searchsorted(estimator.classes_, LABELS)
            return fenchel.loss(theta, labels, "shannon").sum() + 0.5 * (estimator.coef_ ** 2).sum()

        best = objective(FenchelYoungClassifier().fit(X, LABELS))
        one, many = (objective(in_parts(FenchelYoungClassifier(), X, LABELS, passes=n, classes=["a", "b", "c"])) for n in (1, 10))
        self.assertLess(many, one)
        self.assertLess(best, many)
        self.assertLess(many, 1.2 * best)

    def test_size_of_parts_and_storage_do_not_matter(self):
        first = in_parts(FenchelYoungClassifier(), X, LABELS, classes=["a", "b", "c"])
        again = in_parts(FenchelYoungClassifier(), X, LABELS, size=7, classes=["a", "b", "c"])
        np.testing.assert_array_equal(first.coef_, again.coef_)
        sparse = in_parts(FenchelYoungClassifier(), csr_matrix(X), LABELS, classes=["a", "b", "c"])
        np.testing.assert_array_equal(first.coef_, sparse.coef_)
        halfway = in_parts(FenchelYoungClassifier(), X[:1000], LABELS[:1000], classes=["a", "b", "c"])
        halfway = in_parts(pickle.loads(pickle.dumps(halfway)), X[1000:], LABELS[1000:])
        np.testing.assert_array_equal(first.coef_, halfway.coef_)

    def test_goes_on_from_a_fit(self):
        fitted = FenchelYoungClassifier().fit(X, LABELS)
        before = fitted.coef_.copy()
        fitted.partial_fit(X[:1], LABELS[:1])
        self.assertLess(np.abs(fitted.coef_ - before).max(), 0.5)
        self.assertGreater(np.abs(fitted.coef_ - before).max(), 0)

    def test_l1_gives_zeros(self):
        wide = np.hstack([X, RNG.normal(size=(len(X), 30))])
        parts = in_parts(FenchelYoungClassifier(penalty="l1", reg_lambda=60.0), wide, LABELS, classes=["a", "b", "c"])
        self.assertGreater((parts.coef_ == 0).sum(), 60)

    def test_other_targets(self):
        sets = (SCORES > 0).astype(int)
        self.assertGreater((in_parts(FenchelYoungMultilabel(), X, sets).predict(X) == sets).mean(), 0.95)
        shares = fenchel.predict(SCORES, "sparsemax")
        self.assertGreater(in_parts(FenchelYoungProportions("sparsemax"), X, shares, passes=3).score(X, shares), -0.05)
        numbers = SCORES[:, 0] + 1
        self.assertGreater(in_parts(FenchelYoungRegressor(), X, numbers, passes=3).score(X, numbers), 0.95)
        self.assertGreater(in_parts(FenchelYoungRegressor(), X, SCORES, passes=3).score(X, SCORES), 0.95)
        matchings = fenchel.predict(np.hstack([SCORES, SCORES[:, :1]]).reshape(-1, 2, 2), fenchel.Map(fenchel.Birkhoff(2)))
        structured = StructuredPredictor("sparsemap", polytope=fenchel.Birkhoff(2))
        self.assertGreater(in_parts(structured, X, matchings).score(X, matchings), 0.9)

    def test_mistakes(self):
        classifier = FenchelYoungClassifier()
        with self.assertRaisesRegex(ValueError, "classes must be passed on the first call"):
            classifier.partial_fit(X, LABELS)
        classifier.partial_fit(X, LABELS, classes=["a", "b", "c"])
        others = ((np.full(len(X), "d"), {}, "the class 'd'"), (LABELS, {"classes": ["a", "b"]}, "classes is"))
        for y, keywords, message in others:
            with self.assertRaisesRegex(ValueError, message):
                classifier.partial_fit(X, y, **keywords)
        with self.assertRaisesRegex(ValueError, "6 features"):
            classifier.partial_fit(X[:, :3], LABELS)
        for keywords, message in (({"scale": "standard"}, "scale"), ({"class_weight": "balanced"}, "class_weight"),
                                  ({"penalty": "group_lasso"}, "group_lasso")):
            with self.assertRaisesRegex(ValueError, message):
                FenchelYoungClassifier(**keywords).partial_fit(X, LABELS, classes=["a", "b", "c"])
        with self.assertRaisesRegex(ValueError, "too large"):
            FenchelYoungRegressor().partial_fit(np.full((3, 1), 1e200), np.full(3, 1e200))
        self.assertFalse(hasattr(FenchelYoungClassifier(kernel="rbf"), "partial_fit"))
        for estimator in (LabelRanker, DocumentRanker):
            self.assertFalse(hasattr(estimator, "partial_fit"))


if __name__ == "__main__":
    unittest.main()
