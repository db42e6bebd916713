# SPDX-License-Identifier: Apache-2.0
"""Soft ranks, soft sorting and soft-DTW under their usual names."""
from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from .._arguments import LARGEST_INT, whole_number
from ..soft import _options
from . import _isotonic, _warping
from ._arrays import axis_of, known_number, real_array, seen, widened
from ._calls import Call, chosen, run
from ._predict import _differentiated_once, inner, like, linear

if TYPE_CHECKING:
    from .._types import ArrayLike

__all__ = ["soft_dtw", "soft_rank", "soft_sort"]

_FORMULAS = {"soft_rank": _isotonic.soft_rank, "soft_sort": _isotonic.soft_sort}
_WITH_FORMULA = ("l2", "kl")
# J v and uᵀ J: the Jacobian of soft ranks is symmetric, that of soft sorting is not.
_FORWARD = {"soft_rank": "soft_rank_vjp", "soft_sort": "soft_sort_jvp"}


class Softness(NamedTuple):
    """What is computed, how, and where."""

    name: str
    strength: float
    regularization: str
    descending: bool
    place: str

    def formula(self, theta: Array) -> Array:
        values = _FORMULAS[self.name](theta, self.strength, self.regularization == "kl", self.descending)
        return jnp.where((~jnp.isfinite(theta)).any(-1, keepdims=True), jnp.nan, values)

    def run(self, operation: str, formula: Any, *arrays: Array) -> Array:
        call = Call(operation, self.regularization, self.strength, int(self.descending))
        if self.regularization not in _WITH_FORMULA:
            formula = None
        return run(self.place, f"{self.name} with regularization {self.regularization!r}", call, (like(arrays[0]),), formula,
                   *arrays)[0]


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def _soft_rows(theta: Array, how: Softness) -> Array:
    return how.run(how.name, lambda theta: (how.formula(theta),), theta)


@_soft_rows.defjvp
def _soft_jvp(how: Softness, primals: Any, tangents: Any) -> Any:
    (theta,), (v,) = primals, tangents
    found = _soft_rows(theta, how)
    if how.regularization == "kl":  # the formula has derivatives of every order
        return found, jax.jvp(how.formula, (theta,), (v,))[1]
    # Euclidean ones are piecewise linear: the Jacobian is constant around θ.
    at = lax.stop_gradient(theta) if how.regularization == "l2" else _differentiated_once(theta, how.name)

    def forward(b: Array) -> Array:
        return how.run(_FORWARD[how.name], lambda at, b: (jax.jvp(how.formula, (at,), (b,))[1],), at, b)

    def backward(b: Array) -> Array:
        return how.run(how.name + "_vjp", lambda at, b: jax.vjp(how.formula, at)[1](b), at, b)

    return found, linear(forward, backward, v)


@partial(jax.jit, static_argnames=("how", "axis"))
def _apply(theta: Array, how: Softness, axis: int) -> Array:
    return jnp.moveaxis(_soft_rows(widened(jnp.moveaxis(theta, axis, -1)), how), -1, axis).astype(theta.dtype)


def _soft(name: str, theta: Any, regularization: str, strength: float, direction: str, axis: int) -> Array:
    values = real_array("theta", theta)
    at = axis_of("theta", values, axis)
    if values.shape[at] == 0:
        return values
    strength = known_number("regularization_strength", strength, 0, above=True)
    number, text, descending = _options(regularization, strength, direction)
    _check_regularization(name, text)
    held = seen(values)
    if held is not None and not np.isfinite(held).all():
        raise ValueError(f"theta has the entry {held[~np.isfinite(held)].flat[0]}; expected finite numbers")
    return _apply(values, Softness(name, number, text, descending, chosen()), at)


def _check_regularization(name: str, text: str) -> None:
    """Raises the ValueError of the core for a regularization that it does not know, or that is for ranks alone."""
    from .. import _core

    if text not in _WITH_FORMULA:
        getattr(_core, name)(np.zeros((1, 1)), 1.0, text, False, 1)


def soft_rank(theta: ArrayLike, regularization: str = "l2", regularization_strength: float = 1.0,
              direction: str = "ascending", axis: int = -1) -> Array:
    """Differentiable ranks, counted from 1: the projection of θ/ε onto the permutahedron of (d, …, 1).

    Parameters
    ----------
    theta : array_like [..., d]
        Values; −inf and +inf are errors.
    regularization : str
        "l2", the Euclidean projection; "kl", that of Kullback and Leibler; for ranks also "tsallis:alpha=1.5"
        (any α > 0; 1 is "kl", 2 "l2") and "burg".
    regularization_strength : float
        ε > 0: for small ones the result is exact, for large ones all its entries are equal.
    direction : str
        "ascending" or "descending".
    axis : int
        The axis of the values; all others are a batch.

    Returns
    -------
    Array [..., d]
        Ranks, of the shape and floating type of theta.

    Examples
    --------
    >>> import jax.numpy as jnp, numpy as np, fenchel.jax as fj
    >>> print(np.asarray(fj.soft_rank(jnp.array([2.0, 0.5, 0.6]), regularization_strength=0.2)).round(3))
    [3.   1.25 1.75]

    See Also
    --------
    soft_sort, fenchel.soft_rank
    """
    return _soft("soft_rank", theta, regularization, regularization_strength, direction, axis)


