# SPDX-License-Identifier: Apache-2.0
"""Structures as dense vectors and in the short form that people use: tags, heads, ranks, paths."""
from __future__ import annotations

import math
from typing import Any, List, Tuple, Union

import numpy as np

from . import _core
from ._arrays import any_array, real_array

__all__ = ["decode", "encode"]


def _rows(y: Any, core: _core.Polytope) -> Tuple[np.ndarray, Tuple[int, ...]]:
    """Structures as rows, and the shape of the batch."""
    y = real_array("y", y).astype(np.float64, copy=False)
    shape = core.shape
    if y.shape[-1:] == (core.dimension,):
        leading = y.shape[:-1]
    elif y.ndim >= len(shape) and y.shape[-len(shape):] == shape:
        leading = y.shape[:-len(shape)]
    else:
        raise ValueError(f"y has shape {y.shape}; expected {shape} or {(core.dimension,)} after the axes of a batch")
    return np.ascontiguousarray(y).reshape(math.prod(leading), core.dimension), leading


def decode(core: _core.Polytope, y: Any) -> Union[np.ndarray, List[np.ndarray]]:
    """The short form of structures; a list for a batch whose structures differ in its length."""
    rows, leading = _rows(y, core)
    labels, offsets = _core.decode(core, rows)
    if core.short_varies:
        parts = [part.reshape(-1, *map(int, core.short_axes[1:])) for part in np.split(labels, offsets[1:-1])][:len(rows)]
        return parts[0] if leading == () else parts
    if len(rows) == 0:
        return np.empty((*leading, 0), np.int64)
    result = labels.reshape(*leading, -1)
    return result if core.short_axes else result[..., 0]


def encode(core: _core.Polytope, labels: Any) -> np.ndarray:
    """The vectors of structures given in short form."""
    leading: Tuple[int, ...] = ()
    if core.short_varies:
        axes = len(core.short_axes)
        if len(labels) and np.ndim(labels[0]) == axes:
            rows, leading = [_integers(row) for row in labels], (len(labels),)
        else:
            rows = [_integers(labels)]
        for row in rows:
            if axes == 2 and (row.ndim != 2 or row.shape[1] != 2):
                raise ValueError(f"a path has shape {row.shape}; expected [length, 2], its cells")
    else:
        array = _integers(labels)
        if not core.short_axes:
            array = array[..., None]
        if array.ndim == 0:
            raise ValueError(f"labels is {labels!r}; expected at least one axis")
        leading = array.shape[:-1]
        rows = list(array.reshape(math.prod(leading), array.shape[-1]))
    offsets = np.concatenate([[0], np.cumsum([row.size for row in rows], dtype=np.int64)]).astype(np.int64)
    flat = np.concatenate([row.ravel() for row in rows]) if rows else np.empty(0, np.int64)
    return _core.encode(core, flat, offsets).reshape(*leading, *core.shape)


def _integers(labels: Any) -> np.ndarray:
    array = any_array("labels", labels, "one length")
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"labels has dtype {array.dtype}; expected whole numbers")
    return array.astype(np.int64)
