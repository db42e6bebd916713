# SPDX-License-Identifier: Apache-2.0
"""sparsemax, entmax15, entmax and entmax_loss by Triton kernels: scores lie along `dim`, all other axes are a batch.

float32, float16 and bfloat16 are computed in float32 and given back as they came. Nothing waits for the device: rows without a
prediction (NaN, +inf, nothing but −inf) and labels that stand for no class make their rows NaN.
"""
from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor

from ..torch._tensors import beside, check_scores, masked
from ..torch.functional import check_reduction, check_weight, finished, reduced
from ._functions import Entmax, EntmaxLoss
from ._launch import check_tensor, kind_of
from ._rows import matrix

__all__ = ["entmax", "entmax15", "entmax_loss", "sparsemax"]


def _checked(theta: Tensor, dim: int) -> Tensor:
    check_scores(check_tensor("theta", theta), dim)
    if theta.shape[dim] == 0:
        raise ValueError(f"theta has shape {tuple(theta.shape)}; expected at least one score along dim {dim}")
    return theta.movedim(dim, -1)


def entmax(theta: Tensor, alpha: float = 1.5, dim: int = -1, *, mask: Optional[Tensor] = None) -> Tensor:
    """α-entmax: softmax for α = 1, sparsemax for 2.

    Parameters
    ----------
    theta : Tensor [..., d]
        Scores in float32, float16 or bfloat16, on a GPU; −inf forbids an entry.
    alpha : float
        From 1 to 2; 1, 1.5 and 2 have kernels of their own.
    dim : int
        The axis of the scores; all others are a batch.
    mask : Tensor of bool, optional
        True where an entry may have mass. A row without any is 0.

    Returns
    -------
    Tensor [..., d]
        Predictions, of the shape and type of theta, with first and second derivatives.

    Raises
    ------
    TypeError
        For float64 and other types, and for an alpha that is a tensor.
    ValueError
        For scores on the CPU outside the interpreter, and for other α.

    Examples
    --------
    >>> import torch, fenchel.triton
    >>> theta = torch.tensor([1.6, 1.1, 0.4])
    >>> [round(x, 3) for x in fenchel.triton.entmax(theta, 1.3).tolist()]
    [0.593, 0.312, 0.096]

    See Also
    --------
    entmax_loss, entmax_attention, fenchel.torch.entmax
    """
    kind_of(alpha)
    rows = _checked(theta, dim)
    nothing = None
    if mask is not None:
        scores, nothing = masked(theta, mask, dim)
        rows = scores.movedim(dim, -1)
    out = Entmax.apply(matrix(rows), float(alpha)).reshape(rows.shape).movedim(-1, dim)
    return out if nothing is None else out.masked_fill(nothing, 0)


def entmax15(theta: Tensor, dim: int = -1, *, mask: Optional[Tensor] = None) -> Tensor:
    """α-entmax for α = 1.5, between softmax and sparsemax.

    Parameters
    ----------
    theta : Tensor [..., d]
        Scores in float32, float16 or bfloat16, on a GPU; −inf forbids an entry.
    dim : int
        The axis of the scores; all others are a batch.
    mask : Tensor of bool, optional
        True where an entry may have mass. A row without any is 0.

    Returns
    -------
    Tensor [..., d]
        Predictions, of the shape and type of theta, with first and second derivatives.

    Examples
    --------
    >>> import torch, fenchel.triton
    >>> theta = torch.tensor([1.6, 1.1, 0.4])
    >>> [round(x, 3) for x in fenchel.triton.entmax15(theta).tolist()]
    [0.649, 0.309, 0.042]

    See Also
    --------
    sparsemax, entmax, fenchel.torch.entmax15
    """
    return entmax(theta, 1.5, dim, mask=mask)


def sparsemax(theta: Tensor, dim: int = -1, *, mask: Optional[Tensor] = None) -> Tensor:
    """argmin ‖p − θ‖² over the simplex: probabilities, many of them exactly 0.

    Parameters
    ----------
    theta : Tensor [..., d]
        Scores in float32, float16 or bfloat16, on a GPU; −inf forbids an entry.
    dim : int
        The axis of the scores; all others are a batch.
    mask : Tensor of bool, optional
        True where an entry may have mass. A row without any is 0.

    Returns
    -------
    Tensor [..., d]
        Predictions, of the shape and type of theta, with first and second derivatives.

    Examples
    --------
    >>> import torch, fenchel.triton
    >>> theta = torch.tensor([1.6, 1.1, 0.4])
    >>> [round(x, 3) for x in fenchel.triton.sparsemax(theta).tolist()]
    [0.75, 0.25, 0.0]

    See Also
    --------
    entmax15, entmax, fenchel.torch.sparsemax
    """
    return entmax(theta, 2.0, dim, mask=mask)


def entmax_loss(theta: Tensor, y: Tensor, alpha: float = 1.5, dim: int = -1, *, reduction: str = "mean",
                ignore_index: int = -100, weight: Optional[Tensor] = None) -> Tensor:
    """The loss whose gradient is entmax(θ, α) − y, without an array of predictions, for large vocabularies.

    Forward keeps three numbers for each row; backward makes the gradient from the scores. With reduction="none" the losses of
    rows can be weighted by the caller.

    Parameters
    ----------
    theta : Tensor [..., d]
        Scores in float32, float16 or bfloat16, on a GPU; −inf forbids an entry.
    y : Tensor of int
        Labels, one for each row of scores.
    alpha : float
        From 1 to 2; 1, 1.5 and 2 have kernels of their own.
    dim : int
        The axis of the scores; all others are a batch.
    reduction : str
        "mean", "sum" or "none". The mean of no rows at all is 0.
    ignore_index : int
        The label of rows that do not count.
    weight : Tensor [d], optional
        One number per class; the mean is then weighted.

    Returns
    -------
    Tensor
        A number, or with reduction="none" one for each row. Labels that stand for no class make it NaN.

    Raises
    ------
    TypeError
        For rows as targets, which fenchel.torch.entmax_loss takes.
    ValueError
        For labels of another shape than that of theta without `dim`.

    Examples
    --------
    >>> import torch, fenchel.triton
    >>> theta = torch.tensor([[1.6, 1.1, 0.4]])
    >>> round(fenchel.triton.entmax_loss(theta, torch.tensor([1]), 1.2).item(), 3)
    0.896

    See Also
    --------
    entmax, fenchel.torch.entmax_loss
    """
    kind_of(alpha)
    check_reduction(reduction)
    rows = _checked(theta, dim)
    if not isinstance(y, Tensor) or y.is_floating_point() or y.is_complex() or y.dtype == torch.bool:
        raise TypeError(f"y is {y.dtype if isinstance(y, Tensor) else type(y).__name__}; expected a tensor of integer labels")
    if y.shape != rows.shape[:-1]:
        raise ValueError(f"y has shape {tuple(y.shape)}; expected {tuple(rows.shape[:-1])}, one label for each row of theta")
    check_weight(weight, rows.shape[-1])
    labels = beside(y, theta).to(torch.int64)
    losses = EntmaxLoss.apply(matrix(rows), labels.reshape(-1), float(alpha), ignore_index).reshape(y.shape)
    return finished(reduced(losses, labels, weight, reduction, ignore_index), theta)
