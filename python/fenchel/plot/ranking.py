# SPDX-License-Identifier: Apache-2.0
"""Rankings of three items: permutahedra, and losses over them (the paper's two figures in §7.3)."""
from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any, Iterable, Optional, Sequence, Tuple

import numpy as np

from .. import functions
from ..polytopes import Permutahedron
from ..regularizers import Entropic, Map, SparseMap
from ._common import axes_or_new, beside, finite_array, several_axes, shown
from .triangle import CORNERS, draw_triangle, to_plane

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The simplex, the capped simplex and two between them.
INSTANCES = ((1, 0, 0), (1 / 2, 1 / 2, 0), (2 / 3, 1 / 3, 0), (1 / 2, 1 / 3, 1 / 6))


def permutahedra(ws: Iterable[Sequence[float]] = INSTANCES, ax: Optional[Axes] = None) -> Axes:
    """The permutahedra of some w ≥ 0 of three entries, scaled to Σ w = 1, in the plane of the triangle.

    Parameters
    ----------
    ws : iterable of sequences of three floats
        The weights of the places.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes if it is left out.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`, or the new axes.

    Examples
    --------
    >>> import fenchel.plot
    >>> ax = fenchel.plot.permutahedra([[1, 0, 0], [3, 2, 1]])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['w = [1, 0, 0]', 'w = [3, 2, 1]']

    See Also
    --------
    hull, fenchel.Permutahedron
    """
    from matplotlib.colors import to_rgb

    ax = axes_or_new(ax)
    for i, given in enumerate(ws):
        w = np.asarray(given, dtype=np.float64)
        if w.shape != (3,) or not (w >= 0).all() or not 0 < w.sum() < np.inf:
            raise ValueError(f"w is {w.tolist()}; expected three numbers, not negative and not all 0")
        corners = to_plane(np.array(sorted(set(permutations((w / w.sum()).tolist())))))
        center = CORNERS.mean(axis=0)
        corners = corners[np.argsort(np.arctan2(*(corners - center).T))]
        color = np.array(to_rgb(f"C{i}"))
        ax.fill(*corners.T, facecolor=0.5 + 0.5 * color, edgecolor=color, label=f"w = {shown(w, '.3g')}",
                zorder=2 - np.linalg.norm(w) / w.sum())  # a set that holds another one is behind it
        ax.plot(*corners.T, "o", color=color, markersize=5, zorder=3, clip_on=False)
    draw_triangle(ax, ("e₁", "e₂", "e₃"))
    beside(ax)
    return ax


def ranking_losses(w: Sequence[float] = (3, 2, 1), y: Sequence[float] = (2, 1, 3), axes: Optional[Sequence[Axes]] = None, *,
                   span: Tuple[float, float] = (-2, 6)) -> Any:
    """Losses over the permutahedron of w as each score moves away from θ = y, one of the axes for each score.

    Ω = 0 gives a loss of 0 as long as the order is right; ½‖·‖² and Σ μ log μ are smooth approximations of it.

    Parameters
    ----------
    w : sequence of floats
        The weights of the places.
    y : sequence of floats
        The target, an order of w, and the scores from which each moves.
    axes : sequence of matplotlib.axes.Axes, optional
        Where to draw, one for each score; new ones if they are left out.
    span : pair of floats
        The least and the largest score.

    Returns
    -------
    sequence of matplotlib.axes.Axes
        `axes`, or the new ones.

    Examples
    --------
    >>> import fenchel.plot
    >>> axes = fenchel.plot.ranking_losses(w=[3, 2, 1], y=[2, 1, 3])
    >>> [ax.get_xlabel() for ax in axes]
    ['score of item 1', 'score of item 2', 'score of item 3']

    See Also
    --------
    hull, permutahedra
    """
    target = finite_array("y", y)
    if axes is None:
        import matplotlib.pyplot as plt

        axes = plt.subplots(1, target.size, figsize=(4.3 * target.size, 4), sharey=True, layout="constrained",
                            squeeze=False)[1][0]
    polytope = Permutahedron(w)
    omegas = {"Ω = 0": Map(polytope), "Ω = ½‖·‖²": SparseMap(polytope), "Ω = Σ μ log μ": Entropic(polytope)}
    moved = np.linspace(*span, 201)
    for i, ax in enumerate(several_axes(axes, target.size)):
        theta = np.tile(target, (moved.size, 1))
        theta[:, i] = moved
        for name, omega in omegas.items():
            ax.plot(moved, functions.loss(theta, np.tile(target, theta.shape[:1] + (1,)), omega), label=name)
        ax.set(xlabel=f"score of item {i + 1}")
    axes[0].set(ylabel="loss")
    beside(axes[-1])
    return axes
