# SPDX-License-Identifier: Apache-2.0
"""ŷ_Ω and L_Ω over structures of different sizes, padded to one: each example has the Ω of its own size.

θ is [..., entries]; `kept` says which entries are not padding, `sizes` [..., number of sizes] what Ω is made for.
Padding is never read; its predictions and gradients are 0.
"""
from __future__ import annotations

import json
import math
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .. import _core
from . import _structures
from ._backend import tensors_wanted
from ._operator import InTensors, Operator, inner, keep, like_first, one_per_row
from ._tensors import check_no_tangent, differentiated, graph_wanted, memory, tensor_of, transformed

# Parameters that follow from the size of an example: those behind the axes of its scores, where they have some.
SIZES = {entry["name"]: tuple(dict.fromkeys(entry["axes"] or entry["lengths"])) for entry in _core.polytopes()
         if entry["axes"] or entry["lengths"]}
# Those of them that are lists, with an entry for each of the size: what rankings permute.
LISTS = {entry["name"]: tuple(one["name"] for one in entry["parameters"]
                              if one["type"] == "list" and one["name"] in SIZES.get(entry["name"], ()))
         for entry in _core.polytopes()}


def sized_polytope(polytope: dict, *sizes: int) -> dict:
    """A polytope of some sizes, from one that lacks them. A list that is not given is (size, …, 1)."""
    sized, lists = dict(polytope), LISTS[polytope["name"]]
    for parameter, size in zip(SIZES[polytope["name"]], sizes):
        given = polytope.get(parameter)
        if parameter not in lists:
            sized[parameter] = size
        elif given is None:
            sized[parameter] = list(range(size, 0, -1))
        elif len(given) != size:
            raise ValueError(f"an example has {size} entries; expected {len(given)}, as {parameter} = {given} has")
    return sized


@lru_cache(maxsize=1024)
def _extents_in(omega: str, names: tuple, extents: tuple) -> str:
    spec = json.loads(omega)
    lists = LISTS[spec["polytope"]["name"]]
    sizes = {name: extent for name, extent in zip(names, extents) if name not in lists}
    return json.dumps({**spec, "polytope": {**spec["polytope"], **sizes}})


@torch.compiler.assume_constant_result
def with_extents(omega: str, names: tuple, extents: tuple) -> str:
    """Ω with the extents of padded scores as the sizes of its polytope."""
    return _extents_in(omega, names, extents)


@lru_cache(maxsize=1024)
def _without_extents(omega: str) -> str:
    spec = json.loads(omega)
    name = spec["polytope"]["name"]
    polytope = {key: value for key, value in spec["polytope"].items() if key not in SIZES[name] or key in LISTS[name]}
    return json.dumps({**spec, "polytope": polytope})


@lru_cache(maxsize=4096)
def sized(omega: str, *sizes: int) -> Any:
    """Ω over structures of some sizes, from the text of one whose polytope lacks them."""
    spec = json.loads(omega)
    return _core.Omega(json.dumps({**spec, "polytope": sized_polytope(spec["polytope"], *sizes)}))


def _threads(examples: int) -> int:
    return 1 if examples == 1 else torch.get_num_threads()


def _matrix(tensor: Tensor) -> np.ndarray:
    """A tensor with all axes but the last as one, the batch."""
    array = memory(tensor)
    return array.reshape(math.prod(array.shape[:-1]), array.shape[-1])


class _Flat:
    """A padded batch as C++ takes it: the entries that are kept one after the other, an Ω for each example."""

    def __init__(self, kept: Tensor, sizes: Tensor, omega: str):
        self.shape = tuple(kept.shape)
        self.kept = _matrix(kept)
        rows = _matrix(sizes).tolist()
        bare = _without_extents(omega)
        self.omegas = [sized(bare, *row) for row in rows]
        # Examples of one size are a plain batch, where some oracles take several at once.
        self.uniform = len(rows) > 0 and all(row == rows[0] for row in rows)
        self.offsets = np.concatenate([[0], np.cumsum(self.kept.sum(1))]).astype(np.int64)
        self.threads = _threads(len(rows))

    def flat(self, padded: Tensor) -> np.ndarray:
        values = _matrix(padded)[self.kept]
        return values.reshape(len(self.omegas), -1) if self.uniform else values

    def padded(self, values: np.ndarray, like: Tensor) -> Tensor:
        result = np.zeros(self.kept.shape, values.dtype)
        result[self.kept] = values.reshape(-1)
        return tensor_of(result.reshape(self.shape), like)


