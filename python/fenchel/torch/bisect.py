# SPDX-License-Identifier: Apache-2.0
"""The names and arguments of the package entmax: its users change the import and nothing else.

Results are exact, so that `n_iter`, `k` and `ensure_sum_one` are accepted and change nothing. Losses follow torch where
entmax did not: any `ignore_index` is honoured, and "mean" is accepted beside "elementwise_mean".
"""
from __future__ import annotations

from typing import Callable, Optional, Union

import torch
from torch import Tensor, nn

from .._arguments import number_of
from ..names import capped_simplex
from . import _row_values, _rows
from ._backend import chosen, forced, nan_propagates
from ._loss import clean, rows_of, without_ignored
from ._specs import arguments, text_of
from ._tensors import (
    back,
    beside,
    by_either_name,
    check_given,
    check_labels,
    check_no_tangent,
    check_scores,
    is_plain,
    scores_last,
    whole_number,
    widened,
)
from .functional import entmax, entmax_loss, finished, loss, predict, reduced
from .losses import EntmaxLoss, FenchelYoungLoss
from .names import sparsemax

__all__ = ["BudgetBisect", "Entmax15Loss", "EntmaxBisect", "EntmaxBisectLoss", "NormmaxBisect", "NormmaxBisectLoss",
           "SparsemaxBisect", "SparsemaxBisectLoss", "SparsemaxLoss", "budget_bisect", "entmax15_loss", "entmax_bisect",
           "entmax_bisect_loss", "normmax_bisect", "normmax_bisect_loss", "sparsemax_bisect", "sparsemax_bisect_loss",
           "sparsemax_loss"]


def sparsemax_bisect(X: Tensor, dim: int = -1, n_iter: Optional[int] = 50, ensure_sum_one: bool = True) -> Tensor:
    """sparsemax, as the package entmax calls it.

    Parameters
    ----------
    X : Tensor [..., d]
        Scores; −inf forbids an entry.
    dim : int
        The axis of the scores; all others are a batch.
    n_iter : int, optional
        Accepted for the package entmax; changes nothing, results are exact.
    ensure_sum_one : bool
        Accepted for the package entmax; changes nothing, results are exact.

    Returns
    -------
    Tensor [..., d]
        Predictions, of the shape and type of X, with gradients.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> X = torch.tensor([1.6, 1.1, 0.4])
    >>> [round(x, 3) for x in ft.sparsemax_bisect(X).tolist()]
    [0.75, 0.25, 0.0]

    See Also
    --------
    sparsemax
    """
    return sparsemax(X, dim)


def entmax_bisect(X: Tensor, alpha: Union[float, Tensor] = 1.5, dim: int = -1, n_iter: int = 50,
                  ensure_sum_one: bool = True) -> Tensor:
    """α-entmax, for every α > 0, as the package entmax calls it.

    Parameters
    ----------
    X : Tensor [..., d]
        Scores; −inf forbids an entry.
    alpha : float or Tensor
        α > 0; a tensor that expands to X with 1 along `dim` gets a gradient.
    dim : int
        The axis of the scores; all others are a batch.
    n_iter : int, optional
        Accepted for the package entmax; changes nothing, results are exact.
    ensure_sum_one : bool
        Accepted for the package entmax; changes nothing, results are exact.

    Returns
    -------
    Tensor [..., d]
        Predictions, of the shape and type of X, with gradients.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> X = torch.tensor([1.6, 1.1, 0.4])
    >>> [round(x, 3) for x in ft.entmax_bisect(X, 1.2).tolist()]
    [0.568, 0.314, 0.119]

    See Also
    --------
    entmax
    """
    return entmax(X, alpha, dim)


