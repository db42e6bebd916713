# SPDX-License-Identifier: Apache-2.0
"""Parquet, Arrow IPC and Feather as CSV, from which the tool reads the same values."""
from __future__ import annotations

import contextlib
import os
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, Union

from .arrow_files import column_called, file_called, open_arrow, pandas_index, pyarrow, quoted
from .columns import OTHER, WORDS, check_finite, inexact_integer, kind_of, numbers, plain, reads_as_number, refused

__all__ = ["convert"]

Path = Union[str, "os.PathLike[str]"]

_MISSING = ("", "?", "NA")  # cells that are missing to the tool, in quotes or not
_ZERO_BYTE = "a byte 0, which text files have not"
_JUDGED = 10  # rows that are among the lines by which the tool judges whether there is a header


def convert(source: Path, destination: Path, *, ignore: Sequence[Union[str, int]] = ()) -> int:
    """Writes a table as CSV, complete or not at all, and returns the number of rows.

    `fenchel` reads every number back to the same bits, and every word as it was: a column for which that is not so is an error
    that names it and what to do. Nulls become empty cells (missing values), booleans 0 and 1. What pandas wrote as an index is
    left out. Integers that no double is are written as they are, with a warning: as features they are rounded.

    Parameters
    ----------
    source : str or path
        A file of Parquet, Arrow IPC or Feather, known by its first bytes.
    destination : str or path
        The file to write, whose name ends in .csv.
    ignore : list of str or int
        Columns that are left out, by name or by number from 1 on.

    Returns
    -------
    int
        The number of rows.

    Raises
    ------
    ValueError
        The file is damaged or of another format, or CSV cannot hold a column; the message names the file, the column
        and the row.
    OSError
        A file cannot be read or written.

    Examples
    --------
    >>> import os, pyarrow, pyarrow.parquet, tempfile
    >>> from fenchel.tables import convert
    >>> folder = tempfile.mkdtemp()
    >>> source, destination = (os.path.join(folder, name) for name in ("train.parquet", "train.csv"))
    >>> pyarrow.parquet.write_table(pyarrow.table({"size": [1.5, None], "y": ["a", "b"]}), source)
    >>> convert(source, destination)
    2
    >>> with open(destination) as file:
    ...     print(file.read().strip())
    "size","y"
    1.5,"a"
    ,"b"

    See Also
    --------
    read_table
    """
    name, written = file_called("source", source), os.path.realpath(file_called("destination", destination))
    if isinstance(ignore, (str, int)):
        raise TypeError(f"ignore is {ignore!r}; expected a list of columns")
    _check_destination(name, written)
    table = open_arrow(name)
    left_out = [column_called(name, table.column_names, column) for column in ignore] + pandas_index(table)
    names = [column for column in table.column_names if column not in left_out]
    if not names:
        raise ValueError(f"{name}: there are no columns left; expected at least one")
    _check_names(name, names)
    columns = [_writable(f"{name}: column {quoted(column)}", table.column(column), len(names) == 1) for column in names]
    made = pyarrow().table(columns, names=names)
    for remark in _remarks(name, made):
        warnings.warn(remark, UserWarning, stacklevel=2)
    with _replacing(written) as file:
        pyarrow(".csv").write_csv(made, file)
    return made.num_rows


def _check_destination(source: str, written: str) -> None:
    if not written.lower().endswith(".csv"):
        raise ValueError(f"destination is {quoted(written)}; expected a name that ends in .csv, by which the tool knows the "
                         "format")
    if os.path.exists(written) and not os.path.isfile(written):
        raise ValueError(f"destination is {quoted(written)}, which is no file; expected the name of one")
    if os.path.exists(written) and os.path.exists(source) and os.path.samefile(source, written):
        raise ValueError(f"destination is {quoted(written)}, which is the file to read; expected another one")


def _check_names(name: str, names: list[str]) -> None:
    """Names that a header can hold."""
    for column in names:
        if "\0" in column:
            raise ValueError(f"{name}: the name of column {quoted(column)} has {_ZERO_BYTE}; expected another name")


def _writable(where: str, column: Any, alone: bool) -> Any:
    """The column as it is written."""
    arrow, kind = pyarrow(), kind_of(column.type)
    if kind == OTHER:
        raise refused(where, column.type)
    array = plain(column)
    if alone and array.null_count:
        raise ValueError(f"{where} has missing values (null) and is the only column; expected none, as an empty line is no row")
    if kind == WORDS:
        _check_texts(where, array)
        return array
    types = arrow.types
    if types.is_boolean(array.type):
        return array.cast(arrow.uint8())
    if types.is_floating(array.type):
        values, missing = numbers(array)
        check_finite(where, values, missing)
        return arrow.array(values, mask=missing)  # a float32 is written with the digits that its value has as a double
    return array


def _check_texts(where: str, array: Any) -> None:
    """Texts that CSV, which knows no types, would give back as something else."""
    words = [text for text in array.unique().to_pylist() if text is not None]  # in the order in which they first appear
    for text in words:
        problem = ""
        if text in _MISSING:
            problem = "which is a missing value to CSV; expected another word, or a null"
        elif "\0" in text:
            problem = f"which has {_ZERO_BYTE}; expected another text, or the column left out (`ignore`)"
        if problem:
            place = array.index(pyarrow().scalar(text, array.type)).as_py()
            raise ValueError(f"{where}, row {place + 1}: the text {quoted(text)}, {problem}")
    first = words[0] if words else "no text"
    if reads_as_number(first.replace(",", ".", 1)) or _not_finite(first):
        raise ValueError(f"{where} has the type {quoted(array.type)} and begins with {quoted(first)}, by which CSV makes it a "
                         "column of numbers; expected numbers, or a text that is none first")


def _remarks(name: str, made: Any) -> list[str]:
    """What to know before the tool reads it."""
    remarks = []
    for column in made.column_names:
        row, integer = inexact_integer(made.column(column))
        if row >= 0:
            remarks.append(f"{name}: column {quoted(column)}, row {row + 1}: no double is {integer}: as a feature it will be "
                           "rounded; labels and names of rows stay as they are")
    if not any(_shows_a_header(column, made.column(column).slice(0, _JUDGED)) for column in made.column_names):
        remarks.append(f"{name}: no number stands below a name that is a word; tell the tool that the first line is a header: "
                       "`--header yes`")
    return remarks


def _shows_a_header(column: str, values: Any) -> bool:
    """The tool knows a header by a word above numbers."""
    word = not reads_as_number(column.strip()) and not _not_finite(column) and column not in _MISSING
    return word and kind_of(values.type) != WORDS and values.null_count < len(values)


def _not_finite(text: str) -> bool:
    return text.lstrip("+-").lower() in ("nan", "inf", "infinity")


@contextlib.contextmanager
def _replacing(written: str) -> Iterator[BinaryIO]:
    """A file beside the one to write, which takes its place when everything is in it, and goes if anything is wrong."""
    folder, base = os.path.split(written)
    handle, beside = tempfile.mkstemp(prefix=base + ".tmp-", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(beside, os.stat(written).st_mode & 0o777 if os.path.exists(written) else 0o666 & ~umask)
        os.replace(beside, written)
    except BaseException:
        os.unlink(beside)
        raise
