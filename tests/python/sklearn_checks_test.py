# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's own checks of estimators."""
import unittest
import warnings

import numpy as np

try:
    from fenchel.sklearn import (
        FenchelYoungClassifier,
        FenchelYoungMultilabel,
        FenchelYoungProportions,
        FenchelYoungRegressor,
        LabelRanker,
    )
    from sklearn.utils.estimator_checks import check_estimator
except ImportError as error:
    raise unittest.SkipTest(f"scikit-learn is missing: {error}")

# At the default tol of 1e-6 a dual gap of that size remains: fits of equal problems agree to about its square root,
# where the check wants 1e-7.
LOOSE = {name: "the check compares to 1e-7, which a relative duality gap of 1e-6 does not promise"
         for name in ("check_sample_weight_equivalence_on_dense_data",
                      "check_sample_weight_equivalence_on_sparse_data")}
# Predictions are matrices.
MATRICES = {name: "the check wants predictions to be a vector"
            for name in ("check_estimator_sparse_array", "check_estimator_sparse_matrix")}


def as_rows(y, rows_of_class):
    """A vector of labels or numbers, as the checks have it, as one row of targets for each of three kinds."""
    if y is None or np.ndim(np.asarray(y)) != 1:
        return y
    y = np.asarray(y)
    kinds = np.unique(y, return_inverse=True)[1] % len(rows_of_class)
    return np.asarray(rows_of_class, dtype=float)[kinds]


class ProportionsOfVectors(FenchelYoungProportions):
    """Takes the vectors y of the checks as shares, so that the checks of everything else apply."""

    shares = [[0.75, 0.25, 0.0], [0.0, 0.5, 0.5], [0.25, 0.25, 0.5]]

    def fit(self, X, y, sample_weight=None):
        return super().fit(X, as_rows(y, self.shares), sample_weight)

    def partial_fit(self, X, y, sample_weight=None):
        return super().partial_fit(X, as_rows(y, self.shares), sample_weight)

    def score(self, X, y):
        return super().score(X, as_rows(y, self.shares))


class RankerOfVectors(LabelRanker):
    ranks = [[1, 2, 3], [3, 1, 2], [2, 2, 1]]

    def fit(self, X, y, sample_weight=None):
        return super().fit(X, as_rows(y, self.ranks), sample_weight)

    def score(self, X, y):
        return super().score(X, as_rows(y, self.ranks))


class Checks(unittest.TestCase):
    def passes(self, estimator, expected_failed_checks=None, at_least=60):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = check_estimator(estimator, expected_failed_checks=expected_failed_checks, on_skip=None,
                                      on_fail=None)
        failed = {result["check_name"]: result["exception"] for result in results if result["status"] == "failed"}
        self.assertEqual(failed, {})
        self.assertGreaterEqual(sum(result["status"] == "passed" for result in results), at_least)

    def test_classifier(self):
        self.passes(FenchelYoungClassifier())

    def test_sparsemax(self):
        self.passes(FenchelYoungClassifier("sparsemax", reg_lambda=0.5), LOOSE, at_least=55)

    def test_hinge(self):
        self.passes(FenchelYoungClassifier("hinge"), LOOSE, at_least=55)

    def test_kernel(self):
        self.passes(FenchelYoungClassifier(kernel="rbf:gamma=0.1"), LOOSE, at_least=55)

    def test_regressor(self):
        self.passes(FenchelYoungRegressor(), at_least=55)

    def test_multilabel(self):
        self.passes(FenchelYoungMultilabel())

    # Their y are matrices, which the checks do not have: vectors are turned into matrices.
    def test_proportions(self):
        self.passes(ProportionsOfVectors(), MATRICES, at_least=40)

    def test_label_ranker(self):
        self.passes(RankerOfVectors(), MATRICES, at_least=40)


if __name__ == "__main__":
    unittest.main()
