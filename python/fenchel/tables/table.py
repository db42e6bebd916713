# SPDX-License-Identifier: Apache-2.0
"""What `read_table` returns."""
from __future__ import annotations

import dataclasses
from typing import Any, Optional

import numpy as np

__all__ = ["Column", "Table"]


@dataclasses.dataclass(frozen=True)
class Column:
    """How a column of a file becomes features: the same way in all tables that are read `like` this one."""

    name: str
    words: Optional[tuple[str, ...]] = None
    """None for numbers; else the words, each of which has its position as its number. More than two have a feature each."""
    fill: Optional[float] = None
    """What stands for a missing value, for words the number of one; None: a missing value is an error."""

    @property
    def features(self) -> list[str]:
        """The names of its features."""
        if self.words is None or len(self.words) <= 2:
            return [self.name]
        return [f"{self.name}={word}" for word in self.words]


@dataclasses.dataclass(frozen=True)
class Table:
    """Features and targets for the estimators of `fenchel.sklearn`; `len` is the number of rows."""

    X: Any
    """A pyarrow.Table of numbers, a column for each feature, without nulls."""
    y: Optional[np.ndarray]
    """Numbers, booleans or words, one for each row; None where there is no target."""
    columns: tuple[Column, ...]
    """How the columns of the file became those of X, in this order."""
    target: Optional[str]
    """The name of the column y."""
    ignored: tuple[str, ...]
    """Columns of the file that are neither."""
    path: str
    """The file."""

    def __len__(self) -> int:
        return self.X.num_rows

    def __repr__(self) -> str:
        target = "no target" if self.target is None else f"target {self.target!r}"
        return f"<Table of {self.path}: {len(self)} rows, {len(self.feature_names)} features, {target}>"

    @property
    def feature_names(self) -> list[str]:
        """The names of the columns of X: `colour=red` for a word of several."""
        return self.X.column_names
