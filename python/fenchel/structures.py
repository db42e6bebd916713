# SPDX-License-Identifier: Apache-2.0
"""Structures as dense vectors and in the short form that people use: tags, heads, ranks, paths."""
from __future__ import annotations

import math
from typing import Any, List, Tuple, Union

import numpy as np

from . import _core

__all__ = ["decode", "encode"]

# The structures of these differ in the length of their short form, so that a batch of them is a list.
_OF_ANY_LENGTH = ("alignment", "cube")


def _rows(y: Any, core: _core.Polytope) -> Tuple[np.ndarray, Tuple[int, ...]]:
    """Structures as rows, and the shape of the batch."""
    y = np.asarray(y, dtype=np.float64)
    shape = core.shape
    if y.shape[-1:] == (core.dimension,):
        leading = y.shape[:-1]
    elif y.ndim >= len(shape) and y.shape[-len(shape):] == shape:
        leading = y.shape[:-len(shape)]
    else:
        raise ValueError(f"y has shape {y.shape}; expected {shape} or {(core.dimension,)} after the axes of a batch")
    return np.ascontiguousarray(y).reshape(math.prod(leading), core.dimension), leading


def decode(core: _core.Polytope, y: Any) -> Union[np.ndarray, List[np.ndarray]]:
    """The short form of structures."""
    rows, leading = _rows(y, core)
    labels, offsets = _core.decode(core, rows)
    if core.name in _OF_ANY_LENGTH:
        shape: Tuple[int, ...] = (-1, 2) if core.name == "alignment" else (-1,)
        parts = [part.reshape(shape) for part in np.split(labels, offsets[1:-1])][:len(rows)]
        return parts[0] if leading == () else parts
    if len(rows) == 0:
        return np.empty((*leading, 0), np.int64)
    result = labels.reshape(*leading, -1)
    return result[..., 0] if core.name == "simplex" else result


def encode(core: _core.Polytope, labels: Any) -> np.ndarray:
    """The vectors of structures given in short form."""
    leading: Tuple[int, ...] = ()
    if core.name in _OF_ANY_LENGTH:
        axes = 2 if core.name == "alignment" else 1
        if len(labels) and np.ndim(labels[0]) == axes:
            rows, leading = [_integers(row) for row in labels], (len(labels),)
        else:
            rows = [_integers(labels)]
        for row in rows:
            if axes == 2 and (row.ndim != 2 or row.shape[1] != 2):
                raise ValueError(f"a path has shape {row.shape}; expected [length, 2], its cells")
    else:
        array = _integers(labels)
        if core.name == "simplex":
            array = array[..., None]
        if array.ndim == 0:
            raise ValueError(f"labels is {labels!r}; expected at least one axis")
        leading = array.shape[:-1]
        rows = list(array.reshape(math.prod(leading), array.shape[-1]))
    offsets = np.concatenate([[0], np.cumsum([row.size for row in rows], dtype=np.int64)]).astype(np.int64)
    flat = np.concatenate([row.ravel() for row in rows]) if rows else np.empty(0, np.int64)
    return _core.encode(core, flat, offsets).reshape(*leading, *core.shape)


def _integers(labels: Any) -> np.ndarray:
    try:
        array = np.asarray(labels)
    except ValueError as error:
        raise ValueError("labels has rows of several lengths; expected one length") from error
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"labels has dtype {array.dtype}; expected whole numbers")
    return array.astype(np.int64)
