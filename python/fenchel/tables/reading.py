# SPDX-License-Identifier: Apache-2.0
"""Tables of files for the estimators: columns by name, words as the tool makes features of them, a target."""
from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from .arrow_files import column_called, file_called, listed, open_arrow, pandas_index, pyarrow, quoted
from .columns import OTHER, WORDS, check_finite, inexact_integer, kind_of, numbers, plain, refused, sorted_words
from .table import Column, Table

__all__ = ["read_table"]

_MOST_WORDS = 1000  # of a column, each a feature for every row: more would fill the memory, and mostly name the rows


def read_table(path: Union[str, os.PathLike[str]], *, target: Union[str, int, None] = None,
               ignore: Sequence[Union[str, int]] = (), missing: str = "error", like: Optional[Table] = None) -> Table:
    """Reads a file of Parquet, Arrow IPC (file or stream) or Feather, known by its first bytes.

    Numbers become float64, booleans 0 and 1. Two words of a column become 0 and 1, more a feature each
    (`colour=red`), in the order of their values if all are numbers, else of their bytes. Dates, lists, structs and
    bytes are refused by name, and so are integers that no double is, NaN and infinities. What pandas wrote as an
    index is no column.

    Parameters
    ----------
    path : str or path
        The file.
    target : str or int, optional
        The column y, by its name or its number from 1 on; None: there is none, or it is that of `like` if the file
        has it.
    ignore : list of str or int
        Columns that are left out.
    missing : str
        What becomes of nulls in features: "error", or "impute": the mean of numbers, the commonest word.
    like : Table, optional
        The table of the training data. Columns are then taken by their names, in any order; words have the same
        numbers, and nulls are replaced as there. A column that is missing is an error that names it, others are left
        out with a warning.

    Returns
    -------
    Table
        Features, targets, and how they came about.

    Raises
    ------
    ValueError
        The file is damaged or of another format, or a column or value cannot be a feature or a target; the message
        names the file, the column and the row.
    OSError
        The file cannot be read.

    Examples
    --------
    >>> import os, pyarrow, pyarrow.parquet, tempfile
    >>> from fenchel.tables import read_table
    >>> path = os.path.join(tempfile.mkdtemp(), "train.parquet")
    >>> rows = {"id": [7, 8, 9], "size": [1.0, None, 4.0], "y": [True, False, True]}
    >>> pyarrow.parquet.write_table(pyarrow.table(rows), path)
    >>> train = read_table(path, target="y", ignore=["id"], missing="impute")
    >>> train.X.to_pydict(), train.y.tolist()
    ({'size': [1.0, 2.5, 4.0]}, [True, False, True])
    >>> len(read_table(path, like=train))
    3

    See Also
    --------
    Table, convert, fenchel.sklearn.FenchelYoungClassifier
    """
    if missing not in ("error", "impute"):
        raise ValueError(f"missing is {missing!r}; expected 'error' or 'impute'")
    if like is not None and (not isinstance(like, Table) or missing != "error"):
        raise ValueError(f"like is {like!r} and missing {missing!r}; expected a table of read_table, which says what becomes of "
                         "missing values")
    if isinstance(ignore, (str, int)):
        raise TypeError(f"ignore is {ignore!r}; expected a list of columns")
    name = file_called("path", path)
    table = open_arrow(name)
    names = table.column_names
    wanted = None if target is None else column_called(name, names, target)
    if wanted is None and like is not None and like.target in names:
        wanted = like.target
    asked = [column_called(name, names, column) for column in ignore]
    left_out = asked + [column for column in pandas_index(table) if column != wanted]
    if wanted in asked:
        raise ValueError(f"{name}: target and ignore both have column {quoted(wanted)}; expected it in one of them")
    there = [column for column in names if column != wanted and column not in left_out]
    columns = [Column(column) for column in there] if like is None else _matched(name, there, wanted, like)
    if not columns:
        raise ValueError(f"{name}: there are no features; the columns are {listed(names)}")
    features: dict[str, np.ndarray] = {}
    known = []
    for column in columns:
        coded = _Coder(name, column, table.column(column.name))
        column = coded.learned(missing == "impute") if like is None else column
        known.append(column)
        made = coded.features(column)
        for feature, values in zip(column.features, made):
            if feature in features:
                raise ValueError(f"{name}: two features are called {quoted(feature)}; expected different names")
            features[feature] = values
    used = {column.name for column in known}
    y = None if wanted is None else _target(name, wanted, table.column(wanted))
    return Table(pyarrow().table(features), y, tuple(known), wanted,
                 tuple(column for column in names if column not in used and column != wanted), name)


