# SPDX-License-Identifier: Apache-2.0
"""Arguments by the names of parameters: a function whose parameters all have known names needs nothing of its own."""
from __future__ import annotations

import inspect
import math
from typing import Any, Callable

import fenchel
import numpy as np
from fenchel import _core
from hypothesis import strategies as st

from .arrays import KINDS, Form, entries, form, forms

_REAL = ("float64", "float32")
_OMEGAS = {entry["name"]: entry for entry in _core.regularizers()}
_SETS = {entry["name"]: entry for entry in _core.polytopes()}
#: Numbers for parameters such as α: ordinary ones, limits, and wrong ones.
NUMBERS = (1.5, 2.0, 1.0, 0.5, 1.2, 3.0, 1e-3, 1e3, 0.0, -1.0, math.inf, math.nan, 1e300, 1e-300, 7, True, "1.5", None)
_GOOD_NUMBERS = NUMBERS[:6]
SIZES = (2, 3, 1, 4, 0, -1, 2**63, 1.5, "2")


class World:
    """What the arguments of one call have in common: Ω, the shape of scores, the axis."""

    def __init__(self, draw: Callable):
        self.draw = draw
        self.leading = tuple(draw(st.lists(st.sampled_from((2, 1, 3, 0)), max_size=2)))
        self.odd = draw(st.integers(0, 9)) == 0  # now and then, arguments do not fit each other
        self.polytope = self._polytope()
        self.omega, self.d = self._omega()
        self.axis = -1 if draw(st.booleans()) else draw(st.integers(-len(self.leading) - 2, len(self.leading) + 1))
        self.forms: list = []  # of the arrays that were drawn
        self.out: Any = None

    def pick(self, choices: tuple) -> Any:
        return self.draw(st.sampled_from(choices))

    def _polytope(self) -> Any:
        name = self.pick(tuple(_SETS))
        made = {}
        for one in _SETS[name]["parameters"]:
            if one["type"] == "size":
                made[one["name"]] = self.pick((2, 3, 1))
            elif one["type"] == "truth":
                made[one["name"]] = self.pick((False, True))
            else:
                made[one["name"]] = [1 / 3] * 3 if name == "transport" else [3, 2, 1]
        if name == "k_subsets":
            made["k"] = min(made["k"], made["d"])
        return fenchel._base.polytope_of({"name": name, **made})

    def _omega(self) -> tuple:
        name = self.pick(tuple(_OMEGAS))
        made: dict = {"name": name}
        for one in _OMEGAS[name]["parameters"]:
            if one["type"] == "polytope":
                made[one["name"]] = self.polytope.spec
            elif one["type"] == "omega":
                made[one["name"]] = {"name": "tsallis", "alpha": 1.5}
            elif one["type"] == "number":
                made[one["name"]] = self.pick(_GOOD_NUMBERS)
        if self.pick((False,) * 5 + (True,)):
            made["temperature"] = self.pick((0.5, 2.0))
        try:
            omega = fenchel.Regularizer.from_spec(made)
        except (ValueError, NotImplementedError):  # such as the marginals of a set that has none
            omega = fenchel.Tsallis(1.5)
        return omega, omega.dimension or self.pick((3, 1, 2, 5, 0))

    @property
    def shape(self) -> tuple:
        """That of scores: `axis` says where their entries lie."""
        sizes = list(self.leading)
        if self.odd:
            return (*sizes, self.pick((2, 3)))
        axis = self.axis + len(sizes) + 1 if self.axis < 0 else self.axis
        sizes.insert(max(0, min(axis, len(sizes))), self.d)
        return tuple(sizes)

    def array(self, shape: tuple, kinds: tuple = KINDS) -> Form:
        made = self.draw(forms(shape, kinds))
        self.forms.append(made)
        return made

    def of(self, values: np.ndarray) -> Form:
        """Given values, in some form that keeps real numbers."""
        from .arrays import _LAYOUTS

        layout = self.pick(tuple(one for one in _LAYOUTS if one not in ("overlapping", "masked")))
        made = form(values, self.pick(_REAL), layout)
        self.forms.append(made)
        return made

    def point(self) -> Form:
        """A point of the domain of Ω, for each row of scores."""
        scores = entries(self.draw(st.integers(0, 99)), "normal", (*self.leading, self.d))
        try:
            return self.of(np.moveaxis(fenchel.predict(scores, self.omega), -1, self.axis))
        except (ValueError, TypeError):
            return self.array(self.shape)


def _target(world: World) -> Any:
    kind = world.pick(("labels", "rows", "any"))
    if kind == "labels":
        low, high = (0, max(world.d, 1)) if not world.odd else (-2, 9)
        labels = np.random.default_rng(world.draw(st.integers(0, 99))).integers(low, high, world.leading)
        return labels.astype(world.pick(("int64", "int32", "uint8", ">i8")))
    return world.point() if kind == "rows" else world.array(world.shape)


