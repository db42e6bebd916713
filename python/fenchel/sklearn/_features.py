# SPDX-License-Identifier: Apache-2.0
"""Features X as C++ takes them, in the memory that they are in."""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from .. import _core

DTYPES = (np.float64, np.float32)  # kept; other types of numbers become the first


def features_of(x: Any) -> _core.Features:
    """Views of a checked X: a C-contiguous array, or CSR."""
    if not issparse(x):
        return _core.Features(np.ascontiguousarray(x))
    if not x.has_canonical_format:
        x = x.copy()
        x.sum_duplicates()
    if x.shape[1] > np.iinfo(np.int32).max:
        raise ValueError(f"X has {x.shape[1]} columns; expected less than 2^31")
    return _core.Features(np.ascontiguousarray(x.data), np.ascontiguousarray(x.indices, dtype=np.int32),
                          np.ascontiguousarray(x.indptr, dtype=np.int64), x.shape[1])
