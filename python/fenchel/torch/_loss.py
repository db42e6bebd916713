# SPDX-License-Identifier: Apache-2.0
"""L_Ω of rows: computed now together with its gradient ŷ − y, differentiated, and registered for tracers.

Targets are labels (int64, one per row; `ignore_index` stands for none) or rows like θ.
"""
from __future__ import annotations

from typing import Any, Optional

import numpy as np
import torch
from torch import Tensor

from . import _row_values, _rows, _structures
from ._backend import forced, nan_propagates
from ._operator import InTensors, Operator, inner, keep, like_first, one_per_row
from ._predict import predict_rows
from ._specs import known, owners
from ._tensors import (
    address,
    check_given,
    differentiated,
    fast_apply,
    forward_mode,
    graph_wanted,
    is_plain,
    labels_memory,
    memory,
    tensor_of,
    threads_for,
)

_HALF = (torch.float16, torch.bfloat16)
_MOST_ROUNDING = 1e-2  # a sum further from 1 is not due to rounding, whatever the type


def full_precision(y: Tensor, dtype: torch.dtype, simplex: bool) -> Tensor:
    """Rows y in the type of the scores. Those of half precision on the simplex sum to 1 but for rounding: rescaled."""
    if y.dtype is not dtype:
        check_given("y", y)
    wide = y.to(dtype)
    if not simplex or y.dtype not in _HALF:
        return wide
    total = wide.detach().sum(-1, keepdim=True)
    rounding = min(y.shape[-1] * torch.finfo(y.dtype).eps, _MOST_ROUNDING)
    return wide / total.where((total - 1).abs() <= rounding, 1)


def targets_memory(theta: Tensor, y: Tensor, ignore_index: int) -> tuple[np.ndarray, np.ndarray, Optional[np.ndarray]]:
    """θ and y as arrays, and which rows are ignored; those get scores and a label that are certainly valid."""
    scores = memory(theta)
    if y.is_floating_point():
        return scores, memory(y), None
    labels = labels_memory(y)
    ignored = labels == ignore_index
    if not ignored.any():
        return scores, labels, None
    scores = scores.copy()
    scores[ignored] = 0
    return scores, np.where(ignored, 0, labels), ignored


def _loss_arrays(theta: Tensor, y: Tensor, omega: str, ignore_index: int) -> tuple[np.ndarray, np.ndarray, int]:
    """L_Ω of every row, ŷ − y, both 0 in ignored rows, and how many rows are not ignored."""
    scores, targets, ignored = targets_memory(theta, y, ignore_index)
    losses, gradient = known(omega).loss.value_and_gradient(scores, targets, threads_for(theta))
    if ignored is None:
        return losses, gradient, losses.size
    losses[ignored] = 0
    gradient[ignored] = 0
    return losses, gradient, losses.size - int(ignored.sum())


def loss_now(theta: Tensor, y: Tensor, omega: str, ignore_index: int) -> tuple[Tensor, Tensor]:
    """L_Ω of every row in the type of θ, and ŷ − y; both 0 in ignored rows."""
    losses, gradient, _ = _loss_arrays(theta, y, omega, ignore_index)
    return tensor_of(losses.astype(gradient.dtype, copy=False), theta), tensor_of(gradient, theta)


def kept_rows(y: Tensor, ignore_index: int) -> int | Tensor:
    """How many labels stand for a class, at least 1."""
    if is_plain(y):
        return max(y.numel() - int(np.count_nonzero(memory(y) == ignore_index)), 1)
    return (y != ignore_index).sum().clamp(min=1)


def difference(prediction: Tensor, y: Tensor, ignore_index: int) -> Tensor:
    """ŷ − y in tensor operations, 0 in ignored rows."""
    if y.is_floating_point():
        return prediction - y
    ignored = (y == ignore_index).unsqueeze(-1)
    labels = y.unsqueeze(-1).masked_fill(ignored, 0).to(torch.int64)
    return (prediction - torch.zeros_like(prediction).scatter(-1, labels, 1)).masked_fill(ignored, 0)


def clean(theta: Tensor, y: Tensor, ignore_index: int) -> Tensor:
    """θ with valid scores in ignored rows, whatever they held."""
    return theta if y.is_floating_point() else theta.masked_fill((y == ignore_index).unsqueeze(-1), 0)


def _link_now(y: Tensor, omega: str) -> Tensor:
    """∇Ω(y)."""
    link = known(omega).core.gradient(memory(y.to(torch.float64)))
    if not np.isfinite(link).all():
        raise ValueError(f"y lies on the boundary of the domain, where {known(omega).name} has no finite gradient; "
                         "the loss cannot be differentiated with respect to it")
    return tensor_of(link, y).to(y.dtype)


def _refused(ctx: Any, *_: Any) -> tuple:
    raise RuntimeError("second derivatives of the loss with respect to y are not available")


_link = Operator("link", "(Tensor y, str omega) -> Tensor", _link_now, like_first,
                 save=lambda ctx, inputs, output: None, backward=_refused, jvp=_refused)


def _theta_gradient(ctx: Any) -> Tensor:
    """ŷ − y, with its own graph."""
    theta, y, _ = ctx.saved_tensors
    return difference(predict_rows(clean(theta, y, ctx.ignore_index), ctx.omega), y, ctx.ignore_index)


