# SPDX-License-Identifier: Apache-2.0
"""The prediction functions under the names people search for."""
from __future__ import annotations

from typing import Any, Optional, Union

import torch
from torch import Tensor

from .._base import Polytope
from ..regularizers import SparseMap
from ._specs import sparsemap_text
from ._tensors import by_either_name
from .functional import predict

__all__ = ["entmax15", "normmax", "sigmoid", "softmax", "sparse_sigmoid", "sparsemap", "sparsemax"]


def softmax(theta: Tensor, dim: int = -1, *, mask: Optional[Tensor] = None) -> Tensor:
    """exp(θ) / Σ exp(θ)."""
    return predict(theta, "shannon", dim, mask=mask)


def _with_support(prediction: Tensor, dim: int, wanted: bool) -> Union[Tensor, tuple[Tensor, Tensor]]:
    return (prediction, (prediction > 0).sum(dim, keepdim=True)) if wanted else prediction


def sparsemax(X: Optional[Tensor] = None, dim: int = -1, k: Optional[int] = None, return_support_size: bool = False, *,
              mask: Optional[Tensor] = None, theta: Optional[Tensor] = None) -> Any:
    """The Euclidean projection of θ onto the simplex. `k`, a hint of how many entries matter, changes nothing.

    The scores may be named X, as in the package entmax, or theta.
    """
    scores = by_either_name("X", X, "theta", theta)
    return _with_support(predict(scores, "tsallis:alpha=2", dim, mask=mask), dim, return_support_size)


def entmax15(X: Optional[Tensor] = None, dim: int = -1, k: Optional[int] = None, return_support_size: bool = False, *,
             mask: Optional[Tensor] = None, theta: Optional[Tensor] = None) -> Any:
    """α-entmax for α = 1.5; arguments as in `sparsemax`."""
    scores = by_either_name("X", X, "theta", theta)
    return _with_support(predict(scores, "tsallis:alpha=1.5", dim, mask=mask), dim, return_support_size)


def normmax(theta: Tensor, q: float = float("inf"), dim: int = -1, *, mask: Optional[Tensor] = None) -> Tensor:
    """The prediction of the norm entropy of order q."""
    return predict(theta, f"norm:q={float(q)!r}", dim, mask=mask)


def sigmoid(theta: Tensor) -> Tensor:
    """1 / (1 + exp(−θ)), by entries."""
    return torch.sigmoid(theta)


def sparse_sigmoid(theta: Tensor, dim: int = -1) -> Tensor:
    """min(1, max(0, (θ + 1)/2)), by entries: sparsemax of two classes."""
    return predict(theta, "sparse_sigmoid", dim)


def sparsemap(theta: Any, polytope: Any, dim: int = -1) -> Any:
    """The Euclidean projection of θ onto conv(Y): few structures (paper §7.2); lists as in `predict`."""
    if isinstance(polytope, (list, tuple)):
        return predict(theta, [SparseMap(one) for one in polytope])
    return predict(theta, sparsemap_text(polytope) if isinstance(polytope, Polytope) else SparseMap(polytope), dim)
