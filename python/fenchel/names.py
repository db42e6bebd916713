# SPDX-License-Identifier: Apache-2.0
"""Predictions under the names that people search for; their losses are in loss_names.py."""
from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Callable, Optional, cast

import numpy as np

from ._arguments import number_of, shown, whole_axis
from ._arrays import real_array
from ._base import Polytope, Regularizer
from .functions import predict
from .polytopes import KSubsets, Permutahedron, Transport
from .regularizers import Entropic, Norm, Shannon, SparseMap, Tsallis

if TYPE_CHECKING:
    from ._types import ArrayLike, PolytopeLike, PolytopesLike

__all__ = ["budget", "entmax", "entmax15", "normmax", "sinkhorn", "softmax", "sparsemap", "sparsemax"]

SHANNON, SPARSEMAX, ENTMAX15 = Shannon(), Tsallis(2.0), Tsallis(1.5)


@lru_cache(maxsize=256)
def _of_order(kind: Callable[[float], Regularizer], order: float) -> Regularizer:
    """An entropy of some order, kept: making it costs more than a call on a short row."""
    return kind(order)


def tsallis_of(alpha: Any) -> Regularizer:
    """The Tsallis entropy of an order that a caller gives."""
    return _of_order(Tsallis, number_of("alpha", alpha, 0, above=True, finite=False))


def norm_of(q: Any) -> Regularizer:
    """The norm entropy of an order that a caller gives."""
    return _of_order(Norm, number_of("q", q, 1, above=True, finite=False))


def softmax(theta: ArrayLike, axis: int = -1, *, out: Optional[np.ndarray] = None,
            n_threads: int = 1) -> np.ndarray:
    """exp(θ) / Σ exp(θ): probabilities, none of them 0.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    axis : int
        The axis of the scores; all others are a batch.
    out : ndarray, optional
        Takes the result: an array of the shape of theta, which may be theta itself.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    ndarray [..., d]
        Probabilities, of the shape and floating type of theta.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.softmax([1.6, 1.1, 0.4]).round(3).tolist()
    [0.524, 0.318, 0.158]

    See Also
    --------
    softmax_loss, sparsemax, entmax, fenchel.torch.softmax
    """
    return predict(theta, SHANNON, axis=axis, out=out, n_threads=n_threads)


def sparsemax(theta: ArrayLike, axis: int = -1, *, out: Optional[np.ndarray] = None,
              n_threads: int = 1) -> np.ndarray:
    """argmin ‖p − θ‖² over the simplex: probabilities, many of them exactly 0.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    axis : int
        The axis of the scores; all others are a batch.
    out : ndarray, optional
        Takes the result: an array of the shape of theta, which may be theta itself.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    ndarray [..., d]
        Probabilities, of the shape and floating type of theta.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.sparsemax([1.6, 1.1, 0.4]).round(3).tolist()
    [0.75, 0.25, 0.0]

    See Also
    --------
    sparsemax_loss, entmax, fenchel.torch.sparsemax
    """
    return predict(theta, SPARSEMAX, axis=axis, out=out, n_threads=n_threads)


def entmax15(theta: ArrayLike, axis: int = -1, *, out: Optional[np.ndarray] = None,
             n_threads: int = 1) -> np.ndarray:
    """α-entmax for α = 1.5, between softmax and sparsemax: p_i = [θ_i/2 − τ]₊² with τ such that Σ p_i = 1.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    axis : int
        The axis of the scores; all others are a batch.
    out : ndarray, optional
        Takes the result: an array of the shape of theta, which may be theta itself.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    ndarray [..., d]
        Probabilities, of the shape and floating type of theta.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.entmax15([1.6, 1.1, 0.4]).round(3).tolist()
    [0.649, 0.309, 0.042]

    See Also
    --------
    entmax15_loss, entmax, fenchel.torch.entmax15
    """
    return predict(theta, ENTMAX15, axis=axis, out=out, n_threads=n_threads)


