# SPDX-License-Identifier: Apache-2.0
"""fenchel.plot of models: training logs, confusion matrices, calibration and tuning, of the tool and of scikit-learn.

docs/gallery has files that the tool wrote.
"""
import json
import math
import pathlib
import tempfile
import unittest
import warnings

import fenchel
import numpy as np

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError as error:
    raise unittest.SkipTest("matplotlib is not installed") from error

WRITTEN = pathlib.Path(__file__).resolve().parents[2] / "docs" / "gallery"


def names(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


class Plots(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("error")
        self.addCleanup(plt.close, "all")
        self.ax = plt.figure().subplots()
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def refuses(self, pattern, function, *arguments, kind=ValueError, **options):
        with self.assertRaisesRegex(kind, pattern):
            function(*arguments, ax=self.ax, **options)


class Logs(Plots):
    def log(self, name="run.jsonl", **columns):
        """A log whose line i has the entries i of the columns; those that are ... are left out."""
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        rows = [dict({"iteration": i, "seconds": 0.1 * i}, **{key: value for key, value in zip(columns, row) if value is not ...})
                for i, row in enumerate(zip(*columns.values()), 1)]
        path.write_text("\n".join(map(json.dumps, rows)))
        return path

    def test_scales(self):
        log = self.log(gap=[1.0, 0.1], residual=[2.0, 0.1], objective=[3.0, 2.0], dual=[1.0, 1.5], valid_accuracy=[0.5, 0.75],
                       valid_log_loss=[0.9, 0.4])
        for y, scale in (("gap", "log"), ("residual", "log"), ("objective", "linear"), ("dual", "linear"),
                         ("valid_accuracy", "linear"), ("valid_log_loss", "linear")):
            ax = fenchel.plot.training_log(log, ax=plt.figure().subplots(), y=y)
            self.assertEqual(ax.get_yscale(), scale, y)

    def test_zero_and_negative_gaps_are_seen(self):
        ax = fenchel.plot.training_log(self.log(gap=[1.0, 3e-4, 0.0, -1e-9]), ax=self.ax)
        self.assertEqual(ax.get_yscale(), "symlog")
        ax.figure.canvas.draw()
        low, high = ax.get_ylim()
        places = ax.transData.transform(ax.lines[0].get_xydata())[:, 1]
        self.assertTrue(np.isfinite(places).all() and (np.diff(places) <= 0).all())
        self.assertTrue(low < -1e-9 and high > 1)
        none = fenchel.plot.training_log(self.log(gap=[0.0, 0.0]), ax=plt.figure().subplots())
        self.assertEqual(none.get_yscale(), "linear")

    def test_a_later_log_counts_for_the_scale(self):
        fenchel.plot.training_log(self.log(gap=[1.0, 0.0]), ax=self.ax)
        fenchel.plot.training_log(self.log(gap=[1.0, 0.5]), ax=self.ax)
        self.assertEqual(self.ax.get_yscale(), "symlog")

    def test_lines_without_the_value_and_with_none(self):
        log = self.log(valid_accuracy=[0.5, ..., None, 0.75])
        ax = fenchel.plot.training_log(log, ax=self.ax, y="valid_accuracy", x="seconds")
        np.testing.assert_allclose(ax.lines[0].get_xdata(), [0.1, 0.3, 0.4])
        np.testing.assert_array_equal(ax.lines[0].get_ydata(), [0.5, math.nan, 0.75])
        self.assertEqual((ax.get_xlabel(), ax.get_ylabel()), ("seconds", "valid_accuracy"))

    def test_names_of_logs(self):
        logs = [self.log("a/run.jsonl", gap=[1.0]), self.log("b/run.jsonl", gap=[1.0]), self.log("other.jsonl", gap=[1.0])]
        ax = fenchel.plot.training_log(*logs, ax=self.ax)
        self.assertEqual([text.get_text() for text in ax.get_legend().get_texts()], [*map(str, logs[:2]), "other"])

    def test_what_the_tool_writes(self):
        ax = fenchel.plot.training_log(WRITTEN / "lbfgs.jsonl", ax=self.ax, y="valid_accuracy")
        values = ax.lines[0].get_ydata()
        self.assertTrue(len(values) > 10 and 0.5 < min(values) and max(values) <= 1)

    def test_wrong_input(self):
        log = self.log(gap=["much", 1.0])
        self.refuses("no log was given", fenchel.plot.training_log)
        self.refuses("has no 'gain' by 'iteration'; its lines have iteration, seconds, gap", fenchel.plot.training_log, log,
                     y="gain")
        self.refuses("'gap' of .* is not a number in every line", fenchel.plot.training_log, log)
        self.refuses("has no 'gap'", fenchel.plot.training_log, self.log(gap=[None]))


class Confusion(Plots):
    def test_rows(self):
        ax = fenchel.plot.confusion(["a", "b", "b", "c"], ["a", "b", "c", "c"], self.ax)
        self.assertIs(ax, self.ax)
        np.testing.assert_array_equal(ax.images[0].get_array(), [[1, 0, 0], [0, 1, 1], [0, 0, 1]])
        self.assertEqual((names(ax.xaxis), names(ax.yaxis)), (["a", "b", "c"],) * 2)
        self.assertEqual([text.get_text() for text in ax.texts], list("100011001"))
        self.assertEqual((ax.get_xlabel(), ax.get_ylabel()), ("predicted", "true"))
        self.assertGreater(*ax.get_ylim())  # the first class is at the top
        ordered = fenchel.plot.confusion([2, 1], [1, 1], plt.figure().subplots(), labels=[2, 1, 0])
        np.testing.assert_array_equal(ordered.images[0].get_array(), [[0, 1, 0], [0, 1, 0], [0, 0, 0]])

    def test_shares(self):
        counts = np.array([[6.0, 2.0], [0.0, 0.0]])
        for normalize, expected in (("true", [[0.75, 0.25], [0, 0]]), ("pred", [[1, 1], [0, 0]]), ("all", counts / 8)):
            ax = fenchel.plot.confusion(counts, ax=plt.figure().subplots(), labels=["no", "yes"], normalize=normalize)
            np.testing.assert_allclose(ax.images[0].get_array(), expected)
            self.assertEqual(ax.images[0].get_clim(), (0, 1))
            self.assertEqual(ax.texts[1].get_text(), f"{expected[0][1]:.2f}\n2")

    def test_numbers_can_be_read(self):
        ax = fenchel.plot.confusion([[10, 0], [0, 10]], ax=self.ax)
        self.assertEqual([text.get_color() for text in ax.texts], ["white", "black", "black", "white"])

    def test_what_the_tool_writes(self):
        result = json.loads((WRITTEN / "evaluate.json").read_text())
        for given in (result, WRITTEN / "evaluate.json", str(WRITTEN / "evaluate.json")):
            ax = fenchel.plot.confusion(given, ax=plt.figure().subplots())
            np.testing.assert_array_equal(ax.images[0].get_array(), result["confusion"])
            self.assertEqual(names(ax.xaxis), ["1", "2", "3"])
        counts = np.array(result["confusion"])
        self.assertAlmostEqual(np.trace(counts) / counts.sum(), result["accuracy"])

    def test_wrong_input(self):
        confusion = fenchel.plot.confusion
        self.refuses(r"shape \(2, 3\); expected \[classes, classes\]", confusion, np.zeros((2, 3)))
        self.refuses("an entry -1; expected counts", confusion, [[1, -1], [0, 1]])
        self.refuses(r"matrix\[0, 1\] is nan", confusion, [[1, np.nan], [0, 1]])
        self.refuses("expected at least one", confusion, np.zeros((0, 0)))
        self.refuses("y_pred has 1 rows; expected 2", confusion, [0, 1], [0])
        self.refuses(r"y_true has shape \(0,\)", confusion, [], [])
        self.refuses(r"y_true\[1\] is not finite", confusion, [0, np.nan], [0.0, 1.0])
        self.refuses(r"y_pred\[1\] is 'c'; expected one of labels, \['a', 'b'\]", confusion, ["a", "b"], ["a", "c"],
                     labels=["a", "b"])
        self.refuses("labels has 1 entries; expected 2, one for each class", confusion, [[1, 0], [0, 1]], labels=["a"])
        self.refuses("normalize is 'rows'; expected None, 'true'", confusion, [[1]], normalize="rows")
        self.refuses("no 'confusion'; expected that of `fenchel evaluate --json`", confusion, {"r_squared": 1.0})
        (self.folder / "text").write_text("accuracy 0.9")
        self.refuses("is not JSON; expected what `fenchel evaluate --json` writes", confusion, self.folder / "text")


class Calibration(Plots):
    def test_bins_are_those_of_the_metric(self):
        random = np.random.default_rng(1)
        p, y = random.dirichlet(np.ones(3), 200), random.integers(0, 3, 200)
        ax = fenchel.plot.calibration(p, y, self.ax, bins=5)
        confidence, right = p.max(axis=1), p.argmax(axis=1) == y
        points, rows, error = [], [], 0.0
        for k in range(5):
            chosen = (confidence > k / 5) & (confidence <= (k + 1) / 5)
            if chosen.any():
                points.append((confidence[chosen].mean(), right[chosen].mean()))
                rows.append(chosen.sum())
                error += chosen.mean() * abs(points[-1][0] - points[-1][1])
        np.testing.assert_allclose(ax.lines[1].get_xydata(), points)
        (below,) = ax.child_axes
        self.assertEqual([bar.get_height() for bar in below.patches], rows)
        self.assertEqual(ax.get_title(), f"calibration error {error:.3f}")
        self.assertEqual((below.get_xlabel(), ax.get_ylabel()), ("confidence", "accuracy"))

    def test_two_classes(self):
        ax = fenchel.plot.calibration([0.1, 0.15, 0.9, 0.95], [0, 1, 1, 1], self.ax, bins=2)
        np.testing.assert_allclose(ax.lines[1].get_xydata(), [[0.125, 0.5], [0.925, 1.0]])
        self.assertEqual(ax.get_ylabel(), "share of the class")

    def test_names_of_classes(self):
        p = [[0.9, 0.1], [0.2, 0.8]]
        by_name = fenchel.plot.calibration(p, ["no", "no"], self.ax, classes=["no", "yes"])
        by_number = fenchel.plot.calibration(p, [0, 0], plt.figure().subplots())
        np.testing.assert_array_equal(by_name.lines[1].get_xydata(), by_number.lines[1].get_xydata())

    def test_what_the_tool_writes(self):
        result = json.loads((WRITTEN / "evaluate.json").read_text())
        ax = fenchel.plot.calibration(WRITTEN / "evaluate.json", ax=self.ax)
        self.assertEqual(ax.get_title(), f"calibration error {result['calibration_error']:.3f}")
        bars = ax.child_axes[0].patches
        self.assertEqual(sum(bar.get_height() for bar in bars), result["examples"])
        for bar, entry in zip(bars, result["calibration"]):
            self.assertTrue(bar.get_x() <= entry["confidence"] <= bar.get_x() + 1 / 15)

    def test_wrong_input(self):
        calibration = fenchel.plot.calibration
        p = [[0.9, 0.1], [0.2, 0.8]]
        self.refuses("y is missing", calibration, p, kind=TypeError)
        self.refuses(r"y has shape \(1,\); expected \(2,\)", calibration, p, [0])
        self.refuses("y has classes from 0 to 2; expected 0 to 1", calibration, p, [0, 2])
        self.refuses("expected the numbers of columns, or classes", calibration, p, ["a", "b"], kind=TypeError)
        self.refuses(r"y\[1\] is 'c'; expected one of classes", calibration, p, ["a", "c"], classes=["a", "b"])
        self.refuses("classes has 1 entries; expected 2", calibration, p, ["a", "a"], classes=["a"])
        self.refuses("entries from 0.5 to 3; expected", calibration, [[0.5, 3.0]], [0])
        self.refuses(r"probabilities\[0, 1\] is nan", calibration, [[0.5, np.nan]], [0])
        self.refuses("expected at least one", calibration, np.zeros((0, 2)), [])
        self.refuses("bins is 0; expected a whole number >= 1", calibration, p, [0, 1], bins=0)
        self.refuses("no 'calibration'; expected", calibration, {"accuracy": 1.0})


class Tuning(Plots):
    rows = [{"lambda": 10.0**k, "alpha": alpha, "accuracy": 0.9 - 0.1 * abs(k + 1) - 0.1 * abs(alpha - 1.5),
             "deviation": 0.01 * -k}
            for k in (-3, -2, -1, 0) for alpha in (1.0, 1.5, 2.0)]

    def test_curve(self):
        ax = fenchel.plot.tuning_grid(self.rows[1::3], self.ax, metric="accuracy")
        np.testing.assert_allclose(ax.lines[0].get_xydata(), [[1e-3, 0.7], [1e-2, 0.8], [1e-1, 0.9], [1, 0.8]])
        self.assertEqual((ax.get_xscale(), ax.get_yscale()), ("log", "linear"))
        self.assertEqual((ax.get_xlabel(), ax.get_ylabel()), ("lambda", "accuracy"))
        np.testing.assert_allclose(ax.lines[1].get_xydata(), [[0.1, 0.9]])  # the best
        self.assertEqual(ax.get_title(), "best: lambda = 0.1 (accuracy 0.9)")
        band = ax.collections[0].get_paths()[0].vertices
        self.assertTrue({(0.001, 0.67), (0.001, 0.73)} <= {tuple(np.round(corner, 6)) for corner in band.tolist()})

    def test_map(self):
        ax = fenchel.plot.tuning_grid(self.rows, self.ax, metric="accuracy")
        mesh = ax.collections[0]
        np.testing.assert_allclose(mesh.get_array(), np.array([row["accuracy"] for row in self.rows]).reshape(4, 3).T)
        self.assertEqual((ax.get_xscale(), ax.get_yscale()), ("log", "linear"))
        np.testing.assert_allclose(mesh.get_coordinates()[0, :, 0], 10.0 ** np.array([-3.5, -2.5, -1.5, -0.5, 0.5]))
        np.testing.assert_allclose(mesh.get_coordinates()[:, 0, 1], [0.75, 1.25, 1.75, 2.25])
        (frame,) = ax.patches
        np.testing.assert_allclose((*frame.get_xy(), frame.get_height()), (10**-1.5, 1.25, 0.5))
        self.assertEqual([text.get_text() for text in ax.texts][:4], ["0.65", "0.75", "0.85", "0.75"])
        self.assertEqual(names(ax.yaxis), ["1", "1.5", "2"])

    def test_the_best_over_the_others(self):
        ax = fenchel.plot.tuning_grid(self.rows, self.ax, metric="accuracy", parameters=["lambda"])
        np.testing.assert_allclose(ax.lines[0].get_ydata(), [0.7, 0.8, 0.9, 0.8])
        turned = fenchel.plot.tuning_grid(self.rows, plt.figure().subplots(), metric="accuracy", parameters=["alpha", "lambda"])
        self.assertEqual((turned.get_xlabel(), turned.get_yscale()), ("alpha", "log"))

    def test_smaller_is_better(self):
        rows = [{"alpha": 1.0, "js": 0.3}, {"alpha": 1.5, "js": 0.1}, {"alpha": 2.0, "js": None}]
        ax = fenchel.plot.tuning_grid(rows, self.ax, metric="js")
        self.assertEqual(ax.lines[1].get_xydata().tolist(), [[1.5, 0.1]])
        self.assertTrue(np.isnan(ax.lines[0].get_ydata()[2]))
        self.assertEqual(len(ax.collections), 0)  # no deviations, no band
        own = [{"alpha": row["alpha"], "cost": row["js"]} for row in rows]
        self.refuses("larger_is_better is missing; expected True or False, as 'cost'", fenchel.plot.tuning_grid, own,
                     metric="cost")
        ax = fenchel.plot.tuning_grid(own, plt.figure().subplots(), metric="cost", larger_is_better=False)
        self.assertEqual(ax.get_title(), "best: alpha = 1.5 (cost 0.1)")

    def test_what_the_tool_writes(self):
        result = json.loads((WRITTEN / "tune.json").read_text())
        ax = fenchel.plot.tuning_grid(WRITTEN / "tune.json", self.ax)
        best = result["best"]
        self.assertEqual(ax.get_title(), f"best: alpha = {best['alpha']:.4g}, lambda = {best['lambda']:.4g} "
                                         f"(accuracy {best['accuracy']:.4g})")
        self.assertEqual((ax.get_xscale(), ax.get_yscale()), ("linear", "log"))
        self.refuses("metric is 'js'; expected 'accuracy'", fenchel.plot.tuning_grid, result, metric="js")

    def test_grid_search_of_scikit_learn(self):
        params = [{"C": c, "kernel": kernel} for c in (0.1, 1, 10) for kernel in ("linear", "rbf")]
        results = {"params": params, "mean_test_score": np.array([0.1, 0.2, 0.3, 0.4, 0.9, np.nan]),
                   "std_test_score": np.full(6, 0.05)}
        ax = fenchel.plot.tuning_grid(results, self.ax)
        self.assertEqual(ax.get_title(), "best: C = 10, kernel = linear (score 0.9)")
        self.assertEqual((names(ax.yaxis), ax.get_xscale()), (["linear", "rbf"], "log"))
        self.assertEqual(np.ma.count_masked(ax.collections[0].get_array()), 1)
        several = {"params": [{"C": 1}, {"C": 2}], "mean_test_f1": [0.1, 0.2], "mean_test_auc": [0.4, 0.3]}
        ax = fenchel.plot.tuning_grid(several, plt.figure().subplots(), metric="auc")
        self.assertEqual(ax.get_title(), "best: C = 1 (auc 0.4)")
        self.refuses("metric is None; expected one of f1, auc", fenchel.plot.tuning_grid, several)

    def test_log_axes_are_for_values_spaced_by_factors(self):
        for values, scale in (([1, 2, 3, 4], "linear"), ([1, 1.1, 1.2], "linear"), ([0.01, 0.1, 1], "log"), ([1, 2, 4, 8], "log"),
                              ([1, 2, 5, 10, 20, 50], "log"), ([0, 1, 10, 100], "linear"), ([1, 100], "linear"), ([3], "linear")):
            rows = [{"a": value, "accuracy": 0.5} for value in values]
            ax = fenchel.plot.tuning_grid(rows, plt.figure().subplots(), metric="accuracy")
            self.assertEqual(ax.get_xscale(), scale, values)
            plt.close("all")

    def test_wrong_input(self):
        grid = fenchel.plot.tuning_grid
        self.refuses("metric is missing; expected the key", grid, self.rows)
        self.refuses("row 0 of the results is .* expected a dictionary with the metric 'f1'", grid, self.rows, metric="f1")
        self.refuses("no row with a accuracy", grid, [], metric="accuracy")
        self.refuses("no row with a accuracy", grid, [{"a": 1, "accuracy": math.nan}], metric="accuracy")
        self.refuses("accuracy of row 0 is 'high'; expected a number", grid, [{"a": 1, "accuracy": "high"}], metric="accuracy")
        self.refuses("parameters is \\['beta'\\]; expected one or two of lambda, alpha", grid, self.rows, metric="accuracy",
                     parameters=["beta"])
        three = [{"a": i, "b": i, "c": i, "accuracy": 0.5} for i in range(2)]
        self.refuses(r"3 parameters with several values \(a, b, c\); expected one or two", grid, three, metric="accuracy")
        self.refuses("no 'table'; expected what `fenchel tune --json` writes", grid, {"accuracy": 0.9})
        self.refuses("results is int", grid, 3, kind=TypeError)


if __name__ == "__main__":
    unittest.main()
