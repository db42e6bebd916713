# SPDX-License-Identifier: Apache-2.0
"""A linear-chain layer with the interface of pytorch-crf and Ω of choice (paper §7.3, sequences)."""
from __future__ import annotations

import math
from typing import List, NamedTuple, Optional

import numpy as np
import torch
from torch import Tensor, nn

from .. import _core
from .._arguments import LARGEST_INT, whole_number
from ._backend import overflow_propagates
from ._chain_tensors import is_last, one_hot
from ._costs import hamming_cost
from ._padded import loss_padded, predict_padded
from ._tensors import beside, check_given, check_scores, is_plain, is_traced, memory, widened
from .structured import omega_text

__all__ = ["CRF"]

_REDUCTIONS = ("none", "sum", "mean", "token_mean")


class _Batch(NamedTuple):
    """Sequences that fill their first steps."""

    emissions: Tensor
    tags: Optional[Tensor]
    mask: Tensor
    places: Optional[Tensor]  # where each step of the arguments has gone, where masks may have gaps


def _autocast(like: Tensor) -> bool:
    return not like.is_meta and torch.is_autocast_enabled(like.device.type)


class CRF(nn.Module):
    """Sequences of tags scored by emissions and transitions, with the interface of pytorch-crf and Ω of
    choice (paper §7.3).

    `crf(emissions, tags, mask)` is the log likelihood, as in pytorch-crf: negate it to get the loss.
    Parameters have the names and shapes of pytorch-crf, so that its state_dict loads; transitions[i, j]: j
    after i. What it shows is what pytorch-crf shows, without batch_first.

    Parameters
    ----------
    num_tags : int
        The number of tags, >= 1.
    batch_first : bool
        Emissions are [batch, steps, tags] rather than [steps, batch, tags].
    omega : str
        "crf", or another loss over the same scores, negated likewise: "sparsemap", "hinge" (counting wrong
        tags) or "perceptron".

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> crf = ft.CRF(3, batch_first=True)
    >>> emissions, tags = torch.zeros(2, 4, 3), torch.zeros(2, 4, dtype=torch.long)
    >>> loss = -crf(emissions, tags, reduction="mean")
    >>> len(crf.decode(emissions)), crf.marginals(emissions).shape
    (2, torch.Size([2, 4, 3]))

    See Also
    --------
    StructuredLoss, fenchel.sklearn.SequenceTagger
    """

    def __init__(self, num_tags: int, batch_first: bool = False, omega: str = "crf"):
        super().__init__()
        if (num_tags := whole_number("num_tags", num_tags, -LARGEST_INT, LARGEST_INT)) < 1:
            raise ValueError(f"invalid number of tags: {num_tags}; expected num_tags >= 1")
        parameters = {"m": num_tags, "boundary": True}
        self.num_tags, self.batch_first, self.omega = num_tags, batch_first, omega
        self._text, self._with_cost = omega_text(omega, "chain", parameters), _core.loss_has_cost(omega)
        self._best = omega_text("map", "chain", parameters)
        self._random_field = omega_text("crf", "chain", parameters)
        self.start_transitions = nn.Parameter(torch.empty(num_tags))
        self.end_transitions = nn.Parameter(torch.empty(num_tags))
        self.transitions = nn.Parameter(torch.empty(num_tags, num_tags))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Uniform values between −0.1 and 0.1."""
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -0.1, 0.1)

    def extra_repr(self) -> str:
        return f"num_tags={self.num_tags}" + ("" if self.omega == "crf" else f", omega={self.omega!r}")

    def _check_shapes(self, emissions: Tensor, tags: Optional[Tensor], mask: Optional[Tensor]) -> None:
        """Raises ValueError in the words of pytorch-crf, which programs look for, and with what was expected."""
        check_scores(emissions, -1, "emissions")
        check_given("emissions", emissions)
        if emissions.dim() != 3:
            raise ValueError(f"emissions must have dimension of 3, got {emissions.dim()}")
        if emissions.shape[2] != self.num_tags:
            raise ValueError(f"expected last dimension of emissions is {self.num_tags}, got {emissions.shape[2]}")
        for name, given in (("tags", tags), ("mask", mask)):
            if given is None:
                continue
            check_given(name, given)
            if given.shape != emissions.shape[:2]:
                raise ValueError(f"the first two dimensions of emissions and {name} must match, got "
                                 f"{tuple(emissions.shape[:2])} and {tuple(given.shape)}")

    def _batch(self, emissions: Tensor, tags: Optional[Tensor], mask: Optional[Tensor]) -> _Batch:
        """The arguments with the batch first, checked, and with the steps that the mask leaves out behind the others."""
        self._check_shapes(emissions, tags, mask)
        complete = mask is None
        mask = torch.ones(emissions.shape[:2], dtype=torch.bool, device=emissions.device) if mask is None else \
            beside(mask, emissions) != 0
        tags = None if tags is None else beside(tags, emissions)
        if not self.batch_first:
            emissions, mask = emissions.transpose(0, 1), mask.transpose(0, 1)
            tags = None if tags is None else tags.transpose(0, 1)
        if not is_traced() and emissions.shape[0] and emissions.shape[1] == 0:
            raise ValueError("emissions have no steps; expected at least one")
        if complete:
            return _Batch(emissions, tags, mask, None)
        if is_plain(mask):  # elsewhere a look at entries waits for the host
            if not bool(mask[:, :1].all()):
                raise ValueError("mask of the first timestep must all be on; expected at least one step per sequence")
            if not bool((mask[:, 1:] & ~mask[:, :-1]).any()):
                return _Batch(emissions, tags, mask, None)
        count = mask.cumsum(1)
        places = torch.where(mask, count, count[:, -1:] + (~mask).cumsum(1)) - 1
        return _Batch(torch.zeros_like(emissions).scatter(1, places.unsqueeze(-1).expand_as(emissions), emissions),
                      None if tags is None else torch.zeros_like(tags).scatter(1, places, tags),
                      torch.zeros_like(mask).scatter(1, places, mask), places)

    def _laid_out(self, emissions: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """θ of the polytope Chain: emissions, transitions, start, end; what is not padding; the lengths."""
        batch, m = emissions.shape[0], self.num_tags
        states = widened(emissions)
        states = states.to(torch.promote_types(states.dtype, self.transitions.dtype))
        shared = torch.cat([self.transitions.reshape(-1), self.start_transitions, self.end_transitions])
        theta = torch.cat([states.flatten(1), shared.to(states.dtype).expand(batch, -1)], 1)
        whole = torch.ones(batch, m * m + 2 * m, dtype=torch.bool, device=mask.device)
        kept = torch.cat([mask.unsqueeze(-1).expand(-1, -1, m).flatten(1), whole], 1)
        return theta, kept, mask.sum(1, keepdim=True)

    def _targets(self, tags: Tensor, mask: Tensor, like: Tensor) -> Tensor:
        """The vectors of sequences: states, counts of transitions, first and last state."""
        m = self.num_tags
        safe = tags.masked_fill(~mask, 0)
        wrong = (safe < 0) | (safe >= m)
        if is_plain(wrong) and bool(wrong.any()):
            raise ValueError(f"tags run from {int(safe.min())} to {int(safe.max())}; expected 0 to {m - 1}")
        # Where nobody can look, a tag that is none makes the loss of its sequence NaN.
        states = one_hot(safe, m, like).masked_fill(wrong.unsqueeze(-1), math.nan).masked_fill(~mask.unsqueeze(-1), 0)
        steps = (safe[:, :-1] * m + safe[:, 1:]).clamp(0, m * m - 1)
        counts = like.new_zeros(tags.shape[0], m * m).scatter_add(1, steps, mask[:, 1:].to(like.dtype))
        ends = states.masked_fill(~is_last(mask).unsqueeze(-1), 0).sum(1)
        return torch.cat([states.flatten(1), counts, states[:, :1].sum(1), ends], 1)

    def forward(self, emissions: Tensor, tags: Tensor, mask: Optional[Tensor] = None, reduction: str = "sum") -> Tensor:
        """Minus the loss of each sequence, reduced: with omega="crf" the log likelihood of the tags.

        Parameters
        ----------
        emissions : Tensor [steps, batch, tags]
            Scores of tags; the batch comes first with batch_first.
        tags : Tensor of int [steps, batch]
            Tags from 0.
        mask : Tensor [steps, batch], optional
            Steps where it is 0 are as if they were not there.
        reduction : str
            "none", "sum", "mean" (over sequences) or "token_mean".

        Returns
        -------
        Tensor
            A number, or with reduction="none" one for each sequence, of the type that emissions and
            parameters have together, and at least float32 under autocast.
        """
        if not isinstance(reduction, str) or reduction not in _REDUCTIONS:
            raise ValueError(f"invalid reduction: {reduction}; expected one of {', '.join(_REDUCTIONS)}")
        if not isinstance(tags, Tensor):
            raise TypeError(f"tags is {type(tags).__name__}; expected a tensor")
        if tags.is_floating_point():
            raise ValueError(f"tags have dtype {tags.dtype}; expected integers")
        given = self._batch(emissions, tags, mask)
        theta, kept, sizes = self._laid_out(given.emissions, given.mask)
        y = self._targets(given.tags.to(torch.int64), given.mask, theta)  # type: ignore[union-attr]
        if self._with_cost:
            states = given.emissions.shape[1] * self.num_tags
            theta = theta + torch.cat([hamming_cost(y[:, :states], 1.0, 0.5), torch.zeros_like(y[:, states:])], 1)
        with overflow_propagates(emissions):
            likelihood = -loss_padded(theta, y, kept, sizes, self._text)
        if reduction != "none":  # sums before half precision comes back
            counts: dict = {"sum": 1, "mean": max(likelihood.numel(), 1), "token_mean": given.mask.sum().clamp(min=1)}
            likelihood = likelihood.sum() / counts[reduction]
        dtype = torch.promote_types(emissions.dtype, self.transitions.dtype)
        return likelihood if _autocast(emissions) else likelihood.to(dtype)

    def _states(self, prediction: Tensor, emissions: Tensor) -> Tensor:
        batch, steps, m = emissions.shape
        return prediction[:, :steps * m].reshape(batch, steps, m)

    def marginals(self, emissions: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        """ŷ_Ω of the states: the probabilities of tags for a CRF.

        Parameters
        ----------
        emissions : Tensor [steps, batch, tags]
            Scores of tags; the batch comes first with batch_first.
        mask : Tensor [steps, batch], optional
            Steps where it is 0 are as if they were not there.

        Returns
        -------
        Tensor
            Of the shape of the emissions, 0 where masked, with gradients.
        """
        given = self._batch(emissions, None, mask)
        theta, kept, sizes = self._laid_out(given.emissions, given.mask)
        with overflow_propagates(emissions):
            prediction = predict_padded(theta, kept, sizes, self._text)
        states = self._states(prediction, given.emissions).to(emissions.dtype)
        if given.places is not None:
            states = states.gather(1, given.places.unsqueeze(-1).expand_as(states))
        return states if self.batch_first else states.transpose(0, 1)

    def decode(self, emissions: Tensor, mask: Optional[Tensor] = None) -> List[List[int]]:
        """The best sequence of tags of each example (Viterbi's algorithm).

        Parameters
        ----------
        emissions : Tensor [steps, batch, tags]
            Scores of tags; the batch comes first with batch_first.
        mask : Tensor [steps, batch], optional
            Steps where it is 0 are as if they were not there.

        Returns
        -------
        list of list of int
            Tags of the steps that the mask does not leave out.
        """
        with torch.no_grad():
            given = self._batch(emissions, None, mask)
            theta, kept, sizes = self._laid_out(given.emissions, given.mask)
            tags = self._states(predict_padded(theta, kept, sizes, self._best), given.emissions).argmax(-1)
        return [row[:n] for *row, n in torch.cat([tags, sizes], 1).tolist()]  # one copy to the host

    def _compute_score(self, emissions: Tensor, tags: Tensor, mask: Tensor) -> Tensor:
        """⟨θ, y⟩ of each sequence. This and the next two are for programs that call them; steps come first, as there."""
        given = self._steps_first(emissions, tags, mask)
        theta, kept, _ = self._laid_out(given.emissions, given.mask)
        y = self._targets(given.tags.to(torch.int64), given.mask, theta)  # type: ignore[union-attr]
        return (theta.masked_fill(~kept | (y == 0), 0) * y).sum(1)  # forbidden transitions are −inf

    def _compute_normalizer(self, emissions: Tensor, mask: Tensor) -> Tensor:
        """The log partition function of each sequence: the score and the loss of any sequence together."""
        first = self._steps_first(emissions, torch.zeros(emissions.shape[:2], dtype=torch.int64, device=emissions.device), mask)
        theta, kept, sizes = self._laid_out(first.emissions, first.mask)
        with torch.no_grad():  # the best sequence is one that is not forbidden
            best = predict_padded(theta, kept, sizes, self._best).to(theta.dtype)
        return loss_padded(theta, best, kept, sizes, self._random_field) + \
            (theta.masked_fill(~kept | (best == 0), 0) * best).sum(1)

    def _viterbi_decode(self, emissions: Tensor, mask: Tensor) -> List[List[int]]:
        """As `decode`."""
        if self.batch_first:
            emissions, mask = emissions.transpose(0, 1), mask.transpose(0, 1)
        return self.decode(emissions, mask)

    def _steps_first(self, emissions: Tensor, tags: Tensor, mask: Tensor) -> _Batch:
        if self.batch_first:
            emissions, tags, mask = (given.transpose(0, 1) for given in (emissions, tags, mask))
        return self._batch(emissions, tags, mask)

    def k_best(self, emissions: Tensor, k: int, mask: Optional[Tensor] = None) -> List[List[tuple[List[int], float]]]:
        """The k best sequences of tags of each example with their log likelihoods.

        Parameters
        ----------
        emissions : Tensor [steps, batch, tags]
            Scores of tags; the batch comes first with batch_first.
        k : int
            How many, at least 1.
        mask : Tensor [steps, batch], optional
            Steps where it is 0 are as if they were not there.

        Returns
        -------
        list of list of (list of int, float)
            Best first.
        """
        k = whole_number("k", k, 1, LARGEST_INT)
        with torch.no_grad():
            given = self._batch(emissions, None, mask)
            theta, kept, sizes = self._laid_out(given.emissions, given.mask)
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
