# SPDX-License-Identifier: Apache-2.0
"""predict, conjugate, value, link and loss of any Ω on arrays of JAX: scores lie along `axis`, all other axes are a batch.

float32 and float64 are kept; float16 and bfloat16 are computed in float32 and given back as they came. Rows that NumPy's
functions refuse (NaN, +inf, all −inf) are errors where entries can be seen, and NaN in compiled programs.
"""
from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, Optional, Tuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from .. import _core
from .._costs import no_other_cost
from ._arrays import (
    array_of,
    axis_of,
    check_labels,
    check_scores,
    check_size,
    full_mask,
    full_precision,
    masked,
    real_array,
    seen,
    widened,
)
from ._calls import chosen
from ._costs import costs_of, own_costs
from ._known import Known, known_of, own_cost
from ._loss import are_labels, loss_rows, value_and_difference
from ._predict import Task, conjugate_rows, link_rows, predict_rows, value_rows

if TYPE_CHECKING:
    from .._types import ArrayLike, CostLike, OmegaLike

__all__ = ["conjugate", "gradient", "link", "loss", "predict", "value", "value_and_grad", "value_and_gradient"]


def _is_natural(array: Array, known: Known, axis: int) -> bool:
    """Whether scores fill the last axes with the natural shape of their structures."""
    shape = known.shape
    if not shape or array.shape[-1:] == (known.dimension,) or array.shape[-len(shape):] != shape:
        return False
    if axis != -1 and axis != array.ndim - 1:
        raise ValueError(f"axis is {axis}; scores with the natural shape of their structures, {shape}, fill the last axes")
    return True


def _flat(array: Array, known: Known, axis: int) -> Array:
    """Scores with the natural shape of their structures along one axis; all others as they are."""
    if not _is_natural(array, known, axis):
        return array
    return array.reshape(*array.shape[:-len(known.shape)], math.prod(known.shape))


def _rows(name: str, given: Any, known: Known, axis: int) -> Tuple[Array, int]:
    """Rows, flat where they had a natural shape, and the axis of the scores."""
    rows = _flat(real_array(name, given), known, axis)
    at = axis_of(name, rows, axis)
    check_size(name, jnp.moveaxis(rows, at, -1) if at != rows.ndim - 1 else rows, known)
    return rows, at


def _computed(rows: Array, axis: int) -> Array:
    """Rows as they are computed: along the last axis, in single or double precision."""
    return widened(rows if axis == rows.ndim - 1 else jnp.moveaxis(rows, axis, -1))


def _back(rows: Array, axis: int, like: Array) -> Array:
    return (rows if axis == rows.ndim - 1 else jnp.moveaxis(rows, -1, axis)).astype(like.dtype)


@partial(jax.jit, static_argnames=("task", "axis"))
def _predict(theta: Array, mask: Optional[Array], task: Task, axis: int) -> Array:
    scores, nothing = masked(theta, mask, axis)
    p = _back(predict_rows(_computed(scores, axis), task), axis, theta)
    return p if nothing is None else jnp.where(nothing, 0, p)


def predict(theta: ArrayLike, omega: OmegaLike, *, axis: int = -1, mask: Optional[ArrayLike] = None) -> Array:
    """ŷ_Ω(θ) = argmax ⟨θ, μ⟩ − Ω(μ), the prediction of Ω (paper Definition 1).

    Scores of structures may fill the last axes with their natural shape, such as [..., n, n] for trees.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    axis : int
        The axis of the scores; all others are a batch.
    mask : array_like of bool, optional
        True where an entry may have mass; it broadcasts to theta. A row without any is 0.

    Returns
    -------
    Array [..., d]
        Predictions, of the shape and floating type of theta.

    Raises
    ------
    ValueError, TypeError
        An argument is not what it should be; the message names it, its value and what was expected. Entries
        are looked at where they can be: in compiled programs, a row of scores that is refused is NaN.

    Examples
    --------
    >>> import jax.numpy as jnp, numpy as np, fenchel.jax as fj
    >>> print(np.asarray(fj.predict(jnp.array([1.6, 1.1, 0.4]), "sparsemax")).round(3))
    [0.75 0.25 0.  ]

    See Also
    --------
    loss, conjugate, softmax, sparsemax, entmax, fenchel.predict
    """
    known = known_of(omega)
    given = real_array("theta", theta)
    rows, at = _rows("theta", given, known, axis)
    allowed = None if mask is None else _flat(full_mask(mask, given), known, axis)
    if allowed is None:
        check_scores(_last(rows, at), known)
    return _predict(rows, allowed, Task(known, chosen()), at).reshape(given.shape)


