# SPDX-License-Identifier: Apache-2.0
"""Predictions and losses under the names that people search for."""
from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Optional, Tuple, Union

import jax
import jax.numpy as jnp
from jax import Array

from ..names import norm_of, tsallis_of
from ._arrays import axis_of, check_scores, full_mask, known_number, masked, real_array, widened
from ._calls import chosen
from ._entmax import alphas_of, entmax_losses, entmax_rows
from ._known import known_of
from ._loss import are_labels
from .functions import _targets, loss, predict

if TYPE_CHECKING:
    from .._types import ArrayLike

__all__ = ["entmax", "entmax15", "entmax15_loss", "entmax_loss", "normmax", "normmax_loss", "softmax", "softmax_loss",
           "sparse_sigmoid", "sparsemax", "sparsemax_loss"]


def softmax(theta: ArrayLike, axis: int = -1, *, mask: Optional[ArrayLike] = None) -> Array:
    """exp(θ) / Σ exp(θ): probabilities, none of them 0.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    axis : int
        The axis of the scores; all others are a batch.
    mask : array_like of bool, optional
        True where an entry may have mass; it broadcasts to theta. A row without any is 0.

    Returns
    -------
    Array [..., d]
        Probabilities, of the shape and floating type of theta.

    Examples
    --------
    >>> import jax.numpy as jnp, numpy as np, fenchel.jax as fj
    >>> print(np.asarray(fj.softmax(jnp.array([1.6, 1.1, 0.4]))).round(3))
    [0.524 0.318 0.158]

    See Also
    --------
    softmax_loss, sparsemax, entmax, fenchel.softmax
    """
    return predict(theta, "shannon", axis=axis, mask=mask)


def sparsemax(theta: ArrayLike, axis: int = -1, *, mask: Optional[ArrayLike] = None) -> Array:
    """argmin ‖p − θ‖² over the simplex: probabilities, many of them exactly 0.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    axis : int
        The axis of the scores; all others are a batch.
    mask : array_like of bool, optional
        True where an entry may have mass; it broadcasts to theta. A row without any is 0.

    Returns
    -------
    Array [..., d]
        Probabilities, of the shape and floating type of theta.

    Examples
    --------
    >>> import jax.numpy as jnp, numpy as np, fenchel.jax as fj
    >>> print(np.asarray(fj.sparsemax(jnp.array([1.6, 1.1, 0.4]))).round(3))
    [0.75 0.25 0.  ]

    See Also
    --------
    sparsemax_loss, entmax, fenchel.sparsemax
    """
    return predict(theta, "sparsemax", axis=axis, mask=mask)


def entmax15(theta: ArrayLike, axis: int = -1, *, mask: Optional[ArrayLike] = None) -> Array:
    """α-entmax for α = 1.5, between softmax and sparsemax: p_i = [θ_i/2 − τ]₊² with τ such that Σ p_i = 1.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    axis : int
        The axis of the scores; all others are a batch.
    mask : array_like of bool, optional
        True where an entry may have mass; it broadcasts to theta. A row without any is 0.

    Returns
    -------
    Array [..., d]
        Probabilities, of the shape and floating type of theta.

    Examples
    --------
    >>> import jax.numpy as jnp, numpy as np, fenchel.jax as fj
    >>> print(np.asarray(fj.entmax15(jnp.array([1.6, 1.1, 0.4]))).round(3))
    [0.649 0.309 0.042]

    See Also
    --------
    entmax15_loss, entmax, fenchel.entmax15
    """
    return predict(theta, "entmax15", axis=axis, mask=mask)


def _is_number(value: Any) -> bool:
    """Whether a parameter is one number that is known now, so that programs can be compiled for it."""
    return not isinstance(value, jax.core.Tracer) and jnp.ndim(value) == 0 and not isinstance(value, jax.Array)


@partial(jax.jit, static_argnames=("place", "axis"))
def _entmax(theta: Array, alpha: Array, mask: Optional[Array], place: str, axis: int) -> Array:
    scores, nothing = masked(theta, mask, axis)
    rows = widened(jnp.moveaxis(scores, axis, -1))
    p = jnp.moveaxis(entmax_rows(rows, alpha.astype(rows.dtype), place), -1, axis).astype(theta.dtype)
    return p if nothing is None else jnp.where(nothing, 0, p)


@partial(jax.jit, static_argnames=("place", "axis"))
def _entmax_loss(theta: Array, y: Array, alpha: Array, mask: Optional[Array], place: str, axis: int) -> Array:
    scores, nothing = masked(theta, mask, axis)
    rows = widened(jnp.moveaxis(scores, axis, -1))
    losses = entmax_losses(rows, y if are_labels(y) else y.astype(rows.dtype), alpha.astype(rows.dtype), place)
    return (losses if nothing is None else jnp.where(jnp.moveaxis(nothing, axis, -1)[..., 0], 0, losses)).astype(theta.dtype)


