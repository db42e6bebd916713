# SPDX-License-Identifier: Apache-2.0
"""Predictions and losses of rows with gradients; second derivatives are those of tensor operations."""
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ..torch import jacobians
from ..torch._loss import difference
from . import _rows


class Entmax(torch.autograd.Function):
    """ŷ of every row of a matrix."""

    @staticmethod
    def forward(ctx: Any, theta: Tensor, alpha: float) -> Tensor:
        ctx.alpha = alpha
        prediction = _rows.predict(theta.detach(), alpha)
        ctx.save_for_backward(prediction)
        return prediction

    @staticmethod
    def backward(ctx: Any, v: Tensor) -> Any:
        prediction, = ctx.saved_tensors
        if torch.is_grad_enabled():
            wide = prediction.float()
            s = jacobians.power_on_support(wide, 2 - ctx.alpha)
            return jacobians.centred(s, v.float()).to(prediction.dtype), None
        return _rows.product(prediction, v.to(prediction.dtype), ctx.alpha), None


class EntmaxLoss(torch.autograd.Function):
    """The loss of every row of a matrix against labels, in float32."""

    @staticmethod
    def forward(ctx: Any, theta: Tensor, labels: Tensor, alpha: float, ignore_index: int) -> Tensor:
        losses, state = _rows.losses_of(theta.detach(), labels, alpha, ignore_index)
        ctx.save_for_backward(theta, labels, state)
        ctx.alpha, ctx.ignore_index = alpha, ignore_index
        return losses

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        theta, labels, state = ctx.saved_tensors
        if torch.is_grad_enabled():
            prediction = Entmax.apply(theta, ctx.alpha)
            gradient = g.unsqueeze(-1) * difference(prediction.float(), labels, ctx.ignore_index)
            return gradient.to(theta.dtype), None, None, None
        return _rows.loss_gradient(theta, labels, g.float(), state, ctx.alpha, ctx.ignore_index), None, None, None
