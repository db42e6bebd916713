# SPDX-License-Identifier: Apache-2.0
"""ŷ_Ω, Ω, ∇Ω and Jacobian products of rows in tensor operations: no sort, nothing that depends on values, no copy to
the host, so that they run on every device and can be recorded.

The Tsallis family with a = α − 1 in the form p_i = [1 + a (θ_i − max θ − λ)]₊^{1/a}, e^{θ_i − max θ − λ} for a = 0, is
exact near α = 1 too. λ, the root of Σ p = 1 in [0, (1 − d^{−a})/a], takes a fixed number of Newton steps on the 1/a-norm of
the brackets, of which one is exact for a = 0; every third evaluation is in the middle of what is left of the interval, so
that no input is slow. Beyond α = 2 the sum is too steep for that: there the interval [1/d, 1] of the largest entry is halved.
‖p‖_q has the threshold of a = 1 − 1/q, with other powers of the brackets.
"""
from __future__ import annotations

import math
from typing import NamedTuple, Optional, Union

import torch
from torch import Tensor

from . import jacobians
from ._specs import known

Order = Union[float, Tensor]  # a = α − 1: one, or one for each row, with a last axis of 1

# Beyond, entries near 0 are roots of such an order that rounding of scores is seen in p: left to the core.
_LARGEST_ORDER = 10
_WITHOUT_DOUBLE = ("mps",)
_LEAST = -1e30  # scores below are 0 in p whatever λ is: stands for −inf, of which 0 · (−inf) would be NaN


class Plan(NamedTuple):
    """How an Ω is computed, in constants that tracers understand."""

    kind: str  # "" where there are no tensor operations
    order: float = 0.0  # a = α − 1, or q of norms
    temperature: float = 1.0
    constant: float = 0.0


_NO_PLAN = Plan("")
_BY_ENTRIES = ("sigmoid", "sparse_sigmoid", "tsallis_sigmoid", "relu", "poisson", "squared")


@torch.compiler.assume_constant_result
def plan_of(text: str) -> Plan:
    """The plan of an Ω; one of kind "" if it has no tensor operations."""
    facts = known(text)
    omega = facts.parameters
    if "cost" in omega:
        return _NO_PLAN
    rest = {"temperature": facts.temperature, "constant": float(omega.get("constant", 0.0))}
    if facts.order is not None and 0 < facts.order <= _LARGEST_ORDER:
        return Plan("entmax", facts.order - 1, **rest)
    if facts.name == "norm":
        return Plan("norm", float(omega["q"]), **rest)
    if facts.name == "tsallis_sigmoid" and 0 < float(omega["alpha"]) <= _LARGEST_ORDER:
        return Plan("tsallis_sigmoid", float(omega["alpha"]) - 1, **rest)
    if facts.name in _BY_ENTRIES and facts.name != "tsallis_sigmoid":
        return Plan(facts.name, 0.0, **rest)
    return _NO_PLAN


# Evaluations of Σ p, by the type of the scores; docs/python_torch.md has the errors that are left.
_NEWTON_STEPS = {torch.float32: 14, torch.float64: 17}
_HALVINGS = {torch.float32: 28, torch.float64: 56}


def _brackets(x: Tensor, a: Order) -> tuple[Tensor, Tensor]:
    """[1 + a x]₊^{1/a}, and the same to the power 1 − a."""
    if isinstance(a, float):
        if a == 0:
            p = x.exp()
            return p, p
        if a == 1:
            p = (1 + x).clamp(min=0)
            return p, (p > 0).to(p.dtype)
        if a == 0.5:
            root = (1 + 0.5 * x).clamp(min=0)
            return root * root, root
    inside = 1 + a * x
    outside = inside <= 0
    logs = (a * x).masked_fill(outside, 0).log1p()
    if isinstance(a, float):
        p = (logs / a).exp()
    else:
        zero = a == 0
        p = torch.where(zero, x, logs / a.masked_fill(zero, 1)).exp()
    return p.masked_fill(outside, 0), (p / inside.masked_fill(outside, 1)).masked_fill(outside, 0)