def _scores(theta: Any, axis: int, mask: Any) -> Tuple[Array, int, Optional[Array]]:
    """Scores, their axis and mask, checked."""
    scores = real_array("theta", theta)
    at = axis_of("theta", scores, axis)
    if mask is not None:
        return scores, at, full_mask(mask, scores)
    check_scores(jnp.moveaxis(scores, at, -1), known_of("shannon"))
    return scores, at, None


def entmax(theta: ArrayLike, alpha: Union[float, ArrayLike] = 1.5, axis: int = -1, *,
           mask: Optional[ArrayLike] = None) -> Array:
    """α-entmax, argmax ⟨θ, p⟩ + H_α(p) with the Tsallis entropy H_α: exact for every α > 0.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    alpha : float or array_like
        α > 0: 1 is softmax, 2 sparsemax. An array broadcasts to the shape of theta with 1 along `axis`, such as
        (heads, 1, 1) for attention, and is differentiated.
    axis : int
        The axis of the scores; all others are a batch.
    mask : array_like of bool, optional
        True where an entry may have mass; it broadcasts to theta. A row without any is 0.

    Returns
    -------
    Array [..., d]
        Probabilities, of the shape and floating type of theta.

    Examples
    --------
    >>> import jax.numpy as jnp, numpy as np, fenchel.jax as fj
    >>> theta = jnp.array([[1.6, 1.1, 0.4], [1.6, 1.1, 0.4]])
    >>> print(np.asarray(fj.entmax(theta, jnp.array([[1.0], [2.0]]))).round(3))  # an α for each row
    [[0.524 0.318 0.158]
     [0.75  0.25  0.   ]]

    See Also
    --------
    entmax_loss, softmax, sparsemax, fenchel.entmax
    """
    if _is_number(alpha):
        return predict(theta, tsallis_of(alpha), axis=axis, mask=mask)
    scores, at, allowed = _scores(theta, axis, mask)
    return _entmax(scores, alphas_of(alpha, scores, at), allowed, chosen(), at)


def normmax(theta: ArrayLike, q: float = float("inf"), axis: int = -1, *, mask: Optional[ArrayLike] = None) -> Array:
    """argmax ⟨θ, p⟩ − ‖p‖_q over the simplex; for q = inf, the default, the mean over the largest scores.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    q : float
        q > 1, or inf: the order of the norm.
    axis : int
        The axis of the scores; all others are a batch.
    mask : array_like of bool, optional
        True where an entry may have mass; it broadcasts to theta. A row without any is 0.

    Returns
    -------
    Array [..., d]
        Probabilities, of the shape and floating type of theta.

    Examples
    --------
    >>> import jax.numpy as jnp, numpy as np, fenchel.jax as fj
    >>> print(np.asarray(fj.normmax(jnp.array([1.6, 1.1, 0.4]))).round(3))
    [0.5 0.5 0. ]

    See Also
    --------
    normmax_loss, sparsemax, fenchel.normmax
    """
    return predict(theta, norm_of(known_number("q", q, 1, above=True, finite=False)), axis=axis, mask=mask)


def sparse_sigmoid(theta: ArrayLike, axis: int = -1, *, mask: Optional[ArrayLike] = None) -> Array:
    """clip((θ + 1)/2, 0, 1) of every entry: sparsemax of two classes, [θ, 0] rescaled.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    axis : int
        The axis of the scores; all others are a batch.
    mask : array_like of bool, optional
        True where an entry may have mass; it broadcasts to theta. A row without any is 0.

    Returns
    -------
    Array [..., d]
        Probabilities, of the shape and floating type of theta.

    Examples
    --------
    >>> import jax.numpy as jnp, fenchel.jax as fj
    >>> print(fj.sparse_sigmoid(jnp.array([-2.0, 0.0, 0.5])))
    [0.   0.5  0.75]

    See Also
    --------
    sparsemax, predict, fenchel.predict
    """
    return predict(theta, "sparse_sigmoid", axis=axis, mask=mask)


def softmax_loss(theta: ArrayLike, y: ArrayLike, axis: int = -1, *, mask: Optional[ArrayLike] = None) -> Array:
    """log Σ exp(θ) − ⟨θ, y⟩ + Σ y log y: the logistic loss, cross-entropy for labels.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    y : array_like
        Targets: integer labels, one for each row of scores, or rows like theta.
    axis : int
        The axis of the scores; all others are a batch.
    mask : array_like of bool, optional
        True where an entry may have mass; it broadcasts to theta. A row without any is 0.

    Returns
    -------
    Array [...]
        A loss for each row, of the floating type of theta.

    Examples
    --------
    >>> import jax.numpy as jnp, numpy as np, fenchel.jax as fj
    >>> print(np.asarray(fj.softmax_loss(jnp.array([[1.6, 1.1, 0.4], [0.0, 3.0, 0.0]]), jnp.array([0, 1]))).round(3))
    [0.646 0.095]

    See Also
    --------
    softmax, loss, fenchel.softmax_loss
    """
    return loss(theta, y, "shannon", axis=axis, mask=mask)


