# SPDX-License-Identifier: Apache-2.0
"""What has to hold of every call: no other exceptions than documented, inputs as they were, the results of plain copies."""
from __future__ import annotations

import warnings
from typing import Any, Callable

import numpy as np

from .arrays import Form

EXCEPTIONS = (ValueError, TypeError, NotImplementedError)  # a function may have more in its attribute `documented`
_CLOSE = 1e-9  # of sums in another order
_CLOSE_SINGLE, _CLOSE_HALF = 1e-3, 3e-2  # for scores of up to a hundred
_LARGEST_SINGLE = 1e30  # beyond, single precision may have no number
_MODERATE = 100.0  # scores within this have finite results


class Finding(AssertionError):
    """Something that must not be."""


def given(arguments: Any) -> Any:
    """Arguments as the caller gives them."""
    if isinstance(arguments, Form):
        return arguments.given
    if isinstance(arguments, dict):
        return {name: given(value) for name, value in arguments.items()}
    return [given(value) for value in arguments] if isinstance(arguments, list) else arguments


def plain(arguments: Any) -> Any:
    """The same with plain copies of arrays, and without `out`."""
    if isinstance(arguments, Form):
        return arguments.copied()
    if isinstance(arguments, dict):
        return {name: plain(value) for name, value in arguments.items() if name != "out"}
    return [plain(value) for value in arguments] if isinstance(arguments, list) else arguments


def described(name: str, arguments: dict) -> str:
    """A call as a text."""
    def text(value: Any) -> str:
        if isinstance(value, Form):
            return value.text
        if isinstance(value, list):
            return f"[{', '.join(map(text, value))}]"
        if isinstance(value, np.ndarray):
            return f"{value.dtype} {value.shape} strides {value.strides} {value.tolist()}"
        return repr(value)

    return f"{name}({', '.join(f'{key}={text(value)}' for key, value in arguments.items())})"


def outcome(function: Callable, arguments: dict) -> Any:
    """The result of a call, or its exception if that is one of those that may be."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(**arguments)
    except (*EXCEPTIONS, *getattr(function, "documented", ())) as error:
        if not str(error):
            raise Finding(f"{type(error).__name__} without a message") from error
        return error
    except Exception as error:
        raise Finding(f"{type(error).__name__}: {error}") from error


def numbers_of(result: Any) -> list[np.ndarray]:
    """The arrays of real numbers in a result."""
    if isinstance(result, (tuple, list)):
        return [array for one in result for array in numbers_of(one)]
    if hasattr(result, "toarray"):
        result = result.toarray()
    elif hasattr(result, "detach"):
        result = result.detach().double().numpy()
    array = np.asarray(result) if isinstance(result, (np.ndarray, np.number, float, int)) else None
    return [array] if array is not None and array.dtype.kind in "iuf" else []


def _same(found: Any, expected: Any, tolerance: float) -> None:
    many, right = numbers_of(found), numbers_of(expected)
    if [one.shape for one in many] != [one.shape for one in right]:
        raise Finding(f"shapes {[one.shape for one in many]}; those of plain copies are {[one.shape for one in right]}")
    for one, other in zip(many, right):
        scale = np.abs(other, where=np.isfinite(other), out=np.zeros(other.shape)).max(initial=1.0)
        if not np.allclose(one.astype(np.float64), other.astype(np.float64), rtol=tolerance, atol=tolerance * scale,
                           equal_nan=True):
            raise Finding(f"{one.tolist()}; of plain copies {other.tolist()}")


def check(function: Callable, arguments: dict, array_forms: list[Form], continuous: bool = True) -> bool:
    """Calls a function and raises Finding unless all is as it has to be. Returns whether it had a result."""
    out = arguments.get("out")
    before = [one.content() for one in array_forms]
    found = outcome(function, given(arguments))
    for one, content in zip(array_forms, before):
        if (out is None or not np.may_share_memory(out, one.given)) and one.content() != content:
            raise Finding("an input was changed")
    if isinstance(found, Exception):
        _check_refusal(function, arguments, array_forms, found)
        return False
    if any(one.abstract for one in array_forms):
        return True  # shapes alone are computed, and no memory is read
    if any(one.refused for one in array_forms):
        raise Finding("an array that holds no real numbers was accepted")
    if out is not None and found is not out:
        raise Finding("the result is not out")
    expected = outcome(function, plain(arguments))
    if isinstance(expected, ValueError) and any("torch.float16" in one.text for one in array_forms):
        if any(np.isnan(one).any() for one in numbers_of(found)):
            return True  # scores that overflowed propagate, for gradient scaling
    if isinstance(expected, Exception):
        raise Finding(f"a result; plain copies give {type(expected).__name__}: {expected}")
    sizes = [np.abs(one.copied(np.ndarray)).max(initial=0.0) for one in array_forms]
    largest = float(max(sizes, default=0.0)) if np.isfinite(sizes).all() else np.inf
    single = any(one.single for one in array_forms) or (out is not None and out.dtype != np.float64)
    if out is not None and out.dtype.kind != "f":
        return True
    if not single:
        _same(found, expected, _CLOSE)
    elif continuous and largest <= _MODERATE:
        half = any("float16" in one.text for one in array_forms) or (out is not None and out.dtype == np.float16)
        if all(np.abs(one).max(initial=0.0) < _LARGEST_SINGLE for one in numbers_of(expected)):
            _same(found, expected, _CLOSE_HALF if half else _CLOSE_SINGLE)
    wrong = np.isnan if getattr(function, "infinite", False) else lambda one: ~np.isfinite(one)
    if largest <= _MODERATE and any(wrong(one).any() for one in numbers_of(expected)):
        raise Finding(f"a result that is not finite: {numbers_of(expected)}")
    return True


def _check_refusal(function: Callable, arguments: dict, array_forms: list[Form], error: Exception) -> None:
    """What is refused in one form is refused in the plain one, unless the form itself, or `out`, is the reason."""
    if any(one.refused or one.single or one.abstract for one in array_forms) or arguments.get("out") is not None:
        return
    expected = outcome(function, plain(arguments))
    if not isinstance(expected, Exception):
        raise Finding(f"{type(error).__name__}: {error}; plain copies give a result")