def entmax(theta: ArrayLike, alpha: float = 1.5, axis: int = -1, *, out: Optional[np.ndarray] = None,
           n_threads: int = 1) -> np.ndarray:
    """α-entmax, argmax ⟨θ, p⟩ + H_α(p) with the Tsallis entropy H_α: exact for every α > 0.

    An α for each row, learned or not, is what fenchel.torch.entmax has.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    alpha : float
        α > 0, or inf: 1 is softmax, 2 sparsemax; one number for all rows.
    axis : int
        The axis of the scores; all others are a batch.
    out : ndarray, optional
        Takes the result: an array of the shape of theta, which may be theta itself.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    ndarray [..., d]
        Probabilities, of the shape and floating type of theta.

    Raises
    ------
    ValueError, TypeError
        An argument is not what it should be; the message names it, its value and what was expected.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.entmax([1.6, 1.1, 0.4], alpha=1.2).round(3).tolist()
    [0.568, 0.314, 0.119]

    See Also
    --------
    entmax_loss, softmax, sparsemax, Tsallis, fenchel.torch.entmax
    """
    return predict(theta, tsallis_of(alpha), axis=axis, out=out, n_threads=n_threads)


def normmax(theta: ArrayLike, q: float = float("inf"), axis: int = -1, *, out: Optional[np.ndarray] = None,
            n_threads: int = 1) -> np.ndarray:
    """argmax ⟨θ, p⟩ − ‖p‖_q over the simplex; uniform over the best few classes for q = inf.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    q : float
        The order of the norm, > 1 or inf; one number for all rows.
    axis : int
        The axis of the scores; all others are a batch.
    out : ndarray, optional
        Takes the result: an array of the shape of theta, which may be theta itself.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    ndarray [..., d]
        Probabilities, of the shape and floating type of theta.

    Raises
    ------
    ValueError, TypeError
        An argument is not what it should be; the message names it, its value and what was expected.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.normmax([1.6, 1.4, 0.4], q=2).round(3).tolist()
    [0.571, 0.429, 0.0]
    >>> fenchel.normmax([1.6, 1.4, 0.4]).round(3).tolist()
    [0.5, 0.5, 0.0]

    See Also
    --------
    normmax_loss, Norm
    """
    return predict(theta, norm_of(q), axis=axis, out=out, n_threads=n_threads)


def sparsemap(theta: ArrayLike, polytope: PolytopesLike, *, n_threads: int = 1) -> Any:
    """argmin ‖μ − θ‖² over conv(Y), SparseMAP: a mean of few structures (paper §7.2).

    Parameters
    ----------
    theta : array_like
        Scores, with the natural shape of structures in the last axes, or flat; or, for a ragged batch, a list
        of arrays.
    polytope : Polytope, str or dict
        The set Y of structures, such as fenchel.Arborescence(5) or "arborescence:n=5"; for a ragged batch
        also a list of sets, or a function of an example's scores that makes one.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    ndarray
        Means of structures, of the shape and floating type of theta; a list for a ragged batch.

    Raises
    ------
    ValueError, TypeError
        An argument is not what it should be; the message names it, its value and what was expected.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.sparsemap([[1.0, 0.5], [0.2, 0.3]], fenchel.Birkhoff(2)).round(3).tolist()
    [[0.65, 0.35], [0.35, 0.65]]

    See Also
    --------
    SparseMap, Distribution.sparsemap, predict
    """
    if isinstance(polytope, (list, tuple)):
        return predict(theta, [SparseMap(one) for one in polytope], n_threads=n_threads)
    if callable(polytope) and not isinstance(polytope, Polytope):
        return predict(theta, lambda example: SparseMap(polytope(example)), n_threads=n_threads)
    return predict(theta, SparseMap(cast("PolytopeLike", polytope)), n_threads=n_threads)


def capped_simplex(d: int, k: float) -> Regularizer:
    """½‖μ‖² over {μ : 0 ≤ μ ≤ 1, Σ μ = k} for 0 < k ≤ d."""
    if not 0 < k <= d:
        raise ValueError(f"k is {k}; expected 0 <= k <= {d}, the number of entries")
    whole = int(k)
    if whole == k:
        return SparseMap(KSubsets(d, whole))
    # All vectors that (1, …, 1, rest, 0, …, 0) majorizes.
    return SparseMap(Permutahedron([1.0] * whole + [k - whole] + [0.0] * (d - whole - 1)))


