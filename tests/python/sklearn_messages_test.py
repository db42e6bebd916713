# SPDX-License-Identifier: Apache-2.0
"""What estimators say about wrong parameters: the parameter, its value, and what was expected, in words of Python."""
import unittest

import numpy as np

try:
    from fenchel.sklearn import (
        FenchelYoungClassifier,
        FenchelYoungMultilabel,
        FenchelYoungProportions,
        FenchelYoungRegressor,
        LabelRanker,
        SequenceTagger,
    )
except ImportError as error:
    raise unittest.SkipTest(f"scikit-learn is missing: {error}")

X = np.random.default_rng(0).normal(size=(12, 3))
Y = np.arange(12) % 3


class Messages(unittest.TestCase):
    def says(self, message, kind=ValueError, **parameters):
        with self.subTest(parameters), self.assertRaisesRegex(kind, message):
            FenchelYoungClassifier(**parameters).fit(X, Y)

    def test_omega(self):
        self.says("omega is 'crf', a loss for another kind of target; SequenceTagger has it", omega="crf")
        self.says("did you mean 'sparsemax'", omega="sparsmax")

    def test_kernel(self):
        self.says("kernel is <function .*'rbf:gamma=0.5'.*kernel='precomputed'", TypeError, kernel=lambda a, b: a @ b)
        for kernel in ("precomputed", {"name": "precomputed"}):
            self.says(r"X has shape \(12, 3\).*expected \(12, 12\)", kernel=kernel)
        with self.assertRaisesRegex(ValueError, "fit_intercept: kernel"):
            FenchelYoungClassifier(kernel="rbf", fit_intercept="free").fit(X, Y)

    def test_solver(self):
        self.says("solver is 'lbfg'; .*did you mean 'lbfgs'", solver="lbfg")
        self.says("solver is 3; expected a name such as 'lbfgs'", TypeError, solver=3)
        self.says("solver='fista'", solver="dual_ascent", penalty="l1")
        self.says("fit_intercept='penalised' or False, or solver='lbfgs'", solver="dual_ascent", fit_intercept="free")
        FenchelYoungClassifier(solver='{"name": "lbfgs", "memory": 5}').fit(X, Y)
        with self.assertRaisesRegex(ValueError, "solver is 'saga'; expected one of auto, lbfgs"):
            SequenceTagger(solver="saga").fit([[["a"]]], [["x"]])

    def test_penalty(self):
        self.says("penalty is 3", TypeError, penalty=3)

    def test_unknown_parameters_name_the_class(self):
        for estimator in (FenchelYoungClassifier, FenchelYoungMultilabel, FenchelYoungProportions,
                          FenchelYoungRegressor, LabelRanker, SequenceTagger):
            with self.subTest(estimator), self.assertRaisesRegex(TypeError, rf"^{estimator.__name__}\.__init__\(\)"):
                estimator(nonsense=1)

        class Own(FenchelYoungClassifier):
            pass

        self.assertEqual(Own("sparsemax", tol=1e-3).get_params(),
                         FenchelYoungClassifier("sparsemax", tol=1e-3).get_params())

    def test_kinds_of_truth(self):
        for value in (np.True_, 1, True):
            model = FenchelYoungClassifier(fit_intercept=value).fit(X, Y)
            self.assertEqual(model.model_.provenance["intercept"], "free")
        for value in (np.False_, 0, False):
            model = FenchelYoungClassifier(fit_intercept=value).fit(X, Y)
            self.assertEqual(model.model_.provenance["intercept"], "none")
        for value in (2, 1.5, None, [], np.ones(2)):
            self.says("fit_intercept is", fit_intercept=value)


if __name__ == "__main__":
    unittest.main()
