# SPDX-License-Identifier: Apache-2.0
"""Methods that an estimator has or lacks, as its parameters say; one that it lacks says why."""
from __future__ import annotations

import functools
import types
from typing import Any, Callable

from .._arguments import shown

Method = Callable[..., Any]


class _Available:
    """As scikit-learn's available_if, whose AttributeError hides the reason behind "has no attribute"."""

    def __init__(self, method: Method, why_not: Callable[[Any, str], str]):
        self._method, self._why_not = method, why_not
        functools.update_wrapper(self, method)  # type: ignore[arg-type]

    def __get__(self, estimator: Any, owner: Any = None) -> Method:
        if estimator is None:
            return self._method
        reason = self._why_not(estimator, self._method.__name__)
        if reason:
            raise AttributeError(reason)
        return types.MethodType(self._method, estimator)


def available_unless(why_not: Callable[[Any, str], str]) -> Callable[[Method], Any]:
    """A method that is there unless `why_not(estimator, its name)` gives a reason."""
    return lambda method: _Available(method, why_not)


def has_kernel(estimator: Any, method: str) -> str:
    """Why a model of kernels lacks a method of linear ones."""
    if estimator.kernel is None:
        return ""
    return (f"{type(estimator).__name__} has no {method} with kernel={shown(estimator.kernel)}, which has no weights of "
            "features; it is there with kernel=None")


def lacks_probabilities(estimator: Any, method: str) -> str:
    """Why an estimator whose Ω gives no probabilities has no predict_proba."""
    if estimator._gives_probabilities():
        return ""
    return (f"{type(estimator).__name__} has no {method} with omega={shown(estimator.omega)}, whose predictions are no "
            f"probabilities; expected {estimator._probable}; decision_function and predict work with any omega")
