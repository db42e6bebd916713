# SPDX-License-Identifier: Apache-2.0
"""Isotonic regression and projections onto permutahedra in tensor operations, without a loop that depends on values.

Halves that are fitted already are merged: where the left one ends above the right one begins, what lies above (below) some
τ is pooled with it. Which entries these are follows from sums over the one half and, by binary search, over the other; the
merged fit is the left one cut at τ from above, the right one from below. log₂ d levels, each O(d log d), all rows and all
pairs of halves at once. The pools are constants; values are sums over them, and carry the derivatives.
"""
from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import pad

from ._tensors import whole_number


def _scan(x: Tensor, kl: bool) -> Tensor:
    """Sums of the first 0, 1, … entries; of their exponentials, as logarithms, with kl."""
    if kl:
        return pad(x.logcumsumexp(-1), (1, 0), value=-float("inf"))
    return pad(x.cumsum(-1), (1, 0))


def _sum(x: Tensor, y: Tensor, kl: bool) -> Tensor:
    return torch.logaddexp(x, y) if kl else x + y


def _count_below(values: Tensor, x: Tensor, or_equal: bool = False) -> Tensor:
    """How many of the ascending values are below each x."""
    if torch.onnx.is_in_onnx_export():  # ONNX has no binary search
        values, x = values.unsqueeze(-2), x.unsqueeze(-1)
        return (values <= x if or_equal else values < x).sum(-1)
    return torch.searchsorted(values, x, right=or_equal)


class _Halves:
    """Pairs of neighbouring halves [..., pairs, width]: fitted values and sums of what they are means of."""

    def __init__(self, fit: Tensor, s: Tensor, w: Tensor, width: int, kl: bool):
        def halves(x: Tensor) -> tuple[Tensor, Tensor]:
            left, right = x.unflatten(-1, (-1, 2, width)).unbind(-2)
            return left.contiguous(), right.contiguous()

        (self.left, self.right), self.kl = halves(fit), kl  # contiguous, as searches want them
        parts = [halves(w), halves(s)]
        # Of the last entries of the left half, and of the first entries of the right one.
        self.after = [_scan(left.flip(-1), kl) for left, _ in parts]
        self.until = [_scan(right, kl) for _, right in parts]

    def pooled(self, above: Tensor, below: Tensor) -> Tensor:
        """The value of a pool of the last `above` entries on the left and the first `below` on the right."""
        gain, loss = (_sum(after.gather(-1, above), until.gather(-1, below), self.kl)
                      for after, until in zip(self.after, self.until))
        return gain - loss if self.kl else (gain - loss) / (above + below)

    def merged(self) -> tuple[Tensor, Tensor]:
        """The fit, and whether an entry is in the pool of this merger."""
        left, right, width = self.left, self.right, self.left.shape[-1]
        # With the pool of all that is above (below) one of the values, is τ beyond it?
        above, below = width - _count_below(left, left, or_equal=True), _count_below(right, left)
        in_left = self.pooled(above, below) < left
        above, below = width - _count_below(left, right, or_equal=True), _count_below(right, right)
        in_right = self.pooled(above, below) > right
        meets = left[..., -1:] > right[..., :1]
        in_left, in_right = in_left & meets, in_right & meets
        tau = self.pooled(in_left.sum(-1, keepdim=True), in_right.sum(-1, keepdim=True))
        fit = torch.cat([torch.where(in_left, tau, left), torch.where(in_right, tau, right)], -1)
        return fit, torch.cat([in_left, in_right], -1)


def pools(s: Tensor, w: Tensor, kl: bool) -> Tensor:
    """Which pool each entry is in, counted from 0, of the descending fit of s − w (for kl, of means of eˢ/eʷ)."""
    d = whole_number(s.shape[-1])
    if d == 0:
        return torch.zeros_like(s, dtype=torch.int64)
    size = 1 << max(d - 1, 0).bit_length()
    s, w = s.detach(), w.detach()
    fit = w - s  # ascending
    top = fit.amax(-1, keepdim=True)
    fit = torch.cat([fit, top.expand(*fit.shape[:-1], size - d)], -1)  # entries behind the last never meet the others
    s, w = pad(s, (0, size - d)), pad(w, (0, size - d))
    begins = torch.ones_like(fit, dtype=torch.bool)
    width = 1
    while width < size:
        merged, inside = _Halves(fit, s, w, width, kl).merged()
        fit, inside = merged.flatten(-2), inside.flatten(-2)
        before = pad(inside.unflatten(-1, (-1, 2 * width))[..., :-1], (1, 0)).flatten(-2)
        begins = begins & ~(inside & before)
        width *= 2
    return begins[..., :d].cumsum(-1) - 1


def _totals(x: Tensor, pool: Tensor) -> Tensor:
    """The sum of the pool of each entry."""
    return torch.zeros_like(x).scatter_add(-1, pool, x).gather(-1, pool)


def means(x: Tensor, pool: Tensor) -> Tensor:
    """The mean of the pool of each entry."""
    return _totals(x, pool) / _totals(torch.ones_like(x), pool)


def log_totals(x: Tensor, pool: Tensor) -> Tensor:
    """log Σ eˣ of the pool of each entry."""
    tops = torch.full_like(x, -float("inf")).scatter_reduce(-1, pool, x.detach(), "amax").gather(-1, pool)
    return _totals((x - tops).exp(), pool).log() + tops


def project(s: Tensor, w: Tensor, kl: bool) -> Tensor:
    """argmax ⟨s, μ⟩ − ½‖μ‖² over the permutations of w; both descend. With kl log μ, of the penalty Σ μ log μ, and w are logs."""
    pool = pools(s, w, kl)
    if kl:
        return s - log_totals(s, pool) + log_totals(w, pool)
    return s - means(s, pool) + means(w, pool)


def descending(theta: Tensor) -> tuple[Tensor, Tensor]:
    """The values from the largest on, and their places."""
    if torch.onnx.is_in_onnx_export():  # which has no stable order; equal values are pooled in whatever order they come
        order = theta.detach().sort(dim=-1, descending=True)[1]
    else:
        order = theta.detach().argsort(dim=-1, descending=True, stable=True)
    return theta.gather(-1, order), order


def to_places(values: Tensor, order: Tensor) -> Tensor:
    """Sorted values at the places they came from."""
    return torch.zeros_like(values).scatter(-1, order, values)


def ranks_of(theta: Tensor) -> Tensor:
    """(d, …, 1), one row for each of θ."""
    return torch.arange(theta.shape[-1], 0, -1, dtype=theta.dtype, device=theta.device).expand_as(theta)


def _only_finite(found: Tensor, theta: Tensor) -> Tensor:
    """NaN in rows with a value that is not finite."""
    return torch.where(theta.isfinite().all(-1, keepdim=True), found, float("nan"))


def soft_rank(theta: Tensor, strength: float, kl: bool, is_descending: bool) -> Tensor:
    """The projection of ±θ/ε onto the permutations of (d, …, 1)."""
    s, order = descending(theta / (-strength if is_descending else strength))
    w = ranks_of(theta)
    found = project(s, w.log(), True).exp() if kl else project(s, w, False)
    return _only_finite(to_places(found, order), theta)


def soft_sort(theta: Tensor, strength: float, kl: bool, is_descending: bool) -> Tensor:
    """∓ the projection of (d, …, 1)/ε onto the permutations of ∓θ."""
    w, _ = descending(theta if is_descending else -theta)
    found = project(ranks_of(theta) / strength, w, kl)
    return _only_finite(found if is_descending else -found, theta)