def _logarithm(s: Tensor, a: Order) -> Tensor:
    """(1 − s^{−a})/a; log s for a = 0."""
    log = s.log()
    if isinstance(a, float):
        return log if a == 0 else -(-a * log).expm1() / a
    zero = a == 0
    return torch.where(zero, log, -(-a * log).expm1() / a.masked_fill(zero, 1))


def _sizes(u: Tensor) -> Tensor:
    """d of every row, as a tensor: tracers may not know it as a number."""
    return torch.ones_like(u).sum(-1, keepdim=True)


def _by_newton(u: Tensor, a: Order) -> Tensor:
    """p for u = θ − max θ and a ≤ 1; sums to 1 but for rounding."""
    high = _logarithm(_sizes(u), a)
    at = low = torch.zeros_like(high)
    for step in range(_NEWTON_STEPS[u.dtype]):
        p, slopes = _brackets(u - at, a)
        total = p.sum(-1, keepdim=True)
        enough = total >= 1
        low, high = torch.where(enough, at, low), torch.where(enough, high, at)
        if step % 3 == 2:
            at = 0.5 * (low + high)
        else:
            at = at + total * _logarithm(total, a) / slopes.sum(-1, keepdim=True)
            at = torch.maximum(torch.minimum(at, high), low)
    return _brackets(u - at, a)[0]


def _by_halving(u: Tensor, a: Order) -> Tensor:
    """The same for a > 1: p_i = [t^a + a u_i]₊^{1/a}, t the largest entry."""
    low = 1 / _sizes(u)
    high = torch.ones_like(low)
    tiny = torch.finfo(u.dtype).tiny
    p = u
    for _ in range(_HALVINGS[u.dtype]):
        t = 0.5 * (low + high)
        ratio = a * u / (t**a).clamp(min=tiny)
        p = t * (ratio.clamp(min=-1).log1p() / a).exp()
        enough = p.sum(-1, keepdim=True) >= 1
        low, high = torch.where(enough, low, t), torch.where(enough, t, high)
    return p


def _below_largest(theta: Tensor) -> Tensor:
    """θ − max θ, at least _LEAST; NaN in rows that have no prediction."""
    top = theta.amax(-1, keepdim=True)
    lost = ~top.isfinite()
    return (theta - top.masked_fill(lost, 0)).clamp(min=_LEAST).masked_fill(lost, math.nan)


def entmax(theta: Tensor, a: Order) -> Tensor:
    """ŷ of the Tsallis negentropy of order 1 + a."""
    if isinstance(a, Tensor):
        return torch.where(a > 1, _large_order(theta, a.clamp(min=1)), _small_order(theta, a.clamp(max=1)))
    return _small_order(theta, a) if a <= 1 else _large_order(theta, a)


def _small_order(theta: Tensor, a: Order) -> Tensor:
    u = _below_largest(theta)
    if isinstance(a, float) and a == 0:
        return u.softmax(-1)
    p = _by_newton(u, a).masked_fill(u <= _LEAST, 0)  # which for α < 1 is hardly more than 0
    return p / p.sum(-1, keepdim=True)


def _large_order(theta: Tensor, a: Order) -> Tensor:
    # Entries near 0 change fast: what single precision loses would be seen.
    wide = theta.device.type not in _WITHOUT_DOUBLE
    p = _by_halving(_below_largest(theta.double() if wide else theta), a)
    return (p / p.sum(-1, keepdim=True)).to(theta.dtype)


def _norm(theta: Tensor, q: float) -> Tensor:
    """ŷ of ‖p‖_q − 1: Σ [θ − τ]₊^{q/(q−1)} = 1 and p ∝ [θ − τ]₊^{1/(q−1)}."""
    a = 1 - 1 / q
    u = _below_largest(theta) / a
    p = jacobians.power_on_support(_by_newton(u, a), 1 / q)
    return p / p.sum(-1, keepdim=True)


