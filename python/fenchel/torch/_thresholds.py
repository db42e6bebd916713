# SPDX-License-Identifier: Apache-2.0
"""Thresholds of predictions in a fixed number of steps of tensor operations: no sort, nothing that depends on values.

The Tsallis family with a = α − 1 in the form p_i = [1 + a (u_i − λ)]₊^{1/a}, u = θ − max θ, e^{u_i − λ} for a = 0, is exact
near α = 1 too. For a ≤ 1 the function (S^a − 1)/a of λ, with S = Σ p, is convex (Minkowski's inequality; log S for a = 0),
so that Newton's method from λ = 0 rises to the root without a bracket. Its value times its slope falls to a quarter or less in
each step, which is why steps grow with log d. Beyond α = 2 there is no such function: intervals are halved.
"""
from __future__ import annotations

import math
from typing import Any, Callable, Union

import torch
from torch import Tensor

Order = Union[float, Tensor]  # a = α − 1: one, or one for each row, with a last axis of 1

LEAST = -1e30  # scores below are 0 in p whatever λ is: stands for −inf, of which 0 · (−inf) would be NaN
_LARGEST_SIZE = 1 << 20  # for which steps are enough where tracers do not know the size; beyond, in 1 of 2^20 entries
_LONG = 4096  # entries, from which on passes over memory cost more than what is done with each entry
_FEW = 7  # entries, up to which all pairs cost a compiled function less than passes
_PASSES = {torch.float32: 7, torch.float64: 8}
_HALVINGS = {torch.float32: 28, torch.float64: 56}


def sizes(u: Tensor) -> Tensor:
    """d of every row, as a tensor: tracers may not know it as a number."""
    return u.new_zeros(()) + u.shape[-1]


def newton_steps(size: Any, a: Order, dtype: torch.dtype) -> int:
    """Enough Newton steps for rows of this size; docs/python_torch.md has the errors that are left."""
    if torch.compiler.is_exporting() or type(size) is not int:
        size = _LARGEST_SIZE
    slowness = 0.15 + 0.4 * (min(abs(a), 1.0) if isinstance(a, float) else 1.0)
    return math.ceil((4 if dtype is torch.float32 else 5) + slowness * math.log2(max(size, 2)))


def brackets(x: Tensor, a: Order) -> tuple[Tensor, Tensor]:
    """[1 + a x]₊^{1/a}, and the same to the power 1 − a."""
    if isinstance(a, float):
        if a == 0:
            p = x.exp()
            return p, p
        if a == 1:
            p = (1 + x).relu()
            return p, (p > 0).to(p.dtype)
        if a == 0.5:
            root = (1 + 0.5 * x).relu()
            return root * root, root
    inside = 1 + a * x
    outside = inside <= 0
    logs = (a * x).masked_fill(outside, 0).log1p()
    if isinstance(a, float):
        p = (logs / a).exp()
    else:
        zero = a == 0
        p = torch.where(zero, x, logs / a.masked_fill(zero, 1)).exp()
    return p.masked_fill(outside, 0), (p / inside.masked_fill(outside, 1)).masked_fill(outside, 0)


def _excess(total: Tensor, a: Order) -> Tensor:
    """S (1 − S^{−a})/a; S log S for a = 0."""
    if isinstance(a, float):
        if a == 1:
            return total - 1
        if a == 0.5:
            return 2 * (total - total.sqrt())
        log = total.log()
        return total * (log if a == 0 else -(-a * log).expm1() / a)
    zero, log = a == 0, total.log()
    return total * torch.where(zero, log, -(-a * log).expm1() / a.masked_fill(zero, 1))