def _out(world: World) -> Any:
    """None, or an array to write to: of any type and layout, the scores themselves, or overlapping them."""
    kind = world.pick((None, None, "new", "same", "overlapping"))
    given = world.forms[-1].given if world.forms else None
    if kind is None or not isinstance(given, np.ndarray) or isinstance(given, np.ma.MaskedArray):
        return None
    if kind == "same":
        return given
    if kind == "overlapping" and given.size > 1 and given.dtype == np.float64 and given.flags.writeable:
        room = np.zeros(given.size + 1)
        scores = room[:-1].reshape(given.shape)
        scores[...] = given
        world.forms[-1] = world.forms[-1]._replace(given=scores)
        return room[1:].reshape(given.shape)
    return world.draw(forms(given.shape, ("zeros",), ("float64", "float32", ">f8", "float16", "int64"))).given


def _costs(world: World) -> Form:
    return world.array((*world.leading, world.pick((3, 2, 1, 0)), world.pick((3, 2, 1, 0))))


def _series(world: World) -> list:
    return [world.array((world.pick((3, 2)),), ("normal", "zeros")) for _ in range(world.pick((2, 1, 0)))]


def _costs_of_a_loss(world: World) -> Any:
    d = world.d if not world.odd else 2
    return world.pick((None, "zero_one", "hamming", "other", np.arange(float(d)), np.ones((d, d)), lambda y: 1 - y,
                       lambda y: y[:1], [math.nan]))


def _shares(world: World) -> Form:
    """Points of the simplex, for each row of scores."""
    scores = np.exp(entries(world.draw(st.integers(0, 99)), "normal", (*world.leading, world.d)))
    return world.of(scores / scores.sum(-1, keepdims=True)) if not world.odd else world.array(world.shape)


#: How an argument is drawn, by the name of its parameter. Arrays come first, so that `out` can overlap them.
PARAMETERS: dict[str, Callable[[World], Any]] = {
    "theta": lambda world: world.array(world.shape), "eta": lambda world: world.array(world.shape),
    "v": lambda world: world.array(world.shape), "u": lambda world: world.array(world.shape),
    "mu": lambda world: world.point() if world.pick((True, False)) else world.array(world.shape),
    "y": _target, "cost": _costs, "series": _series, "out": _out,
    "a": lambda world: world.pick((None, [0.5, 0.5], [1, 1, 1])), "b": lambda world: world.pick((None, [0.5, 0.5], [1, 1, 1])),
    "start": lambda world: None, "weights": lambda world: world.pick((None, [0.5, 0.5], [1.0])),
    "omega": lambda world: world.pick((world.omega, world.omega.spec)), "polytope": lambda world: world.polytope,
    "axis": lambda world: world.axis, "n_threads": lambda world: world.pick((1, 1, 1, 2, 0, -1)),
    "alpha": lambda world: world.pick(NUMBERS[:-2]), "q": lambda world: world.pick(NUMBERS[:-2]),
    "tau": lambda world: world.pick((1.0, 0.5, 0.0, -1.0, math.nan)), "k": lambda world: world.pick(SIZES),
    "d": lambda world: world.pick(SIZES), "gamma": lambda world: world.pick((1.0, 0.1, 1e-3, 0.0, -1.0, math.nan)),
    "band": lambda world: world.pick((0, 1, 2, -1)), "return_alignment": lambda world: world.pick((False, True)),
    "regularization": lambda world: world.pick(("l2", "kl", "other")),
    "regularization_strength": lambda world: world.pick((1.0, 0.1, 10.0, 0.0, math.nan)),
    "direction": lambda world: world.pick(("ascending", "descending", "other")),
    "tolerance": lambda world: 1e-3, "max_iterations": lambda world: 5,
    "what": lambda world: world.pick((None, "sparsemax", "nothing", world.omega, world.polytope)),
    "p": _shares, "outcomes": lambda world: world.pick((None, np.eye(max(world.d, 1)), np.ones((2, 2)))),
    "s": lambda world: world.array((*world.leading, 2)), "return_derivative": lambda world: world.pick((False, True)),
    "loss": lambda world: world.pick(("logistic", "smoothed_hinge", "hinge", "nothing", world.omega)),
    "paths": lambda world: world.pick(("", "no such file", __file__)),
}
_LAST = ("out",)


def missing(function: Callable) -> list[str]:
    """The parameters of a function that there is no strategy for."""
    return [name for name in inspect.signature(function).parameters if name not in PARAMETERS]


def arguments(function: Callable, world: World) -> dict:
    """Arguments of a function; those with a default are left out now and then."""
    drawn = {}
    parameters = inspect.signature(function).parameters
    for name in sorted(parameters, key=lambda name: name in _LAST):
        if parameters[name].default is inspect.Parameter.empty or name == "axis" or world.draw(st.booleans()):
            of_a_loss = name == "cost" and "omega" in parameters  # elsewhere they are what is aligned
            drawn[name] = _costs_of_a_loss(world) if of_a_loss else PARAMETERS[name](world)
    return drawn
