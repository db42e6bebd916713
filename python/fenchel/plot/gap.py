# SPDX-License-Identifier: Apache-2.0
"""The loss as a duality gap, for a single score (the paper's Figure 3)."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Tuple

import numpy as np

from .. import functions
from .._base import as_regularizer
from ._common import axes_or_new, beside

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def duality_gap(theta: float = 1.0, y: float = -1.0, omega: Any = "squared", ax: Optional[Axes] = None, *,
                span: Tuple[float, float] = (-2, 2)) -> Axes:
    """Ω(μ) of one number μ, and the tangent θμ − Ω*(θ) that touches it at ŷ_Ω(θ); at y they are the loss apart.

    Parameters
    ----------
    theta : float
        The score, the slope of the tangent.
    y : float
        The target.
    omega : Ω
        Over one number, such as ``"squared"`` or ``"sigmoid"``.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes if it is left out.
    span : pair of floats
        The least and the largest μ.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`, or the new axes.

    Examples
    --------
    >>> import fenchel.plot
    >>> ax = fenchel.plot.duality_gap(theta=0.8, y=0.1, omega="sigmoid", span=(0, 1))
    >>> ax.get_xlabel()
    'μ'
    """
    ax = axes_or_new(ax)
    omega = as_regularizer(omega)
    mu = np.linspace(*span, 401)
    ax.plot(mu, functions.value(mu[:, None], omega), label=r"$\Omega(\mu)$")
    conjugate = functions.conjugate([theta], omega)
    ax.plot(mu, theta * mu - conjugate, label=r"$\theta\mu - \Omega^*(\theta)$")
    touch = functions.predict([theta], omega)[0]
    low, high = theta * y - conjugate, functions.value([y], omega)
    ax.plot([y, y], [low, high], "o-", color="C3", markersize=5,
            label=rf"$L_\Omega(\theta; y)$ = {functions.loss([theta], [y], omega):.3g}")
    ax.plot(touch, theta * touch - conjugate, "o", color="black")
    for x, top, text in ((y, low, "$y$"), (touch, theta * touch - conjugate, r"$ŷ_\Omega(\theta)$")):
        ax.annotate(text, (x, top), xytext=(6, -4), textcoords="offset points", ha="left", va="top")
    ax.set(xlabel="μ")
    ax.margins(x=0.12)  # for the name of a point at the end
    beside(ax)
    return ax
