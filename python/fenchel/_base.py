# SPDX-License-Identifier: Apache-2.0
"""What every regularizer and polytope is in Python: a name, parameters, and the C++ object behind them."""
from __future__ import annotations

import copy
import json
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from numbers import Rational
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional, Tuple, Type, TypeVar, Union

import numpy as np

from . import _core
from ._arguments import number_of, plain_text, shown
from .structures import decode, encode

if TYPE_CHECKING:
    from ._types import ArrayLike, OmegaLike, PolytopeLike
    from .distribution import Distribution


Made = TypeVar("Made", bound="Spec")
_EXACT = 2**53  # whole numbers up to here are what they say in JSON as C++ reads it


def _plain(name: str, value: Any) -> Any:
    """A parameter as JSON has it: numbers, lists, nested specs; ±inf as words. A set written in Python stays itself."""
    if isinstance(value, Polytope) and value.written_in_python:
        return value
    if isinstance(value, Spec):
        return value.spec
    if hasattr(value, "tolist"):
        value = value.tolist()
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, (Decimal, Rational)):
        value = number_of(name, value, finite=False, expected="a real number")
    if isinstance(value, complex) or (isinstance(value, float) and math.isnan(value)):
        raise ValueError(f"{name} is {value}; expected a real number")
    if isinstance(value, float):
        return value if math.isfinite(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, (list, tuple, range)):
        return [_plain(f"{name}[{i}]", entry) for i, entry in enumerate(value)]
    if isinstance(value, Mapping):
        return _plain_dict(value)
    raise TypeError(f"{name} is {shown(value)}; expected a number, a text, a list of numbers, an Ω or a set of structures")


def _plain_dict(spec: Mapping) -> dict:
    return {key: _plain(str(key), value) for key, value in spec.items()}


def _frozen(value: Any) -> Any:
    """A spec as something that can be hashed: equal ones alike, whether they say 2 or 2.0."""
    if isinstance(value, dict):
        return frozenset((key, _frozen(entry)) for key, entry in value.items())
    return tuple(_frozen(entry) for entry in value) if isinstance(value, list) else value


def _parameter(name: str, value: Any) -> Any:
    return _plain(name, polytope_of(value) if name == "polytope" and isinstance(value, str) else value)


def _with_parameters(name: Any) -> bool:
    """Whether a name is a text that has parameters, such as "tsallis:alpha=1.5"."""
    if not isinstance(name, str):
        raise TypeError(f"name is {shown(name)}; expected a text such as 'tsallis' or 'tsallis:alpha=1.5'")
    return ":" in name


def _check_given(name: str, parameter: str) -> None:
    """None stands for a parameter that is left out, which not every one may be."""
    for entry in _core.regularizers() + _core.polytopes():
        for one in entry["parameters"] if entry["name"] == name else ():
            if one["name"] == parameter and one["required"]:
                raise TypeError(f"{parameter} is None; expected {one['meaning']}")


def _shown(parameter: str, value: Any) -> str:
    """A value of a spec as an expression that makes it, with nested specs as objects."""
    if isinstance(value, dict) and isinstance(value.get("name"), str):
        base: Type[Spec] = Polytope if parameter == "polytope" else Regularizer
        return _call(_class_of(base, value["name"]), value)
    if isinstance(value, list):
        return f"[{', '.join(_shown(parameter, entry) for entry in value)}]"
    return f"float({value!r})" if value in ("inf", "-inf") else repr(value)


def _call(made: Type[Spec], spec: dict) -> str:
    """The call of a class that makes an object of this spec."""
    parameters = [f"{key}={_shown(key, value)}" for key, value in spec.items() if key != "name"]
    if made in (Regularizer, Polytope):  # made from a text
        parameters.insert(0, repr(spec["name"]))
    return f"{made.__name__}({', '.join(parameters)})"


class Spec:
    """A name and its parameters, in the notation that the tool and model files use."""

    def __init__(self, name: str, **parameters: Any):
        if _with_parameters(name):
            given = {key: value for key, value in parameters.items() if value is not None}
            for key in given:
                if re.search(rf"\b{re.escape(key)}\b", name):
                    raise TypeError(f"{key} is given twice: in the text {name!r}, and as {shown(given[key])}")
            parameters = {**self._of_text(name), **given}
            name = parameters.pop("name")
        for key, value in parameters.items():
            if value is None and key not in ("temperature", "constant", "cost"):
                _check_given(name, key)
        self._spec = {"name": name, **{key: _parameter(key, value) for key, value in parameters.items() if value is not None}}

    @staticmethod
    def _of_text(text: str) -> dict:
        """The spec that a text with parameters stands for."""
        raise NotImplementedError

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_"):
            raise AttributeError(f"{name} of {self!r} cannot be changed; make another {type(self).__name__}")
        super().__setattr__(name, value)

    @property
    def spec(self) -> dict:
        """The name and all parameters, ready for JSON."""
        return copy.deepcopy(self._spec)

    def _full(self) -> Any:
        """The spec with what C++ adds to it, defaults of parameters that were left out: equal for equal objects."""
        return self._spec

    def __repr__(self) -> str:
        return _call(type(self), self._spec)

    def __copy__(self) -> Spec:
        return self  # nothing in it changes

    def __deepcopy__(self, memo: dict) -> Spec:
        return self

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Spec) and self._full() == other._full())

    def __hash__(self) -> int:
        return hash(_frozen(self._full()))

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self._spec:
            return copy.deepcopy(self._spec[name])
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")