def _one_per_row(theta: Tensor, parameter: Tensor, dim: int) -> Tensor:
    """The parameters of all rows, from a tensor that expands to θ with 1 along `dim`; 1 stays along the last axis."""
    check_given("a parameter", parameter)
    shape = list(theta.shape)
    shape[dim] = 1
    try:
        expanded = beside(parameter.detach(), theta).expand(shape)
    except RuntimeError:
        raise ValueError(f"a parameter has shape {tuple(parameter.shape)}; expected one that expands to {tuple(shape)}, "
                         f"that of X with 1 along dim {dim}") from None
    return expanded.movedim(dim, -1)


def _by_values(rows: Tensor, parameters: Tensor, one: Callable[[Tensor, float], Tensor]) -> Tensor:
    """Rows whose parameters differ: each value's rows together."""
    flat, values = rows.reshape(-1, rows.shape[-1]), parameters.reshape(-1)
    result = torch.zeros_like(flat)
    for value in values.unique().tolist():
        same = (values == value).nonzero().squeeze(-1)
        result = result.index_copy(0, same, one(flat[same], value))
    return result.reshape(rows.shape)


def _with_parameters(theta: Tensor, parameter: Tensor, dim: int, one: Callable[[Tensor, float], Tensor],
                     in_tensors: Callable[..., Tensor]) -> Tensor:
    """Rows with a parameter each: in tensor operations where the core cannot look at its values, else value by value."""
    check_given("X", theta)
    parameters = _one_per_row(theta, parameter, dim)
    if is_plain(theta, parameter):
        if not forced():
            return _by_values(theta.movedim(dim, -1), parameters, one).movedim(-1, dim)
        if not nan_propagates():
            with torch.no_grad():
                _by_values(theta.movedim(dim, -1), parameters, one)  # which says what is wrong
    elif chosen() == "core":
        return _by_values(theta.movedim(dim, -1), parameters, one).movedim(-1, dim)
    rows = scores_last(theta, dim)
    return back(in_tensors(rows, parameters.to(rows.dtype), differentiable=True), theta, dim)


def normmax_bisect(X: Tensor, alpha: Union[float, Tensor] = 2, dim: int = -1, n_iter: int = 50) -> Tensor:
    """argmax ⟨x, p⟩ − ‖p‖_α over the simplex, as the package entmax calls it.

    Parameters
    ----------
    X : Tensor [..., d]
        Scores; −inf forbids an entry.
    alpha : float or Tensor
        The order of the norm, > 1 or inf; a tensor that expands to X with 1 along `dim`, without gradient,
        gives each row its own.
    dim : int
        The axis of the scores; all others are a batch.
    n_iter : int, optional
        Accepted for the package entmax; changes nothing, results are exact.

    Returns
    -------
    Tensor [..., d]
        Predictions, of the shape and type of X, with gradients.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> X = torch.tensor([1.6, 1.1, 0.4])
    >>> [round(x, 3) for x in ft.normmax_bisect(X).tolist()]
    [0.689, 0.311, 0.0]

    See Also
    --------
    normmax
    """
    check_scores(X, dim, "X")
    if isinstance(alpha, Tensor):
        check_no_tangent("alpha", alpha, "normmax is not differentiated with respect to it")
        if alpha.numel() > 1 or not is_plain(alpha):
            return _with_parameters(X, alpha, dim, lambda rows, q: predict(rows, f"norm:q={q!r}"), _rows.norm)
        alpha = float(alpha)
    return predict(X, f"norm:q={number_of('alpha', alpha, finite=False)!r}", dim)


@torch.compiler.assume_constant_result
def _budget_text(d: int, budget: float) -> str:
    """The text of ½‖p‖² over {0 ≤ p ≤ 1, Σ p = budget}."""
    if not 0 <= budget <= d:
        raise ValueError(f"budget is {budget}; expected 0 <= budget <= {d}, the number of entries")
    return text_of(capped_simplex(d, budget or 1))


def _budget_rows(rows: Tensor, budget: float) -> Tensor:
    prediction = predict(rows, _budget_text(whole_number(rows.shape[-1]), budget))
    return prediction if budget else prediction * 0  # which nothing but checks was computed for


