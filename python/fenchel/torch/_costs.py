# SPDX-License-Identifier: Apache-2.0
"""Costs c_y of losses L_Ω(θ + c_y; y) (paper §3.4) on tensors: rows of the scores' shape, the scores last."""
from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from .. import _core
from .._costs import EXPECTED
from ._specs import known
from ._tensors import check_given, is_plain


def hamming_cost(y: Tensor, offset: float, scale: float = 1.0) -> Tensor:
    """c_y with ⟨c_y, z − y⟩ = scale · ‖z − y‖² for structures z and y: `offset` is 1 where they are binary, else 0."""
    return scale * offset - 2 * scale * y


@torch.compiler.assume_constant_result
def _hamming_offset(omega: str, d: int) -> float:
    """The offset of the Hamming cost of the structures of an Ω."""
    return float(_core.Cost.hamming(known(omega).core, 1.0).at(np.zeros(d))[0])


def _indicators(y: Tensor, like: Tensor, ignore_index: int) -> Tensor:
    """Targets as rows; those that are ignored are 0."""
    if y.is_floating_point() or y.dim() == like.dim():
        return y.to(like.dtype)
    ignored = (y == ignore_index).unsqueeze(-1)
    labels = y.unsqueeze(-1).masked_fill(ignored, 0).to(torch.int64)
    outside = (labels < 0) | (labels >= like.shape[-1])  # which the loss itself refuses
    rows = torch.zeros_like(like).scatter(-1, labels.masked_fill(outside, 0), 1)
    return rows.masked_fill(ignored | outside, 0)


def costs_of(cost: Any, y: Tensor, theta: Tensor, omega: str, ignore_index: int) -> Tensor:
    """c_y for the targets of each row of θ: what is added to the scores. Differentiated in y where y is."""
    d = theta.shape[-1]
    like = theta.detach()
    if isinstance(cost, str):
        if cost not in ("zero_one", "hamming"):
            raise ValueError(f"cost is {cost!r}; expected {EXPECTED}")
        rows = _indicators(y, like, ignore_index)
        return 1 - rows if cost == "zero_one" else hamming_cost(rows, _hamming_offset(omega, d))
    if not isinstance(cost, Tensor) and callable(cost):
        costs = cost(_indicators(y, like, ignore_index))
        if not isinstance(costs, Tensor) or costs.shape != theta.shape:
            shape = tuple(costs.shape) if isinstance(costs, Tensor) else type(costs).__name__
            raise ValueError(f"cost returned {shape}; expected a tensor of shape {tuple(theta.shape)}, as it gets")
        return costs.to(theta.dtype)
    given = _numbers(cost, theta)
    if given.shape == (d, d):
        # Not a product of matrices, which autocast would compute in half precision.
        return (_indicators(y, like, ignore_index).unsqueeze(-1) * given).sum(-2)
    if given.numel() != d:
        raise ValueError(f"cost has shape {tuple(given.shape)}; expected ({d},), or ({d}, {d}) with a row for each label")
    return given.reshape(-1).expand_as(theta)


def own_costs(terms: tuple[float, float], y: Tensor, theta: Tensor, ignore_index: int) -> Tensor:
    """c_y = a + b y for the targets of each row of θ, of the name of a loss."""
    offset, slope = terms
    return offset + slope * _indicators(y, theta.detach(), ignore_index)


def _numbers(cost: Any, theta: Tensor) -> Tensor:
    """Costs that are given as numbers, in the type of the scores."""
    try:
        given = cost if isinstance(cost, Tensor) else torch.as_tensor(cost, device=theta.device)
    except (TypeError, ValueError, RuntimeError):
        raise TypeError(f"cost is {cost!r}; expected {EXPECTED}") from None
    check_given("cost", given)
    if given.is_complex():
        raise TypeError(f"cost has dtype {given.dtype}; expected real numbers")
    if is_plain(given) and not bool(torch.isfinite(given).all()):
        raise ValueError(f"cost has the entry {given[~torch.isfinite(given)][0].item()}; expected finite numbers")
    return given.to(theta.dtype)
