# SPDX-License-Identifier: Apache-2.0
"""Soft ranks, soft sorting and alignments of time series, under the names and options that people know.

Ranks and sorted values are projections onto permutahedra (Blondel, Teboul, Berthet, Djolonga 2020), soft-DTW is the
log-partition function of alignments (paper §7.3); both have exact derivatives here.
"""
from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any, Callable, Optional, Sequence, Tuple

import numpy as np

from . import _core
from ._arguments import LARGEST_INT, LARGEST_INT64, number_of, shown, thread_count, whole_axis, whole_number
from ._arrays import real_array

if TYPE_CHECKING:
    from ._types import ArrayLike

__all__ = ["dtw", "soft_dtw", "soft_dtw_barycenter", "soft_rank", "soft_rank_vjp", "soft_sort", "soft_sort_vjp"]


def _rows(name: str, theta: Any, axis: int) -> np.ndarray:
    """The values with `axis` last, as C++ takes them."""
    array = real_array(name, theta)
    axis = whole_axis(axis)
    if not -array.ndim <= axis < array.ndim:
        raise ValueError(f"axis is {axis}; {name} has {array.ndim} axes")
    kept = np.float32 if array.dtype in (np.float32, np.float16) else np.float64
    return np.ascontiguousarray(np.moveaxis(array, axis, -1), dtype=kept)


def _options(regularization: str, strength: float, direction: str) -> Tuple[float, str, bool]:
    if str(direction).lower() not in ("ascending", "descending"):
        raise ValueError(f"direction is {shown(direction)}; expected 'ascending' or 'descending'")
    if not isinstance(regularization, str):
        raise TypeError(f"regularization is {shown(regularization)}; expected 'l2', 'kl' or, for ranks, 'tsallis:alpha=1.5' or "
                        "'burg'")
    return number_of("regularization_strength", strength, 0, above=True), regularization, str(direction).lower() == "descending"


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


def soft_rank(theta: ArrayLike, regularization: str = "l2", regularization_strength: float = 1.0,
              direction: str = "ascending", axis: int = -1, *, n_threads: int = 1) -> np.ndarray:
    """Differentiable ranks, counted from 1: the projection of θ/ε onto the permutahedron of (d, …, 1).

    Parameters
    ----------
    theta : array_like [..., d]
        Values; −inf and +inf are errors.
    regularization : str
        "l2", the Euclidean projection; "kl", that of Kullback and Leibler; for ranks also "tsallis:alpha=1.5"
        (any α > 0; 1 is "kl", 2 "l2") and "burg".
    regularization_strength : float
        ε > 0: for small ones the result is exact, for large ones all its entries are equal.
    direction : str
        "ascending" or "descending".
    axis : int
        The axis of the values; all others are a batch.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    ndarray [..., d]
        Ranks, of the shape and floating type of theta.

    Raises
    ------
    ValueError, TypeError
        An argument is not what it should be; the message names it, its value and what was expected.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.soft_rank([2.0, 0.5, 0.6], regularization_strength=0.2).round(3).tolist()
    [3.0, 1.25, 1.75]

    See Also
    --------
    soft_rank_vjp, soft_sort, fenchel.torch.soft_rank
    """
    options = _options(regularization, regularization_strength, direction)
    return _apply(_core.soft_rank, (_rows("theta", theta, axis),), options, axis, n_threads)


def soft_rank_vjp(theta: ArrayLike, u: ArrayLike, regularization: str = "l2", regularization_strength: float = 1.0,
                  direction: str = "ascending", axis: int = -1, *, n_threads: int = 1) -> np.ndarray:
    """uᵀ J with the Jacobian J of `soft_rank` at θ.

    Parameters
    ----------
    theta : array_like [..., d]
        Values; −inf and +inf are errors.
    u : array_like [..., d]
        Factors, of the shape of theta.
    regularization : str
        "l2", the Euclidean projection; "kl", that of Kullback and Leibler; for ranks also "tsallis:alpha=1.5"
        (any α > 0; 1 is "kl", 2 "l2") and "burg".
    regularization_strength : float
        ε > 0: for small ones the result is exact, for large ones all its entries are equal.
    direction : str
        "ascending" or "descending".
    axis : int
        The axis of the values; all others are a batch.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    ndarray [..., d]
        uᵀ J, of the shape and floating type of theta.

    Raises
    ------
    ValueError, TypeError
        An argument is not what it should be; the message names it, its value and what was expected.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.soft_rank_vjp([2.0, 0.5, 0.6], [0.0, 1.0, 0.0], regularization_strength=0.2).round(3).tolist()
    [0.0, 2.5, -2.5]

    See Also
    --------
    soft_rank
    """
    options = _options(regularization, regularization_strength, direction)
    return _product(_core.soft_rank_vjp, theta, u, options, axis, n_threads)


