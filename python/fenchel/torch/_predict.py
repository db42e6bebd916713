# SPDX-License-Identifier: Apache-2.0
"""ŷ_Ω and Ω* of rows: computed now, differentiated, and registered with torch.library for tracers.

Scores lie along the last axis, in float32 or float64. Ω is passed as its text.
"""
from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from .. import _core
from . import jacobians
from ._specs import known
from ._tensors import batched, directly, fast_apply, is_plain, memory, tensor_of, threads_for, under_transform


def predict_now(theta: Tensor, omega: str) -> Tensor:
    """ŷ_Ω of every row."""
    if directly(theta):
        out = torch.empty_like(theta)
        columns = theta.shape[-1]
        known(omega).core.predict_at(theta.data_ptr(), out.data_ptr(), theta.numel() // columns, columns,
                                     theta.dtype is torch.float32, threads_for(theta))
        return out
    return tensor_of(known(omega).core.predict(memory(theta), None, threads_for(theta)), theta)


def _jvp_rows(core: Any, theta: np.ndarray, v: np.ndarray, threads: int) -> np.ndarray:
    """J v; rows whose v is not finite are NaN, as overflow under gradient scaling expects."""
    finite = np.isfinite(v).all(-1)
    if finite.all():
        return core.jvp(theta, v, threads)
    product = core.jvp(theta, np.where(finite[..., None], v, 0), threads)
    product[~finite] = np.nan
    return product


def vjp_now(theta: Tensor, prediction: Tensor, v: Tensor, omega: str) -> Tensor:
    """J v, J the symmetric Jacobian of ŷ_Ω at θ; from the prediction alone where that is enough."""
    facts = known(omega)
    direction = memory(v)
    if facts.order is None:
        return tensor_of(_jvp_rows(facts.core, memory(theta), direction, threads_for(theta)), theta)
    product, _ = _core.entmax_backward(memory(prediction), facts.orders, direction, False, threads_for(v))
    if facts.temperature != 1:
        product /= facts.temperature
    return tensor_of(product, theta)


def vjp(theta: Tensor, prediction: Tensor, v: Tensor, omega: str) -> Tensor:
    """J v; in operations that can be differentiated again where a graph is being made."""
    if torch.is_grad_enabled():
        product = jacobians.formula(known(omega))
        if product is not None:
            return product(prediction, v)
        return _Product.apply(theta, prediction, v, omega)
    if is_plain(theta, prediction, v):
        return vjp_now(theta, prediction, v, omega)
    if under_transform():
        return _Product.apply(theta, prediction, v, omega)
    return torch.ops.fenchel.vjp(theta, prediction, v, omega)


class _Product(torch.autograd.Function):
    """J v where no formula is known: linear in v; in θ constant if ŷ_Ω is piecewise linear, else refused."""

    @staticmethod
    def forward(theta: Tensor, prediction: Tensor, v: Tensor, omega: str) -> Tensor:
        return vjp_now(theta, prediction, v, omega)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: Tensor) -> None:
        theta, prediction, _, ctx.omega = inputs
        ctx.save_for_backward(theta, prediction)

    @staticmethod
    def backward(ctx: Any, w: Tensor) -> tuple:
        facts = known(ctx.omega)
        if not facts.piecewise_linear:
            raise RuntimeError(f"the second derivative of the prediction of {facts.name} is not available; "
                               "double backward works for entropies on the simplex, for coordinatewise Ω, and where "
                               "predictions are piecewise linear, as those of SparseMap")
        theta, prediction = ctx.saved_tensors
        return None, None, vjp(theta.detach(), prediction.detach(), w, ctx.omega), None

    vmap = batched(lambda *inputs: _Product.apply(*inputs), 3)


def _save_prediction(ctx: Any, inputs: tuple, output: Tensor) -> None:
    theta, ctx.omega = inputs
    # Where ŷ alone gives the Jacobian, θ need not be kept.
    ctx.save_for_backward(output if known(ctx.omega).order is not None else theta, output)


def _predict_backward(ctx: Any, v: Tensor) -> tuple:
    theta, prediction = ctx.saved_tensors
    return vjp(theta, prediction, v, ctx.omega), None


class _Predict(torch.autograd.Function):
    forward = staticmethod(predict_now)
    setup_context = staticmethod(_save_prediction)
    backward = staticmethod(_predict_backward)
    vmap = batched(lambda *inputs: predict_rows(*inputs), 1)


_apply_predict = fast_apply(_Predict)


def predict_rows(theta: Tensor, omega: str) -> Tensor:
    """ŷ_Ω of every row, with gradients."""
    if is_plain(theta):
        if theta.requires_grad and torch.is_grad_enabled():
            return _apply_predict(theta, omega)
        return predict_now(theta, omega)
    return _Predict.apply(theta, omega) if under_transform() else torch.ops.fenchel.predict(theta, omega)


@torch.library.custom_op("fenchel::predict", mutates_args=(), schema="(Tensor theta, str omega) -> Tensor")
def _predict_op(theta, omega):
    return predict_now(theta, omega)


@_predict_op.register_fake
def _(theta, omega):
    return torch.empty_like(theta, memory_format=torch.contiguous_format)


_predict_op.register_autograd(_predict_backward, setup_context=_save_prediction)


@torch.library.custom_op("fenchel::vjp", mutates_args=(),
                         schema="(Tensor theta, Tensor prediction, Tensor v, str omega) -> Tensor")
def _vjp_op(theta, prediction, v, omega):
    return vjp_now(theta, prediction, v, omega)


@_vjp_op.register_fake
def _(theta, prediction, v, omega):
    return torch.empty_like(prediction, memory_format=torch.contiguous_format)


def _conjugate_now(theta: Tensor, omega: str) -> Tensor:
    values = known(omega).core.conjugate(memory(theta), threads_for(theta))
    return tensor_of(values, theta).to(theta.dtype)


def _save_theta(ctx: Any, inputs: tuple, output: Tensor) -> None:
    theta, ctx.omega = inputs
    ctx.save_for_backward(theta)


def _conjugate_backward(ctx: Any, g: Tensor) -> tuple:
    return g.unsqueeze(-1) * predict_rows(ctx.saved_tensors[0], ctx.omega), None


class _Conjugate(torch.autograd.Function):
    forward = staticmethod(_conjugate_now)
    setup_context = staticmethod(_save_theta)
    backward = staticmethod(_conjugate_backward)
    vmap = batched(lambda *inputs: conjugate_rows(*inputs), 1)


_apply_conjugate = fast_apply(_Conjugate)


@torch.library.custom_op("fenchel::conjugate", mutates_args=(), schema="(Tensor theta, str omega) -> Tensor")
def _conjugate_op(theta, omega):
    return _conjugate_now(theta, omega)


@_conjugate_op.register_fake
def _(theta, omega):
    return theta.new_empty(theta.shape[:-1])


_conjugate_op.register_autograd(_conjugate_backward, setup_context=_save_theta)


def conjugate_rows(theta: Tensor, omega: str) -> Tensor:
    """Ω*(θ) of every row; its gradient is ŷ_Ω(θ)."""
    if is_plain(theta):
        return _apply_conjugate(theta, omega)
    return _Conjugate.apply(theta, omega) if under_transform() else torch.ops.fenchel.conjugate(theta, omega)
