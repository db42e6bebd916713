# SPDX-License-Identifier: Apache-2.0
"""The Fenchel-Young loss as a module."""
from __future__ import annotations

from typing import Any, Optional, Union

from torch import Tensor, nn

from .._base import Regularizer
from . import functional
from ._specs import known, module_omega, text_of

__all__ = ["EntmaxLoss", "FenchelYoungLoss"]


class FenchelYoungLoss(nn.Module):
    """L_Ω(θ; y) (paper Definition 2), called as torch's CrossEntropyLoss: `loss(theta, y)`.

    y holds integer labels or rows like θ. `weight`: one number per class; the mean is then weighted. Scores lie along
    `dim`, by default the last axis (CrossEntropyLoss has them along axis 1: say dim=1 for that). `cost` as in
    fenchel.torch.loss: with Argmax and "zero_one" this is the hinge loss.
    """

    weight: Optional[Tensor]

    def __init__(self, omega: Union[Regularizer, str, dict], reduction: str = "mean", ignore_index: int = -100,
                 weight: Optional[Tensor] = None, dim: int = -1, cost: Any = None):
        super().__init__()
        self.omega = module_omega(omega)
        known(text_of(omega))  # a wrong Ω is said here, not at the first call
        self.reduction = functional.check_reduction(reduction)
        self.ignore_index, self.dim = ignore_index, dim
        self.register_buffer("weight", weight)
        if isinstance(cost, Tensor):
            self.register_buffer("cost", cost, persistent=False)  # chosen, not learned: no part of the state
        else:
            self.cost = cost

    def forward(self, theta: Tensor, y: Tensor) -> Tensor:
        return functional.loss(theta, y, self.omega, self.dim, reduction=self.reduction, ignore_index=self.ignore_index,
                               weight=self.weight, cost=self.cost)

    def predict(self, theta: Tensor) -> Tensor:
        """ŷ_Ω(θ), the prediction that belongs to the loss."""
        return functional.predict(theta, self.omega, self.dim)

    def extra_repr(self) -> str:
        return f"{self.omega}, reduction={self.reduction!r}"


class EntmaxLoss(nn.Module):
    """The loss of α-entmax; α is a number, a tensor, or a module such as LearnableAlpha, learned with the rest."""

    weight: Optional[Tensor]

    def __init__(self, alpha: Union[float, Tensor, nn.Module] = 1.5, reduction: str = "mean", ignore_index: int = -100,
                 weight: Optional[Tensor] = None, dim: int = -1):
        super().__init__()
        self.alpha: Any = alpha
        self.reduction = functional.check_reduction(reduction)
        self.ignore_index, self.dim = ignore_index, dim
        self.register_buffer("weight", weight)

    def forward(self, theta: Tensor, y: Tensor) -> Tensor:
        alpha = self.alpha() if isinstance(self.alpha, nn.Module) else self.alpha
        return functional.entmax_loss(theta, y, alpha, self.dim, reduction=self.reduction,
                                      ignore_index=self.ignore_index, weight=self.weight)

    def extra_repr(self) -> str:
        return f"reduction={self.reduction!r}"
