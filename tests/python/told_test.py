# SPDX-License-Identifier: Apache-2.0
"""Messages that say what to use instead."""
import unittest

import numpy as np

try:
    from fenchel.sklearn import FenchelYoungClassifier, FenchelYoungMultilabel
except ImportError:
    FenchelYoungClassifier = None
try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    plt = None

X = np.random.default_rng(0).normal(size=(60, 3))


@unittest.skipIf(FenchelYoungClassifier is None, "scikit-learn is not installed")
class Sets(unittest.TestCase):
    def test_a_classifier_names_the_estimator_of_sets(self):
        for y, first in (([["a"], ["b", "a"]] * 30, r"y\[1\] is \['b', 'a'\]"), ([["a"], []] * 30, r"y\[1\] is \[\]")):
            with self.assertRaisesRegex(ValueError, first + ".*FenchelYoungMultilabel"):
                FenchelYoungClassifier().fit(X, y)

    def test_sets_of_one_name_or_none(self):
        model = FenchelYoungMultilabel().fit(X, [["a"], []] * 30)
        self.assertEqual(list(model.classes_), ["a"])
        self.assertEqual(model.predict(X).shape, (60, 1))


class Addresses(unittest.TestCase):
    def test_tables_are_files(self):
        from fenchel.tables import read_table
        with self.assertRaisesRegex(ValueError, "https://example.org/a.parquet', an address; expected a file"):
            read_table("https://example.org/a.parquet")


@unittest.skipIf(plt is None, "matplotlib is not installed")
class Winners(unittest.TestCase):
    def test_the_plot_names_the_winner_of_the_tool(self):
        from fenchel.plot import tuning_grid
        table = [{"lambda": value, "accuracy": 1.0, "deviation": 0.0} for value in (0.1, 1.0, 10.0)]
        ax = tuning_grid({"metric": "accuracy", "best": {"lambda": 1.0, "accuracy": 1.0}, "table": table})
        self.assertIn("lambda = 1 ", ax.get_title())


if __name__ == "__main__":
    unittest.main()
