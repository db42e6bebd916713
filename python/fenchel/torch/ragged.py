# SPDX-License-Identifier: Apache-2.0
"""Ragged batches: lists of tensors, each an example of its own shape with its own Ω, in one loop in C++."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Sequence, Union

import numpy as np
import torch
from torch import Tensor

from .. import _core
from ._loss import full_precision
from ._operator import keep
from ._specs import known, own_cost, text_of
from ._tensors import check_given, check_no_tangent, graph_wanted, memory, tensor_of, widened

if TYPE_CHECKING:
    from typing_extensions import TypeIs

__all__ = ["is_ragged", "loss_each", "predict_each"]


def is_ragged(theta: Union[Tensor, Sequence[Tensor]]) -> TypeIs[Sequence[Tensor]]:
    """Whether scores are a list of examples."""
    return isinstance(theta, (list, tuple))


class _Batch:
    """The Ω of each example and where its entries begin in one flat tensor."""

    def __init__(self, theta: Sequence[Tensor], omega: Any):
        omegas = list(omega) if isinstance(omega, (list, tuple)) else [omega] * len(theta)
        if len(omegas) != len(theta):
            raise ValueError(f"omega has {len(omegas)} entries; expected {len(theta)}, one for each example of theta")
        for i, example in enumerate(theta):
            if not isinstance(example, Tensor) or not example.is_floating_point():
                raise TypeError(f"theta[{i}] is {type(example).__name__}; expected a tensor of real numbers")
            check_given(f"theta[{i}]", example)
        self.facts = [known(text_of(one)) for one in omegas]
        self.costs = [own_cost(one) for one in omegas]  # of names such as "hinge"
        self.cores = [facts.core for facts in self.facts]
        self.offsets = np.cumsum([0] + [example.numel() for example in theta]).astype(np.int64)
        self.threads = torch.get_num_threads() if len(theta) > 1 else 1


def _flat(tensors: Sequence[Tensor]) -> Tensor:
    return torch.cat([widened(tensor).reshape(-1) for tensor in tensors])


class _ProductEach(torch.autograd.Function):
    """J v of each example."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, v: Tensor, batch: _Batch) -> Tensor:
        product = _core.ragged_jvp(batch.cores, memory(values), memory(v), batch.offsets, batch.threads)
        return tensor_of(product, values)

    @staticmethod
    def backward(ctx: Any, *_: Any) -> tuple:
        raise RuntimeError("second derivatives of predictions of lists of examples are not available")

    jvp = backward


class _PredictEach(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, batch: _Batch) -> Tensor:
        keep(ctx, values)
        ctx.batch = batch
        return tensor_of(_core.ragged_predict(batch.cores, memory(values), batch.offsets, batch.threads), values)

    @staticmethod
    def backward(ctx: Any, v: Tensor) -> tuple:
        return _ProductEach.apply(ctx.saved_tensors[0], v, ctx.batch), None

    @staticmethod
    def jvp(ctx: Any, v: Tensor, _: Any) -> Tensor:
        return _ProductEach.apply(ctx.saved_tensors[0], v, ctx.batch)


class _LossEach(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, y: Tensor, batch: _Batch) -> Tensor:
        losses, gradient = _core.ragged_loss_and_gradient(batch.cores, memory(values), memory(y), batch.offsets,
                                                          batch.threads)
        keep(ctx, values, y, tensor_of(gradient, values))
        ctx.batch = batch
        return tensor_of(losses, values).to(values.dtype)

    @staticmethod
    def gradient(ctx: Any) -> Tensor:
        """ŷ − y, with its own graph where one is made."""
        values, y, gradient = ctx.saved_tensors
        return _PredictEach.apply(values, ctx.batch) - y if graph_wanted() else gradient

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple:
        lengths = torch.from_numpy(np.diff(ctx.batch.offsets)).to(g.device)
        return g.repeat_interleave(lengths) * _LossEach.gradient(ctx), None, None

    @staticmethod
    def jvp(ctx: Any, v: Tensor, *_: Any) -> Tensor:
        parts = (_LossEach.gradient(ctx) * v).split(np.diff(ctx.batch.offsets).tolist())
        return torch.stack([part.sum() for part in parts])


def predict_each(theta: Sequence[Tensor], omega: Any) -> List[Tensor]:
    """ŷ_Ω of each example; the scores of one are all its entries."""
    batch = _Batch(theta, omega)
    if not theta:
        return []
    flat = _PredictEach.apply(_flat(theta), batch)
    parts = flat.split([example.numel() for example in theta])
    return [part.reshape(example.shape).to(example.dtype) for part, example in zip(parts, theta)]


def loss_each(theta: Sequence[Tensor], y: Any, omega: Any) -> Tensor:
    """L_Ω of each example; y are labels or vectors like the scores, in a list or along the first axis of a tensor."""
    batch = _Batch(theta, omega)
    if isinstance(y, Tensor) and y.dim() > 0:
        y = y.unbind(0)
    if not isinstance(y, (list, tuple)) or len(y) != len(theta):
        count = len(y) if hasattr(y, "__len__") else "no"
        raise ValueError(f"y has {count} examples; expected {len(theta)} as theta has")
    if not theta:
        return torch.zeros(0)
    targets = []
    for i, (example, target) in enumerate(zip(theta, y)):
        target = torch.as_tensor(target)
        check_given(f"y[{i}]", target)
        check_no_tangent(f"y[{i}]", target, "losses of lists of examples are not differentiated with respect to it")
        if target.dim() == 0 and not target.is_floating_point() and batch.facts[i].core.domain != "polytope":
            if not 0 <= int(target) < example.numel():
                raise ValueError(f"y[{i}] is {int(target)}; expected a label from 0 to {example.numel() - 1}")
            target = torch.nn.functional.one_hot(target, example.numel())
        if target.numel() != example.numel():
            raise ValueError(f"y[{i}] has shape {tuple(target.shape)}; expected that of theta[{i}], "
                             f"{tuple(example.shape)}")
        simplex = batch.facts[i].core.domain == "simplex"
        flat = target.to(example.device).reshape(-1)
        targets.append(full_precision(flat, widened(example).dtype, simplex))
    scores = [example if cost is None else widened(example).reshape(-1) + (cost[0] + cost[1] * target)
              for example, cost, target in zip(theta, batch.costs, targets)]
    return _LossEach.apply(_flat(scores), _flat(targets), batch)
