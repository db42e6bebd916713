# SPDX-License-Identifier: Apache-2.0
"""What every regularizer and polytope is in Python: a name, parameters, and the C++ object behind them."""
from __future__ import annotations

import json
import math
from functools import lru_cache
from typing import Any, Optional, Union

from . import _core


def _plain(value: Any) -> Any:
    """A parameter as JSON has it: numbers, lists, nested specs; ±inf as words."""
    if isinstance(value, Spec):
        return value.spec
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    return value


class Spec:
    """A name and its parameters, in the notation that the tool and model files use."""

    def __init__(self, name: str, **parameters: Any):
        self._spec = {"name": name, **{key: _plain(value) for key, value in parameters.items() if value is not None}}

    @property
    def spec(self) -> dict:
        """The name and all parameters, ready for JSON."""
        return dict(self._spec)

    def __repr__(self) -> str:
        unnamed = type(self).__module__ == __name__  # made from a text: no class of its own says what it is
        parameters = ", ".join(f"{key}={value!r}" for key, value in self._spec.items() if unnamed or key != "name")
        return f"{type(self).__name__}({parameters})"

    def __copy__(self) -> "Spec":
        return self  # nothing in it changes

    def __deepcopy__(self, memo: dict) -> "Spec":
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spec) and self._spec == other._spec

    def __hash__(self) -> int:
        return hash(json.dumps(self._spec, sort_keys=True))

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self._spec:
            return self._spec[name]
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")


class Regularizer(Spec):
    """A regularizer Ω. Any of them takes `temperature` (tΩ), `constant` (Ω + c) and `cost` (Ω − ⟨c, ·⟩)."""

    def __init__(self, name: str, *, temperature: Optional[float] = None, constant: Optional[float] = None,
                 cost: Any = None, **parameters: Any):
        super().__init__(name, **parameters, temperature=temperature, constant=constant, cost=cost)
        self._core = _core.Omega(json.dumps(self._spec))

    @classmethod
    def from_spec(cls, spec: Union[str, dict]) -> "Regularizer":
        """Ω from its text, such as "tsallis:alpha=1.5" or "sparsemax", or from a dictionary."""
        text = spec if isinstance(spec, str) else json.dumps(_plain_dict(spec))
        omega = Regularizer.__new__(Regularizer)
        omega._core = _core.Omega(text)
        omega._spec = json.loads(omega._core.spec)
        return omega

    @property
    def domain(self) -> str:
        """simplex, cube, cone, reals or polytope."""
        return self._core.domain

    @property
    def dimension(self) -> Optional[int]:
        """The size that scores must have; None if any will do."""
        return self._core.dimension

    @property
    def strong_convexity(self) -> Optional[float]:
        """Ω is strongly convex with this constant; None if it is not, or the constant is not known."""
        return self._core.strong_convexity

    def __reduce__(self):
        return Regularizer.from_spec, (self._spec,)


def _plain_dict(spec: dict) -> dict:
    return {key: _plain_dict(value) if isinstance(value, dict) else _plain(value) for key, value in spec.items()}


class Polytope(Spec):
    """A set of structures Y, whose convex hull is the domain of an Ω."""

    def __reduce__(self):
        return _polytope, (self._spec,)


def _polytope(spec: dict) -> Polytope:
    made = Polytope.__new__(Polytope)
    made._spec = spec
    return made


@lru_cache(maxsize=256)
def _named(text: str) -> _core.Omega:
    return _core.Omega(text)


def core_of(omega: Union[Regularizer, str, dict]) -> _core.Omega:
    """The C++ object of an Ω given as an object, a text or a dictionary."""
    if isinstance(omega, Regularizer):
        return omega._core
    if isinstance(omega, str):
        return _named(omega)
    if isinstance(omega, dict):
        return _named(json.dumps(_plain_dict(omega)))
    raise TypeError(f"omega is {omega!r}; expected a Regularizer, a name such as 'tsallis:alpha=1.5', or a dictionary")
