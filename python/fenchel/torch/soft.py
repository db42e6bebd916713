# SPDX-License-Identifier: Apache-2.0
"""Soft ranks, soft sorting, soft-DTW and Sinkhorn's algorithm under their usual names."""
from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, List, Optional

import torch
from torch import Tensor, nn

from .. import _core
from .._arguments import number_of
from ..polytopes import Transport
from ..regularizers import Entropic
from ..soft import _band, _options
from . import _isotonic_tensors
from ._alignment_tensors import expected, reach
from ._backend import overflow_propagates, tensors_wanted
from ._chain_tensors import FORBIDDEN
from ._operator import InTensors, Operator, keep, like_first
from ._plan_tensors import entropic_plan
from ._specs import arguments, text_of
from ._structures import band_of, differentiable, tangent, wide
from ._tensors import (
    back,
    check_given,
    check_no_tangent,
    check_scores,
    graph_wanted,
    is_plain,
    memory,
    scores_last,
    tensor_of,
    threads_for,
    whole_number,
    widened,
)
from .functional import predict

if TYPE_CHECKING:
    from .._types import ArrayLike

__all__ = ["SoftDTW", "SoftRank", "SoftSort", "sinkhorn", "soft_dtw", "soft_rank", "soft_sort"]



# J v of each: the Jacobian of soft ranks is symmetric, that of soft sorting is not.
_FORWARD = {"soft_rank": "soft_rank_vjp", "soft_sort": "soft_sort_jvp"}


def _refused(*_: Any) -> Any:
    raise RuntimeError("second derivatives of soft ranks are available for 'l2' and 'kl' alone")


def _save_nothing(ctx: Any, inputs: tuple, output: Any) -> None:
    """Of what is not differentiated again."""


def _rows_now(name: str, tensors: tuple[Tensor, ...], options: tuple) -> Tensor:
    """A function of _core on tensors [..., d]."""
    theta = tensors[0]
    rows = [memory(one).reshape(math.prod(theta.shape[:-1]), theta.shape[-1]) for one in tensors]
    return tensor_of(getattr(_core, name)(*rows, *options, threads_for(theta)).reshape(tuple(theta.shape)), theta)


def _soft_now(theta: Tensor, name: str, *options: Any) -> Tensor:
    """Soft ranks or sorted values of rows."""
    return _rows_now(name, (theta,), options)


def _product_now(theta: Tensor, u: Tensor, name: str, *options: Any) -> Tensor:
    """uᵀ J or J u."""
    return _rows_now(name, (theta, u), options)


_OPTIONS = "str name, float strength, str regularization, bool descending"

_product = Operator("soft_product", f"(Tensor theta, Tensor u, {_OPTIONS}) -> Tensor", _product_now,
                    like_first, save=_save_nothing, backward=_refused, jvp=_refused)


def _save_soft(ctx: Any, inputs: tuple, output: Tensor) -> None:
    theta, *ctx.options = inputs
    keep(ctx, theta)


def _soft_by_tensors(name: str, strength: float, regularization: str, descending: bool) -> Any:
    if regularization not in ("l2", "kl"):
        return None
    compute = _isotonic_tensors.soft_rank if name == "soft_rank" else _isotonic_tensors.soft_sort
    return differentiable(lambda theta: compute(wide(theta), strength, regularization == "kl", descending).to(theta.dtype))


def _soft_backward(ctx: Any, u: Tensor) -> tuple:
    (theta,), (name, *options) = ctx.saved_tensors, ctx.options
    natively = _soft_by_tensors(*ctx.options) if graph_wanted() or tensors_wanted(theta) else None
    product = _product(theta, u, name + "_vjp", *options) if natively is None else torch.func.vjp(natively, theta)[1](u)[0]
    return product, None, None, None, None


def _soft_jvp(ctx: Any, v: Tensor) -> Tensor:
    (theta,), (name, *options) = ctx.saved_tensors, ctx.options
    natively = _soft_by_tensors(*ctx.options)
    return _product(theta, v, _FORWARD[name], *options) if natively is None else tangent(natively, theta, v)


_soft_rows = Operator("soft", f"(Tensor theta, {_OPTIONS}) -> Tensor", _soft_now, like_first,
                      save=_save_soft, backward=_soft_backward, jvp=_soft_jvp, by_tensors=_soft_by_tensors)


def _soft(name: str, theta: Tensor, options: tuple[float, str, bool], dim: int) -> Tensor:
    with overflow_propagates(theta):
        return back(_soft_rows(scores_last(theta, dim), name, *options), theta, dim)


