# SPDX-License-Identifier: Apache-2.0
"""Entropies, predictions and losses of two classes, p = [t, 1 − t] and θ = [s, 0] (the paper's figure of all entropies)."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Optional, Tuple

import numpy as np

from .. import functions
from .._base import Regularizer
from ..regularizers import Norm, Renyi, Shannon, SquaredNorm, Tsallis
from ._common import axes_or_new, named

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: One of each family.
FAMILIES = {
    "Shannon": Shannon(),
    "Tsallis, α = 1.5": Tsallis(1.5),
    "Tsallis, α = 2": Tsallis(2.0),
    "norm, q = 2": Norm(2.0),
    "squared norm, q = 1.5": SquaredNorm(1.5),
    "Rényi, β = 2": Renyi(2.0),
}
_POINTS = 401


def _lines(ax: Optional[Axes], omegas: Any, x: np.ndarray, y: Callable[[Regularizer], np.ndarray], **words: str) -> Axes:
    ax = axes_or_new(ax)
    for name, omega in named(omegas):
        ax.plot(x, y(omega), label=name)
    ax.set(**words)
    ax.legend(fontsize="small")
    return ax


def _scores(span: Tuple[float, float]) -> Tuple[np.ndarray, np.ndarray]:
    s = np.linspace(*span, _POINTS)
    return s, np.stack([s, np.zeros_like(s)], axis=1)


def entropies(omegas: Any = FAMILIES, ax: Optional[Axes] = None) -> Axes:
    """H(p) = −Ω([t, 1 − t]) for t in [0, 1] (paper §4)."""
    t = np.linspace(0, 1, _POINTS)
    p = np.stack([t, 1 - t], axis=1)
    return _lines(ax, omegas, t, lambda omega: -functions.value(p, omega), xlabel="t", title="entropy −Ω([t, 1 − t])")


def predictions(omegas: Any = FAMILIES, ax: Optional[Axes] = None, *, span: Tuple[float, float] = (-4, 4)) -> Axes:
    """The probability of the first class, ŷ_Ω([s, 0])₁."""
    s, theta = _scores(span)
    return _lines(ax, omegas, s, lambda omega: functions.predict(theta, omega)[:, 0], xlabel="s", title="prediction ŷ([s, 0])₁")


def losses(omegas: Any = FAMILIES, ax: Optional[Axes] = None, *, span: Tuple[float, float] = (-4, 4)) -> Axes:
    """L_Ω([s, 0]; e₁), when the first class is right."""
    s, theta = _scores(span)
    y = np.zeros(len(s), dtype=np.int64)
    return _lines(ax, omegas, s, lambda omega: functions.loss(theta, y, omega), xlabel="s", title="loss L([s, 0]; e₁)")


def two_class(omegas: Any = FAMILIES, axes: Any = None) -> Any:
    """Entropies, predictions and losses side by side, into three axes."""
    if axes is None:
        import matplotlib.pyplot as plt

        axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")[1]
    for draw, ax in zip((entropies, predictions, losses), axes):
        draw(omegas, ax)
    for ax in axes[:2]:  # one legend will do
        ax.get_legend().remove()
    return axes
