# SPDX-License-Identifier: Apache-2.0
"""Weights of attention: ŷ_Ω of the scores over the keys that a query may see, sharper the more keys there are.

Scores are multiplied by δ + β (log n)^γ, n the number of keys that the query may see, as in adaptive-scalable entmax
(ASEntmax): without that, the weights of a long context are those of a short one spread thin. n is at least 2 there, since
a single key gets all the mass anyway.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Optional, Union

import torch
from torch import Tensor, nn

from . import functional
from ._specs import arguments, module_omega, on_simplex, text_of

if TYPE_CHECKING:
    from .._types import OmegaLike

__all__ = ["AttentionWeights", "LengthScale"]


class LengthScale(nn.Module):
    """δ + β (log n)^γ, by which scores are multiplied: `scale(n)`, n the number of keys that a query may see.

    β and γ are parameters, one for each head where `shape` is (heads, 1, 1); as they begin, nothing is changed. δ is
    fixed.

    Parameters
    ----------
    shape : int or tuple
        The shape of β and γ.
    delta : float
        δ, finite.
    beta : float
        The β to start from.
    gamma : float
        The γ to start from.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> scale = ft.LengthScale(delta=1.0, beta=0.5, gamma=1.0)
    >>> [round(x, 3) for x in scale(torch.tensor([1.0, 2.0, 1024.0])).tolist()]
    [1.347, 1.347, 4.466]

    See Also
    --------
    AttentionWeights, learn_attention
    """

    def __init__(self, shape: Union[int, tuple] = (), delta: float = 1.0, beta: float = 0.0, gamma: float = 1.0):
        super().__init__()
        for name, value in (("delta", delta), ("beta", beta), ("gamma", gamma)):
            if not abs(value) < float("inf"):
                raise ValueError(f"{name} is {value}; expected a finite number")
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.delta = float(delta)
        self.beta = nn.Parameter(torch.full(shape, float(beta)))
        self.gamma = nn.Parameter(torch.full(shape, float(gamma)))

    def forward(self, n: Tensor) -> Tensor:
        return self.delta + self.beta * n.clamp(min=2).log() ** self.gamma

    def extra_repr(self) -> str:
        return arguments(shape=tuple(self.beta.shape), delta=self.delta)


class AttentionWeights(nn.Module):
    """Weights of attention from scores [..., heads, queries, keys]: `weights(scores, mask=None)`.

    Parameters
    ----------
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    alpha : Module, optional
        Makes the α of α-entmax instead, and is learned with the rest: LearnableAlpha((heads, 1, 1)).
    length_scale : LengthScale or tuple, optional
        What scores are multiplied by; three numbers are fixed δ, β and γ of δ + β (log n)^γ.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> weights = ft.AttentionWeights("entmax15", length_scale=(1.0, 0.5, 1.0))
    >>> scores = torch.tensor([[1.6, 1.1, 0.4], [1.6, 1.1, 0.4]])
    >>> p = weights(scores, torch.tensor([[True, True, False], [True, True, True]]))
    >>> [[round(x, 3) for x in row] for row in p.tolist()]
    [[0.731, 0.269, 0.0], [0.763, 0.237, 0.0]]

    See Also
    --------
    AdaptiveEntmax, register_attention
    """

    def __init__(self, omega: OmegaLike = "entmax15", *, alpha: Optional[nn.Module] = None,
                 length_scale: Union[LengthScale, tuple, None] = None):
        super().__init__()
        if not on_simplex(text_of(omega)):
            raise ValueError(f"omega is {omega!r}; expected an Ω over the simplex, since weights of attention sum to 1")
        self.omega = module_omega(omega)
        self.alpha = alpha
        self.length_scale = fixed_scale(length_scale) if isinstance(length_scale, (tuple, list)) else length_scale

    def forward(self, scores: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        if self.length_scale is not None:
            scores = scores * self.length_scale(_keys(scores, mask)).to(scores.dtype)
        if self.alpha is not None:
            return functional.entmax(scores, self.alpha(), mask=mask)
        return functional.predict(scores, self.omega, mask=mask)

    def extra_repr(self) -> str:
        return arguments(omega=self.omega) if self.alpha is None else ""  # α is shown as a part


def fixed_scale(numbers: Union[tuple, list]) -> LengthScale:
    """A LengthScale that is not learned, from δ, β and γ."""
    if len(numbers) != 3:
        raise ValueError(f"length_scale is {numbers!r}; expected three numbers, delta, beta and gamma")
    return LengthScale((), *numbers).requires_grad_(False)


def _keys(scores: Tensor, mask: Optional[Tensor]) -> Tensor:
    """How many keys each query may see, [..., queries, 1], in single precision or better: half cannot count far."""
    kind = torch.promote_types(scores.dtype, torch.float32)
    if mask is None:
        return torch.ones_like(scores[..., :1, :], dtype=kind).sum(-1, keepdim=True)
    return mask.sum(-1, keepdim=True, dtype=kind)
