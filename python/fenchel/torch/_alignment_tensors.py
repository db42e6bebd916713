# SPDX-License-Identifier: Apache-2.0
"""Monotone alignments in tensor operations: soft-DTW and its gradient along anti-diagonals (paper §7.3 "Alignments").

R(i, j) = s(i, j) + γ log Σ exp(R/γ) over the cells (i−1, j−1), (i−1, j) and (i, j−1): all cells of an anti-diagonal at once,
m + n − 1 steps. Each is centred, so that rounding is relative to differences of scores rather than to their sums. The shares
of the three moves are kept; going back, they carry the expected alignment. γ = 0 takes the best move, in the order above.
"""
from __future__ import annotations

from typing import NamedTuple, Optional

import torch
from torch import Tensor
from torch.nn.functional import pad

from ._chain_tensors import FORBIDDEN, LEAST


def _diagonals(x: Tensor, fill: float) -> Tensor:
    """[batch, m, n] by anti-diagonals [m + n − 1, batch, m]: entry (i + j, ·, i) is (i, j)."""
    batch, m, n = x.shape
    flat = pad(x, (0, m), value=fill).flatten(1)
    return flat[:, :flat.shape[1] - m].reshape(batch, m, n + m - 1).permute(2, 0, 1)


def _matrices(diagonals: Tensor, n: int) -> Tensor:
    """The inverse of `_diagonals`."""
    length, batch, m = diagonals.shape
    return pad(diagonals.permute(1, 2, 0).flatten(1), (0, m)).reshape(batch, m, length + 1)[..., :n]


def _after(x: Tensor) -> Tensor:
    """From entry i − 1."""
    return pad(x[..., :-1], (1, 0), value=LEAST)


def _before(x: Tensor) -> Tensor:
    """From entry i + 1."""
    return pad(x[..., 1:], (0, 1))


def _moves(before: Tensor, previous: Tensor, gamma: float) -> tuple[Tensor, Tensor]:
    """γ log Σ exp(·/γ) of the cells from which each cell is reached, and their shares: diagonal, down, right."""
    three = torch.stack([_after(before), _after(previous), previous], -1)
    if gamma == 0:
        top, place = three.max(-1)
        return top, (place.unsqueeze(-1) == torch.arange(3, device=place.device)).to(three.dtype)
    top = three.amax(-1, keepdim=True).detach()
    shares = ((three - top) / max(gamma, torch.finfo(three.dtype).tiny)).exp()
    total = shares.sum(-1, keepdim=True)
    return (top + gamma * total.log()).squeeze(-1), shares / total


class Aligned(NamedTuple):
    """What is known of the best alignments, or of all of them, after one pass."""

    value: Tensor  # γ log Σ exp(⟨s, y⟩/γ), below FORBIDDEN where nothing is allowed
    finish: Tensor  # the last cells, by anti-diagonals
    moves: list[Tensor]  # the shares of the moves into each cell, by anti-diagonals


def reach(scores: Tensor, gamma: float, ends: Optional[Tensor] = None) -> Aligned:
    """The pass over the cells of scores [batch, m, n].

    `ends`, of the shape of the scores, is true in the last cell of each; the last of all without.
    """
    m, n = scores.shape[-2:]
    steps = _diagonals(scores.clamp(min=LEAST), LEAST).unbind(0)
    if ends is None:
        rows, columns = torch.arange(m, device=scores.device), torch.arange(n, device=scores.device)
        ends = ((rows[:, None] == m - 1) & (columns == n - 1)).expand(scores.shape)
    finish = _diagonals(ends.to(scores.dtype), 0.0)
    previous = steps[0]
    before = torch.full_like(previous, LEAST)
    total = torch.zeros_like(previous[:, :1])
    reached, moves = [previous], [torch.zeros_like(previous).unsqueeze(-1).expand(*previous.shape, 3)]
    for step in steps[1:]:
        arriving, shares = _moves(before, previous, gamma)
        here = arriving + step
        top = here.amax(-1, keepdim=True).detach()
        change = torch.where(top > FORBIDDEN, top, 0)
        total = total + change
        before, previous = previous - change, here - change
        reached.append(previous + total)
        moves.append(shares)
    return Aligned(torch.where(finish > 0, torch.stack(reached), 0).sum((0, 2)), finish, moves)


def expected(aligned: Aligned) -> Tensor:
    """The expected alignment [batch, m, n], by the way back."""
    zero = torch.zeros_like(aligned.moves[0][..., 0])
    behind, further = [zero] * 3, zero  # what the moves into the next anti-diagonal carry, diagonal ones of the one after it
    found = []
    for end, shares in zip(reversed(aligned.finish.unbind(0)), reversed(aligned.moves)):
        here = end + behind[2] + _before(behind[1]) + _before(further)
        found.append(here)
        further, behind = behind[0], list((here.unsqueeze(-1) * shares).unbind(-1))
    return _matrices(torch.stack(found[::-1]), len(found) - zero.shape[-1] + 1)
