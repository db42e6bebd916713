# SPDX-License-Identifier: Apache-2.0
"""Soft ranks, soft sorting, soft-DTW and Sinkhorn's algorithm under their usual names."""
from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor, nn

from .. import _core
from ..polytopes import Transport
from ..regularizers import Entropic
from ._tensors import back, check_scores, memory, scores_last, tensor_of, threads_for, widened
from .functional import predict

__all__ = ["SoftDTW", "SoftRank", "SoftSort", "sinkhorn", "soft_dtw", "soft_rank", "soft_sort"]

_REGULARIZATIONS = ("l2", "kl")


class _Soft(torch.autograd.Function):
    """Soft ranks or sorted values of rows [n, d]."""

    @staticmethod
    def forward(ctx: Any, theta: Tensor, name: str, strength: float, kl: bool, descending: bool) -> Tensor:
        ctx.save_for_backward(theta)
        ctx.options = (name, strength, kl, descending)
        return tensor_of(getattr(_core, name)(memory(theta), strength, kl, descending, threads_for(theta)), theta)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, u: Tensor) -> tuple:
        (theta,), (name, strength, kl, descending) = ctx.saved_tensors, ctx.options
        product = getattr(_core, name + "_vjp")(memory(theta), memory(u), strength, kl, descending, threads_for(theta))
        return tensor_of(product, theta), None, None, None, None


def _soft(name: str, theta: Tensor, strength: float, regularization: str, descending: bool, dim: int) -> Tensor:
    if regularization not in _REGULARIZATIONS:
        raise ValueError(f"regularization is {regularization!r}; expected 'l2' or 'kl'")
    rows = scores_last(theta, dim)
    flat = rows.reshape(-1, rows.shape[-1])
    result = _Soft.apply(flat, name, float(strength), regularization == "kl", bool(descending))
    return back(result.reshape(rows.shape), theta, dim)


def soft_rank(theta: Tensor, regularization_strength: float = 1.0, regularization: str = "l2", descending: bool = False,
              dim: int = -1) -> Tensor:
    """Differentiable ranks, counted from 1: the projection of θ/ε onto the permutahedron of (n, …, 1)."""
    return _soft("soft_rank", theta, regularization_strength, regularization, descending, dim)


def soft_sort(theta: Tensor, regularization_strength: float = 1.0, regularization: str = "l2", descending: bool = False,
              dim: int = -1) -> Tensor:
    """Differentiable sorted values."""
    return _soft("soft_sort", theta, regularization_strength, regularization, descending, dim)


class _SoftDtw(torch.autograd.Function):
    """soft-DTW of cost matrices [batch, m, n]; its gradient is the expected alignment."""

    @staticmethod
    def forward(ctx: Any, cost: Tensor, gamma: float, band: int) -> Tensor:
        threads = torch.get_num_threads() if cost.shape[0] > 1 else 1
        if not cost.requires_grad:
            values = _core.soft_dtw(memory(cost), gamma, band, threads)
        else:
            values, alignment = _core.soft_dtw_gradient(memory(cost), gamma, band, threads)
            ctx.save_for_backward(tensor_of(alignment, cost))
        return tensor_of(values, cost).to(cost.dtype)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, g: Tensor) -> tuple:
        return g[:, None, None] * ctx.saved_tensors[0], None, None


def soft_dtw(cost: Tensor, gamma: float = 1.0, band: int = 0) -> Tensor:
    """−γ log Σ exp(−⟨cost, y⟩/γ) over the alignments y of [..., m, n] costs (paper §7.3); +inf forbids a pair of steps."""
    check_scores(cost, -1, "cost")
    if cost.dim() < 2:
        raise ValueError(f"cost has shape {tuple(cost.shape)}; expected at least two axes, the steps of two series")
    values = _SoftDtw.apply(widened(cost).reshape(-1, *cost.shape[-2:]), float(gamma), int(band))
    return values.reshape(cost.shape[:-2]).to(cost.dtype)


def sinkhorn(theta: Tensor, a: Optional[Any] = None, b: Optional[Any] = None, regularization_strength: float = 1.0) -> Tensor:
    """argmax ⟨θ, P⟩ − ε Σ P log P over plans P with row sums a and column sums b, for θ of shape [..., m, n].

    Without a and b: rows and columns sum to 1/m and 1/n. For costs C take θ = −C.
    """
    check_scores(theta, -1)
    if theta.dim() < 2:
        raise ValueError(f"theta has shape {tuple(theta.shape)}; expected at least two axes")
    m, n = theta.shape[-2:]
    rows = [1 / m] * m if a is None else torch.as_tensor(a).tolist()
    columns = [1 / n] * n if b is None else torch.as_tensor(b).tolist()
    omega = Entropic(Transport(rows, columns), temperature=float(regularization_strength))
    return predict(theta.reshape(*theta.shape[:-2], m * n), omega).reshape(theta.shape)


class SoftRank(nn.Module):
    """soft_rank as a module."""

    _function = staticmethod(soft_rank)

    def __init__(self, regularization_strength: float = 1.0, regularization: str = "l2", descending: bool = False,
                 dim: int = -1):
        super().__init__()
        self.options = (regularization_strength, regularization, descending, dim)

    def forward(self, theta: Tensor) -> Tensor:
        return self._function(theta, *self.options)


class SoftSort(SoftRank):
    """soft_sort as a module."""

    _function = staticmethod(soft_sort)


class SoftDTW(nn.Module):
    """soft-DTW of two batches of series [batch, steps, features] with squared Euclidean costs."""

    def __init__(self, gamma: float = 1.0, band: int = 0):
        super().__init__()
        self.gamma, self.band = gamma, band

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        cost = (a.unsqueeze(-2) - b.unsqueeze(-3)).square().sum(-1)
        return soft_dtw(cost, self.gamma, self.band)
