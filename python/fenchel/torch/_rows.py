# SPDX-License-Identifier: Apache-2.0
"""ŷ_Ω and Jacobian products of rows in tensor operations: nothing that depends on values, no copy to the host, so
that they run on every device and can be recorded.

_thresholds.py finds thresholds without derivatives. `differentiable` adds Newton steps that autograd sees: from the exact
threshold, three of them have the right derivatives up to the seventh, in every nesting of modes. ‖p‖_q has the threshold of
a = 1 − 1/q, with other powers of the brackets.
"""
from __future__ import annotations

import math
from typing import NamedTuple, Optional, Union

import torch
from torch import Tensor

from . import jacobians
from ._kernels import by_kernels
from ._specs import known
from ._tensors import graph_wanted
from ._thresholds import LEAST, Order, between, brackets, by_newton, halved, interval_of_largest, large_brackets, sizes

_WITHOUT_DOUBLE = ("mps",)
_REFINEMENTS = 3


class Plan(NamedTuple):
    """How an Ω is computed, in constants that tracers understand."""

    kind: str  # "" where there are no tensor operations
    order: float = 0.0  # a = α − 1, q of norms, or the sum of a budget
    temperature: float = 1.0
    constant: float = 0.0
    cost: tuple = ()  # added to the scores


_NO_PLAN = Plan("")
_BY_ENTRIES = ("sigmoid", "sparse_sigmoid", "relu", "poisson", "squared")
OF_LENGTH = ("norm", "squared_norm")


def _budget_of(polytope: dict) -> Optional[float]:
    """k of {0 ≤ p ≤ 1, Σ p = k}; None for other sets."""
    if polytope["name"] == "k_subsets":
        return float(polytope["k"])
    w = list(polytope.get("w") or ()) if polytope["name"] == "permutahedron" else []
    ones = sum(entry == 1 for entry in w)
    rest = w[ones:ones + 1]
    if not w or any(not 0 <= entry <= 1 for entry in rest) or w != [1] * ones + rest + [0] * (len(w) - ones - len(rest)):
        return None
    return float(sum(w))


def _kind_of(name: str, order: Optional[float], omega: dict) -> tuple[str, float]:
    """The kind and the order of an Ω, without its temperature and the like."""
    if order is not None and order > 0:
        return ("argmax", 0.0) if order == math.inf else ("entmax", order - 1)
    if name in OF_LENGTH:
        return name, float(omega["q"])
    if name == "tsallis_sigmoid" and 0 < float(omega["alpha"]) < math.inf:
        return name, float(omega["alpha"]) - 1
    if name == "one_vs_all" and set(omega["entropy"]) <= {"name", "alpha"}:
        alphas = {"shannon": 1.0, "sparsemax": 2.0, "tsallis": float(omega["entropy"].get("alpha", 1))}
        alpha = alphas.get(omega["entropy"]["name"], 0.0)
        return ("tsallis_sigmoid", alpha - 1) if 0 < alpha < math.inf else ("", 0.0)
    if name == "sparsemap":
        budget = _budget_of(omega["polytope"])
        return ("", 0.0) if budget is None else ("budget", budget)
    return (name, 0.0) if name in _BY_ENTRIES or name == "argmax" else ("", 0.0)


@torch.compiler.assume_constant_result
def plan_of(text: str) -> Plan:
    """The plan of an Ω; one of kind "" if it has no tensor operations."""
    facts = known(text)
    omega = facts.parameters
    kind, order = _kind_of(facts.name, facts.order, omega) if omega else ("", 0.0)
    if not kind:
        return _NO_PLAN
    return Plan(kind, order, facts.temperature, float(omega.get("constant", 0.0)),
                tuple(float(entry) for entry in omega.get("cost", ())))


def below_largest(theta: Tensor) -> Tensor:
    """θ − max θ, at least LEAST; NaN in rows that have no prediction."""
    return (theta - theta.detach().amax(-1, keepdim=True)).clamp(min=LEAST)


def _normalized(p: Tensor) -> Tensor:
    return p / p.sum(-1, keepdim=True)


def _refined(u: Tensor, a: Order, at: Tensor, differentiable: bool) -> Tensor:
    return by_newton(u, a, at, _REFINEMENTS) if differentiable else at


