# SPDX-License-Identifier: Apache-2.0
"""Sequences of states in tensor operations (paper §7.3): forward-backward, its log-partition, and Viterbi's algorithm.

α_t(j) = u_t(j) + log Σ_i exp(α_{t−1}(i) + E_t(j, i)) and the same from the end go through one loop over the steps, as one
batch of twice the size. Each step is centred, and its probabilities are a softmax of their own: rounding does not add up
over the steps. Masks keep α as it is where a step is left out. −inf is a large negative number here, so that no difference
is NaN; sequences that are all forbidden are told by their score, and their results are NaN.
"""
from __future__ import annotations

from typing import NamedTuple, Optional

import torch
from torch import Tensor

LEAST = -1e30  # stands for −inf
FORBIDDEN = -1e29  # what scores less uses an entry that is forbidden


class Lattice(NamedTuple):
    """The scores of the states and of the moves between them."""

    nodes: Tensor  # [batch, n, m]
    edges: Tensor  # [batch, n − 1, m, m], the next state before the previous one; one step if all steps share them
    mask: Optional[Tensor]  # [batch, n], the steps that there are, which come first; all without


class Smoothed(NamedTuple):
    """The Gibbs distribution of the sequences of a lattice."""

    states: Tensor  # [batch, n, m], probabilities
    moves: Tensor  # [batch, n − 1, m, m], the next state before the previous one
    log_partition: Tensor  # [batch]


def finite(theta: Tensor) -> Tensor:
    """Scores with a number for −inf."""
    return theta.clamp(min=LEAST)


def is_last(mask: Tensor) -> Tensor:
    """Which step is the last of each sequence."""
    return mask & ~torch.cat([mask[:, 1:], torch.zeros_like(mask[:, :1])], 1)


def _log_sum_exp(x: Tensor) -> Tensor:
    top = x.amax(-1, keepdim=True).detach()
    return (x - top).exp().sum(-1).log() + top.squeeze(-1)


def _sweep(nodes: Tensor, edges: Tensor, mask: Optional[Tensor]) -> tuple[Tensor, Tensor]:
    """α [.., n, m] of every step, centred, and what was subtracted on the way; a step follows those before it.

    Steps that the mask leaves out before the first one count as none.
    """
    steps = nodes.unbind(-2)
    moves = edges.unbind(-3)
    fresh = None if mask is None else (mask & (mask.cumsum(-1) == 1)).unsqueeze(-1).unbind(-2)
    inside = None if mask is None else mask.unsqueeze(-1).unbind(-2)
    total = steps[0].amax(-1, keepdim=True).detach()
    alpha = [steps[0] - total]
    for t in range(1, len(steps)):
        arriving = _log_sum_exp(moves[min(t, len(moves)) - 1] + alpha[-1].unsqueeze(-2))
        if fresh is not None and inside is not None:
            # A sequence that begins here has nothing before it.
            state = torch.where(fresh[t], steps[t], arriving + steps[t])
            change = torch.where(inside[t], state.amax(-1, keepdim=True).detach(), 0)
            total = torch.where(fresh[t], change, total + change)
            alpha.append(torch.where(inside[t], state - change, alpha[-1]))
        else:
            state = arriving + steps[t]
            change = state.amax(-1, keepdim=True).detach()
            total = total + change
            alpha.append(state - change)
    return torch.stack(alpha, -2), total.squeeze(-1)


def log_partition(lattice: Lattice) -> Tensor:
    """log Σ exp(score) over the sequences."""
    alpha, total = _sweep(*lattice)
    return _log_sum_exp(alpha[..., -1, :]) + total


def smoothed(lattice: Lattice) -> Smoothed:
    """Probabilities of states and moves, and the log-partition."""
    nodes, edges, mask = lattice
    alpha, total = _sweep(torch.stack([nodes, nodes.flip(1)]), torch.stack([edges, edges.transpose(-1, -2).flip(1)]),
                          None if mask is None else torch.stack([mask, mask.flip(1)]))
    forward, backward = alpha[0], alpha[1].flip(1)
    states = (forward + backward - nodes).softmax(-1)
    log_z = _log_sum_exp(forward[:, -1]) + total[0]
    moves = backward[:, 1:, :, None] + edges + forward[:, :-1, None, :]
    moves = moves.flatten(-2).softmax(-1).reshape(moves.shape)
    if mask is not None:
        states = states.masked_fill(~mask.unsqueeze(-1), 0)
        moves = moves.masked_fill(~mask[:, 1:, None, None], 0)
    return Smoothed(states, moves, log_z)


def _score(lattice: Lattice, tags: Tensor) -> Tensor:
    """The score of sequences [batch, n], looked up."""
    nodes, edges, mask = lattice
    steps = nodes.gather(-1, tags.unsqueeze(-1)).squeeze(-1)
    places = (tags[:, 1:] * nodes.shape[-1] + tags[:, :-1]).unsqueeze(-1)
    moves = edges.flatten(-2).expand(*places.shape[:-1], -1).gather(-1, places).squeeze(-1)
    steps = steps + torch.nn.functional.pad(moves, (1, 0))
    return (steps if mask is None else steps.masked_fill(~mask, 0)).sum(-1)


