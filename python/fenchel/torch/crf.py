# SPDX-License-Identifier: Apache-2.0
"""A linear-chain layer with the interface of pytorch-crf and Ω of choice (paper §7.3, sequences)."""
from __future__ import annotations

from typing import List, Optional

import numpy as np
import torch
from torch import Tensor, nn

from .. import _core
from ._padded import loss_padded, predict_padded
from ._tensors import check_given, check_scores, memory, widened
from .structured import omega_text

__all__ = ["CRF"]

_REDUCTIONS = ("none", "sum", "mean", "token_mean")


class CRF(nn.Module):
    """Sequences of tags scored by emissions and transitions.

    `crf(emissions, tags, mask)` is the log likelihood, as in pytorch-crf: negate it to get the loss. `omega` chooses
    another loss over the same scores, negated likewise: "sparsemap", "hinge" (counting wrong tags) or "perceptron".
    Parameters have the names and shapes of pytorch-crf, so that its state_dict loads; transitions[i, j]: j after i.
    """

    def __init__(self, num_tags: int, batch_first: bool = False, omega: str = "crf"):
        super().__init__()
        if num_tags < 1:
            raise ValueError(f"num_tags is {num_tags}; expected a number >= 1")
        parameters = {"m": num_tags, "boundary": True}
        self.num_tags, self.batch_first, self.omega = num_tags, batch_first, omega
        self._text = omega_text(omega, "chain", parameters)
        self._best = omega_text("map", "chain", parameters)
        self.start_transitions = nn.Parameter(torch.empty(num_tags))
        self.end_transitions = nn.Parameter(torch.empty(num_tags))
        self.transitions = nn.Parameter(torch.empty(num_tags, num_tags))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Uniform values between −0.1 and 0.1."""
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -0.1, 0.1)

    def extra_repr(self) -> str:
        return f"num_tags={self.num_tags}, omega={self.omega!r}"

    def _batch(self, emissions: Tensor, mask: Optional[Tensor]) -> tuple[Tensor, Tensor]:
        """Emissions and mask with the batch first, checked."""
        check_scores(emissions, -1, "emissions")
        check_given("emissions", emissions)
        if emissions.dim() != 3 or emissions.shape[2] != self.num_tags:
            raise ValueError(f"emissions have shape {tuple(emissions.shape)}; expected three axes, the last one of "
                             f"{self.num_tags} tags")
        if mask is None:
            mask = torch.ones(emissions.shape[:2], dtype=torch.bool, device=emissions.device)
        check_given("mask", mask)
        if mask.shape != emissions.shape[:2]:
            raise ValueError(f"mask has shape {tuple(mask.shape)}; expected {tuple(emissions.shape[:2])}")
        mask = mask.to(torch.bool)
        if not self.batch_first:
            emissions, mask = emissions.transpose(0, 1), mask.transpose(0, 1)
        if not torch.compiler.is_compiling():
            if emissions.shape[0] and emissions.shape[1] == 0:
                raise ValueError("emissions have no steps; expected at least one")
            if not bool(mask[:, :1].all()):
                raise ValueError("mask is false at the first step of a sequence; expected at least one step each")
            if bool((mask[:, 1:] & ~mask[:, :-1]).any()):
                raise ValueError("mask is true after a false entry; expected sequences from their first step on")
        return emissions, mask

    def _laid_out(self, emissions: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """θ of the polytope Chain: emissions, transitions, start, end; what is no padding; the lengths."""
        batch, m = emissions.shape[0], self.num_tags
        states = widened(emissions)
        shared = torch.cat([self.transitions.reshape(-1), self.start_transitions, self.end_transitions])
        theta = torch.cat([states.flatten(1), shared.to(states.dtype).expand(batch, -1)], 1)
        whole = torch.ones(batch, m * m + 2 * m, dtype=torch.bool, device=mask.device)
        kept = torch.cat([mask.unsqueeze(-1).expand(-1, -1, m).flatten(1), whole], 1)
        return theta, kept, mask.sum(1, keepdim=True)

    def _targets(self, tags: Tensor, mask: Tensor, like: Tensor) -> Tensor:
        """The vectors of sequences: states, counts of transitions, first and last state."""
        m = self.num_tags
        safe = tags.masked_fill(~mask, 0)
        if not torch.compiler.is_compiling() and bool(((safe < 0) | (safe >= m)).any()):
            raise ValueError(f"tags run from {int(safe.min())} to {int(safe.max())}; expected 0 to {m - 1}")
        states = nn.functional.one_hot(safe, m).to(like.dtype) * mask.unsqueeze(-1)
        steps = (safe[:, :-1] * m + safe[:, 1:])
        counts = like.new_zeros(tags.shape[0], m * m).scatter_add(1, steps, mask[:, 1:].to(like.dtype))
        last = safe.gather(1, mask.sum(1, keepdim=True) - 1).squeeze(1)
        ends = nn.functional.one_hot(last, m).to(like.dtype)
        return torch.cat([states.flatten(1), counts, states[:, :1].sum(1), ends], 1)

    def forward(self, emissions: Tensor, tags: Tensor, mask: Optional[Tensor] = None, reduction: str = "sum") -> Tensor:
        """Minus the loss of each sequence, reduced: with omega="crf" the log likelihood of the tags."""
        if reduction not in _REDUCTIONS:
            raise ValueError(f"reduction is {reduction!r}; expected one of {', '.join(_REDUCTIONS)}")
        if tags.is_floating_point() or tags.shape != emissions.shape[:2]:
            raise ValueError(f"tags have dtype {tags.dtype} and shape {tuple(tags.shape)}; expected integers of shape "
                             f"{tuple(emissions.shape[:2])}")
        check_given("tags", tags)
        emissions_first, mask = self._batch(emissions, mask)
        tags = (tags if self.batch_first else tags.transpose(0, 1)).to(torch.int64)
        theta, kept, sizes = self._laid_out(emissions_first, mask)
        y = self._targets(tags, mask, theta)
        if self.omega == "hinge":
            states = emissions_first.shape[1] * self.num_tags
            theta = theta + torch.cat([0.5 - y[:, :states], torch.zeros_like(y[:, states:])], 1)
        likelihood = -loss_padded(theta, y, kept, sizes, self._text).to(emissions.dtype)
        if reduction == "none":
            return likelihood
        if reduction == "sum":
            return likelihood.sum()
        if reduction == "mean":
            return likelihood.sum() / max(likelihood.numel(), 1)
        return likelihood.sum() / mask.sum().clamp(min=1)

    def _states(self, prediction: Tensor, emissions: Tensor) -> Tensor:
        batch, steps, m = emissions.shape
        return prediction[:, :steps * m].reshape(batch, steps, m)

    def marginals(self, emissions: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        """ŷ_Ω of the states, of the shape of the emissions, 0 where masked: the probabilities of tags for a CRF."""
        first, mask = self._batch(emissions, mask)
        theta, kept, sizes = self._laid_out(first, mask)
        states = self._states(predict_padded(theta, kept, sizes, self._text), first).to(emissions.dtype)
        return states if self.batch_first else states.transpose(0, 1)

    def decode(self, emissions: Tensor, mask: Optional[Tensor] = None) -> List[List[int]]:
        """The best sequence of tags of each example (Viterbi's algorithm)."""
        with torch.no_grad():
            first, mask = self._batch(emissions, mask)
            theta, kept, sizes = self._laid_out(first, mask)
            tags = self._states(predict_padded(theta, kept, sizes, self._best), first).argmax(-1).tolist()
        return [row[:n] for row, (n,) in zip(tags, sizes.tolist())]

    def k_best(self, emissions: Tensor, k: int, mask: Optional[Tensor] = None) -> List[List[tuple[List[int], float]]]:
        """The k best sequences of tags of each example with their log likelihoods, best first."""
        with torch.no_grad():
            first, mask = self._batch(emissions, mask)
            theta, kept, sizes = self._laid_out(first, mask)
            values = memory(theta.to(torch.float64))[memory(kept)]
        lengths = [n for (n,) in sizes.tolist()]
        sets = [_chain(n, self.num_tags) for n in lengths]
        offsets = np.concatenate([[0], np.cumsum(memory(kept).sum(1))]).astype(np.int64)
        dense, counts, scores = _core.gibbs_k_best(sets, values, offsets, k)
        partitions = _core.gibbs_log_partition(sets, values, offsets)
        found, start, row = [], 0, 0
        for n, count, entries, partition in zip(lengths, counts, np.diff(offsets), partitions):
            best = dense[start:start + count * entries].reshape(count, entries)[:, :n * self.num_tags]
            tags = best.reshape(count, n, self.num_tags).argmax(-1).tolist()
            found.append(list(zip(tags, (scores[row:row + count] - partition).tolist())))
            start, row = start + count * entries, row + count
        return found


def _chain(n: int, m: int) -> _core.Polytope:
    return _core.Polytope(f'{{"name": "chain", "n": {n}, "m": {m}, "boundary": true}}')
