# SPDX-License-Identifier: Apache-2.0
"""fenchel.plot: titles, labels, legends and numbers are inside of the figure and apart from each other.

Also in axes of a caller who asks for no layout, and in small figures. What is measured is what is drawn.
"""
import io
import itertools
import json
import pathlib
import tempfile
import unittest
import warnings
from unittest import mock

import fenchel
import numpy as np

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.text import Text
except ImportError as error:
    raise unittest.SkipTest("matplotlib is not installed") from error

PIXEL = 1.0  # of rounding
WORDS = "The quick brown fox jumps over the lazy dog".split()
RANKINGS = fenchel.Permutahedron([3, 2, 1])
RANDOM = np.random.default_rng(0)
TREES = fenchel.Arborescence(9).distribution(RANDOM.normal(size=(9, 9)))
CHAIN = fenchel.Chain(n=9, m=4)
TAGS = ["noun", "verb", "adjective", "other"]
MU = CHAIN.distribution(CHAIN.scores(RANDOM.normal(size=(9, 4)), RANDOM.normal(size=(4, 4)))).marginals
A, B = np.sin(np.linspace(0, 6, 20)), np.sin(np.linspace(0, 5, 26))
EXPECTED = fenchel.soft_dtw((A[:, None] - B) ** 2, 0.1, return_alignment=True)[1]
PROBABILITIES = RANDOM.dirichlet(np.ones(4), 300)
LABELS = RANDOM.integers(0, 4, 300)
GRID = [{"lambda": 10.0**k, "alpha": alpha, "accuracy": 0.9 - 0.01 * k * k - (alpha - 1.5) ** 2, "deviation": 0.01}
        for k in range(-3, 4) for alpha in (1.0, 1.25, 1.5, 1.75, 2.0)]

DRAW = {
    "entropies": lambda ax: fenchel.plot.entropies(ax=ax),
    "predictions": lambda ax: fenchel.plot.predictions(ax=ax),
    "losses": lambda ax: fenchel.plot.losses(ax=ax),
    "triangle": lambda ax: fenchel.plot.triangle("entmax15", ax, points={"softmax": [0.5, 0.3, 0.2], "other": [0.7, 0.3, 0]}),
    "score_plane": lambda ax: fenchel.plot.score_plane("sparsemax", 0, ax),
    "entropy_contours": lambda ax: fenchel.plot.entropy_contours("softmax", ax),
    "duality_gap": lambda ax: fenchel.plot.duality_gap(ax=ax),
    "simplex_predictions": lambda ax: fenchel.plot.simplex_predictions(ax=ax),
    "hull": lambda ax: fenchel.plot.hull(RANKINGS, [1.75, 1.45, -0.22], ax=ax),
    "permutahedra": lambda ax: fenchel.plot.permutahedra(ax=ax),
    "tree": lambda ax: fenchel.plot.tree(TREES.decode(TREES.map), WORDS, ax, gold=[3, 3, 3, 4, -1, 8, 8, 8, 4]),
    "tree of marginals": lambda ax: fenchel.plot.tree(TREES.marginals, WORDS, ax),
    "alignment": lambda ax: fenchel.plot.alignment(EXPECTED, A, B, ax),
    "marginals": lambda ax: fenchel.plot.marginals(CHAIN.parts(MU), WORDS, TAGS, ax),
    "marginals of states": lambda ax: fenchel.plot.marginals(CHAIN.parts(MU)[0], WORDS, TAGS, ax),
    "confusion": lambda ax: fenchel.plot.confusion([[120, 3, 0], [9, 80, 11], [1, 2, 77]], ax=ax, normalize="true",
                                                   labels=["setosa", "versicolor", "virginica"]),
    "calibration": lambda ax: fenchel.plot.calibration(PROBABILITIES, LABELS, ax),
    "tuning_grid": lambda ax: fenchel.plot.tuning_grid(GRID, ax, metric="accuracy"),
    "tuning_grid, a curve": lambda ax: fenchel.plot.tuning_grid(GRID, ax, metric="accuracy", parameters=["lambda"]),
}


def drawn(figure, **options):
    """The texts that are drawn, with what they take in pixels."""
    found = {}
    draw = Text.draw

    def record(self, renderer, *arguments, **words):
        if self.get_visible() and self.get_text().strip():
            found[self] = self.get_window_extent(renderer)  # the last one counts: layout engines draw to measure
        return draw(self, renderer, *arguments, **words)

    with mock.patch.object(Text, "draw", record):
        figure.savefig(io.BytesIO(), **options)
    return list(found.items())