def _made_again(make: Callable[[dict], Made], spec: dict) -> Made:
    """What was pickled, with the parameters that it was made with and no others."""
    made = make(spec)
    made._spec = spec
    return made


def _class_of(base: Type[Made], name: str) -> Type[Made]:
    """The class that a name of the library stands for."""
    wanted, classes = name.replace("_", ""), base.__subclasses__()
    for made in classes:
        if made.__name__.lower() == wanted and made.__module__.startswith("fenchel."):
            return made
        classes += made.__subclasses__()
    return base


class Regularizer(Spec):
    """A regularizer Ω by its name: the base of fenchel.Shannon, fenchel.Tsallis and all others, and what a
    text makes.

    It is what `fenchel.predict`, `fenchel.loss` and all others take. It does not change; two of equal
    parameters are equal, have one hash, and can be pickled. What it shows can be pasted back after `from
    fenchel import *`.

    Parameters
    ----------
    name : str
        The name, such as "tsallis" or "sparsemax", or a text with parameters, such as "tsallis:alpha=1.5": see
        fenchel.explain().
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).
    **parameters : Any
        Those of the Ω, such as alpha=1.5.

    Raises
    ------
    ValueError
        The name or a parameter is unknown or out of bounds.

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.Regularizer("tsallis", alpha=1.5, temperature=0.5)
    >>> omega.spec, omega.domain
    ({'name': 'tsallis', 'alpha': 1.5, 'temperature': 0.5}, 'simplex')
    >>> omega == fenchel.Tsallis(1.5, temperature=0.5)
    True
    >>> fenchel.Regularizer("tsallis:alpha=1.5"), fenchel.Regularizer.from_spec("tsallis:alpha=1.5")
    (Regularizer('tsallis', alpha=1.5), Tsallis(alpha=1.5))

    See Also
    --------
    explain, predict, CustomRegularizer
    """

    def __init__(self, name: str, *, temperature: Optional[float] = None, constant: Optional[float] = None,
                 cost: Optional[ArrayLike] = None, **parameters: Any):
        super().__init__(name, **parameters, temperature=temperature, constant=constant, cost=cost)
        self._keep(_made(self._spec))

    @staticmethod
    def _of_text(text: str) -> dict:
        return json.loads(_made(text).text)

    @classmethod
    def from_spec(cls, spec: Union[str, Mapping[str, Any]]) -> Regularizer:
        """Ω from its text or dictionary, as an object of its class.

        Parameters
        ----------
        spec : str or dict
            Such as "tsallis:alpha=1.5", "sparsemax" or {"name": "tsallis", "alpha": 1.5}.

        Returns
        -------
        Regularizer
            The Ω.

        Examples
        --------
        >>> import fenchel
        >>> fenchel.Regularizer.from_spec("norm:q=inf")
        Norm(q=float('inf'))
        """
        given = spec if isinstance(spec, str) else _plain_dict(spec)
        made = _made(given)
        full = dict(given) if isinstance(given, dict) and _own_polytope(given) else json.loads(made.text)
        omega = Regularizer.__new__(_class_of(Regularizer, full["name"]))
        omega._spec = full
        omega._keep(made)
        return omega

    def _keep(self, made: Resolved) -> None:
        # Not one that refers to a class of the user, which refers to what is around it: the collector of garbage does
        # not see through C++. Those are made at each use.
        if _own_polytope(self._spec) is None:
            self._core, self._text, self._own_cost, self._whole = made.core, made.core.spec, made.cost, made.text
            self._terms = _terms_of(made)

    def _full(self) -> Any:
        return self._spec if _own_polytope(self._spec) is not None else json.loads(self._whole)

    def __getattr__(self, name: str) -> Any:
        if name in ("_core", "_own_cost", "_terms"):
            made = _made(self._spec)
            return made.core if name == "_core" else made.cost if name == "_own_cost" else _terms_of(made)
        return super().__getattr__(name)

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

    def __reduce__(self) -> Any:
        return _made_again, (Regularizer.from_spec, self._spec)


