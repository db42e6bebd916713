# SPDX-License-Identifier: Apache-2.0
"""A target for every public name of fenchel.torch: functions, and modules made and called."""
from __future__ import annotations

import inspect
from typing import Any, Callable, Iterator

import fenchel.torch
import torch
from hypothesis import strategies as st

from .targets import Call
from .tensors import OF_MODULE, PARAMETERS, TensorWorld

#: Names with jumps, as in targets.JUMPS.
JUMPS = ("predict", "Predict", "normmax", "Normmax", "normmax_bisect", "NormmaxBisect", "entmax", "entmax_bisect", "EntmaxBisect",
         "Entmax", "sparsemap", "SparseMAP", "StructuredPredict", "sinkhorn")


def _missing(name: str, function: Callable) -> list[str]:
    return [one for one in inspect.signature(function).parameters
            if one not in ("self",) and one not in PARAMETERS and (name, one) not in OF_MODULE]


def _drawn(name: str, function: Callable, world: TensorWorld) -> dict:
    drawn = {}
    for one, parameter in inspect.signature(function).parameters.items():
        if one == "self" or parameter.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        needed = parameter.default is inspect.Parameter.empty or one in ("dim", "X", "target")
        if (one == "theta" and "X" in drawn) or (one == "y" and "target" in drawn):
            continue
        if needed or world.draw(st.booleans()):
            drawn[one] = OF_MODULE.get((name, one), PARAMETERS.get(one))(world)
    return drawn


def with_gradients(function: Callable) -> Callable:
    """The result, and the gradients of its sum where it has some."""
    def call(**arguments: Any) -> Any:
        result = function(**arguments)
        leaves = [one for one in arguments.values() if isinstance(one, torch.Tensor) and one.is_leaf and one.requires_grad]
        values = result if isinstance(result, torch.Tensor) else None
        if values is None or not leaves or not values.requires_grad or values.device.type == "meta":
            return result
        return result, torch.autograd.grad(values.sum(), leaves, allow_unused=True)

    call.documented = (RuntimeError,)  # type: ignore[attr-defined]  # as those of torch itself, and for derivatives
    return call


def _function(name: str, function: Callable) -> Callable[[Callable], Call]:
    def target(draw: Callable) -> Call:
        world = TensorWorld(draw)
        return f"fenchel.torch.{name}", with_gradients(function), _drawn(name, function, world), world.forms

    return target


def _module(name: str, made: type) -> Callable[[Callable], Call]:
    def target(draw: Callable) -> Call:
        world = TensorWorld(draw)
        options = _drawn(name, made.__init__, world)
        inputs = _drawn(name, made.forward, world)
        if name.startswith("Structured"):
            options = {**{key: value for key, value in world.polytope.spec.items() if key != "name"}, **options}

        def call(**arguments: Any) -> Any:
            torch.manual_seed(0)  # some have random parameters
            return made(**options)(**arguments)

        return f"fenchel.torch.{name}({options!r})", with_gradients(call), inputs, world.forms

    return target


def torch_targets() -> Iterator[tuple[str, Callable[[Callable], Call]]]:
    """A target for each public name; LookupError for one without."""
    # Torch's own, a choice, and what attention of transformers needs, which is not there.
    others = {"sigmoid", "backend", "AttentionWeights", "LengthScale"}
    others |= {name for name in fenchel.torch.__all__ if name.endswith("_attention")}
    for name in sorted(set(fenchel.torch.__all__) - others):
        thing = getattr(fenchel.torch, name)
        lacking = [one for part in ((thing.__init__, thing.forward) if inspect.isclass(thing) else (thing,))
                   for one in _missing(name, part)]
        if lacking:
            raise LookupError(f"the fuzzer has no strategy for fenchel.torch.{name}: add one for {', '.join(lacking)}")
        yield name, _module(name, thing) if inspect.isclass(thing) else _function(name, thing)