def soft_sort(theta: ArrayLike, regularization: str = "l2", regularization_strength: float = 1.0,
              direction: str = "ascending", axis: int = -1, *, n_threads: int = 1) -> np.ndarray:
    """Values in differentiable order: the projection of (d, …, 1)/ε onto the permutahedron of θ.

    Parameters
    ----------
    theta : array_like [..., d]
        Values; −inf and +inf are errors.
    regularization : str
        "l2", the Euclidean projection; "kl", that of Kullback and Leibler; for ranks also "tsallis:alpha=1.5"
        (any α > 0; 1 is "kl", 2 "l2") and "burg".
    regularization_strength : float
        ε > 0: for small ones the result is exact, for large ones all its entries are equal.
    direction : str
        "ascending" or "descending".
    axis : int
        The axis of the values; all others are a batch.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    ndarray [..., d]
        Sorted values, of the shape and floating type of theta.

    Raises
    ------
    ValueError, TypeError
        An argument is not what it should be; the message names it, its value and what was expected.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.soft_sort([2.0, 0.5, 0.6], regularization_strength=0.2).round(3).tolist()
    [0.5, 0.6, 2.0]

    See Also
    --------
    soft_sort_vjp, soft_rank, fenchel.torch.soft_sort
    """
    options = _options(regularization, regularization_strength, direction)
    return _apply(_core.soft_sort, (_rows("theta", theta, axis),), options, axis, n_threads)


def soft_sort_vjp(theta: ArrayLike, u: ArrayLike, regularization: str = "l2", regularization_strength: float = 1.0,
                  direction: str = "ascending", axis: int = -1, *, n_threads: int = 1) -> np.ndarray:
    """uᵀ J with the Jacobian J of `soft_sort` at θ.

    Parameters
    ----------
    theta : array_like [..., d]
        Values; −inf and +inf are errors.
    u : array_like [..., d]
        Factors, of the shape of theta.
    regularization : str
        "l2", the Euclidean projection; "kl", that of Kullback and Leibler; for ranks also "tsallis:alpha=1.5"
        (any α > 0; 1 is "kl", 2 "l2") and "burg".
    regularization_strength : float
        ε > 0: for small ones the result is exact, for large ones all its entries are equal.
    direction : str
        "ascending" or "descending".
    axis : int
        The axis of the values; all others are a batch.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    ndarray [..., d]
        uᵀ J, of the shape and floating type of theta.

    Raises
    ------
    ValueError, TypeError
        An argument is not what it should be; the message names it, its value and what was expected.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.soft_sort_vjp([2.0, 0.5, 0.6], [0.0, 1.0, 0.0], regularization_strength=0.2).round(3).tolist()
    [0.0, 0.0, 1.0]

    See Also
    --------
    soft_sort
    """
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


def soft_dtw(cost: ArrayLike, gamma: float = 1.0, band: int = 0, *,
             return_alignment: bool = False, n_threads: int = 1) -> Any:
    """−γ log Σ exp(−⟨C, y⟩/γ) over the alignments y of two series (paper §7.3).

    Parameters
    ----------
    cost : array_like [..., m, n]
        Costs C of each step of one series with each of the other; +inf forbids a pair.
    gamma : float
        γ, finite and >= 0; 0 is `dtw`.
    band : int
        The largest distance of two steps that are aligned; 0: no limit.
    return_alignment : bool
        Also return the alignments.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    float or ndarray [...]
        A number for each matrix of costs, float64.
    ndarray [..., m, n]
        With return_alignment: the gradient in the costs, which is the expected alignment.

    Raises
    ------
    ValueError, TypeError
        An argument is not what it should be; the message names it, its value and what was expected.

    Examples
    --------
    >>> import fenchel
    >>> value, alignment = fenchel.soft_dtw([[0.0, 1.0], [1.0, 0.0]], 0.5, return_alignment=True)
    >>> round(float(value), 4), alignment.round(3).tolist()
    (-0.1198, [[1.0, 0.107], [0.107, 1.0]])

    See Also
    --------
    dtw, soft_dtw_barycenter, Alignment, fenchel.torch.soft_dtw
    """
    gamma = number_of("gamma", gamma, 0)
    if gamma == 0:
        return dtw(cost, band, return_alignment=return_alignment, n_threads=n_threads)
    flat, shape = _costs(cost)
    band, n_threads = _band(band), thread_count(n_threads)
    if not return_alignment:
        return _core.soft_dtw(flat, gamma, band, n_threads).reshape(shape[:-2])[()]
    values, alignments = _core.soft_dtw_gradient(flat, gamma, band, n_threads)
    return values.reshape(shape[:-2])[()], alignments.reshape(shape)


