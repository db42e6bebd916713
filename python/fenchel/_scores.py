# SPDX-License-Identifier: Apache-2.0
"""Scores and targets of the functions on arrays, as C++ takes them: the scores along the last axis."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import _core
from ._arrays import any_array, real_array

__all__ = ["DIRECT", "back", "flat", "flat_only", "no_cost", "scores_of", "targets_of"]

DIRECT = (np.dtype(np.float64), np.dtype(np.float32))


def scores_of(name: str, array: Any, axis: int) -> np.ndarray:
    """The array as C++ takes it: float32 or float64, C-contiguous, scores last."""
    array = real_array(name, array, "an array, or a list of arrays for a ragged batch")
    if array.dtype not in DIRECT:
        array = array.astype(np.float32 if array.dtype == np.float16 else np.float64)
    if axis != -1 and axis != array.ndim - 1:
        if not -array.ndim <= axis < array.ndim:
            raise ValueError(f"axis is {axis}; {name} has {array.ndim} axes")
        array = np.moveaxis(array, axis, -1)
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def back(result: np.ndarray, axis: int) -> np.ndarray:
    return result if axis == -1 or axis == result.ndim - 1 else np.moveaxis(result, -1, axis)


def flat(array: np.ndarray, core: _core.Omega, axis: int = -1) -> np.ndarray:
    """Scores with the natural shape of their structures along one axis; all others as they are."""
    shape = core.shape
    if shape is None or len(shape) == 1 or array.shape[-1:] == (core.dimension,) or array.shape[-len(shape):] != shape:
        return array
    if axis != -1 and axis != array.ndim - 1:
        raise ValueError(f"axis is {axis}; scores with the natural shape of their structures, {shape}, fill the last axes")
    return array.reshape(*array.shape[:-len(shape)], math.prod(shape))


def flat_only(axis: int, out: Any = None) -> None:
    if axis != -1:
        raise ValueError(f"axis is {axis}; a ragged batch has its scores along the last axis")
    if out is not None:
        raise ValueError("out is given; expected none with a ragged batch, whose results are a list of arrays")


def targets_of(y: Any, scores: np.ndarray, axis: int, core: _core.Omega) -> np.ndarray:
    """Targets as C++ takes them: labels, int64 with one axis less than θ, or rows like θ."""
    y = flat(any_array("y", y), core)
    if y.ndim == scores.ndim - 1 and y.dtype.kind in "iu":
        if y.shape != scores.shape[:-1]:
            raise ValueError(f"y has shape {y.shape}; expected {scores.shape[:-1]}, one label for each row of theta")
        return np.ascontiguousarray(y, dtype=np.int64)
    if y.dtype.kind not in "fiub":
        raise TypeError(f"y has dtype {y.dtype}; expected labels (integers) or rows like theta")
    if y.ndim != scores.ndim:
        raise ValueError(f"y has shape {y.shape} and dtype {y.dtype}; expected {scores.shape[:-1]} integer labels or the "
                         "shape of theta")
    y = scores_of("y", y, axis).astype(scores.dtype, copy=False)
    if y.shape != scores.shape:
        raise ValueError(f"y has shape {y.shape}; expected that of theta, {scores.shape}")
    return y


def no_cost(cost: Any) -> None:
    if cost is not None:
        raise ValueError("cost is given; expected none with a ragged batch: add the costs to the scores of each example")
