# SPDX-License-Identifier: Apache-2.0
"""What is in a model file: its metadata and its arrays (docs/models.md, "Files").

The C++ core reads the file first and refuses what is damaged, so that nothing has to be checked again here.
"""
from __future__ import annotations

import json
import os
from typing import NamedTuple, Union

import numpy as np

from .. import _core

_TYPES = {"F64": np.float64, "I64": np.int64, "I32": np.int32, "U8": np.uint8, "F32": np.float32}


class ModelArrays(NamedTuple):
    """A model file."""

    metadata: dict[str, str]
    arrays: dict[str, np.ndarray]

    def strings(self, name: str) -> list[str]:
        """A list of strings: JSON, or bytes where one of them is not UTF-8 (such bytes become lone surrogates)."""
        if f"{name}.ends" in self.arrays:
            return _cut(self.arrays[f"{name}.bytes"], [0, *self.arrays[f"{name}.ends"].tolist()])
        if f"{name}.offsets" in self.arrays:
            return _cut(self.arrays[f"{name}.bytes"], self.arrays[f"{name}.offsets"].tolist())
        return json.loads(self.metadata.get(name, "[]"))

    @property
    def temperature(self) -> float:
        return float(self.metadata["temperature"])

    def sparse(self, name: str, columns: int) -> np.ndarray:
        """A sparse matrix as a dense one."""
        offsets, indices = self.arrays[f"{name}.offsets"], self.arrays[f"{name}.indices"]
        dense = np.zeros((len(offsets) - 1, columns))
        dense[np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)), indices] = self.arrays[f"{name}.values"]
        return dense


def _cut(data: np.ndarray, ends: list[int]) -> list[str]:
    whole = data.tobytes()
    return [whole[begin:end].decode("utf-8", "surrogateescape") for begin, end in zip(ends, ends[1:])]


def read_model(path: Union[str, os.PathLike[str]]) -> ModelArrays:
    """Reads a model file. Raises ValueError if it is none, OSError if it cannot be read."""
    name = os.fspath(path)
    with open(name, "rb") as file:
        data = file.read()
    try:
        _core.Model.load(name)
    except RuntimeError as error:
        raise ValueError(str(error)) from None
    begin = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:begin])
    metadata = header.pop("__metadata__")
    arrays = {}
    for key, entry in header.items():
        first, last = (begin + place for place in entry["data_offsets"])
        arrays[key] = np.frombuffer(data[first:last], _TYPES[entry["dtype"]]).reshape(entry["shape"])
    return ModelArrays(metadata, arrays)