def by_newton(u: Tensor, a: Order, at: Union[Tensor, float] = 0.0, steps: int = 0) -> Tensor:
    """λ for u = θ − max θ and a ≤ 1, from `at`."""
    if isinstance(a, float) and a == 1 and steps == 0 and type(u.shape[-1]) is int:
        if u.shape[-1] >= _LONG:
            return of_sparsemax(u, _PASSES[u.dtype])
        if u.shape[-1] <= _FEW and torch.compiler.is_compiling() and not torch.compiler.is_exporting():
            return of_few(u)
    for _ in range(steps or newton_steps(u.shape[-1], a, u.dtype)):
        p, slopes = brackets(u - at, a)
        at = at + _excess(p.sum(-1, keepdim=True), a) / slopes.sum(-1, keepdim=True)
    assert isinstance(at, Tensor)
    return at


def of_few(u: Tensor) -> Tensor:
    """λ for a = 1 and few entries: p_i > 0 iff Σ_j [u_j − u_i]₊ < 1. A compiler puts rows in lanes, and it takes one pass."""
    columns = u.unbind(-1)
    count, total = torch.zeros_like(columns[0]), torch.zeros_like(columns[0])
    for own in columns:
        above = torch.zeros_like(own)
        for other in columns:
            if other is not own:
                above = above + (other - own).relu()
        inside = (above < 1).to(u.dtype)
        count, total = count + inside, total + inside * own
    return ((total - 1) / count + 1).unsqueeze(-1)


def of_sparsemax(u: Tensor, steps: int) -> Tensor:
    """λ for a = 1 in half as many passes over long rows: each looks at a bound from below and at a middle.

    Tangents at both are bounds from below, the secant between them one from above.
    """
    low = torch.zeros_like(u[..., :1])
    high, middle = low + 1, low + 0.5
    for _ in range(steps):
        below, above = brackets(u - low, 1.0), brackets(u - middle, 1.0)
        excess, rest = (p[0].sum(-1, keepdim=True) - 1 for p in (below, above))
        slope, other = (p[1].sum(-1, keepdim=True).clamp(min=1) for p in (below, above))
        secant = low + (middle - low) * excess / (excess - rest).clamp(min=torch.finfo(u.dtype).tiny)
        high = torch.where(rest < 0, torch.minimum(torch.minimum(high, middle), secant), high)
        low = torch.maximum(low + excess / slope, middle + rest / other)
        high = torch.maximum(high, low)
        middle = 0.5 * (low + high)
    return low


def halved(low: Tensor, high: Tensor, too_small: Callable[[Tensor], Tensor]) -> tuple[Tensor, Tensor]:
    """What is left of an interval that is halved where a function of each row crosses from small to large."""
    for _ in range(_HALVINGS[low.dtype]):
        middle = 0.5 * (low + high)
        small = too_small(middle)
        low, high = torch.where(small, middle, low), torch.where(small, high, middle)
    return low, high


def large_brackets(u: Tensor, t: Tensor, a: Order) -> Tensor:
    """[t^a + a u]₊^{1/a}: entries for a > 1, of which t is the largest."""
    ratio = a * u / (t**a).clamp(min=torch.finfo(u.dtype).tiny)
    outside = ratio <= -1
    return (t * (ratio.masked_fill(outside, 0).log1p() / a).exp()).masked_fill(outside, 0)


def interval_of_largest(u: Tensor, a: Order) -> tuple[Tensor, Tensor]:
    """The interval of t for a > 1, from one between 1/d and 1."""
    low = 1 / sizes(u) + torch.zeros_like(u[..., :1])
    return halved(low, torch.ones_like(low), lambda t: large_brackets(u, t, a).sum(-1, keepdim=True) < 1)


def between(low: Tensor, high: Tensor) -> Tensor:
    """The mixture of rows whose sums are below and above 1 that sums to 1.

    Entries that leave 0 too fast for any t in floating point get what is missing, and the others are not scaled by it.
    """
    least, most = low.sum(-1, keepdim=True), high.sum(-1, keepdim=True)
    gap = most - least
    share = ((1 - least) / gap.masked_fill(gap == 0, 1)).clamp(0, 1)
    return low + share * (high - low)
