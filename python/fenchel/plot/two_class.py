# SPDX-License-Identifier: Apache-2.0
"""Entropies, predictions and losses of two classes, p = [t, 1 − t] and θ = [s, 0] (the paper's figure of all entropies)."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Optional, Sequence, Tuple

import numpy as np

from .. import functions
from .._base import Regularizer
from ..regularizers import Norm, Renyi, Shannon, SquaredNorm, Tsallis
from ._common import axes_or_new, beside, named, several_axes
from ._layout import SameTitles, keep_inside

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .._types import NamedOmegas

#: One of each family.
FAMILIES = {
    "Shannon": Shannon(),
    "Tsallis, α = 1.5": Tsallis(1.5),
    "Tsallis, α = 2": Tsallis(2.0),
    "norm, q = 2": Norm(2.0),
    "squared norm, q = 1.5": SquaredNorm(1.5),
    "Rényi, β = 2": Renyi(2.0),
}
_POINTS = 201


def _lines(ax: Optional[Axes], omegas: NamedOmegas, x: np.ndarray, y: Callable[[Regularizer], np.ndarray], **words: str) -> Axes:
    ax = axes_or_new(ax)
    for name, omega in named(omegas):
        ax.plot(x, y(omega), label=name)
    ax.set(**words)
    beside(ax)
    return ax


def _scores(span: Tuple[float, float]) -> Tuple[np.ndarray, np.ndarray]:
    s = np.linspace(*span, _POINTS)
    return s, np.stack([s, np.zeros_like(s)], axis=1)


def entropies(omegas: NamedOmegas = FAMILIES, ax: Optional[Axes] = None) -> Axes:
    """H(p) = −Ω([t, 1 − t]) for t in [0, 1] (paper §4).

    Parameters
    ----------
    omegas : Ω, list of them, or dict from names to them
        A line for each.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes if it is left out.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`, or the new axes.

    Examples
    --------
    >>> import fenchel.plot
    >>> ax = fenchel.plot.entropies(["softmax", "sparsemax"])
    >>> ax.get_title()
    'entropy −Ω([t, 1 − t])'

    See Also
    --------
    two_class, predictions, losses
    """
    t = np.linspace(0, 1, _POINTS)
    p = np.stack([t, 1 - t], axis=1)
    return _lines(ax, omegas, t, lambda omega: -functions.value(p, omega), xlabel="t", title="entropy −Ω([t, 1 − t])")


def predictions(omegas: NamedOmegas = FAMILIES, ax: Optional[Axes] = None, *, span: Tuple[float, float] = (-4, 4)) -> Axes:
    """The probability of the first class, ŷ_Ω([s, 0])₁.

    Parameters
    ----------
    omegas : Ω, list of them, or dict from names to them
        A line for each.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes if it is left out.
    span : pair of floats
        The least and the largest s.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`, or the new axes.

    Examples
    --------
    >>> import fenchel.plot
    >>> ax = fenchel.plot.predictions("sparsemax", span=(-2, 2))
    >>> ax.lines[0].get_ydata()[[0, 100, 200]].tolist()
    [0.0, 0.5, 1.0]

    See Also
    --------
    two_class, entropies, losses
    """
    s, theta = _scores(span)
    return _lines(ax, omegas, s, lambda omega: functions.predict(theta, omega)[:, 0], xlabel="s", title="prediction ŷ([s, 0])₁")


def losses(omegas: NamedOmegas = FAMILIES, ax: Optional[Axes] = None, *, span: Tuple[float, float] = (-4, 4)) -> Axes:
    """L_Ω([s, 0]; e₁), when the first class is right.

    Parameters
    ----------
    omegas : Ω, list of them, or dict from names to them
        A line for each.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes if it is left out.
    span : pair of floats
        The least and the largest s.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`, or the new axes.

    Examples
    --------
    >>> import fenchel.plot
    >>> ax = fenchel.plot.losses("sparsemax", span=(-2, 2))
    >>> ax.lines[0].get_ydata()[[0, 200]].tolist()
    [2.0, 0.0]

    See Also
    --------
    two_class, entropies, predictions
    """
    s, theta = _scores(span)
    y = np.zeros(len(s), dtype=np.int64)
    return _lines(ax, omegas, s, lambda omega: functions.loss(theta, y, omega), xlabel="s", title="loss L([s, 0]; e₁)")


def two_class(omegas: NamedOmegas = FAMILIES, axes: Optional[Sequence[Axes]] = None) -> Any:
    """Entropies, predictions and losses side by side, into three axes.

    Parameters
    ----------
    omegas : Ω, list of them, or dict from names to them
        A line for each.
    axes : sequence of three matplotlib.axes.Axes, optional
        Where to draw; new ones if they are left out.

    Returns
    -------
    sequence of matplotlib.axes.Axes
        `axes`, or the new ones. The last one has the legend.

    Examples
    --------
    >>> import fenchel.plot
    >>> axes = fenchel.plot.two_class({"Shannon": "softmax", "Gini": fenchel.Tsallis(2)})
    >>> len(axes)
    3

    See Also
    --------
    entropies, predictions, losses
    """
    if axes is None:
        import matplotlib.pyplot as plt

        axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")[1]
    for draw, ax in zip((entropies, predictions, losses), several_axes(axes, 3)):
        draw(omegas, ax)
    for ax in axes[:2]:
        if (legend := ax.get_legend()) is not None:  # one will do
            legend.remove()
    for ax in axes:
        keep_inside(ax, SameTitles(axes))
    return axes
