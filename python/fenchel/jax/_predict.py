# SPDX-License-Identifier: Apache-2.0
"""ŷ_Ω, Ω*, Ω and J v of rows, with derivatives of every order that there is.

Each is a custom_jvp whose rule is made of the others, so that forward and reverse mode nest as they like; none is a
custom_vjp, which forward mode would refuse.
"""
from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from ._calls import Call, Struct, run
from ._known import Known

_LARGEST = 1e30


class Task(NamedTuple):
    """An Ω, and where it is computed: what programs are compiled for."""

    known: Known
    place: str

    def call(self, operation: str, **options: Any) -> Call:
        """An operation of the core with this Ω."""
        return Call(operation, self.known.text, core=self.known.own, **options)


def like(array: Array) -> Struct:
    """The shape and type of an array."""
    return Struct(array.shape, array.dtype)


def numbers(rows: Array) -> Struct:
    """A number for each row."""
    return Struct(rows.shape[:-1], rows.dtype)


def inner(p: Array, v: Array) -> Array:
    """⟨p, v⟩ of rows."""
    return (p * v).sum(-1)


def bounded(slopes: Array) -> Array:
    """∇Ω on the boundary, where it may be infinite, so large that nothing times it is still nothing."""
    return jnp.clip(slopes, -_LARGEST, _LARGEST)


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def _differentiated_once(theta: Array, name: str) -> Array:
    return theta


@_differentiated_once.defjvp
def _refuse(name: str, primals: Any, tangents: Any) -> Any:
    raise NotImplementedError(f"the second derivative of the prediction of {name} is not available; it is for entropies on "
                              "the simplex, for coordinatewise Ω, and where predictions are piecewise linear, as those of "
                              "SparseMap")


def linear(apply: Any, transposed: Any, v: Array) -> Array:
    """A linear map of the core, with its transpose. JAX knows maps of two directions as the solutions of linear systems;
    the system itself is never looked at."""
    return lax.custom_linear_solve(lambda x: x, v, lambda _, b: apply(b), lambda _, b: transposed(b))


def _core_product(theta: Array, v: Array, task: Task) -> Array:
    """J v by the core. J is constant around θ where predictions are piecewise linear; elsewhere its derivative is refused."""
    known = task.known
    at = lax.stop_gradient(theta) if known.piecewise_linear else _differentiated_once(theta, known.name)
    formulas = known.formulas
    formula = None if formulas is None else lambda at, b: (formulas.product(at, at, b),)

    def apply(b: Array) -> Array:
        return run(task.place, known.name, task.call("jvp"), (like(at),), formula, at, b)[0]

    return linear(apply, apply, v)


def product(theta: Array, p: Array, v: Array, task: Task) -> Array:
    """J v, J the Jacobian of ŷ_Ω at θ, where it is p."""
    if task.known.formulas is not None and not task.known.formulas.large:
        return task.known.formulas.product(theta, p, v)
    return _core_product(theta, v, task) if task.known.product is None else task.known.product(p, v)


def _run(task: Task, operation: str, result: Struct, formula: Any, *arrays: Array, **options: Any) -> Array:
    by_formula = None if formula is None else (lambda *given: (formula(*given),))
    return run(task.place, task.known.name, task.call(operation, **options), (result,), by_formula, *arrays)[0]


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def predict_rows(theta: Array, task: Task) -> Array:
    """ŷ_Ω of every row."""
    formulas = task.known.formulas
    return _run(task, "predict", like(theta), formulas and formulas.predict, theta)


@predict_rows.defjvp
def _predict_jvp(task: Task, primals: Any, tangents: Any) -> Any:
    (theta,), (v,) = primals, tangents
    p = predict_rows(theta, task)
    return p, product(theta, p, v, task)


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def conjugate_rows(theta: Array, task: Task) -> Array:
    """Ω*(θ) of every row."""
    formulas = task.known.formulas
    return _run(task, "conjugate", numbers(theta), formulas and formulas.conjugate, theta)


@conjugate_rows.defjvp
def _conjugate_jvp(task: Task, primals: Any, tangents: Any) -> Any:
    (theta,), (v,) = primals, tangents
    return conjugate_rows(theta, task), inner(predict_rows(theta, task), v)


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def link_rows(mu: Array, task: Task) -> Array:
    """∇Ω(μ) of every row; what has no formula is not differentiated again."""
    formulas = task.known.formulas
    return _run(task, "link", like(mu), formulas and formulas.link, mu)


@link_rows.defjvp
def _link_jvp(task: Task, primals: Any, tangents: Any) -> Any:
    formulas = task.known.formulas
    if formulas is None or formulas.link is None:
        raise NotImplementedError(f"the second derivative of {task.known.name} itself is not available")
    return jax.jvp(formulas.link, primals, tangents)


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def value_rows(mu: Array, task: Task) -> Array:
    """Ω(μ) of every row."""
    formulas = task.known.formulas
    return _run(task, "value", numbers(mu), formulas and formulas.value, mu)


@value_rows.defjvp
def _value_jvp(task: Task, primals: Any, tangents: Any) -> Any:
    (mu,), (v,) = primals, tangents
    return value_rows(mu, task), inner(bounded(link_rows(mu, task)), v)
