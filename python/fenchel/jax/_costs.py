# SPDX-License-Identifier: Apache-2.0
"""Costs c_y of losses L_Ω(θ + c_y; y) (paper §3.4): rows like the scores, which they are added to."""
from __future__ import annotations

from typing import Any, Optional, Tuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from .. import _core
from .._costs import EXPECTED
from ._arrays import array_of, seen
from ._known import Known


def _indicators(y: Array, theta: Array) -> Array:
    """Targets as rows; labels that are no class are 0."""
    if y.ndim == theta.ndim:
        return y.astype(theta.dtype)
    return jax.nn.one_hot(y, theta.shape[-1], dtype=theta.dtype)


def own_costs(terms: Tuple[float, float], y: Array, theta: Array) -> Array:
    """c_y = a + b y of the name of a loss."""
    offset, slope = terms
    return offset + slope * _indicators(y, theta)


def _hamming(y: Array, known: Known) -> Array:
    """c_y with ⟨c_y, z − y⟩ = ‖z − y‖² for structures z and y."""
    offset = float(_core.Cost.hamming(known.core, 1.0).at(np.zeros(y.shape[-1]))[0])
    return offset - 2 * y


def costs_of(cost: Any, y: Array, theta: Array, known: Known) -> Array:
    """c_y for the targets of each row of θ, from what a caller gives."""
    d = theta.shape[-1]
    if isinstance(cost, str):
        if cost not in ("zero_one", "hamming"):
            raise ValueError(f"cost is {cost!r}; expected {EXPECTED}")
        rows = _indicators(y, theta)
        return 1 - rows if cost == "zero_one" else _hamming(rows, known)
    if callable(cost):
        costs = array_of("the result of cost", cost(_indicators(y, theta)))
        if costs.shape != theta.shape:
            raise ValueError(f"cost returned an array of shape {costs.shape}; expected {theta.shape}, as it gets")
        return costs.astype(theta.dtype)
    given = _numbers(cost)
    if given.shape == (d, d):
        return (_indicators(y, theta)[..., None] * given.astype(theta.dtype)).sum(-2)
    if given.size != d:
        raise ValueError(f"cost has shape {given.shape}; expected ({d},), or ({d}, {d}) with a row for each label")
    return jnp.broadcast_to(given.reshape(-1).astype(theta.dtype), theta.shape)


def _numbers(cost: Any) -> Array:
    given = array_of("cost", cost)
    if jnp.issubdtype(given.dtype, jnp.complexfloating):
        raise TypeError(f"cost has dtype {given.dtype}; expected real numbers")
    held: Optional[np.ndarray] = seen(given)
    if held is not None and not np.isfinite(held).all():
        raise ValueError(f"cost has the entry {held[~np.isfinite(held)].flat[0]}; expected finite numbers")
    return given