def soft_rank(theta: Tensor, regularization: str = "l2", regularization_strength: float = 1.0,
              direction: str = "ascending", dim: int = -1) -> Tensor:
    """Differentiable ranks, counted from 1: the projection of θ/ε onto the permutahedron of (d, …, 1).

    Parameters
    ----------
    theta : Tensor [..., d]
        Values; −inf and +inf are errors.
    regularization : str
        "l2", the Euclidean projection; "kl", that of Kullback and Leibler; for ranks also "tsallis:alpha=1.5"
        (any α > 0; 1 is "kl", 2 "l2") and "burg".
    regularization_strength : float
        ε > 0: for small ones the result is exact, for large ones all its entries are equal.
    direction : str
        "ascending" or "descending".
    dim : int
        The axis of the values; all others are a batch.

    Returns
    -------
    Tensor [..., d]
        Ranks, of the shape and type of theta, with gradients.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> [round(x, 3) for x in ft.soft_rank(torch.tensor([2.0, 0.5, 0.6]), regularization_strength=0.2).tolist()]
    [3.0, 1.25, 1.75]

    See Also
    --------
    SoftRank, soft_sort, fenchel.soft_rank
    """
    return _soft("soft_rank", theta, _options(regularization, regularization_strength, direction), dim)


def soft_sort(theta: Tensor, regularization: str = "l2", regularization_strength: float = 1.0,
              direction: str = "ascending", dim: int = -1) -> Tensor:
    """Values in differentiable order: the projection of (d, …, 1)/ε onto the permutahedron of θ.

    Parameters
    ----------
    theta : Tensor [..., d]
        Values; −inf and +inf are errors.
    regularization : str
        "l2", the Euclidean projection; "kl", that of Kullback and Leibler; for ranks also "tsallis:alpha=1.5"
        (any α > 0; 1 is "kl", 2 "l2") and "burg".
    regularization_strength : float
        ε > 0: for small ones the result is exact, for large ones all its entries are equal.
    direction : str
        "ascending" or "descending".
    dim : int
        The axis of the values; all others are a batch.

    Returns
    -------
    Tensor [..., d]
        Sorted values, of the shape and type of theta, with gradients.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> [round(x, 3) for x in ft.soft_sort(torch.tensor([2.0, 0.5, 0.6]), regularization_strength=0.2).tolist()]
    [0.5, 0.6, 2.0]

    See Also
    --------
    SoftSort, soft_rank, fenchel.soft_sort
    """
    return _soft("soft_sort", theta, _options(regularization, regularization_strength, direction), dim)


def _soft_dtw_now(cost: Tensor, gamma: float, band: int) -> tuple[Tensor, Tensor]:
    """soft-DTW of cost matrices [..., m, n], and its gradient, the expected alignments."""
    shape = tuple(cost.shape)
    costs = memory(cost).reshape(math.prod(shape[:-2]), *shape[-2:])
    threads = torch.get_num_threads() if len(costs) > 1 else 1
    if gamma == 0:
        values, alignments = _core.dtw(costs, band, threads)
    else:
        values, alignments = _core.soft_dtw_gradient(costs, gamma, band, threads)
    values = values.astype(alignments.dtype, copy=False).reshape(shape[:-2])
    return tensor_of(values, cost), tensor_of(alignments.reshape(shape), cost)


def _soft_dtw_tensors(cost: Tensor, gamma: float, band: int, sloped: bool = True) -> tuple[Tensor, ...]:
    """The same in tensor operations, which can be differentiated again; without `sloped` the values alone."""
    m, n = cost.shape[-2:]
    scores = -cost.reshape(-1, m, n)
    if band:
        scores = scores.masked_fill(~band_of(m, n, band, cost.device), -float("inf"))
    aligned = reach(scores, gamma)
    none = aligned.value <= FORBIDDEN
    values = (-aligned.value).masked_fill(none, float("inf"))
    if not sloped:
        return (values.reshape(cost.shape[:-2]),)
    alignments = expected(aligned).masked_fill(none[:, None, None], 0)
    alignments = torch.where(values.isnan()[:, None, None], values[:, None, None], alignments)
    return values.reshape(cost.shape[:-2]), alignments.reshape(cost.shape)


def _save_alignments(ctx: Any, inputs: tuple, output: tuple) -> None:
    cost, *ctx.options = inputs
    keep(ctx, cost, output[1])
    ctx.mark_non_differentiable(output[1])


def _soft_dtw_backward(ctx: Any, g: Tensor, *_: Any) -> tuple:
    cost, alignments = ctx.saved_tensors
    if graph_wanted():
        alignments = _soft_dtw_tensors(cost, *ctx.options)[1]
    return g[..., None, None] * alignments, None, None


def _soft_dtw_jvp(ctx: Any, v: Tensor) -> Tensor:
    return (_soft_dtw_tensors(ctx.saved_tensors[0], *ctx.options)[1] * v).sum((-2, -1))


