# SPDX-License-Identifier: Apache-2.0
"""Features X as C++ takes them, in the memory that they are in."""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, issparse

from .. import _core

DTYPES = (np.float64, np.float32)  # kept; other types of numbers become the first


def check_sparse(name: str, x: Any) -> None:
    """ValueError if the arrays of a sparse matrix do not fit together: SciPy and C++ go where they point to."""
    extents = x.shape if len(x.shape) == 2 else (1, *x.shape)
    if x.format in ("csr", "csc", "bsr"):
        if x.format == "bsr":
            extents = tuple(extent // size for extent, size in zip(extents, x.blocksize))
        _check_compressed(name, x, *(extents[::-1] if x.format == "csc" else extents))
    elif x.format == "coo":
        places = x.coords if hasattr(x, "coords") else (x.row, x.col)
        if any(len(place) != len(x.data) for place in places):
            raise ValueError(f"{name} has {len(x.data)} entries; expected as many row and column indices, "
                             f"not {' and '.join(str(len(place)) for place in places)}")
        for axis, (place, extent) in enumerate(zip(places, x.shape)):
            _check_range(f"{name}.coords[{axis}]", place, extent)
    elif x.format == "dia" and len(x.offsets) != len(x.data):
        raise ValueError(f"{name} has {len(x.offsets)} offsets; expected {len(x.data)}, one for each diagonal")


def _check_compressed(name: str, x: Any, major: int, minor: int) -> None:
    starts, indices, data = x.indptr, x.indices, x.data
    if starts.shape != (major + 1,) or starts.dtype.kind not in "iu":
        raise ValueError(f"{name}.indptr has shape {starts.shape} and dtype {starts.dtype}; expected {major + 1} integers")
    if indices.shape != data.shape[:1]:
        raise ValueError(f"{name}.indices has shape {indices.shape}; expected {data.shape[:1]}, as many as data has")
    if starts[0] != 0:
        raise ValueError(f"{name}.indptr[0] is {starts[0]}; expected 0")
    falls = np.flatnonzero(starts[1:] < starts[:-1])
    if len(falls):
        i = falls[0]
        raise ValueError(f"{name}.indptr[{i + 1}] is {starts[i + 1]} after {starts[i]}; expected no smaller one")
    if starts[-1] > len(indices):
        i = np.flatnonzero(starts > len(indices))[0]
        raise ValueError(f"{name}.indptr[{i}] is {starts[i]}; expected at most {len(indices)}, the number of indices")
    _check_range(f"{name}.indices", indices[:starts[-1]], minor)


def _check_range(name: str, indices: np.ndarray, extent: int) -> None:
    if indices.dtype.kind not in "iu":
        raise ValueError(f"{name} has dtype {indices.dtype}; expected integers")
    if len(indices) and (indices.min() < 0 or indices.max() >= extent):
        i = np.flatnonzero((indices < 0) | (indices >= extent))[0]
        raise ValueError(f"{name}[{i}] is {indices[i]}; expected 0 to {extent - 1}")


def _increasing(x: Any, entries: int) -> bool:
    """Whether columns increase in each row. SciPy's flag may be from before its arrays were changed."""
    larger = x.indices[1:entries] > x.indices[:entries - 1] if entries else np.empty(0, bool)
    first = x.indptr[(x.indptr > 0) & (x.indptr < entries)]
    larger[first - 1] = True
    return bool(larger.all())


def features_of(x: Any) -> _core.Features:
    """Views of a checked X: a C-contiguous array, or CSR."""
    if not issparse(x):
        return _core.Features(np.ascontiguousarray(x))
    check_sparse("X", x)
    if x.shape[1] > np.iinfo(np.int32).max:
        raise ValueError(f"X has {x.shape[1]} columns; expected less than 2^31")
    entries = int(x.indptr[-1])
    if not _increasing(x, entries):
        x = csr_matrix((x.data[:entries], x.indices[:entries], x.indptr), shape=x.shape, copy=True)
        x.sum_duplicates()
        entries = int(x.indptr[-1])
    return _core.Features(np.ascontiguousarray(x.data[:entries]),
                          np.ascontiguousarray(x.indices[:entries], dtype=np.int32),
                          np.ascontiguousarray(x.indptr, dtype=np.int64), x.shape[1])
