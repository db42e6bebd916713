# SPDX-License-Identifier: Apache-2.0
"""How a model of the tool made features of the columns of its training data: its names for values, its missing values."""
from __future__ import annotations

import dataclasses
import json
import os
import struct
from typing import Any, Optional

import numpy as np

from ..tables.arrow_files import listed, quoted
from ..tables.columns import reads_as_number
from ._frames import Frame, by_name


@dataclasses.dataclass(frozen=True)
class _Known:
    """A column of the training data."""

    name: str
    first: int  # of its features
    words: Optional[tuple[str, ...]] = None
    one_hot: bool = False

    @property
    def width(self) -> int:
        return len(self.words) if self.words is not None and self.one_hot else 1


@dataclasses.dataclass(frozen=True)
class Coding:
    """Columns, in order, and what stands for missing values: a number per feature, or nothing."""

    columns: tuple[_Known, ...]
    fill: Optional[np.ndarray]
    target: str

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing to do but to take columns by name."""
        return self.fill is None and all(column.words is None for column in self.columns)

    def is_done(self, frame: Frame) -> bool:
        """Whether a frame has features (`colour=red`) already, where the model would make them of a column (`colour`)."""
        there = set(frame.names)
        spread = [column for column in self.columns if column.words is not None and column.one_hot]
        return bool(spread) and all(column.name not in there and f"{column.name}={word}" in there
                                    for column in spread for word in column.words or ())

    def matrix(self, frame: Frame) -> np.ndarray:
        """The features of a frame, as the tool makes them of the same columns."""
        frame = by_name(frame, self.names, (self.target,))
        X = np.zeros((len(frame.table), sum(column.width for column in self.columns)))
        for place, column in enumerate(self.columns):
            if column.words is None:
                if problem := frame.problem(place):
                    raise ValueError(f"column {quoted(column.name)} of X {problem}; expected numbers, as in training")
                X[:, column.first] = self._filled(frame.values(place), column)
                continue
            codes = self._filled(_codes(frame.cells(place), column), column)
            if np.isnan(codes).any():
                raise ValueError(f"column {quoted(column.name)} of X has no value in row {np.isnan(codes).argmax()} (from 0); "
                                 "expected one, as training kept nothing to put in its place")
            if column.one_hot:
                X[np.arange(len(X)), column.first + codes.astype(int)] = 1
            else:
                X[:, column.first] = codes
        return X

    def _filled(self, values: np.ndarray, column: _Known) -> np.ndarray:
        missing = np.isnan(values)
        if self.fill is None or not missing.any():
            return values
        own = self.fill[column.first:column.first + column.width]
        return np.where(missing, own.argmax() if column.one_hot else own[0], values)


def _codes(cells: list, column: _Known) -> np.ndarray:
    """The number of each value; NaN where it is missing."""
    known: dict[Any, float] = {word: k for k, word in enumerate(column.words or ())}
    codes = np.full(len(cells), np.nan)
    for i, cell in enumerate(cells):
        if cell is None:
            continue
        texts = (cell,) if isinstance(cell, str) else _texts(cell)
        found = next((text for text in texts if text in known), None)
        if found is None and texts[0] in ("", "?", "NA"):  # which are missing to the tool
            continue
        if found is None:
            raise ValueError(f"column {quoted(column.name)} of X has {quoted(cell)} in row {i} (from 0); expected one of "
                             f"{listed(column.words or ())}, as in training")
        codes[i] = known[found]
    return codes


def _texts(cell: Any) -> tuple[str, ...]:
    """How a file may have written a value that is no text."""
    if isinstance(cell, (bool, np.bool_)):
        return (str(bool(cell)), str(bool(cell)).lower(), str(bool(cell)).upper(), str(int(cell)))
    if isinstance(cell, (float, np.floating)) and float(cell).is_integer():
        return (str(int(cell)), repr(float(cell)))
    return (str(cell),)


def coding_of(path: Any, features: list[str]) -> Optional[Coding]:
    """That of a model file, which C++ has read without finding anything wrong; None where columns have no names."""
    if not features:
        return None
    with open(os.fsdecode(path), "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
        fill = _tensor(file, size, header.get("fill"))
        packed = _tensor(file, size, header.get("nominal.columns"))
    texts = iter(json.loads(header["__metadata__"].get("nominal", "[]")))
    nominal = {}
    for first, count, one_hot in np.reshape(packed if packed is not None else (), (-1, 3)).astype(int).tolist():
        name = next(texts)
        nominal[first] = _Known(name, first, tuple(next(texts) for _ in range(count)), bool(one_hot))
    columns, first = [], 0
    while first < len(features):
        columns.append(nominal.get(first) or _Known(features[first], first))
        first += columns[-1].width
    if all(reads_as_number(column.name) for column in columns):
        return None  # the numbers of columns without names: they go by position
    return Coding(tuple(columns), fill, header["__metadata__"].get("target", ""))


def _tensor(file: Any, size: int, entry: Any) -> Optional[np.ndarray]:
    if entry is None:
        return None
    begin, end = entry["data_offsets"]
    file.seek(8 + size + begin)
    return np.frombuffer(file.read(end - begin), dtype={"F64": "<f8", "I64": "<i8"}[entry["dtype"]])
