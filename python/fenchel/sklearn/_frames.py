# SPDX-License-Identifier: Apache-2.0
"""Tables with names of columns as X: data frames of pandas and polars, tables of Arrow. Columns go by name, as in the tool."""
from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from ..tables.arrow_files import listed, quoted
from ..tables.columns import NUMBERS, kind_of, numbers, plain

ADVICE = ("make numbers of it (pandas.get_dummies, sklearn's OneHotEncoder), leave it out, or let fenchel.tables.read_table or "
          "the tool read the file, which make features of words")


class Frame:
    """Columns of whatever kind of table, by their places."""

    def __init__(self, table: Any) -> None:
        self.table = table
        names = list(getattr(table, "column_names", None) or table.columns)
        self.named = bool(names) and all(isinstance(name, str) for name in names)
        self.names = names

    def take(self, places: Sequence[int]) -> Frame:
        """These columns, in this order."""
        raise NotImplementedError

    def column(self, place: int) -> Any:
        """One of them as its library has it."""
        raise NotImplementedError

    def problem(self, place: int) -> str:
        """Why a column is not of numbers; empty if it is."""
        raise NotImplementedError

    def values(self, place: int) -> np.ndarray:
        """A column of numbers, with NaN where it has none."""
        raise NotImplementedError

    def cells(self, place: int) -> list:
        """The cells of a column as objects of Python, None where there is none."""
        raise NotImplementedError

    def plain(self) -> Any:
        """What scikit-learn makes an array of."""
        return self.table

    def require_numbers(self) -> Frame:
        """ValueError for the first column that holds something else."""
        for place, name in enumerate(self.names):
            if problem := self.problem(place):
                raise ValueError(f"column {quoted(name)} of X {problem}; expected numbers: {ADVICE}")
        return self


class _Pandas(Frame):
    def take(self, places: Sequence[int]) -> Frame:
        return _Pandas(self.table.iloc[:, list(places)])

    def column(self, place: int) -> Any:
        return self.table.iloc[:, place]

    def problem(self, place: int) -> str:
        kind = self.table.dtypes.iloc[place]
        kind = getattr(kind, "categories", kind) if getattr(kind, "name", "") == "category" else kind
        kind = getattr(kind, "dtype", kind)  # of the categories
        letter = getattr(kind, "kind", "O")
        if letter in "iufbcmM":
            return f"has the type {kind}" if letter in "mM" else ""
        for i, cell in enumerate(self.column(place)):
            try:
                float(cell)  # numbers that are objects or texts are numbers to scikit-learn
            except (TypeError, ValueError):
                if not _is_missing(cell):
                    return f"holds {quoted(cell)} in row {i} (from 0, {type(cell).__name__})"
        return ""

    def values(self, place: int) -> np.ndarray:
        column = self.column(place)
        return np.array([np.nan if _is_missing(cell) else float(cell) for cell in column]) if column.dtype == object else \
            column.to_numpy(dtype=np.float64, na_value=np.nan)

    def cells(self, place: int) -> list:
        return [None if _is_missing(cell) else cell for cell in self.column(place)]


class _Arrow(Frame):
    def take(self, places: Sequence[int]) -> Frame:
        return _Arrow(self.table.select(list(places)))

    def column(self, place: int) -> Any:
        return self.table.column(place)

    def problem(self, place: int) -> str:
        kind = self.table.schema.field(place).type
        return "" if kind_of(kind) == NUMBERS else f"has the type {quoted(kind)}"

    def values(self, place: int) -> np.ndarray:
        return numbers(self.column(place))[0]

    def cells(self, place: int) -> list:
        return plain(self.column(place)).to_pylist()

    def plain(self) -> Any:
        arrow = sys.modules["pyarrow"]
        return arrow.Table.from_arrays([arrow.array(self.values(place)) for place in range(len(self.names))], names=self.names)


