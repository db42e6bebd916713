# SPDX-License-Identifier: Apache-2.0
"""Ω as the text that the registered operators take, and what the backward passes know about it."""
from __future__ import annotations

import itertools
import json
from functools import lru_cache
from typing import Any, NamedTuple, Optional, Tuple
from weakref import WeakValueDictionary

import numpy as np
import torch

from .. import _core
from .._base import Polytope, Regularizer, _terms_of, core_of, resolved
from ..regularizers import SparseMap

# An Ω that is written in Python has no text; a number stands for it as long as the object lives.
_PYTHON = "python:"
_MOST_SHOWN = 16  # numbers of a tensor in what a module shows
_own: WeakValueDictionary[str, Regularizer] = WeakValueDictionary()
_numbers = itertools.count()


class Known(NamedTuple):
    """An Ω behind its text."""

    core: Any
    loss: Any  # without costs, which are added to the scores
    name: str
    parameters: dict
    temperature: float
    order: Optional[float]  # α, where ŷ_Ω is α-entmax of the scores
    orders: np.ndarray  # the same as the kernels take it
    piecewise_linear: bool
    shape: tuple[int, ...]  # the natural shape of structures that have several axes, else ()


def known(text: str) -> Known:
    """The C++ object of a text and its facts."""
    return _written_in_python(text) if text.startswith(_PYTHON) else _known(text)


def _written_in_python(text: str) -> Known:
    omega = _own.get(text)
    if omega is None:
        raise RuntimeError("an Ω that is written in Python is gone; keep the object until the backward pass")
    core = omega._core
    return Known(core, _core.Loss(core), type(omega).__name__, {}, 1.0, None, np.ones(1), False, _several_axes(core))


def omega_name(text: str) -> str:
    """The name of an Ω, with that of its set; "" if the text is none."""
    if not text.startswith((_PYTHON, "{")):
        return ""
    facts: dict[str, Any] = json.loads(text) if text.startswith("{") else {"name": known(text).name}
    return f"{facts['name']} over {facts['polytope']['name']}" if "polytope" in facts else str(facts["name"])


def owners(inputs: tuple) -> list[Regularizer]:
    """The Ω written in Python among the arguments of an operator: what keeps them for a backward pass keeps them alive."""
    return [_own[text] for text in inputs if isinstance(text, str) and text.startswith(_PYTHON) and text in _own]


def _several_axes(core: Any) -> tuple[int, ...]:
    shape = core.shape
    return tuple(shape) if shape is not None and len(shape) > 1 else ()


@lru_cache(maxsize=1024)
def _known(text: str) -> Known:
    core = _core.Omega(text)
    spec = json.loads(core.spec)
    order = core.entmax_order
    orders = np.array([order if order is not None else 1.0])
    return Known(core, _core.Loss(core), spec["name"], spec, float(spec.get("temperature", 1.0)), order, orders,
                 core.piecewise_linear, _several_axes(core))


def text_of(omega: Any) -> str:
    """The text of an Ω given as a Regularizer, a text or a dictionary; of the name of a loss that of its Ω."""
    if isinstance(omega, str):
        return _meaning(omega)[0]
    if isinstance(omega, Regularizer):
        text = omega.__dict__.get("_text")
        if text is not None and (not text.startswith(_PYTHON) or _own.get(text) is omega):
            return text
        text = f"{_PYTHON}{next(_numbers)}"
        _own[text] = omega
        omega.__dict__["_text"] = text
        return text
    return core_of(omega).spec


def own_cost(omega: Any) -> Optional[Tuple[float, float]]:
    """The cost of the name of a loss, such as "hinge", as numbers (a, b): c_y = a + b y. None for an Ω."""
    if isinstance(omega, str):
        return _meaning(omega)[1]
    if not isinstance(omega, Regularizer):
        return _terms_of(resolved(omega))
    if "_terms" not in omega.__dict__:
        omega.__dict__["_terms"] = omega._terms
    return omega.__dict__["_terms"]


@lru_cache(maxsize=1024)
def _meaning_of(text: str) -> Tuple[str, Optional[Tuple[float, float]]]:
    if text.startswith(_PYTHON):
        return text, None
    made = resolved(text)
    return made.core.spec, _terms_of(made)


# Tracers cannot look into C++ and JSON; what follows depends on constants alone, and is computed while they trace.
@torch.compiler.assume_constant_result
def _meaning(text: str) -> Tuple[str, Optional[Tuple[float, float]]]:
    """The text of the Ω that a text means, and the cost of a name that has one."""
    return _meaning_of(text)


@torch.compiler.assume_constant_result
def natural_shape(text: str) -> tuple[int, ...]:
    """The natural shape of the structures of an Ω, such as (n, n), if they have several axes; else ()."""
    return known(text).shape


@torch.compiler.assume_constant_result
def on_simplex(text: str) -> bool:
    """Whether the domain of an Ω is the simplex."""
    return known(text).core.domain == "simplex"


@torch.compiler.assume_constant_result
def prediction_is_enough(text: str) -> bool:
    """Whether the Jacobian of ŷ_Ω follows from ŷ."""
    return known(text).order is not None


@torch.compiler.assume_constant_result
def sparsemap_text(polytope: Polytope) -> str:
    """The text of ½‖μ‖² over a set of structures; the Ω lives as long as the set does."""
    omega = polytope.__dict__.get("_sparsemap")
    if omega is None:
        omega = polytope.__dict__["_sparsemap"] = SparseMap(polytope)
    return text_of(omega)


def arguments(**given: Any) -> str:
    """What `extra_repr` says: the arguments of the module, as its constructor takes them."""
    return ", ".join(f"{name}={_of_tensor(value) if isinstance(value, torch.Tensor) else repr(value)}"
                     for name, value in given.items())


def _of_tensor(value: torch.Tensor) -> str:
    """A short tensor as an expression that makes it; of others the shape."""
    if value.device.type != "cpu" or value.numel() > _MOST_SHOWN or value.layout != torch.strided:
        return f"<tensor of shape {tuple(value.shape)}>"
    plain = value.detach()
    digits = np.array([float(str(x)) for x in plain.numpy().ravel()]) if value.dtype == torch.float32 else None
    numbers = plain.tolist() if digits is None else digits.reshape(value.shape).tolist()
    usual = value.dtype in (torch.get_default_dtype(), torch.int64, torch.bool)
    return f"torch.tensor({numbers}" + (")" if usual else f", dtype={value.dtype})")


def module_omega(omega: Any) -> Any:
    """Ω as a module keeps it: an object as it is, since one that is written in Python has no text of its own."""
    return omega if isinstance(omega, (Regularizer, str)) else resolved(omega).text
