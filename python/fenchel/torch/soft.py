# SPDX-License-Identifier: Apache-2.0
"""Soft ranks, soft sorting, soft-DTW and Sinkhorn's algorithm under their usual names."""
from __future__ import annotations

import math
from typing import Any, List, Optional

import torch
from torch import Tensor, nn

from .. import _core
from ..polytopes import Transport
from ..regularizers import Entropic
from ..soft import _options
from ._operator import Operator, like_first
from ._specs import text_of
from ._tensors import back, check_scores, memory, scores_last, tensor_of, threads_for, whole_number, widened
from .functional import predict

__all__ = ["SoftDTW", "SoftRank", "SoftSort", "sinkhorn", "soft_dtw", "soft_rank", "soft_sort"]

_SAME_TOTAL = 1e-5  # sums of float32 masses differ by rounding


def _soft_now(theta: Tensor, name: str, strength: float, kl: bool, descending: bool) -> Tensor:
    """Soft ranks or sorted values of rows [n, d]."""
    return tensor_of(getattr(_core, name)(memory(theta), strength, kl, descending, threads_for(theta)), theta)


def _soft_vjp_now(theta: Tensor, u: Tensor, name: str, strength: float, kl: bool, descending: bool) -> Tensor:
    product = getattr(_core, name + "_vjp")(memory(theta), memory(u), strength, kl, descending, threads_for(theta))
    return tensor_of(product, theta)


_soft_vjp = Operator("soft_vjp", "(Tensor theta, Tensor u, str name, float strength, bool kl, bool descending) -> Tensor",
                     _soft_vjp_now, like_first)


def _save_soft(ctx: Any, inputs: tuple, output: Tensor) -> None:
    theta, *ctx.options = inputs
    ctx.save_for_backward(theta)


def _soft_backward(ctx: Any, u: Tensor) -> tuple:
    if torch.is_grad_enabled():
        raise RuntimeError("second derivatives of soft ranks and sorted values are not available")
    return _soft_vjp(ctx.saved_tensors[0], u, *ctx.options), None, None, None, None


_soft_rows = Operator("soft", "(Tensor theta, str name, float strength, bool kl, bool descending) -> Tensor", _soft_now,
                      like_first, save=_save_soft, backward=_soft_backward)


def _soft(name: str, theta: Tensor, options: tuple[float, bool, bool], dim: int) -> Tensor:
    rows = scores_last(theta, dim)
    flat = rows.reshape(math.prod(rows.shape[:-1]), rows.shape[-1])
    return back(_soft_rows(flat, name, *options).reshape(rows.shape), theta, dim)


def soft_rank(theta: Tensor, regularization: str = "l2", regularization_strength: float = 1.0,
              direction: str = "ascending", dim: int = -1) -> Tensor:
    """Differentiable ranks, counted from 1: the projection of θ/ε onto the permutahedron of (n, …, 1).

    "l2" is the Euclidean projection, "kl" that of Kullback and Leibler; ε is the regularization_strength.
    """
    return _soft("soft_rank", theta, _options(regularization, regularization_strength, direction), dim)


def soft_sort(theta: Tensor, regularization: str = "l2", regularization_strength: float = 1.0,
              direction: str = "ascending", dim: int = -1) -> Tensor:
    """Values in differentiable order; options as in `soft_rank`."""
    return _soft("soft_sort", theta, _options(regularization, regularization_strength, direction), dim)


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


_soft_dtw = Operator("soft_dtw", "(Tensor cost, float gamma, int band) -> (Tensor, Tensor)", _soft_dtw_now,
                     lambda cost, gamma, band: (cost.new_empty(cost.shape[:1]), like_first(cost)),
                     save=_save_alignments, backward=_soft_dtw_backward)


def soft_dtw(cost: Tensor, gamma: float = 1.0, band: int = 0) -> Tensor:
    """−γ log Σ exp(−⟨cost, y⟩/γ) over the alignments y of [..., m, n] costs (paper §7.3); +inf forbids a pair."""
    check_scores(cost, -1, "cost")
    if cost.dim() < 2:
        raise ValueError(f"cost has shape {tuple(cost.shape)}; expected at least two axes, the steps of two series")
    flat = widened(cost).reshape(-1, *cost.shape[-2:])
    values, _ = _soft_dtw(flat, float(gamma), int(band))
    return values.reshape(cost.shape[:-2]).to(cost.dtype)


@torch.compiler.assume_constant_result
def _plans(a: Any, b: Any, m: int, n: int, gamma: float) -> str:
    """The text of γ Σ μ log μ over the plans with row sums a and column sums b."""
    rows = _masses("a", a, m)
    columns = _masses("b", b, n)
    if math.isclose(sum(rows), sum(columns), rel_tol=_SAME_TOTAL):
        columns = [share * sum(rows) / sum(columns) for share in columns]
    return text_of(Entropic(Transport(rows, columns), temperature=gamma))


def _masses(name: str, masses: Any, count: int) -> List[float]:
    if masses is None:
        return [1 / count] * count
    values = torch.as_tensor(masses, dtype=torch.float64)
    if tuple(values.shape) != (count,):
        raise ValueError(f"{name} has shape {tuple(values.shape)}; expected {(count,)} as cost has")
    return values.tolist()


def sinkhorn(cost: Tensor, a: Optional[Any] = None, b: Optional[Any] = None, gamma: float = 1.0) -> Tensor:
    """argmin ⟨C, μ⟩ + γ Σ μ log μ over the plans with row sums a and column sums b (uniform if not given).

    Costs are [..., rows, columns]; +inf forbids an entry. For doubly stochastic matrices, let a and b be ones. There are
    gradients with respect to the costs, none with respect to a and b.
    """
    check_scores(cost, -1, "cost")
    if cost.dim() < 2:
        raise ValueError(f"cost has shape {tuple(cost.shape)}; expected [..., rows, columns]")
    if torch.compiler.is_compiling() and (isinstance(a, Tensor) or isinstance(b, Tensor)):
        raise TypeError("a or b is a tensor in a compiled function; expected lists of numbers, as Ω is made when tracing")
    m, n = whole_number(cost.shape[-2]), whole_number(cost.shape[-1])
    if m == 0 or n == 0:
        raise ValueError(f"cost has shape {tuple(cost.shape)}; expected at least one row and one column")
    return predict(-cost.flatten(-2), _plans(a, b, m, n, float(gamma))).reshape(cost.shape)


class SoftRank(nn.Module):
    """soft_rank as a module."""

    _function = staticmethod(soft_rank)

    def __init__(self, regularization: str = "l2", regularization_strength: float = 1.0, direction: str = "ascending",
                 dim: int = -1):
        super().__init__()
        _options(regularization, regularization_strength, direction)  # a wrong one is said here
        self.options = (regularization, regularization_strength, direction, dim)

    def forward(self, theta: Tensor) -> Tensor:
        return self._function(theta, *self.options)

    def extra_repr(self) -> str:
        names = ("regularization", "regularization_strength", "direction", "dim")
        return ", ".join(f"{name}={value!r}" for name, value in zip(names, self.options))


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
