# SPDX-License-Identifier: Apache-2.0
"""α-entmax and its loss with an α for each row, differentiated in θ and α: computed now and registered for tracers.

θ has the scores along its last axis; α has one entry per row. Runs of rows with one α, such as the rows of a head of
attention, go through the kernels of that α.
"""
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .. import _core
from . import _row_values, _rows, jacobians
from ._loss import clean, difference, rows_of, targets_memory, without_ignored
from ._operator import InTensors, Operator, inner, keep, like_first, one_per_row
from ._tensors import graph_wanted, memory, tensor_of, threads_for


def _orders(alpha: Tensor) -> Any:
    return memory(alpha.detach().to(torch.float64).reshape(-1))


def _entmax_now(theta: Tensor, alpha: Tensor) -> Tensor:
    return tensor_of(_core.entmax_rows(memory(theta), _orders(alpha), threads_for(theta)), theta)


def _backward_now(prediction: Tensor, alpha: Tensor, v: Tensor, alpha_wanted: bool) -> tuple[Tensor, Tensor]:
    product, slopes = _core.entmax_backward(memory(prediction), _orders(alpha), memory(v), alpha_wanted, threads_for(v))
    alpha_gradient = tensor_of(slopes, alpha).to(alpha.dtype).reshape(alpha.shape if alpha_wanted else (0,))
    return tensor_of(product, prediction), alpha_gradient


def _once(*_: Any) -> Any:
    raise RuntimeError("the products of entmax are differentiated by their formulas")  # so that this is never called


def _order(alpha: Tensor, theta: Tensor) -> Tensor:
    return (alpha.to(theta.dtype) - 1).unsqueeze(-1)


def _entmax_by_tensors() -> Any:
    return InTensors(lambda theta, alpha: _rows.entmax(theta, _order(alpha, theta)),
                     lambda theta, alpha: _rows.entmax(theta, _order(alpha, theta), differentiable=True))