def _matched(name: str, there: list[str], wanted: Optional[str], like: Table) -> list[Column]:
    """The columns of other data, all of which are there."""
    known = [column.name for column in like.columns]
    others = [column for column in there if column not in known]
    if absent := [column for column in known if column not in there]:
        problem = f"{name}: {listed(absent)} {'is' if len(absent) == 1 else 'are'} missing; {like.path} has " \
                  f"{'it' if len(absent) == 1 else 'them'}"
        problem += f" ({quoted(wanted)} is the target here)" if wanted is not None else ""
        raise ValueError(problem + (f", but not {listed(others)}" if others else ""))
    if others := [column for column in others if column not in like.ignored]:
        warnings.warn(f"{name}: {'a column is' if len(others) == 1 else 'columns are'} not in {like.path} and left out: "
                      f"{listed(others)}", UserWarning, stacklevel=3)
    return list(like.columns)


class _Coder:
    """One column of a file, on its way to features."""

    def __init__(self, name: str, column: Column, values: Any) -> None:
        self.where = f"{name}: column {quoted(column.name)}"
        self.name = column.name
        self.type = values.type
        kind = kind_of(self.type)
        if kind == OTHER:
            raise refused(self.where, self.type)
        self.texts = plain(values) if kind == WORDS else None
        if self.texts is not None:
            self.missing = np.asarray(self.texts.is_null())
            return
        row, integer = inexact_integer(values)
        if row >= 0:
            raise ValueError(f"{self.where}, row {row + 1}: no double is {integer}; expected integers up to 2^53 in features, or "
                             "the column left out (`ignore`)")
        self.numbers, self.missing = numbers(values)
        check_finite(self.where, self.numbers, self.missing)

    def learned(self, impute: bool) -> Column:
        """How it becomes features, from its own values."""
        if self.texts is None or self.missing.all():
            known = self.numbers[~self.missing] if self.texts is None else np.empty(0)
            return Column(self.name, None, _mean(known) if impute else None)
        words = sorted_words(self.texts.drop_null().unique().to_pylist())
        if len(words) > _MOST_WORDS:
            raise ValueError(f"{self.where} has {len(words)} different words, each of which would be a feature; expected at most "
                             f"{_MOST_WORDS}: leave it out (`ignore`) if it names the rows, or put numbers in their place")
        codes = self._codes(words)
        commonest = float(np.bincount(codes[~self.missing]).argmax())
        return Column(self.name, tuple(words), commonest if impute else None)

    def features(self, column: Column) -> list[np.ndarray]:
        """A vector for each feature."""
        if column.fill is None and self.missing.any():
            raise ValueError(f"{self.where}, row {self.missing.argmax() + 1}: the value is missing (null); `missing=\"impute\"` "
                             "fills such cells in, from the training data")
        if column.words is None:
            if self.texts is not None and not self.missing.all():
                raise ValueError(f"{self.where} holds words ({self.type}); expected numbers, as in training")
            values = np.full(len(self.missing), np.nan) if self.texts is not None else self.numbers
            return [values if column.fill is None else np.where(self.missing, column.fill, values)]
        if self.texts is None and not self.missing.all():
            raise ValueError(f"{self.where} holds numbers ({self.type}); expected words, as in training")
        codes = self._codes(list(column.words)) if self.texts is not None else np.full(len(self.missing), -1)
        unknown = np.flatnonzero((codes < 0) & ~self.missing)
        if len(unknown) and self.texts is not None:
            raise ValueError(f"{self.where}, row {unknown[0] + 1}: {quoted(self.texts[int(unknown[0])])} is not a word of it in "
                             f"training; expected one of {listed(column.words)}")
        codes = np.where(self.missing, -1 if column.fill is None else int(column.fill), codes)
        if len(column.words) <= 2:
            return [codes.astype(np.float64)]
        return [(codes == k).astype(np.uint8) for k in range(len(column.words))]

    def _codes(self, words: list[str]) -> np.ndarray:
        """The position of each text among these words; −1 where it has none."""
        arrow = pyarrow()
        places = pyarrow(".compute").index_in(self.texts, value_set=arrow.array(words, arrow.large_string()))
        return np.asarray(places.fill_null(-1))


def _mean(values: np.ndarray) -> float:
    """The mean as the tool computes it, one number after the other; 0 of none."""
    mean = 0.0
    for i, value in enumerate(values.tolist(), 1):
        step = value - mean  # overflows between the largest numbers of either sign
        mean += step / i if np.isfinite(step) else value / i - mean / i
    return mean


def _target(name: str, wanted: str, column: Any) -> np.ndarray:
    """Integers, floating-point numbers, booleans or words (objects of str), none of them missing."""
    where = f"{name}: target {quoted(wanted)}"
    kind, array = kind_of(column.type), plain(column)
    if kind == OTHER:
        raise refused(where, column.type)
    if array.null_count:
        raise ValueError(f"{where}, row {int(np.asarray(array.is_null()).argmax()) + 1}: the target is missing (null); expected "
                         "one in each row")
    types = pyarrow().types
    if kind == WORDS:
        return np.array(array.to_pylist(), dtype=object)
    if types.is_boolean(array.type) or types.is_integer(array.type):
        values = np.array(array)  # its own memory
        return values if values.dtype.kind in "bu" and values.dtype.itemsize in (1, 8) else values.astype(np.int64)
    found, missing = numbers(array)
    check_finite(where, found, missing)
    return found
