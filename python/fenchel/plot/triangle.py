# SPDX-License-Identifier: Apache-2.0
"""Heat maps over three classes: on the triangle of probabilities, and on the plane of scores."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Optional, Sequence, Tuple, Union

import numpy as np

from .. import functions
from .._base import Regularizer, as_regularizer
from ._common import axes_or_new, label_of

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


def triangle(function: Union[Regularizer, str, Callable[[np.ndarray], np.ndarray]], ax: Optional[Axes] = None, *,
             labels: Sequence[str] = ("e₁", "e₂", "e₃"), levels: int = 15) -> Axes:
    """A heat map on the triangle: of the entropy −Ω, or of a function of probabilities [n, 3]."""
    from matplotlib.tri import Triangulation

    ax = axes_or_new(ax)
    steps = 80
    i, j = np.meshgrid(np.arange(steps + 1), np.arange(steps + 1))
    inside = i + j <= steps
    p = np.stack([i[inside], j[inside], steps - i[inside] - j[inside]], axis=1) / steps
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
    draw_triangle(ax, labels)
    return ax


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
