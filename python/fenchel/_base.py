# SPDX-License-Identifier: Apache-2.0
"""What every regularizer and polytope is in Python: a name, parameters, and the C++ object behind them."""
from __future__ import annotations

import json
import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Optional, Tuple, Union

import numpy as np

from . import _core
from .structures import decode, encode

if TYPE_CHECKING:
    from .distribution import Distribution


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
        parameters = ", ".join(f"{key}={value!r}" for key, value in self._spec.items() if key != "name")
        return f"{type(self).__name__}({parameters})"

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
        self._text = json.dumps(self._spec)
        self._core = _core.Omega(self._text)

    @classmethod
    def from_spec(cls, spec: Union[str, dict]) -> "Regularizer":
        """Ω from its text, such as "tsallis:alpha=1.5" or "sparsemax", or from a dictionary."""
        text = spec if isinstance(spec, str) else json.dumps(_plain_dict(spec))
        omega = Regularizer.__new__(Regularizer)
        omega._core = _core.Omega(text)
        omega._text = omega._core.spec
        omega._spec = json.loads(omega._text)
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

    @property
    def core(self) -> _core.Polytope:
        """The C++ object behind the set; made, and its parameters checked, when it is first asked for."""
        if "_set" not in self.__dict__:
            self._set = _core.Polytope(json.dumps(self._spec))
        return self._set

    @property
    def dimension(self) -> int:
        """How many scores a structure has."""
        return self.core.dimension

    @property
    def shape(self) -> Tuple[int, ...]:
        """The natural shape of scores and structures, such as (n, n) for the arcs of trees."""
        return self.core.shape

    def decode(self, y: Any) -> Any:
        """Structures, vectors of the natural shape or flat, in short form; leading axes are a batch.

        Tags of sequences, heads of trees (−1: the root), the column of each row of a matching, ranks (0: the largest
        weight), the entries that are 1 of subsets, and for alignments the cells of the path, [length, 2].
        """
        return decode(self.core, y)

    def encode(self, labels: Any) -> np.ndarray:
        """The vector of natural shape of each structure in short form: the inverse of `decode`."""
        return encode(self.core, labels)

    def distribution(self, theta: Any, lengths: Any = None, *, n_threads: int = 1) -> "Distribution":
        """p(y) ∝ exp⟨θ, y⟩ over the structures: see Distribution."""
        from .distribution import Distribution

        return Distribution(self, theta, lengths, n_threads=n_threads)

    def __reduce__(self) -> Any:
        return polytope_of, (self._spec,)


def polytope_of(spec: Union[Polytope, str, dict]) -> Polytope:
    """A polytope from its text, such as "sequence:n=5,m=3", or from a dictionary."""
    if isinstance(spec, Polytope):
        return spec
    if not isinstance(spec, (str, dict)):
        raise TypeError(f"polytope is {spec!r}; expected a Polytope, a text such as 'arborescence:n=5', or a dictionary")
    core = _core.Polytope(spec if isinstance(spec, str) else json.dumps(_plain_dict(spec)))
    classes = {made.__name__.lower(): made for made in Polytope.__subclasses__()}
    made = Polytope.__new__(classes.get(core.name.replace("_", ""), Polytope))
    made._spec, made._set = json.loads(core.spec), core
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
