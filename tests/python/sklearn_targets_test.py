# SPDX-License-Identifier: Apache-2.0
"""Targets as people write them: orders with ties in brackets, sets of names, gaps."""
import unittest

import numpy as np

try:
    from fenchel.sklearn import FenchelYoungClassifier, FenchelYoungMultilabel, LabelRanker
except ImportError as error:
    raise unittest.SkipTest(f"scikit-learn is missing: {error}")

X = np.random.default_rng(0).normal(size=(4, 3))


class Orders(unittest.TestCase):
    def fitted(self, orders, **parameters):
        return LabelRanker(**parameters).fit(X, orders)

    def test_ties_in_all_notations(self):
        plain = self.fitted(["a>b=c", "b=c>a", "c>a=b", "a=b=c"])
        for orders in (["a>{b,c}", "{b,c}>a", "c>{a,b}", "{a,b,c}"], ["a > (b c)", "[b c] > a", "c>>a~b", "a~b~c"],
                       ["a≻b∼c", "b∼c≻a", "c≻a∼b", "a∼b∼c"], ["a>bc", "bc>a", "c>ab", "abc"]):
            with self.subTest(orders=orders):
                ranker = self.fitted(orders)
                self.assertEqual(ranker.classes_.tolist(), ["a", "b", "c"])
                np.testing.assert_array_equal(ranker.coef_, plain.coef_)

    def test_texts_that_are_no_orders(self):
        for texts in (["a,b"] * 4, ["a<b"] * 4, ["a"] * 4):
            with self.subTest(texts=texts), self.assertRaisesRegex(ValueError, "expected orders such as 'a>b=c'"):
                self.fitted(texts)
        with self.assertRaisesRegex(ValueError, "give targets='orders'"):
            self.fitted([["a", "b"], ["b", "a"]] * 2)
        self.fitted([["a", "b"], ["b", "a"]] * 2, targets="orders")


class Labels(unittest.TestCase):
    def test_gaps_are_named(self):
        for y in (["a", None, "b", "a"], ["a", float("nan"), "b", "a"], np.array(["a", None, "b", "a"], dtype=object)):
            with self.subTest(y=y), self.assertRaisesRegex(ValueError, r"y\[1\] is (None|nan); expected a target in every row"):
                FenchelYoungClassifier().fit(X, y)

    def test_names_that_look_like_sets(self):
        with self.assertWarnsRegex(UserWarning, r"the label 'a,b', which is taken for one; sets are lists of names"):
            FenchelYoungMultilabel().fit(X, ["a,b", "a", "b", "a"])


class Features(unittest.TestCase):
    def test_dates_are_no_numbers(self):
        with self.assertRaisesRegex(ValueError, "X has the type datetime64"):
            FenchelYoungClassifier().fit(np.array([["2024-01-01"], ["2024-01-02"]], dtype="datetime64[D]"), ["a", "b"])


if __name__ == "__main__":
    unittest.main()
