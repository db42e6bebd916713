# SPDX-License-Identifier: Apache-2.0
"""What several Ω make of the same scores of three classes: points of a cube with the simplex in it (the paper's Figure 2)."""
from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Optional, Sequence

import numpy as np

from .. import functions
from ..regularizers import Argmax, Shannon, Sigmoid, Tsallis
from ._common import axes_or_new, beside, finite_array, named, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .._types import NamedOmegas

#: The paper's four.
OPERATORS = {"argmax": Argmax(), "softmax": Shannon(), "sparsemax": Tsallis(2.0), "sigmoid": Sigmoid()}
_VIEW = np.array([[-0.45, -0.3], [1.0, -0.2], [0.0, 1.0]])  # where the three unit vectors are drawn


def _edges() -> np.ndarray:
    corners = np.array(list(product((0.0, 1.0), repeat=3)))
    return np.array([(a, b) for a in corners for b in corners if (b >= a).all() and (b - a).sum() == 1])


def simplex_predictions(theta: Sequence[float] = (1.5, 1.0, 0.2), omegas: NamedOmegas = OPERATORS,
                        ax: Optional[Axes] = None) -> Axes:
    """ŷ_Ω(θ) for scores of three classes in the unit cube, with the simplex in it (the paper's Figure 2).

    A dotted line leads from a point off the simplex to the nearest one of the simplex's plane.

    Parameters
    ----------
    theta : sequence of three floats
        The scores.
    omegas : Ω, list of them, or dict from names to them
        Whose predictions are drawn: objects, or texts such as ``"sparsemax"``.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes if it is left out.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`, or the new axes.

    Examples
    --------
    >>> import fenchel.plot
    >>> ax = fenchel.plot.simplex_predictions([1.5, 1.0, 0.2], ["softmax", "sparsemax"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['softmax [0.53, 0.32, 0.15]', 'sparsemax [0.75, 0.25, 0.00]']

    See Also
    --------
    hull, predictions
    """
    scores = finite_array("theta", theta)
    if scores.shape != (3,):
        raise ValueError(f"theta has the shape {scores.shape}; expected three scores")
    ax = axes_or_new(ax)
    for edge in _edges():
        ax.plot(*(edge @ _VIEW).T, color="lightgray", linewidth=1, zorder=1)
    ax.fill(*_VIEW.T, facecolor="tab:blue", edgecolor="black", alpha=0.15, zorder=2)
    for corner, label, (right, up) in zip(_VIEW, ("e₁", "e₂", "e₃"), [(-9, -9), (9, -9), (-9, 5)]):
        ax.annotate(label, corner, xytext=(right, up), textcoords="offset points", ha="center", va="center")
    for i, (name, omega) in enumerate(named(omegas)):
        point = functions.predict(scores, omega)
        ax.plot(*(point @ _VIEW), "o", color=f"C{i}", markersize=8, zorder=4, label=f"{name} {shown(point)}")
        foot = point - (point.sum() - 1) / 3
        if not np.allclose(point, foot):
            ax.plot(*(np.stack([point, foot]) @ _VIEW).T, ":", color=f"C{i}", zorder=3)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_axis_off()
    beside(ax, f"θ = {shown(scores, 'g')}")
    return ax