def _own_polytope(spec: Union[str, dict]) -> Optional[Polytope]:
    """The set of structures in a spec if it is written in Python."""
    polytope = spec.get("polytope") if isinstance(spec, dict) else None
    return polytope if isinstance(polytope, Polytope) else None


class Resolved(NamedTuple):
    """What a text or a dictionary means: Ω, and the cost of a name that has one, such as "hinge"."""

    core: _core.Omega
    cost: Optional[_core.Cost]
    text: str  # that says the same


def _made(spec: Union[str, dict]) -> Resolved:
    """The C++ objects of an Ω, or of the name of a loss."""
    polytope = _own_polytope(spec)
    if polytope is None:
        return Resolved(*_core.resolve_loss(plain_text("omega", spec) if isinstance(spec, str) else json.dumps(spec)))
    stand_in = {"name": "simplex", "d": polytope.core.dimension}
    made = Resolved(*_core.resolve_loss(json.dumps({**spec, "polytope": stand_in})))  # type: ignore[dict-item]
    core = _core.omega_over(made.core, polytope.core)
    return Resolved(core, None if made.cost is None else _core.Cost.hamming(core, 1.0), core.spec)


def _terms_of(made: Resolved) -> Optional[Tuple[float, float]]:
    """The cost of a name as numbers (a, b): c_y = a + b y, entry by entry."""
    if made.cost is None:
        return None
    d = made.core.dimension or 1
    at_zero, at_one = (float(made.cost.at(np.full(d, y))[0]) for y in (0.0, 1.0))
    return at_zero, at_one - at_zero


class Polytope(Spec):
    """A set of structures Y by its name: the base of fenchel.Arborescence, fenchel.Sequence and all others.

    Its convex hull conv(Y) is the domain of an Ω over structures. It does not change; two of equal parameters
    are equal and have one hash. What it shows can be pasted back after `from fenchel import *`.

    Parameters
    ----------
    name : str
        The name, such as "arborescence", or a text with parameters, such as "sequence:n=3,m=2": see
        fenchel.explain().
    **parameters : Any
        Those of the set, such as n=5.

    Raises
    ------
    ValueError
        The name or a parameter is unknown or out of bounds.

    Examples
    --------
    >>> import fenchel
    >>> trees = fenchel.Polytope("arborescence", n=3)
    >>> trees.shape, trees.dimension, trees == fenchel.Arborescence(3)
    ((3, 3), 9, True)

    See Also
    --------
    explain, Distribution, SparseMap, CustomPolytope
    """

    #: The parameters that are lengths: what the examples of a padded batch differ in.
    length_parameters: Tuple[str, ...] = ()
    #: Whether it is a class of the user, which has no text.
    written_in_python = False

    def __init__(self, name: str, **parameters: Any):
        super().__init__(name, **parameters)
        for key, value in self._spec.items():
            if isinstance(value, int) and value > _EXACT:
                raise ValueError(f"{key} is {value}; expected a whole number <= 2^53")
        self._set = _core.Polytope(json.dumps(self._spec))  # which checks the parameters

    @staticmethod
    def _of_text(text: str) -> dict:
        return json.loads(_core.Polytope(plain_text("polytope", text)).spec)

    def _full(self) -> Any:
        return json.loads(self.core.spec)

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

    def decode(self, y: ArrayLike) -> Any:
        """Structures in short form: tags of sequences, heads of trees (−1: the root), the column of each row
        of a matching …

        … ranks (0: the largest weight), the entries that are 1 of subsets, and for alignments the cells of
        the path, [length, 2].

        Parameters
        ----------
        y : array_like
            Structures, of the natural shape or flat; leading axes are a batch.

        Returns
        -------
        ndarray of int
            The short form, after the axes of the batch; a list where lengths differ.

        Examples
        --------
        >>> import fenchel
        >>> fenchel.Birkhoff(2).decode([[0, 1], [1, 0]]).tolist()
        [1, 0]

        See Also
        --------
        encode
        """
        return decode(self.core, y)

    def encode(self, labels: ArrayLike) -> np.ndarray:
        """Structures in short form as vectors: the inverse of `decode`.

        Parameters
        ----------
        labels : array_like of int
            The short form, as `decode` returns it.

        Returns
        -------
        ndarray
            A structure of the natural shape for each.

        Examples
        --------
        >>> import fenchel
        >>> fenchel.Birkhoff(2).encode([1, 0]).tolist()
        [[0.0, 1.0], [1.0, 0.0]]

        See Also
        --------
        decode
        """
        return encode(self.core, labels)

    def of_length(self, *lengths: int) -> Tuple[Polytope, np.ndarray]:
        """The set of other, shorter lengths, and where its entries lie in vectors of this one.

        Parameters
        ----------
        *lengths : int
            One for each of `length_parameters`.

        Returns
        -------
        Polytope
            The smaller set.
        ndarray of int
            Which entries of a flat vector of this set are its.

        Examples
        --------
        >>> import fenchel
        >>> fenchel.KSubsets(4, 2).of_length(3)
        (KSubsets(d=3, k=2), array([0, 1, 2]))
        """
        if len(lengths) != len(self.length_parameters):
            raise ValueError(
                f"{len(lengths)} lengths are given; structures of {self!r} have {len(self.length_parameters)}")
        for parameter, length in zip(self.length_parameters, lengths):
            if not 1 <= length <= self._spec[parameter]:
                raise ValueError(
                    f"a length is {length}; expected 1 to {self._spec[parameter]}, the {parameter} of {self!r}")
        small = polytope_of({**self._spec, **dict(zip(self.length_parameters, lengths))})
        return small, self._places(small)

    def _places(self, small: Polytope) -> np.ndarray:
        entries = np.arange(self.dimension).reshape(self.shape)
        return entries[tuple(slice(extent) for extent in small.shape)].ravel()

    def distribution(self, theta: ArrayLike, lengths: Optional[ArrayLike] = None, *, n_threads: int = 1) -> Distribution:
        """p(y) ∝ exp⟨θ, y⟩ over the structures: `fenchel.Distribution` of this set.

        Parameters
        ----------
        theta : array_like
            Scores, of the natural shape or flat; leading axes are a batch.
        lengths : array_like of int, optional
            The lengths of the examples of a padded batch.
        n_threads : int
            Threads; 0 takes all processors. Results have the same bits for any number.

        Returns
        -------
        Distribution
            The distribution of each example.

        Examples
        --------
        >>> import fenchel
        >>> float(fenchel.KSubsets(3, 2).distribution([1.0, 0.0, 0.0]).log_partition.round(4))
        1.862
        """
        from .distribution import Distribution

        return Distribution(self, theta, lengths, n_threads=n_threads)

    def __reduce__(self) -> Any:
        return _made_again, (polytope_of, self._spec)