def _small_order(theta: Tensor, a: Order, differentiable: bool) -> Tensor:
    u = below_largest(theta)
    if isinstance(a, float) and a == 0:
        return _normalized(u.exp())  # torch.softmax adds up long rows less exactly
    start = by_newton(u.detach(), a.detach() if isinstance(a, Tensor) else a)
    p = brackets(u - _refined(u, a, start, differentiable), a)[0]
    if not isinstance(a, float) or a < 0:
        p = p.masked_fill(u <= LEAST, 0)  # which for α < 1 is hardly more than 0
    return _normalized(p)


def _large_order(theta: Tensor, a: Order, differentiable: bool) -> Tensor:
    # Entries near 0 change fast: what single precision loses would be seen.
    wide = theta.device.type not in _WITHOUT_DOUBLE
    u = below_largest(theta.double() if wide else theta)
    a = a.to(u.dtype) if isinstance(a, Tensor) else a
    low, high = interval_of_largest(u.detach(), a.detach() if isinstance(a, Tensor) else a)
    if not differentiable:
        return _normalized(between(large_brackets(u, low, a), large_brackets(u, high, a))).to(theta.dtype)
    t = low
    for _ in range(_REFINEMENTS):
        p = large_brackets(u, t, a)
        slope = jacobians.power_on_support(p / t, 1 - a).sum(-1, keepdim=True)
        t = t - (p.sum(-1, keepdim=True) - 1) / slope
    return _normalized(large_brackets(u, t, a)).to(theta.dtype)


def entmax(theta: Tensor, a: Order, differentiable: bool = False) -> Tensor:
    """ŷ of the Tsallis negentropy of order 1 + a."""
    if isinstance(a, Tensor):
        infinite = a == math.inf
        large = _large_order(theta, a.clamp(min=1).masked_fill(infinite, 1), differentiable)
        p = torch.where(a > 1, large, _small_order(theta, a.clamp(max=1), differentiable))
        return torch.where(infinite, _argmax(theta), p)
    return (_small_order if a <= 1 else _large_order)(theta, a, differentiable)


def norm(theta: Tensor, q: Union[float, Tensor], differentiable: bool = False) -> Tensor:
    """ŷ of ‖p‖_q − 1: Σ [θ − τ]₊^{q/(q−1)} = 1 and p ∝ [θ − τ]₊^{1/(q−1)}."""
    a = 1 - 1 / q
    u = below_largest(theta) / a
    at = _refined(u, a, by_newton(u.detach(), a), differentiable)
    return _normalized(jacobians.power_on_support(brackets(u - at, a)[0], 1 / q))


