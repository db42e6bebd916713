# SPDX-License-Identifier: Apache-2.0
"""Losses under the names that people search for: those of the predictions in names.py."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .functions import loss
from .names import ENTMAX15, SHANNON, SPARSEMAX, norm_of, tsallis_of

if TYPE_CHECKING:
    from ._types import ArrayLike

__all__ = ["entmax15_loss", "entmax_loss", "normmax_loss", "softmax_loss", "sparsemax_loss"]


def softmax_loss(theta: ArrayLike, y: ArrayLike, axis: int = -1, *, n_threads: int = 1) -> Any:
    """log Σ exp(θ) − θ_y: the logistic loss, or cross-entropy.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    y : array_like
        Targets: integer labels, one for each row of scores, or rows like theta.
    axis : int
        The axis of the scores; all others are a batch.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    float or ndarray [...]
        A loss for each row, float64: theta without the axis of the scores.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.softmax_loss([[1.6, 1.1, 0.4], [0.0, 3.0, 0.0]], [0, 1]).round(4).tolist()
    [0.6459, 0.0949]

    See Also
    --------
    softmax, loss
    """
    return loss(theta, y, SHANNON, axis=axis, n_threads=n_threads)


def sparsemax_loss(theta: ArrayLike, y: ArrayLike, axis: int = -1, *, n_threads: int = 1) -> Any:
    """The loss whose gradient is sparsemax(θ) − y: 0 once the right score leads by 1.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    y : array_like
        Targets: integer labels, one for each row of scores, or rows like theta.
    axis : int
        The axis of the scores; all others are a batch.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    float or ndarray [...]
        A loss for each row, float64: theta without the axis of the scores.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.sparsemax_loss([[1.6, 1.1, 0.4], [0.0, 3.0, 0.0]], [0, 1]).round(4).tolist()
    [0.0625, 0.0]

    See Also
    --------
    sparsemax, loss
    """
    return loss(theta, y, SPARSEMAX, axis=axis, n_threads=n_threads)


def entmax15_loss(theta: ArrayLike, y: ArrayLike, axis: int = -1, *, n_threads: int = 1) -> Any:
    """The loss whose gradient is entmax15(θ) − y: 0 once the right score leads by 2.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    y : array_like
        Targets: integer labels, one for each row of scores, or rows like theta.
    axis : int
        The axis of the scores; all others are a batch.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    float or ndarray [...]
        A loss for each row, float64: theta without the axis of the scores.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.entmax15_loss([[1.6, 1.1, 0.4], [0.0, 3.0, 0.0]], [0, 1]).round(4).tolist()
    [0.1908, 0.0]

    See Also
    --------
    entmax15, loss
    """
    return loss(theta, y, ENTMAX15, axis=axis, n_threads=n_threads)


def entmax_loss(theta: ArrayLike, y: ArrayLike, alpha: float = 1.5, axis: int = -1, *, n_threads: int = 1) -> Any:
    """The loss whose gradient is entmax(θ, α) − y: 0 once the right score leads by 1/(α − 1), for α > 1.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    y : array_like
        Targets: integer labels, one for each row of scores, or rows like theta.
    alpha : float
        α > 0, or inf: 1 is softmax, 2 sparsemax; one number for all rows.
    axis : int
        The axis of the scores; all others are a batch.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    float or ndarray [...]
        A loss for each row, float64: theta without the axis of the scores.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.entmax_loss([[1.6, 1.1, 0.4], [0.0, 3.0, 0.0]], [0, 1], alpha=1.2).round(4).tolist()
    [0.3961, 0.0066]

    See Also
    --------
    entmax, loss
    """
    return loss(theta, y, tsallis_of(alpha), axis=axis, n_threads=n_threads)


def normmax_loss(theta: ArrayLike, y: ArrayLike, q: float = float("inf"), axis: int = -1, *, n_threads: int = 1) -> Any:
    """The loss whose gradient is normmax(θ, q) − y: 0 once the right score leads by 1.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    y : array_like
        Targets: integer labels, one for each row of scores, or rows like theta.
    q : float
        The order of the norm, > 1 or inf; one number for all rows.
    axis : int
        The axis of the scores; all others are a batch.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    float or ndarray [...]
        A loss for each row, float64: theta without the axis of the scores.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.normmax_loss([[1.6, 1.1, 0.4], [0.0, 3.0, 0.0]], [0, 1], q=2).round(4).tolist()
    [0.0886, 0.0]

    See Also
    --------
    normmax, loss
    """
    return loss(theta, y, norm_of(q), axis=axis, n_threads=n_threads)
