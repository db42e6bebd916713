# SPDX-License-Identifier: Apache-2.0
"""Marginals of chains: the probability of each state at each step, and of going from one state to another."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Sequence, Tuple, Union

import numpy as np

from ._common import axes_or_new, finite_array, names_of
from ._heat import color_bar, heat_map

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

_SLACK = 1e-3  # of sums of probabilities, of single precision too


def _parts(mu: Any) -> Tuple[np.ndarray, Optional[np.ndarray]]:
    """States [n, m], and how often each state [m, m] follows each other one where that is known."""
    if isinstance(mu, tuple):
        if len(mu) not in (2, 4):
            raise ValueError(f"mu has {len(mu)} parts; expected states and transitions, as Chain.parts returns them")
        states, transitions = finite_array("mu[0]", mu[0]), finite_array("mu[1]", mu[1])
    else:
        states, transitions = finite_array("mu", mu), None
        if states.ndim == 3 and states.shape[1] == states.shape[2]:
            transitions = states[1:].sum(axis=0).T if len(states) > 1 else None
            states = states.sum(axis=2)
    if states.ndim != 2:
        raise ValueError(f"mu has shape {states.shape}; expected [steps, states], [steps, states, states before], or the parts "
                         "of a chain, of one example: chain.parts(mu)")
    if transitions is not None and transitions.shape != (states.shape[1],) * 2:
        raise ValueError(f"mu has transitions of shape {transitions.shape}; expected {(states.shape[1],) * 2}")
    return states, transitions


def _used(states: np.ndarray) -> np.ndarray:
    """The steps before the padding, which are distributions."""
    length = int(np.flatnonzero((states != 0).any(axis=1)).max(initial=-1)) + 1
    if length == 0:
        raise ValueError("mu is 0 everywhere; expected probabilities of states")
    for step, row in enumerate(states[:length]):
        if row.min() < -_SLACK or abs(row.sum() - 1) > _SLACK:
            raise ValueError(f"mu has probabilities from {row.min():g} with the sum {row.sum():g} at step {step}; expected those "
                             "of states, which sum to 1")
    return states[:length].clip(0, 1)


def marginals(mu: Union[ArrayLike, Tuple[ArrayLike, ...]], tokens: Optional[Sequence[Any]] = None,
              states: Optional[Sequence[Any]] = None, ax: Optional[Axes] = None, *, transitions: bool = True) -> Axes:
    """Marginals of a chain as a heat map: steps from left to right, states from the top to the bottom.

    Where the probabilities of pairs are given, a second one to the right has how often each state follows each other
    one: their sums over all steps.

    Parameters
    ----------
    mu : array of float, or tuple of arrays
        Probabilities of states [n, m]; the marginals [n, m, m] of `Sequence`: state, state before; or those of `Chain`
        by their parts, ``chain.parts(mu)``. Steps of padding, which are 0, are left out.
    tokens : sequence of str, optional
        Names of the steps.
    states : sequence of str, optional
        Names of the states.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes if it is left out.
    transitions : bool
        Whether pairs are drawn where they are given.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`, or the new axes.

    Examples
    --------
    >>> import fenchel.plot
    >>> chain = fenchel.Chain(n=3, m=2)
    >>> theta = chain.scores([[1.0, 0.0], [0.0, 2.0], [0.5, 0.0]], [[0.5, 0.0], [0.0, 0.5]])
    >>> mu = chain.distribution(theta).marginals
    >>> ax = fenchel.plot.marginals(chain.parts(mu), tokens=["the", "old", "man"], states=["noun", "other"])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['noun', 'other']

    See Also
    --------
    alignment, tree, fenchel.Chain
    """
    probabilities, pairs = _parts(mu)
    shown = _used(probabilities)
    count = shown.shape[1]
    columns = names_of("tokens", tokens, len(shown), "step")
    rows = names_of("states", states, count, "state")
    ax = axes_or_new(ax)
    image = heat_map(ax, shown.T, rows=rows, columns=columns, texts=[_percent(value) for value in shown.T.ravel()], aspect="auto",
                     cmap="Blues", vmin=0, vmax=1)
    ax.set(xlabel="step" if columns is None else "", ylabel="state")
    if pairs is None or not transitions:
        color_bar(ax, image, "probability")
    else:
        _draw_pairs(ax, pairs, rows, len(shown))
    return ax


def _percent(value: float) -> str:
    """Two digits, and nothing for what is nearly 0."""
    return f"{value:.2f}".lstrip("0") if value >= 0.005 else ""


def _draw_pairs(ax: Axes, pairs: np.ndarray, rows: Optional[Sequence[str]], steps: int) -> None:
    count = len(pairs)
    beside = ax.inset_axes((1.08, 0, min(max(count / steps, 0.4), 1.0), 1))
    heat_map(beside, pairs, rows=None, columns=rows, texts=[_percent(value) for value in pairs.ravel()], keeper=ax, aspect="auto",
             cmap="Oranges", vmin=0)
    beside.set(xlabel="followed by", title="expected pairs")
    beside.title.set_fontsize("small")
    beside.tick_params(labelleft=False)
