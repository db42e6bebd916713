# SPDX-License-Identifier: Apache-2.0
"""fenchel.plot: what is drawn is what the functions compute."""
import json
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


class Plots(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("error")  # such as glyphs that are missing
        self.addCleanup(plt.close, "all")

    def drawn(self):
        """Everything, as it is drawn to a file."""
        for number in plt.get_fignums():
            plt.figure(number).canvas.draw()

    def test_two_classes(self):
        axes = fenchel.plot.two_class({"soft": "softmax", "sparse": fenchel.Tsallis(2)})
        self.drawn()
        for ax, expected in zip(axes, [("entropy", 0.25), ("prediction", 1.0), ("loss", 0.0)]):
            self.assertIn(expected[0], ax.get_title())
            x, y = ax.lines[1].get_data()
            self.assertAlmostEqual(y[len(y) // 2 if expected[0] == "entropy" else -1], expected[1])
        self.assertEqual([text.get_text() for text in axes[2].get_legend().get_texts()], ["soft", "sparse"])
        with self.assertRaisesRegex(ValueError, "axes has 2 entries; expected 3"):
            fenchel.plot.two_class(axes=axes[:2])

    def test_one_omega_and_given_axes(self):
        ax = plt.figure().subplots()
        self.assertIs(fenchel.plot.losses("tsallis:alpha=1.5", ax, span=(-2, 2)), ax)
        s, loss = ax.lines[0].get_data()
        theta = np.stack([s, 0 * s], axis=1)
        np.testing.assert_array_equal(loss, fenchel.loss(theta, np.zeros(len(s), dtype=int), "tsallis:alpha=1.5"))

    def test_every_family_is_drawn(self):
        axes = fenchel.plot.two_class()
        self.drawn()
        for line in axes[0].lines:
            t, entropy = line.get_data()
            self.assertTrue(np.isfinite(entropy).all())
            self.assertAlmostEqual(entropy[0], 0)
            self.assertEqual(entropy.argmax(), len(t) // 2)

    def test_triangle(self):
        fenchel.plot.triangle(fenchel.Renyi(0.5))
        fenchel.plot.triangle(lambda p: p[:, 0])
        self.drawn()
        with self.assertRaisesRegex(ValueError, "expected .*a number for each row"):
            fenchel.plot.triangle(lambda p: p)

        ax = fenchel.plot.triangle("softmax", points={"center": [1 / 3, 1 / 3, 1 / 3]})
        np.testing.assert_allclose(ax.lines[-1].get_xydata(), [[1 / 2, np.sqrt(3) / 6]])

    def test_entropy_contours(self):
        axes = fenchel.plot.entropy_contours({"Gini": "sparsemax", "hinge": fenchel.PairwiseHinge()})
        self.drawn()
        self.assertEqual([ax.get_title() for ax in axes], ["Gini\n0.333 in the center", "hinge\n2 in the center"])
        ax = plt.figure().subplots()
        self.assertIs(fenchel.plot.entropy_contours("softmax", ax), ax)
        with self.assertRaisesRegex(ValueError, "argmax is .*expected an entropy"):
            fenchel.plot.entropy_contours("argmax")

    def test_duality_gap(self):
        ax = fenchel.plot.duality_gap(0.5, 0.1, "sigmoid", span=(0, 1))
        self.drawn()
        omega, tangent, gap, touch = (line.get_xydata() for line in ax.lines)
        self.assertTrue((omega[:, 1] >= tangent[:, 1]).all())
        self.assertAlmostEqual(gap[1, 1] - gap[0, 1], fenchel.loss([0.5], [0.1], "sigmoid"))
        np.testing.assert_allclose(touch[0], [1 / (1 + np.exp(-0.5)), fenchel.value(touch[0, :1], "sigmoid")])

    def test_points(self):
        ax = fenchel.plot.simplex_predictions((1.5, 1.0, 0.2))
        self.drawn()
        texts = [text.get_text() for text in ax.get_legend().get_texts()]
        self.assertEqual(texts[2], "sparsemax [0.75, 0.25, 0.00]")
        self.assertEqual([line.get_linestyle() for line in ax.lines].count(":"), 1)  # sigmoid alone is off the simplex
        with self.assertRaisesRegex(ValueError, "expected three scores"):
            fenchel.plot.simplex_predictions([1, 2])
        with self.assertRaisesRegex(ValueError, r"theta\[1\] is nan; expected finite"):
            fenchel.plot.simplex_predictions([1, np.nan, 2])
        with self.assertRaisesRegex(ValueError, "omegas is empty"):
            fenchel.plot.simplex_predictions([1, 2, 3], [])

    def test_hull(self):
        theta = [1.75, 1.45, -0.22]
        ax = fenchel.plot.hull(fenchel.Permutahedron([3, 2, 1]), theta)
        self.drawn()
        vertices, *points = (line.get_xydata() for line in ax.lines)
        self.assertEqual(len(vertices), 6)
        scores, best, sparse, _ = (point[0] for point in points)
        self.assertTrue(np.isclose(vertices, best).all(axis=1).any())
        near = np.array(theta) + (6 - sum(theta)) / 3
        distance = np.linalg.norm(near - fenchel.predict(theta, fenchel.SparseMap(fenchel.Permutahedron([3, 2, 1]))))
        self.assertAlmostEqual(np.linalg.norm(scores - sparse), distance / np.sqrt(2))  # as the unit vectors are 1 apart
        ax = fenchel.plot.hull("cube:d=2", [3, 0.5], fenchel.Sigmoid())
        np.testing.assert_allclose(ax.lines[2].get_xydata()[0], fenchel.predict([3, 0.5], "sigmoid"))
        with self.assertRaisesRegex(ValueError, "cannot be drawn; expected structures of two numbers"):
            fenchel.plot.hull(fenchel.Cube(3), [1, 2, 3])
        with self.assertRaisesRegex(ValueError, r"theta has the shape \(3,\); expected \(2,\)"):
            fenchel.plot.hull("cube:d=2", [1, 2, 3])

    def test_names_over_the_set_of_a_hull(self):
        theta = [0.8, -0.5]
        for name in ("sparsemap", "hinge", "marginal"):
            ax = fenchel.plot.hull("cube:d=2", theta, name)
            expected = fenchel.predict(theta, fenchel.Regularizer(name, polytope="cube:d=2"))
            np.testing.assert_allclose(np.ravel(ax.lines[-1].get_data()), expected)
        fenchel.plot.hull("simplex:d=3", [1.0, 2.0, 3.0], {"dense": "softmax"})
        with self.assertRaisesRegex(ValueError, "did you mean 'sparsemap'"):
            fenchel.plot.hull("cube:d=2", theta, "spasemap")

    def test_duality_gap_reaches_its_points(self):
        for theta, y, omega, expected in ((50.0, -3.0, "squared", (-3, 50)), (1.0, -1.0, "squared", (-2, 2)),
                                          (0.8, 0.1, "sigmoid", (0, 1)), (1.0, 3.0, "poisson", (0, 3))):
            ax = fenchel.plot.duality_gap(theta, y, omega)
            self.assertEqual((ax.lines[0].get_xdata()[0], ax.lines[0].get_xdata()[-1]), expected)
            self.drawn()
            frame = ax.get_window_extent()
            for text in ax.texts:
                box = text.get_window_extent()
                self.assertTrue(frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1)

    def test_wrong_points_and_domains_are_named(self):
        for draw, error, message in (
                (lambda: fenchel.plot.triangle("softmax", points={"x": [0.5, 0.5]}), ValueError, r"\['x'\] has the shape"),
                (lambda: fenchel.plot.duality_gap(omega="hinge"), ValueError, "omega is 'hinge' and μ goes from -1 to 1"),
                (lambda: fenchel.plot.duality_gap(omega="sigmoid", span=(-2, 2)), ValueError, "μ goes from -2 to 2; expected"),
                (lambda: fenchel.plot.duality_gap(None), TypeError, "theta is None; expected a finite number")):
            with self.subTest(message), self.assertRaisesRegex(error, message):
                draw()

    def test_score_plane(self):
        for y in (2, [0.2, 0.3, 0.5]):
            ax = fenchel.plot.score_plane("sparsemax", y)
            self.assertEqual(ax.get_title(), "tsallis, alpha = 2")
        self.drawn()

    def borders(self, omega):
        """The lines where each of the three classes enters the support."""
        return [part.get_segments() for part in fenchel.plot.score_plane(omega).collections
                if isinstance(part, matplotlib.collections.LineCollection)]

    def test_borders_of_supports_are_where_probabilities_begin(self):
        class Squares(fenchel.CustomRegularizer):
            """½‖p‖², written by somebody else."""
            domain = "simplex"

            def value(self, p):
                return 0.5 * p @ p

            def predict(self, theta):
                return fenchel.sparsemax(theta)

        for omega in ("sparsemax", "entmax15", fenchel.Norm(3.0), fenchel.PairwiseSquaredHinge(), fenchel.Renyi(2.0), Squares()):
            with self.subTest(omega=repr(omega)):
                borders = self.borders(omega)
                self.assertEqual([bool(lines) for lines in borders], [True] * 3)
                for k, lines in enumerate(borders):
                    for line in lines:
                        theta = np.column_stack([line, np.zeros(len(line))])
                        step = 1e-5 * np.eye(3)[k]  # more score for a class is no less probability
                        self.assertTrue((fenchel.predict(theta + step, omega)[:, k] > 0).all())
                        self.assertTrue((fenchel.predict(theta - step, omega)[:, k] <= 1e-12).all())

    def test_borders_are_no_staircases(self):
        for lines in self.borders("sparsemax"):
            for line in lines:
                steps = np.diff(line, axis=0)
                steps = steps[np.linalg.norm(steps, axis=1) > 1e-6]
                turns = np.abs(np.diff(np.unwrap(np.arctan2(*steps.T))))
                self.assertLessEqual((turns > 0.01).sum(), 6)  # lines of three pieces, whose corners lie between two points
        first = np.concatenate(self.borders("sparsemax")[0])
        second = first[first[:, 1] < -1]
        np.testing.assert_allclose(second[:, 0], -1, atol=1e-6)  # θ₁ = −1 where class 2 is out of the support

    def test_no_border_where_all_classes_have_a_probability(self):
        self.assertEqual(self.borders("softmax"), [[]] * 3)

    def test_rankings(self):
        axes = fenchel.plot.ranking_losses()
        self.drawn()
        unregularized = axes[0].lines[0]
        x, loss = unregularized.get_data()
        np.testing.assert_allclose(loss[(x >= 1) & (x <= 3)], 0, atol=1e-12)  # as the paper's caption says
        self.assertTrue((loss[(x < 0.9) | (x > 3.1)] > 0).all())
        ax = fenchel.plot.permutahedra()
        self.assertEqual(len(ax.lines), 4)
        self.assertEqual(len(ax.lines[3].get_xdata()), 6)
        with self.assertRaisesRegex(ValueError, "expected three numbers"):
            fenchel.plot.permutahedra([[1, 2]])

    def test_training_log(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "run.jsonl"
            steps = [{"iteration": i, "seconds": 0.1 * i, "objective": 1 / i, "gap": 10.0**-i} for i in range(1, 5)]
            log.write_text("\n".join(map(json.dumps, steps)))
            ax = fenchel.plot.training_log(log, y="objective", x="seconds")
            self.assertEqual(list(ax.lines[0].get_ydata()), [step["objective"] for step in steps])
            self.assertEqual(ax.get_yscale(), "linear")
            with self.assertRaisesRegex(ValueError, "has no 'residual'"):
                fenchel.plot.training_log(log, y="residual")
            log.write_text("{}\n")
            with self.assertRaisesRegex(ValueError, "run.jsonl:1 is not a line of a training log"):
                fenchel.plot.training_log(log)
            log.write_text("")
            with self.assertRaisesRegex(ValueError, "is empty"):
                fenchel.plot.training_log(log)


if __name__ == "__main__":
    unittest.main()
