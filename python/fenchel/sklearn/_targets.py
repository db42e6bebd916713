# SPDX-License-Identifier: Apache-2.0
"""Targets that are rows of numbers."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np
from scipy.sparse import issparse

from ._features import check_sparse


def column_names(y: Any) -> Optional[np.ndarray]:
    """The names of the columns of a data frame; None for anything else."""
    return np.asarray(y.columns) if hasattr(y, "columns") else None


def matrix(name: str, y: Any) -> np.ndarray:
    """A C-contiguous float64 matrix without NaN and infinities."""
    if issparse(y):
        check_sparse(name, y)
        y = y.toarray()
    try:
        rows = np.ascontiguousarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} is not a matrix of numbers: {error}") from None
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise ValueError(f"{name} has shape {rows.shape}; expected a matrix, one row per example")
    wrong = np.argwhere(~np.isfinite(rows))
    if len(wrong):
        i, k = wrong[0]
        raise ValueError(f"{name}[{i}, {k}] is {rows[i, k]}; Input {name} contains NaN or infinity")
    return rows
