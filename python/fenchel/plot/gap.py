# SPDX-License-Identifier: Apache-2.0
"""The loss as a duality gap, for a single score (the paper's Figure 3)."""
from __future__ import annotations

from typing import TYPE_CHECKING, Optional, Tuple

import numpy as np

from .. import functions
from .._arguments import number_of
from .._base import as_regularizer
from ._common import axes_or_new, beside

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .._types import OmegaLike

_SPANS = {"cube": (0.0, 1.0), "simplex": (0.0, 1.0), "cone": (0.0, 2.0)}  # of μ, where Ω is not defined everywhere


def duality_gap(theta: float = 1.0, y: float = -1.0, omega: OmegaLike = "squared", ax: Optional[Axes] = None, *,
                span: Optional[Tuple[float, float]] = None) -> Axes:
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
    span : pair of floats, optional
        The least and the largest μ; from −2 (0 where Ω asks for that) to 2, and y and ŷ, if it is left out.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`, or the new axes.

    Examples
    --------
    >>> import fenchel.plot
    >>> ax = fenchel.plot.duality_gap(theta=0.8, y=0.1, omega="sigmoid")
    >>> ax.get_xlabel()
    'μ'

    See Also
    --------
    losses, fenchel.loss
    """
    theta, y = number_of("theta", theta), number_of("y", y)
    made = as_regularizer(omega)
    touch = float(functions.predict([theta], made)[0])
    low, high = _SPANS.get(made.domain, (-2.0, 2.0))
    ends = (min(low, y, touch), max(high, y, touch)) if span is None else span
    mu = np.linspace(ends[0], ends[1], 401)
    try:
        values = functions.value(mu[:, None], made)
    except ValueError as error:
        raise ValueError(f"omega is {omega!r} and μ goes from {ends[0]:g} to {ends[1]:g}; expected an Ω of one number that is "
                         f"defined there, or another span: {error}") from None
    ax = axes_or_new(ax)
    ax.plot(mu, values, label=r"$\Omega(\mu)$")
    conjugate = functions.conjugate([theta], made)
    ax.plot(mu, theta * mu - conjugate, label=r"$\theta\mu - \Omega^*(\theta)$")
    low, high = theta * y - conjugate, functions.value([y], made)
    ax.plot([y, y], [low, high], "o-", color="C3", markersize=5,
            label=rf"$L_\Omega(\theta; y)$ = {functions.loss([theta], [y], made):.3g}")
    ax.plot(touch, theta * touch - conjugate, "o", color="black")
    for x, top, text in ((y, low, "$y$"), (touch, theta * touch - conjugate, r"$ŷ_\Omega(\theta)$")):
        at_the_end = x > mu[0] + 0.9 * (mu[-1] - mu[0])  # where there is no room to the right of it
        ax.annotate(text, (x, top), xytext=(-6 if at_the_end else 6, -4), textcoords="offset points",
                    ha="right" if at_the_end else "left", va="top")
    ax.set(xlabel="μ")
    ax.margins(x=0.12, y=0.12)  # for the name of a point at the end
    beside(ax)
    return ax
