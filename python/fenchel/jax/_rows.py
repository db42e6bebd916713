# SPDX-License-Identifier: Apache-2.0
"""ŷ_Ω and Jacobian products of rows in jax.numpy: what platforms run that the core does not know.

The Tsallis family with a = α − 1 in the form p_i = [1 + a (θ_i − max θ − λ)]₊^{1/a}, e^{θ_i − max θ − λ} for a = 0, is
exact near α = 1 too. λ, the root of Σ p = 1 in [0, (1 − d^{−a})/a], takes a fixed number of Newton steps on the 1/a-norm of
the brackets, of which one is exact for a = 0; every third evaluation is in the middle of what is left of the interval, so
that no input is slow. Beyond α = 2 the sum is too steep for that: there the interval [1/d, 1] of the largest entry is halved.
‖p‖_q has the threshold of a = 1 − 1/q, with other powers of the brackets.
"""
from __future__ import annotations

import math
from typing import Any, NamedTuple, Optional, Union

import jax
import jax.numpy as jnp
from jax import Array, lax

from . import _jacobians as jacobians
from ._calls import varying_as

Order = Union[float, Array]  # a = α − 1: one, or one for each row, with a last axis of 1

LARGEST_ORDER = 10  # beyond, entries near 0 are roots of such an order that rounding of scores is seen in p
LEAST = -1e30  # scores below are 0 in p whatever λ is: stands for −inf, of which 0 · (−inf) would be NaN
_BY_ENTRIES = ("sigmoid", "sparse_sigmoid", "relu", "poisson", "squared")
# Evaluations of Σ p, by the type of the scores; docs/python_jax.md has the errors that are left.
_NEWTON_STEPS = {"float32": 14, "float64": 17}
_HALVINGS = {"float32": 28, "float64": 56}


class Plan(NamedTuple):
    """How an Ω is computed."""

    kind: str
    order: float = 0.0  # a = α − 1, or q of norms
    temperature: float = 1.0
    constant: float = 0.0


def plan_of(name: str, parameters: dict, entmax_order: Optional[float]) -> Optional[Plan]:
    """The plan of an Ω; None if it has no formula here."""
    if "cost" in parameters:
        return None
    rest = {"temperature": float(parameters.get("temperature", 1.0)), "constant": float(parameters.get("constant", 0.0))}
    if entmax_order is not None and 0 < entmax_order <= LARGEST_ORDER:
        return Plan("entmax", entmax_order - 1, **rest)
    if name == "norm":
        return Plan("norm", float(parameters["q"]), **rest)
    if name == "tsallis_sigmoid" and 0 < float(parameters["alpha"]) <= LARGEST_ORDER:
        return Plan("tsallis_sigmoid", float(parameters["alpha"]) - 1, **rest)
    return Plan(name, 0.0, **rest) if name in _BY_ENTRIES or name == "argmax" else None


def where_zero(a: Array, at_zero: Array, otherwise: Any) -> Array:
    """otherwise(a) where a is not 0, without derivatives that are NaN."""
    return jnp.where(a == 0, at_zero, otherwise(jnp.where(a == 0, 1, a)))


def _brackets(x: Array, a: Order) -> tuple[Array, Array]:
    """[1 + a x]₊^{1/a}, and the same to the power 1 − a."""
    if isinstance(a, float) and a == 0:
        p = jnp.exp(x)
        return p, p
    if isinstance(a, float) and a == 1:
        p = jnp.maximum(1 + x, 0)
        return p, (p > 0).astype(p.dtype)
    if isinstance(a, float) and a == 0.5:
        root = jnp.maximum(1 + 0.5 * x, 0)
        return root * root, root
    inside = 1 + a * x
    outside = inside <= 0
    logs = jnp.log1p(jnp.where(outside, 0, a * x))
    p = jnp.exp(logs / a if isinstance(a, float) else where_zero(a, x, lambda order: logs / order))
    return jnp.where(outside, 0, p), jnp.where(outside, 0, p / jnp.where(outside, 1, inside))


def _logarithm(s: Array, a: Order) -> Array:
    """(1 − s^{−a})/a; log s for a = 0."""
    log = jnp.log(s)
    if isinstance(a, float):
        return log if a == 0 else -jnp.expm1(-a * log) / a
    return where_zero(a, log, lambda order: -jnp.expm1(-order * log) / order)


def _by_newton(u: Array, a: Order) -> Array:
    """p for u = θ − max θ and a ≤ 1; sums to 1 but for rounding."""
    first, size = varying_as(0, u[..., :1]), varying_as(u.shape[-1], u[..., :1])

    def step(i: Any, state: tuple) -> tuple:
        at, low, high = state
        p, slopes = _brackets(u - at, a)
        total = p.sum(-1, keepdims=True)
        enough = total >= 1
        low, high = jnp.where(enough, at, low), jnp.where(enough, high, at)
        newton = jnp.clip(at + total * _logarithm(total, a) / slopes.sum(-1, keepdims=True), low, high)
        return jnp.where(i % 3 == 2, 0.5 * (low + high), newton), low, high

    at, _, _ = lax.fori_loop(0, _NEWTON_STEPS[u.dtype.name], step, (first, first, _logarithm(size, a)))
    return _brackets(u - at, a)[0]


