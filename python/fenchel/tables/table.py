# SPDX-License-Identifier: Apache-2.0
"""What `read_table` returns."""
from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Optional

import numpy as np

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Column", "Table"]


@dataclasses.dataclass(frozen=True)
class Column:
    """How a column of a file becomes features: the same way in all tables that are read `like` this one.

    Parameters
    ----------
    name : str
        The name of the column.
    words : tuple of str, optional
        None for numbers; else the words, each of which has its position as its number. More than two have a feature
        each.
    fill : float, optional
        What stands for a missing value, for words the number of one; None: a missing value is an error.

    Examples
    --------
    >>> from fenchel.tables import Column
    >>> Column("size").features, Column("colour", ("blue", "green", "red")).features
    (['size'], ['colour=blue', 'colour=green', 'colour=red'])

    See Also
    --------
    Table, read_table
    """

    name: str
    words: Optional[tuple[str, ...]] = None
    fill: Optional[float] = None

    @property
    def features(self) -> list[str]:
        """The names of its features."""
        if self.words is None or len(self.words) <= 2:
            return [self.name]
        return [f"{self.name}={word}" for word in self.words]


@dataclasses.dataclass(frozen=True)
class Table:
    """Features and targets for the estimators of `fenchel.sklearn`, as `read_table` makes them; `len` is the number
    of rows.

    Parameters
    ----------
    X : pyarrow.Table
        Numbers, a column for each feature, without nulls.
    y : ndarray or None
        Numbers, booleans or words, one for each row; None where there is no target.
    columns : tuple of Column
        How the columns of the file became those of X, in this order.
    target : str or None
        The name of the column y.
    ignored : tuple of str
        Columns of the file that are neither.
    path : str
        The file.

    Examples
    --------
    >>> import os, pyarrow, pyarrow.parquet, tempfile
    >>> from fenchel.tables import read_table
    >>> path = os.path.join(tempfile.mkdtemp(), "train.parquet")
    >>> pyarrow.parquet.write_table(pyarrow.table({"size": [1, 2, 4], "kind": ["a", "b", "a"]}), path)
    >>> table = read_table(path, target="kind")
    >>> len(table), table.feature_names, table.y.tolist(), table.columns
    (3, ['size'], ['a', 'b', 'a'], (Column(name='size', words=None, fill=None),))

    See Also
    --------
    read_table, Column, fenchel.sklearn.FenchelYoungClassifier
    """

    X: pyarrow.Table
    y: Optional[np.ndarray]
    columns: tuple[Column, ...]
    target: Optional[str]
    ignored: tuple[str, ...]
    path: str

    def __len__(self) -> int:
        return self.X.num_rows

    def __repr__(self) -> str:
        target = "no target" if self.target is None else f"target {self.target!r}"
        return f"<Table of {self.path}: {len(self)} rows, {len(self.feature_names)} features, {target}>"

    @property
    def feature_names(self) -> list[str]:
        """The names of the columns of X: `colour=red` for a word of several."""
        return self.X.column_names
