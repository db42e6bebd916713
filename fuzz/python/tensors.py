# SPDX-License-Identifier: Apache-2.0
"""Tensors of one content in many forms, and arguments of fenchel.torch by the names of parameters."""
from __future__ import annotations

import math
from typing import Any, Callable

import fenchel
import numpy as np
import torch
from hypothesis import strategies as st

from .arguments import NUMBERS, SIZES, World
from .arrays import KINDS, Form, entries

_TYPES = (torch.float64,) * 5 + (torch.float32,) * 3 + (torch.float16, torch.bfloat16, torch.int64, torch.bool, torch.complex64)
_SINGLE = (torch.float32, torch.float16, torch.bfloat16)


def _strided(tensor: torch.Tensor) -> torch.Tensor:
    room = torch.zeros([2 * n + 1 for n in tensor.shape], dtype=tensor.dtype)
    view = room[tuple(slice(1, None, 2) for _ in tensor.shape)]
    view.copy_(tensor)
    return view


def _negated(tensor: torch.Tensor) -> torch.Tensor:
    """The same numbers behind a bit that says that their signs are to be changed."""
    if tensor.dtype not in (torch.float32, torch.float64):
        return tensor
    return torch.complex(torch.zeros_like(tensor), -tensor).conj().imag


def _cut(tensor: torch.Tensor) -> torch.Tensor:
    tensor = tensor.clone()
    tensor.untyped_storage().resize_(max(tensor.untyped_storage().nbytes() - 1, 0))
    return tensor


class _Own(torch.Tensor):
    pass


LAYOUTS: dict[str, Callable] = {
    "plain": lambda t: t, "gradient": lambda t: t.requires_grad_() if t.dtype.is_floating_point else t,
    "turned": lambda t: t.t().contiguous().t() if t.dim() == 2 else t, "strided": _strided, "negated": _negated,
    "expanded": lambda t: t[:1].expand(t.shape) if t.dim() > 1 else t, "subclass": lambda t: t.as_subclass(_Own),
    "zeros": lambda t: torch._efficientzerotensor(t.shape, dtype=t.dtype), "cut": _cut,
    "sparse": lambda t: t.to_sparse(), "meta": lambda t: t.to("meta"),
}
_LAYOUTS = ("plain",) * 4 + ("gradient",) * 3 + tuple(LAYOUTS)


def tensor_form(values: np.ndarray, dtype: torch.dtype, layout: str) -> Form:
    """Values as a tensor in some form."""
    typed = torch.from_numpy(values.copy()).to(dtype)
    given = LAYOUTS[layout](typed)
    if layout == "zeros":
        typed = torch.zeros_like(typed)
    elif layout == "expanded":
        typed = given.contiguous()
    refused = layout == "sparse" or (layout == "cut" and values.size > 0) or not dtype.is_floating_point
    wide = torch.from_numpy(values.copy()) if refused else typed.detach().to(torch.float64, copy=True).contiguous()
    wide.requires_grad_(given.requires_grad)
    shown = np.array2string(values, threshold=40, separator=",", floatmode="unique").replace("\n", "")
    return Form(given, wide, refused, dtype in _SINGLE, f"{dtype} {layout} {values.shape} {shown}",
                abstract=layout == "meta")


class TensorWorld(World):
    """As World, with tensors."""

    def array(self, shape: tuple, kinds: tuple = KINDS, types: tuple = _TYPES) -> Form:
        values = entries(self.draw(st.integers(0, 2**32 - 1)), self.pick(kinds), shape)
        made = tensor_form(values, self.pick(types), self.pick(_LAYOUTS))
        self.forms.append(made)
        return made

    def of(self, values: np.ndarray) -> Form:
        made = tensor_form(values, self.pick((torch.float64, torch.float32)), self.pick(("plain", "strided", "turned")))
        self.forms.append(made)
        return made


def _target(world: TensorWorld) -> Any:
    kind = world.pick(("labels", "rows", "any"))
    if kind == "labels":
        low, high = (0, max(world.d, 1)) if not world.odd else (-2, 9)
        labels = np.random.default_rng(world.draw(st.integers(0, 99))).integers(low, high, world.leading)
        return torch.from_numpy(np.asarray(labels, world.pick(("int64", "int32", "uint8"))))
    # Rows may be whole numbers, too.
    return world.point() if kind == "rows" else world.array(world.shape, types=(torch.float64, torch.float32, torch.float16))