def predict_now(theta: Tensor, kept: Tensor, sizes: Tensor, omega: str) -> Tensor:
    """ŷ of every example."""
    batch = _Flat(kept, sizes, omega)
    values = batch.flat(theta)
    if batch.uniform:
        return batch.padded(batch.omegas[0].predict(values, None, batch.threads), theta)
    return batch.padded(_core.ragged_predict(batch.omegas, values, batch.offsets, batch.threads), theta)


def vjp_now(theta: Tensor, kept: Tensor, sizes: Tensor, v: Tensor, omega: str) -> Tensor:
    """J v of every example."""
    batch = _Flat(kept, sizes, omega)
    values, direction = batch.flat(theta), batch.flat(v)
    if batch.uniform:
        return batch.padded(batch.omegas[0].jvp(values, direction, batch.threads), theta)
    return batch.padded(_core.ragged_jvp(batch.omegas, values, direction, batch.offsets, batch.threads), theta)


def loss_now(theta: Tensor, y: Tensor, kept: Tensor, sizes: Tensor, omega: str) -> tuple[Tensor, Tensor]:
    """L_Ω of every example in the type of θ, and ŷ − y."""
    batch = _Flat(kept, sizes, omega)
    values, targets = batch.flat(theta), batch.flat(y)
    if batch.uniform:
        losses, gradient = _core.Loss(batch.omegas[0]).value_and_gradient(values, targets, batch.threads)
    else:
        losses, gradient = _core.ragged_loss_and_gradient(batch.omegas, values, targets, batch.offsets, batch.threads)
    losses = losses.astype(values.dtype, copy=False).reshape(batch.shape[:-1])
    return tensor_of(losses, theta), batch.padded(gradient, theta)


def value_now(theta: Tensor, y: Tensor, kept: Tensor, sizes: Tensor, omega: str) -> Tensor:
    """L_Ω of every example alone."""
    batch = _Flat(kept, sizes, omega)
    values, targets = batch.flat(theta), batch.flat(y)
    if batch.uniform:
        losses = _core.Loss(batch.omegas[0]).value(values, targets, batch.threads)
    else:
        losses = _core.ragged_loss(batch.omegas, values, targets, batch.offsets, batch.threads)
    return tensor_of(losses.astype(values.dtype, copy=False).reshape(batch.shape[:-1]), theta)


def _save_product(ctx: Any, inputs: tuple, output: Tensor) -> None:
    theta, kept, sizes, _, ctx.omega = inputs
    keep(ctx, theta, kept, sizes)


@lru_cache(maxsize=256)
def _piecewise_linear(omega: str) -> bool:
    """Whether predictions are, whatever the set."""
    return _core.Omega(json.dumps({**json.loads(omega), "polytope": {"name": "simplex", "d": 2}})).piecewise_linear


def _linear_product(ctx: Any, w: Tensor) -> Tensor:
    """The derivative of J v: linear in v; in θ it is constant if predictions are piecewise linear, else refused."""
    theta, kept, sizes = ctx.saved_tensors
    if not _piecewise_linear(ctx.omega):
        name = json.loads(ctx.omega)["name"]
        raise RuntimeError(f"the second derivative of the prediction of {name} is not available")
    return _product(theta.detach(), kept, sizes, w, ctx.omega)


def _product_backward(ctx: Any, w: Tensor) -> tuple:
    return None, None, None, _linear_product(ctx, w), None


def _product_jvp(ctx: Any, theta: Any, kept: Any, sizes: Any, v: Any) -> Tensor:
    return _linear_product(ctx, torch.zeros_like(ctx.saved_tensors[0]) if v is None else v)


_product = Operator("padded_vjp", "(Tensor theta, Tensor kept, Tensor sizes, Tensor v, str omega) -> Tensor", vjp_now,
                    like_first, save=_save_product, backward=_product_backward, jvp=_product_jvp)


