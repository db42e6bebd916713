# SPDX-License-Identifier: Apache-2.0
"""Ω as the text that the registered operators take, and what the backward passes know about it."""
from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Dict, NamedTuple, Optional

import numpy as np

from .. import _core
from .._base import Regularizer, core_of

# ŷ_Ω is piecewise linear in θ: its Jacobian does not change, where it is defined.
_PIECEWISE_LINEAR = frozenset({"squared", "argmax", "relu", "sparse_sigmoid", "pairwise_hinge", "map", "sparsemap",
                               "structured_sparsemax", "conic"})


class Known(NamedTuple):
    """An Ω behind its text."""

    core: Any
    name: str
    parameters: dict
    temperature: float
    order: Optional[float]  # α, where ŷ_Ω is α-entmax of the scores
    orders: np.ndarray  # the same as the kernels take it
    piecewise_linear: bool


# Ω that are written in Python, or are over such a set, by the texts that they get here. They stay until the end:
# operators and saved graphs know them by their texts alone.
_own: Dict[str, Regularizer] = {}


def known(text: str) -> Known:
    """The C++ object of a text and its facts."""
    if text in _own:
        return Known(_own[text]._core, type(_own[text]).__name__, {}, 1.0, None, np.ones(1), False)
    return _kept(text)


def _own_text(omega: Regularizer) -> str:
    text = f"written in Python: {type(omega).__name__} {id(omega)}"
    _own[text] = omega
    return text


@lru_cache(maxsize=1024)
def _kept(text: str) -> Known:
    core = _core.Omega(text)
    spec = json.loads(core.spec)
    name = spec["name"]
    order: Optional[float] = None
    if name == "shannon":
        order = 1.0
    elif name == "tsallis":
        order = float(spec["alpha"])
    flat = name in _PIECEWISE_LINEAR or (name == "norm" and float(spec["q"]) == float("inf"))
    orders = np.array([order if order is not None else 1.0])
    return Known(core, name, spec, float(spec.get("temperature", 1.0)), order, orders, flat)


def text_of(omega: Any) -> str:
    """The text of an Ω given as a Regularizer, a text or a dictionary."""
    if isinstance(omega, str):
        return omega
    if isinstance(omega, Regularizer):
        return omega.__dict__["_text"] if "_text" in omega.__dict__ else _own_text(omega)
    return core_of(omega).spec
