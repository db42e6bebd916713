# SPDX-License-Identifier: Apache-2.0
"""Prediction functions as modules."""
from __future__ import annotations

from typing import Any, Optional, Union

import torch
from torch import Tensor, nn

from .._base import Polytope, Regularizer
from ..regularizers import SparseMap as _SparseMap
from . import functional
from ._specs import known, module_omega, text_of
from ._tensors import by_either_name

__all__ = ["AdaptiveEntmax", "Entmax", "Entmax15", "LearnableAlpha", "Normmax", "Predict", "Softmax", "SparseMAP",
           "SparseSigmoid", "Sparsemax"]


class Predict(nn.Module):
    """ŷ_Ω of scores along `dim`, for any Ω."""

    def __init__(self, omega: Union[Regularizer, str, dict], dim: int = -1):
        super().__init__()
        self.omega = module_omega(omega)
        self.dim = dim
        known(text_of(omega))  # a wrong Ω is said here, not at the first call

    def forward(self, theta: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        return functional.predict(theta, self.omega, self.dim, mask=mask)

    def extra_repr(self) -> str:
        return f"{self.omega}, dim={self.dim}"


class Softmax(Predict):
    """exp(θ) / Σ exp(θ)."""

    def __init__(self, dim: int = -1):
        super().__init__("shannon", dim)


class Sparsemax(Predict):
    """The Euclidean projection onto the simplex; `k` is accepted and changes nothing."""

    def __init__(self, dim: int = -1, k: Optional[int] = None, return_support_size: bool = False):
        super().__init__("tsallis:alpha=2", dim)
        self.k, self.return_support_size = k, return_support_size

    def forward(self, X: Optional[Tensor] = None, mask: Optional[Tensor] = None, *,  # type: ignore[override]
                theta: Optional[Tensor] = None) -> Any:
        prediction = functional.predict(by_either_name("X", X, "theta", theta), self.omega, self.dim, mask=mask)
        return (prediction, (prediction > 0).sum(self.dim, keepdim=True)) if self.return_support_size else prediction


class Entmax15(Sparsemax):
    """α-entmax for α = 1.5; `k` is accepted and changes nothing."""

    def __init__(self, dim: int = -1, k: Optional[int] = None, return_support_size: bool = False):
        super().__init__(dim, k, return_support_size)
        self.omega = "tsallis:alpha=1.5"


class Normmax(Predict):
    """The prediction of the norm entropy of order q."""

    def __init__(self, q: float = float("inf"), dim: int = -1):
        super().__init__(f"norm:q={float(q)!r}", dim)


class SparseSigmoid(Predict):
    """min(1, max(0, (θ + 1)/2))."""

    def __init__(self) -> None:
        super().__init__("sparse_sigmoid")


class SparseMAP(Predict):
    """The Euclidean projection onto conv(Y) (paper §7.2)."""

    def __init__(self, polytope: Polytope, dim: int = -1):
        super().__init__(_SparseMap(polytope), dim)


class Entmax(nn.Module):
    """α-entmax; α is a number, a tensor that expands to the scores with 1 along `dim`, or a module that makes one."""

    def __init__(self, alpha: Union[float, Tensor, nn.Module] = 1.5, dim: int = -1):
        super().__init__()
        if not isinstance(alpha, (Tensor, nn.Module)):
            known(f"tsallis:alpha={float(alpha)!r}")
        if isinstance(alpha, Tensor) and not isinstance(alpha, nn.Parameter):
            self.register_buffer("alpha", alpha)
        else:
            self.alpha = alpha
        self.dim = dim

    def forward(self, theta: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        alpha = self.alpha() if isinstance(self.alpha, nn.Module) else self.alpha
        return functional.entmax(theta, alpha, self.dim, mask=mask)

    def extra_repr(self) -> str:
        shown = "" if isinstance(self.alpha, (nn.Module, Tensor)) else f"alpha={self.alpha}, "
        return f"{shown}dim={self.dim}"


class LearnableAlpha(nn.Module):
    """α = low + (high − low) · sigmoid(z), with z a parameter of some shape: α stays between softmax and sparsemax.

    `init` is the α to start from, a number or a tensor of that shape, strictly between low and high.
    """

    def __init__(self, shape: Union[int, tuple] = (), init: Union[float, Tensor] = 1.5, low: float = 1.0,
                 high: float = 2.0):
        super().__init__()
        if not 0 <= low < high < float("inf"):
            raise ValueError(f"low is {low} and high is {high}; expected 0 <= low < high < inf")
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        start = torch.as_tensor(init, dtype=torch.get_default_dtype()).expand(shape)
        if not bool(((start > low) & (start < high)).all()):
            raise ValueError(f"init is {init}; expected values strictly between low = {low} and high = {high}")
        self.low, self.high = float(low), float(high)
        self.z = nn.Parameter(torch.logit((start - low) / (high - low)).clone())

    def forward(self) -> Tensor:
        return self.low + (self.high - self.low) * torch.sigmoid(self.z)

    def extra_repr(self) -> str:
        return f"shape={tuple(self.z.shape)}, low={self.low}, high={self.high}"


class AdaptiveEntmax(Entmax):
    """Attention weights by α-entmax with a learnable α for each head; scores are [..., heads, queries, keys]."""

    def __init__(self, num_heads: int, init: Union[float, Tensor] = 1.5, low: float = 1.0, high: float = 2.0):
        start = init.reshape(-1, 1, 1) if isinstance(init, Tensor) and init.dim() == 1 else init
        super().__init__(LearnableAlpha((num_heads, 1, 1), start, low, high), dim=-1)
        self.num_heads = num_heads
