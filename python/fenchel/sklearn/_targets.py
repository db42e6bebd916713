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


def sets_of_names(y: Any) -> Optional[tuple[np.ndarray, np.ndarray]]:
    """The labels of sets of names ([["a"], ["a", "b"], []]) and their indicators; None where y is anything else."""
    if not isinstance(y, (list, tuple)) or not all(isinstance(row, (list, tuple, set, frozenset)) for row in y):
        return None
    names = sorted({name for row in y for name in row if isinstance(name, str)})
    if not names:
        return None
    place = {name: k for k, name in enumerate(names)}
    indicators = np.zeros((len(y), len(names)))
    for i, row in enumerate(y):
        for name in row:
            if name not in place:
                raise ValueError(f"y[{i}] has {name!r} among names; expected names alone")
            indicators[i, place[name]] = 1
    return np.array(names), indicators


def order_of(text: str) -> list[list[str]]:
    """The groups of tied labels of an order such as "b>a=c", the best first."""
    groups = [[label.strip() for label in group.replace("~", "=").split("=")] for group in text.split(">")]
    if not all(label for group in groups for label in group):
        raise ValueError(f"the order {text!r} has an empty label; expected labels between > and =")
    return groups


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