def _squared_norm(theta: Tensor, q: float, differentiable: bool) -> Tensor:
    """ŷ of ½‖p‖_q²: with x = [1 + (θ − max θ)/s]₊, s A B^{1 − 2/q} = 1 for A = Σ x^k, B = Σ x^{k+1}, k = 1/(q − 1)."""
    u, k, power = below_largest(theta), 1 / (q - 1), 1 - 2 / q

    def excess(u: Tensor, log: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """w ∝ p, the logarithm of the left-hand side, and its derivative in log s."""
        ratio = u / log.exp()
        outside = ratio <= -1
        ratio = ratio.masked_fill(outside, 0)
        w = (k * ratio.log1p()).exp().masked_fill(outside, 0)
        x = (1 + ratio) * w
        a, b = w.sum(-1, keepdim=True), x.sum(-1, keepdim=True)
        slope = 1 - k * (w / (1 + ratio) * ratio).sum(-1, keepdim=True) / a - power * (k + 1) * (
            w * ratio).sum(-1, keepdim=True) / b
        return w, log + a.log() + power * b.log(), slope

    fixed = u.detach()
    low = -(2 * sizes(u)).log() + torch.zeros_like(fixed[..., :1])
    log, _ = halved(low, torch.zeros_like(low), lambda middle: excess(fixed, middle)[1] < 0)
    for _ in range(_REFINEMENTS if differentiable else 1):
        _, value, slope = excess(u, log)
        log = log - value / slope
    return _normalized(excess(u, log)[0])


def budget(theta: Tensor, total: Union[float, Tensor], differentiable: bool = False) -> Tensor:
    """argmin ½‖p − θ‖² with 0 ≤ p ≤ 1 and Σ p = total."""
    u = below_largest(theta)
    fixed = u.detach()
    high = torch.zeros_like(fixed[..., :1])
    low = fixed.masked_fill(fixed <= LEAST, 0).amin(-1, keepdim=True) - 1
    at, _ = halved(low, high, lambda middle: (fixed - middle).clamp(0, 1).sum(-1, keepdim=True) >= total)
    for _ in range(_REFINEMENTS):  # exact once the entries between 0 and 1 are known
        v = u if differentiable else fixed
        p = (v - at).clamp(0, 1)
        inside = ((p > 0) & (p < 1)).sum(-1, keepdim=True, dtype=p.dtype).clamp(min=1)
        at = at + (p.sum(-1, keepdim=True) - total) / inside
    p = (u - at).clamp(0, 1)
    return p * total if isinstance(total, float) and total == 0 else p


def _argmax(theta: Tensor) -> Tensor:
    """The first of the largest scores."""
    top = theta.amax(-1, keepdim=True)
    largest = theta == top
    first = (largest & (largest.cumsum(-1) == 1)).to(theta.dtype)
    return first.masked_fill(~top.isfinite(), math.nan)


def _tsallis_sigmoid(theta: Tensor, a: float, differentiable: bool) -> Tensor:
    return entmax(torch.stack([theta, torch.zeros_like(theta)], -1), a, differentiable)[..., 0].clone()


def with_cost(theta: Tensor, plan: Plan) -> Tensor:
    """θ with the cost that Ω has of its own."""
    return theta + theta.new_tensor(plan.cost) if plan.cost else theta


def predict(theta: Tensor, plan: Plan, differentiable: bool = False) -> Tensor:
    """ŷ_Ω of every row."""
    theta, kind = with_cost(theta, plan), plan.kind
    if plan.temperature != 1:
        theta = theta / plan.temperature
    if kind == "entmax":
        found = None if differentiable else by_kernels(plan.order, lambda kernels, *rows: kernels.predict(*rows), theta)
        return entmax(theta, plan.order, differentiable) if found is None else found
    if kind == "norm":
        return norm(theta, plan.order, differentiable)
    if kind == "squared_norm":
        return _squared_norm(theta, plan.order, differentiable)
    if kind == "budget":
        return budget(theta, plan.order, differentiable)
    if kind == "argmax":
        return _argmax(theta)
    if kind == "sigmoid":
        return theta.sigmoid()
    if kind == "sparse_sigmoid":
        return (0.5 * (theta + 1)).clamp(0, 1)
    if kind == "tsallis_sigmoid":
        return _tsallis_sigmoid(theta, plan.order, differentiable)
    if kind == "relu":
        return theta.relu()
    return theta.exp() if kind == "poisson" else theta.clone()


def _product(p: Tensor, v: Tensor, plan: Plan) -> Tensor:
    kind = plan.kind
    if kind == "entmax":
        found = None if graph_wanted() else by_kernels(plan.order, lambda kernels, *rows: kernels.product(*rows), p, v)
        return jacobians.centred(jacobians.power_on_support(p, 1 - plan.order), v) if found is None else found
    if kind == "norm" and plan.order != math.inf:
        return jacobians.norm_product(p, v, plan.order)
    if kind == "squared_norm":
        return jacobians.squared_norm_product(p, v, plan.order)
    if kind in ("norm", "argmax"):  # ‖p‖_∞ has the same prediction, the mean over the largest scores, around every θ
        return torch.zeros_like(v)
    if kind == "budget":
        return jacobians.centred(((p > 0) & (p < 1)).to(v.dtype), v)
    if kind == "sigmoid":
        return p * (1 - p) * v
    if kind == "sparse_sigmoid":
        return 0.5 * ((p > 0) & (p < 1)) * v
    if kind == "tsallis_sigmoid":
        return jacobians.tsallis_sigmoid_product(p, v, plan.order + 1)
    if kind == "relu":
        return (p > 0) * v
    return p * v if kind == "poisson" else v


def product(p: Tensor, v: Tensor, plan: Plan) -> Tensor:
    """J v, J the Jacobian of ŷ_Ω where it is p."""
    result = _product(p, v, plan)
    return result if plan.temperature == 1 else result / plan.temperature
