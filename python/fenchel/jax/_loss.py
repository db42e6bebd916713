# SPDX-License-Identifier: Apache-2.0
"""L_Ω of rows together with its gradient ŷ − y. Targets are labels (int32, one per row) or rows like θ."""
from __future__ import annotations

from functools import partial
from typing import Any, Tuple

import jax
import jax.numpy as jnp
from jax import Array
from jax.custom_derivatives import SymbolicZero

from ._calls import run
from ._predict import Task, bounded, inner, like, link_rows, numbers, predict_rows, product


def are_labels(y: Array) -> bool:
    return jnp.issubdtype(y.dtype, jnp.integer)


def rows_of(y: Array, theta: Array) -> Array:
    """Targets as rows; NaN for labels that are no class."""
    if not are_labels(y):
        return y
    rows = jax.nn.one_hot(y, theta.shape[-1], dtype=theta.dtype)
    return jnp.where(((y < 0) | (y >= theta.shape[-1]))[..., None], jnp.nan, rows)


@partial(jax.custom_jvp, nondiff_argnums=(2,))
def value_and_difference(theta: Array, y: Array, task: Task) -> Tuple[Array, Array]:
    """L_Ω(θ; y) of every row, and ŷ − y."""
    formulas = task.known.formulas

    def by_formula(theta: Array, y: Array) -> Tuple[Array, Array]:
        p, rows = formulas.predict(theta), rows_of(y, theta)  # type: ignore[union-attr]
        losses = formulas.loss(theta, rows, p)  # type: ignore[union-attr, misc]
        return losses, jnp.where(jnp.isnan(losses)[..., None], jnp.nan, p - rows)

    formula = by_formula if formulas is not None and formulas.loss is not None else None
    return run(task.place, task.known.name, task.call("loss"), (numbers(theta), like(theta)), formula, theta, y)


def _is_zero(tangent: Any) -> bool:
    return isinstance(tangent, SymbolicZero)


def slope_in_targets(link: Array, theta: Array) -> Array:
    """∇Ω(y) − θ; 0 where a mask keeps y at 0."""
    return jnp.where(theta == -jnp.inf, 0, bounded(link) - theta)


def _change(theta: Array, y: Array, difference: Array, dtheta: Any, dy: Any, task: Task) -> Array:
    """How losses change: ⟨ŷ − y, dθ⟩ + ⟨∇Ω(y) − θ, dy⟩."""
    change = jnp.zeros_like(difference[..., 0])
    if not _is_zero(dtheta):
        change = change + inner(difference, dtheta)
    if not _is_zero(dy):
        change = change + inner(slope_in_targets(link_rows(y, task), theta), dy)
    return change


def _difference_jvp(task: Task, primals: Any, tangents: Any) -> Any:
    (theta, y), (dtheta, dy) = primals, tangents
    losses, difference = value_and_difference(theta, y, task)
    turned = jnp.zeros_like(theta) if _is_zero(dtheta) else product(theta, predict_rows(theta, task), dtheta, task)
    if not _is_zero(dy):
        turned = turned - dy
    return (losses, difference), (_change(theta, y, difference, dtheta, dy, task), turned)


value_and_difference.defjvp(_difference_jvp, symbolic_zeros=True)


@partial(jax.custom_jvp, nondiff_argnums=(2,))
def loss_rows(theta: Array, y: Array, task: Task) -> Array:
    """L_Ω(θ; y) of every row."""
    return value_and_difference(theta, y, task)[0]


def _loss_jvp(task: Task, primals: Any, tangents: Any) -> Any:
    # Of its own, since ŷ − y is differentiated only where second derivatives are asked for.
    (theta, y), (dtheta, dy) = primals, tangents
    losses, difference = value_and_difference(theta, y, task)
    return losses, _change(theta, y, difference, dtheta, dy, task)


loss_rows.defjvp(_loss_jvp, symbolic_zeros=True)