def _mask(world: TensorWorld) -> Any:
    kind = world.pick((None, "fits", "other"))
    if kind is None:
        return None
    shape = world.shape if kind == "fits" else (world.d,)
    return torch.from_numpy(np.random.default_rng(world.draw(st.integers(0, 99))).random(shape) < 0.7)


def _alpha(world: TensorWorld) -> Any:
    number = world.pick(NUMBERS[:-2])
    return torch.tensor(float(number), dtype=torch.float64) if world.pick((False, True)) else number


def _costs(world: TensorWorld) -> Form:
    return world.array((*world.leading, world.pick((3, 2, 1, 0)), world.pick((3, 2, 1, 0))))


PARAMETERS: dict[str, Callable[[TensorWorld], Any]] = {
    "theta": lambda world: world.array(world.shape), "X": lambda world: world.array(world.shape),
    "y": _target, "target": _target, "cost": _costs, "mask": _mask, "alpha": _alpha, "budget": _alpha,
    "dim": lambda world: world.axis, "omega": lambda world: world.pick((world.omega, world.omega.spec)),
    "polytope": lambda world: world.polytope, "q": lambda world: world.pick(NUMBERS[:-2]), "k": lambda world: None,
    "reduction": lambda world: world.pick(("mean", "sum", "none", "other")),
    "ignore_index": lambda world: world.pick((-100, 0)), "n_iter": lambda world: 50,
    "weight": lambda world: world.pick((None, torch.ones(max(world.d, 0)), torch.ones(9))),
    "return_support_size": lambda world: world.pick((False, True)), "ensure_sum_one": lambda world: True,
    "a": lambda world: world.pick((None, [0.5, 0.5])), "b": lambda world: world.pick((None, [0.5, 0.5])),
    "gamma": lambda world: world.pick((1.0, 0.1, 0.0, math.nan)), "band": lambda world: world.pick((0, 1, -1)),
    "regularization": lambda world: world.pick(("l2", "kl", "other")),
    "regularization_strength": lambda world: world.pick((1.0, 0.1, 0.0, math.nan)),
    "direction": lambda world: world.pick(("ascending", "descending", "other")),
    # Of modules.
    "num_heads": lambda world: world.pick((2, 1)), "init": lambda world: world.pick((1.5, 1.2, 3.0)), "low": lambda world: 1.0,
    "high": lambda world: 2.0, "shape": lambda world: (), "num_tags": lambda world: world.pick(SIZES[:4]),
    "batch_first": lambda world: True, "structure": lambda world: world.polytope.spec["name"],
    "cost_scale": lambda world: 1.0, "temperature": lambda world: world.pick((1.0, 0.5)), "lengths": lambda world: None,
    "scores": lambda world: world.array((2, *world.polytope.shape)),
    "emissions": lambda world: world.array((2, 3, 2)),
    "tags": lambda world: torch.from_numpy(np.random.default_rng(0).integers(0, 2, (2, 3))),
    "parameters": lambda world: {},
}
#: Where a module's parameter means something else than that of the functions.
OF_MODULE: dict[tuple[str, str], Callable[[TensorWorld], Any]] = {
    ("CRF", "omega"): lambda world: world.pick(("crf", "sparsemap", "hinge", "perceptron")),
    ("StructuredPredict", "omega"): lambda world: world.pick(("sparsemap", "marginal", "map", "entropic")),
    ("StructuredLoss", "omega"): lambda world: world.pick(("crf", "sparsemap", "hinge", "perceptron")),
    ("StructuredLoss", "y"): lambda world: world.of(_structures(world)),
    ("loss", "cost"): lambda world: _costs_of_a_loss(world), ("FenchelYoungLoss", "cost"): lambda world: _costs_of_a_loss(world),
    ("SoftDTW", "a"): lambda world: world.array((2, 3, 2)), ("SoftDTW", "b"): lambda world: world.array((2, 4, 2)),
}


def _costs_of_a_loss(world: TensorWorld) -> Any:
    d = max(world.d, 0)
    return world.pick((None, "zero_one", "hamming", "other", torch.ones(d), torch.ones(d, d), torch.ones(9), lambda y: 1 - y,
                       lambda y: y[:1]))


def _structures(world: TensorWorld) -> np.ndarray:
    return np.asarray(fenchel.Distribution(world.polytope, np.zeros((2, world.polytope.dimension))).map).reshape(
        2, *world.polytope.shape)
