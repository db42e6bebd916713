# SPDX-License-Identifier: Apache-2.0
"""What the classes of one's own, an Ω or a set of structures, have in common: methods whose results are checked."""
from __future__ import annotations

import copyreg
import math
from typing import Any, Tuple

import numpy as np


class Methods:
    """What the user's methods return, checked: messages name the class and the method."""

    def _has(self, method: str) -> bool:
        return getattr(type(self), method, None) is not None

    def _number(self, method: str, result: Any) -> float:
        if getattr(getattr(result, "dtype", None), "kind", "") == "c":  # of which float() takes the real part
            raise TypeError(f"{type(self).__name__}.{method} returned the complex number {result}; expected a real one")
        try:
            number = float(result)
        except (TypeError, ValueError) as error:
            raise TypeError(f"{type(self).__name__}.{method} returned {result!r}; expected a number") from error
        if math.isnan(number):
            raise ValueError(f"{type(self).__name__}.{method} returned nan")
        return number

    def _array(self, method: str, result: Any, shape: Tuple[int, ...]) -> np.ndarray:
        """The result as a contiguous array of finite numbers, in the shape that is expected or flat."""
        name = f"{type(self).__name__}.{method}"
        try:
            given = np.asarray(result)
            array = given if given.dtype.kind == "c" else np.ascontiguousarray(given, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise TypeError(f"{name} returned {result!r}; expected an array of numbers") from error
        if array.dtype.kind == "c":
            raise TypeError(f"{name} returned complex numbers; expected real ones")
        if array.shape != shape and array.shape != (math.prod(shape),):
            raise ValueError(f"{name} returned an array of shape {np.shape(result)}; expected {shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"{name} returned {array[~np.isfinite(array)][0]}; expected finite numbers")
        return array

    def _full(self) -> Any:
        return self  # it has no text, and is equal to itself alone

    __setattr__ = object.__setattr__  # a class of the user has whatever attributes it likes

    def __reduce__(self) -> Any:
        return copyreg.__newobj__, (type(self),), self.__dict__ or None  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        parameters = ", ".join(f"{key}={value!r}" for key, value in self.__dict__.items() if not key.startswith("_"))
        return f"{type(self).__name__}({parameters})"

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__