class _Polars(Frame):
    def take(self, places: Sequence[int]) -> Frame:
        return _Polars(self.table.select([self.names[place] for place in places]))

    def column(self, place: int) -> Any:
        return self.table.to_series(place)

    def problem(self, place: int) -> str:
        kind = self.table.dtypes[place]
        fits = kind.is_numeric() or str(kind) in ("Boolean", "Null")
        return "" if fits else f"has the type {kind}"

    def values(self, place: int) -> np.ndarray:
        return self.column(place).cast(sys.modules["polars"].Float64).to_numpy()

    def cells(self, place: int) -> list:
        return self.column(place).to_list()

    def plain(self) -> Any:
        return self.table.cast(sys.modules["polars"].Float64)


def _is_missing(cell: Any) -> bool:
    return cell is None or cell is getattr(sys.modules.get("pandas"), "NA", None) or (isinstance(cell, float) and cell != cell)


def frame_of(X: Any) -> Optional[Frame]:
    """X as a table with names, without importing any library; None if it is something else."""
    for library, kinds, frame in (("pandas", ("DataFrame",), _Pandas), ("pyarrow", ("Table", "RecordBatch"), _Arrow),
                                  ("polars", ("DataFrame",), _Polars)):
        module = sys.modules.get(library)
        found = tuple(getattr(module, kind) for kind in kinds if hasattr(module, kind))
        if found and isinstance(X, found):
            return frame(X)
    return None


def check_different(frame: Frame) -> None:
    """Two columns of one name could not be told apart later."""
    seen: set = set()
    for name in frame.names if frame.named else ():
        if name in seen:
            raise ValueError(f"two columns of X are called {quoted(name)}; expected different names")
        seen.add(name)


def check_numbered(frame: Frame) -> None:
    """Numbers are no names to scikit-learn, so that columns go by their order: it has to be that of the numbers."""
    ordered = list(range(len(frame.names)))
    if not frame.named and frame.names != ordered and all(isinstance(name, int) for name in frame.names) \
            and sorted(frame.names) == ordered:
        raise ValueError(f"the columns of X are numbered {listed(frame.names)}; expected 0, 1, … in this order, or texts as "
                         "names, by which columns are found in any order")


def by_name(frame: Frame, known: Sequence[str], unmentioned: Sequence[str] = ()) -> Frame:
    """The known columns in their order; one that is missing is an error, others are left out with a warning."""
    if frame.names == list(known):
        return frame
    places: dict[str, int] = {}
    wanted = set(known)
    for place, name in enumerate(frame.names):
        if name in wanted and name in places:
            raise ValueError(f"column {quoted(name)} of X appears twice")
        places.setdefault(name, place)
    others = [name for name in frame.names if name not in wanted and name not in unmentioned]
    if absent := [name for name in known if name not in places]:
        what = f"{listed(absent)} {'is' if len(absent) == 1 else 'are'} missing from X; training had " \
               f"{'it' if len(absent) == 1 else 'them'}"
        raise ValueError("The feature names should match those that were passed during fit.\n" + what
                         + (f", but not {listed(others)}" if others else ""))
    if others:
        warnings.warn(f"X: {'a column is' if len(others) == 1 else 'columns are'} not of the model and left out: "
                      f"{listed(others)}", UserWarning, stacklevel=_caller())
    return frame.take([places[name] for name in known])


def _caller() -> int:
    """How far above the warning the first frame outside this package and scikit-learn is."""
    depth, frame = 2, sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("fenchel", "sklearn"):
        depth, frame = depth + 1, frame.f_back
    return depth


def check_finite(X: Any, names: Sequence[str]) -> None:
    """ValueError that names column and row; X is an array, or CSR."""
    data = getattr(X, "data", X) if not isinstance(X, np.ndarray) else X
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(data.sum()) or np.isfinite(data).all():  # the sum needs no memory
            return
    place = int(np.flatnonzero(~np.isfinite(data))[0])
    if isinstance(X, np.ndarray):
        i, j = divmod(place, X.shape[1])
    else:
        i, j = int(np.searchsorted(X.indptr, place, side="right")) - 1, int(X.indices[place])
    value = "NaN" if np.isnan(data.ravel()[place]) else "infinity"
    raise ValueError(f"column {quoted(names[j])} of X has {value} in row {i} (from 0); expected finite numbers. "
                     f"Input X contains {value}.")
