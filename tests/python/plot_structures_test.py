# SPDX-License-Identifier: Apache-2.0
"""fenchel.plot of structures: trees, alignments and marginals of chains."""
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

WORDS = ["Old", "dogs", "sleep"]


def names(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


class Plots(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("error")
        self.addCleanup(plt.close, "all")
        self.ax = plt.figure().subplots()

    def refuses(self, pattern, function, *arguments, kind=ValueError, **options):
        with self.assertRaisesRegex(kind, pattern):
            function(*arguments, ax=self.ax, **options)


class Trees(Plots):
    def ends(self, ax):
        """Where the arcs begin and end, to the nearest word."""
        return [tuple(np.rint(patch._path_original.vertices[[0, -1], 0]).astype(int).tolist()) for patch in ax.patches]

    def test_heads(self):
        ax = fenchel.plot.tree([1, 2, -1], WORDS, self.ax)
        self.assertIs(ax, self.ax)
        self.assertEqual(self.ends(ax), [(1, 0), (2, 1), (2, 2)])
        tops = [patch._path_original.vertices[0, 1] for patch in ax.patches]
        self.assertEqual([top > 0 for top in tops], [False, False, True])  # the root's comes from above
        self.assertEqual(names(ax.xaxis), WORDS)
        self.assertIsNone(ax.get_legend())
        self.assertEqual(names(fenchel.plot.tree([-1]).xaxis), ["0"])

    def test_what_decode_returns(self):
        trees = fenchel.Arborescence(3).distribution([[0.0, 2.0, 0.0], [3.0, 0.0, 3.0], [0.0, 0.0, 2.0]])
        heads = trees.decode(trees.map)
        by_heads = fenchel.plot.tree(heads, ax=self.ax)
        by_arcs = fenchel.plot.tree(trees.map, ax=plt.figure().subplots())
        flat = fenchel.plot.tree(trees.map.ravel(), ax=plt.figure().subplots())
        self.assertEqual(self.ends(by_heads), self.ends(by_arcs))
        self.assertEqual(self.ends(by_heads), self.ends(flat))

    def test_weights_are_widths(self):
        trees = fenchel.Arborescence(3).distribution([[0.5, 2.0, 0.3], [1.0, 0.0, 1.0], [0.2, 0.0, 1.5]])
        weights = trees.marginals
        ax = fenchel.plot.tree(weights, WORDS, self.ax, least=0)
        self.assertEqual(len(ax.patches), 9)
        order = np.argsort(weights.ravel())
        self.assertEqual(np.argsort([patch.get_linewidth() for patch in ax.patches]).tolist(), order.tolist())
        self.assertEqual(np.argsort([patch.get_alpha() for patch in ax.patches]).tolist(), order.tolist())
        self.assertEqual([text.get_text() for text in ax.get_legend().get_texts()], ["weight 1", "weight 0.5", "weight 0.1"])
        few = fenchel.plot.tree(weights, ax=plt.figure().subplots(), least=0.3)
        self.assertEqual(len(few.patches), (weights >= 0.3).sum())

    def test_mixtures_are_their_mean(self):
        trees = fenchel.Arborescence(3).distribution([[0.5, 0.4, 0.3], [0.1, 0.0, 0.2], [0.2, 0.0, 0.5]])
        mixture = trees.sparsemap_mixture()
        self.assertGreater(len(mixture.weights), 1)
        widths = [[patch.get_linewidth() for patch in fenchel.plot.tree(arcs, ax=plt.figure().subplots()).patches]
                  for arcs in (mixture, trees.sparsemap)]
        np.testing.assert_allclose(*widths)
        self.refuses("KBest, whose scores are no weights", fenchel.plot.tree, trees.k_best(2), kind=TypeError)

    def test_gold(self):
        ax = fenchel.plot.tree([1, -1, 1], WORDS, self.ax, gold=[1, 2, -1])
        right, wrong = (matplotlib.colors.to_rgb(color) for color in ("C0", "C3"))
        self.assertEqual([patch.get_edgecolor()[:3] for patch in ax.patches], [right, wrong, wrong])  # 1 → 0, root → 1, 1 → 2

    def test_wrong_input(self):
        tree = fenchel.plot.tree
        self.refuses(r"arcs\[1\] is 3; expected another word of 0 to 2, or -1", tree, [1, 3, -1])
        self.refuses(r"arcs\[0\] is 0; expected another word", tree, [0, 0])
        self.refuses("expected heads|expected at least one", tree, np.zeros((0, 0)))
        self.refuses("expected a whole number per word", tree, np.zeros(0, int))
        self.refuses(r"arcs has shape \(2, 3\); expected heads \[n\]", tree, np.zeros((2, 3)))
        self.refuses(r"arcs has shape \(4, 3, 3\).*of one sentence", tree, np.zeros((4, 3, 3)))
        self.refuses(r"arcs\[0, 1\] is nan; expected finite", tree, [[0.5, np.nan], [0.5, 0.5]])
        self.refuses("weights from 0 to 2; expected 0 to 1", tree, [[0.0, 2.0], [0.0, 1.0]])
        self.refuses("tokens has 2 entries; expected 3, one for each word", tree, [1, 2, -1], ["a", "b"])
        self.refuses("tokens is 'abc'; expected a list", tree, [1, 2, -1], "abc", kind=TypeError)
        self.refuses("gold has 2 heads; expected 3", tree, [1, 2, -1], gold=[1, -1])
        with self.assertRaisesRegex(TypeError, "ax is list; expected axes of matplotlib"):
            tree([-1], ax=[])


class Alignments(Plots):
    a, b = np.array([0.0, 1.0, 2.0]), np.array([0.0, 0.0, 1.0, 2.0])

    def setUp(self):
        super().setUp()
        self.cost = (self.a[:, None] - self.b) ** 2

    def test_expected_alignment(self):
        expected = fenchel.soft_dtw(self.cost, 0.5, return_alignment=True)[1]
        ax = fenchel.plot.alignment(expected, self.a, self.b, self.ax)
        np.testing.assert_allclose(ax.images[0].get_array(), expected, atol=1e-12)
        self.assertEqual(ax.images[0].origin, "lower")
        bar, left, below = ax.child_axes
        np.testing.assert_array_equal(left.lines[0].get_xdata(), self.a)  # against its steps, from the bottom to the top
        np.testing.assert_array_equal(left.lines[0].get_ydata(), [0, 1, 2])
        np.testing.assert_array_equal(below.lines[0].get_ydata(), self.b)
        self.assertEqual(bar.get_ylabel(), "probability")

    def test_path(self):
        best = fenchel.dtw(self.cost, return_alignment=True)[1]
        cells = fenchel.Alignment(3, 4).decode(best)
        ax = fenchel.plot.alignment(cells, self.a, self.b, self.ax)
        np.testing.assert_array_equal(ax.images[0].get_array(), best)
        np.testing.assert_array_equal(ax.lines[0].get_xydata(), cells[:, ::-1])
        alone = fenchel.plot.alignment(cells)
        np.testing.assert_array_equal(alone.images[0].get_array(), best)
        self.assertEqual((alone.get_xlabel(), alone.get_ylabel()), ("step of b", "step of a"))

    def test_series_of_several_values(self):
        ax = fenchel.plot.alignment(np.eye(3), np.zeros((3, 2)), ax=self.ax)
        self.assertEqual(len(ax.child_axes[0].lines), 2)

    def test_wrong_input(self):
        alignment = fenchel.plot.alignment
        self.refuses(r"alignment has shape \(3, 4\); expected \(2, n\), steps of a", alignment, np.zeros((3, 4)), [0.0, 1.0])
        self.refuses(r"expected \(m, 3\)", alignment, np.zeros((3, 4)), None, [0.0, 1.0, 2.0])
        self.refuses(r"shape \(2, 3, 4\); expected \(m, n\)", alignment, np.zeros((2, 3, 4)))
        self.refuses(r"shape \(3, 3\) and dtype int64; expected the cells of a path", alignment, np.eye(3, dtype=int))
        self.refuses(r"reaches the cell \[5, 5\]; expected steps below \[3, 6\]", alignment, [[0, 0], [5, 5]], self.a)
        self.refuses(r"has the cell \[-1, 0\]", alignment, [[-1, 0], [0, 0]])
        self.refuses("entries from 0 to 2; expected 0 to 1", alignment, 2 * np.eye(3))
        self.refuses(r"alignment\[0, 0\] is nan", alignment, np.full((2, 2), np.nan))
        self.refuses(r"a\[1\] is nan", alignment, np.eye(2), [0.0, np.nan])
        self.refuses(r"alignment has shape \(0, 3\); expected at least one", alignment, np.zeros((0, 3)))


class Chains(Plots):
    chain = fenchel.Chain(n=3, m=2)

    def mu(self):
        theta = self.chain.scores([[1.0, 0.0], [0.0, 2.0], [0.5, 0.0]], [[0.5, 0.0], [0.0, 0.5]])
        return self.chain.distribution(theta).marginals

    def test_chain(self):
        states, pairs = self.chain.parts(self.mu())
        ax = fenchel.plot.marginals((states, pairs), WORDS, ["a", "b"], self.ax)
        np.testing.assert_allclose(ax.images[0].get_array(), states.T)
        np.testing.assert_allclose(ax.child_axes[0].images[0].get_array(), pairs)
        self.assertEqual((names(ax.xaxis), names(ax.yaxis), names(ax.child_axes[0].xaxis)), (WORDS, ["a", "b"], ["a", "b"]))
        self.assertEqual(ax.texts[0].get_text(), f"{states[0, 0]:.2f}"[1:])
        alone = fenchel.plot.marginals((states, pairs), transitions=False)
        self.assertEqual(alone.child_axes[0].get_ylabel(), "probability")
        self.assertEqual(alone.get_xlabel(), "step")

    def test_sequences_are_chains_with_pairs_at_each_step(self):
        states = np.array([[1.0, 0.0], [0.0, 2.0], [0.5, 0.0]])
        transitions = np.array([[0.5, 0.0], [0.0, 0.3]])
        theta = np.repeat(states[:, :, None], 2, axis=2)
        theta[1:] += transitions.T  # [step, state, state before]
        mu = fenchel.Sequence(3, 2).distribution(theta).marginals
        ax = fenchel.plot.marginals(mu, ax=self.ax)
        expected = self.chain.parts(self.chain.distribution(self.chain.scores(states, transitions)).marginals)
        np.testing.assert_allclose(ax.images[0].get_array(), expected[0].T)
        np.testing.assert_allclose(ax.child_axes[0].images[0].get_array(), expected[1])

    def test_padding_is_left_out(self):
        theta = self.chain.scores(np.zeros((1, 3, 2)), np.zeros((2, 2)))
        mu = self.chain.distribution(theta, lengths=[2]).marginals[0]
        ax = fenchel.plot.marginals(self.chain.parts(mu), WORDS[:2], ax=self.ax)
        self.assertEqual(ax.images[0].get_array().shape, (2, 2))

    def test_wrong_input(self):
        marginals = fenchel.plot.marginals
        self.refuses(r"mu has shape \(10,\); expected .*chain.parts\(mu\)", marginals, self.mu())
        self.refuses("with the sum 0.6 at step 0; expected those of states", marginals, [[0.3, 0.3], [0.5, 0.5]])
        self.refuses("probabilities from -0.5", marginals, [[-0.5, 1.5]])
        self.refuses("mu is 0 everywhere", marginals, np.zeros((2, 2)))
        self.refuses(r"mu\[0, 0\] is nan", marginals, [[np.nan, 1.0]])
        self.refuses("expected at least one", marginals, np.zeros((0, 2)))
        self.refuses(r"transitions of shape \(3, 3\); expected \(2, 2\)", marginals, ([[0.5, 0.5]], np.zeros((3, 3))))
        self.refuses("mu has 1 parts", marginals, ([[0.5, 0.5]],))
        self.refuses("tokens has 1 entries; expected 2, one for each step", marginals, [[1.0, 0.0]] * 2, ["a"])
        self.refuses("states has 3 entries; expected 2, one for each state", marginals, [[1.0, 0.0]], None, ["a", "b", "c"])


if __name__ == "__main__":
    unittest.main()
