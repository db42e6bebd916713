# SPDX-License-Identifier: Apache-2.0
"""Ω, ∇Ω, Ω* and L_Ω of rows in tensor operations, from the predictions of _rows.py."""
from __future__ import annotations

import math
from typing import Optional

import torch
from torch import Tensor

from . import jacobians
from ._rows import OF_LENGTH, Plan, below_largest, norm, predict, with_cost
from ._thresholds import LEAST, Order

_SUMS = ("entmax", "norm", "squared_norm", "argmax", "budget")  # all y of the domain have the same sum


def _entropy_terms(p: Tensor, a: Order) -> Tensor:
    """p (p^a − 1)/(a (a + 1)), p log p for a = 0."""
    log = p.masked_fill(p <= 0, 1).log()
    if isinstance(a, float):
        return p * log if a == 0 else p * (a * log).expm1() / (a * (a + 1))
    zero = a == 0
    return p * torch.where(zero, log, (a * log).expm1() / a.masked_fill(zero, 1)) / (a + 1)


def tsallis_value(p: Tensor, a: Order) -> Tensor:
    """Σ (p^α − p)/(α (α − 1)) of every row."""
    return _entropy_terms(p, a).sum(-1)


def value(p: Tensor, plan: Plan) -> Tensor:
    """Ω(p) of every row, without its constant, its temperature and its cost."""
    if plan.kind == "entmax":
        return tsallis_value(p, plan.order)
    if plan.kind in OF_LENGTH:
        length = jacobians.length(p, plan.order).squeeze(-1)
        return length - 1 if plan.kind == "norm" else 0.5 * (length - 1) * (length + 1)
    if plan.kind == "argmax":
        return torch.zeros_like(p[..., 0])
    if plan.kind == "poisson":
        return (_entropy_terms(p, 0.0) - p).sum(-1)
    if plan.kind in ("relu", "squared", "budget"):
        return 0.5 * (p * p).sum(-1)
    a = {"sigmoid": 0.0, "sparse_sigmoid": 1.0}.get(plan.kind, plan.order)
    return (_entropy_terms(p, a) + _entropy_terms(1 - p, a)).sum(-1)


def gradient(y: Tensor, plan: Plan) -> Tensor:
    """∇Ω(y) of every row."""
    kind, order = plan.kind, plan.order
    if kind in OF_LENGTH:
        length = jacobians.length(y, order)
        slope = jacobians.power_on_support(y / length, order - 1) if order < math.inf else (y == length) / (
            y == length).sum(-1, keepdim=True, dtype=y.dtype)
        slope = slope if kind == "norm" else length * slope
    elif kind in ("relu", "squared", "budget"):
        slope = y
    elif kind == "poisson":
        slope = y.log()
    else:
        a = {"sigmoid": 0.0, "sparse_sigmoid": 1.0}.get(kind, order)
        slope = _tsallis_slope(y, a) + (1 / (a + 1) if kind == "entmax" else -_tsallis_slope(1 - y, a))
    slope = plan.temperature * slope
    return slope - slope.new_tensor(plan.cost) if plan.cost else slope


def _tsallis_slope(p: Tensor, a: float) -> Tensor:
    """(p^a − 1)/a, log p for a = 0."""
    log = p.log()
    return log if a == 0 else (a * log).expm1() / a


def conjugate(theta: Tensor, plan: Plan, differentiable: bool = False) -> Tensor:
    """Ω*(θ) of every row."""
    p = predict(theta, plan, differentiable)
    theta = with_cost(theta, plan)
    if plan.kind in _SUMS:
        total = plan.order if plan.kind == "budget" else 1.0
        inner = inner_difference(theta, p) + total * theta.detach().amax(-1)
    else:
        inner = (theta.clamp(min=LEAST) * p).sum(-1)
    return inner - plan.temperature * value(p, plan) - plan.constant


def inner_difference(theta: Tensor, p: Tensor, y: Optional[Tensor] = None) -> Tensor:
    """⟨θ − max θ, p − y⟩ of every row, where −inf times 0 is 0; p and y have the same sum, so that the shift is a constant."""
    if y is None:
        return (below_largest(theta) * p).sum(-1)
    return infinite_where_forbidden((below_largest(theta) * (p - y)).sum(-1), theta, y)


def infinite_where_forbidden(losses: Tensor, theta: Tensor, y: Tensor) -> Tensor:
    """Losses, +inf where y has mass that θ forbids."""
    return losses.masked_fill(((theta == -math.inf) & (y > 0)).any(-1), math.inf)


def loss(theta: Tensor, y: Tensor, p: Tensor, plan: Plan, differentiable: bool = False) -> Tensor:
    """L_Ω(θ; y) of every row from its prediction p; y are rows like θ."""
    theta = with_cost(theta, plan)
    if plan.kind in _SUMS:
        inner = inner_difference(theta, p, y)
    else:
        inner = infinite_where_forbidden((theta.clamp(min=LEAST) * (p - y)).sum(-1), theta, y)
    losses = inner + plan.temperature * (value(y, plan) - value(p, plan))
    return losses if differentiable else losses.clamp(min=0)


def norm_loss(theta: Tensor, y: Tensor, q: Tensor) -> Tensor:
    """The loss of ‖p‖_q of every row, with a q for each, in operations that torch differentiates."""
    p, infinite = norm(theta, q, differentiable=True), q == math.inf
    finite = q.masked_fill(infinite, 2)

    def length(p: Tensor) -> Tensor:
        return torch.where(infinite, p.amax(-1, keepdim=True), jacobians.length(p, finite)).squeeze(-1)

    return inner_difference(theta, p, y) + length(y) - length(p)