def _backward_by_tensors(alpha_wanted: bool) -> Any:
    def compute(prediction: Tensor, alpha: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        product, slopes = jacobians.entmax_products(prediction, alpha, v)
        return product, slopes.to(alpha.dtype) if alpha_wanted else alpha.new_empty(0)

    return InTensors(compute, compute)


def _loss_by_tensors(ignore_index: int) -> Any:
    def losses_of(theta: Tensor, target: Tensor, prediction: Tensor, a: Tensor) -> Tensor:
        inner = _row_values.inner_difference(theta, prediction, target)
        return inner + _row_values.tsallis_value(target, a) - _row_values.tsallis_value(prediction, a)

    def compute(theta: Tensor, y: Tensor, alpha: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        theta, a = clean(theta, y, ignore_index), _order(alpha, theta)
        prediction, target = _rows.entmax(theta, a), rows_of(y, theta, ignore_index)
        losses = losses_of(theta, target, prediction, a).clamp(min=0)
        slopes = jacobians.omega_alpha_derivative(target, alpha) - jacobians.omega_alpha_derivative(prediction, alpha)
        return (without_ignored(losses, y, ignore_index), difference(prediction, y, ignore_index),
                without_ignored(slopes, y, ignore_index).to(alpha.dtype))

    def differentiable(theta: Tensor, y: Tensor, alpha: Tensor) -> tuple[Tensor]:
        theta, a = clean(theta, y, ignore_index), _order(alpha, theta)
        losses = losses_of(theta, rows_of(y, theta, ignore_index), _rows.entmax(theta, a, differentiable=True), a)
        return (without_ignored(losses, y, ignore_index),)

    return InTensors(compute, differentiable)


_products = Operator("entmax_backward", "(Tensor prediction, Tensor alpha, Tensor v, bool alpha_wanted) -> (Tensor, Tensor)",
                     _backward_now, lambda prediction, alpha, v, alpha_wanted: (
                         like_first(prediction), like_first(alpha) if alpha_wanted else alpha.new_empty(0)),
                     save=lambda ctx, inputs, output: None, backward=_once, jvp=_once,
                     by_tensors=_backward_by_tensors, lenient=True)


def _entmax_backward(ctx: Any, v: Tensor) -> tuple:
    prediction, alpha = ctx.saved_tensors
    wanted = ctx.needs_input_grad[1]
    if graph_wanted():
        product, slopes = jacobians.entmax_products(prediction, alpha, v)
        slopes = slopes.to(alpha.dtype)
    else:
        product, slopes = _products(prediction, alpha, v, wanted)
    return product, slopes if wanted else None


def _save_prediction(ctx: Any, inputs: tuple, output: Tensor) -> None:
    keep(ctx, output, inputs[1])


def _entmax_jvp(ctx: Any, v: Any, u: Any) -> Tensor:
    prediction, alpha = ctx.saved_tensors
    return jacobians.entmax_tangent(prediction, alpha, v, u)


#: The α-entmax of every row, with gradients in θ and α.
entmax_rows = Operator("entmax", "(Tensor theta, Tensor alpha) -> Tensor", _entmax_now, like_first,
                       save=_save_prediction, backward=_entmax_backward, jvp=_entmax_jvp, by_tensors=_entmax_by_tensors)


def _loss_now(theta: Tensor, y: Tensor, alpha: Tensor, ignore_index: int) -> tuple[Tensor, Tensor, Tensor]:
    scores, targets, ignored = targets_memory(theta, y, ignore_index)
    losses, gradient, slopes = _core.entmax_loss(scores, targets, _orders(alpha), True, threads_for(theta))
    losses, slopes = losses.reshape(scores.shape[:-1]), slopes.reshape(scores.shape[:-1])
    if ignored is not None:
        losses[ignored], gradient[ignored], slopes[ignored] = 0, 0, 0
    return (tensor_of(losses.astype(gradient.dtype, copy=False), theta), tensor_of(gradient, theta),
            tensor_of(slopes, theta).to(alpha.dtype))


def _loss_gradients(ctx: Any) -> tuple[Tensor, Tensor]:
    """The gradients in θ and α, with their own graphs."""
    theta, y, alpha, _, _ = ctx.saved_tensors
    prediction = entmax_rows(clean(theta, y, ctx.ignore_index), alpha)
    slopes = -jacobians.omega_alpha_derivative(prediction, alpha)
    if y.is_floating_point():
        slopes = slopes + jacobians.omega_alpha_derivative(y, alpha)
    else:
        slopes = slopes.masked_fill(y == ctx.ignore_index, 0)
    return difference(prediction, y, ctx.ignore_index), slopes


def _loss_backward(ctx: Any, g: Tensor, *_: Any) -> tuple:
    theta, y, alpha, gradient, slopes = ctx.saved_tensors
    if graph_wanted():
        gradient, slopes = _loss_gradients(ctx)
    alpha_gradient = (g * slopes).to(alpha.dtype) if ctx.needs_input_grad[2] else None
    y_gradient = g.unsqueeze(-1) * (jacobians.tsallis_gradient(y, alpha) - theta) if ctx.needs_input_grad[1] else None
    return g.unsqueeze(-1) * gradient, y_gradient, alpha_gradient, None


def _loss_jvp(ctx: Any, v: Any, u: Any, alpha_tangent: Any) -> Any:
    theta, y, alpha, _, _ = ctx.saved_tensors
    gradient, slopes = _loss_gradients(ctx)
    change = inner(gradient, v)
    if alpha_tangent is not None:
        change = change + slopes * alpha_tangent.to(slopes.dtype)
    return change if u is None else change + inner(jacobians.tsallis_gradient(y, alpha) - theta, u)


def _save_loss(ctx: Any, inputs: tuple, output: tuple) -> None:
    theta, y, alpha, ctx.ignore_index = inputs
    keep(ctx, theta, y, alpha, output[1], output[2])
    ctx.mark_non_differentiable(output[1], output[2])


_loss = Operator("entmax_loss", "(Tensor theta, Tensor y, Tensor alpha, int ignore_index) -> (Tensor, Tensor, Tensor)",
                 _loss_now, lambda theta, y, alpha, _: (one_per_row(theta), like_first(theta), like_first(alpha)),
                 save=_save_loss, backward=_loss_backward, jvp=_loss_jvp, by_tensors=_loss_by_tensors)


def entmax_loss_rows(theta: Tensor, y: Tensor, alpha: Tensor, ignore_index: int) -> Tensor:
    """The Tsallis loss of every row with its own α, with gradients in θ and α."""
    return _loss(theta, y, alpha, ignore_index)[0]