def _last(rows: Array, axis: int) -> Array:
    return rows if axis == rows.ndim - 1 else jnp.moveaxis(rows, axis, -1)


@partial(jax.jit, static_argnames=("function", "task", "axis", "whole"))
def _apply(rows: Array, function: Any, task: Task, axis: int, whole: bool) -> Array:
    computed = _computed(rows, axis)
    if function is not conjugate_rows:  # points of the domain, which half precision misses by its rounding
        computed = full_precision(_last(rows, axis), computed.dtype, task.known.domain == "simplex")
    found = function(computed, task)
    return _back(found, axis, rows) if whole else found.astype(rows.dtype)


def conjugate(theta: ArrayLike, omega: OmegaLike, *, axis: int = -1) -> Array:
    """Ω*(θ) = max ⟨θ, μ⟩ − Ω(μ), whose gradient is ŷ_Ω(θ); log Σ exp(θ) for Shannon.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    axis : int
        The axis of the scores; all others are a batch.

    Returns
    -------
    Array [...]
        A number for each row, of the floating type of theta.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, numpy as np, fenchel.jax as fj
    >>> theta = jnp.array([1.6, 1.1, 0.4])
    >>> round(float(fj.conjugate(theta, "shannon")), 3)
    2.246
    >>> print(np.asarray(jax.grad(fj.conjugate)(theta, "sparsemax")).round(3))
    [0.75 0.25 0.  ]

    See Also
    --------
    predict, value, fenchel.conjugate
    """
    known = known_of(omega)
    rows, at = _rows("theta", theta, known, axis)
    check_scores(_last(rows, at), known)
    return _apply(rows, conjugate_rows, Task(known, chosen()), at, False)


def _points(mu: Any, known: Known, axis: int) -> Tuple[Array, int]:
    """Points of the domain, checked where they can be seen, and the axis of their entries."""
    rows, at = _rows("mu", mu, known, axis)
    held = seen(rows)
    if held is not None and held.size and held.dtype in (np.float32, np.float64):
        known.core.value(np.ascontiguousarray(np.moveaxis(held, at, -1), np.float64))
    return rows, at


def value(mu: ArrayLike, omega: OmegaLike, *, axis: int = -1) -> Array:
    """Ω(μ), of points in the domain of Ω.

    Parameters
    ----------
    mu : array_like [..., d]
        Points of the domain.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    axis : int
        The axis of the scores; all others are a batch.

    Returns
    -------
    Array [...]
        A number for each point, of the floating type of mu.

    Examples
    --------
    >>> import jax.numpy as jnp, fenchel.jax as fj
    >>> round(float(fj.value(jnp.array([0.5, 0.5]), "shannon")), 4)
    -0.6931

    See Also
    --------
    link, conjugate, fenchel.value
    """
    known = known_of(omega)
    rows, at = _points(mu, known, axis)
    return _apply(rows, value_rows, Task(known, chosen()), at, False)


def link(mu: ArrayLike, omega: OmegaLike, *, axis: int = -1) -> Array:
    """∇Ω(μ), the canonical link: scores whose prediction is μ, where Ω is differentiable.

    Parameters
    ----------
    mu : array_like [..., d]
        Points of the domain.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    axis : int
        The axis of the scores; all others are a batch.

    Returns
    -------
    Array [..., d]
        Gradients, of the shape and floating type of mu; infinite on the boundary where Ω has none there.

    Examples
    --------
    >>> import jax.numpy as jnp, fenchel.jax as fj
    >>> print(fj.link(jnp.array([0.75, 0.25, 0.0]), "sparsemax"))
    [ 0.25 -0.25 -0.5 ]

    See Also
    --------
    value, predict, fenchel.link
    """
    known = known_of(omega)
    rows, at = _points(mu, known, axis)
    return _apply(rows, link_rows, Task(known, chosen()), at, True).reshape(np.shape(mu))