def sparsemax_loss(theta: ArrayLike, y: ArrayLike, axis: int = -1, *, mask: Optional[ArrayLike] = None) -> Array:
    """The loss whose gradient is sparsemax(θ) − y: 0 once the right score leads by 1.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    y : array_like
        Targets: integer labels, one for each row of scores, or rows like theta.
    axis : int
        The axis of the scores; all others are a batch.
    mask : array_like of bool, optional
        True where an entry may have mass; it broadcasts to theta. A row without any is 0.

    Returns
    -------
    Array [...]
        A loss for each row, of the floating type of theta.

    Examples
    --------
    >>> import jax.numpy as jnp, numpy as np, fenchel.jax as fj
    >>> print(np.asarray(fj.sparsemax_loss(jnp.array([[1.6, 1.1, 0.4], [0.0, 3.0, 0.0]]), jnp.array([0, 1]))).round(4))
    [0.0625 0.    ]

    See Also
    --------
    sparsemax, loss, fenchel.sparsemax_loss
    """
    return loss(theta, y, "sparsemax", axis=axis, mask=mask)


def entmax15_loss(theta: ArrayLike, y: ArrayLike, axis: int = -1, *, mask: Optional[ArrayLike] = None) -> Array:
    """The loss whose gradient is entmax15(θ) − y: 0 once the right score leads by 2.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    y : array_like
        Targets: integer labels, one for each row of scores, or rows like theta.
    axis : int
        The axis of the scores; all others are a batch.
    mask : array_like of bool, optional
        True where an entry may have mass; it broadcasts to theta. A row without any is 0.

    Returns
    -------
    Array [...]
        A loss for each row, of the floating type of theta.

    Examples
    --------
    >>> import jax.numpy as jnp, numpy as np, fenchel.jax as fj
    >>> print(np.asarray(fj.entmax15_loss(jnp.array([[1.6, 1.1, 0.4], [0.0, 3.0, 0.0]]), jnp.array([0, 1]))).round(3))
    [0.191 0.   ]

    See Also
    --------
    entmax15, loss, fenchel.entmax15_loss
    """
    return loss(theta, y, "entmax15", axis=axis, mask=mask)


def entmax_loss(theta: ArrayLike, y: ArrayLike, alpha: Union[float, ArrayLike] = 1.5, axis: int = -1, *,
                mask: Optional[ArrayLike] = None) -> Array:
    """The loss whose gradient is entmax(θ, α) − y; it has a gradient in α too.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    y : array_like
        Targets: integer labels, one for each row of scores, or rows like theta.
    alpha : float or array_like
        α > 0: 1 is softmax, 2 sparsemax. An array broadcasts to the shape of theta with 1 along `axis`, such as
        (heads, 1, 1) for attention, and is differentiated.
    axis : int
        The axis of the scores; all others are a batch.
    mask : array_like of bool, optional
        True where an entry may have mass; it broadcasts to theta. A row without any is 0.

    Returns
    -------
    Array [...]
        A loss for each row, of the floating type of theta.

    Examples
    --------
    >>> import jax.numpy as jnp, fenchel.jax as fj
    >>> round(float(fj.entmax_loss(jnp.array([1.6, 1.1, 0.4]), 1, 1.2)), 3)
    0.896

    See Also
    --------
    entmax, loss, fenchel.entmax_loss
    """
    if _is_number(alpha):
        return loss(theta, y, tsallis_of(alpha), axis=axis, mask=mask)
    scores, at, allowed = _scores(theta, axis, mask)
    targets = _targets(y, scores, at, known_of("shannon"))
    return _entmax_loss(scores, targets, alphas_of(alpha, scores, at), allowed, chosen(), at)


def normmax_loss(theta: ArrayLike, y: ArrayLike, q: float = float("inf"), axis: int = -1, *,
                 mask: Optional[ArrayLike] = None) -> Array:
    """The loss whose gradient is normmax(θ, q) − y: 0 once the right score leads by 1.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    y : array_like
        Targets: integer labels, one for each row of scores, or rows like theta.
    q : float
        q > 1, or inf: the order of the norm.
    axis : int
        The axis of the scores; all others are a batch.
    mask : array_like of bool, optional
        True where an entry may have mass; it broadcasts to theta. A row without any is 0.

    Returns
    -------
    Array [...]
        A loss for each row, of the floating type of theta.

    Examples
    --------
    >>> import jax.numpy as jnp, numpy as np, fenchel.jax as fj
    >>> print(np.asarray(fj.normmax_loss(jnp.array([[1.6, 1.1, 0.4], [0.0, 3.0, 0.0]]), jnp.array([0, 1]))).round(3))
    [0.25 0.  ]

    See Also
    --------
    normmax, loss, fenchel.normmax_loss
    """
    return loss(theta, y, norm_of(known_number("q", q, 1, above=True, finite=False)), axis=axis, mask=mask)
