# SPDX-License-Identifier: Apache-2.0
"""Soft ranks, soft sorting and alignments of time series, under the names and options that people know.

Ranks and sorted values are projections onto permutahedra (Blondel, Teboul, Berthet, Djolonga 2020), soft-DTW is the
log-partition function of alignments (paper §7.3); both have exact derivatives here.
"""
from __future__ import annotations

import math
import warnings
from typing import Any, Callable, Optional, Tuple

import numpy as np

from . import _core
from ._arguments import LARGEST_INT, LARGEST_INT64, thread_count, whole_number
from ._arrays import real_array

__all__ = ["dtw", "soft_dtw", "soft_dtw_barycenter", "soft_rank", "soft_rank_vjp", "soft_sort", "soft_sort_vjp"]


def _rows(name: str, theta: Any, axis: int) -> np.ndarray:
    """The values with `axis` last, as C++ takes them."""
    array = real_array(name, theta)
    if not isinstance(axis, (int, np.integer)):
        raise TypeError(f"axis is {axis!r}; expected a whole number")
    if not -array.ndim <= axis < array.ndim:
        raise ValueError(f"axis is {axis}; {name} has {array.ndim} axes")
    kept = np.float32 if array.dtype in (np.float32, np.float16) else np.float64
    return np.ascontiguousarray(np.moveaxis(array, axis, -1), dtype=kept)


def _options(regularization: str, strength: float, direction: str) -> Tuple[float, str, bool]:
    if str(direction).lower() not in ("ascending", "descending"):
        raise ValueError(f"direction is {direction!r}; expected 'ascending' or 'descending'")
    if not 0 < float(strength) < math.inf:
        raise ValueError(f"regularization_strength is {strength}; expected a number > 0")
    return float(strength), str(regularization), str(direction).lower() == "descending"


def _apply(function: Callable[..., np.ndarray], arrays: Tuple[np.ndarray, ...], options: Tuple[float, str, bool],
           axis: int, n_threads: int) -> np.ndarray:
    shape = arrays[0].shape
    flat = [array.reshape(math.prod(shape[:-1]), shape[-1]) for array in arrays]
    return np.moveaxis(function(*flat, *options, thread_count(n_threads)).reshape(shape), -1, axis)


def _product(function: Callable[..., np.ndarray], theta: Any, u: Any, options: Tuple[float, str, bool], axis: int,
             n_threads: int) -> np.ndarray:
    rows, factors = _rows("theta", theta, axis), _rows("u", u, axis)
    if rows.shape != factors.shape:
        raise ValueError(f"u has shape {np.shape(u)}; expected that of theta, {np.shape(theta)}")
    return _apply(function, (rows, factors.astype(rows.dtype, copy=False)), options, axis, n_threads)


def soft_rank(theta: Any, regularization: str = "l2", regularization_strength: float = 1.0,
              direction: str = "ascending", axis: int = -1, *, n_threads: int = 1) -> np.ndarray:
    """Differentiable ranks, counted from 1: the projection of θ/ε onto the permutahedron of (n, …, 1).

    "l2" is the Euclidean projection, "kl" that of Kullback and Leibler, "tsallis:alpha=1.5" (any α > 0; 1 is "kl" and 2
    "l2") and "burg" are those of other entropies. ε is the regularization_strength: small, they are ranks; large, they are
    equal.
    """
    options = _options(regularization, regularization_strength, direction)
    return _apply(_core.soft_rank, (_rows("theta", theta, axis),), options, axis, n_threads)


def soft_rank_vjp(theta: Any, u: Any, regularization: str = "l2", regularization_strength: float = 1.0,
                  direction: str = "ascending", axis: int = -1, *, n_threads: int = 1) -> np.ndarray:
    """uᵀ J with the Jacobian J of `soft_rank`."""
    options = _options(regularization, regularization_strength, direction)
    return _product(_core.soft_rank_vjp, theta, u, options, axis, n_threads)


def soft_sort(theta: Any, regularization: str = "l2", regularization_strength: float = 1.0,
              direction: str = "ascending", axis: int = -1, *, n_threads: int = 1) -> np.ndarray:
    """Values in differentiable order; options as in `soft_rank`, with the regularization "l2" or "kl"."""
    options = _options(regularization, regularization_strength, direction)
    return _apply(_core.soft_sort, (_rows("theta", theta, axis),), options, axis, n_threads)


