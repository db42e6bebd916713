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


    def test_names_keep_their_brackets(self):
        ranker = self.fitted(["tuna (raw)>eel", "eel>{tuna (raw),sea bass}", "{sea bass,eel}>tuna (raw)", "eel>sea bass"])
        self.assertEqual(ranker.classes_.tolist(), ["eel", "sea bass", "tuna (raw)"])

    def test_lists_with_ties_and_of_several_lengths(self):
        plain = self.fitted(["a>b=c", "b>a>c", "b=c>a", "c>b"])
        listed = self.fitted([["a", ["b", "c"]], ["b", "a", "c"], [("b", "c"), "a"], ["c", "b"]], targets="orders")
        np.testing.assert_array_equal(listed.coef_, plain.coef_)
        self.assertEqual(listed.score(X, [["a", ["b", "c"]]] * 4), plain.score(X, ["a>b=c"] * 4))

    def test_lists_that_are_no_orders(self):
        with self.assertRaisesRegex(ValueError, "give targets='orders'"):
            self.fitted([["a", ["b", "c"]], ["b", "a", "c"]] * 2)
        with self.assertRaisesRegex(ValueError, r"y\[1\] has the label 1 and y\[0\] 'a'; expected labels of one kind"):
            self.fitted([["a", "b"], ["b", 1]] * 2, targets="orders")
        with self.assertRaisesRegex(ValueError, r"y\[1\] is 'a,b'; expected a list of labels"):
            self.fitted([["a", "b"], "a,b"] * 2, targets="orders")


class Sets(unittest.TestCase):
    sets = [["a"], ["a", "b"], [], ["b"]]

    def objects(self):
        y = np.empty(4, dtype=object)
        y[:] = self.sets
        return y

    def test_all_methods_take_sets(self):
        indicators = np.array([[1, 0], [1, 1], [0, 0], [0, 1]])
        by_matrix = FenchelYoungMultilabel().fit(X, indicators)
        for y in (self.sets, [set(row) for row in self.sets], self.objects(), tuple(self.sets)):
            with self.subTest(y=type(y)):
                model = FenchelYoungMultilabel().fit(X, y)
                self.assertEqual(model.classes_.tolist(), ["a", "b"])
                self.assertEqual(model.score(X, y), by_matrix.score(X, indicators))
                np.testing.assert_array_equal(model.calibrate(X, y).coef_, by_matrix.coef_)
                parts = FenchelYoungMultilabel().partial_fit(X, y).partial_fit(X[:2], [["b"], []])
                np.testing.assert_array_equal(
                    parts.coef_, FenchelYoungMultilabel().partial_fit(X, indicators).partial_fit(X[:2], [[0, 1], [0, 0]]).coef_)

    def test_a_series_of_lists(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is missing")
        y = pandas.Series(self.sets)
        self.assertEqual(FenchelYoungMultilabel().fit(X, y).score(X, y), FenchelYoungMultilabel().fit(X, self.sets).score(X, y))

    def test_whole_numbers_are_labels_where_they_are_no_indicators(self):
        for y in ([[1], [2], [1, 30], []], [{1}, {2}, {30, 1}, set()]):
            self.assertEqual(FenchelYoungMultilabel().fit(X, y).classes_.tolist(), [1, 2, 30])
        self.assertEqual(FenchelYoungMultilabel().fit(X, [[1, 0], [0, 1], [1, 1], [0, 0]]).classes_.tolist(), [0, 1])
        names = np.array([["a", "b"], ["b", "c"]] * 2)
        self.assertEqual(FenchelYoungMultilabel(reg_lambda=10).fit(X, names).classes_.tolist(), ["a", "b", "c"])

    def test_what_is_no_set_is_named(self):
        for y, message in (([["a"], [1], [], []], r"y\[1\] has 1 among its labels; expected names alone"),
                           ([[1.5], [2, 3], [], []], r"y\[0\] has 1.5 among its labels; expected labels that are names or whole"),
                           ([["a"], "b", [], []], "y is neither a vector, nor a matrix, nor sets of labels")):
            with self.subTest(y=y), self.assertRaisesRegex(ValueError, message):
                FenchelYoungMultilabel().fit(X, y)
        with self.assertRaisesRegex(ValueError, "y has the label 'z'; expected labels among"):
            FenchelYoungMultilabel().fit(X, self.sets).score(X, [["z"], [], [], []])

    def test_names_may_come_with_the_first_part(self):
        model = FenchelYoungMultilabel().partial_fit(X, self.sets, classes=["a", "b", "c"])
        self.assertEqual(model.partial_fit(X, [["c"], [], ["a"], []]).classes_.tolist(), ["a", "b", "c"])


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
