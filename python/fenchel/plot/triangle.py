# SPDX-License-Identifier: Apache-2.0
"""Heat maps over three classes: on the triangle of probabilities, and on the plane of scores."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from .. import functions
from .._base import Regularizer, as_regularizer
from ._borders import borders
from ._common import axes_or_new, beside, finite_array, label_of, named, several_axes
from ._heat import color_bar

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .._types import NamedOmegas, OmegaLike

CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])


def to_plane(p: np.ndarray) -> np.ndarray:
    """Points of the triangle's plane: Σ_i p_i corner_i."""
    return p @ CORNERS


def draw_triangle(ax: Axes, labels: Sequence[str]) -> None:
    """The outline and the names of the corners."""
    ax.fill(*CORNERS.T, fill=False, color="black", linewidth=1)
    for corner, label, (across, along) in zip(CORNERS, labels, [("right", "top"), ("left", "top"), ("center", "bottom")]):
        ax.annotate(label, corner, xytext=(0, 4 if along == "bottom" else -4), textcoords="offset points", ha=across, va=along)
    ax.set_aspect("equal")
    ax.set_axis_off()


def _points(steps: int) -> np.ndarray:
    """A grid of the triangle, [n, 3], corners and center included if 3 divides `steps`."""
    i, j = np.meshgrid(np.arange(steps + 1), np.arange(steps + 1))
    inside = i + j <= steps
    return np.stack([i[inside], j[inside], steps - i[inside] - j[inside]], axis=1) / steps


def triangle(function: Union[Regularizer, str, Callable[[np.ndarray], np.ndarray]], ax: Optional[Axes] = None, *,
             labels: Sequence[str] = ("e₁", "e₂", "e₃"), levels: int = 15,
             points: Optional[Mapping[str, Sequence[float]]] = None) -> Axes:
    """A heat map on the triangle of probabilities: of the entropy −Ω, or of any function.

    Parameters
    ----------
    function : Ω or callable
        An Ω, or a function of probabilities [n, 3] that returns n numbers.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes if it is left out.
    labels : sequence of three str
        The names of the corners.
    levels : int
        How many colors there are, about.
    points : dict from names to three floats, optional
        Probabilities to mark.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`, or the new axes.

    Examples
    --------
    >>> import fenchel.plot
    >>> ax = fenchel.plot.triangle("sparsemax", points={"center": [1 / 3, 1 / 3, 1 / 3]})
    >>> ax.get_title()
    '−Ω: tsallis, alpha = 2'

    See Also
    --------
    entropy_contours, score_plane
    """
    from matplotlib.tri import Triangulation

    marked = {name: finite_array(f"points[{name!r}]", point) for name, point in (points or {}).items()}
    for name, point in marked.items():
        if point.shape != (3,):
            raise ValueError(f"points[{name!r}] has the shape {point.shape}; expected (3,), three probabilities")
    ax = axes_or_new(ax)
    p = _points(81)
    if callable(function):
        heat = np.asarray(function(p), dtype=np.float64)
        if heat.shape != (len(p),):
            raise ValueError(f"function returned the shape {heat.shape}; expected ({len(p)},), a number for each row of p")
    else:
        omega = as_regularizer(function)
        heat = -functions.value(p, omega)
        ax.set_title(f"−Ω: {label_of(omega)}", pad=16)
    shown = ax.tricontourf(Triangulation(*to_plane(p).T), heat, levels=levels)
    color_bar(ax, shown)
    for i, (name, point) in enumerate(marked.items()):
        ax.plot(*to_plane(point), "o", color=f"C{i + 1}", markeredgecolor="white", markersize=9, label=name, zorder=3,
                clip_on=False)
    if marked:
        beside(ax)
    draw_triangle(ax, labels)
    return ax