def _targets(y: Any, rows: Array, axis: int, known: Known) -> Array:
    """Labels of the shape of θ without the axis of the scores, or rows like θ, along the last axis."""
    given, y = y, _flat(array_of("y", y), known, axis)
    labels = tuple(n for i, n in enumerate(rows.shape) if i != axis)
    if jnp.issubdtype(y.dtype, jnp.integer) and y.ndim == rows.ndim - 1:
        if y.shape != labels:
            raise ValueError(f"y has shape {y.shape}; expected {labels}, one label for each row of theta")
        wide = isinstance(given, (np.ndarray, list, tuple)) and not isinstance(y, jax.core.Tracer)
        check_labels(np.asarray(given) if wide else y, rows.shape[axis])  # JAX cuts what is beyond 32 bits
        return y.astype(jnp.int32)
    if jnp.issubdtype(y.dtype, jnp.complexfloating) or y.dtype == bool:
        raise TypeError(f"y has dtype {y.dtype}; expected labels (integers) or rows like theta")
    if y.shape != rows.shape:
        raise ValueError(f"y has shape {y.shape} and dtype {y.dtype}; expected {labels} integer labels or {rows.shape}, the "
                         "shape of theta")
    return full_precision(_last(y, axis), widened(rows).dtype, known.domain == "simplex")


@partial(jax.jit, static_argnames=("function", "task", "axis"))
def _losses(rows: Array, y: Array, costs: Optional[Array], mask: Optional[Array], function: Any, task: Task,
            axis: int) -> Any:
    scores, nothing = masked(rows, mask, axis)
    scores = _computed(scores, axis)
    if not are_labels(y):
        y = y.astype(scores.dtype)
    empty = None if nothing is None else jnp.moveaxis(nothing, axis, -1)[..., 0]
    found = function(scores if costs is None else scores + costs, y, task)
    if function is loss_rows:
        losses = found.astype(rows.dtype)
        return losses if empty is None else jnp.where(empty, 0, losses)
    losses, slopes = found
    if empty is not None:
        losses, slopes = jnp.where(empty, 0, losses), jnp.where(empty[..., None], 0, slopes)
    return losses.astype(rows.dtype), _back(slopes, axis, rows)


def _given(theta: Any, y: Any, omega: Any, cost: Any, axis: int, mask: Any) -> Tuple[Array, Array, Any, Any, Task, int]:
    """The arguments of a loss, checked."""
    known, own = known_of(omega), own_cost(omega)
    given = real_array("theta", theta)
    rows, at = _rows("theta", given, known, axis)
    targets = _targets(y, rows, at, known)
    allowed = None if mask is None else _flat(full_mask(mask, given), known, axis)
    if allowed is None:
        check_scores(_last(rows, at), known)
    costs = None
    if own is not None:
        no_other_cost(omega, cost)
        costs = own_costs(own, targets, _computed(rows, at))
    elif cost is not None:
        costs = costs_of(cost, targets, _computed(rows, at), known)
    _check_targets(_last(rows, at), targets, known, allowed, costs)
    return rows, targets, costs, allowed, Task(known, chosen()), at


def _check_targets(theta: Array, y: Array, known: Known, mask: Any, costs: Any) -> None:
    """Raises the ValueError of the core for targets that it refuses, where they can be seen."""
    held, rows = seen(theta), seen(y)
    if held is None or rows is None or mask is not None or costs is not None or held.size == 0:
        return
    if are_labels(y):  # which are classes: only a mask can refuse them
        refused = np.take_along_axis(held, rows[..., None], -1) == -math.inf if known.domain == "simplex" else np.array(False)
        if not refused.any():
            return
        at = np.argwhere(refused)[0]
        raise ValueError(f"y{list(map(int, at[:-1])) or ''} is {rows[tuple(at[:-1])]}, whose score is -inf; a masked output can "
                         "have no mass")
    dtype = np.float64 if held.dtype == np.float64 else np.float32
    _core.Loss(known.core).value(np.ascontiguousarray(held, dtype), np.ascontiguousarray(rows, dtype), 1)


