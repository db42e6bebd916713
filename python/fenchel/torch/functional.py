# SPDX-License-Identifier: Apache-2.0
"""predict, conjugate and loss of any Ω on tensors: scores lie along `dim`, all other axes are a batch.

float32 and float64 are kept; float16 and bfloat16 are computed in float32 and given back as they came.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Optional, Sequence, Union

import torch
from torch import Tensor

from .._arguments import number_of
from .._costs import no_other_cost
from ._backend import backend, chosen, may_overflow
from ._costs import costs_of, own_costs
from ._entmax import entmax_loss_rows, entmax_rows
from ._loss import full_precision, kept_rows, loss_rows, loss_total
from ._predict import conjugate_rows, predict_rows
from ._specs import natural_shape, on_simplex, own_cost, text_of
from ._tensors import back, beside, check_dense, check_given, check_scores, full_mask, is_natural, masked, scores_last
from .ragged import is_ragged, loss_each, predict_each

if TYPE_CHECKING:
    from .._types import ArrayLike, OmegaLike

__all__ = ["conjugate", "entmax", "entmax_loss", "loss", "predict"]

REDUCTIONS = ("mean", "sum", "none", "elementwise_mean")  # the last is torch's former name of "mean"


def predict(theta: Union[Tensor, Sequence[Tensor]], omega: Union[OmegaLike, Sequence[OmegaLike]], dim: int = -1, *,
            mask: Optional[Tensor] = None) -> Any:
    """ŷ_Ω(θ) = argmax ⟨θ, μ⟩ − Ω(μ), the prediction of Ω (paper Definition 1).

    Scores of structures may fill the last axes with their natural shape, such as [..., n, n] for trees.

    Parameters
    ----------
    theta : Tensor [..., d] or list of Tensor
        Scores, −inf forbids an entry; or a list of examples of different shapes.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    dim : int
        The axis of the scores; all others are a batch.
    mask : Tensor of bool, optional
        True where an entry may have mass. A row without any is 0; a row of nothing but −inf is an error.

    Returns
    -------
    Tensor [..., d]
        Predictions, of the shape and type of theta, with gradients in both directions; a list for a list.
        omega may then be a list too.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> theta = torch.tensor([1.6, 1.1, 0.4])
    >>> [round(x, 3) for x in ft.predict(theta, "sparsemax").tolist()]
    [0.75, 0.25, 0.0]

    See Also
    --------
    loss, softmax, sparsemax, entmax, Predict, fenchel.predict
    """
    if is_ragged(theta):
        return predict_each(theta, omega)
    if may_overflow(theta):
        with backend(chosen(), nan="propagate"):
            return predict(theta, omega, dim, mask=mask)
    text = text_of(omega)
    shape = natural_shape(text)
    if is_natural(theta, shape, dim):
        flat_mask = None if mask is None else full_mask(theta, mask).flatten(-len(shape))
        return predict(theta.flatten(-len(shape)), text, mask=flat_mask).reshape(theta.shape)
    if mask is None:
        return back(predict_rows(scores_last(theta, dim), text), theta, dim)
    scores, nothing = masked(theta, mask, dim)
    return back(predict_rows(scores_last(scores, dim), text), theta, dim).masked_fill(nothing, 0)


def conjugate(theta: Tensor, omega: OmegaLike, dim: int = -1) -> Tensor:
    """Ω*(θ) = max ⟨θ, μ⟩ − Ω(μ), whose gradient is ŷ_Ω(θ); log Σ exp(θ) for Shannon.

    Parameters
    ----------
    theta : Tensor [..., d]
        Scores; −inf forbids an entry.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    dim : int
        The axis of the scores; all others are a batch.

    Returns
    -------
    Tensor [...]
        A number for each row.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> theta = torch.tensor([1.6, 1.1, 0.4])
    >>> round(ft.conjugate(theta, "shannon").item(), 3)
    2.246

    See Also
    --------
    predict, fenchel.conjugate
    """
    if may_overflow(theta):
        with backend(chosen(), nan="propagate"):
            return conjugate(theta, omega, dim)
    text = text_of(omega)
    shape = natural_shape(text)
    if is_natural(theta, shape, dim):
        theta = theta.flatten(-len(shape))
    return conjugate_rows(scores_last(theta, dim), text).to(theta.dtype)


def _orders(alpha: Tensor, theta: Tensor, dim: int) -> Tensor:
    """One α a row, from a tensor that can be expanded to θ with one entry along `dim`."""
    check_given("alpha", alpha)
    shape = list(theta.shape)
    shape[dim] = 1
    try:
        expanded = alpha.expand(shape)
    except RuntimeError:
        raise ValueError(f"alpha has shape {tuple(alpha.shape)}; expected one that expands to {tuple(shape)}, that of "
                         f"theta with 1 along dim {dim}") from None
    return beside(expanded.squeeze(dim), theta)


def entmax(theta: Tensor, alpha: Union[float, Tensor] = 1.5, dim: int = -1, *, mask: Optional[Tensor] = None) -> Tensor:
    """α-entmax: softmax for α = 1, sparsemax for 2, exact for every α > 0, and differentiable in α.

    Parameters
    ----------
    theta : Tensor [..., d]
        Scores; −inf forbids an entry.
    alpha : float or Tensor
        α > 0: 1 is softmax, 2 sparsemax. A tensor expands to the shape of theta with 1 along `dim`, such as
        (heads, 1, 1) for attention, and gets a gradient.
    dim : int
        The axis of the scores; all others are a batch.
    mask : Tensor of bool, optional
        True where an entry may have mass. A row without any is 0; a row of nothing but −inf is an error.

    Returns
    -------
    Tensor [..., d]
        Predictions, of the shape and type of theta, with gradients in both directions.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> theta = torch.tensor([[1.6, 1.1, 0.4], [1.6, 1.1, 0.4]])
    >>> p = ft.entmax(theta, torch.tensor([[1.0], [2.0]]))  # an α for each row
    >>> [[round(x, 3) for x in row] for row in p.tolist()]
    [[0.524, 0.318, 0.158], [0.75, 0.25, 0.0]]

    See Also
    --------
    entmax_loss, Entmax, LearnableAlpha, fenchel.entmax
    """
    if not isinstance(alpha, Tensor):
        return predict(theta, f"tsallis:alpha={number_of('alpha', alpha, finite=False)!r}", dim, mask=mask)
    check_scores(theta, dim)
    if may_overflow(theta):
        with backend(chosen(), nan="propagate"):
            return entmax(theta, alpha, dim, mask=mask)
    orders = _orders(alpha, theta, dim)
    if mask is None:
        return back(entmax_rows(scores_last(theta, dim), orders), theta, dim)
    scores, nothing = masked(theta, mask, dim)
    return back(entmax_rows(scores_last(scores, dim), orders), theta, dim).masked_fill(nothing, 0)


def _targets(y: Tensor, theta: Tensor, dim: int) -> Tensor:
    """Targets as the operators take them: labels of the shape of θ without `dim`, or rows with the scores last."""
    if not isinstance(y, Tensor):
        raise TypeError(f"y is {type(y).__name__}; expected a tensor of labels or of rows like theta")
    labels = tuple(n for axis, n in enumerate(theta.shape) if axis != dim % theta.dim())
    check_dense("y", y)
    y = beside(y, theta)
    if y.dtype == torch.bool or y.is_complex():
        raise TypeError(f"y has dtype {y.dtype}; expected integer labels or rows like theta")
    if not y.is_floating_point() and tuple(y.shape) == labels:
        return y
    if y.shape != theta.shape:
        expected = f"{tuple(theta.shape)}, that of theta"
        if not y.is_floating_point():
            expected = f"{labels}, one label for each row of theta"
        raise ValueError(f"y has shape {tuple(y.shape)}; expected {expected}")
    return y if dim == -1 or dim == theta.dim() - 1 else y.movedim(dim, -1)


def _weights(y: Tensor, weight: Tensor, ignore_index: int) -> Tensor:
    """The weight of every row: that of its label, or ⟨weight, y⟩; 0 where it is ignored."""
    weight = beside(weight, y)
    if y.is_floating_point():
        return y @ weight.to(y.dtype)
    ignored = y == ignore_index
    labels = y.masked_fill(ignored, 0).to(torch.int64)  # of other types, torch takes uint8 for a mask
    return weight[labels].masked_fill(ignored, 0)


def reduced(losses: Tensor, y: Tensor, weight: Optional[Tensor], reduction: str, ignore_index: int) -> Tensor:
    """The losses of rows, or their sum or mean over the rows that are not ignored."""
    if weight is not None:
        weights = _weights(y, weight, ignore_index).to(losses.dtype)
        losses = losses * weights
    if reduction == "none":
        return losses
    if reduction == "sum":
        return losses.sum()
    if weight is not None:
        total = weights.sum()
        return losses.sum() / total.masked_fill(total == 0, 1)
    if y.is_floating_point():
        return losses.sum() / max(losses.numel(), 1)
    return losses.sum() / kept_rows(y, ignore_index)


def check_reduction(reduction: str) -> str:
    """A known reduction."""
    if not isinstance(reduction, str) or reduction not in REDUCTIONS:
        raise ValueError(f"reduction is {reduction!r}; expected 'mean', 'sum' or 'none'")
    return reduction


def check_weight(weight: Optional[Tensor], classes: int) -> None:
    """One weight per class, or none at all."""
    if weight is None:
        return
    check_given("weight", weight)
    if weight.dim() != 1 or weight.shape[0] != classes:
        raise ValueError(f"weight has shape {tuple(weight.shape)}; expected ({classes},), one weight for each class")


def finished(losses: Tensor, theta: Tensor) -> Tensor:
    """Losses in the type of θ; under autocast in float32, as torch's own losses."""
    if losses.dtype == theta.dtype or torch.is_autocast_enabled(theta.device.type):
        return losses
    return losses.to(theta.dtype)


