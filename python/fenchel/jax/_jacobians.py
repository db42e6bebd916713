# SPDX-License-Identifier: Apache-2.0
"""J v in jax.numpy, J the Jacobian of ŷ_Ω: what derivatives of every order are made of.

J follows from the prediction p alone where Ω is separable or nearly so (paper §8.3): with s = 1/g''(p) on the support,
J v = s ∘ (v − ⟨s, v⟩/Σs); p carries its own derivatives, so that those of J v come by themselves.
"""
from __future__ import annotations

import math
from typing import Any, Callable, Dict, Optional, Union

import jax.numpy as jnp
from jax import Array

Product = Callable[[Array, Array], Array]

_SERIES_BELOW = 0.1  # beyond, (u eᵘ − eᵘ + 1)/u² loses fewer than three digits
_SERIES_TERMS = 12  # 0.1¹²/12! is far below the precision of double


def power_on_support(p: Array, exponent: Union[float, Array]) -> Array:
    """p^exponent where p > 0, else 0, with derivatives that are never NaN; NaN where p is."""
    return jnp.where(p == 0, 0, jnp.where(p == 0, 1, p) ** exponent)


def centred(s: Array, v: Array) -> Array:
    """s ∘ (v − ⟨s, v⟩/Σs).

    A number added to v changes nothing. v is made 0 where s is largest: one s may be larger than all others together,
    and the difference of two nearly equal numbers would be multiplied by it.
    """
    v = v - jnp.take_along_axis(v, s.argmax(-1, keepdims=True), -1)
    return s * (v - (s * v).sum(-1, keepdims=True) / s.sum(-1, keepdims=True))


def _with_rank_one(s: Array, u: Array, weight: Any, v: Array) -> Array:
    """dp with dp = s ∘ (v − weight·c·u − t), c = ⟨u, dp⟩, Σ dp = 0: ∇²Ω = diag(1/s) + weight·u uᵀ."""
    total = s.sum(-1, keepdims=True)
    su, sv = (s * u).sum(-1, keepdims=True), (s * v).sum(-1, keepdims=True)
    spread = (s * u * u).sum(-1, keepdims=True) - su * su / total
    c = ((s * u * v).sum(-1, keepdims=True) - su * sv / total) / (1 + weight * spread)
    return s * (v - weight * c * u - (sv - weight * c * su) / total)


def length(p: Array, q: float) -> Array:
    """‖p‖_q of every row, with a last axis of 1."""
    if q == math.inf:
        return p.max(-1, keepdims=True)
    return power_on_support(p, q).sum(-1, keepdims=True) ** (1 / q)


def norm_product(p: Array, v: Array, q: float) -> Array:
    """J v of ‖p‖_q."""
    total = length(p, q)
    ratio = p / total
    s, r = total / (q - 1) * power_on_support(ratio, 2 - q), power_on_support(ratio, q - 1)
    return _with_rank_one(s, r, -(q - 1) / total, v)


def _squared_norm(p: Array, v: Array, q: float) -> Array:
    ratio = p / length(p, q)
    return _with_rank_one(power_on_support(ratio, 2 - q) / (q - 1), power_on_support(ratio, q - 1), 2 - q, v)


def _renyi(p: Array, v: Array, beta: float) -> Array:
    total = power_on_support(p, beta).sum(-1, keepdims=True)
    s = power_on_support(p, 2 - beta) * total / beta
    # Along the simplex u may be replaced by u − 1, which keeps the product bounded near β = 1.
    u = (power_on_support(p, beta - 1) / total - 1) * (p > 0)
    return _with_rank_one(s, u, -beta * beta / (beta - 1), v)


def tsallis_sigmoid_product(p: Array, v: Array, alpha: float) -> Array:
    """J v of tsallis_sigmoid."""
    inside = (p > 0) & (p < 1)
    safe = jnp.where(inside, p, 0.5)
    return v * inside / (safe ** (alpha - 2) + (1 - safe) ** (alpha - 2))


def _renyi_product(beta: float) -> Optional[Product]:
    if beta == 1:
        return centred
    return (lambda p, v: _renyi(p, v, beta)) if 0 < beta < math.inf else None


# (p, v) → J v of Ω whose prediction is the core's alone, while the Jacobian is a formula in p.
_PRODUCTS: Dict[str, Callable[[dict], Optional[Product]]] = {
    "squared_norm": lambda omega: lambda p, v: _squared_norm(p, v, float(omega["q"])),
    "renyi": lambda omega: _renyi_product(float(omega["beta"])),
}


def formula(name: str, parameters: dict) -> Optional[Product]:
    """The map (p, v) → J v of an Ω; None where there is none."""
    product = _PRODUCTS[name](parameters) if name in _PRODUCTS else None
    temperature = float(parameters.get("temperature", 1.0))
    if product is None or temperature == 1:
        return product
    return lambda p, v: product(p, v) / temperature


def _near_zero(u: Array, exact: Callable[[Array], Array], coefficient: Callable[[int], float]) -> Array:
    """A function that cancels near 0: there its power series."""
    small = jnp.abs(u) < _SERIES_BELOW
    near = jnp.where(small, u, 0)
    series = jnp.zeros_like(near)
    for n in reversed(range(_SERIES_TERMS)):
        series = series * near + coefficient(n)
    return jnp.where(small, series, exact(jnp.where(small, 1, u)))


def _ratio(u: Array) -> Array:
    """(eᵘ − 1)/u."""
    return _near_zero(u, lambda x: jnp.expm1(x) / x, lambda n: 1 / math.factorial(n + 1))


def _ratio_derivative(u: Array) -> Array:
    """The derivative of (eᵘ − 1)/u, which is (u eᵘ − eᵘ + 1)/u²."""
    return _near_zero(u, lambda x: ((x - 1) * jnp.exp(x) + 1) / (x * x), lambda n: (n + 1) / math.factorial(n + 2))


def entmax_parts(p: Array, alpha: Array) -> tuple[Array, Array]:
    """s = 1/g''(p) and ∂ŷ/∂α of α-entmax at p; alpha has a last axis of 1."""
    s = power_on_support(p, 2 - alpha)
    log = jnp.log(jnp.where(p <= 0, 1, p))
    change = log * log * _ratio_derivative((alpha - 1) * log)
    mean = (s * change).sum(-1, keepdims=True) / s.sum(-1, keepdims=True)
    return s, s * (mean - change)


def omega_alpha_derivative(p: Array, alpha: Array) -> Array:
    """∂Ω(p)/∂α of the Tsallis negentropy, of every row; alpha has a last axis of 1."""
    log = jnp.log(jnp.where(p <= 0, 1, p))
    u = (alpha - 1) * log
    return (p * log * (log * _ratio_derivative(u) / alpha - _ratio(u) / (alpha * alpha))).sum(-1)