def _product_of(theta: Tensor, kept: Tensor, sizes: Tensor, v: Tensor, omega: str) -> Tensor:
    """J v; in operations that can be differentiated again where a graph is being made and there are some."""
    structures = _structures.tensors_of(omega) if graph_wanted() or tensors_wanted(theta) else None
    return _product(theta, kept, sizes, v, omega) if structures is None else structures.product(theta, v, kept)


def _save_predict(ctx: Any, inputs: tuple, output: Tensor) -> None:
    theta, kept, sizes, ctx.omega = inputs
    keep(ctx, theta, kept, sizes)


def _predict_backward(ctx: Any, v: Tensor) -> tuple:
    theta, kept, sizes = ctx.saved_tensors
    return _product_of(theta, kept, sizes, v, ctx.omega), None, None, None


def _predict_jvp(ctx: Any, v: Tensor, *_: Any) -> Tensor:
    theta, kept, sizes = ctx.saved_tensors
    return _product_of(theta, kept, sizes, v, ctx.omega)


def _predict_by_tensors(omega: str) -> Any:
    structures = _structures.tensors_of(omega)
    if structures is None:
        return None
    return _structures.differentiable(lambda theta, kept, sizes: structures.predict(theta, kept))


#: ŷ of every example, with gradients.
predict_padded = Operator("padded_predict", "(Tensor theta, Tensor kept, Tensor sizes, str omega) -> Tensor", predict_now,
                          like_first, save=_save_predict, backward=_predict_backward, jvp=_predict_jvp,
                          by_tensors=_predict_by_tensors)


def _save_loss(ctx: Any, inputs: tuple, output: tuple) -> None:
    theta, y, kept, sizes, ctx.omega = inputs
    keep(ctx, theta, y, kept, sizes, output[1])
    ctx.mark_non_differentiable(output[1])


def _theta_gradient(ctx: Any) -> Tensor:
    """ŷ − y, with its own graph."""
    theta, y, kept, sizes, _ = ctx.saved_tensors
    return predict_padded(theta, kept, sizes, ctx.omega) - y.masked_fill(~kept, 0)


def _loss_backward(ctx: Any, g: Tensor, *_: Any) -> tuple:
    gradient = _theta_gradient(ctx) if graph_wanted() else ctx.saved_tensors[-1]
    return g.unsqueeze(-1) * gradient, None, None, None, None


def _loss_by_tensors(omega: str) -> Any:
    structures = _structures.tensors_of(omega)
    if structures is None:
        return None
    return InTensors(lambda theta, y, kept, sizes: structures.loss(theta, y, kept),
                     lambda theta, y, kept, sizes: (structures.loss_alone(theta, y, kept),))


def _value_by_tensors(omega: str) -> Any:
    structures = _structures.tensors_of(omega)
    if structures is None:
        return None
    return _structures.differentiable(lambda theta, y, kept, sizes: structures.loss_alone(theta, y, kept))


def _never(*_: Any) -> Any:
    raise RuntimeError("values of losses alone are not differentiated")


_loss = Operator("padded_loss", "(Tensor theta, Tensor y, Tensor kept, Tensor sizes, str omega) -> (Tensor, Tensor)",
                 loss_now, lambda theta, *_: (one_per_row(theta), like_first(theta)), save=_save_loss,
                 backward=_loss_backward, jvp=lambda ctx, v, *_: inner(_theta_gradient(ctx), v),
                 by_tensors=_loss_by_tensors)


_value = Operator("padded_loss_value", "(Tensor theta, Tensor y, Tensor kept, Tensor sizes, str omega) -> Tensor", value_now,
                  one_per_row, save=lambda ctx, inputs, output: None, backward=_never, jvp=_never,
                  by_tensors=_value_by_tensors)


def loss_padded(theta: Tensor, y: Tensor, kept: Tensor, sizes: Tensor, omega: str) -> Tensor:
    """L_Ω of every example, with gradients in θ."""
    check_no_tangent("y", y, "losses over padded structures are not differentiated with respect to it")
    y = y.detach()
    if transformed() or differentiated(theta):
        return _loss(theta, y, kept, sizes, omega)[0]
    return _value(theta, y, kept, sizes, omega)