def loss(theta: Union[Tensor, Sequence[Tensor]], y: Any, omega: Union[OmegaLike, Sequence[OmegaLike]],
         dim: int = -1, *, reduction: str = "mean", ignore_index: int = -100, weight: Optional[Tensor] = None,
         cost: Union[str, ArrayLike, Callable[[Tensor], Tensor], None] = None) -> Tensor:
    """L_Ω(θ; y) = Ω*(θ) + Ω(y) − ⟨θ, y⟩, the Fenchel-Young loss (paper Definition 2).

    `reduction`, `ignore_index` and `weight` are those of torch's cross_entropy. theta, y and omega may be
    lists of examples.

    Parameters
    ----------
    theta : Tensor [..., d] or list of Tensor
        Scores, −inf forbids an entry; or a list of examples of different shapes.
    y : Tensor
        Targets: integer labels, one for each row of scores, or rows like theta.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    dim : int
        The axis of the scores; all others are a batch.
    reduction : str
        "mean", "sum" or "none". The mean of no rows at all is 0.
    ignore_index : int
        The label of rows that do not count.
    weight : Tensor [d], optional
        One number per class; the mean is then weighted. With rows as targets, a row's weight is ⟨weight, y⟩.
    cost : str, array_like or callable, optional
        c_y, which makes it the loss L_Ω(θ + c_y; y) (paper §3.4): "zero_one" (c_y = 1 − y), "hamming" over
        structures (⟨c_y, z − y⟩ = ‖z − y‖²), d numbers, d × d numbers with a row for each label (mixed as y
        mixes labels), or a function of targets, rows with the scores last, that returns a tensor of their
        shape.

    Returns
    -------
    Tensor
        A number, or with reduction="none" one for each row.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> theta = torch.tensor([1.6, 1.1, 0.4]).requires_grad_()
    >>> loss = ft.loss(theta, torch.tensor(1), "sparsemax")
    >>> loss.backward()
    >>> [round(x, 3) for x in theta.grad.tolist()]
    [0.75, -0.75, 0.0]

    See Also
    --------
    FenchelYoungLoss, predict, fenchel.loss
    """
    check_reduction(reduction)
    if is_ragged(theta):
        if cost is not None:
            raise ValueError("cost is given; expected none with lists of examples: add the costs to the scores of each")
        losses = loss_each(theta, y, omega)
        if reduction == "none":
            return losses
        return losses.sum() if reduction == "sum" else losses.sum() / max(len(theta), 1)
    if may_overflow(theta):
        with backend(chosen(), nan="propagate"):
            return loss(theta, y, omega, dim, reduction=reduction, ignore_index=ignore_index, weight=weight, cost=cost)
    text = text_of(omega)
    shape = natural_shape(text)
    if is_natural(theta, shape, dim):
        if isinstance(y, Tensor) and y.shape == theta.shape:
            y = y.flatten(-len(shape))
        theta = theta.flatten(-len(shape))
    rows = scores_last(theta, dim)
    targets = _targets(y, theta, dim)
    check_weight(weight, rows.shape[-1])
    if targets.dim() == rows.dim():
        targets = full_precision(targets, rows.dtype, on_simplex(text))
    own = own_cost(omega)
    if own is not None:
        no_other_cost(omega, cost)
        rows = rows + own_costs(own, targets, rows, ignore_index)
    elif cost is not None:
        rows = rows + costs_of(cost, targets, rows, text, ignore_index)
    if weight is None and reduction != "none":
        total = loss_total(rows, targets, text, ignore_index, reduction != "sum")
        if total is not None:
            return finished(total, theta)
    losses = loss_rows(rows, targets, text, ignore_index)
    return finished(reduced(losses, targets, weight, reduction, ignore_index), theta)


