# SPDX-License-Identifier: Apache-2.0
"""α-entmax and its loss with an α for each row, differentiated in θ and α: computed now and registered for tracers.

θ has the scores along its last axis; α has one entry a row. Runs of rows with one α, such as the rows of a head of
attention, go through the kernels of that α.
"""
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .. import _core
from . import jacobians
from ._loss import clean, difference, targets_memory
from ._tensors import batched, fast_apply, is_plain, memory, tensor_of, threads_for, under_transform


def _orders(alpha: Tensor) -> Any:
    return memory(alpha.detach().to(torch.float64).reshape(-1))


def _entmax_now(theta: Tensor, alpha: Tensor) -> Tensor:
    return tensor_of(_core.entmax_rows(memory(theta), _orders(alpha), threads_for(theta)), theta)


def _backward_now(prediction: Tensor, alpha: Tensor, v: Tensor, alpha_wanted: bool) -> tuple[Tensor, Tensor]:
    product, slopes = _core.entmax_backward(memory(prediction), _orders(alpha), memory(v), alpha_wanted, threads_for(v))
    alpha_gradient = tensor_of(slopes, alpha).to(alpha.dtype).reshape(alpha.shape if alpha_wanted else (0,))
    return tensor_of(product, prediction), alpha_gradient


def _entmax_backward(ctx: Any, v: Tensor) -> tuple:
    prediction, alpha = ctx.saved_tensors
    wanted = ctx.needs_input_grad[1]
    if torch.is_grad_enabled():
        product, slopes = jacobians.entmax_products(prediction, alpha, v)
        slopes = slopes.to(alpha.dtype)
    elif is_plain(prediction, alpha, v) or under_transform():
        product, slopes = _backward_now(prediction, alpha, v, wanted)
    else:
        product, slopes = torch.ops.fenchel.entmax_backward(prediction, alpha, v)
    return product, slopes if wanted else None


def _save_prediction(ctx: Any, inputs: tuple, output: Tensor) -> None:
    ctx.save_for_backward(output, inputs[1])


class _Entmax(torch.autograd.Function):
    forward = staticmethod(_entmax_now)
    setup_context = staticmethod(_save_prediction)
    backward = staticmethod(_entmax_backward)
    vmap = batched(lambda *inputs: entmax_rows(*inputs), 2)


_apply_entmax = fast_apply(_Entmax)


def entmax_rows(theta: Tensor, alpha: Tensor) -> Tensor:
    """The α-entmax of every row, with gradients in θ and α."""
    if is_plain(theta, alpha):
        return _apply_entmax(theta, alpha)
    return _Entmax.apply(theta, alpha) if under_transform() else torch.ops.fenchel.entmax(theta, alpha)


@torch.library.custom_op("fenchel::entmax", mutates_args=(), schema="(Tensor theta, Tensor alpha) -> Tensor")
def _entmax_op(theta, alpha):
    return _entmax_now(theta, alpha)


@_entmax_op.register_fake
def _(theta, alpha):
    return torch.empty_like(theta, memory_format=torch.contiguous_format)


@torch.library.custom_op("fenchel::entmax_backward", mutates_args=(),
                         schema="(Tensor prediction, Tensor alpha, Tensor v) -> (Tensor, Tensor)")
def _backward_op(prediction, alpha, v):
    return _backward_now(prediction, alpha, v, True)


@_backward_op.register_fake
def _(prediction, alpha, v):
    return (torch.empty_like(prediction, memory_format=torch.contiguous_format),
            torch.empty_like(alpha, memory_format=torch.contiguous_format))


_entmax_op.register_autograd(_entmax_backward, setup_context=_save_prediction)


def _loss_now(theta: Tensor, y: Tensor, alpha: Tensor, ignore_index: int) -> tuple[Tensor, Tensor, Tensor]:
    scores, targets, ignored = targets_memory(theta, y, ignore_index)
    losses, gradient, slopes = _core.entmax_loss(scores, targets, _orders(alpha), True, threads_for(theta))
    losses, slopes = losses.reshape(scores.shape[:-1]), slopes.reshape(scores.shape[:-1])
    if ignored is not None:
        losses[ignored], gradient[ignored], slopes[ignored] = 0, 0, 0
    return (tensor_of(losses.astype(gradient.dtype, copy=False), theta), tensor_of(gradient, theta),
            tensor_of(slopes, theta).to(alpha.dtype))


def _loss_backward(ctx: Any, g: Tensor, *_: Any) -> tuple:
    theta, y, alpha, gradient, slopes = ctx.saved_tensors
    if torch.is_grad_enabled():
        prediction = entmax_rows(clean(theta, y, ctx.ignore_index), alpha)
        gradient = difference(prediction, y, ctx.ignore_index)
        slopes = -jacobians.omega_alpha_derivative(prediction, alpha)
        if y.is_floating_point():
            slopes = slopes + jacobians.omega_alpha_derivative(y, alpha)
        else:
            slopes = slopes.masked_fill(y == ctx.ignore_index, 0)
        slopes = slopes.to(alpha.dtype)
    alpha_gradient = (g * slopes).to(alpha.dtype) if ctx.needs_input_grad[2] else None
    y_gradient = g.unsqueeze(-1) * (jacobians.tsallis_gradient(y, alpha) - theta) if ctx.needs_input_grad[1] else None
    return g.unsqueeze(-1) * gradient, y_gradient, alpha_gradient, None


def _save_loss(ctx: Any, inputs: tuple, output: tuple) -> None:
    theta, y, alpha, ctx.ignore_index = inputs
    ctx.save_for_backward(theta, y, alpha, output[1], output[2])
    ctx.mark_non_differentiable(output[1], output[2])


class _EntmaxLoss(torch.autograd.Function):
    forward = staticmethod(_loss_now)
    setup_context = staticmethod(_save_loss)
    backward = staticmethod(_loss_backward)
    vmap = batched(lambda *inputs: _EntmaxLoss.apply(*inputs), 3)


_apply_loss = fast_apply(_EntmaxLoss)


@torch.library.custom_op("fenchel::entmax_loss", mutates_args=(),
                         schema="(Tensor theta, Tensor y, Tensor alpha, int ignore_index) -> (Tensor, Tensor, Tensor)")
def _loss_op(theta, y, alpha, ignore_index):
    return _loss_now(theta, y, alpha, ignore_index)


@_loss_op.register_fake
def _(theta, y, alpha, ignore_index):
    return (theta.new_empty(theta.shape[:-1]), torch.empty_like(theta, memory_format=torch.contiguous_format),
            torch.empty_like(alpha, memory_format=torch.contiguous_format))


_loss_op.register_autograd(_loss_backward, setup_context=_save_loss)


def entmax_loss_rows(theta: Tensor, y: Tensor, alpha: Tensor, ignore_index: int) -> Tensor:
    """The Tsallis loss of every row with its own α, with gradients in θ and α."""
    if is_plain(theta, y, alpha):
        return _apply_loss(theta, y, alpha, ignore_index)[0]
    operator = _EntmaxLoss.apply if under_transform() else torch.ops.fenchel.entmax_loss
    return operator(theta, y, alpha, ignore_index)[0]
