# SPDX-License-Identifier: Apache-2.0
"""Arguments that C++ takes as they are, numbers and texts: wrong ones are refused here, by their names."""
from __future__ import annotations

import math
import operator
from typing import Any

__all__ = ["LARGEST_INT", "LARGEST_INT64", "number_of", "plain_text", "shown", "thread_count", "whole_axis", "whole_number"]

LARGEST_INT = 2**31 - 1
LARGEST_INT64 = 2**63 - 1
_LONGEST = 100  # characters of a value in a message


def shown(value: Any) -> str:
    """A value as a message has it: in one line, and not a long one."""
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST else text[:_LONGEST - 1] + "…"


def number_of(name: str, value: Any, least: float = -math.inf, *, above: bool = False, finite: bool = True,
              expected: str = "") -> float:
    """A real number >= least, or > least with `above`; never NaN, and infinite only if `finite` is false."""
    if type(value) is not float and type(value) is not int:  # all but the numbers that most calls have
        expected = expected or _bounds(least, above, finite)
        kind = getattr(getattr(value, "dtype", None), "kind", "")
        if isinstance(value, (str, bytes, bool)) or getattr(value, "ndim", False) or kind in ("b", "c"):
            raise TypeError(f"{name} is {shown(value)}; expected {expected}")
        try:
            value = float(value)
        except (TypeError, ValueError, OverflowError, RuntimeError):
            raise TypeError(f"{name} is {shown(value)}; expected {expected}") from None
    if not (value > least if above else value >= least) or (finite and value in (math.inf, -math.inf)):
        raise ValueError(f"{name} is {shown(value)}; expected {expected or _bounds(least, above, finite)}")
    try:
        return float(value)
    except OverflowError:  # a whole number that no float can hold
        raise ValueError(f"{name} is {shown(value)}; expected {expected or _bounds(least, above, finite)}") from None


def _bounds(least: float, above: bool, finite: bool) -> str:
    bound = "" if least == -math.inf else f" {'>' if above else '>='} {least:g}"
    return f"a {'finite ' if finite else ''}number{bound}"


def whole_axis(axis: Any) -> int:
    """The number of an axis; whether an array has it is asked later."""
    if type(axis) is int:
        return axis
    try:
        return operator.index(axis)
    except TypeError:
        raise TypeError(f"axis is {shown(axis)}; expected a whole number") from None


def whole_number(name: str, value: Any, least: int, most: int) -> int:
    """A whole number within bounds."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {shown(value)}; expected a whole number") from None
    if number < least:
        raise ValueError(f"{name} is {number}; expected a whole number >= {least}")
    if number > most:
        raise ValueError(f"{name} is {number}; expected a whole number <= {most}")
    return number


def thread_count(n_threads: Any) -> int:
    """The number of threads of a call; 0 and below are all processors."""
    if type(n_threads) is int and 0 <= n_threads <= LARGEST_INT:  # the short way, for calls on little
        return n_threads
    return whole_number("n_threads", n_threads, -LARGEST_INT, LARGEST_INT)


def plain_text(name: str, text: str) -> str:
    """A text that has a form in UTF-8, as C++ reads it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name} is {text!r}; expected a text without lone surrogates") from None
    return text
