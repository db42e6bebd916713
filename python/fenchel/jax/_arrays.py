# SPDX-License-Identifier: Apache-2.0
"""Arguments as arrays of JAX: types, shapes and masks; entries only where they can be seen, which is not in compiled code."""
from __future__ import annotations

import math
from typing import Any, Optional, Tuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from .._arguments import number_of, whole_axis
from .._arrays import any_array
from ._known import Known


def array_of(name: str, value: Any) -> Array:
    """What a caller gives as an array of JAX; else TypeError or ValueError."""
    if isinstance(value, (jax.Array, jax.core.Tracer)):
        return value
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array; expected an ordinary one and mask=")
    try:
        return jnp.asarray(value)  # a list may hold arrays that are being traced
    except (TypeError, ValueError, OverflowError):
        array = any_array(name, value)
    if array.dtype.kind not in "biufcV":  # V: types of half precision are such to NumPy
        raise TypeError(f"{name} has dtype {array.dtype}; expected numbers")
    return jnp.asarray(array)


def known_number(name: str, value: Any, least: float = -math.inf, *, above: bool = False, finite: bool = True) -> float:
    """A number of the program: one that is not traced."""
    if isinstance(value, jax.core.Tracer):
        raise TypeError(f"{name} is traced; expected a number that is known when a program is compiled")
    return number_of(name, value, least, above=above, finite=finite)


def real_array(name: str, value: Any, axes: int = 1) -> Array:
    """An array of real numbers with so many axes at least, as floats; whole numbers in JAX's default type."""
    array = array_of(name, value)
    if not (jnp.issubdtype(array.dtype, jnp.floating) or jnp.issubdtype(array.dtype, jnp.integer) or array.dtype == bool):
        raise TypeError(f"{name} has dtype {array.dtype}; expected real numbers")
    if array.ndim == 0:
        raise ValueError(f"{name} is a single number; expected at least {axes} {'axis' if axes == 1 else 'axes'}")
    if array.ndim < axes:
        raise ValueError(f"{name} has shape {array.shape}; expected at least {axes} axes")
    return array if jnp.issubdtype(array.dtype, jnp.floating) else array.astype(jnp.result_type(float))


def axis_of(name: str, array: Array, axis: Any) -> int:
    """An axis of an array, counted from 0."""
    axis = whole_axis(axis)
    if not -array.ndim <= axis < array.ndim:
        raise ValueError(f"axis is {axis}; {name} has {array.ndim} axes")
    return axis % array.ndim


def widened(array: Array) -> Array:
    """Half precision as float32, in which it is computed."""
    return array if array.dtype in (jnp.float32, jnp.float64) else array.astype(jnp.float32)


def full_precision(y: Array, dtype: Any, simplex: bool) -> Array:
    """Rows y in the type of the scores. Those of half precision on the simplex sum to 1 but for rounding: rescaled."""
    wide = y.astype(dtype)
    if not simplex or y.dtype in (jnp.float32, jnp.float64) or not jnp.issubdtype(y.dtype, jnp.floating):
        return wide
    total = jax.lax.stop_gradient(wide.sum(-1, keepdims=True))
    rounding = min(y.shape[-1] * float(jnp.finfo(y.dtype).eps), 1e-2)
    return wide / jnp.where(jnp.abs(total - 1) <= rounding, total, 1)


def seen(array: Any) -> Optional[np.ndarray]:
    """The entries of an array that lies in this machine's memory; None while a program is traced, and on other devices."""
    if isinstance(array, jax.core.Tracer) or not isinstance(array, jax.Array) or not array.is_fully_addressable:
        return None
    if any(device.platform != "cpu" for device in array.devices()):
        return None
    return np.asarray(array)


def check_scores(theta: Array, known: Known) -> None:
    """Raises the ValueError of the core for scores that it refuses, where they can be seen."""
    held = seen(theta)
    if held is None or held.size == 0:
        return
    held = held if held.dtype in (np.float32, np.float64) else held.astype(np.float32)
    # A few entries that are −inf may forbid all structures.
    if not np.isfinite(held if known.domain == "polytope" else held.max(-1)).all():
        known.core.predict(np.ascontiguousarray(held), None, 1)


def check_size(name: str, theta: Array, known: Known) -> None:
    """Rows of the size that the Ω takes, and of one entry at least."""
    d = theta.shape[-1]
    if known.dimension is not None and d != known.dimension:
        raise ValueError(f"{name} has {d} entries along its axis of scores; expected {known.dimension}, as {known.name} is over")
    if d == 0:
        raise ValueError(f"{name} has shape {theta.shape}; expected at least one score")


def check_labels(y: Any, d: int) -> None:
    """Raises ValueError for labels that are no class, where they can be seen."""
    held = y if isinstance(y, np.ndarray) else seen(y)
    if held is not None and held.size and not (0 <= held.min() and held.max() < d):
        wrong = held[(held < 0) | (held >= d)].flat[0]
        raise ValueError(f"y has the label {wrong}; expected 0 to {d - 1}")


def full_mask(mask: Any, theta: Array) -> Array:
    """A mask of the shape of the scores."""
    given = array_of("mask", mask)
    if given.dtype != bool:
        raise TypeError(f"mask has dtype {given.dtype}; expected bool, True where an entry may have mass")
    try:
        return jnp.broadcast_to(given, theta.shape)
    except ValueError:
        raise ValueError(f"mask has shape {given.shape}; expected one that broadcasts to {theta.shape}, that of theta") from None


def masked(theta: Array, mask: Optional[Array], axis: int) -> Tuple[Array, Optional[Array]]:
    """Scores with −inf where the mask is False, and which rows have nothing left: their scores are 0."""
    if mask is None:
        return theta, None
    nothing = ~mask.any(axis, keepdims=True)
    return jnp.where(mask, theta, jnp.where(nothing, 0, -jnp.inf).astype(theta.dtype)), nothing
