# SPDX-License-Identifier: Apache-2.0
"""The names people search for."""
from __future__ import annotations

from functools import lru_cache
from typing import Any, Callable

import numpy as np

from ._arrays import real_array
from ._base import Polytope, Regularizer
from .functions import loss, predict
from .polytopes import KSubsets, Permutahedron, Transport
from .regularizers import Entropic, Norm, Shannon, SparseMap, Tsallis

__all__ = ["budget", "entmax", "entmax15", "entmax15_loss", "entmax_loss", "normmax", "normmax_loss", "sinkhorn",
           "softmax", "softmax_loss", "sparsemap", "sparsemax", "sparsemax_loss"]

_SHANNON, _SPARSEMAX, _ENTMAX15 = Shannon(), Tsallis(2.0), Tsallis(1.5)


@lru_cache(maxsize=256)
def _of_order(kind: Callable[[float], Regularizer], order: float) -> Regularizer:
    """An entropy of some order, kept: making it costs more than a call on a short row."""
    return kind(order)


def softmax(theta: Any, axis: int = -1, *, out: Any = None, n_threads: int = 1) -> np.ndarray:
    """exp(θ) / Σ exp(θ)."""
    return predict(theta, _SHANNON, axis=axis, out=out, n_threads=n_threads)


def sparsemax(theta: Any, axis: int = -1, *, out: Any = None, n_threads: int = 1) -> np.ndarray:
    """The Euclidean projection of θ onto the simplex."""
    return predict(theta, _SPARSEMAX, axis=axis, out=out, n_threads=n_threads)


def entmax15(theta: Any, axis: int = -1, *, out: Any = None, n_threads: int = 1) -> np.ndarray:
    """α-entmax for α = 1.5."""
    return predict(theta, _ENTMAX15, axis=axis, out=out, n_threads=n_threads)


def entmax(theta: Any, alpha: float = 1.5, axis: int = -1, *, out: Any = None, n_threads: int = 1) -> np.ndarray:
    """α-entmax: softmax for α = 1, sparsemax for 2, exact for every α > 0."""
    return predict(theta, _of_order(Tsallis, float(alpha)), axis=axis, out=out, n_threads=n_threads)


def normmax(theta: Any, q: float = float("inf"), axis: int = -1, *, out: Any = None, n_threads: int = 1) -> np.ndarray:
    """The prediction of the norm entropy of order q."""
    return predict(theta, _of_order(Norm, float(q)), axis=axis, out=out, n_threads=n_threads)


def softmax_loss(theta: Any, y: Any, axis: int = -1, *, n_threads: int = 1) -> Any:
    """log Σ exp(θ) − θ_y: the logistic loss, cross-entropy; y: labels, or rows like θ."""
    return loss(theta, y, _SHANNON, axis=axis, n_threads=n_threads)


def sparsemax_loss(theta: Any, y: Any, axis: int = -1, *, n_threads: int = 1) -> Any:
    """The loss whose gradient is sparsemax(θ) − y."""
    return loss(theta, y, _SPARSEMAX, axis=axis, n_threads=n_threads)


def entmax15_loss(theta: Any, y: Any, axis: int = -1, *, n_threads: int = 1) -> Any:
    """The loss whose gradient is entmax15(θ) − y."""
    return loss(theta, y, _ENTMAX15, axis=axis, n_threads=n_threads)


def entmax_loss(theta: Any, y: Any, alpha: float = 1.5, axis: int = -1, *, n_threads: int = 1) -> Any:
    """The loss whose gradient is entmax(θ, α) − y."""
    return loss(theta, y, _of_order(Tsallis, float(alpha)), axis=axis, n_threads=n_threads)


def normmax_loss(theta: Any, y: Any, q: float = float("inf"), axis: int = -1, *, n_threads: int = 1) -> Any:
    """The loss whose gradient is normmax(θ, q) − y."""
    return loss(theta, y, _of_order(Norm, float(q)), axis=axis, n_threads=n_threads)


