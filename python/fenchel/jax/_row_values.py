# SPDX-License-Identifier: Apache-2.0
"""Ω, ∇Ω, Ω* and losses of rows in jax.numpy, from predictions; what is outside of the domain of an Ω is NaN."""
from __future__ import annotations

import math
from typing import Optional

import jax.numpy as jnp
from jax import Array

from . import _jacobians as jacobians
from ._rows import LEAST, Order, Plan, predict, where_zero

_OVER_SIMPLEX = ("entmax", "norm", "argmax")


def _entropy_terms(p: Array, a: Order) -> Array:
    """p (p^a − 1)/(a (a + 1)), p log p for a = 0."""
    log = jnp.log(jnp.where(p <= 0, 1, p))
    if isinstance(a, float):
        return p * log if a == 0 else p * jnp.expm1(a * log) / (a * (a + 1))
    return p * where_zero(a, log, lambda order: jnp.expm1(order * log) / order) / (a + 1)


def tsallis_value(p: Array, a: Order) -> Array:
    """Σ (p^α − p)/(α (α − 1)) of every row."""
    return _entropy_terms(p, a).sum(-1)


def tsallis_link(p: Array, a: Order) -> Array:
    """∇Ω(p) of the Tsallis negentropy: (p^a − 1)/a + 1/(a + 1), log p + 1 for a = 0; −inf at 0 for a ≤ 0."""
    log = jnp.log(p)
    if isinstance(a, float):
        return (log if a == 0 else jnp.expm1(a * log) / a) + 1 / (a + 1)
    return where_zero(a, log, lambda order: jnp.expm1(order * log) / order) + 1 / (a + 1)


_ENTROPIES = {"sigmoid": 0.0, "sparse_sigmoid": 1.0}  # a of those over the cube


def value(p: Array, plan: Plan) -> Array:
    """Ω(p) of every row, without its constant and its temperature."""
    if plan.kind == "entmax":
        return tsallis_value(p, plan.order)
    if plan.kind == "norm":
        return jacobians.length(p, plan.order)[..., 0] - 1
    if plan.kind == "argmax":
        return jnp.zeros_like(p[..., 0])
    if plan.kind == "poisson":
        return (_entropy_terms(p, 0.0) - p).sum(-1)
    if plan.kind in ("relu", "squared"):
        return 0.5 * (p * p).sum(-1)
    a = _ENTROPIES.get(plan.kind, plan.order)
    return (_entropy_terms(p, a) + _entropy_terms(1 - p, a)).sum(-1)


def link(p: Array, plan: Plan) -> Array:
    """∇Ω(p) of every row, with its temperature; infinite on the boundary where Ω has no gradient there."""
    if plan.kind == "entmax":
        result = tsallis_link(p, plan.order)
    elif plan.kind == "norm":
        top = jacobians.length(p, plan.order)
        result = (p == top) / (p == top).sum(-1, keepdims=True) if plan.order == math.inf else \
            jacobians.power_on_support(p / top, plan.order - 1)
    elif plan.kind == "argmax":
        result = jnp.zeros_like(p)
    elif plan.kind == "poisson":
        result = jnp.log(p)
    elif plan.kind in ("relu", "squared"):
        result = p
    else:
        a = _ENTROPIES.get(plan.kind, plan.order)
        result = tsallis_link(p, a) - tsallis_link(1 - p, a)
    return plan.temperature * result


def conjugate(theta: Array, plan: Plan) -> Array:
    """Ω*(θ) of every row."""
    p = predict(theta, plan)
    over_simplex = plan.kind in _OVER_SIMPLEX
    inner = inner_difference(theta, p) + theta.max(-1) if over_simplex else jnp.where(p == 0, 0, theta * p).sum(-1)
    return inner - plan.temperature * value(p, plan) - plan.constant


def inner_difference(theta: Array, p: Array, y: Optional[Array] = None) -> Array:
    """⟨θ − max θ, p − y⟩ of every row, where −inf times 0 is 0."""
    change = p if y is None else p - y
    below = jnp.maximum(theta - theta.max(-1, keepdims=True), LEAST)
    return jnp.where(change == 0, 0, below * change).sum(-1)


def outside(theta: Array, y: Array, plan: Plan) -> Array:
    """Rows of targets that are outside the domain, or have mass where it is forbidden."""
    wrong = (y != 0) & (theta == -math.inf)
    if plan.kind in _OVER_SIMPLEX:
        rounding = max(1e-6, 4 * y.shape[-1] * float(jnp.finfo(y.dtype).eps))
        return (wrong | (y < 0)).any(-1) | (jnp.abs(y.sum(-1) - 1) > rounding)
    if plan.kind in ("relu", "poisson"):
        wrong = wrong | (y < 0)
    elif plan.kind != "squared":
        wrong = wrong | (y < 0) | (y > 1)
    return wrong.any(-1)


def loss(theta: Array, y: Array, p: Array, plan: Plan) -> Array:
    """L_Ω(θ; y) of every row from its prediction p; y are rows like θ. NaN where y is outside the domain."""
    over_simplex = plan.kind in _OVER_SIMPLEX
    inner = inner_difference(theta, p, y) if over_simplex else jnp.where(p == y, 0, theta * (p - y)).sum(-1)
    found = jnp.maximum(inner + plan.temperature * (value(y, plan) - value(p, plan)), 0)
    return jnp.where(outside(theta, y, plan), jnp.nan, found)
