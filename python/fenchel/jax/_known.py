# SPDX-License-Identifier: Apache-2.0
"""Ω as compiled programs hold it: an object for each text, with what is known of it."""
from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Callable, NamedTuple, Optional, Tuple

import jax
import jax.numpy as jnp
from jax import Array

from .. import _core
from .._base import Regularizer, _terms_of, core_of, resolved
from . import _chain, _isotonic, _jacobians, _row_values, _rows, _section, _transport


class Formulas(NamedTuple):
    """An Ω in jax.numpy, of rows."""

    predict: Callable[[Array], Array]
    conjugate: Callable[[Array], Array]
    product: Callable[[Array, Array, Array], Array]  # of θ, ŷ and v
    value: Optional[Callable[[Array], Array]] = None
    link: Optional[Callable[[Array], Array]] = None
    loss: Optional[Callable[[Array, Array, Array], Array]] = None  # of θ, y and ŷ
    large: bool = False  # the product takes the formula of ŷ itself, so that the core is better; J is constant around θ


class Known:
    """An Ω with its facts. Equal ones are the same object, so that programs are compiled once."""

    def __init__(self, core: Any, text: str, name: str, parameters: dict):
        self.core, self.text, self.name = core, text, name
        self.own = core if text == "" else None  # an Ω that is written in Python has no text
        self.piecewise_linear = core.piecewise_linear and text != ""
        self.domain: str = core.domain
        self.dimension: Optional[int] = core.dimension
        shape = core.shape
        self.shape: Tuple[int, ...] = tuple(shape) if shape is not None and len(shape) > 1 else ()
        self.formulas = _formulas(core, name, parameters)
        self.product = _jacobians.formula(name, parameters) if text else None


def _of_plan(plan: _rows.Plan) -> Formulas:
    def inside(p: Array, found: Array) -> Array:
        wrong = _row_values.outside(jnp.zeros_like(p), p, plan)
        return jnp.where(wrong if found.ndim < p.ndim else wrong[..., None], jnp.nan, found)

    return Formulas(lambda theta: _rows.predict(theta, plan), lambda theta: _row_values.conjugate(theta, plan),
                    lambda theta, p, v: _rows.product(p, v, plan),
                    lambda p: inside(p, plan.temperature * _row_values.value(p, plan) + plan.constant),
                    lambda p: inside(p, _row_values.link(p, plan)),
                    lambda theta, y, p: _row_values.loss(theta, y, p, plan))


def _inner(theta: Array, change: Array) -> Array:
    """⟨θ, change⟩, where −inf times 0 is 0."""
    return jnp.where(change == 0, 0, theta * change).sum(-1)


def _of_value(predict: Any, product: Any, value: Any, link: Any) -> Formulas:
    """Ω with a formula of its own; targets are not looked at."""
    def conjugate(theta: Array) -> Array:
        p = predict(theta)
        return _inner(theta, p) - value(p)

    def loss(theta: Array, y: Array, p: Array) -> Array:
        return jnp.maximum(_inner(theta, p - y) + value(y) - value(p), 0)

    return Formulas(predict, conjugate, product, value, link, loss)


def _of_projection(project: Callable[[Array], Array]) -> Formulas:
    """½‖μ‖² over a set; the Jacobian is that of the formula."""
    return _of_value(project, lambda theta, p, v: jax.jvp(project, (theta,), (v,))[1],
                     lambda mu: 0.5 * (mu * mu).sum(-1), lambda mu: mu)._replace(large=True)


def _of_polytope(name: str, polytope: dict, temperature: float) -> Optional[Formulas]:
    """Ω over a set of structures."""
    kind = polytope.get("name")
    if name == "entropic" and kind == "transport":
        plans = _transport.Plans(tuple(map(float, polytope["a"])), tuple(map(float, polytope["b"])), temperature)
        return _of_value(plans.predict, plans.product, plans.value, plans.link)
    if temperature != 1:
        return None
    if name == "marginal" and kind == "chain" and polytope.get("boundary", False):
        chain = _chain.Chain(int(polytope["n"]), int(polytope["m"]))
        return Formulas(chain.marginals, chain.log_partition, chain.product)
    if name == "sparsemap" and kind == "k_subsets":
        return _of_projection(lambda theta: _section.project(theta, 0, 1, 1, polytope["k"]))
    if name == "sparsemap" and kind == "permutahedron":
        return _of_projection(lambda theta: _isotonic.permutahedron(theta, jnp.asarray(polytope["w"], theta.dtype)))
    return None


def _formulas(core: Any, name: str, parameters: dict) -> Optional[Formulas]:
    if not parameters:
        return None
    plan = _rows.plan_of(name, parameters, core.entmax_order)
    if plan is not None:
        return _of_plan(plan)
    if "polytope" not in parameters or not set(parameters) <= {"name", "polytope", "temperature"}:
        return None
    return _of_polytope(name, parameters["polytope"], float(parameters.get("temperature", 1.0)))


@lru_cache(maxsize=4096)
def _of_spec(spec: str) -> Known:
    parameters = json.loads(spec)
    return Known(_core.Omega(spec), spec, parameters["name"], parameters)


@lru_cache(maxsize=4096)
def _of_text(text: str) -> Tuple[Known, Optional[Tuple[float, float]]]:
    made = resolved(text)
    return _of_spec(made.core.spec), _terms_of(made)


def known_of(omega: Any) -> Known:
    """An Ω given as a Regularizer, a text or a dictionary; of the name of a loss its Ω."""
    if isinstance(omega, Known):
        return omega
    if isinstance(omega, str):
        return _of_text(omega)[0]
    if isinstance(omega, Regularizer):
        text = omega.__dict__.get("_text")
        if text is not None:
            return _of_spec(text)
        if "_known" not in omega.__dict__:
            omega.__dict__["_known"] = Known(omega._core, "", type(omega).__name__, {})
        return omega.__dict__["_known"]
    return _of_spec(core_of(omega).spec)


def own_cost(omega: Any) -> Optional[Tuple[float, float]]:
    """The cost of the name of a loss, such as "hinge", as numbers (a, b): c_y = a + b y. None for an Ω."""
    if isinstance(omega, Known):
        return None
    if isinstance(omega, str):
        return _of_text(omega)[1]
    return omega._terms if isinstance(omega, Regularizer) else _terms_of(resolved(omega))
