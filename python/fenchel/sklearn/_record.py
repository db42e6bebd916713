# SPDX-License-Identifier: Apache-2.0
"""The parameters of an estimator, and how its fit went, as a text that its model carries."""
from __future__ import annotations

import json
from typing import Any

import numpy as np

from .._base import Polytope, Regularizer, polytope_of

RECORD = "estimator"  # in the provenance of a model
FEATURE_NAMES = "feature_names"  # among the results, where the model itself has none

_OMEGA, _POLYTOPE = "omega", "polytope"  # {"omega": spec}: an object and not the dictionary of its parameters
_PAIRS = "pairs"  # {"pairs": [[key, value], …]}: keys of JSON would be texts


def record_of(parameters: dict, results: dict) -> str:
    """Both as JSON; parameters that JSON has no word for, such as a generator of random numbers, are left out."""
    kept = {}
    for name, value in parameters.items():
        try:
            kept[name] = json.loads(json.dumps(_plain(value), default=_number))
        except (TypeError, ValueError):
            continue
    return json.dumps({"parameters": kept, "results": results}, default=_number)


def read_record(text: str) -> tuple[dict, dict]:
    """The inverse: parameters and results. Raises ValueError for anything else."""
    try:
        record = json.loads(text)
        return {name: _object(value) for name, value in record["parameters"].items()}, dict(record["results"])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{RECORD} is not a record of an estimator: {error}") from None


def _plain(value: Any) -> Any:
    if isinstance(value, Regularizer):
        return {_OMEGA: value.spec}
    if isinstance(value, Polytope):
        return {_POLYTOPE: value.spec}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {_PAIRS: [[key, _plain(entry)] for key, entry in value.items()]}
    return value


def _object(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if _OMEGA in value:
        return Regularizer.from_spec(value[_OMEGA])
    if _POLYTOPE in value:
        return polytope_of(value[_POLYTOPE])
    return {key: _object(entry) for key, entry in value[_PAIRS]}


def _number(value: Any) -> Any:
    """A number of NumPy as one of Python."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} has no place in JSON")
