# SPDX-License-Identifier: Apache-2.0
"""J v in differentiable tensor operations, J the Jacobian of ŷ_Ω: what double backward needs.

J follows from the prediction p alone where Ω is separable or nearly so (paper §8.3): with s = 1/g''(p) on the support,
J v = s ∘ (v − ⟨s, v⟩/Σs); p carries its own graph, so that derivatives of J v come by themselves.
"""
from __future__ import annotations

import math
from typing import Callable, Dict, Optional

import torch
from torch import Tensor

from ._specs import Known

_SERIES_BELOW = 0.1  # beyond, (u eᵘ − eᵘ + 1)/u² loses fewer than three digits
_SERIES_TERMS = 12  # 0.1¹²/12! is far below the precision of double


def power_on_support(p: Tensor, exponent: Tensor | float) -> Tensor:
    """p^exponent where p > 0, else 0, with gradients that are never NaN."""
    support = p > 0
    return p.masked_fill(~support, 1) ** exponent * support


def centred(s: Tensor, v: Tensor) -> Tensor:
    """s ∘ (v − ⟨s, v⟩/Σs).

    A number added to v changes nothing. v is made 0 where s is largest: one s may be larger than all others together,
    and the difference of two nearly equal numbers would be multiplied by it.
    """
    v = v - v.gather(-1, s.argmax(-1, keepdim=True))
    total = s.sum(-1, keepdim=True)
    return s * (v - (s * v).sum(-1, keepdim=True) / total.masked_fill(total == 0, 1))


def _with_rank_one(s: Tensor, u: Tensor, weight: Tensor | float, v: Tensor) -> Tensor:
    """dp with dp = s ∘ (v − weight·c·u − t), c = ⟨u, dp⟩, Σ dp = 0: ∇²Ω = diag(1/s) + weight·u uᵀ."""
    total = s.sum(-1, keepdim=True)
    su, sv = (s * u).sum(-1, keepdim=True), (s * v).sum(-1, keepdim=True)
    spread = (s * u * u).sum(-1, keepdim=True) - su * su / total
    c = ((s * u * v).sum(-1, keepdim=True) - su * sv / total) / (1 + weight * spread)
    return s * (v - weight * c * u - (sv - weight * c * su) / total)


def length(p: Tensor, q: float | Tensor) -> Tensor:
    """‖p‖_q of every row, with a last axis of 1."""
    top = p.amax(-1, keepdim=True)
    if isinstance(q, float) and q == math.inf:
        return top
    top = top.detach().masked_fill(top == 0, 1)  # powers of small entries would be 0
    return top * power_on_support(p / top, q).sum(-1, keepdim=True) ** (1 / q)


def norm_product(p: Tensor, v: Tensor, q: float) -> Tensor:
    """J v of ‖p‖_q."""
    total = length(p, q)
    ratio = p / total
    s, r = total / (q - 1) * power_on_support(ratio, 2 - q), power_on_support(ratio, q - 1)
    return _with_rank_one(s, r, -(q - 1) / total, v)


def squared_norm_product(p: Tensor, v: Tensor, q: float) -> Tensor:
    """J v of ½‖p‖_q²."""
    ratio = p / length(p, q)
    return _with_rank_one(power_on_support(ratio, 2 - q) / (q - 1), power_on_support(ratio, q - 1), 2 - q, v)


def _renyi(p: Tensor, v: Tensor, beta: float) -> Tensor:
    total = power_on_support(p, beta).sum(-1, keepdim=True)
    s = power_on_support(p, 2 - beta) * total / beta
    # Along the simplex u may be replaced by u − 1, which keeps the product bounded near β = 1.
    u = (power_on_support(p, beta - 1) / total - 1) * (p > 0)
    return _with_rank_one(s, u, -beta * beta / (beta - 1), v)


def tsallis_sigmoid_product(p: Tensor, v: Tensor, alpha: float) -> Tensor:
    """J v of tsallis_sigmoid."""
    inside = (p > 0) & (p < 1)
    safe = p.masked_fill(~inside, 0.5)
    return v * inside / (safe ** (alpha - 2) + (1 - safe) ** (alpha - 2))


Product = Callable[[Tensor, Tensor], Tensor]


def _renyi_product(beta: float) -> Optional[Product]:
    if beta == 1:
        return centred
    return (lambda p, v: _renyi(p, v, beta)) if 0 < beta < float("inf") else None


