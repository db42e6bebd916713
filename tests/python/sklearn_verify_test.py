# SPDX-License-Identifier: Apache-2.0
"""Certificates of estimators, and their verification from arrays."""
import os
import tempfile
import unittest

import fenchel
import numpy as np
from fenchel.sklearn import (
    FenchelYoungClassifier,
    FenchelYoungMultilabel,
    FenchelYoungProportions,
    FenchelYoungRegressor,
    LabelRanker,
    load,
)
from scipy.sparse import csr_matrix

_RANDOM = np.random.default_rng(3)
_X = _RANDOM.normal(size=(60, 4))
_LABELS = np.array(["a", "b", "c"])[np.argmax(_X[:, :3] + _RANDOM.normal(size=(60, 3)), axis=1)]
_SHARES = _RANDOM.dirichlet(np.ones(3), size=60)
_SETS = (_X[:, :3] + _RANDOM.normal(size=(60, 3)) > 0).astype(float)


class VerifyTest(unittest.TestCase):
    def check(self, estimator, y, x=_X, **weights):
        estimator.set_params(certificate=True).fit(x, y, **weights)
        found = estimator.verify(x, y, **weights)
        self.assertTrue(found["verified"], found["problems"])
        self.assertAlmostEqual(found["primal"] / estimator.objective_, 1, delta=1e-9)
        self.assertLessEqual(found["dual"], found["primal"])
        return found

    def test_every_estimator(self):
        self.check(FenchelYoungClassifier(), _LABELS)
        self.check(FenchelYoungClassifier("hinge"), _LABELS, csr_matrix(_X))
        self.check(FenchelYoungClassifier(kernel="rbf:gamma=0.5"), _LABELS)
        self.check(FenchelYoungProportions("tsallis:alpha=1.5", scale="standard"), _SHARES)
        self.check(FenchelYoungMultilabel(), _SETS)
        self.check(FenchelYoungRegressor(), _X[:, 0] + _X[:, 1])
        self.check(FenchelYoungRegressor("poisson"), np.exp(_X[:, :2]))

    def test_weights(self):
        weights = np.linspace(0, 2, 60)
        self.check(FenchelYoungClassifier(class_weight="balanced"), _LABELS, sample_weight=weights)
        estimator = FenchelYoungClassifier(class_weight={"a": 3})
        self.check(estimator, _LABELS, sample_weight=weights)
        self.assertFalse(estimator.verify(_X, _LABELS)["verified"])

    def test_other_data_and_other_weights_are_noticed(self):
        estimator = FenchelYoungClassifier(certificate=True).fit(_X, _LABELS)
        for x, y in ((_X + 1e-9, _LABELS), (_X, np.roll(_LABELS, 1)), (_X[:50], _LABELS[:50]), (_X[:, :3], _LABELS)):
            found = estimator.verify(x, y)
            self.assertFalse(found["verified"])
            self.assertTrue(found["problems"])
        self.assertTrue(estimator.verify(_X, _LABELS)["verified"])  # nothing of it has changed
        self.assertFalse(estimator.verify(_X, _LABELS, tol=1e-12)["verified"])

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.safetensors")
            FenchelYoungClassifier("sparsemax", fit_intercept="penalised", certificate=True).fit(_X, _LABELS).save(path)
            self.assertTrue(fenchel.verify(path, _X, _LABELS)["verified"])
            self.assertTrue(load(path).certificate)
            FenchelYoungClassifier().fit(_X, _LABELS).save(path)
            with self.assertRaisesRegex(ValueError, "has no certificate; train it with certificate"):
                fenchel.verify(path, _X, _LABELS)

    def test_refusals_come_before_training(self):
        with self.assertRaisesRegex(ValueError, "pairwise_hinge.*no plain formulas"):
            FenchelYoungClassifier("pairwise_hinge", certificate=True).fit(_X, _LABELS)
        with self.assertRaisesRegex(ValueError, "no certificate"):
            LabelRanker().fit(_X, _SHARES).verify(_X, _SHARES)


if __name__ == "__main__":
    unittest.main()
