# SPDX-License-Identifier: Apache-2.0
"""The kernels of rows, launched on matrices whose rows are contiguous; no gradients."""
from __future__ import annotations

from typing import Optional, Tuple

import torch
import triton
from torch import Tensor

from . import _launch
from ._launch import block_of, kind_of, on_device, tile_of
from ._row_kernels import from_state, long_bounds, long_products, long_thresholds, short_products, short_rows


def matrix(tensor: Tensor) -> Tensor:
    """Rows of numbers that follow each other, without a copy where they do."""
    flat = tensor.reshape(-1, tensor.shape[-1])
    return flat if flat.stride(-1) == 1 or flat.shape[-1] == 1 else flat.contiguous()


def _long_state(theta: Tensor, labels: Optional[Tensor], losses: Tensor, alpha: float, ignore_index: int) -> Tensor:
    """(max θ, λ, 1/Σp) of every row, and losses where there are labels."""
    kind, a = kind_of(alpha)
    rows, columns = theta.shape
    options = block_of()
    blocks = triton.cdiv(columns, options["BLOCK"])
    state = theta.new_empty((3, rows), dtype=torch.float32)
    maxima = theta.new_empty((rows, blocks), dtype=torch.float32)
    long_bounds[(rows,)](kind, theta, state, maxima, rows, columns, blocks, a, theta.stride(0), **options)
    long_thresholds[(rows,)](kind, theta, losses if labels is None else labels, losses, state, maxima, rows, columns, blocks, a,
                             ignore_index, theta.stride(0), LOSS=labels is not None, **options)
    return state


def _by_state(theta: Tensor, labels: Optional[Tensor], weights: Tensor, state: Tensor, alpha: float, ignore_index: int) -> Tensor:
    kind, a = kind_of(alpha)
    rows, columns = theta.shape
    options = {**block_of(), "BLOCK": min(_launch.BLOCK, max(triton.next_power_of_2(columns), 16))}
    blocks = triton.cdiv(columns, options["BLOCK"])
    out = torch.empty_like(theta, memory_format=torch.contiguous_format)
    targets = weights if labels is None else labels
    from_state[(rows * blocks,)](kind, theta, targets, weights, out, state, rows, columns, blocks, a, ignore_index,
                                 theta.stride(0), columns, LOSS=labels is not None, **options)
    return out


def predict(theta: Tensor, alpha: float) -> Tensor:
    """ŷ of every row of a matrix."""
    kind, a = kind_of(alpha)
    rows, columns = theta.shape
    if theta.numel() == 0:
        return torch.empty_like(theta)
    with on_device(theta):
        if columns > _launch.LONGEST_TILE:
            state = _long_state(theta, None, theta, alpha, 0)
            return _by_state(theta, None, theta, state, alpha, 0)
        out = torch.empty_like(theta, memory_format=torch.contiguous_format)
        options = tile_of(columns)
        grid = (triton.cdiv(rows, options["ROWS"]),)
        short_rows[grid](kind, theta, theta, out, theta, rows, columns, a, 0, theta.stride(0), columns, LOSS=False, **options)
    return out


def product(prediction: Tensor, v: Tensor, alpha: float) -> Tensor:
    """J v of every row, from its prediction."""
    kind, a = kind_of(alpha)
    prediction, v = prediction.contiguous(), v.contiguous()
    rows, columns = prediction.shape
    out = torch.empty_like(prediction)
    if out.numel() == 0:
        return out
    with on_device(prediction):
        if columns > _launch.LONGEST_TILE:
            options = block_of()
            long_products[(rows,)](kind, prediction, v, out, columns, triton.cdiv(columns, options["BLOCK"]), a, **options)
        else:
            options = tile_of(columns)
            short_products[(triton.cdiv(rows, options["ROWS"]),)](kind, prediction, v, out, rows, columns, a, **options)
    return out


def losses_of(theta: Tensor, labels: Tensor, alpha: float, ignore_index: int) -> Tuple[Tensor, Tensor]:
    """The loss of every row, and the state that its gradient needs."""
    kind, a = kind_of(alpha)
    rows, columns = theta.shape
    losses = theta.new_empty(rows, dtype=torch.float32)
    with on_device(theta):
        if columns > _launch.LONGEST_TILE and rows > 0:
            return losses, _long_state(theta, labels, losses, alpha, ignore_index)
        state = theta.new_empty((3, rows), dtype=torch.float32)
        if rows > 0:
            options = tile_of(columns)
            grid = (triton.cdiv(rows, options["ROWS"]),)
            short_rows[grid](kind, theta, labels, losses, state, rows, columns, a, ignore_index, theta.stride(0), columns,
                             LOSS=True, **options)
    return losses, state


def loss_gradient(theta: Tensor, labels: Tensor, weights: Tensor, state: Tensor, alpha: float, ignore_index: int) -> Tensor:
    """(ŷ − y) times the weight of its row."""
    if theta.numel() == 0:
        return torch.zeros_like(theta)
    with on_device(theta):
        return _by_state(theta, labels, weights.contiguous(), state, alpha, ignore_index)
