# SPDX-License-Identifier: Apache-2.0
"""Arguments as arrays of real numbers: the one place where what a caller gives becomes memory that C++ reads."""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["any_array", "real_array"]


def _check_storage(name: str, value: Any) -> None:
    """A tensor of torch whose storage was cut would become an array beyond its memory."""
    storage = getattr(value, "untyped_storage", None)
    if storage is None or not hasattr(value, "element_size"):
        return
    try:
        last = sum((size - 1) * step for size, step in zip(value.shape, value.stride()))
        needed, held = (value.storage_offset() + last + 1) * value.element_size(), storage().nbytes()
    except (NotImplementedError, RuntimeError, TypeError, ValueError):
        return  # it has no storage, and says so when it is asked for an array
    if value.numel() and held < needed:
        raise ValueError(f"{name} is a tensor with a storage of {held} bytes; expected {needed} or more: its storage was "
                         "resized or freed")


def any_array(name: str, value: Any, expected: str = "an array") -> np.ndarray:
    """What a caller gives as an array of whatever type, without a copy where it is one; else TypeError or ValueError."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array; expected an ordinary one, with −inf where an entry is masked: "
                        f"{name}.filled(-numpy.inf)")
    if isinstance(value, np.ndarray):
        return np.asarray(value) if value.flags.aligned else np.array(value)  # C++ reads numbers where numbers may lie
    _check_storage(name, value)
    try:
        return np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name} has rows of several lengths; expected {expected}") from error
    except (RuntimeError, TypeError) as error:  # such as a tensor that requires a gradient
        raise TypeError(f"{name} is {type(value).__name__}, which is not an array: {error}") from error


def real_array(name: str, value: Any, expected: str = "an array") -> np.ndarray:
    """What a caller gives as an array of real numbers with at least one axis."""
    array = any_array(name, value, expected)
    if array.dtype.kind not in "iubf":
        raise TypeError(f"{name} has dtype {array.dtype}; expected real numbers")
    if array.ndim == 0:
        raise ValueError(f"{name} is a single number; expected at least one axis")
    return array
