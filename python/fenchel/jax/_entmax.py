# SPDX-License-Identifier: Apache-2.0
"""α-entmax and its loss with an α for each row, differentiable in α too."""
from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from . import _jacobians, _row_values, _rows
from ._arrays import real_array, seen
from ._calls import Call, run
from ._loss import rows_of, slope_in_targets
from ._predict import inner, like


def alphas_of(alpha: Any, theta: Array, axis: int) -> Array:
    """One α a row, with the axis of the scores last and 1, from what broadcasts to θ with 1 along that axis."""
    given = real_array("alpha", alpha) if jnp.ndim(alpha) else jnp.asarray(alpha)
    held = seen(given)
    if held is not None and held.size and not (held > 0).all():
        raise ValueError(f"alpha has the entry {held[~(held > 0)].flat[0]}; expected numbers > 0")
    shape = (*theta.shape[:axis], 1, *theta.shape[axis + 1:])
    try:
        expanded = jnp.broadcast_to(given, shape)
    except ValueError:
        raise ValueError(f"alpha has shape {given.shape}; expected one that broadcasts to {shape}, that of theta with 1 "
                         f"along axis {axis}") from None
    return jnp.moveaxis(expanded, axis, -1)


@partial(jax.custom_jvp, nondiff_argnums=(2,))
def entmax_rows(theta: Array, alphas: Array, place: str) -> Array:
    """ŷ of every row; alphas have a last axis of 1."""
    def formula(theta: Array, alphas: Array) -> tuple[Array]:
        bad = (jnp.isnan(theta) | (theta == jnp.inf)).any(-1, keepdims=True) | ~(alphas > 0)
        return (jnp.where(bad, jnp.nan, _rows.entmax(theta, alphas - 1)),)

    return run(place, "entmax", Call("entmax"), (like(theta),), formula, theta, alphas)[0]


@entmax_rows.defjvp
def _entmax_jvp(place: str, primals: Any, tangents: Any) -> Any:
    (theta, alphas), (v, u) = primals, tangents
    p = entmax_rows(theta, alphas, place)
    s, slope = _jacobians.entmax_parts(p, alphas)
    return p, _jacobians.centred(s, v) + slope * u


@partial(jax.custom_jvp, nondiff_argnums=(3,))
def entmax_loss_rows(theta: Array, y: Array, alphas: Array, place: str) -> Array:
    """The loss of every row; y are rows like θ."""
    a = alphas - 1
    p = entmax_rows(theta, alphas, place)
    found = _row_values.inner_difference(theta, p, y) + _row_values.tsallis_value(y, a) - _row_values.tsallis_value(p, a)
    return jnp.maximum(found, 0)


@entmax_loss_rows.defjvp
def _entmax_loss_jvp(place: str, primals: Any, tangents: Any) -> Any:
    (theta, y, alphas), (v, w, u) = primals, tangents
    p = entmax_rows(theta, alphas, place)
    along_alpha = _jacobians.omega_alpha_derivative(y, alphas) - _jacobians.omega_alpha_derivative(p, alphas)
    along_y = inner(slope_in_targets(_row_values.tsallis_link(y, alphas - 1), theta), w)
    return entmax_loss_rows(theta, y, alphas, place), inner(p - y, v) + along_alpha * u[..., 0] + along_y


def entmax_losses(theta: Array, y: Array, alphas: Array, place: str) -> Array:
    """The same for labels or rows."""
    return entmax_loss_rows(theta, rows_of(y, theta), alphas, place)