def sparsemap(theta: Any, polytope: Any, *, n_threads: int = 1) -> Any:
    """SparseMAP: the Euclidean projection of θ onto conv(Y) (paper §7.2); lists are a ragged batch, as in `predict`."""
    if isinstance(polytope, (list, tuple)):
        return predict(theta, [SparseMap(one) for one in polytope], n_threads=n_threads)
    if callable(polytope) and not isinstance(polytope, Polytope):
        return predict(theta, lambda example: SparseMap(polytope(example)), n_threads=n_threads)
    return predict(theta, SparseMap(polytope), n_threads=n_threads)


def capped_simplex(d: int, k: float) -> Regularizer:
    """½‖μ‖² over {μ : 0 ≤ μ ≤ 1, Σ μ = k} for 0 < k ≤ d."""
    if not 0 < k <= d:
        raise ValueError(f"k is {k}; expected 0 <= k <= {d}, the number of entries")
    whole = int(k)
    if whole == k:
        return SparseMap(KSubsets(d, whole))
    # All vectors that (1, …, 1, rest, 0, …, 0) majorizes.
    return SparseMap(Permutahedron([1.0] * whole + [k - whole] + [0.0] * (d - whole - 1)))


def budget(theta: Any, k: float, axis: int = -1, *, out: Any = None, n_threads: int = 1) -> np.ndarray:
    """The Euclidean projection of θ onto {μ : 0 ≤ μ ≤ 1, Σ μ = k}: for whole k the hull of the subsets of k."""
    scores = real_array("theta", theta)
    if not isinstance(axis, (int, np.integer)):
        raise TypeError(f"axis is {axis!r}; expected a whole number")
    if not -scores.ndim <= axis < scores.ndim:
        raise ValueError(f"axis is {axis}; theta has {scores.ndim} axes")
    if isinstance(k, bool) or not isinstance(k, (int, float, np.integer, np.floating)):
        raise TypeError(f"k is {k!r}; expected a number")
    if scores.shape[axis] == 0:
        raise ValueError(f"theta has shape {scores.shape}; expected at least one entry along axis {axis}")
    if k == 0:  # one point: the projection of any scores, which are looked at all the same
        result = predict(scores, capped_simplex(scores.shape[axis], 1), axis=axis, out=out, n_threads=n_threads)
        result[...] = 0
        return result
    return predict(scores, capped_simplex(scores.shape[axis], float(k)), axis=axis, out=out, n_threads=n_threads)


def sinkhorn(cost: Any, a: Any = None, b: Any = None, gamma: float = 1.0, *, n_threads: int = 1) -> np.ndarray:
    """argmin ⟨C, μ⟩ + γ Σ μ log μ over the plans with row sums a and column sums b (uniform if not given).

    Costs are [..., rows, columns]; +inf forbids an entry. For doubly stochastic matrices, let a and b be ones.
    """
    cost = real_array("cost", cost)
    if cost.ndim < 2:
        raise ValueError(f"cost has shape {cost.shape}; expected [..., rows, columns]")
    rows, columns = cost.shape[-2:]
    if rows == 0 or columns == 0:
        raise ValueError(f"cost has shape {cost.shape}; expected at least one row and one column")
    a = np.full(rows, 1 / rows) if a is None else real_array("a", a)
    b = np.full(columns, 1 / columns) if b is None else real_array("b", b)
    if a.shape != (rows,) or b.shape != (columns,):
        raise ValueError(
            f"a and b have shapes {a.shape} and {b.shape}; expected {(rows,)} and {(columns,)} as cost has")
    sums = Transport(a.astype(np.float64).tolist(), b.astype(np.float64).tolist())
    omega = Entropic(sums, temperature=float(gamma))
    theta = -(cost if cost.dtype in (np.float32, np.float16) else cost.astype(np.float64, copy=False))
    flat = theta.reshape(*cost.shape[:-2], rows * columns)
    return predict(flat, omega, n_threads=n_threads).reshape(cost.shape)
