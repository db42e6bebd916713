# SPDX-License-Identifier: Apache-2.0
"""Columns of Arrow as numbers and as words, with nothing rounded or guessed in silence."""
from __future__ import annotations

import re
from typing import Any

import numpy as np

from .arrow_files import pyarrow, quoted

__all__ = ["NUMBERS", "OTHER", "WORDS", "inexact_integer", "kind_of", "numbers", "plain", "reads_as_number", "sorted_words"]

NUMBERS, WORDS, OTHER = "numbers", "words", "other"
_EXACT = 2**53  # every integer up to here is a double
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def kind_of(arrow_type: Any) -> str:
    """What a column of this type holds: numbers (also booleans, decimals and nothing but nulls), words, or something else."""
    types = pyarrow().types
    if types.is_dictionary(arrow_type) or getattr(types, "is_run_end_encoded", lambda _: False)(arrow_type):
        return kind_of(arrow_type.value_type)
    if any(test(arrow_type) for test in (types.is_integer, types.is_floating, types.is_decimal, types.is_boolean, types.is_null)):
        return NUMBERS
    texts = ("is_string", "is_large_string", "is_string_view")  # the last one is younger than the oldest pyarrow that will do
    return WORDS if any(getattr(types, test, lambda _: False)(arrow_type) for test in texts) else OTHER


def plain(column: Any) -> Any:
    """The same values as one array, without dictionaries and runs; texts as large_string."""
    arrow, compute = pyarrow(), pyarrow(".compute")
    types = arrow.types
    chunks = column.chunks if isinstance(column, arrow.ChunkedArray) else [column]
    if types.is_dictionary(column.type):
        return plain(arrow.chunked_array([chunk.dictionary_decode() for chunk in chunks], column.type.value_type))
    if getattr(types, "is_run_end_encoded", lambda _: False)(column.type):
        return plain(arrow.chunked_array([compute.run_end_decode(chunk) for chunk in chunks], column.type.value_type))
    whole = arrow.chunked_array(chunks, column.type)
    if kind_of(whole.type) == WORDS:
        whole = whole.cast(arrow.large_string())  # one array may have more than 2 GB of them
    return arrow.concat_arrays(whole.chunks) if whole.num_chunks else arrow.array([], whole.type)


def numbers(column: Any) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of a column as float64, each rounded once to the nearest, and where they are missing (NaN there)."""
    arrow = pyarrow()
    array = plain(column)
    types = arrow.types
    missing = np.asarray(array.is_null())
    if types.is_null(array.type):
        return np.full(len(array), np.nan), np.ones(len(array), bool)
    if types.is_decimal(array.type):  # a cast to doubles rounds twice, their texts do not
        array = array.cast(arrow.string()).cast(arrow.float64())
    elif types.is_boolean(array.type):
        array = array.cast(arrow.uint8())
    if missing.any():
        array = array.fill_null(_zero(array.type))
    found = np.asarray(array).astype(np.float64)
    found[missing] = np.nan
    return found, missing


def _zero(arrow_type: Any) -> Any:
    return pyarrow().scalar(np.float16(0) if pyarrow().types.is_float16(arrow_type) else 0, arrow_type)


def inexact_integer(column: Any) -> tuple[int, int]:
    """The first row with an integer that no double is, and the integer; −1 if there is none."""
    array = plain(column)
    if not pyarrow().types.is_integer(array.type) or array.type.bit_width < 64:
        return -1, 0
    values = np.asarray(array.fill_null(_zero(array.type)))
    large = values > _EXACT
    if values.dtype.kind == "i":
        large |= values < -_EXACT
    for i in np.flatnonzero(large):
        if int(float(int(values[i]))) != int(values[i]):
            return int(i), int(values[i])
    return -1, 0


def check_finite(where: str, values: np.ndarray, missing: np.ndarray) -> None:
    """ValueError for NaN and infinities; a missing value is a null."""
    wrong = np.flatnonzero(~np.isfinite(values) & ~missing)
    if len(wrong):
        raise ValueError(f"{where}, row {wrong[0] + 1}: {values[wrong[0]]} is not a finite number; expected one, or a null where "
                         "the value is missing")


def reads_as_number(text: str) -> bool:
    """Whether this text is a number to the tool."""
    return _NUMBER.fullmatch(text) is not None


def sorted_words(words: list[str]) -> list[str]:
    """In the order of the tool: by value if all are numbers, else by bytes."""
    if all(reads_as_number(word) for word in words):
        return sorted(words, key=lambda word: (float(word), word.encode()))
    return sorted(words, key=str.encode)


def refused(where: str, arrow_type: Any, more: str = "numbers, booleans or words") -> ValueError:
    """The error for a column that holds something else."""
    return ValueError(f"{where} has the type {quoted(arrow_type)}; expected {more}: make numbers or words of it, or leave it out "
                      "(`ignore`)")
