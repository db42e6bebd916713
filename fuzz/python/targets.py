# SPDX-License-Identifier: Apache-2.0
"""What is called: a target for every public name, or a complaint that there is none."""
from __future__ import annotations

import inspect
import pathlib
import tempfile
from typing import Any, Callable, Iterator

import fenchel
import numpy as np
from fenchel import _core
from hypothesis import strategies as st

from . import oracle
from .arguments import NUMBERS, SIZES, World, arguments, missing

#: Functions with jumps: single and double precision may take different sides.
JUMPS = ("dtw", "margin", "prox", "jvp", "vjp", "soft_rank_vjp", "soft_sort_vjp", "predict", "predict_csr", "normmax", "entmax",
         "gradient", "value_and_gradient", "sinkhorn", "soft_dtw_barycenter")

#: Functions whose results are infinite at points of the boundary.
INFINITE = ("bregman_divergence", "kullback_leibler", "link", "proper_loss")

Call = tuple[str, Callable, dict, list]  # what is called, and how


def _function(name: str, function: Callable) -> Callable[[Callable], Call]:
    def called(**arguments: Any) -> Any:
        return function(**arguments)

    called.documented = (OSError,) if "paths" in inspect.signature(function).parameters else ()  # type: ignore[attr-defined]

    called.infinite = name in INFINITE  # type: ignore[attr-defined]

    def target(draw: Callable) -> Call:
        world = World(draw)
        drawn = arguments(function, world)
        return f"fenchel.{name}", called, drawn, world.forms

    return target


def _value(world: World, kind: str) -> Any:
    """A parameter of some type, right or wrong."""
    if kind == "number":
        return world.pick(NUMBERS)
    if kind == "size":
        return world.pick(SIZES)
    if kind == "truth":
        return world.pick((False, True, None, 2))
    if kind == "polytope":
        return world.pick((world.polytope, "simplex:d=3", "nothing", None))
    if kind == "omega":
        return world.pick((fenchel.Tsallis(1.5), "shannon", "nothing", None))
    return world.pick(([3, 2, 1], np.array([1.0, 0.5]), [], [np.nan], [[0, 1], [1, 0]], "text", None))


def _regularizer(name: str, made: type, entry: dict) -> Callable[[Callable], Call]:
    def call(theta: Any, **parameters: Any) -> Any:
        omega = made(**parameters)
        return fenchel.predict(theta, omega), omega.spec["name"]

    def target(draw: Callable) -> Call:
        world = World(draw)
        parameters = {one["name"]: _value(world, one["type"]) for one in entry["parameters"]}
        theta = world.array((*world.leading, world.d), ("normal", "ties", "zeros"))
        return f"fenchel.{name}", call, {"theta": theta, **parameters}, world.forms

    return target


def _polytope(name: str, made: type, entry: dict) -> Callable[[Callable], Call]:
    def call(theta: Any, **parameters: Any) -> Any:
        polytope = made(**parameters)
        best = np.asarray(polytope.distribution(theta).map)
        short = polytope.decode(best)
        if best.size and not np.array_equal(polytope.encode(short).reshape(best.shape), best):
            raise oracle.Finding(f"encode(decode(y)) is not y = {best.tolist()}")
        return best

    def target(draw: Callable) -> Call:
        world = World(draw)
        parameters = {one["name"]: _value(world, one["type"]) for one in entry["parameters"]}
        size = world.polytope.dimension
        if world.polytope.spec["name"] == entry["name"]:
            parameters = {key: value for key, value in world.polytope.spec.items() if key != "name"}
        theta = world.array((*world.leading, size), ("normal", "ties", "masked"))
        return f"fenchel.{name}", call, {"theta": theta, **parameters}, world.forms

    return target


_METHODS = ("map", "marginals", "log_partition", "entropy", "sparsemap", "sparsemap_mixture", "k_best", "sample", "log_prob",
            "covariance_product")


