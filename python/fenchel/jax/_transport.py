# SPDX-License-Identifier: Apache-2.0
"""Entropic optimal transport in jax.numpy: argmax ⟨θ, μ⟩ − γ Σ μ log μ over plans with given sums.

Sinkhorn's iterations on logarithms until column sums are right to rounding. Products with the Jacobian need one linear system
with as many unknowns as there are columns: dμ = μ ∘ (v/γ − du 1ᵀ − 1 dvᵀ), whose row and column sums are 0.
"""
from __future__ import annotations

from typing import Any, NamedTuple, Tuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from ._calls import varying_as
from ._chain import LEAST

_MOST_ITERATIONS = 20000
_ROUNDING = {"float32": 1e-6, "float64": 1e-13}


class Plans(NamedTuple):
    """The plans with row sums a and column sums b, and γ; rows of θ are flat."""

    a: Tuple[float, ...]
    b: Tuple[float, ...]
    gamma: float

    def _shaped(self, theta: Array) -> Tuple[Array, Array, Array]:
        shape = (*theta.shape[:-1], len(self.a), len(self.b))
        return theta.reshape(shape), jnp.asarray(self.a, theta.dtype), jnp.asarray(self.b, theta.dtype)

    def predict(self, theta: Array) -> Array:
        """μ of every row; NaN where scores are NaN or +inf, or no plan is allowed."""
        scores, a, b = self._shaped(theta)
        forbidden = scores == -jnp.inf
        scores = jnp.maximum(scores / self.gamma, LEAST)
        log_a, log_b = (jnp.maximum(jnp.log(one), LEAST) for one in (a, b))

        def plan(state: Any) -> Array:
            # Potentials may be as large as what stands for −inf, which is then no longer seen in their sum.
            return jnp.where(forbidden, 0, jnp.exp(scores + state[0][..., :, None] + state[1][..., None, :]))

        def wanted(state: Any) -> Array:
            _, _, error, count = state
            return (error > _ROUNDING[theta.dtype.name]) & (count < _MOST_ITERATIONS)

        def step(state: Any) -> Any:
            f, g, _, count = state
            g = log_b - jax.nn.logsumexp(scores + f[..., :, None], -2)
            f = log_a - jax.nn.logsumexp(scores + g[..., None, :], -1)
            error = jnp.abs(plan((f, g)).sum(-2) - b).sum(-1) / b.sum()
            return f, g, jnp.where(jnp.isnan(error), 0, error).max(initial=0), count + 1

        zero = (varying_as(0, one) for one in (scores[..., 0], scores[..., 0, :]))
        f, g, _, _ = lax.while_loop(wanted, step, (*zero, varying_as(jnp.inf, scores.sum()), 0))
        found = plan((f, g))
        missed = jnp.abs(found.sum(-2) - b).sum(-1) + jnp.abs(found.sum(-1) - a).sum(-1)
        wrong = ~(missed <= 1e-2 * b.sum())
        wrong = wrong | (jnp.isnan(theta) | (theta == jnp.inf)).any(-1)
        return jnp.where(wrong[..., None, None], jnp.nan, found).reshape(theta.shape)

    def value(self, mu: Array) -> Array:
        """γ Σ μ log μ of every row."""
        return self.gamma * (mu * jnp.log(jnp.where(mu <= 0, 1, mu))).sum(-1)

    def link(self, mu: Array) -> Array:
        """γ (log μ + 1)."""
        return self.gamma * (jnp.log(mu) + 1)

    def product(self, theta: Array, p: Array, v: Array) -> Array:
        """J v of every row."""
        plan, a, b = self._shaped(p)
        change = plan * self._shaped(v)[0] / self.gamma
        rows, columns = change.sum(-1), change.sum(-2)
        shares = plan / jnp.where(a == 0, 1, a)[:, None]
        # A number added to dv and taken from du changes nothing: the last term fixes it.
        missing = jnp.where(b == 0, 1, b)
        system = jnp.diag(missing) - jnp.swapaxes(plan, -1, -2) @ shares + jnp.outer(b, b) / b.sum()
        right = columns - (shares * rows[..., :, None]).sum(-2)
        dv = jnp.linalg.solve(system, right[..., None])[..., 0]
        du = (rows - (plan * dv[..., None, :]).sum(-1)) / jnp.where(a == 0, 1, a)
        return (change - plan * (du[..., :, None] + dv[..., None, :])).reshape(v.shape)