def _tsallis_sigmoid(theta: Tensor, a: float) -> Tensor:
    return entmax(torch.stack([theta, torch.zeros_like(theta)], -1), a)[..., 0].clone()


def predict(theta: Tensor, plan: Plan) -> Tensor:
    """ŷ_Ω of every row."""
    if plan.temperature != 1:
        theta = theta / plan.temperature
    if plan.kind == "entmax":
        return entmax(theta, plan.order)
    if plan.kind == "norm":
        return _norm(theta, plan.order)
    if plan.kind == "sigmoid":
        return theta.sigmoid()
    if plan.kind == "sparse_sigmoid":
        return (0.5 * (theta + 1)).clamp(0, 1)
    if plan.kind == "tsallis_sigmoid":
        return _tsallis_sigmoid(theta, plan.order)
    if plan.kind == "relu":
        return theta.relu()
    if plan.kind == "poisson":
        return theta.exp()
    return theta.clone()


def product(p: Tensor, v: Tensor, plan: Plan, theta: Optional[Tensor] = None) -> Tensor:
    """J v, J the Jacobian of ŷ_Ω where it is p; θ is needed by relu and sparse_sigmoid at borders alone."""
    if plan.kind == "entmax":
        result = jacobians.centred(jacobians.power_on_support(p, 1 - plan.order), v)
    elif plan.kind == "norm":
        # ‖p‖_∞ has the same prediction, the mean over the largest scores, around every θ.
        result = torch.zeros_like(v) if plan.order == math.inf else jacobians.norm_product(p, v, plan.order)
    elif plan.kind == "sigmoid":
        result = p * (1 - p) * v
    elif plan.kind == "sparse_sigmoid":
        result = 0.5 * ((p > 0) & (p < 1)) * v
    elif plan.kind == "tsallis_sigmoid":
        result = jacobians.tsallis_sigmoid_product(p, v, plan.order + 1)
    elif plan.kind == "relu":
        result = (p > 0) * v
    elif plan.kind == "poisson":
        result = p * v
    else:
        result = v
    return result if plan.temperature == 1 else result / plan.temperature


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
    """Ω(p) of every row, without its constant and its temperature."""
    if plan.kind == "entmax":
        return tsallis_value(p, plan.order)
    if plan.kind == "norm":
        return jacobians.length(p, plan.order).squeeze(-1) - 1
    if plan.kind == "poisson":
        return (_entropy_terms(p, 0.0) - p).sum(-1)
    if plan.kind in ("relu", "squared"):
        return 0.5 * (p * p).sum(-1)
    a = {"sigmoid": 0.0, "sparse_sigmoid": 1.0}.get(plan.kind, plan.order)
    return (_entropy_terms(p, a) + _entropy_terms(1 - p, a)).sum(-1)


def conjugate(theta: Tensor, plan: Plan) -> Tensor:
    """Ω*(θ) of every row."""
    p = predict(theta, plan)
    top = theta.amax(-1) if plan.kind in ("entmax", "norm") else 0.0
    inner = inner_difference(theta, p) if plan.kind in ("entmax", "norm") else (theta * p).masked_fill(p == 0, 0).sum(-1)
    return inner + top - plan.temperature * value(p, plan) - plan.constant


def inner_difference(theta: Tensor, p: Tensor, y: Optional[Tensor] = None) -> Tensor:
    """⟨θ − max θ, p − y⟩ of every row, where −inf times 0 is 0."""
    change = p if y is None else p - y
    below = (theta - theta.amax(-1, keepdim=True)).clamp(min=_LEAST)
    return (below * change).masked_fill(change == 0, 0).sum(-1)


def loss(theta: Tensor, y: Tensor, p: Tensor, plan: Plan) -> Tensor:
    """L_Ω(θ; y) of every row from its prediction p; y are rows like θ."""
    if plan.kind in ("entmax", "norm"):
        inner = inner_difference(theta, p, y)
    else:
        inner = (theta * (p - y)).masked_fill(p == y, 0).sum(-1)
    return (inner + plan.temperature * (value(y, plan) - value(p, plan))).clamp(min=0)
