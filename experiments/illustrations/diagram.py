# SPDX-License-Identifier: Apache-2.0
"""Pieces of diagrams: bars for the entries of a vector, and arrows from one of the axes to another."""
from typing import Any, NamedTuple, Tuple

import numpy as np


def bars(ax, values, labels, title, color="tab:blue"):
    """The entries of a vector with their numbers."""
    ax.bar(range(len(values)), values, color=color, width=0.6)
    for i, value in enumerate(values):
        ax.annotate(f"{value:.2f}", (i, max(value, 0)), xytext=(0, 2), textcoords="offset points", ha="center", va="bottom",
                    fontsize="small")
    ax.axhline(0, color="black", linewidth=0.8)
    ax.set(title=title, yticks=[])
    ax.set_xticks(range(len(values)), labels, fontsize="small")
    ax.grid(False)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    ax.margins(y=0.2)
    middle = (len(values) - 1) / 2
    ax.set_xlim(middle - 2.2, middle + 2.2)


class Arrow(NamedTuple):
    """From one of the axes to another, level or upright, with the name of the map; the ends are fractions of each of them."""

    source: Any
    target: Any
    text: str
    start: Tuple[float, float] = (1.0, 0.5)
    end: Tuple[float, float] = (0.0, 0.5)


def arrows(fig, *several):
    """Draws arrows once everything else is drawn: a name stands above a level arrow, to the right of an upright one."""
    from matplotlib.patches import FancyArrowPatch

    fig.draw_without_rendering()  # so that the axes are where they will be
    place = fig.transFigure.inverted().transform
    for one in several:
        start, end = one.source.transAxes.transform(one.start), one.target.transAxes.transform(one.end)
        level = abs(end - start).argmax() == 0
        end[1 if level else 0] = start[1 if level else 0]
        fig.add_artist(FancyArrowPatch(place(start), place(end), transform=fig.transFigure, arrowstyle="-|>", mutation_scale=18,
                                       linewidth=1.6, color="dimgray", shrinkA=4, shrinkB=4)).set_in_layout(False)
        beside = (start + end) / 2 + np.array((0, 6) if level else (8, 0)) * fig.dpi / 72
        fig.text(*place(beside), one.text, ha="center" if level else "left", va="bottom" if level else "center", in_layout=False)