def budget_bisect(X: Tensor, budget: Union[float, Tensor] = 2, dim: int = -1, n_iter: int = 50) -> Tensor:
    """argmax ⟨x, p⟩ − ½‖p‖² with 0 ≤ p ≤ 1 and Σ p = budget, as the package entmax calls it.

    Parameters
    ----------
    X : Tensor [..., d]
        Scores; −inf forbids an entry.
    budget : float or Tensor
        The sum, from 0 to d; a tensor that expands to X with 1 along `dim`, without gradient, gives each row
        its own.
    dim : int
        The axis of the scores; all others are a batch.
    n_iter : int, optional
        Accepted for the package entmax; changes nothing, results are exact.

    Returns
    -------
    Tensor [..., d]
        Predictions, of the shape and type of X, with gradients.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> X = torch.tensor([1.6, 1.1, 0.4])
    >>> [round(x, 3) for x in ft.budget_bisect(X).tolist()]
    [1.0, 0.85, 0.15]

    See Also
    --------
    fenchel.budget
    """
    check_scores(X, dim, "X")
    if isinstance(budget, Tensor):
        check_no_tangent("budget", budget, "the projection is not differentiated with respect to it")
        if budget.numel() > 1 or not is_plain(budget):
            return _with_parameters(X, budget, dim, _budget_rows, _rows.budget)
        budget = float(budget)
    return _budget_rows(X.movedim(dim, -1), number_of("budget", budget)).movedim(-1, dim)


def sparsemax_loss(X: Tensor, target: Tensor, k: Optional[int] = None) -> Tensor:
    """The sparsemax loss of every row, not reduced.

    Parameters
    ----------
    X : Tensor [..., d]
        Scores; −inf forbids an entry.
    target : Tensor
        Integer labels, one for each row of X, or rows like X.
    k : int, optional
        Accepted for the package entmax; changes nothing.

    Returns
    -------
    Tensor [...]
        A loss for each row, not reduced.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> X, target = torch.tensor([[1.6, 1.1, 0.4]]), torch.tensor([1])
    >>> [round(x, 3) for x in ft.sparsemax_loss(X, target).tolist()]
    [0.562]

    See Also
    --------
    SparsemaxLoss, loss
    """
    return loss(X, target, "tsallis:alpha=2", reduction="none")


def sparsemax_bisect_loss(X: Tensor, target: Tensor, n_iter: int = 50) -> Tensor:
    """The sparsemax loss of every row, not reduced.

    Parameters
    ----------
    X : Tensor [..., d]
        Scores; −inf forbids an entry.
    target : Tensor
        Integer labels, one for each row of X, or rows like X.
    n_iter : int, optional
        Accepted for the package entmax; changes nothing, results are exact.

    Returns
    -------
    Tensor [...]
        A loss for each row, not reduced.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> X, target = torch.tensor([[1.6, 1.1, 0.4]]), torch.tensor([1])
    >>> [round(x, 3) for x in ft.sparsemax_bisect_loss(X, target).tolist()]
    [0.562]

    See Also
    --------
    SparsemaxBisectLoss, loss
    """
    return loss(X, target, "tsallis:alpha=2", reduction="none")


def entmax15_loss(X: Tensor, target: Tensor, k: Optional[int] = None) -> Tensor:
    """The 1.5-entmax loss of every row, not reduced.

    Parameters
    ----------
    X : Tensor [..., d]
        Scores; −inf forbids an entry.
    target : Tensor
        Integer labels, one for each row of X, or rows like X.
    k : int, optional
        Accepted for the package entmax; changes nothing.

    Returns
    -------
    Tensor [...]
        A loss for each row, not reduced.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> X, target = torch.tensor([[1.6, 1.1, 0.4]]), torch.tensor([1])
    >>> [round(x, 3) for x in ft.entmax15_loss(X, target).tolist()]
    [0.691]

    See Also
    --------
    Entmax15Loss, loss
    """
    return loss(X, target, "tsallis:alpha=1.5", reduction="none")


