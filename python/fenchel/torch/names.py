# SPDX-License-Identifier: Apache-2.0
"""The prediction functions under the names people search for."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Sequence, Union, cast

import torch
from torch import Tensor

from .._arguments import number_of
from .._base import Polytope
from ..regularizers import SparseMap
from ._specs import sparsemap_text
from ._tensors import by_either_name
from .functional import predict

if TYPE_CHECKING:
    from .._types import PolytopeLike

__all__ = ["entmax15", "normmax", "sigmoid", "softmax", "sparse_sigmoid", "sparsemap", "sparsemax"]


def softmax(theta: Tensor, dim: int = -1, *, mask: Optional[Tensor] = None) -> Tensor:
    """exp(θ) / Σ exp(θ): probabilities, none of them 0.

    Parameters
    ----------
    theta : Tensor [..., d]
        Scores; −inf forbids an entry.
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
    >>> theta = torch.tensor([1.6, 1.1, 0.4])
    >>> [round(x, 3) for x in ft.softmax(theta).tolist()]
    [0.524, 0.318, 0.158]

    See Also
    --------
    sparsemax, Softmax, fenchel.softmax
    """
    return predict(theta, "shannon", dim, mask=mask)


def _with_support(prediction: Tensor, dim: int, wanted: bool) -> Union[Tensor, tuple[Tensor, Tensor]]:
    return (prediction, (prediction > 0).sum(dim, keepdim=True)) if wanted else prediction


def sparsemax(X: Optional[Tensor] = None, dim: int = -1, k: Optional[int] = None, return_support_size: bool = False, *,
              mask: Optional[Tensor] = None, theta: Optional[Tensor] = None) -> Any:
    """argmin ‖p − θ‖² over the simplex: probabilities, many of them exactly 0.

    Parameters
    ----------
    X : Tensor [..., d]
        Scores, under the name that the package entmax has for them; −inf forbids an entry.
    dim : int
        The axis of the scores; all others are a batch.
    k : int, optional
        Accepted for the package entmax; changes nothing.
    return_support_size : bool
        Also return how many entries are not 0.
    mask : Tensor of bool, optional
        True where an entry may have mass. A row without any is 0; a row of nothing but −inf is an error.
    theta : Tensor [..., d]
        Scores, instead of X.

    Returns
    -------
    Tensor [..., d]
        Predictions, of the shape and type of the scores.
    Tensor of int
        With return_support_size: 1 along `dim`.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> theta = torch.tensor([1.6, 1.1, 0.4])
    >>> [round(x, 3) for x in ft.sparsemax(theta).tolist()]
    [0.75, 0.25, 0.0]

    See Also
    --------
    entmax15, Sparsemax, fenchel.sparsemax
    """
    scores = by_either_name("X", X, "theta", theta)
    return _with_support(predict(scores, "tsallis:alpha=2", dim, mask=mask), dim, return_support_size)


def entmax15(X: Optional[Tensor] = None, dim: int = -1, k: Optional[int] = None, return_support_size: bool = False, *,
             mask: Optional[Tensor] = None, theta: Optional[Tensor] = None) -> Any:
    """α-entmax for α = 1.5, between softmax and sparsemax.

    Parameters
    ----------
    X : Tensor [..., d]
        Scores, under the name that the package entmax has for them; −inf forbids an entry.
    dim : int
        The axis of the scores; all others are a batch.
    k : int, optional
        Accepted for the package entmax; changes nothing.
    return_support_size : bool
        Also return how many entries are not 0.
    mask : Tensor of bool, optional
        True where an entry may have mass. A row without any is 0; a row of nothing but −inf is an error.
    theta : Tensor [..., d]
        Scores, instead of X.

    Returns
    -------
    Tensor [..., d]
        Predictions, of the shape and type of the scores.
    Tensor of int
        With return_support_size: 1 along `dim`.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> theta = torch.tensor([1.6, 1.1, 0.4])
    >>> [round(x, 3) for x in ft.entmax15(theta).tolist()]
    [0.649, 0.309, 0.042]

    See Also
    --------
    entmax, Entmax15, fenchel.entmax15
    """
    scores = by_either_name("X", X, "theta", theta)
    return _with_support(predict(scores, "tsallis:alpha=1.5", dim, mask=mask), dim, return_support_size)


def normmax(theta: Tensor, q: float = float("inf"), dim: int = -1, *, mask: Optional[Tensor] = None) -> Tensor:
    """argmax ⟨θ, p⟩ − ‖p‖_q over the simplex; uniform over the best few classes for q = inf.

    Parameters
    ----------
    theta : Tensor [..., d]
        Scores; −inf forbids an entry.
    q : float
        The order of the norm, > 1 or inf.
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
    >>> theta = torch.tensor([1.6, 1.1, 0.4])
    >>> [round(x, 3) for x in ft.normmax(theta, 2).tolist()]
    [0.689, 0.311, 0.0]

    See Also
    --------
    Normmax, fenchel.normmax
    """
    return predict(theta, f"norm:q={number_of('q', q, finite=False)!r}", dim, mask=mask)


def sigmoid(theta: Tensor) -> Tensor:
    """1 / (1 + exp(−θ)), by entries.

    Parameters
    ----------
    theta : Tensor
        Scores.

    Returns
    -------
    Tensor
        Numbers from 0 to 1, of the shape of theta.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> [round(x, 3) for x in ft.sigmoid(torch.tensor([-1.0, 0.0, 1.0])).tolist()]
    [0.269, 0.5, 0.731]

    See Also
    --------
    sparse_sigmoid
    """
    return torch.sigmoid(theta)


def sparse_sigmoid(theta: Tensor, dim: int = -1) -> Tensor:
    """min(1, max(0, (θ + 1)/2)), by entries: sparsemax of two classes.

    Parameters
    ----------
    theta : Tensor
        Scores.
    dim : int
        An axis of theta; the result is the same for each.

    Returns
    -------
    Tensor
        Numbers from 0 to 1, of the shape of theta.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> [round(x, 3) for x in ft.sparse_sigmoid(torch.tensor([-1.0, 0.5, 2.0])).tolist()]
    [0.0, 0.75, 1.0]

    See Also
    --------
    sigmoid, SparseSigmoid
    """
    return predict(theta, "sparse_sigmoid", dim)


def sparsemap(theta: Union[Tensor, Sequence[Tensor]], polytope: Union[PolytopeLike, Sequence[PolytopeLike]],
              dim: int = -1) -> Any:
    """argmin ‖μ − θ‖² over conv(Y), SparseMAP: a mean of few structures (paper §7.2).

    Parameters
    ----------
    theta : Tensor or list of Tensor
        Scores, with the natural shape of structures in the last axes, or flat along `dim`.
    polytope : Polytope, str or dict, or a list
        The set Y of structures, such as fenchel.Arborescence(5) or "arborescence:n=5"; a list for a list of
        examples.
    dim : int
        The axis of the scores; all others are a batch.

    Returns
    -------
    Tensor
        Means of structures, of the shape and type of theta, with gradients; a list for a list.

    Examples
    --------
    >>> import torch, fenchel, fenchel.torch as ft
    >>> mu = ft.sparsemap(torch.tensor([1.0, 0.4, 0.2]), fenchel.KSubsets(3, 2))
    >>> [round(x, 3) for x in mu.tolist()]
    [1.0, 0.6, 0.4]

    See Also
    --------
    SparseMAP, StructuredPredict, fenchel.sparsemap
    """
    if isinstance(polytope, (list, tuple)):
        return predict(theta, [SparseMap(one) for one in polytope])
    omega = sparsemap_text(polytope) if isinstance(polytope, Polytope) else SparseMap(cast("PolytopeLike", polytope))
    return predict(theta, omega, dim)