def dtw(cost: ArrayLike, band: int = 0, *, return_alignment: bool = False, n_threads: int = 1) -> Any:
    """min ⟨C, y⟩ over the alignments y of two series: dynamic time warping.

    Parameters
    ----------
    cost : array_like [..., m, n]
        Costs C of each step of one series with each of the other; +inf forbids a pair.
    band : int
        The largest distance of two steps that are aligned; 0: no limit.
    return_alignment : bool
        Also return the alignments.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    float or ndarray [...]
        A number for each matrix of costs, float64.
    ndarray [..., m, n]
        With return_alignment: the best alignment, zeros and ones.

    Raises
    ------
    ValueError, TypeError
        An argument is not what it should be; the message names it, its value and what was expected.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.dtw([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0]], return_alignment=True)[1].tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]

    See Also
    --------
    soft_dtw
    """
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


def soft_dtw_barycenter(series: Sequence[ArrayLike], gamma: float = 1.0, *, weights: Optional[ArrayLike] = None,
                        start: Optional[ArrayLike] = None, band: int = 0, tolerance: float = 1e-6, max_iterations: int = 1000,
                        n_threads: int = 1) -> np.ndarray:
    """argmin over b of Σ wᵢ soft-DTW(b, xᵢ) with squared Euclidean costs: a mean of series (Cuturi and
    Blondel 2017).

    The sum is not convex: L-BFGS finds a local minimum. A RuntimeWarning says that it did not converge.

    Parameters
    ----------
    series : list of array_like [steps] or [steps, width]
        The series xᵢ, whose lengths may differ.
    gamma : float
        γ > 0 of soft-DTW.
    weights : array_like, optional
        wᵢ >= 0, one for each series; they count by their shares.
    start : array_like, optional
        Where the search begins, with the length of the result; else the mean of the series, stretched to the
        longest.
    band : int
        The largest distance of two steps that are aligned; 0: no limit.
    tolerance : float
        The search ends where no slope is above this, times the range of all values.
    max_iterations : int
        Iterations at most.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    ndarray [steps] or [steps, width]
        The mean b.

    Raises
    ------
    ValueError, TypeError
        An argument is not what it should be; the message names it, its value and what was expected.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.soft_dtw_barycenter([[0.0, 1.0, 2.0], [0.0, 2.0]], 0.1).round(2).tolist()
    [0.0, 1.0, 2.0]

    See Also
    --------
    soft_dtw
    """
    gamma, tolerance = number_of("gamma", gamma, 0, above=True), number_of("tolerance", tolerance, 0)
    if not hasattr(series, "__iter__") or isinstance(series, (str, bytes)):
        raise TypeError(f"series is {shown(series)}; expected a list of series")
    series = list(series)
    if not series:
        raise ValueError("series is empty; expected at least one")
    given = [_series(f"series[{i}]", one) for i, one in enumerate(series)]
    doubles = [one.astype(np.float64, copy=False) for one in given]
    first = None if start is None else _series("start", start).astype(np.float64, copy=False)
    shares = None if weights is None else _rows("weights", weights, -1).astype(np.float64, copy=False)
    most = whole_number("max_iterations", max_iterations, 0, LARGEST_INT)
    found, status, iterations = _core.soft_dtw_barycenter(doubles, gamma, shares, first, _band(band), tolerance,
                                                          most, thread_count(n_threads))
    if status == "max_iterations":
        warnings.warn(f"soft_dtw_barycenter did not converge in {iterations} iterations", RuntimeWarning, stacklevel=2)
    return (found if np.ndim(series[0]) == 2 else found[:, 0]).astype(np.result_type(*given), copy=False)