def entmax_bisect_loss(X: Tensor, target: Tensor, alpha: Union[float, Tensor] = 1.5, n_iter: int = 50) -> Tensor:
    """The α-entmax loss of every row, not reduced.

    Parameters
    ----------
    X : Tensor [..., d]
        Scores; −inf forbids an entry.
    target : Tensor
        Integer labels, one for each row of X, or rows like X.
    alpha : float or Tensor
        α > 0; a tensor that expands to X with 1 along `dim` gets a gradient.
    n_iter : int, optional
        Accepted for the package entmax; changes nothing, results are exact.

    Returns
    -------
    Tensor [...]
        A loss for each row, not reduced.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> X, target = torch.tensor([[1.6, 1.1, 0.4]]), torch.tensor([1])
    >>> [round(x, 3) for x in ft.entmax_bisect_loss(X, target).tolist()]
    [0.691]

    See Also
    --------
    EntmaxBisectLoss, entmax_loss
    """
    return entmax_loss(X, target, alpha, reduction="none")


def normmax_bisect_loss(X: Tensor, target: Tensor, alpha: Union[float, Tensor] = 2, n_iter: int = 50) -> Tensor:
    """The normmax loss of every row, not reduced.

    Parameters
    ----------
    X : Tensor [..., d]
        Scores; −inf forbids an entry.
    target : Tensor
        Integer labels, one for each row of X, or rows like X.
    alpha : float or Tensor
        The order of the norm, > 1 or inf; a tensor that expands to X with 1 along `dim`, without gradient,
        gives each row its own.
    n_iter : int, optional
        Accepted for the package entmax; changes nothing, results are exact.

    Returns
    -------
    Tensor [...]
        A loss for each row, not reduced.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> X, target = torch.tensor([[1.6, 1.1, 0.4]]), torch.tensor([1])
    >>> [round(x, 3) for x in ft.normmax_bisect_loss(X, target).tolist()]
    [0.589]

    See Also
    --------
    NormmaxBisectLoss, loss
    """
    if isinstance(alpha, Tensor) and alpha.numel() == 1:
        alpha = float(alpha)
    return finished(_normmax_losses(X, target, alpha, -100), X)


def _normmax_losses(X: Tensor, target: Tensor, alpha: Union[float, Tensor], ignore_index: int) -> Tensor:
    """The losses of rows, each with its alpha, in at least single precision."""
    if not isinstance(alpha, Tensor):
        return loss(X, target, f"norm:q={number_of('alpha', alpha, finite=False)!r}", reduction="none", ignore_index=ignore_index)
    check_no_tangent("alpha", alpha, "normmax is not differentiated with respect to it")
    check_scores(X, -1, "X")
    check_given("X", X)
    check_given("target", target)
    rows = widened(X).reshape(-1, X.shape[-1])
    soft = target.shape == X.shape
    if not soft and target.shape != X.shape[:-1]:
        raise ValueError(f"target has shape {tuple(target.shape)}; expected {tuple(X.shape[:-1])}, one label for each row of X, "
                         f"or that of X, {tuple(X.shape)}")
    targets = target.to(rows.dtype).reshape(rows.shape) if soft else target.reshape(-1)
    check_labels(targets, rows.shape[-1], ignore_index)
    parameters = _one_per_row(X, alpha, -1).reshape(-1)
    if (forced() and nan_propagates()) or (not is_plain(rows, targets, parameters) and chosen() != "core"):
        clean_rows, orders = clean(rows, targets, ignore_index), parameters.to(rows.dtype).unsqueeze(-1)
        losses = _row_values.norm_loss(clean_rows, rows_of(targets, rows, ignore_index), orders)
        return without_ignored(losses, targets, ignore_index).reshape(X.shape[:-1])
    result = rows.new_zeros(len(rows))
    for value in parameters.unique().tolist():
        same = (parameters == value).nonzero().squeeze(-1)
        result = result.index_copy(0, same, _normmax_losses(rows[same], targets[same], value, ignore_index))
    return result.reshape(X.shape[:-1])