def soft_sort(theta: ArrayLike, regularization: str = "l2", regularization_strength: float = 1.0,
              direction: str = "ascending", axis: int = -1) -> Array:
    """Values in differentiable order: the projection of (d, …, 1)/ε onto the permutahedron of θ.

    Parameters
    ----------
    theta : array_like [..., d]
        Values; −inf and +inf are errors.
    regularization : str
        "l2", the Euclidean projection; "kl", that of Kullback and Leibler; for ranks also "tsallis:alpha=1.5"
        (any α > 0; 1 is "kl", 2 "l2") and "burg".
    regularization_strength : float
        ε > 0: for small ones the result is exact, for large ones all its entries are equal.
    direction : str
        "ascending" or "descending".
    axis : int
        The axis of the values; all others are a batch.

    Returns
    -------
    Array [..., d]
        Sorted values, of the shape and floating type of theta.

    Examples
    --------
    >>> import jax.numpy as jnp, numpy as np, fenchel.jax as fj
    >>> print(np.asarray(fj.soft_sort(jnp.array([2.0, 0.5, 0.6]), regularization_strength=0.2)).round(3))
    [0.5 0.6 2. ]

    See Also
    --------
    soft_rank, fenchel.soft_sort
    """
    return _soft("soft_sort", theta, regularization, regularization_strength, direction, axis)


class Warping(NamedTuple):
    """γ, the band, and where soft-DTW is computed."""

    gamma: float
    band: int
    place: str


def _values_and_alignments(cost: Array, how: Warping) -> Any:
    results = (jax.ShapeDtypeStruct(cost.shape[:-2], cost.dtype), like(cost))

    def formula(cost: Array) -> Any:
        return _warping.soft_dtw(cost, how.gamma, how.band), _warping.alignment(cost, how.gamma, how.band)

    return run(how.place, "soft_dtw", Call("soft_dtw", "", how.gamma, how.band, axes=2), results, formula, cost)


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def _alignments(cost: Array, how: Warping) -> Array:
    return _values_and_alignments(cost, how)[1]


@_alignments.defjvp
def _alignments_jvp(how: Warping, primals: Any, tangents: Any) -> Any:
    change = jax.jvp(lambda cost: _warping.alignment(cost, how.gamma, how.band), primals, tangents)[1]
    return _alignments(*primals, how), change


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def _soft_dtw(cost: Array, how: Warping) -> Array:
    return _values_and_alignments(cost, how)[0]


@_soft_dtw.defjvp
def _soft_dtw_jvp(how: Warping, primals: Any, tangents: Any) -> Any:
    (cost,), (v,) = primals, tangents
    return _soft_dtw(cost, how), inner(_alignments(cost, how), v).sum(-1)


@partial(jax.jit, static_argnames=("how",))
def _apply_soft_dtw(cost: Array, how: Warping) -> Array:
    return _soft_dtw(widened(cost), how).astype(cost.dtype)


def soft_dtw(cost: ArrayLike, gamma: float = 1.0, band: int = 0) -> Array:
    """−γ log Σ exp(−⟨C, y⟩/γ) over the alignments y of two series (paper §7.3).

    Its gradient in the costs, of any order, is the expected alignment.

    Parameters
    ----------
    cost : array_like [..., m, n]
        Costs C of each step of one series with each of the other; +inf forbids a pair.
    gamma : float
        γ, finite and >= 0; 0 is dynamic time warping, whose gradient is the best alignment.
    band : int
        The largest distance of two steps that are aligned; 0: no limit.

    Returns
    -------
    Array [...]
        A number for each matrix of costs, of their floating type.

    Examples
    --------
    >>> import jax.numpy as jnp, fenchel.jax as fj
    >>> round(float(fj.soft_dtw(jnp.array([[0.0, 1.0], [1.0, 0.0]]), 0.5)), 4)
    -0.1198

    See Also
    --------
    fenchel.soft_dtw, fenchel.dtw
    """
    costs = real_array("cost", cost, 2)
    if 0 in costs.shape[-2:]:
        raise ValueError(f"cost has shape {costs.shape}; expected at least one step of each series")
    how = Warping(known_number("gamma", gamma, 0), whole_number("band", band, 0, LARGEST_INT), chosen())
    held = seen(costs)
    if held is not None and (np.isnan(held) | (held == -np.inf)).any():
        raise ValueError(f"cost has the entry {held[np.isnan(held) | (held == -np.inf)].flat[0]}; expected numbers that are "
                         "finite or inf")
    return _apply_soft_dtw(costs, how)
