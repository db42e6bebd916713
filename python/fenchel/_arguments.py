# SPDX-License-Identifier: Apache-2.0
"""Arguments that C++ takes as they are, whole numbers and texts: wrong ones are refused here, by their names."""
from __future__ import annotations

import operator
from typing import Any

__all__ = ["LARGEST_INT", "LARGEST_INT64", "plain_text", "thread_count", "whole_number"]

LARGEST_INT = 2**31 - 1
LARGEST_INT64 = 2**63 - 1


def whole_number(name: str, value: Any, least: int, most: int) -> int:
    """A whole number within bounds."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; expected a whole number") from None
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
