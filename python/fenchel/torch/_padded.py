# SPDX-License-Identifier: Apache-2.0
"""ŷ_Ω and L_Ω over structures of different sizes, padded to one: each example has the Ω of its own size.

θ is [batch, entries]; `kept` says which entries are not padding, `sizes` [batch, number of sizes] what Ω is made for.
Padding is never read; its predictions and gradients are 0.
"""
from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .. import _core
from ._operator import Operator, like_first, one_a_row
from ._specs import known
from ._tensors import memory, tensor_of

# Parameters that follow the size of an example.
SIZES = {"alignment": ("m", "n"), "arborescence": ("n",), "birkhoff": ("n",), "chain": ("n",), "cube": ("d",),
         "k_subsets": ("d",), "permutahedron": ("w",), "projective_tree": ("n",), "sequence": ("n", "m"),
         "simplex": ("d",)}


def sized_polytope(polytope: dict, *sizes: int) -> dict:
    """A polytope of some sizes, from one that lacks them. Rankings permute w, or (size, …, 1) where there is none."""
    sized = dict(polytope)
    for parameter, size in zip(SIZES[polytope["name"]], sizes):
        if parameter != "w":
            sized[parameter] = size
        elif "w" not in polytope:
            sized["w"] = list(range(size, 0, -1))
        elif len(polytope["w"]) != size:
            raise ValueError(f"an example has {size} entries; expected {len(polytope['w'])}, as w = {polytope['w']} has")
    return sized


@lru_cache(maxsize=4096)
def sized(omega: str, *sizes: int) -> Any:
    """Ω over structures of some sizes, from the text of one whose polytope lacks them."""
    spec = json.loads(omega)
    return _core.Omega(json.dumps({**spec, "polytope": sized_polytope(spec["polytope"], *sizes)}))


def _threads(examples: int) -> int:
    return 1 if examples == 1 else torch.get_num_threads()


class _Flat:
    """A padded batch as C++ takes it: the entries that are kept one after the other, an Ω for each example."""

    def __init__(self, kept: Tensor, sizes: Tensor, omega: str):
        self.kept = memory(kept)
        rows = memory(sizes).tolist()
        self.omegas = [sized(omega, *row) for row in rows]
        # Examples of one size are a plain batch, where some oracles take several at once.
        self.uniform = len(rows) > 0 and all(row == rows[0] for row in rows)
        self.offsets = np.concatenate([[0], np.cumsum(self.kept.sum(1))]).astype(np.int64)
        self.threads = _threads(len(rows))

    def flat(self, padded: Tensor) -> np.ndarray:
        values = memory(padded)[self.kept]
        return values.reshape(len(self.omegas), -1) if self.uniform else values

    def padded(self, values: np.ndarray, like: Tensor) -> Tensor:
        result = np.zeros(self.kept.shape, values.dtype)
        result[self.kept] = values.reshape(-1)
        return tensor_of(result, like)


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
        losses, gradient = batch.omegas[0].loss_and_gradient(values, targets, batch.threads)
    else:
        losses, gradient = _core.ragged_loss_and_gradient(batch.omegas, values, targets, batch.offsets, batch.threads)
    return tensor_of(losses.astype(values.dtype, copy=False), theta), batch.padded(gradient, theta)


def _save_product(ctx: Any, inputs: tuple, output: Tensor) -> None:
    theta, kept, sizes, _, ctx.omega = inputs
    ctx.save_for_backward(theta, kept, sizes)


def _product_backward(ctx: Any, w: Tensor) -> tuple:
    """J v is linear in v; in θ it is constant if predictions are piecewise linear, else refused."""
    theta, kept, sizes = ctx.saved_tensors
    if len(sizes) == 0:
        return None, None, None, torch.zeros_like(w), None
    facts = known(sized(ctx.omega, *memory(sizes)[0].tolist()).spec)
    if not facts.piecewise_linear:
        raise RuntimeError(f"the second derivative of the prediction of {facts.name} is not available")
    return None, None, None, _product(theta.detach(), kept, sizes, w, ctx.omega), None


_product = Operator("padded_vjp", "(Tensor theta, Tensor kept, Tensor sizes, Tensor v, str omega) -> Tensor", vjp_now,
                    like_first, save=_save_product, backward=_product_backward)


def _save_predict(ctx: Any, inputs: tuple, output: Tensor) -> None:
    theta, kept, sizes, ctx.omega = inputs
    ctx.save_for_backward(theta, kept, sizes)


def _predict_backward(ctx: Any, v: Tensor) -> tuple:
    theta, kept, sizes = ctx.saved_tensors
    return _product(theta, kept, sizes, v, ctx.omega), None, None, None


#: ŷ of every example, with gradients.
predict_padded = Operator("padded_predict", "(Tensor theta, Tensor kept, Tensor sizes, str omega) -> Tensor", predict_now,
                          like_first, save=_save_predict, backward=_predict_backward)


def _save_loss(ctx: Any, inputs: tuple, output: tuple) -> None:
    theta, y, kept, sizes, ctx.omega = inputs
    ctx.save_for_backward(theta, y, kept, sizes, output[1])
    ctx.mark_non_differentiable(output[1])


def _loss_backward(ctx: Any, g: Tensor, *_: Any) -> tuple:
    theta, y, kept, sizes, gradient = ctx.saved_tensors
    if torch.is_grad_enabled():
        gradient = predict_padded(theta, kept, sizes, ctx.omega) - y.masked_fill(~kept, 0)
    return g.unsqueeze(-1) * gradient, None, None, None, None


_loss = Operator("padded_loss", "(Tensor theta, Tensor y, Tensor kept, Tensor sizes, str omega) -> (Tensor, Tensor)",
                 loss_now, lambda theta, *_: (one_a_row(theta), like_first(theta)), save=_save_loss,
                 backward=_loss_backward)


def loss_padded(theta: Tensor, y: Tensor, kept: Tensor, sizes: Tensor, omega: str) -> Tensor:
    """L_Ω of every example, with gradients in θ."""
    return _loss(theta, y.detach(), kept, sizes, omega)[0]
