# SPDX-License-Identifier: Apache-2.0
"""What several Ω over a set of structures make of the same scores: points of its convex hull (as in the paper's Figure 1)."""
from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy as np

from .. import functions
from .._base import Polytope, Regularizer, as_regularizer, polytope_of
from ..regularizers import Map, MaximumEntropy, Shannon, SparseMap
from ._common import axes_or_new, beside, finite_array, named, shown
from .triangle import to_plane

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .._types import NamedOmegas, PolytopeLike

_MOST = 1000  # structures in a picture
_FARTHEST = 4.0  # times as far from the middle as the structures: θ beyond it is a direction, or nothing else could be seen


def _structures(polytope: Polytope) -> np.ndarray:
    """Y, if its hull can be drawn: of two numbers, or of three with a constant sum."""
    size = polytope.dimension
    y = np.asarray(polytope.distribution(np.zeros(size)).k_best(_MOST).structures if size in (2, 3) else ())
    if len(y) < 3 or (size == 3 and np.ptp(y.sum(axis=1)) > 1e-9):
        raise ValueError(f"the hull of {polytope!r} cannot be drawn; expected structures of two numbers, "
                         "or of three with a constant sum")
    return y


def _outline(ax: Axes, y: np.ndarray, corners: np.ndarray) -> None:
    """The hull, and its structures with their entries outside of it."""
    away = corners - corners.mean(axis=0)
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    ax.fill(*corners[np.argsort(np.arctan2(*away.T))].T, facecolor="tab:blue", edgecolor="black", alpha=0.15)
    ax.plot(*corners.T, "o", color="white", markeredgecolor="black", markersize=5)
    for structure, corner, out in zip(y, corners, away):
        across, along = np.where(abs(out) < 0.3, 0, np.sign(out)).astype(int) + 1
        ax.annotate(shown(structure, "g"), corner, xytext=13 * out, textcoords="offset points", fontsize="small",
                    ha=("right", "center", "left")[across], va=("top", "center", "bottom")[along])
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.margins(x=0.3, y=0.2)


def _over(omega: Any, polytope: Polytope) -> Regularizer:
    """An Ω; a name of one over structures, such as "sparsemap", means that over this set."""
    if isinstance(omega, str) and ":" not in omega:
        with contextlib.suppress(ValueError):  # one that has no set, such as "softmax"
            return Regularizer(omega, polytope=polytope)
    return as_regularizer(omega)


def hull(polytope: PolytopeLike, theta: Sequence[float], omegas: Optional[NamedOmegas] = None, ax: Optional[Axes] = None) -> Axes:
    """conv(Y) with its structures, θ, and ŷ_Ω(θ) for some Ω over Y: unless told, MAP, SparseMAP and maximum entropy.

    Y has structures of two numbers, or of three with a constant sum, such as rankings of three items; θ is then drawn
    at the nearest point of their plane. Of one that is far away only the direction is drawn.

    Parameters
    ----------
    polytope : Polytope, str or dict
        The set of structures Y.
    theta : sequence of floats
        The scores.
    omegas : Ω, list of them, or dict from names to them, optional
        Whose predictions are drawn; names such as ``"sparsemap"`` are over `polytope`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes if it is left out.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`, or the new axes.

    Examples
    --------
    >>> import fenchel.plot
    >>> ax = fenchel.plot.hull(fenchel.Permutahedron([3, 2, 1]), [1.75, 1.45, -0.22])
    >>> [text.get_text() for text in ax.get_legend().get_texts()][1]
    'MAP [3.00, 2.00, 1.00]'

    See Also
    --------
    simplex_predictions, permutahedra, fenchel.predict
    """
    polytope = polytope_of(polytope)
    y = _structures(polytope)
    scores = finite_array("theta", theta)
    if scores.shape != y.shape[1:]:
        raise ValueError(f"theta has the shape {scores.shape}; expected {y.shape[1:]}, that of the structures")
    ax = axes_or_new(ax)
    if omegas is None:
        omegas = {"MAP": Map(polytope), "SparseMAP": SparseMap(polytope),
                  "maximum entropy": MaximumEntropy(polytope, Shannon())}
    three = y.shape[1] == 3
    flat: Any = to_plane if three else np.asarray
    near = flat(scores + (y[0].sum() - scores.sum()) / 3 if three else scores)
    corners, center = flat(y), flat(y.mean(axis=0))
    _outline(ax, y, corners)
    far = np.linalg.norm(near - center) / (_FARTHEST * np.linalg.norm(corners - center, axis=1).max())
    end = near if far <= 1 else center + (near - center) / far
    ax.annotate("", end, xytext=center, arrowprops={"arrowstyle": "->", "color": "gray"})
    ax.plot(*end, "x" if far <= 1 else "", color="black", markersize=8, zorder=4,
            label=f"θ = {shown(scores, 'g')}" + ("" if far <= 1 else ", farther out"))
    for i, (name, omega) in enumerate(named(omegas, lambda omega: _over(omega, polytope)), 1):
        point = functions.predict(scores, omega)
        ax.plot(*flat(point), "o", color=f"C{i}", markersize=8, label=f"{name} {shown(point)}")
    beside(ax)
    return ax
