# SPDX-License-Identifier: Apache-2.0
"""Prediction functions as modules."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union

import torch
from torch import Tensor, nn

from .._arguments import LARGEST_INT, number_of, shown, whole_number
from ..regularizers import SparseMap as _SparseMap
from . import functional
from ._specs import arguments, known, module_omega, text_of
from ._tensors import by_either_name

if TYPE_CHECKING:
    from .._types import OmegaLike, PolytopeLike

__all__ = ["AdaptiveEntmax", "Entmax", "Entmax15", "LearnableAlpha", "Normmax", "Predict", "Softmax", "SparseMAP",
           "SparseSigmoid", "Sparsemax"]


class Predict(nn.Module):
    """ŷ_Ω of scores along `dim`, for any Ω: `layer(theta, mask=None)`.

    What a layer shows can be pasted back after `from fenchel import *` and `from fenchel.torch import *`, but
    for tensors.

    Parameters
    ----------
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    dim : int
        The axis of the scores; all others are a batch.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> layer = ft.Predict("tsallis:alpha=1.5")
    >>> [round(x, 3) for x in layer(torch.tensor([1.6, 1.1, 0.4])).tolist()]
    [0.649, 0.309, 0.042]

    See Also
    --------
    predict, FenchelYoungLoss
    """

    def __init__(self, omega: OmegaLike, dim: int = -1):
        super().__init__()
        self.omega = module_omega(omega)
        self.dim = dim
        known(text_of(omega))  # a wrong Ω is said here, not at the first call

    def forward(self, theta: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        return functional.predict(theta, self.omega, self.dim, mask=mask)

    def extra_repr(self) -> str:
        return arguments(omega=self.omega, dim=self.dim)


class Softmax(Predict):
    """exp(θ) / Σ exp(θ): `layer(theta, mask=None)`.

    Parameters
    ----------
    dim : int
        The axis of the scores; all others are a batch.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> layer = ft.Softmax()
    >>> [round(x, 3) for x in layer(torch.tensor([1.6, 1.1, 0.4])).tolist()]
    [0.524, 0.318, 0.158]

    See Also
    --------
    softmax
    """

    def __init__(self, dim: int = -1):
        super().__init__("shannon", dim)

    def extra_repr(self) -> str:
        return arguments(dim=self.dim)


class Sparsemax(Predict):
    """argmin ‖p − θ‖² over the simplex: `layer(theta, mask=None)`.

    Parameters
    ----------
    dim : int
        The axis of the scores; all others are a batch.
    k : int, optional
        Accepted for the package entmax; changes nothing.
    return_support_size : bool
        Also return how many entries are not 0.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> layer = ft.Sparsemax()
    >>> [round(x, 3) for x in layer(torch.tensor([1.6, 1.1, 0.4])).tolist()]
    [0.75, 0.25, 0.0]

    See Also
    --------
    sparsemax
    """

    def __init__(self, dim: int = -1, k: Optional[int] = None, return_support_size: bool = False):
        super().__init__("tsallis:alpha=2", dim)
        self.k, self.return_support_size = k, return_support_size

    def forward(self, X: Optional[Tensor] = None, mask: Optional[Tensor] = None, *,  # type: ignore[override]
                theta: Optional[Tensor] = None) -> Any:
        prediction = functional.predict(by_either_name("X", X, "theta", theta), self.omega, self.dim, mask=mask)
        return (prediction, (prediction > 0).sum(self.dim, keepdim=True)) if self.return_support_size else prediction

    def extra_repr(self) -> str:
        further = {"k": self.k, "return_support_size": self.return_support_size}
        return arguments(dim=self.dim, **{name: value for name, value in further.items() if value})


class Entmax15(Sparsemax):
    """α-entmax for α = 1.5: `layer(theta, mask=None)`.

    Parameters
    ----------
    dim : int
        The axis of the scores; all others are a batch.
    k : int, optional
        Accepted for the package entmax; changes nothing.
    return_support_size : bool
        Also return how many entries are not 0.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> layer = ft.Entmax15()
    >>> [round(x, 3) for x in layer(torch.tensor([1.6, 1.1, 0.4])).tolist()]
    [0.649, 0.309, 0.042]

    See Also
    --------
    entmax15
    """

    def __init__(self, dim: int = -1, k: Optional[int] = None, return_support_size: bool = False):
        super().__init__(dim, k, return_support_size)
        self.omega = "tsallis:alpha=1.5"


class Normmax(Predict):
    """argmax ⟨θ, p⟩ − ‖p‖_q over the simplex: `layer(theta, mask=None)`.

    Parameters
    ----------
    q : float
        The order of the norm, > 1 or inf.
    dim : int
        The axis of the scores; all others are a batch.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> layer = ft.Normmax(2)
    >>> [round(x, 3) for x in layer(torch.tensor([1.6, 1.1, 0.4])).tolist()]
    [0.689, 0.311, 0.0]

    See Also
    --------
    normmax
    """

    def __init__(self, q: float = float("inf"), dim: int = -1):
        order = number_of("q", q, finite=False)
        super().__init__(f"norm:q={order!r}", dim)
        self.q = order

    def extra_repr(self) -> str:
        return arguments(q=self.q, dim=self.dim).replace("q=inf", "q=float('inf')")


class SparseSigmoid(Predict):
    """min(1, max(0, (θ + 1)/2)), by entries.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> layer = ft.SparseSigmoid()
    >>> [round(x, 3) for x in layer(torch.tensor([1.6, 1.1, 0.4])).tolist()]
    [1.0, 1.0, 0.7]

    See Also
    --------
    sparse_sigmoid
    """

    def __init__(self) -> None:
        super().__init__("sparse_sigmoid")

    def extra_repr(self) -> str:
        return ""


class SparseMAP(Predict):
    """argmin ‖μ − θ‖² over conv(Y) (paper §7.2): `layer(theta, mask=None)`.

    Parameters
    ----------
    polytope : Polytope, str or dict
        The set Y of structures, such as fenchel.Arborescence(5) or "arborescence:n=5".
    dim : int
        The axis of the scores; all others are a batch.

    Examples
    --------
    >>> import torch, fenchel, fenchel.torch as ft
    >>> layer = ft.SparseMAP(fenchel.KSubsets(3, 2))
    >>> [round(x, 3) for x in layer(torch.tensor([1.0, 0.4, 0.2])).tolist()]
    [1.0, 0.6, 0.4]

    See Also
    --------
    sparsemap, StructuredPredict
    """

    def __init__(self, polytope: PolytopeLike, dim: int = -1):
        super().__init__(_SparseMap(polytope), dim)
        self.polytope = polytope

    def extra_repr(self) -> str:
        return arguments(polytope=self.polytope, dim=self.dim)


class Entmax(nn.Module):
    """α-entmax: `layer(theta, mask=None)`.

    Parameters
    ----------
    alpha : float, Tensor or Module
        α > 0: 1 is softmax, 2 sparsemax. A tensor expands to the scores with 1 along `dim`; a module such as
        LearnableAlpha makes one, and is learned with the rest.
    dim : int
        The axis of the scores; all others are a batch.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> layer = ft.Entmax(1.2)
    >>> [round(x, 3) for x in layer(torch.tensor([1.6, 1.1, 0.4])).tolist()]
    [0.568, 0.314, 0.119]

    See Also
    --------
    entmax, LearnableAlpha, AdaptiveEntmax
    """

    def __init__(self, alpha: Union[float, Tensor, nn.Module] = 1.5, dim: int = -1):
        super().__init__()
        if not isinstance(alpha, (Tensor, nn.Module)):
            known(f"tsallis:alpha={number_of('alpha', alpha, finite=False)!r}")
        if isinstance(alpha, Tensor) and not isinstance(alpha, nn.Parameter):
            self.register_buffer("alpha", alpha)
        else:
            self.alpha = alpha
        self.dim = dim

    def forward(self, theta: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        alpha = self.alpha() if isinstance(self.alpha, nn.Module) else self.alpha
        return functional.entmax(theta, alpha, self.dim, mask=mask)

    def extra_repr(self) -> str:
        if isinstance(self.alpha, nn.Module):  # which is shown as a part
            return arguments(dim=self.dim)
        return arguments(alpha=self.alpha, dim=self.dim)


class LearnableAlpha(nn.Module):
    """α = low + (high − low) · sigmoid(z), with z a parameter of some shape: α stays between softmax and
    sparsemax.

    Parameters
    ----------
    shape : int or tuple
        The shape of α.
    init : float or Tensor
        The α to start from, a number or a tensor of that shape, strictly between low and high.
    low : float
        The least α, >= 0.
    high : float
        The largest α, finite.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> alpha = ft.LearnableAlpha(init=1.3)
    >>> round(alpha().item(), 3), len(list(ft.Entmax(alpha).parameters()))
    (1.3, 1)

    See Also
    --------
    Entmax, EntmaxLoss
    """

    def __init__(self, shape: Union[int, tuple] = (), init: Union[float, Tensor] = 1.5, low: float = 1.0,
                 high: float = 2.0):
        super().__init__()
        low, high = number_of("low", low), number_of("high", high)
        if not 0 <= low < high:
            raise ValueError(f"low is {low} and high is {high}; expected 0 <= low < high < inf")
        if not isinstance(shape, (int, tuple, list)):
            raise TypeError(f"shape is {shown(shape)}; expected a whole number or a tuple of them")
        sizes = tuple(whole_number("shape", size, 0, LARGEST_INT) for size in ((shape,) if isinstance(shape, int) else shape))
        if not isinstance(init, Tensor):
            init = number_of("init", init)
        start = torch.as_tensor(init, dtype=torch.get_default_dtype())
        try:
            start = start.expand(sizes)
        except RuntimeError:
            raise ValueError(f"init has shape {tuple(start.shape)}; expected one that expands to {sizes}") from None
        if not bool(((start > low) & (start < high)).all()):
            raise ValueError(f"init is {init}; expected values strictly between low = {low} and high = {high}")
        self.low, self.high = low, high
        self.init = init.detach().clone() if isinstance(init, Tensor) else init
        self.z = nn.Parameter(torch.logit((start - low) / (high - low)).clone())

    def forward(self) -> Tensor:
        return self.low + (self.high - self.low) * torch.sigmoid(self.z)

    def extra_repr(self) -> str:
        return arguments(shape=tuple(self.z.shape), init=self.init, low=self.low, high=self.high)


class AdaptiveEntmax(Entmax):
    """Attention weights by α-entmax with a learnable α for each head; scores are [..., heads, queries, keys].

    Parameters
    ----------
    num_heads : int
        The number of heads.
    init : float or Tensor
        The α to start from, one or one for each head, strictly between low and high.
    low : float
        The least α, >= 0.
    high : float
        The largest α, finite.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> attention = ft.AdaptiveEntmax(4)
    >>> attention(torch.zeros(2, 4, 3, 5)).shape
    torch.Size([2, 4, 3, 5])

    See Also
    --------
    LearnableAlpha, Entmax
    """

    def __init__(self, num_heads: int, init: Union[float, Tensor] = 1.5, low: float = 1.0, high: float = 2.0):
        num_heads = whole_number("num_heads", num_heads, 1, LARGEST_INT)
        start = init.reshape(-1, 1, 1) if isinstance(init, Tensor) and init.dim() == 1 else init
        super().__init__(LearnableAlpha((num_heads, 1, 1), start, low, high), dim=-1)
        self.num_heads = num_heads
