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
from . import _row_values, _rows, _structures, jacobians
from ._backend import tensors_wanted
from ._operator import InTensors, Operator, inner, keep, like_first, one_per_row
from ._specs import known, prediction_is_enough
from ._tensors import address, graph_wanted, memory, tensor_of, threads_for


def predict_now(theta: Tensor, omega: str) -> Tensor:
    """ŷ_Ω of every row."""
    place = address(theta)
    if place != 0 and theta.numel() > 0:
        out = torch.empty_like(theta)
        columns = theta.shape[-1]
        known(omega).core.predict_at(place, out.data_ptr(), theta.numel() // columns, columns,
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


def _save_product(ctx: Any, inputs: tuple, output: Tensor) -> None:
    theta, prediction, _, ctx.omega = inputs
    keep(ctx, theta, prediction)


def _linear_product(ctx: Any, w: Tensor) -> Tensor:
    """The derivative of J v, which is linear in v; in θ it is constant if ŷ_Ω is piecewise linear, else refused."""
    facts = known(ctx.omega)
    if not facts.piecewise_linear:
        raise RuntimeError(f"the second derivative of the prediction of {facts.name} is not available; "
                           "it is for entropies on the simplex, for coordinatewise Ω, and where "
                           "predictions are piecewise linear, as those of SparseMap")
    theta, prediction = ctx.saved_tensors
    return vjp(theta.detach(), prediction.detach(), w, ctx.omega)


def _product_backward(ctx: Any, w: Tensor) -> tuple:
    return None, None, _linear_product(ctx, w), None


def _product_jvp(ctx: Any, theta: Any, prediction: Any, v: Any) -> Tensor:
    return _linear_product(ctx, torch.zeros_like(ctx.saved_tensors[1]) if v is None else v)


def _product_by_tensors(omega: str) -> Any:
    plan = _rows.plan_of(omega)

    def compute(theta: Tensor, prediction: Tensor, v: Tensor) -> Tensor:
        return _rows.product(prediction, v, plan)

    return InTensors(compute, compute) if plan.kind else None


def _predict_by_tensors(omega: str) -> Any:
    plan = _rows.plan_of(omega)
    if not plan.kind:
        return _structures.predict_by_tensors(omega)
    return InTensors(lambda theta: _rows.predict(theta, plan), lambda theta: _rows.predict(theta, plan, differentiable=True))


def _conjugate_by_tensors(omega: str) -> Any:
    plan = _rows.plan_of(omega)
    if not plan.kind:
        return _structures.conjugate_by_tensors(omega)
    return InTensors(lambda theta: _row_values.conjugate(theta, plan),
                     lambda theta: _row_values.conjugate(theta, plan, differentiable=True))


_product = Operator("vjp", "(Tensor theta, Tensor prediction, Tensor v, str omega) -> Tensor", vjp_now,
                    lambda theta, prediction, v, omega: like_first(prediction), save=_save_product,
                    backward=_product_backward, jvp=_product_jvp, by_tensors=_product_by_tensors, lenient=True)


def vjp(theta: Tensor, prediction: Tensor, v: Tensor, omega: str) -> Tensor:
    """J v; in operations that can be differentiated again where a graph is being made and a formula is known."""
    if tensors_wanted(prediction):
        plan = _rows.plan_of(omega)
        if plan.kind:
            return _rows.product(prediction, v, plan)
    if graph_wanted():
        formula = jacobians.formula(known(omega))
        if formula is not None:
            return formula(prediction, v)
        structures = _structures.tensors_of(omega)
        if structures is not None:
            return structures.product(theta, v, None)
    return _product(theta, prediction, v, omega)


def _save_prediction(ctx: Any, inputs: tuple, output: Tensor) -> None:
    theta, ctx.omega = inputs
    # Where ŷ alone gives the Jacobian, θ need not be kept.
    keep(ctx, output if prediction_is_enough(ctx.omega) else theta, output)


def _predict_backward(ctx: Any, v: Tensor) -> tuple:
    theta, prediction = ctx.saved_tensors
    return vjp(theta, prediction, v, ctx.omega), None


def _predict_jvp(ctx: Any, v: Tensor) -> Tensor:
    theta, prediction = ctx.saved_tensors
    return vjp(theta, prediction, v, ctx.omega)


#: ŷ_Ω of every row, with gradients.
predict_rows = Operator("predict", "(Tensor theta, str omega) -> Tensor", predict_now, like_first,
                        save=_save_prediction, backward=_predict_backward, jvp=_predict_jvp,
                        by_tensors=_predict_by_tensors)


def _conjugate_now(theta: Tensor, omega: str) -> Tensor:
    values = known(omega).core.conjugate(memory(theta), threads_for(theta))
    return tensor_of(values, theta).to(theta.dtype)


def _save_theta(ctx: Any, inputs: tuple, output: Tensor) -> None:
    theta, ctx.omega = inputs
    keep(ctx, theta)


def _conjugate_backward(ctx: Any, g: Tensor) -> tuple:
    return g.unsqueeze(-1) * predict_rows(ctx.saved_tensors[0], ctx.omega), None


def _conjugate_jvp(ctx: Any, v: Tensor) -> Any:
    return inner(predict_rows(ctx.saved_tensors[0], ctx.omega), v)


#: Ω*(θ) of every row; its gradient is ŷ_Ω(θ).
conjugate_rows = Operator("conjugate", "(Tensor theta, str omega) -> Tensor", _conjugate_now, one_per_row,
                          save=_save_theta, backward=_conjugate_backward, jvp=_conjugate_jvp,
                          by_tensors=_conjugate_by_tensors)
