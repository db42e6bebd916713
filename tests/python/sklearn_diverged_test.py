# SPDX-License-Identifier: Apache-2.0
"""fenchel.sklearn: no estimator returns a model that is not finite without saying so."""
import unittest
import warnings

import numpy as np

try:
    from fenchel import sklearn as fs
except ImportError as error:
    raise unittest.SkipTest(f"scikit-learn is missing: {error}")

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(30, 4))
LABELS = RANDOM.integers(0, 3, 30)
SHARES = RANDOM.dirichlet(np.ones(3), 30)
FITS = {
    "classifier": (fs.FenchelYoungClassifier, LABELS), "proportions": (fs.FenchelYoungProportions, SHARES),
    "multilabel": (fs.FenchelYoungMultilabel, (SHARES > 0.3).astype(int)), "regressor": (fs.FenchelYoungRegressor, SHARES),
    "ranker": (fs.LabelRanker, np.argsort(SHARES, axis=1) + 1),
}


def finite(model):
    return (np.isfinite(model.coef_).all() and np.isfinite(model.intercept_).all() and np.isfinite(model.objective_)
            and np.isfinite(model.predict(X)).all())


class Diverged(unittest.TestCase):
    def test_large_features(self):
        for name, (estimator, y) in FITS.items():
            for penalty in ("l1", "l2", "elastic_net", "group_lasso", "none"):
                for solver in ("auto", "lbfgs", "fista", "saga"):
                    for scale in (1e100, 1e160, 1e300):
                        with self.subTest(name=name, penalty=penalty, solver=solver, scale=scale), warnings.catch_warnings():
                            warnings.simplefilter("ignore")
                            try:
                                model = estimator(penalty=penalty, solver=solver, max_iter=20).fit(scale * X, y)
                                self.assertTrue(finite(model))
                            except ValueError as error:  # or what this solver does not do with this penalty
                                self.assertRegex(str(error), "diverged|choose|penalty")

    def test_the_message(self):
        before = fs.FenchelYoungClassifier("hinge").fit(X, LABELS)
        model = before.model_
        with self.assertRaisesRegex(ValueError, "FenchelYoungClassifier: training diverged: .*larger reg_lambda"):
            before.fit(1e160 * X, LABELS)
        self.assertIs(before.model_, model)

    def test_weights(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                self.assertTrue(finite(fs.FenchelYoungClassifier().fit(X, LABELS, sample_weight=np.full(30, 1e307))))
            except ValueError as error:
                self.assertIn("diverged", str(error))

    def test_coefficients_of_small_features(self):
        with self.assertWarnsRegex(RuntimeWarning, "coef_"):
            model = fs.FenchelYoungClassifier(scale="maxabs").fit(1e-310 * X, LABELS)
        self.assertTrue(np.isfinite(model.predict_proba(1e-310 * X)).all())


if __name__ == "__main__":
    unittest.main()
