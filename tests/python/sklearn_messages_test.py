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
        self.says("solver='owlqn'", solver="dual_ascent", penalty="l1")
        self.says("fit_intercept='penalised', fit_intercept=False or solver='lbfgs'", solver="dual_ascent", fit_intercept="free")
        FenchelYoungClassifier(solver='{"name": "lbfgs", "memory": 5}').fit(X, Y)
        self.says("solver is None; expected a name such as 'lbfgs'", TypeError, solver=None)
        self.says("lbfgs: .*kernel models do not have; choose solver='dual_ascent'", solver="lbfgs", kernel="rbf")
        for solver, message in (("lbfg", "solver is 'lbfg'; .*did you mean 'lbfgs'"),
                                ("saga", "saga: trains linear models only, not taggers; choose solver='lbfgs'")):
            with self.assertRaisesRegex(ValueError, message):
                SequenceTagger(solver=solver).fit([[["a"]]], [["x"]])

    def test_penalty(self):
        self.says("penalty is 3", TypeError, penalty=3)
        self.says("penalty is 'l3'; expected none, l2, .*did you mean", penalty="l3")
        self.says("reg_lambda is -1", reg_lambda=-1)
        self.says("rho is -2", penalty="elastic_net", rho=-2)
        self.says("scale is 'foo'", scale="foo")
        self.says("tol is -1", tol=-1)

    def test_numbers_that_c_does_not_hold(self):
        for value in (2**31, 2**70):
            self.says(f"max_iter is {value}; expected a whole number >= 0 and <= 2147483647", max_iter=value)
            self.says(f"n_jobs is {value}; expected .*2147483647", n_jobs=value)
        self.says("max_iter is 1.5; expected a whole number >= 0", max_iter=1.5)
        for value in (2**70, 2**64, -1, "now"):
            self.says(f"random_state is '?{value}'?; expected None, a whole number from 0", random_state=value)
        FenchelYoungClassifier(random_state=2**64 - 1).fit(X, Y)
        self.says("reg_lambda is 1000.*expected a number >= 0 and <=", reg_lambda=10**400)
        tagger = SequenceTagger().fit([[["a"]]], [["x"]])
        with self.assertRaisesRegex(ValueError, "k is 1180591620717411303424; expected"):
            tagger.k_best([[["a"]]], 2**70)
        with self.assertRaisesRegex(ValueError, "min_count is 1180591620717411303424; expected"):
            SequenceTagger(min_count=2**70).fit([[["a"]]], [["x"]])

    def test_texts_that_have_no_bytes(self):
        for name in ("omega", "kernel", "solver", "penalty"):
            self.says(f"{name} is '.ud800'; expected a text without lone surrogates", **{name: "\ud800"})
        with self.assertRaisesRegex(ValueError, "a class is '.ud800'; expected a text without lone surrogates"):
            FenchelYoungClassifier().fit(X, np.where(Y == 1, "\ud800", "b"))
        model = FenchelYoungClassifier().fit(X, Y)
        for path in ("\ud800.safetensors", "a\0b.safetensors"):
            with self.assertRaisesRegex(ValueError, "path is "):
                model.save(path)

    def test_class_weight(self):
        for weight in ("a", None, [1], 1j, -1, np.nan, 10**400):
            self.says(r"class_weight\[0\] is .*; expected a number >= 0", class_weight={0: weight})
        self.says("class_weight has the class 7", class_weight={7: 1.0})
        for weight in (2, True, np.float32(2), np.array(2.0)):
            FenchelYoungClassifier(class_weight={0: weight}).fit(X, Y)

    def test_remarks(self):
        remarks = FenchelYoungClassifier(reg_lambda=0.5).fit(X, Y).remarks_
        self.assertTrue(any(remark.startswith("penalty: l2, reg_lambda = 0.5 ") for remark in remarks), remarks)

    def test_unknown_parameters_are_named(self):
        for estimator in (FenchelYoungClassifier, FenchelYoungMultilabel, FenchelYoungProportions,
                          FenchelYoungRegressor, LabelRanker, SequenceTagger):
            with self.subTest(estimator), self.assertRaisesRegex(TypeError, "unexpected keyword argument 'nonsense'"):
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
