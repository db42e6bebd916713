# SPDX-License-Identifier: Apache-2.0
"""Sequences of n tags out of m in jax.numpy (paper §7.3): scores of states, transitions, first and last tags in one row.

log Z is a scan over the steps; marginals are its gradient, and what is asked of them the derivatives of that.
"""
from __future__ import annotations

from typing import NamedTuple, Optional

import jax
import jax.numpy as jnp
from jax import Array, lax

LEAST = -1e30  # stands for −inf, whose derivatives would be NaN
_FORBIDDEN = 0.1 * LEAST  # log Z below: every sequence has a forbidden part


class Parts(NamedTuple):
    """Scores with any leading axes."""

    states: Array  # [..., n, m]
    transitions: Array  # [..., m, m]
    start: Array  # [..., m]
    end: Array  # [..., m]


def log_partition(parts: Parts, mask: Optional[Array] = None) -> Array:
    """log Σ exp of the scores of all sequences; `mask` [..., n] leaves out steps."""
    states, transitions, start, end = (jnp.maximum(one, LEAST) for one in parts)
    steps = jnp.moveaxis(states, -2, 0)
    kept = None if mask is None else jnp.moveaxis(mask, -1, 0)

    def step(forward: Array, given: tuple) -> tuple[Array, None]:
        scores, keep = given
        reached = jax.nn.logsumexp(forward[..., :, None] + transitions, -2) + scores
        return (reached if keep is None else jnp.where(keep[..., None], reached, forward)), None

    forward, _ = lax.scan(step, start + steps[0], (steps[1:], None if kept is None else kept[1:]))
    found = jax.nn.logsumexp(forward + end, -1)
    return jnp.where(found < _FORBIDDEN, jnp.nan, found)


def best(parts: Parts, mask: Optional[Array] = None) -> Array:
    """The tags [..., n] of the best sequence (Viterbi's algorithm); 0 where masked."""
    states, transitions, start, end = (jnp.maximum(one, LEAST) for one in parts)
    steps = jnp.moveaxis(states, -2, 0)
    kept = jnp.ones(steps.shape[:-1], bool) if mask is None else jnp.moveaxis(mask, -1, 0)

    def forwards(scores: Array, given: tuple) -> tuple[Array, Array]:
        states, keep = given
        paths = scores[..., :, None] + transitions
        reached = jnp.where(keep[..., None], paths.max(-2) + states, scores)
        stay = jnp.broadcast_to(jnp.arange(states.shape[-1]), reached.shape)
        return reached, jnp.where(keep[..., None], paths.argmax(-2), stay)

    scores, origins = lax.scan(forwards, start + steps[0], (steps[1:], kept[1:]))
    last = (scores + end).argmax(-1)

    def backwards(tag: Array, origin: Array) -> tuple[Array, Array]:
        return jnp.take_along_axis(origin, tag[..., None], -1)[..., 0], tag

    first, others = lax.scan(backwards, last, origins, reverse=True)
    return jnp.where(jnp.moveaxis(kept, 0, -1), jnp.moveaxis(jnp.concatenate([first[None], others]), 0, -1), 0)


class Chain(NamedTuple):
    """The polytope Chain with first and last tags: rows of n·m + m·m + 2m scores."""

    n: int
    m: int

    def parts(self, theta: Array) -> Parts:
        """A row taken apart."""
        n, m = self
        states, transitions, start, end = jnp.split(theta, [n * m, n * m + m * m, n * m + m * m + m], -1)
        lead = theta.shape[:-1]
        return Parts(states.reshape(*lead, n, m), transitions.reshape(*lead, m, m), start, end)

    def log_partition(self, theta: Array) -> Array:
        """Ω* of rows; NaN where a score is NaN or +inf, or all sequences are forbidden."""
        bad = (jnp.isnan(theta) | (theta == jnp.inf)).any(-1)
        return jnp.where(bad, jnp.nan, log_partition(self.parts(theta)))

    def marginals(self, theta: Array) -> Array:
        """ŷ of rows."""
        value, pull = jax.vjp(self.log_partition, theta)
        return jnp.where(jnp.isnan(value)[..., None], jnp.nan, pull(jnp.ones_like(value))[0])

    def product(self, theta: Array, p: Array, v: Array) -> Array:
        """The covariance of the marginals times v."""
        return jax.jvp(self.marginals, (theta,), (v,))[1]
