# SPDX-License-Identifier: Apache-2.0
"""soft-DTW in jax.numpy (paper §7.3): −γ log Σ exp(−⟨C, y⟩/γ) over alignments y, a scan over the diagonals of C."""
from __future__ import annotations

import math

import jax
import jax.numpy as jnp
from jax import Array, lax

_MOST = 1e30  # stands for +inf, whose derivatives would be NaN


def _softest(values: Array, gamma: float) -> Array:
    """The soft minimum along the first axis. Differences come before the division, which compilers may round in two ways."""
    least = values.min(0)
    if gamma == 0:
        return least
    least = lax.stop_gradient(least)
    return least - gamma * jnp.log(jnp.exp((least - values) / gamma).sum(0))


def _diagonals(cost: Array, band: int) -> Array:
    """[m + n − 1, ..., m]: entry i of diagonal k is C[i, k − i]."""
    m, n = cost.shape[-2:]
    i = jnp.arange(m)
    j = jnp.arange(m + n - 1)[:, None] - i
    outside = (j < 0) | (j >= n)
    if band:
        outside = outside | (jnp.abs(i * (n - 1) - j * (m - 1)) > band * (max(m, n) - 1))
    return jnp.moveaxis(jnp.where(outside, _MOST, cost[..., i, jnp.clip(j, 0, n - 1)]), -2, 0)


def soft_dtw(cost: Array, gamma: float, band: int) -> Array:
    """The value of every matrix of costs; NaN where costs are NaN or −inf, +inf where no alignment is allowed."""
    wrong = (jnp.isnan(cost) | (cost == -math.inf)).any((-2, -1))
    lines = _diagonals(jnp.minimum(jnp.where(wrong[..., None, None], 0, cost), _MOST), band)
    first = jnp.where(jnp.arange(cost.shape[-2]) == 0, lines[0], _MOST)

    def shifted(line: Array) -> Array:
        return jnp.concatenate([jnp.full_like(line[..., :1], _MOST), line[..., :-1]], -1)

    def step(state: tuple[Array, Array], line: Array) -> tuple[tuple[Array, Array], None]:
        last, before = state
        reached = line + _softest(jnp.stack([last, shifted(last), shifted(before)]), gamma)
        return (jnp.minimum(reached, _MOST), last), None

    (last, _), _ = lax.scan(step, (first, jnp.full_like(first, _MOST)), lines[1:])
    found = last[..., -1]
    return jnp.where(wrong, jnp.nan, jnp.where(found >= 0.1 * _MOST, jnp.inf, found))


def alignment(cost: Array, gamma: float, band: int) -> Array:
    """The gradient of the value in the costs."""
    value, pull = jax.vjp(lambda given: soft_dtw(given, gamma, band), cost)
    return jnp.where(jnp.isnan(value)[..., None, None], jnp.nan, pull(jnp.ones_like(value))[0])