def polytope_of(spec: PolytopeLike) -> Polytope:
    """A polytope from its text, such as "sequence:n=5,m=3", or from a dictionary."""
    if isinstance(spec, Polytope):
        return spec
    if not isinstance(spec, (str, Mapping)):
        raise TypeError(
            f"polytope is {shown(spec)}; expected a Polytope, a text such as 'arborescence:n=5', or a dictionary")
    core = _core.Polytope(plain_text("polytope", spec) if isinstance(spec, str) else json.dumps(_plain_dict(spec)))
    made = Polytope.__new__(_class_of(Polytope, core.name))
    made._spec, made._set = json.loads(core.spec), core
    return made


def as_regularizer(omega: OmegaLike) -> Regularizer:
    """Ω as an object, from an object, a text or a dictionary."""
    return omega if isinstance(omega, Regularizer) else Regularizer.from_spec(omega)


@lru_cache(maxsize=256)
def _named(text: str) -> Resolved:
    return _made(text)


def core_of(omega: Any) -> _core.Omega:
    """The C++ object of an Ω given as an object, a text or a dictionary. The name of a loss stands for its Ω."""
    return omega._core if isinstance(omega, Regularizer) else resolved(omega).core


def own_cost_of(omega: Any) -> Optional[_core.Cost]:
    """The cost that the name of a loss has in training, such as "hinge"; None for an Ω."""
    return omega._own_cost if isinstance(omega, Regularizer) else resolved(omega).cost


def plain_core_of(omega: Any, name: str = "omega") -> _core.Omega:
    """The same as `core_of`, of an Ω that is not the name of a loss with a cost, which would be lost."""
    if own_cost_of(omega) is not None:
        raise ValueError(f"{name} is {omega!r}, which has a cost; expected an Ω without one")
    return core_of(omega)


def resolved(omega: Any) -> Resolved:
    """What a text or a dictionary means."""
    if isinstance(omega, str):
        return _named(omega)
    if isinstance(omega, type) and issubclass(omega, Regularizer):
        raise TypeError(f"omega is the class {omega.__name__}; expected an object, such as {omega.__name__}()")
    if isinstance(omega, Mapping):
        plain = _plain_dict(omega)
        return _made(plain) if _own_polytope(plain) else _named(json.dumps(plain))
    raise TypeError(f"omega is {shown(omega)}; expected a Regularizer, a name such as 'tsallis:alpha=1.5', or a dictionary")
