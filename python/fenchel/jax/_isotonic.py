# SPDX-License-Identifier: Apache-2.0
"""Isotonic regression and projections onto permutahedra in jax.numpy (paper §7.3; Blondel, Teboul, Berthet, Djolonga 2020).

The solution is v_i = min over j ≤ i of max over k ≥ i of the value of the block j, …, k: a mean, or a difference of
logarithms of sums of exponentials. All blocks are tables of d² numbers; there are no loops that depend on values.
"""
from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

LEAST = -1e30


def _block_values(s: Array, w: Array, kl: bool) -> Array:
    """The values of all blocks j, …, k: [..., j, k], for k ≥ j."""
    d = s.shape[-1]
    inside = jnp.arange(d)[None, :] >= jnp.arange(d)[:, None]
    if kl:
        sums = (lax.cumlogsumexp(jnp.where(inside, one[..., None, :], LEAST), axis=one.ndim) for one in (s, w))
        return jnp.subtract(*sums)
    lengths = jnp.where(inside, jnp.arange(d)[None, :] - jnp.arange(d)[:, None] + 1, 1).astype(s.dtype)
    return jnp.cumsum(jnp.where(inside, (s - w)[..., None, :], 0), -1) / lengths


@partial(jax.custom_jvp, nondiff_argnums=(2,))
def isotonic(s: Array, w: Array, kl: bool = False) -> Array:
    """argmin Σ ½(v − (s − w))² over v₁ ≥ v₂ ≥ …; with `kl`, w are logarithms, and blocks have log Σeˢ − log Σeʷ."""
    d = s.shape[-1]
    inside = jnp.arange(d)[None, :] >= jnp.arange(d)[:, None]
    values = jnp.where(inside, _block_values(s, w, kl), -jnp.inf)
    largest = jnp.where(inside, lax.cummax(values, axis=values.ndim - 1, reverse=True), jnp.inf)
    return largest.min(-2)


@isotonic.defjvp
def _isotonic_jvp(kl: bool, primals: Any, tangents: Any) -> Any:
    (s, w), (ds, dw) = primals, tangents
    v = isotonic(s, w, kl)
    together = lax.stop_gradient(v[..., :, None] == v[..., None, :])  # entries of one block have the same bits
    if not kl:
        mean = together / together.sum(-1, keepdims=True).astype(s.dtype)
        return v, jnp.einsum("...ij,...j->...i", mean, ds - dw)
    shares = (jax.nn.softmax(jnp.where(together, one[..., None, :], LEAST), -1) for one in (s, w))
    return v, sum(sign * jnp.einsum("...ij,...j->...i", share, tangent)
                  for sign, share, tangent in zip((1, -1), shares, (ds, dw)))


def _in_order(z: Array) -> tuple[Array, Array]:
    """Values in descending order, and the places that take them back."""
    order = jnp.argsort(-z, -1)
    return jnp.take_along_axis(z, order, -1), jnp.argsort(order, -1)


def permutahedron(z: Array, w: Array) -> Array:
    """The projection of z onto the permutahedron of w."""
    values, places = _in_order(z)
    levels = jnp.broadcast_to(jnp.flip(jnp.sort(w, -1), -1), values.shape)
    return jnp.take_along_axis(values - isotonic(values, levels), places, -1)


def soft_rank(theta: Array, strength: float, kl: bool, descending: bool) -> Array:
    """Soft ranks of rows: θ/ε projected onto the permutahedron of (d, …, 1)."""
    values, places = _in_order((-theta if descending else theta) / strength)
    ranks = jnp.broadcast_to(jnp.arange(theta.shape[-1], 0, -1, dtype=theta.dtype), values.shape)
    if not kl:
        return jnp.take_along_axis(values - isotonic(values, ranks), places, -1)
    return jnp.take_along_axis(jnp.exp(values - isotonic(values, jnp.log(ranks), True)), places, -1)


def soft_sort(theta: Array, strength: float, kl: bool, descending: bool) -> Array:
    """Rows in soft order: minus the projection of (d, …, 1)/ε onto the permutahedron of −θ."""
    sign = -1 if descending else 1
    levels = jnp.flip(jnp.sort(-sign * theta, -1), -1)
    places = jnp.broadcast_to(jnp.arange(theta.shape[-1], 0, -1, dtype=theta.dtype) / strength, theta.shape)
    return sign * (isotonic(places, levels, kl) - places)
