# SPDX-License-Identifier: Apache-2.0
"""Names of classes: what the model file holds are texts, what y holds may be numbers."""
from __future__ import annotations

from typing import Sequence

import numpy as np

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
    return names


def class_kind(classes: np.ndarray) -> str:
    """bool, int, float or str."""
    return _KINDS.get(classes.dtype.kind, "str")


def classes_of(names: Sequence[str], kind: str) -> np.ndarray:
    """The inverse of both; where no kind is known, whole numbers are numbers."""
    if not kind:
        kind = "int" if all(name.lstrip("-").isdigit() and str(int(name)) == name for name in names) else "str"
    if kind == "bool":
        return np.array([name == "True" for name in names])
    if kind == "str":
        return np.array(names)
    return np.array([float(name) for name in names]).astype(np.int64 if kind == "int" else np.float64)