def budget(theta: ArrayLike, k: float, axis: int = -1, *, out: Optional[np.ndarray] = None,
           n_threads: int = 1) -> np.ndarray:
    """argmin ‖μ − θ‖² with 0 ≤ μ ≤ 1 and Σ μ = k: for whole k the hull of the subsets of k.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    k : float
        The sum, from 0 to d.
    axis : int
        The axis of the scores; all others are a batch.
    out : ndarray, optional
        Takes the result: an array of the shape of theta, which may be theta itself.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    ndarray [..., d]
        Projections, of the shape and floating type of theta.

    Raises
    ------
    ValueError, TypeError
        An argument is not what it should be; the message names it, its value and what was expected.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.budget([0.9, 0.8, 0.1, -1.0], 2).round(3).tolist()
    [0.967, 0.867, 0.167, 0.0]

    See Also
    --------
    KSubsets, sparsemax, fenchel.projections.project_box_section
    """
    scores = real_array("theta", theta)
    axis = whole_axis(axis)
    if not -scores.ndim <= axis < scores.ndim:
        raise ValueError(f"axis is {axis}; theta has {scores.ndim} axes")
    if isinstance(k, bool) or not isinstance(k, (int, float, np.integer, np.floating)):
        raise TypeError(f"k is {shown(k)}; expected a number")
    if scores.shape[axis] == 0:
        raise ValueError(f"theta has shape {scores.shape}; expected at least one entry along axis {axis}")
    if k == 0:  # one point: the projection of any scores, which are looked at all the same
        result = predict(scores, capped_simplex(scores.shape[axis], 1), axis=axis, out=out, n_threads=n_threads)
        result[...] = 0
        return result
    return predict(scores, capped_simplex(scores.shape[axis], float(k)), axis=axis, out=out, n_threads=n_threads)


def sinkhorn(cost: ArrayLike, a: Optional[ArrayLike] = None, b: Optional[ArrayLike] = None, gamma: float = 1.0, *,
             n_threads: int = 1) -> np.ndarray:
    """argmin ⟨C, μ⟩ + γ Σ μ log μ over the plans μ with row sums a and column sums b: entropic optimal
    transport.

    Parameters
    ----------
    cost : array_like [..., m, n]
        Costs C; +inf forbids an entry.
    a : array_like [m], optional
        Row sums; 1/m each if not given. Ones, here and for b, give doubly stochastic matrices.
    b : array_like [n], optional
        Column sums, with the same total; 1/n each if not given.
    gamma : float
        γ > 0.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    ndarray [..., m, n]
        The plans, of the floating type of cost.

    Raises
    ------
    ValueError, TypeError
        An argument is not what it should be; the message names it, its value and what was expected.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.sinkhorn([[0.0, 1.0], [1.0, 0.0]], gamma=0.5).round(3).tolist()
    [[0.44, 0.06], [0.06, 0.44]]

    See Also
    --------
    Transport, Entropic, fenchel.torch.sinkhorn
    """
    costs = real_array("cost", cost)
    if costs.ndim < 2:
        raise ValueError(f"cost has shape {costs.shape}; expected [..., rows, columns]")
    rows, columns = costs.shape[-2:]
    if rows == 0 or columns == 0:
        raise ValueError(f"cost has shape {costs.shape}; expected at least one row and one column")
    left = np.full(rows, 1 / rows) if a is None else real_array("a", a)
    right = np.full(columns, 1 / columns) if b is None else real_array("b", b)
    if left.shape != (rows,) or right.shape != (columns,):
        raise ValueError(
            f"a and b have shapes {left.shape} and {right.shape}; expected {(rows,)} and {(columns,)} as cost has")
    sums = Transport(left.astype(np.float64).tolist(), right.astype(np.float64).tolist())
    omega = Entropic(sums, temperature=number_of("gamma", gamma, 0, above=True))
    theta = -(costs if costs.dtype in (np.float32, np.float16) else costs.astype(np.float64, copy=False))
    flat = theta.reshape(*costs.shape[:-2], rows * columns)
    return predict(flat, omega, n_threads=n_threads).reshape(costs.shape)
