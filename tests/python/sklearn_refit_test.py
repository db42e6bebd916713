# SPDX-License-Identifier: Apache-2.0
"""fenchel.sklearn: a fit that fails or is interrupted leaves the estimator as it was."""
import inspect
import unittest
import warnings
from unittest import mock

import numpy as np

try:
    from fenchel import sklearn as fs
    from sklearn import config_context
    from sklearn.exceptions import ConvergenceWarning, NotFittedError
except ImportError as error:
    raise unittest.SkipTest(f"scikit-learn is missing: {error}")

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 3))
WIDE = RANDOM.normal(size=(60, 6))
LABELS = (X[:, 0] > 0).astype(int)
WORDS = np.where(LABELS == 1, "no", "yes")
SHARES = RANDOM.dirichlet(np.ones(3), 60)
MORE_SHARES = RANDOM.dirichlet(np.ones(4), 60)
SENTENCES, TAGS = [[["a"], ["b"]], [["b"]]], [["x", "y"], ["y"]]

# Each estimator with targets, and with others that would change what it knows about them.
FITS = {
    "classifier": (fs.FenchelYoungClassifier, X, LABELS, WORDS),
    "multilabel": (fs.FenchelYoungMultilabel, X, (SHARES > 0.3).astype(int), WORDS),
    "proportions": (fs.FenchelYoungProportions, X, SHARES, MORE_SHARES),
    "regressor": (fs.FenchelYoungRegressor, X, SHARES[:, 0], SHARES[:, :2]),
    "ranker": (fs.LabelRanker, X, np.argsort(SHARES, axis=1) + 1, np.argsort(MORE_SHARES, axis=1) + 1),
    "tagger": (fs.SequenceTagger, SENTENCES, TAGS, [["p", "q"], ["r"]]),
}


def knowledge(model):
    """What is not a parameter."""
    parameters = model.get_params(deep=False)
    return {name: value for name, value in vars(model).items() if name not in parameters}


class Refits(unittest.TestCase):
    def keeps(self, model, error, *arguments, **named):
        """The same objects after a fit that ends with this error."""
        before = knowledge(model)
        with self.assertRaises(error):
            model.fit(*arguments, **named)
        after = knowledge(model)
        self.assertEqual(before.keys(), after.keys())
        for name, value in before.items():
            self.assertIs(after[name], value, name)

    def each(self, check):
        """A check of every estimator, which predicts afterwards what it did before."""
        for name, (estimator, x, y, other) in FITS.items():
            with self.subTest(name):
                model = estimator().fit(x, y)
                before = model.predict(x)
                check(model, x, other)
                np.testing.assert_array_equal(np.array(model.predict(x), dtype=object), np.array(before, dtype=object))

    def test_wrong_parameter(self):
        def check(model, x, other):
            self.keeps(model.set_params(reg_lambda=-1), ValueError, x, other)
            self.assertEqual(model.reg_lambda, -1)

        self.each(check)

    def test_interrupt(self):
        def check(model, x, other):
            for method in ("_finite_model", "_unpack"):  # the end of training, and after it
                with mock.patch.object(type(model), method, side_effect=KeyboardInterrupt):
                    self.keeps(model, KeyboardInterrupt, x, other)

        self.each(check)

    def test_warnings_that_are_errors(self):
        def check(model, x, other):
            model.set_params(max_iter=1, tol=1e-12, reg_lambda=1e-3, solver="lbfgs")
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                self.keeps(model, ConvergenceWarning, x, other)

        self.each(check)

    def test_first_fit(self):
        for name, (estimator, x, y, _) in FITS.items():
            with self.subTest(name):
                model = estimator(reg_lambda=-1)
                self.keeps(model, ValueError, x, y)
                with self.assertRaises(NotFittedError):
                    model.predict(x)
                model.set_params(reg_lambda=1.0).fit(x, y).predict(x)

    def test_labels_stay(self):
        model = fs.FenchelYoungClassifier().fit(X, LABELS).set_params(reg_lambda=-1)
        with self.assertRaises(ValueError):
            model.fit(X, WORDS)
        self.assertEqual(model.predict(X).dtype.kind, "i")
        self.assertGreater(model.score(X, LABELS), 0.9)

    def test_divergence_with_other_columns(self):
        model = fs.FenchelYoungClassifier().fit(X, LABELS)
        self.keeps(model, ValueError, WIDE, LABELS, sample_weight=np.full(60, 1e308))
        self.assertEqual(model.n_features_in_, 3)
        model.predict(X)

    def test_certificate(self):
        model = fs.FenchelYoungClassifier(certificate=True).fit(X, LABELS)
        with mock.patch("fenchel._core.certify", side_effect=RuntimeError):
            self.keeps(model, RuntimeError, WIDE, WORDS)
        np.testing.assert_array_equal(model.model_.coefficients()[0], model.coef_)
        self.assertTrue(model.verify(X, LABELS)["verified"])

    def test_warm_start_with_other_columns(self):
        model = fs.FenchelYoungClassifier(warm_start=True).fit(X, LABELS)
        self.keeps(model, ValueError, WIDE, LABELS)
        model.fit(X, LABELS)

    def test_names_of_columns(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is missing")
        frame = pandas.DataFrame(X, columns=["a", "b", "c"])
        model = fs.FenchelYoungClassifier().fit(frame, LABELS).set_params(reg_lambda=-1)
        self.keeps(model, ValueError, X, LABELS)
        model.predict(frame)

    def test_subclasses(self):
        class Counting(fs.FenchelYoungClassifier):
            def fit(self, X, y, sample_weight=None):
                self.calls_ = getattr(self, "calls_", 0) + 1
                return super().fit(X, y, sample_weight)

        model = Counting().fit(X, LABELS).set_params(reg_lambda=-1)
        with self.assertRaises(ValueError):
            model.fit(WIDE, WORDS)
        self.assertEqual(model.calls_, 2)
        self.assertEqual(model.n_features_in_, 3)

    def test_routing_and_signature(self):
        self.assertEqual(list(inspect.signature(fs.FenchelYoungClassifier.fit).parameters), ["self", "X", "y", "sample_weight"])
        with config_context(enable_metadata_routing=True):
            model = fs.FenchelYoungClassifier().set_fit_request(sample_weight=True).fit(X, LABELS)
            self.keeps(model.set_params(reg_lambda=-1), ValueError, X, WORDS)
            self.assertTrue(model.get_metadata_routing().fit.requests["sample_weight"])

    def test_warnings_point_here(self):
        for name, (estimator, x, y, _) in FITS.items():
            with self.subTest(name), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                estimator(max_iter=1, tol=1e-12, reg_lambda=1e-3, solver="lbfgs").fit(x, y)
                self.assertEqual({warning.filename for warning in caught}, {__file__})


if __name__ == "__main__":
    unittest.main()