def _distribution(draw: Callable) -> Call:
    world = World(draw)
    shape = world.polytope.shape if world.pick((True, False)) else (world.polytope.dimension,)
    theta = world.array((*world.leading, *shape), ("normal", "ties", "masked", "large", "nan", "huge"))
    method = world.pick(_METHODS)
    count = world.pick((1, 3, 0, -1, 1.5))
    y = world.array((*world.leading, *shape), ("whole", "normal")) if method in ("log_prob", "covariance_product") else None

    def call(theta: Any, polytope: Any, method: str, count: Any, y: Any) -> Any:
        made = fenchel.Distribution(polytope, theta)
        if method == "sample":
            return made.sample(count, 1)
        if method in ("sparsemap_mixture", "k_best"):
            result = made.k_best(count) if method == "k_best" else made.sparsemap_mixture()
            return result[0]  # scores of structures that are not there are −inf
        found = getattr(made, method)
        result = found(y) if callable(found) else found
        return 0.0 if method == "log_prob" else result  # −inf for what θ forbids

    drawn = {"theta": theta, "polytope": world.polytope, "method": method, "count": count, "y": y}
    return "fenchel.Distribution", call, drawn, world.forms


class _Choice(fenchel.CustomPolytope):
    dimension = 3

    def map(self, theta: np.ndarray) -> np.ndarray:
        return np.eye(3)[np.argmax(theta)]


class _Ridge(fenchel.CustomRegularizer):
    domain = "simplex"

    def value(self, mu: np.ndarray) -> float:
        return 0.5 * float(mu @ mu)

    def gradient(self, mu: np.ndarray) -> np.ndarray:
        return mu


def _own(name: str, omega: Callable) -> Callable[[Callable], Call]:
    def target(draw: Callable) -> Call:
        world = World(draw)
        theta = world.array((*world.leading, 3), ("normal", "ties", "zeros", "nan"))
        return f"fenchel.{name}", lambda theta: fenchel.predict(theta, omega()), {"theta": theta}, world.forms

    return target


def _treebank(draw: Callable) -> Call:
    """Damaged files of words."""
    good = b"1\tA\t_\t_\t_\t_\t0\troot\t_\t_\n2\tB\t_\t_\t_\t_\t1\tdep\t_\t_\n\n"
    place, byte = draw(st.integers(0, len(good) - 1)), draw(st.integers(0, 255))
    text = good[:place] + bytes([byte]) + good[place + 1:]

    def call(text: bytes) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "words.conllu"
            path.write_bytes(text)
            bank = fenchel.read_conllu(path)
            return bank.with_heads(bank.heads).heads

    return "fenchel.Treebank", call, {"text": text}, []


SPECIAL: dict[str, Callable[[Callable], Call]] = {
    "Distribution": _distribution, "Treebank": _treebank,
    "CustomPolytope": _own("CustomPolytope", lambda: fenchel.SparseMap(_Choice())),
    "CustomRegularizer": _own("CustomRegularizer", _Ridge),
    "Sum": _own("Sum", lambda: fenchel.Sum("squared", "shannon")),
    "Restriction": _own("Restriction", lambda: fenchel.Restriction("squared", fenchel.sparsemax, "simplex")),
    "FenchelYoungized": _own("FenchelYoungized", lambda: fenchel.FenchelYoungized("pairwise_hinge", convex=True)),
    "Separable": _own("Separable", lambda: fenchel.Separable(lambda t: t * t / 2, lambda t: t)),
}


# Bases of the others; what reads a model file, whose damage scripts/mutate tries.
WITHOUT = {"__version__", "Polytope", "Regularizer", "verify"}


def array_targets() -> Iterator[tuple[str, Callable[[Callable], Call]]]:
    """A target for each public name of fenchel; LookupError for one without."""
    omegas = {entry["class"]: entry for entry in _core.regularizers()}
    sets = {entry["class"]: entry for entry in _core.polytopes()}
    for name in sorted(set(fenchel.__all__) - WITHOUT):
        thing = getattr(fenchel, name)
        if name in SPECIAL:
            yield name, SPECIAL[name]
        elif name in omegas:
            yield name, _regularizer(name, thing, omegas[name])
        elif name in sets:
            yield name, _polytope(name, thing, sets[name])
        elif inspect.isfunction(thing) and not missing(thing):
            yield name, _function(name, thing)
        else:
            lacking = f"its parameters {', '.join(missing(thing))}" if inspect.isfunction(thing) else "this class"
            raise LookupError(f"the fuzzer has no strategy for fenchel.{name}: add one for {lacking}")