class SparsemaxBisect(nn.Module):
    """`sparsemax_bisect` as a module.

    Parameters
    ----------
    dim : int
        The axis of the scores; all others are a batch.
    n_iter : int, optional
        Accepted for the package entmax; changes nothing, results are exact.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> layer = ft.SparsemaxBisect()
    >>> [round(x, 3) for x in layer(torch.tensor([1.6, 1.1, 0.4])).tolist()]
    [0.75, 0.25, 0.0]

    See Also
    --------
    sparsemax_bisect, Sparsemax
    """

    def __init__(self, dim: int = -1, n_iter: Optional[int] = None):
        super().__init__()
        self.dim, self.n_iter = dim, n_iter

    def forward(self, X: Tensor) -> Tensor:
        return sparsemax_bisect(X, self.dim, self.n_iter)

    def extra_repr(self) -> str:
        return arguments(dim=self.dim, n_iter=self.n_iter)


class EntmaxBisect(nn.Module):
    """`entmax_bisect` as a module.

    Parameters
    ----------
    alpha : float or Tensor
        α > 0; a tensor that expands to X with 1 along `dim` gets a gradient.
    dim : int
        The axis of the scores; all others are a batch.
    n_iter : int, optional
        Accepted for the package entmax; changes nothing, results are exact.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> layer = ft.EntmaxBisect(1.2)
    >>> [round(x, 3) for x in layer(torch.tensor([1.6, 1.1, 0.4])).tolist()]
    [0.568, 0.314, 0.119]

    See Also
    --------
    entmax_bisect, Entmax
    """

    def __init__(self, alpha: Union[float, Tensor] = 1.5, dim: int = -1, n_iter: int = 50):
        super().__init__()
        self.alpha, self.dim, self.n_iter = alpha, dim, n_iter

    def forward(self, X: Tensor) -> Tensor:
        return entmax_bisect(X, self.alpha, self.dim, self.n_iter)

    def extra_repr(self) -> str:
        return arguments(alpha=self.alpha, dim=self.dim, n_iter=self.n_iter)


class NormmaxBisect(nn.Module):
    """`normmax_bisect` as a module.

    Parameters
    ----------
    alpha : float or Tensor
        The order of the norm, > 1 or inf; a tensor that expands to X with 1 along `dim`, without gradient,
        gives each row its own.
    dim : int
        The axis of the scores; all others are a batch.
    n_iter : int, optional
        Accepted for the package entmax; changes nothing, results are exact.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> layer = ft.NormmaxBisect()
    >>> [round(x, 3) for x in layer(torch.tensor([1.6, 1.1, 0.4])).tolist()]
    [0.689, 0.311, 0.0]

    See Also
    --------
    normmax_bisect, Normmax
    """

    def __init__(self, alpha: Union[float, Tensor] = 2, dim: int = -1, n_iter: int = 50):
        super().__init__()
        self.alpha, self.dim, self.n_iter = alpha, dim, n_iter

    def forward(self, X: Tensor) -> Tensor:
        return normmax_bisect(X, self.alpha, self.dim, self.n_iter)

    def extra_repr(self) -> str:
        return arguments(alpha=self.alpha, dim=self.dim, n_iter=self.n_iter)


class BudgetBisect(nn.Module):
    """`budget_bisect` as a module.

    Parameters
    ----------
    budget : float or Tensor
        The sum, from 0 to d; a tensor that expands to X with 1 along `dim`, without gradient, gives each row
        its own.
    dim : int
        The axis of the scores; all others are a batch.
    n_iter : int, optional
        Accepted for the package entmax; changes nothing, results are exact.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> layer = ft.BudgetBisect()
    >>> [round(x, 3) for x in layer(torch.tensor([1.6, 1.1, 0.4])).tolist()]
    [1.0, 0.85, 0.15]

    See Also
    --------
    budget_bisect
    """

    def __init__(self, budget: Union[float, Tensor] = 2, dim: int = -1, n_iter: int = 50):
        super().__init__()
        self.budget, self.dim, self.n_iter = budget, dim, n_iter

    def forward(self, X: Tensor) -> Tensor:
        return budget_bisect(X, self.budget, self.dim, self.n_iter)

    def extra_repr(self) -> str:
        return arguments(budget=self.budget, dim=self.dim, n_iter=self.n_iter)