def soft_sort_vjp(theta: Any, u: Any, regularization: str = "l2", regularization_strength: float = 1.0,
                  direction: str = "ascending", axis: int = -1, *, n_threads: int = 1) -> np.ndarray:
    """uᵀ J with the Jacobian J of `soft_sort`."""
    options = _options(regularization, regularization_strength, direction)
    return _product(_core.soft_sort_vjp, theta, u, options, axis, n_threads)


def _costs(cost: Any) -> Tuple[np.ndarray, Tuple[int, ...]]:
    array = _rows("cost", cost, -1)
    if array.ndim < 2:
        raise ValueError(
            f"cost has shape {array.shape}; expected [..., m, n]: each step of one series with each of another")
    return array.reshape(math.prod(array.shape[:-2]), *array.shape[-2:]), array.shape


def _band(band: Any) -> int:
    return whole_number("band", band, 0, LARGEST_INT64)


def soft_dtw(cost: Any, gamma: float = 1.0, band: int = 0, *,
             return_alignment: bool = False, n_threads: int = 1) -> Any:
    """−γ log Σ exp(−⟨C, y⟩/γ) over the alignments y of two series; costs are [..., m, n], +inf forbids a pair of steps.

    With return_alignment also the gradient with respect to the costs, which is the expected alignment. With gamma = 0 this
    is `dtw`. `band` is the largest distance of two steps; 0: no limit.
    """
    if gamma == 0:
        return dtw(cost, band, return_alignment=return_alignment, n_threads=n_threads)
    flat, shape = _costs(cost)
    band, n_threads = _band(band), thread_count(n_threads)
    if not return_alignment:
        return _core.soft_dtw(flat, float(gamma), band, n_threads).reshape(shape[:-2])[()]
    values, alignments = _core.soft_dtw_gradient(flat, float(gamma), band, n_threads)
    return values.reshape(shape[:-2])[()], alignments.reshape(shape)


def dtw(cost: Any, band: int = 0, *, return_alignment: bool = False, n_threads: int = 1) -> Any:
    """min ⟨C, y⟩ over the alignments y of two series: dynamic time warping; with return_alignment also the best y."""
    flat, shape = _costs(cost)
    values, alignments = _core.dtw(flat, _band(band), thread_count(n_threads))
    values = values.reshape(shape[:-2])[()]
    return (values, alignments.reshape(shape)) if return_alignment else values


def _series(name: str, values: Any) -> np.ndarray:
    """A series as [steps, width]; numbers are steps of width 1."""
    array = _rows(name, values, -1)
    if array.ndim > 2 or array.size == 0:
        raise ValueError(f"{name} has shape {array.shape}; expected [steps] or [steps, width], none of them 0")
    return array.reshape(len(array), -1)


def soft_dtw_barycenter(series: Any, gamma: float = 1.0, *, weights: Optional[Any] = None, start: Optional[Any] = None,
                        band: int = 0, tolerance: float = 1e-6, max_iterations: int = 1000,
                        n_threads: int = 1) -> np.ndarray:
    """argmin over b of Σ wᵢ soft-DTW(b, xᵢ) with squared Euclidean costs: a mean of series (Cuturi and Blondel 2017).

    The series xᵢ are [steps] or [steps, width] and may have different lengths. `start` has the length of the result; by
    default it is the mean of the series, stretched to the length of the longest. The sum is not convex: L-BFGS finds a
    local minimum and stops where no slope is above `tolerance` times the range of all values; the weights count by their
    shares.
    """
    series = list(series)
    if not series:
        raise ValueError("series is empty; expected at least one")
    given = [_series(f"series[{i}]", one) for i, one in enumerate(series)]
    doubles = [one.astype(np.float64, copy=False) for one in given]
    first = None if start is None else _series("start", start).astype(np.float64, copy=False)
    shares = None if weights is None else _rows("weights", weights, -1).astype(np.float64, copy=False)
    most = whole_number("max_iterations", max_iterations, 0, LARGEST_INT)
    found, status, iterations = _core.soft_dtw_barycenter(doubles, float(gamma), shares, first, _band(band), float(tolerance),
                                                          most, thread_count(n_threads))
    if status == "max_iterations":
        warnings.warn(f"soft_dtw_barycenter did not converge in {iterations} iterations", RuntimeWarning, stacklevel=2)
    return (found if np.ndim(series[0]) == 2 else found[:, 0]).astype(np.result_type(*given), copy=False)