def entropy_contours(omegas: NamedOmegas, axes: Union[Axes, Sequence[Axes], None] = None, *, levels: int = 10) -> Any:
    """Lines of equal entropy −Ω on a triangle for each Ω, each divided by its value in the center, so that shapes compare.

    Parameters
    ----------
    omegas : Ω, list of them, or dict from names to them
        A triangle for each.
    axes : matplotlib.axes.Axes or sequence of them, optional
        Where to draw, one for each Ω; new ones if they are left out.
    levels : int
        How many steps there are from 0 to the center.

    Returns
    -------
    matplotlib.axes.Axes or sequence of them
        `axes`, or the new ones.

    Examples
    --------
    >>> import fenchel.plot
    >>> axes = fenchel.plot.entropy_contours({"Gini": "sparsemax", "Shannon": "softmax"})
    >>> [ax.get_title() for ax in axes]
    ['Gini\\n0.333 in the center', 'Shannon\\n1.1 in the center']

    See Also
    --------
    triangle, entropies
    """
    from matplotlib.tri import Triangulation

    pairs = named(omegas)
    if axes is None:
        import matplotlib.pyplot as plt

        axes = plt.subplots(1, len(pairs), figsize=(3.4 * len(pairs), 3.4), layout="constrained", squeeze=False)[1][0]
    p = _points(81)
    mesh = Triangulation(*to_plane(p).T)
    for ax, (name, omega) in zip(several_axes(np.atleast_1d(np.asarray(axes, dtype=object)), len(pairs)), pairs):
        center = -functions.value(np.full(3, 1 / 3), omega)
        if not center > 0:
            raise ValueError(f"−Ω of {name} is {center:g} in the center; expected an entropy, which is > 0 there")
        heat = -functions.value(p, omega) / center
        ax.tricontourf(mesh, heat, levels=np.linspace(0, 1, levels + 1), extend="both")
        ax.tricontour(mesh, heat, levels=np.linspace(0, 1, levels + 1)[1:-1], colors="white", linewidths=0.8)
        ax.set_title(f"{name}\n{center:.3g} in the center", fontsize="medium", pad=16)
        draw_triangle(ax, ("e₁", "e₂", "e₃"))
    return axes


def score_plane(omega: OmegaLike, y: Union[int, Sequence[float]] = 0, ax: Optional[Axes] = None, *,
                span: Tuple[float, float] = (-4, 4), levels: int = 15) -> Axes:
    """The loss L_Ω([θ₁, θ₂, 0]; y) over θ₁ and θ₂, and white lines where a class enters or leaves the support of ŷ.

    Parameters
    ----------
    omega : Ω
        For three classes.
    y : int or three floats
        The target: a class, or probabilities.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes if it is left out.
    span : pair of floats
        The least and the largest score.
    levels : int
        How many colors there are, about.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`, or the new axes.

    Examples
    --------
    >>> import fenchel.plot
    >>> ax = fenchel.plot.score_plane("sparsemax", y=0)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('θ₁', 'θ₂')

    See Also
    --------
    losses, triangle
    """
    from matplotlib.collections import LineCollection

    ax = axes_or_new(ax)
    omega = as_regularizer(omega)
    grid = np.linspace(*span, 161)
    theta = np.zeros((grid.size, grid.size, 3))
    theta[..., 0], theta[..., 1] = np.meshgrid(grid, grid)
    target = np.asarray(y)
    target = np.broadcast_to(target, theta.shape[:2] if target.ndim == 0 else theta.shape)
    ax.grid(False)
    shown = ax.contourf(grid, grid, functions.loss(theta, target, omega), levels=levels)
    color_bar(ax, shown, "loss")
    support = functions.predict(theta, omega) > 0
    for k in range(3):
        def inside(scores: np.ndarray, k: int = k) -> np.ndarray:
            return functions.predict(np.column_stack([scores, np.zeros(len(scores))]), omega)[:, k] > 0

        ax.add_collection(LineCollection(borders(inside, support[..., k], grid, grid), colors="white", linewidths=0.8))
    ax.set(xlabel="θ₁", ylabel="θ₂", title=label_of(omega), aspect="equal")
    return ax