class _NamedAsThere(nn.Module):
    """A loss whose arguments may also be named X and target."""

    def forward(self, X: Optional[Tensor] = None, target: Optional[Tensor] = None, *, theta: Optional[Tensor] = None,
                y: Optional[Tensor] = None) -> Tensor:
        return super().forward(by_either_name("X", X, "theta", theta), by_either_name("target", target, "y", y))


class SparsemaxLoss(_NamedAsThere, FenchelYoungLoss):  # type: ignore[misc]
    """The sparsemax loss with the arguments of the package entmax: `loss(X, target)`.

    Parameters
    ----------
    k : int, optional
        Accepted for the package entmax; changes nothing.
    ignore_index : int
        The label of rows that do not count.
    reduction : str
        "elementwise_mean" or "mean", "sum" or "none". The mean of no rows at all is 0.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> X, target = torch.tensor([[1.6, 1.1, 0.4]]), torch.tensor([1])
    >>> round(ft.SparsemaxLoss()(X, target).item(), 3)
    0.562

    See Also
    --------
    sparsemax_loss, FenchelYoungLoss
    """

    def __init__(self, k: Optional[int] = None, ignore_index: int = -100, reduction: str = "elementwise_mean"):
        super().__init__("tsallis:alpha=2", reduction, ignore_index)
        self.k = k

    def extra_repr(self) -> str:
        return arguments(k=self.k, ignore_index=self.ignore_index, reduction=self.reduction)


class SparsemaxBisectLoss(_NamedAsThere, FenchelYoungLoss):  # type: ignore[misc]
    """The sparsemax loss with the arguments of the package entmax: `loss(X, target)`.

    Parameters
    ----------
    n_iter : int, optional
        Accepted for the package entmax; changes nothing, results are exact.
    ignore_index : int
        The label of rows that do not count.
    reduction : str
        "elementwise_mean" or "mean", "sum" or "none". The mean of no rows at all is 0.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> X, target = torch.tensor([[1.6, 1.1, 0.4]]), torch.tensor([1])
    >>> round(ft.SparsemaxBisectLoss()(X, target).item(), 3)
    0.562

    See Also
    --------
    sparsemax_bisect_loss, FenchelYoungLoss
    """

    def __init__(self, n_iter: int = 50, ignore_index: int = -100, reduction: str = "elementwise_mean"):
        super().__init__("tsallis:alpha=2", reduction, ignore_index)
        self.n_iter = n_iter

    def extra_repr(self) -> str:
        return arguments(n_iter=self.n_iter, ignore_index=self.ignore_index, reduction=self.reduction)


class Entmax15Loss(_NamedAsThere, FenchelYoungLoss):  # type: ignore[misc]
    """The 1.5-entmax loss with the arguments of the package entmax: `loss(X, target)`.

    Parameters
    ----------
    k : int, optional
        Accepted for the package entmax; changes nothing.
    ignore_index : int
        The label of rows that do not count.
    reduction : str
        "elementwise_mean" or "mean", "sum" or "none". The mean of no rows at all is 0.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> X, target = torch.tensor([[1.6, 1.1, 0.4]]), torch.tensor([1])
    >>> round(ft.Entmax15Loss()(X, target).item(), 3)
    0.691

    See Also
    --------
    entmax15_loss, FenchelYoungLoss
    """

    def __init__(self, k: Optional[int] = 100, ignore_index: int = -100, reduction: str = "elementwise_mean"):
        super().__init__("tsallis:alpha=1.5", reduction, ignore_index)
        self.k = k

    def extra_repr(self) -> str:
        return arguments(k=self.k, ignore_index=self.ignore_index, reduction=self.reduction)