def _soft_dtw_by_tensors(gamma: float, band: int) -> Any:
    return InTensors(lambda cost: _soft_dtw_tensors(cost, gamma, band),
                     lambda cost: _soft_dtw_tensors(cost, gamma, band, sloped=False))


_soft_dtw = Operator("soft_dtw", "(Tensor cost, float gamma, int band) -> (Tensor, Tensor)", _soft_dtw_now,
                     lambda cost, gamma, band: (cost.new_empty(cost.shape[:-2]), like_first(cost)),
                     save=_save_alignments, backward=_soft_dtw_backward, jvp=_soft_dtw_jvp,
                     by_tensors=_soft_dtw_by_tensors)


def soft_dtw(cost: Tensor, gamma: float = 1.0, band: int = 0) -> Tensor:
    """−γ log Σ exp(−⟨C, y⟩/γ) over the alignments y of two series (paper §7.3).

    Parameters
    ----------
    cost : Tensor [..., m, n]
        Costs C of each step of one series with each of the other; +inf forbids a pair.
    gamma : float
        γ, finite and >= 0; 0 is dynamic time warping, whose gradient is the best alignment.
    band : int
        The largest distance of two steps that are aligned; 0: no limit.

    Returns
    -------
    Tensor [...]
        A number for each matrix of costs, with gradients.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> round(ft.soft_dtw(torch.tensor([[0.0, 1.0], [1.0, 0.0]]), 0.5).item(), 3)
    -0.12

    See Also
    --------
    SoftDTW, fenchel.soft_dtw
    """
    check_scores(cost, -1, "cost")
    if cost.dim() < 2:
        raise ValueError(f"cost has shape {tuple(cost.shape)}; expected at least two axes, the steps of two series")
    if cost.shape[-1] == 0 or cost.shape[-2] == 0:
        raise ValueError(f"cost has shape {tuple(cost.shape)}; expected at least one step of each series")
    with overflow_propagates(cost):
        return _soft_dtw(widened(cost), number_of("gamma", gamma, 0), _band(band))[0].to(cost.dtype)


@torch.compiler.assume_constant_result
def _plans(a: Any, b: Any, m: int, n: int, gamma: str) -> str:
    """The text of γ Σ μ log μ over the plans with row sums a and column sums b, which may be spelled."""
    rows, columns = (_masses(name, json.loads(masses) if isinstance(masses, str) else masses, count)
                     for name, masses, count in (("a", a, m), ("b", b, n)))
    return text_of(Entropic(Transport(rows, columns), temperature=float(gamma)))


def _spelled(name: str, masses: Any) -> Any:
    """Masses as a text for tracers, which may take numbers for variables until they are compared."""
    if not torch.compiler.is_compiling() or not isinstance(masses, (list, tuple)):
        return masses
    return f"[{', '.join([f'{number_of(name, mass)!r}' for mass in masses])}]"


def _masses(name: str, masses: Any, count: int) -> List[float]:
    if masses is None:
        return [1 / count] * count
    if isinstance(masses, Tensor):
        check_given(name, masses)
    check_no_tangent(name, masses, "plans are not differentiated with respect to it")
    values = torch.as_tensor(masses, dtype=torch.float64)
    if tuple(values.shape) != (count,):
        raise ValueError(f"{name} has shape {tuple(values.shape)}; expected {(count,)} as cost has")
    return values.tolist()


def _mass_tensor(name: str, masses: Any, like: Tensor, count: int) -> Tensor:
    """Masses beside the scores [..., m, n], without a look at them."""
    check_no_tangent(name, masses, "plans are not differentiated with respect to it")
    if masses is None:
        values = like.new_full((count,), 1 / count)
    else:
        values = torch.as_tensor(masses, dtype=like.dtype, device=like.device).detach()
    if tuple(values.shape) != (count,):
        raise ValueError(f"{name} has shape {tuple(values.shape)}; expected {(count,)} as cost has")
    return values.expand(*like.shape[:-2], count)