def entmax_loss(theta: Tensor, y: Tensor, alpha: Union[float, Tensor] = 1.5, dim: int = -1, *, reduction: str = "mean",
                ignore_index: int = -100, weight: Optional[Tensor] = None) -> Tensor:
    """The loss whose gradient is entmax(θ, α) − y; it has a gradient in α too.

    Parameters
    ----------
    theta : Tensor [..., d]
        Scores; −inf forbids an entry.
    y : Tensor
        Targets: integer labels, one for each row of scores, or rows like theta.
    alpha : float or Tensor
        α > 0: 1 is softmax, 2 sparsemax. A tensor expands to the shape of theta with 1 along `dim`, such as
        (heads, 1, 1) for attention, and gets a gradient.
    dim : int
        The axis of the scores; all others are a batch.
    reduction : str
        "mean", "sum" or "none". The mean of no rows at all is 0.
    ignore_index : int
        The label of rows that do not count.
    weight : Tensor [d], optional
        One number per class; the mean is then weighted. With rows as targets, a row's weight is ⟨weight, y⟩.

    Returns
    -------
    Tensor
        A number, or with reduction="none" one for each row.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> theta = torch.tensor([1.6, 1.1, 0.4])
    >>> round(ft.entmax_loss(theta, torch.tensor(1), 1.2).item(), 3)
    0.896

    See Also
    --------
    entmax, EntmaxLoss, fenchel.entmax_loss
    """
    if not isinstance(alpha, Tensor):
        omega = f"tsallis:alpha={number_of('alpha', alpha, finite=False)!r}"
        return loss(theta, y, omega, dim, reduction=reduction, ignore_index=ignore_index, weight=weight)
    check_reduction(reduction)
    if may_overflow(theta):
        with backend(chosen(), nan="propagate"):
            return entmax_loss(theta, y, alpha, dim, reduction=reduction, ignore_index=ignore_index, weight=weight)
    rows = scores_last(theta, dim)
    targets = _targets(y, theta, dim)
    check_weight(weight, rows.shape[-1])
    if targets.dim() == rows.dim():
        targets = full_precision(targets, rows.dtype, True)
    losses = entmax_loss_rows(rows, targets, _orders(alpha, theta, dim), ignore_index)
    return finished(reduced(losses, targets, weight, reduction, ignore_index), theta)