class EntmaxBisectLoss(_NamedAsThere, EntmaxLoss):  # type: ignore[misc]
    """The α-entmax loss with the arguments of the package entmax: `loss(X, target)`.

    Parameters
    ----------
    alpha : float or Tensor
        α > 0; a tensor that expands to X with 1 along `dim` gets a gradient.
    n_iter : int, optional
        Accepted for the package entmax; changes nothing, results are exact.
    ignore_index : int
        The label of rows that do not count.
    reduction : str
        "elementwise_mean" or "mean", "sum" or "none". The mean of no rows at all is 0.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> X, target = torch.tensor([[1.6, 1.1, 0.4]]), torch.tensor([1])
    >>> round(ft.EntmaxBisectLoss(1.2)(X, target).item(), 3)
    0.896

    See Also
    --------
    entmax_bisect_loss, EntmaxLoss
    """

    def __init__(self, alpha: Union[float, Tensor] = 1.5, n_iter: int = 50, ignore_index: int = -100,
                 reduction: str = "elementwise_mean"):
        super().__init__(alpha, reduction, ignore_index)
        self.n_iter = n_iter

    def extra_repr(self) -> str:
        return arguments(alpha=self.alpha, n_iter=self.n_iter, ignore_index=self.ignore_index, reduction=self.reduction)


class NormmaxBisectLoss(_NamedAsThere, FenchelYoungLoss):
    """The α-normmax loss with the arguments of the package entmax: `loss(X, target)`.

    Parameters
    ----------
    alpha : float or Tensor
        The order of the norm, > 1 or inf; a tensor that expands to X with 1 along `dim`, without gradient,
        gives each row its own.
    n_iter : int, optional
        Accepted for the package entmax; changes nothing, results are exact.
    ignore_index : int
        The label of rows that do not count.
    reduction : str
        "elementwise_mean" or "mean", "sum" or "none". The mean of no rows at all is 0.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> X, target = torch.tensor([[1.6, 1.1, 0.4]]), torch.tensor([1])
    >>> round(ft.NormmaxBisectLoss()(X, target).item(), 3)
    0.589

    See Also
    --------
    normmax_bisect_loss, FenchelYoungLoss
    """

    def __init__(self, alpha: Union[float, Tensor] = 2, n_iter: int = 50, ignore_index: int = -100,
                 reduction: str = "elementwise_mean"):
        several = isinstance(alpha, Tensor) and alpha.numel() > 1
        norm = 2.0 if several else number_of("alpha", alpha.reshape(()) if isinstance(alpha, Tensor) else alpha, finite=False)
        super().__init__(f"norm:q={norm!r}", reduction, ignore_index)
        self.alpha, self.n_iter = alpha, n_iter

    def forward(self, X: Optional[Tensor] = None, target: Optional[Tensor] = None, *,  # type: ignore[override]
                theta: Optional[Tensor] = None, y: Optional[Tensor] = None) -> Tensor:
        if not isinstance(self.alpha, Tensor) or self.alpha.numel() == 1:
            return super().forward(X, target, theta=theta, y=y)
        X, target = by_either_name("X", X, "theta", theta), by_either_name("target", target, "y", y)
        losses = _normmax_losses(X, target, self.alpha, self.ignore_index)
        targets = target.to(losses.dtype) if target.shape == X.shape else target
        return finished(reduced(losses, targets, None, self.reduction, self.ignore_index), X)

    def predict(self, theta: Tensor) -> Tensor:
        """The prediction that belongs to the loss.

        Parameters
        ----------
        theta : Tensor [..., d]
            Scores; −inf forbids an entry.

        Returns
        -------
        Tensor [..., d]
            Predictions, of the shape and type of theta, with gradients in both directions.
        """
        return normmax_bisect(theta, self.alpha)

    def extra_repr(self) -> str:
        return arguments(alpha=self.alpha, n_iter=self.n_iter, ignore_index=self.ignore_index, reduction=self.reduction)
