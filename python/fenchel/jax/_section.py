# SPDX-License-Identifier: Apache-2.0
"""argmin ½‖p − x‖² with lower ≤ p ≤ upper and ⟨w, p⟩ = c in jax.numpy, differentiable in everything.

p_i = clip(x_i − ν w_i, l_i, u_i), where ⟨w, p⟩ falls in ν: an interval is doubled until it holds the root, then halved, and
what is left is solved exactly with the entries that are at no bound. dν follows from ⟨w, p⟩ = c on those entries.
"""
from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

_DOUBLINGS = 200  # an interval of 2²⁰⁰ times the scores; beyond, there is no such point
_HALVINGS = {"float32": 40, "float64": 80}


def _entries(x: Array, nu: Array, lower: Array, upper: Array, w: Array) -> Array:
    return jnp.clip(jnp.where(w == 0, x, x - nu * w), lower, upper)


def _sum(x: Array, nu: Array, lower: Array, upper: Array, w: Array) -> Array:
    return (w * _entries(x, nu, lower, upper, w)).sum(-1, keepdims=True)


@jax.custom_jvp
def _multiplier(x: Array, lower: Array, upper: Array, w: Array, c: Array) -> Array:
    """ν with a last axis of 1."""
    def total(nu: Array) -> Array:
        return _sum(x, nu, lower, upper, w)

    scale = 1 + jnp.where(jnp.isfinite(x), jnp.abs(x), 0).max(-1, keepdims=True)
    zero = jnp.zeros_like(scale + c)
    low, high = zero - scale, zero + scale

    def wanted(state: Any) -> Array:
        low, high, count = state
        return ((total(low) < c) | (total(high) > c)).any() & (count < _DOUBLINGS)

    def double(state: Any) -> Any:
        low, high, count = state
        return jnp.where(total(low) < c, 2 * low, low), jnp.where(total(high) > c, 2 * high, high), count + 1

    low, high, _ = lax.while_loop(wanted, double, (low, high, 0))

    def halve(_: Any, state: Any) -> Any:
        low, high = state
        middle = 0.5 * (low + high)
        above = total(middle) >= c
        return jnp.where(above, middle, low), jnp.where(above, high, middle)

    low, high = lax.fori_loop(0, _HALVINGS[x.dtype.name], halve, (low, high))
    nu = 0.5 * (low + high)
    p = _entries(x, nu, lower, upper, w)
    free = (p > lower) & (p < upper) & (w != 0)
    slope = jnp.where(free, w * w, 0).sum(-1, keepdims=True)
    others = jnp.where(free, 0, w * p).sum(-1, keepdims=True)
    exact = (jnp.where(free, w * x, 0).sum(-1, keepdims=True) + others - c) / jnp.where(slope == 0, 1, slope)
    missed = jnp.abs(total(nu) - c)
    return jnp.where((slope > 0) & (jnp.abs(total(exact) - c) <= missed), exact, nu)


@_multiplier.defjvp
def _multiplier_jvp(primals: Any, tangents: Any) -> Any:
    x, lower, upper, w, c = primals
    dx, dlower, dupper, dw, dc = tangents
    nu = _multiplier(*primals)
    p = _entries(x, nu, lower, upper, w)
    moved = jnp.where(w == 0, x, x - nu * w)
    below, above = moved <= lower, moved >= upper
    change = jnp.where(below, dlower, jnp.where(above, dupper, dx - nu * dw))
    slope = jnp.where(below | above, 0, w * w).sum(-1, keepdims=True)
    changes = (w * change + p * dw).sum(-1, keepdims=True) - dc
    return nu, jnp.where(slope == 0, 0, changes / jnp.where(slope == 0, 1, slope))


def project(x: Array, lower: Any, upper: Any, w: Any, c: Any) -> Array:
    """The nearest point of every row; NaN where there is none, or x is NaN or infinite."""
    lower, upper, w = (jnp.broadcast_to(jnp.asarray(one, x.dtype), x.shape) for one in (lower, upper, w))
    c = jnp.broadcast_to(jnp.asarray(c, x.dtype)[..., None], (*x.shape[:-1], 1))
    forbidden = (x == -math.inf) & jnp.isfinite(lower)  # then an entry is at its bound
    nu = _multiplier(jnp.where(forbidden, lower, x), jnp.where(forbidden, lower, lower), jnp.where(forbidden, lower, upper),
                     w, c)
    p = jnp.where(forbidden, lower, _entries(x, nu, lower, upper, w))
    size = jnp.abs(w * p).sum(-1, keepdims=True) + jnp.abs(c)
    wrong = jnp.abs((w * p).sum(-1, keepdims=True) - c) > 1e-3 * size + 1e-30
    wrong = wrong | (jnp.isnan(x) | (jnp.isinf(x) & ~forbidden)).any(-1, keepdims=True)
    return jnp.where(lax.stop_gradient(wrong), jnp.nan, p)
