# SPDX-License-Identifier: Apache-2.0
"""The Fenchel-Young loss as a module."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Optional, Union

from torch import Tensor, nn

from .._arguments import number_of
from . import functional
from ._specs import arguments, known, module_omega, text_of

if TYPE_CHECKING:
    from .._types import ArrayLike, OmegaLike

__all__ = ["EntmaxLoss", "FenchelYoungLoss"]


def _changed(options: dict) -> dict:
    """Those of (value, default) that are not the default."""
    return {name: value for name, (value, default) in options.items() if isinstance(value, Tensor) or value != default}


class FenchelYoungLoss(nn.Module):
    """L_Ω(θ; y) (paper Definition 2), called as torch's CrossEntropyLoss: `loss(theta, y)`.

    y holds integer labels or rows like theta. CrossEntropyLoss has the scores along axis 1: say dim=1 for
    that. With Argmax and cost="zero_one" this is the hinge loss. `loss.predict(theta)` is ŷ_Ω(θ).

    Parameters
    ----------
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    reduction : str
        "mean", "sum" or "none". The mean of no rows at all is 0.
    ignore_index : int
        The label of rows that do not count.
    weight : Tensor [d], optional
        One number per class; the mean is then weighted. With rows as targets, a row's weight is ⟨weight, y⟩.
    dim : int
        The axis of the scores; all others are a batch.
    cost : str, array_like or callable, optional
        c_y, which makes it the loss L_Ω(θ + c_y; y) (paper §3.4): "zero_one" (c_y = 1 − y), "hamming" over
        structures (⟨c_y, z − y⟩ = ‖z − y‖²), d numbers, d × d numbers with a row for each label (mixed as y
        mixes labels), or a function of targets, rows with the scores last, that returns a tensor of their
        shape.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> theta, y = torch.tensor([[1.6, 1.1, 0.4], [0.0, 3.0, 0.0]]), torch.tensor([1, 1])
    >>> round(ft.FenchelYoungLoss("sparsemax")(theta, y).item(), 3)
    0.281

    See Also
    --------
    loss, Predict
    """

    weight: Optional[Tensor]

    def __init__(self, omega: OmegaLike, reduction: str = "mean", ignore_index: int = -100,
                 weight: Optional[Tensor] = None, dim: int = -1,
                 cost: Union[str, ArrayLike, Callable[[Tensor], Tensor], None] = None):
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
        """ŷ_Ω(θ), the prediction that belongs to the loss.

        Parameters
        ----------
        theta : Tensor [..., d]
            Scores; −inf forbids an entry.

        Returns
        -------
        Tensor [..., d]
            Predictions, of the shape and type of theta, with gradients in both directions.
        """
        return functional.predict(theta, self.omega, self.dim)

    def extra_repr(self) -> str:
        further = {"ignore_index": (self.ignore_index, -100), "weight": (self.weight, None), "dim": (self.dim, -1),
                   "cost": (self.cost, None)}
        return arguments(omega=self.omega, reduction=self.reduction, **_changed(further))


class EntmaxLoss(nn.Module):
    """The loss of α-entmax: `loss(theta, y)`.

    Parameters
    ----------
    alpha : float, Tensor or Module
        α > 0: 1 is softmax, 2 sparsemax. A tensor expands to the scores with 1 along `dim`; a module such as
        LearnableAlpha makes one, and is learned with the rest.
    reduction : str
        "mean", "sum" or "none". The mean of no rows at all is 0.
    ignore_index : int
        The label of rows that do not count.
    weight : Tensor [d], optional
        One number per class; the mean is then weighted. With rows as targets, a row's weight is ⟨weight, y⟩.
    dim : int
        The axis of the scores; all others are a batch.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> theta, y = torch.tensor([[1.6, 1.1, 0.4], [0.0, 3.0, 0.0]]), torch.tensor([1, 1])
    >>> round(ft.EntmaxLoss(1.2)(theta, y).item(), 3)
    0.451

    See Also
    --------
    entmax_loss, Entmax
    """

    weight: Optional[Tensor]

    def __init__(self, alpha: Union[float, Tensor, nn.Module] = 1.5, reduction: str = "mean", ignore_index: int = -100,
                 weight: Optional[Tensor] = None, dim: int = -1):
        super().__init__()
        if not isinstance(alpha, (Tensor, nn.Module)):
            known(f"tsallis:alpha={number_of('alpha', alpha, finite=False)!r}")
        self.alpha: Any = alpha
        self.reduction = functional.check_reduction(reduction)
        self.ignore_index, self.dim = ignore_index, dim
        self.register_buffer("weight", weight)

    def forward(self, theta: Tensor, y: Tensor) -> Tensor:
        alpha = self.alpha() if isinstance(self.alpha, nn.Module) else self.alpha
        return functional.entmax_loss(theta, y, alpha, self.dim, reduction=self.reduction,
                                      ignore_index=self.ignore_index, weight=self.weight)

    def extra_repr(self) -> str:
        further = {"ignore_index": (self.ignore_index, -100), "weight": (self.weight, None), "dim": (self.dim, -1)}
        alpha = {} if isinstance(self.alpha, nn.Module) else {"alpha": self.alpha}  # a module is shown as a part
        return arguments(**alpha, reduction=self.reduction, **_changed(further))