def loss(theta: ArrayLike, y: ArrayLike, omega: OmegaLike, *, cost: Optional[CostLike] = None, axis: int = -1,
         mask: Optional[ArrayLike] = None) -> Array:
    """L_Ω(θ; y) = Ω*(θ) + Ω(y) − ⟨θ, y⟩, the Fenchel-Young loss (paper Definition 2): >= 0, and convex in θ.

    It is differentiable in theta and, where y are rows, in y; there is a number for each row, as in optax:
    take the mean of them to train.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    y : array_like
        Targets: integer labels, one for each row of scores, or rows like theta.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    cost : str, array_like or callable, optional
        c_y, which makes it the loss L_Ω(θ + c_y; y) (paper §3.4): "zero_one" (c_y = 1 − y), "hamming" over
        structures (⟨c_y, z − y⟩ = ‖z − y‖²), a vector, a matrix whose row k holds the costs of label k (mixed
        as y mixes labels), or a function of rows of targets that returns an array like them.
    axis : int
        The axis of the scores; all others are a batch.
    mask : array_like of bool, optional
        True where an entry may have mass; it broadcasts to theta. A row without any is 0.

    Returns
    -------
    Array [...]
        A loss for each row, of the floating type of theta.

    Raises
    ------
    ValueError, TypeError
        An argument is not what it should be; the message names it, its value and what was expected. Entries
        are looked at where they can be: in compiled programs, a row that is refused is NaN.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, numpy as np, fenchel.jax as fj
    >>> theta = jnp.array([1.6, 1.1, 0.4])
    >>> print(fj.loss(theta, 1, "sparsemax"))
    0.5625
    >>> print(np.asarray(jax.grad(fj.loss)(theta, 1, "sparsemax")).round(3))
    [ 0.75 -0.75  0.  ]

    See Also
    --------
    value_and_gradient, predict, make_fenchel_young_loss, fenchel.loss
    """
    *arrays, task, at = _given(theta, y, omega, cost, axis, mask)
    return _losses(*arrays, loss_rows, task, at)


def value_and_gradient(theta: ArrayLike, y: ArrayLike, omega: OmegaLike, *, cost: Optional[CostLike] = None,
                       axis: int = -1, mask: Optional[ArrayLike] = None) -> Tuple[Array, Array]:
    """L_Ω(θ; y) of every row and its gradient ŷ_Ω(θ) − y, computed together.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    y : array_like
        Targets: integer labels, one for each row of scores, or rows like theta.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    cost : str, array_like or callable, optional
        c_y, which makes it the loss L_Ω(θ + c_y; y) (paper §3.4): "zero_one" (c_y = 1 − y), "hamming" over
        structures (⟨c_y, z − y⟩ = ‖z − y‖²), a vector, a matrix whose row k holds the costs of label k (mixed
        as y mixes labels), or a function of rows of targets that returns an array like them.
    axis : int
        The axis of the scores; all others are a batch.
    mask : array_like of bool, optional
        True where an entry may have mass; it broadcasts to theta. A row without any is 0.

    Returns
    -------
    Array [...]
        A loss for each row, of the floating type of theta.
    Array [..., d]
        The gradients, of the shape and floating type of theta.

    Examples
    --------
    >>> import jax.numpy as jnp, numpy as np, fenchel.jax as fj
    >>> loss, slope = fj.value_and_gradient(jnp.array([1.6, 1.1, 0.4]), 1, "sparsemax")
    >>> print(loss, np.asarray(slope).round(3))
    0.5625 [ 0.75 -0.75  0.  ]

    See Also
    --------
    loss, gradient, fenchel.value_and_gradient
    """
    *arrays, task, at = _given(theta, y, omega, cost, axis, mask)
    losses, slopes = _losses(*arrays, value_and_difference, task, at)
    return losses, slopes.reshape(np.shape(theta))


#: The name that JAX gives such a function.
value_and_grad = value_and_gradient


def gradient(theta: ArrayLike, y: ArrayLike, omega: OmegaLike, *, cost: Optional[CostLike] = None, axis: int = -1,
             mask: Optional[ArrayLike] = None) -> Array:
    """∇L_Ω(θ; y) = ŷ_Ω(θ) − y, the gradient of the loss in θ (paper Proposition 2).

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    y : array_like
        Targets: integer labels, one for each row of scores, or rows like theta.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    cost : str, array_like or callable, optional
        c_y, which makes it the loss L_Ω(θ + c_y; y) (paper §3.4): "zero_one" (c_y = 1 − y), "hamming" over
        structures (⟨c_y, z − y⟩ = ‖z − y‖²), a vector, a matrix whose row k holds the costs of label k (mixed
        as y mixes labels), or a function of rows of targets that returns an array like them.
    axis : int
        The axis of the scores; all others are a batch.
    mask : array_like of bool, optional
        True where an entry may have mass; it broadcasts to theta. A row without any is 0.

    Returns
    -------
    Array [..., d]
        The gradients, of the shape and floating type of theta.

    Examples
    --------
    >>> import jax.numpy as jnp, numpy as np, fenchel.jax as fj
    >>> print(np.asarray(fj.gradient(jnp.array([1.6, 1.1, 0.4]), 1, "sparsemax")).round(3))
    [ 0.75 -0.75  0.  ]

    See Also
    --------
    value_and_gradient, loss, fenchel.gradient
    """
    return value_and_gradient(theta, y, omega, cost=cost, axis=axis, mask=mask)[1]
