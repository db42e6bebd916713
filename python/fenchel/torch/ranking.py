# SPDX-License-Identifier: Apache-2.0
"""Soft ranks, soft sorting, soft-DTW and Sinkhorn's algorithm under their usual names."""
from __future__ import annotations

import math
from typing import Any, Optional

import torch
from torch import Tensor, nn

from .. import _core
from ..polytopes import Transport
from ..regularizers import Entropic
from ._tensors import back, check_scores, is_plain, memory, scores_last, tensor_of, threads_for, widened
from .functional import predict

__all__ = ["SoftDTW", "SoftRank", "SoftSort", "sinkhorn", "soft_dtw", "soft_rank", "soft_sort"]

_REGULARIZATIONS = ("l2", "kl")
_SAME_TOTAL = 1e-5  # sums of float32 masses differ by rounding


def _soft_now(theta: Tensor, name: str, strength: float, kl: bool, descending: bool) -> Tensor:
    """Soft ranks or sorted values of rows [n, d]."""
    return tensor_of(getattr(_core, name)(memory(theta), strength, kl, descending, threads_for(theta)), theta)


def _soft_vjp_now(theta: Tensor, u: Tensor, name: str, strength: float, kl: bool, descending: bool) -> Tensor:
    product = getattr(_core, name + "_vjp")(memory(theta), memory(u), strength, kl, descending, threads_for(theta))
    return tensor_of(product, theta)


def _save_soft(ctx: Any, inputs: tuple, output: Tensor) -> None:
    theta, *ctx.options = inputs
    ctx.save_for_backward(theta)


def _soft_backward(ctx: Any, u: Tensor) -> tuple:
    theta = ctx.saved_tensors[0]
    if torch.is_grad_enabled():
        raise RuntimeError("second derivatives of soft ranks and sorted values are not available")
    product = _soft_vjp_now if is_plain(theta, u) else torch.ops.fenchel.soft_vjp
    return product(theta, u, *ctx.options), None, None, None, None


class _Soft(torch.autograd.Function):
    forward = staticmethod(_soft_now)
    setup_context = staticmethod(_save_soft)
    backward = staticmethod(_soft_backward)


@torch.library.custom_op("fenchel::soft", mutates_args=(),
                         schema="(Tensor theta, str name, float strength, bool kl, bool descending) -> Tensor")
def _soft_op(theta, name, strength, kl, descending):
    return _soft_now(theta, name, strength, kl, descending)


@torch.library.custom_op("fenchel::soft_vjp", mutates_args=(),
                         schema="(Tensor theta, Tensor u, str name, float strength, bool kl, bool descending) "
                                "-> Tensor")
def _soft_vjp_op(theta, u, name, strength, kl, descending):
    return _soft_vjp_now(theta, u, name, strength, kl, descending)


@_soft_op.register_fake
@_soft_vjp_op.register_fake
def _(theta, *_):
    return torch.empty_like(theta, memory_format=torch.contiguous_format)


_soft_op.register_autograd(_soft_backward, setup_context=_save_soft)


def _soft(name: str, theta: Tensor, strength: float, regularization: str, descending: bool, dim: int) -> Tensor:
    if regularization not in _REGULARIZATIONS:
        raise ValueError(f"regularization is {regularization!r}; expected 'l2' or 'kl'")
    rows = scores_last(theta, dim)
    flat = rows.reshape(-1, rows.shape[-1])
    apply = _Soft.apply if is_plain(flat) else torch.ops.fenchel.soft
    result = apply(flat, name, float(strength), regularization == "kl", bool(descending))
    return back(result.reshape(rows.shape), theta, dim)


def soft_rank(theta: Tensor, regularization_strength: float = 1.0, regularization: str = "l2", descending: bool = False,
              dim: int = -1) -> Tensor:
    """Differentiable ranks, counted from 1: the projection of θ/ε onto the permutahedron of (n, …, 1)."""
    return _soft("soft_rank", theta, regularization_strength, regularization, descending, dim)


def soft_sort(theta: Tensor, regularization_strength: float = 1.0, regularization: str = "l2", descending: bool = False,
              dim: int = -1) -> Tensor:
    """Differentiable sorted values."""
    return _soft("soft_sort", theta, regularization_strength, regularization, descending, dim)


def _soft_dtw_now(cost: Tensor, gamma: float, band: int) -> tuple[Tensor, Tensor]:
    """soft-DTW of cost matrices [batch, m, n], and its gradient, the expected alignments."""
    threads = torch.get_num_threads() if cost.shape[0] > 1 else 1
    values, alignments = _core.soft_dtw_gradient(memory(cost), gamma, band, threads)
    return tensor_of(values.astype(alignments.dtype, copy=False), cost), tensor_of(alignments, cost)


def _save_alignments(ctx: Any, inputs: tuple, output: tuple) -> None:
    ctx.save_for_backward(output[1])
    ctx.mark_non_differentiable(output[1])


def _soft_dtw_backward(ctx: Any, g: Tensor, *_: Any) -> tuple:
    if torch.is_grad_enabled():
        raise RuntimeError("second derivatives of soft_dtw are not available")
    return g[:, None, None] * ctx.saved_tensors[0], None, None


class _SoftDtw(torch.autograd.Function):
    forward = staticmethod(_soft_dtw_now)
    setup_context = staticmethod(_save_alignments)
    backward = staticmethod(_soft_dtw_backward)


@torch.library.custom_op("fenchel::soft_dtw", mutates_args=(),
                         schema="(Tensor cost, float gamma, int band) -> (Tensor, Tensor)")
def _soft_dtw_op(cost, gamma, band):
    return _soft_dtw_now(cost, gamma, band)


@_soft_dtw_op.register_fake
def _(cost, gamma, band):
    return cost.new_empty(cost.shape[:1]), torch.empty_like(cost, memory_format=torch.contiguous_format)


_soft_dtw_op.register_autograd(_soft_dtw_backward, setup_context=_save_alignments)


def soft_dtw(cost: Tensor, gamma: float = 1.0, band: int = 0) -> Tensor:
    """−γ log Σ exp(−⟨cost, y⟩/γ) over the alignments y of [..., m, n] costs (paper §7.3); +inf forbids a pair."""
    check_scores(cost, -1, "cost")
    if cost.dim() < 2:
        raise ValueError(f"cost has shape {tuple(cost.shape)}; expected at least two axes, the steps of two series")
    flat = widened(cost).reshape(-1, *cost.shape[-2:])
    values, _ = (_SoftDtw.apply if is_plain(flat) else torch.ops.fenchel.soft_dtw)(flat, float(gamma), int(band))
    return values.reshape(cost.shape[:-2]).to(cost.dtype)


def sinkhorn(theta: Tensor, a: Optional[Any] = None, b: Optional[Any] = None,
             regularization_strength: float = 1.0) -> Tensor:
    """argmax ⟨θ, P⟩ − ε Σ P log P over plans P with row sums a and column sums b, for θ of shape [..., m, n].

    Without a and b: rows and columns sum to 1/m and 1/n. For costs C take θ = −C.
    """
    check_scores(theta, -1)
    if theta.dim() < 2:
        raise ValueError(f"theta has shape {tuple(theta.shape)}; expected at least two axes")
    m, n = theta.shape[-2:]
    rows = [1 / m] * m if a is None else torch.as_tensor(a, dtype=torch.float64).tolist()
    columns = [1 / n] * n if b is None else torch.as_tensor(b, dtype=torch.float64).tolist()
    if math.isclose(sum(rows), sum(columns), rel_tol=_SAME_TOTAL):
        columns = [share * sum(rows) / sum(columns) for share in columns]
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
