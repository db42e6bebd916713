# SPDX-License-Identifier: Apache-2.0
"""Names of classes: what the model file holds are texts, what y holds may be numbers."""
from __future__ import annotations

from typing import Optional, Sequence

import numpy as np

from .._arguments import plain_text

_KINDS = {"b": "bool", "i": "int", "u": "int", "f": "float"}


def class_names(classes: np.ndarray) -> list[str]:
    """Texts that the tool would read from a file of the same labels: 1.0 is "1"."""
    kind = _KINDS.get(classes.dtype.kind)
    if kind == "float":
        names = [str(int(entry)) if float(entry).is_integer() else repr(float(entry)) for entry in classes]
    else:
        names = [str(entry) for entry in classes.tolist()]
    if len(set(names)) < len(names):
        raise ValueError(f"the classes {classes!r} do not have different names")
    return [plain_text("a class", name) for name in names]


def class_kind(classes: np.ndarray) -> str:
    """bool, int, float or str."""
    return _KINDS.get(classes.dtype.kind, "str")


def classes_of(names: Sequence[str], kind: str) -> np.ndarray:
    """The inverse of both; where no kind is known, whole numbers are numbers."""
    if not kind:
        kind = "int" if _whole_numbers(names) is not None else "str"
    if kind == "bool":
        return np.array([name == "True" for name in names])
    if kind == "str":
        return np.array(names)
    whole = _whole_numbers(names) if kind == "int" else None
    if whole is not None:
        return whole
    return np.array([float(name) for name in names]).astype(np.int64 if kind == "int" else np.float64)


def _whole_numbers(names: Sequence[str]) -> Optional[np.ndarray]:
    """The integers that these are the texts of, exactly: int64, or uint64 where they need it; None if there are none."""
    try:
        numbers = [int(name) for name in names]
    except ValueError:
        return None
    if [str(number) for number in numbers] != list(names):
        return None
    for kind in (np.int64, np.uint64):
        if all(np.iinfo(kind).min <= number <= np.iinfo(kind).max for number in numbers):
            return np.array(numbers, dtype=kind)
    return None
