# SPDX-License-Identifier: Apache-2.0
"""Figures: a sentence with the trees that SparseMAP mixes, the CRF's marginals of it, and how many trees there are."""
import numpy as np

from .. import figures

BLUE, RED = "#1f5fa8", "#c0392b"
FRAME_X, FRAME_Y = np.array([[-0.5, 0.5, 0.5, -0.5, -0.5], [-0.5, -0.5, 0.5, 0.5, -0.5]]) * 0.94  # around a cell


def draw(results, folder):
    found = results.get("vi_trees")
    if not found:
        return
    _histogram(found, folder)
    if found["sentence"]:
        _trees(found["sentence"], folder)
        _marginals(found["sentence"], folder)


def _histogram(found, folder):
    with figures.figure(folder, "parsing_tree_counts", size=(5.6, 2.8)) as (_, axes):
        numbers, counts = zip(*found["counts"])
        axes.bar(numbers, counts, width=0.9, color=BLUE)
        axes.set_yscale("log")
        axes.set_xlabel("trees in the mixture")
        axes.set_ylabel("test sentences")


def _trees(sentence, folder):
    """One row for each tree, above the words; arcs that are not in the gold tree in red."""
    count, width = len(sentence["trees"]), max(7.0, 1.05 * len(sentence["words"]))
    with figures.figure(folder, "parsing_trees", count, 1, size=(width, 2.2), squeeze=False) as (_, axes):
        for panel, tree, weight in zip(axes[:, 0], sentence["trees"], sentence["weights"]):
            _arcs(panel, tree, sentence["gold"])
            panel.set_xlim(-0.6, len(tree) - 0.4)
            panel.set_ylim(-0.55, _top(tree) + 0.2)
            for m, word in enumerate(sentence["words"]):
                panel.text(m, -0.12, word, ha="center", va="top")
            panel.set_title(f"weight {weight:.2f}", loc="left", fontsize=10)
            panel.axis("off")


def _arcs(panel, tree, gold):
    for m, h in enumerate(tree):
        color = BLUE if h == gold[m] else RED
        if h < 0:
            panel.annotate("", (m, 0), (m, _top(tree)), arrowprops={"arrowstyle": "->", "color": color})
            continue
        place = np.linspace(0, np.pi, 60)
        left, right = sorted((h + 0.08 * np.sign(m - h), m - 0.08 * np.sign(m - h)))
        x = (left + right) / 2 - (right - left) / 2 * np.cos(place)
        y = 0.55 * abs(h - m) * np.sin(place) ** 0.7
        panel.plot(x, y, color=color, linewidth=1.4)
        end = -1 if m > h else 0
        before = end - 3 if m > h else 3
        panel.annotate("", (x[end], 0), (x[before], y[before]), arrowprops={"arrowstyle": "->", "color": color})


def _top(tree):
    """Above the highest arc."""
    return 0.62 * max(2, *(abs(h - m) for m, h in enumerate(tree) if h >= 0)) + 0.2


def _marginals(sentence, folder):
    """P(head | word) by the CRF, the root first; gold arcs are framed."""
    words = sentence["words"]
    marginals = np.array(sentence["marginals"])
    with_root = np.vstack([np.diag(marginals), np.where(np.eye(len(words), dtype=bool), 0, marginals)])
    with figures.figure(folder, "parsing_marginals", size=(6.4, 5.6)) as (fig, axes):
        image = axes.imshow(with_root, cmap="Blues", vmin=0, vmax=1)
        for m, h in enumerate(sentence["gold"]):
            axes.plot(m + FRAME_X, h + 1 + FRAME_Y, color=RED, linewidth=1.2)
        for (h, m), value in np.ndenumerate(with_root):
            if value >= 0.01:
                axes.text(m, h, f"{value:.2f}".lstrip("0"), ha="center", va="center", fontsize=8,
                          color="white" if value > 0.5 else "black")
        axes.set_xticks(range(len(words)), words, rotation=45, ha="right")
        axes.set_yticks(range(len(words) + 1), ["root", *words])
        axes.set_xlabel("word")
        axes.set_ylabel("head")
        axes.grid(False)
        fig.colorbar(image, label="probability of the arc")
