# SPDX-License-Identifier: Apache-2.0
"""Files of Parquet, Arrow IPC and Feather as tables of Arrow, known by their first bytes and not by their names."""
from __future__ import annotations

import importlib
import json
import os
import re
from collections.abc import Sequence
from typing import Any

from .._arguments import shown

__all__ = ["column_called", "file_called", "listed", "open_arrow", "pandas_index", "quoted"]

EXTRA = "fenchel.tables needs pyarrow: pip install 'fenchel[tables]'"
_MAGIC = 8  # bytes at the beginning tell the formats apart
_LISTED = 8  # names in a message: longer lists do not help
_QUOTED = 40  # characters of a wrong value are enough to find it
_PARQUET, _FILE, _STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
_REFUSED = {
    b"PARE": "an encrypted file of Parquet, which is not read; expected one that is not encrypted",
    b"FEA1": "a file of Feather's first version, which is not read (pyarrow's old reader ends the program on damaged files); "
             "expected the second: pyarrow.feather.write_feather(pyarrow.feather.read_table(old), new)",
}


def pyarrow(module: str = "") -> Any:
    """pyarrow or a part of it, which is imported when it is first needed."""
    try:
        return importlib.import_module("pyarrow" + module)
    except ImportError as error:
        raise ImportError(EXTRA) from error


def quoted(text: object) -> str:
    """A value in a message."""
    whole = str(text)
    return repr(whole if len(whole) <= _QUOTED else whole[:_QUOTED] + "…")


def listed(names: Sequence[str]) -> str:
    """'a', 'b' and 3 more."""
    shown = [quoted(name) for name in names[:_LISTED]]
    if len(names) > _LISTED:
        return f"{', '.join(shown)} and {len(names) - _LISTED} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def file_called(argument: str, path: Any) -> str:
    """The name of a file; addresses of the web are none."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(f"{argument} is {shown(path)}; expected the name of a file")
    name = os.fsdecode(path)
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", name):
        raise ValueError(f"{argument} is {name!r}, an address; expected a file: download it first")
    return name


def open_arrow(name: str) -> Any:
    """The pyarrow.Table of a file whose every byte that is used was checked; ValueError names the file and what is wrong."""
    arrow = pyarrow()
    with open(name, "rb") as file:  # OSError where it cannot be read, or is a folder
        start = file.read(_MAGIC)
    try:
        table = _read(name, start)
        table.validate(full=True)
        names = table.column_names
        for field in table.schema:
            str(field.type)  # messages show it, and names within it may be no text
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ValueError(f"{name}: the file is damaged or cut off: {reason}") from error
    seen: set = set()
    for column in names:
        if column in seen:
            raise ValueError(f"{name}: two columns are called {quoted(column)}; expected different names")
        seen.add(column)
    if table.num_rows == 0 or not names:
        raise ValueError(f"{name}: there are no {'rows' if names else 'columns'}; expected at least one")
    return table


def _read(name: str, start: bytes) -> Any:
    if start.startswith(_PARQUET):
        # Not parquet.read_table, which makes columns of folders called key=value.
        with pyarrow(".parquet").ParquetFile(name) as file:
            return file.read()
    if start.startswith((_FILE, _STREAM)):
        ipc = pyarrow(".ipc")
        with pyarrow().OSFile(name, "rb") as source:
            return (ipc.open_file if start.startswith(_FILE) else ipc.open_stream)(source).read_all()
    for magic, problem in _REFUSED.items():
        if start.startswith(magic):
            raise ValueError(f"{name}: this is {problem}")
    begins = f"begins with {start!r}" if start else "is empty"
    raise ValueError(f"{name}: the file {begins}; expected Parquet, Arrow IPC or Feather (CSV and ARFF: `fenchel train`, or "
                     "pandas.read_csv, whose tables the estimators take)")


def pandas_index(table: Any) -> list[str]:
    """Columns that pandas wrote as the index of its rows, which are no columns to it."""
    try:
        noted = json.loads((table.schema.metadata or {})[b"pandas"])["index_columns"]
    except (KeyError, TypeError, ValueError):
        return []
    return [name for name in noted if isinstance(name, str) and name in table.column_names] if isinstance(noted, list) else []


def column_called(name: str, names: list[str], called: Any) -> str:
    """The column of this name, or of this number from 1 on, as for the tool."""
    if called in names:
        return called
    number = int(called) if isinstance(called, int) or (isinstance(called, str) and called.isdecimal()) else 0
    if isinstance(called, bool) or not 1 <= number <= len(names):
        raise ValueError(f"{name}: there is no column {called!r}; expected {listed(names)}, or a number from 1 to {len(names)}")
    return names[number - 1]