def best(lattice: Lattice) -> tuple[Tensor, Tensor]:
    """The best sequence [batch, n], its first state in steps that the mask leaves out, and its score, with derivatives."""
    nodes, edges, mask = lattice.nodes.detach(), lattice.edges.detach(), lattice.mask
    steps, moves = nodes.unbind(1), edges.unbind(1)
    here = torch.arange(nodes.shape[-1], device=nodes.device).expand(nodes.shape[0], -1)
    state, pointers = steps[0], []
    for t in range(1, len(steps)):
        arriving, before = (moves[min(t, len(moves)) - 1] + state.unsqueeze(-2)).max(-1)
        arriving = arriving + steps[t]
        if mask is not None:
            inside = mask[:, t:t + 1]
            arriving, before = torch.where(inside, arriving, state), torch.where(inside, before, here)
        state = arriving
        pointers.append(before)
    score, tag = state.max(-1, keepdim=True)
    tags = [tag]
    for before in reversed(pointers):
        tag = before.gather(-1, tag)
        tags.append(tag)
    sequence, score = torch.cat(tags[::-1], 1), score.squeeze(-1)
    if torch.is_grad_enabled():
        again = _score(lattice, sequence)
        score = score + (again - again.detach())
    return sequence, score


def one_hot(tags: Tensor, m: int, like: Tensor) -> Tensor:
    """Tags as unit vectors; those that are no state are 0, and nothing waits for the host."""
    return (tags.unsqueeze(-1) == torch.arange(m, device=tags.device)).to(like.dtype)


def moves_between(states: Tensor) -> Tensor:
    """The moves [batch, n − 1, m, m] of unit vectors of states, the next state before the previous one."""
    return states[:, 1:, :, None] * states[:, :-1, None, :]


class SequenceLayout:
    """Scores [n, m, m]: state i at step t after state j; j is 0 at the first step."""

    def __init__(self, m: int):
        self.m = m

    def is_empty(self, theta: Tensor) -> bool:
        return theta.shape[-1] == 0

    def mask_of(self, kept: Tensor) -> Tensor:
        return kept[:, ::self.m * self.m]

    def _natural(self, theta: Tensor) -> Tensor:
        return theta.unflatten(-1, (-1, self.m, self.m))

    def lattice(self, theta: Tensor, mask: Optional[Tensor]) -> Lattice:
        theta = self._natural(theta)
        first = theta[:, :1, :, 0]
        return Lattice(torch.cat([first, torch.zeros_like(theta[:, 1:, :, 0])], 1), theta[:, 1:], mask)

    def point(self, states: Tensor, moves: Tensor, mask: Optional[Tensor]) -> Tensor:
        """The vector with these probabilities of states and moves."""
        first = torch.nn.functional.pad(states[:, :1].unsqueeze(-1), (0, self.m - 1))
        return torch.cat([first, moves], 1).flatten(1)

    def steps_of(self, lattice: Lattice, y: Tensor) -> Tensor:
        """⟨θ, y⟩ by steps [batch, n]."""
        y = self._natural(y)
        first = (lattice.nodes[:, :1] * y[:, :1, :, 0]).sum(-1)
        return torch.cat([first, (lattice.edges * y[:, 1:]).sum((-2, -1))], 1)

    def negentropy(self, y: Tensor) -> Tensor:
        """Ω(y): the Markov chain with these moves has the largest entropy."""
        y = self._natural(y)
        return torch.xlogy(y, y).sum((1, 2, 3)) - torch.xlogy(y[:, 1:].sum(-2), y[:, 1:].sum(-2)).sum((1, 2))


class ChainLayout:
    """Scores of states [n, m], of transitions [m, m], the previous state first, and of the first and the last state."""

    def __init__(self, m: int, boundary: bool):
        self.m, self.boundary = m, boundary
        self.shared = m * m + (2 * m if boundary else 0)

    def is_empty(self, theta: Tensor) -> bool:
        return theta.shape[-1] == self.shared

    def mask_of(self, kept: Tensor) -> Tensor:
        return kept[:, :kept.shape[1] - self.shared:self.m]

    def _states(self, theta: Tensor) -> Tensor:
        return theta[:, :theta.shape[1] - self.shared].unflatten(-1, (-1, self.m))

    def lattice(self, theta: Tensor, mask: Optional[Tensor]) -> Lattice:
        states, shared = self._states(theta), theta[:, theta.shape[1] - self.shared:]
        square = self.m * self.m
        edges = shared[:, :square].reshape(-1, 1, self.m, self.m).transpose(-1, -2)
        if self.boundary:
            steps = torch.arange(states.shape[1], device=theta.device)[None, :, None]
            last = steps == states.shape[1] - 1 if mask is None else is_last(mask).unsqueeze(-1)
            states = states + torch.where(steps == 0, shared[:, None, square:square + self.m], 0)
            states = states + torch.where(last, shared[:, None, square + self.m:], 0)
        return Lattice(states, edges, mask)

    def point(self, states: Tensor, moves: Tensor, mask: Optional[Tensor]) -> Tensor:
        parts = [states.flatten(1), moves.sum(1).transpose(-1, -2).flatten(1)]
        if self.boundary:
            ends = states[:, -1] if mask is None else states.masked_fill(~is_last(mask).unsqueeze(-1), 0).sum(1)
            parts += [states[:, 0], ends]
        return torch.cat(parts, 1)

    def steps_of(self, lattice: Lattice, y: Tensor) -> Tensor:
        """⟨θ, y⟩ of a sequence y by steps [batch, n]."""
        states = self._states(y)
        tags = states.argmax(-1)
        moves = lattice.edges.flatten(1).gather(1, tags[:, 1:] * self.m + tags[:, :-1])
        steps = (lattice.nodes * states).sum(-1) + torch.nn.functional.pad(moves, (1, 0))
        return steps if lattice.mask is None else steps.masked_fill(~lattice.mask, 0)
