# SPDX-License-Identifier: Apache-2.0
"""Heat maps over three classes: on the triangle of probabilities, and on the plane of scores."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from .. import functions
from .._base import Regularizer, as_regularizer
from ._common import axes_or_new, label_of, named

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    """A heat map on the triangle: of the entropy −Ω, or of a function of probabilities [n, 3]; `points` are marked on it."""
    from matplotlib.tri import Triangulation

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
    ax.figure.colorbar(shown, ax=ax, shrink=0.8)
    for i, (name, point) in enumerate((points or {}).items()):
        ax.plot(*to_plane(np.asarray(point)), "o", color=f"C{i + 1}", markeredgecolor="white", markersize=9, label=name, zorder=3,
                clip_on=False)
    if points:
        ax.legend(loc="upper left", fontsize="small", borderaxespad=0, handletextpad=0.2)
    draw_triangle(ax, labels)
    return ax


def entropy_contours(omegas: Any, axes: Any = None, *, levels: int = 10) -> Any:
    """Lines of equal entropy −Ω on a triangle for each Ω, each divided by its value in the center, so that shapes compare."""
    from matplotlib.tri import Triangulation

    pairs = named(omegas)
    if axes is None:
        import matplotlib.pyplot as plt

        axes = plt.subplots(1, len(pairs), figsize=(3.4 * len(pairs), 3.4), layout="constrained", squeeze=False)[1][0]
    p = _points(81)
    mesh = Triangulation(*to_plane(p).T)
    for ax, (name, omega) in zip(np.atleast_1d(axes), pairs):
        center = -functions.value(np.full(3, 1 / 3), omega)
        if not center > 0:
            raise ValueError(f"−Ω of {name} is {center:g} in the center; expected an entropy, which is > 0 there")
        heat = -functions.value(p, omega) / center
        ax.tricontourf(mesh, heat, levels=np.linspace(0, 1, levels + 1), extend="both")
        ax.tricontour(mesh, heat, levels=np.linspace(0, 1, levels + 1)[1:-1], colors="white", linewidths=0.8)
        ax.set_title(f"{name}\n{center:.3g} in the center", fontsize="medium", pad=16)
        draw_triangle(ax, ("e₁", "e₂", "e₃"))
    return axes


def score_plane(omega: Any, y: Any = 0, ax: Optional[Axes] = None, *, span: Tuple[float, float] = (-4, 4),
                levels: int = 15) -> Axes:
    """The loss L_Ω([θ₁, θ₂, 0]; y) over θ₁ and θ₂, and white lines where a class enters or leaves the support of ŷ."""
    ax = axes_or_new(ax)
    omega = as_regularizer(omega)
    grid = np.linspace(*span, 161)
    theta = np.zeros((grid.size, grid.size, 3))
    theta[..., 0], theta[..., 1] = np.meshgrid(grid, grid)
    target = np.asarray(y)
    target = np.broadcast_to(target, theta.shape[:2] if target.ndim == 0 else theta.shape)
    shown = ax.contourf(grid, grid, functions.loss(theta, target, omega), levels=levels)
    ax.figure.colorbar(shown, ax=ax, shrink=0.8, label="loss")
    support = functions.predict(theta, omega) > 0
    for k in range(3):
        if support[..., k].any() and not support[..., k].all():
            ax.contour(grid, grid, support[..., k].astype(float), levels=[0.5], colors="white", linewidths=0.8)
    ax.set(xlabel="θ₁", ylabel="θ₂", title=label_of(omega), aspect="equal")
    return ax