def _by_halving(u: Array, a: Order) -> Array:
    """The same for a > 1: p_i = [t^a + a u_i]₊^{1/a}, t the largest entry."""
    high = varying_as(1, u[..., :1])
    tiny = jnp.finfo(u.dtype).tiny

    def entries(t: Array) -> Array:
        ratio = jnp.maximum(a * u / jnp.maximum(t**a, tiny), -1)
        return jnp.where(ratio <= -1, 0, t * jnp.exp(jnp.log1p(jnp.where(ratio <= -1, 0, ratio)) / a))

    def step(_: Any, state: tuple) -> tuple:
        low, high = state
        t = 0.5 * (low + high)
        enough = entries(t).sum(-1, keepdims=True) >= 1
        return jnp.where(enough, low, t), jnp.where(enough, t, high)

    _, high = lax.fori_loop(0, _HALVINGS[u.dtype.name], step, (high / max(u.shape[-1], 1), high))
    return entries(high)


def _below_largest(theta: Array) -> Array:
    """θ − max θ, at least LEAST; NaN in rows that have no prediction."""
    top = theta.max(-1, keepdims=True)
    lost = ~jnp.isfinite(top)
    return jnp.where(lost, jnp.nan, jnp.maximum(theta - jnp.where(lost, 0, top), LEAST))


def entmax(theta: Array, a: Order) -> Array:
    """ŷ of the Tsallis negentropy of order 1 + a."""
    if not isinstance(a, float):
        return jnp.where(a > 1, _large_order(theta, jnp.maximum(a, 1)), _small_order(theta, jnp.minimum(a, 1)))
    return _small_order(theta, a) if a <= 1 else _large_order(theta, a)


def _small_order(theta: Array, a: Order) -> Array:
    u = _below_largest(theta)
    if isinstance(a, float) and a == 0:
        return jax.nn.softmax(u, -1)
    p = jnp.where(u <= LEAST, 0, _by_newton(u, a))  # which for α < 1 is hardly more than 0
    return p / p.sum(-1, keepdims=True)


def _large_order(theta: Array, a: Order) -> Array:
    p = _by_halving(_below_largest(theta), a)
    return p / p.sum(-1, keepdims=True)


def _norm(theta: Array, q: float) -> Array:
    """ŷ of ‖p‖_q − 1: Σ [θ − τ]₊^{q/(q−1)} = 1 and p ∝ [θ − τ]₊^{1/(q−1)}."""
    a = 1 - 1 / q
    p = jacobians.power_on_support(_by_newton(_below_largest(theta) / a, a), 1 / q)
    return p / p.sum(-1, keepdims=True)


def _tsallis_sigmoid(theta: Array, a: float) -> Array:
    # Scores far from 0 are 0 or 1 whatever they are; −inf and +inf are not differences.
    return entmax(jnp.stack([jnp.clip(theta, LEAST, -LEAST), jnp.zeros_like(theta)], -1), a)[..., 0]


def _by_entries(theta: Array, plan: Plan) -> Array:
    if plan.kind == "sigmoid":
        return jax.nn.sigmoid(theta)
    if plan.kind == "sparse_sigmoid":
        return jnp.clip(0.5 * (theta + 1), 0, 1)
    if plan.kind == "tsallis_sigmoid":
        return _tsallis_sigmoid(theta, plan.order)
    if plan.kind == "relu":
        return jnp.maximum(theta, 0)
    return jnp.exp(theta) if plan.kind == "poisson" else theta


def _refused_rows(theta: Array, plan: Plan) -> Array:
    """Rows with scores that are not finite, but for −inf where it forbids an entry."""
    bad = ~jnp.isfinite(theta) if plan.kind == "squared" else jnp.isnan(theta) | (theta == math.inf)
    return bad.any(-1, keepdims=True)


def predict(theta: Array, plan: Plan) -> Array:
    """ŷ_Ω of every row; NaN where scores are NaN or +inf, or forbid everything."""
    bad = _refused_rows(theta, plan)
    if plan.temperature != 1:
        theta = theta / plan.temperature
    if plan.kind == "entmax":
        p = entmax(theta, plan.order)
    elif plan.kind == "argmax":
        p = jax.nn.one_hot(theta.argmax(-1), theta.shape[-1], dtype=theta.dtype)
        bad = bad | (theta.max(-1, keepdims=True) == -math.inf)
    else:
        p = _norm(theta, plan.order) if plan.kind == "norm" else _by_entries(theta, plan)
    return jnp.where(bad, jnp.nan, p)


def product(p: Array, v: Array, plan: Plan) -> Array:
    """J v, J the Jacobian of ŷ_Ω where it is p."""
    if plan.kind == "entmax":
        result = jacobians.centred(jacobians.power_on_support(p, 1 - plan.order), v)
    elif plan.kind == "norm":
        # ‖p‖_∞ has the same prediction, the mean over the largest scores, around every θ.
        result = jnp.zeros_like(v) if plan.order == math.inf else jacobians.norm_product(p, v, plan.order)
    elif plan.kind == "argmax":
        result = jnp.zeros_like(v)
    elif plan.kind == "sigmoid":
        result = p * (1 - p) * v
    elif plan.kind == "sparse_sigmoid":
        result = 0.5 * ((p > 0) & (p < 1)) * v
    elif plan.kind == "tsallis_sigmoid":
        result = jacobians.tsallis_sigmoid_product(p, v, plan.order + 1)
    elif plan.kind == "relu":
        result = (p > 0) * v
    else:
        result = p * v if plan.kind == "poisson" else v
    return result if plan.temperature == 1 else result / plan.temperature