def _target_gradient(theta: Tensor, y: Tensor, omega: str) -> Tensor:
    """∇Ω(y) − θ: the gradient with respect to y; 0 where a mask keeps y at 0."""
    barred = theta == -float("inf")
    plan = _rows.plan_of(omega)
    if plan.kind in ("", "argmax"):
        link = _link(y, omega)
    else:
        link = _link_now(y, omega) if is_plain(y) else None  # which says what is wrong
        if link is None or graph_wanted() or forced():
            link = _row_values.gradient(y, plan)  # which has second derivatives
    return (link - theta.masked_fill(barred, 0)).masked_fill(barred, 0)


def _backward(ctx: Any, g: Tensor, *_: Any) -> tuple:
    theta, y, gradient = ctx.saved_tensors
    if graph_wanted():
        gradient = _theta_gradient(ctx)
    y_gradient = g.unsqueeze(-1) * _target_gradient(theta, y, ctx.omega) if ctx.needs_input_grad[1] else None
    return g.unsqueeze(-1) * gradient, y_gradient, None, None


def _jvp(ctx: Any, v: Any, u: Any) -> Any:
    theta, y, _ = ctx.saved_tensors
    change = 0.0 if v is None else inner(_theta_gradient(ctx), v)
    return change if u is None else change + inner(_target_gradient(theta, y, ctx.omega), u)


def _save(ctx: Any, inputs: tuple, output: tuple) -> None:
    theta, y, ctx.omega, ctx.ignore_index = inputs
    keep(ctx, theta, y, output[1])
    ctx.mark_non_differentiable(output[1])


def rows_of(y: Tensor, like: Tensor, ignore_index: int) -> Tensor:
    """Targets as rows; those of ignored labels are the first vertex."""
    if y.is_floating_point():
        return y
    labels = y.masked_fill(y == ignore_index, 0).to(torch.int64).unsqueeze(-1)
    return torch.zeros_like(like).scatter(-1, labels, 1)


def without_ignored(losses: Tensor, y: Tensor, ignore_index: int) -> Tensor:
    """Losses, 0 in ignored rows."""
    return losses if y.is_floating_point() else losses.masked_fill(y == ignore_index, 0)


def _loss_by_tensors(omega: str, ignore_index: int) -> Any:
    plan = _rows.plan_of(omega)
    if not plan.kind:
        return _structures.loss_by_tensors(omega)

    def compute(theta: Tensor, y: Tensor, differentiable: bool = False) -> tuple[Tensor, Tensor]:
        theta = clean(theta, y, ignore_index)
        prediction = _rows.predict(theta, plan, differentiable)
        losses = _row_values.loss(theta, rows_of(y, theta, ignore_index), prediction, plan, differentiable)
        return without_ignored(losses, y, ignore_index), difference(prediction.detach(), y.detach(), ignore_index)

    return InTensors(compute, lambda theta, y: compute(theta, y, differentiable=True))


_loss = Operator("loss", "(Tensor theta, Tensor y, str omega, int ignore_index) -> (Tensor, Tensor)", loss_now,
                 lambda theta, *_: (one_per_row(theta), like_first(theta)), save=_save, backward=_backward, jvp=_jvp,
                 by_tensors=_loss_by_tensors)


class _Total(torch.autograd.Function):
    """The sum or mean of the losses at once, for tensors that are plain: two operations of torch fewer, and back."""

    @staticmethod
    def forward(ctx: Any, theta: Tensor, y: Tensor, omega: str, ignore_index: int, mean: bool) -> Tensor:
        total = None
        place, labels = address(theta), address(y) if y.dtype is torch.int64 else 0
        if place != 0 and labels != 0 and theta.numel() > 0:
            columns, kept, gradient = theta.shape[-1], y.numel(), torch.empty_like(theta)
            total = known(omega).core.total_at(place, labels, gradient.data_ptr(), kept, columns, ignore_index,
                                               theta.dtype is torch.float32, threads_for(theta))
        if total is None:
            losses, array, kept = _loss_arrays(theta, y, omega, ignore_index)
            total, gradient = float(losses.sum()), torch.from_numpy(array)
        ctx.save_for_backward(theta, y, gradient)
        ctx.omega, ctx.ignore_index, ctx.owners = omega, ignore_index, owners((omega,))
        ctx.share = 1 / max(kept, 1) if mean else 1.0
        return torch.full((), total * ctx.share, dtype=theta.dtype, device=theta.device)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple:
        theta, y, gradient = ctx.saved_tensors
        if graph_wanted() or ctx.needs_input_grad[1]:
            return (*_backward(ctx, (g * ctx.share).expand(theta.shape[:-1])), None)
        return gradient * (g * ctx.share), None, None, None, None


_apply_total = fast_apply(_Total)


def loss_total(theta: Tensor, y: Tensor, omega: str, ignore_index: int, mean: bool) -> Optional[Tensor]:
    """The sum or the mean of the losses, with gradients; None where the caller has to reduce them himself."""
    if not is_plain(theta, y) or forced() or nan_propagates() or forward_mode() or not differentiated(theta, y):
        return None
    return _apply_total(theta, y, omega, ignore_index, mean)


def loss_rows(theta: Tensor, y: Tensor, omega: str, ignore_index: int) -> Tensor:
    """L_Ω(θ; y) of every row, with gradients."""
    if not is_plain(theta, y) or forced() or nan_propagates() or differentiated(theta, y):
        return _loss(theta, y, omega, ignore_index)[0]
    scores, targets, ignored = targets_memory(theta, y, ignore_index)
    losses = known(omega).loss.value(scores, targets, threads_for(theta))
    if ignored is not None:
        losses[ignored] = 0
    return torch.from_numpy(losses.astype(scores.dtype, copy=False))