class Layout(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("error")
        self.addCleanup(plt.close, "all")

    def check(self, figure, smallest=3.9, **options):
        found = drawn(figure, dpi=100, **options)
        self.assertTrue(found)
        width, height = figure.get_size_inches() * 100
        for text, extent in found:
            inside = min(extent.x0, extent.y0, width - extent.x1, height - extent.y1)
            self.assertGreaterEqual(inside, -PIXEL, f"{text.get_text()!r} is cut off")
            self.assertGreaterEqual(text.get_fontsize(), smallest, text.get_text())
        for (one, here), (other, there) in itertools.combinations(found, 2):
            if one.get_rotation() % 90 or other.get_rotation() % 90:  # the box is larger than a text aslant
                continue
            across, along = min(here.x1, there.x1) - max(here.x0, there.x0), min(here.y1, there.y1) - max(here.y0, there.y0)
            self.assertFalse(across > 2 * PIXEL and along > 2 * PIXEL, f"{one.get_text()!r} overlaps {other.get_text()!r}")
        for ax in figure.axes:
            legend = ax.get_legend()
            if legend is not None:
                box = legend.get_window_extent()
                self.assertGreaterEqual(min(box.x0, box.y0, width - box.x1, height - box.y1), -PIXEL, "the legend is cut off")
                self.assertTrue(box.x0 >= ax.bbox.x1 - PIXEL or box.y1 <= ax.bbox.y0 + PIXEL, "the legend hides what is drawn")
            rows, columns = ax.get_gridspec().get_geometry() if ax.get_gridspec() else (1, 1)
            shares = ax.bbox.width * columns / width, ax.bbox.height * rows / height
            self.assertGreater(min(shares), 0.2, "there is too little room for what is drawn")

    def test_axes_without_a_layout(self):
        for name, draw in DRAW.items():
            for size in ((6.4, 4.8), (3.2, 2.4)):
                with self.subTest(name=name, size=size):
                    figure = plt.figure(figsize=size)
                    draw(figure.add_subplot())
                    self.check(figure)
                    plt.close(figure)

    def test_constrained_layout(self):
        for name in ("triangle", "hull", "tree of marginals", "marginals", "confusion", "tuning_grid"):
            with self.subTest(name=name):
                figure = plt.figure(figsize=(4.6, 3.6), layout="constrained")
                DRAW[name](figure.add_subplot())
                self.check(figure)
                plt.close(figure)

    def test_several_axes_and_axes_that_fill_the_figure(self):
        figure, axes = plt.subplots(2, 3, figsize=(10, 6))
        for ax, name in zip(axes.flat, ("marginals", "calibration", "confusion", "alignment", "hull", "tuning_grid")):
            DRAW[name](ax)
        self.check(figure)
        figure, axes = plt.subplots(1, 3, figsize=(9, 2.6))
        fenchel.plot.two_class(axes=axes)
        self.check(figure)
        figure = plt.figure(figsize=(5, 3))
        DRAW["hull"](figure.add_axes([0, 0, 1, 1]))
        self.check(figure)

    def test_after_tight_layout_and_with_a_title_of_the_caller(self):
        figure, ax = plt.subplots(figsize=(4, 3))
        DRAW["entropies"](ax)
        ax.set_title("a title that is longer than the axes with their legend, and would be cut off at both ends")
        figure.tight_layout()
        self.check(figure)

    def test_bbox_of_savefig(self):
        figure, ax = plt.subplots(figsize=(4, 3))
        DRAW["hull"](ax)
        figure.savefig(io.BytesIO(), bbox_inches="tight")
        self.check(figure)

    def test_other_layouts_are_left_alone(self):
        figure, ax = plt.subplots(figsize=(4, 3))
        place = ax.get_position()
        ax.set_axes_locator(lambda ax, renderer: place)
        DRAW["entropies"](ax)
        figure.canvas.draw()
        np.testing.assert_allclose(ax.get_position().extents, place.extents)

    def test_logs(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "a_run_with_a_long_name.jsonl"
            log.write_text("\n".join(json.dumps({"iteration": i, "seconds": i, "gap": 10.0**-i if i < 8 else 0.0})
                                     for i in range(1, 10)))
            figure, ax = plt.subplots(figsize=(3.2, 2.4))
            fenchel.plot.training_log(log, ax=ax)
            self.check(figure)

    def test_many_words(self):
        figure, ax = plt.subplots(figsize=(6.4, 3))
        fenchel.plot.tree([-1, *range(39)], [f"word{i}" for i in range(40)], ax)
        self.check(figure, smallest=3)

    def test_long_names_are_cut(self):
        names = [f"a class with a name of forty-three letters {i}" for i in range(12)]
        figure, ax = plt.subplots()
        fenchel.plot.confusion(np.eye(12), ax=ax, labels=names)
        self.check(figure)
        self.assertGreater(ax.bbox.width / figure.bbox.width, 0.35)
        texts = [label.get_text() for label in ax.get_yticklabels()]
        self.assertTrue(all(text.endswith("…") and name.startswith(text[:-1]) for text, name in zip(texts, names)), texts)
        figure, ax = plt.subplots()
        fenchel.plot.confusion(np.eye(3), ax=ax, labels=["setosa", "versicolor", "virginica"])
        self.check(figure)
        self.assertEqual([label.get_text() for label in ax.get_xticklabels()], ["setosa", "versicolor", "virginica"])

    def test_names_are_thinned_out(self):
        classes = [f"class {i}" for i in range(100)]
        shares = RANDOM.dirichlet(np.ones(40), 60)
        for name, size, draw in (
                ("30 classes", (2, 2), lambda ax: fenchel.plot.confusion(np.eye(30), ax=ax, labels=classes[:30])),
                ("100 classes", (6.4, 4.8), lambda ax: fenchel.plot.confusion(np.eye(100), ax=ax, labels=classes)),
                ("60 steps", (2, 2), lambda ax: fenchel.plot.marginals(shares, range(60), range(40), ax)),
                ("60 words", (3, 2), lambda ax: fenchel.plot.tree([-1, *range(59)], ["a long word"] * 60, ax))):
            with self.subTest(name):
                figure, ax = plt.subplots(figsize=size)
                draw(ax)
                self.check(figure)
                texts = [label.get_text() for label in ax.get_xticklabels()]
                self.assertTrue(texts[0])
                self.assertIn("", texts)

    def test_names_of_the_caller_stay(self):
        figure, ax = plt.subplots(figsize=(2, 2))
        fenchel.plot.confusion(np.eye(30), ax=ax, labels=range(30))
        ax.set_xticks([0, 29], ["first", "last"])
        figure.canvas.draw()
        self.assertEqual([label.get_text() for label in ax.get_xticklabels()], ["first", "last"])

    def test_numbers_at_ticks_are_apart(self):
        figure, axes = plt.subplots(1, 3, figsize=(4, 2))
        fenchel.plot.two_class(axes=axes)
        figure.canvas.draw()
        self.assertEqual(len({ax.title.get_fontsize() for ax in axes}), 1)
        other, ax = plt.subplots(figsize=(2, 2))
        fenchel.plot.losses({f"name {i}": fenchel.Tsallis(1 + i / 10) for i in range(12)}, ax)
        for figure in (figure, other):
            numbers = [(text, extent) for text, extent in drawn(figure, dpi=100)
                       if text.get_text().replace("−", "").replace(".", "").isdigit()]
            for (one, here), (two, there) in itertools.combinations(numbers, 2):
                self.assertFalse(here.overlaps(there) and one.axes is two.axes, f"{one.get_text()} touches {two.get_text()}")

    def test_whole_steps(self):
        figure, ax = plt.subplots()
        fenchel.plot.alignment([[1.0]], ax=ax)
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "one.jsonl"
            log.write_text(json.dumps({"iteration": 1, "seconds": 1, "gap": 0.1}))
            other, second = plt.subplots()
            fenchel.plot.training_log(log, ax=second)
        for of, axis in ((figure, ax.xaxis), (figure, ax.yaxis), (other, second.xaxis)):
            of.canvas.draw()
            low, high = axis.get_view_interval()
            self.assertEqual([tick % 1 for tick in axis.get_majorticklocs() if low <= tick <= high], [0])

    def test_scores_far_from_the_hull(self):
        figure, ax = plt.subplots()
        fenchel.plot.hull(RANKINGS, [100, 0, -100], ax=ax)
        self.check(figure)
        self.assertIn("farther out", ax.get_legend().get_texts()[0].get_text())
        structures = ax.lines[0].get_xydata()
        self.assertGreater(np.ptp(ax.transData.transform(structures), axis=0).min(), 50)  # pixels


if __name__ == "__main__":
    unittest.main()