# (p, v) → J v, from the parameters of Ω, where the Jacobian is a formula in p. An Ω without a line has first derivatives,
# which C++ computes; second ones it has only if it is an entmax or piecewise linear.
_PRODUCTS: Dict[str, Callable[[dict], Optional[Product]]] = {
    "norm": lambda omega: lambda p, v: norm_product(p, v, float(omega["q"])),
    "squared_norm": lambda omega: lambda p, v: squared_norm_product(p, v, float(omega["q"])),
    "renyi": lambda omega: _renyi_product(float(omega["beta"])),
    "sigmoid": lambda omega: lambda p, v: p * (1 - p) * v,
    "poisson": lambda omega: lambda p, v: p * v,
    "tsallis_sigmoid": lambda omega: lambda p, v: tsallis_sigmoid_product(p, v, float(omega["alpha"])),
}


def formula(omega: Known) -> Optional[Product]:
    """The map (p, v) → J v of an Ω in tensor operations; None where there is none."""
    if omega.piecewise_linear:
        return None
    order, t = omega.order, omega.temperature
    product: Optional[Product] = None
    if order is not None:
        if order < float("inf"):
            product = lambda p, v: centred(power_on_support(p, 2 - order), v)  # noqa: E731
    elif omega.name in _PRODUCTS:
        product = _PRODUCTS[omega.name](omega.parameters)
    if product is None or t == 1:
        return product
    scaled = product
    return lambda p, v: scaled(p, v) / t


def _near_zero(u: Tensor, exact: Callable[[Tensor], Tensor], coefficient: Callable[[int], float]) -> Tensor:
    """A function that cancels near 0: there its power series."""
    small = u.abs() < _SERIES_BELOW
    near = u.masked_fill(~small, 0)
    series, term = torch.zeros_like(near), torch.ones_like(near)
    for n in range(_SERIES_TERMS):
        series = series + term * coefficient(n)
        term = term * near
    return exact(u.masked_fill(small, 1)).where(~small, series)


def _ratio(u: Tensor) -> Tensor:
    """(eᵘ − 1)/u."""
    return _near_zero(u, lambda x: x.expm1() / x, lambda n: 1 / math.factorial(n + 1))


def _ratio_derivative(u: Tensor) -> Tensor:
    """The derivative of (eᵘ − 1)/u, which is (u eᵘ − eᵘ + 1)/u²."""
    return _near_zero(u, lambda x: ((x - 1) * x.exp() + 1) / (x * x), lambda n: (n + 1) / math.factorial(n + 2))


def _entmax_parts(p: Tensor, alpha: Tensor) -> tuple[Tensor, Tensor]:
    """s = 1/g''(p) and ∂ŷ/∂α of α-entmax at p; alpha has one entry per row."""
    alpha = alpha.to(p.dtype).unsqueeze(-1)
    s = power_on_support(p, 2 - alpha)
    log = p.masked_fill(p <= 0, 1).log()
    change = log * log * _ratio_derivative((alpha - 1) * log)
    mean = (s * change).sum(-1, keepdim=True) / s.sum(-1, keepdim=True)
    return s, s * (mean - change)


def entmax_products(p: Tensor, alpha: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """J v and ⟨∂ŷ/∂α, v⟩ of α-entmax at p."""
    s, slope = _entmax_parts(p, alpha)
    return centred(s, v), (v * slope).sum(-1)


def entmax_tangent(p: Tensor, alpha: Tensor, v: Optional[Tensor], u: Optional[Tensor]) -> Tensor:
    """J v + u ∂ŷ/∂α of α-entmax at p: how it changes along v in θ and u in α; None stands for 0."""
    s, slope = _entmax_parts(p, alpha)
    along_theta = torch.zeros_like(p) if v is None else centred(s, v)
    return along_theta if u is None else along_theta + slope * u.to(p.dtype).unsqueeze(-1)


def tsallis_gradient(p: Tensor, alpha: Tensor) -> Tensor:
    """∇Ω(p) of the Tsallis negentropy: (p^{α−1} − 1)/(α − 1) + 1/α; −inf at 0 for α ≤ 1."""
    alpha = alpha.to(p.dtype).unsqueeze(-1)
    a, log = alpha - 1, p.log()
    zero = a == 0
    safe = a.masked_fill(zero, 1)
    return ((safe * log).expm1() / safe).where(~zero, log) + 1 / alpha


def omega_alpha_derivative(p: Tensor, alpha: Tensor) -> Tensor:
    """∂Ω(p)/∂α of the Tsallis negentropy, of every row."""
    alpha = alpha.to(p.dtype).unsqueeze(-1)
    log = p.masked_fill(p <= 0, 1).log()
    u = (alpha - 1) * log
    return (p * log * (log * _ratio_derivative(u) / alpha - _ratio(u) / (alpha * alpha))).sum(-1)