def sinkhorn(cost: Tensor, a: Optional[ArrayLike] = None, b: Optional[ArrayLike] = None, gamma: float = 1.0) -> Tensor:
    """argmin ⟨C, μ⟩ + γ Σ μ log μ over the plans μ with row sums a and column sums b: entropic optimal
    transport.

    There are gradients with respect to the costs, none with respect to a and b.

    Parameters
    ----------
    cost : Tensor [..., m, n]
        Costs C; +inf forbids an entry.
    a : array_like [m], optional
        Row sums; 1/m each if not given. Ones, here and for b, give doubly stochastic matrices.
    b : array_like [n], optional
        Column sums, with the same total; 1/n each if not given.
    gamma : float
        γ > 0.

    Returns
    -------
    Tensor [..., m, n]
        The plans, of the type of cost.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> plan = ft.sinkhorn(torch.tensor([[0.0, 1.0], [1.0, 0.0]]), gamma=0.5)
    >>> [round(x, 3) for x in plan[0].tolist()]
    [0.44, 0.06]

    See Also
    --------
    fenchel.sinkhorn
    """
    check_scores(cost, -1, "cost")
    if cost.dim() < 2:
        raise ValueError(f"cost has shape {tuple(cost.shape)}; expected [..., rows, columns]")
    check_given("cost", cost)
    given = [masses for masses in (a, b) if isinstance(masses, Tensor)]
    m, n = whole_number(cost.shape[-2]), whole_number(cost.shape[-1])
    if m == 0 or n == 0:
        raise ValueError(f"cost has shape {tuple(cost.shape)}; expected at least one row and one column")
    if given and tensors_wanted(cost, *given) and not is_plain(cost, *given):
        scores = wide(-widened(cost) / number_of("gamma", gamma, 0, above=True))
        return entropic_plan(scores, _mass_tensor("a", a, scores, m), _mass_tensor("b", b, scores, n)).to(cost.dtype)
    if torch.compiler.is_compiling() and given:
        raise TypeError("a or b is a tensor in a compiled function; expected lists of numbers, as Ω is made when tracing")
    text = _plans(_spelled("a", a), _spelled("b", b), m, n, f"{number_of('gamma', gamma)!r}")
    return predict(-cost.flatten(-2), text).reshape(cost.shape)


class SoftRank(nn.Module):
    """`soft_rank` as a module.

    Parameters
    ----------
    regularization : str
        "l2", the Euclidean projection; "kl", that of Kullback and Leibler; for ranks also "tsallis:alpha=1.5"
        (any α > 0; 1 is "kl", 2 "l2") and "burg".
    regularization_strength : float
        ε > 0: for small ones the result is exact, for large ones all its entries are equal.
    direction : str
        "ascending" or "descending".
    dim : int
        The axis of the values; all others are a batch.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> ranks = ft.SoftRank(regularization_strength=0.2)
    >>> [round(x, 3) for x in ranks(torch.tensor([2.0, 0.5, 0.6])).tolist()]
    [3.0, 1.25, 1.75]

    See Also
    --------
    soft_rank
    """

    _function = staticmethod(soft_rank)

    def __init__(self, regularization: str = "l2", regularization_strength: float = 1.0, direction: str = "ascending",
                 dim: int = -1):
        super().__init__()
        _options(regularization, regularization_strength, direction)  # a wrong one is said here
        self.options = (regularization, regularization_strength, direction, dim)

    def forward(self, theta: Tensor) -> Tensor:
        return self._function(theta, *self.options)

    def extra_repr(self) -> str:
        names = ("regularization", "regularization_strength", "direction", "dim")
        return arguments(**dict(zip(names, self.options)))


class SoftSort(SoftRank):
    """`soft_sort` as a module.

    Parameters
    ----------
    regularization : str
        "l2", the Euclidean projection; "kl", that of Kullback and Leibler; for ranks also "tsallis:alpha=1.5"
        (any α > 0; 1 is "kl", 2 "l2") and "burg".
    regularization_strength : float
        ε > 0: for small ones the result is exact, for large ones all its entries are equal.
    direction : str
        "ascending" or "descending".
    dim : int
        The axis of the values; all others are a batch.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> ordered = ft.SoftSort(regularization_strength=0.2)
    >>> [round(x, 3) for x in ordered(torch.tensor([2.0, 0.5, 0.6])).tolist()]
    [0.5, 0.6, 2.0]

    See Also
    --------
    soft_sort
    """

    _function = staticmethod(soft_sort)


class SoftDTW(nn.Module):
    """soft-DTW of two batches of series [batch, steps, features] with squared Euclidean costs.

    Parameters
    ----------
    gamma : float
        γ, finite and >= 0; 0 is dynamic time warping, whose gradient is the best alignment.
    band : int
        The largest distance of two steps that are aligned; 0: no limit.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> a, b = torch.tensor([[[0.0], [1.0]]]), torch.tensor([[[0.0], [2.0], [1.0]]])
    >>> [round(x, 3) for x in ft.SoftDTW(0.1)(a, b).tolist()]
    [1.0]

    See Also
    --------
    soft_dtw
    """

    def __init__(self, gamma: float = 1.0, band: int = 0):
        super().__init__()
        self.gamma, self.band = gamma, band

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        for name, series in (("a", a), ("b", b)):
            check_scores(series, -1, name)
            check_given(name, series)
        cost = (a.unsqueeze(-2) - b.unsqueeze(-3)).square().sum(-1)
        return soft_dtw(cost, self.gamma, self.band)

    def extra_repr(self) -> str:
        return arguments(gamma=self.gamma, band=self.band)
