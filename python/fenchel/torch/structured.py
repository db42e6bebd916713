# SPDX-License-Identifier: Apache-2.0
"""Layers and losses over structures: trees, matchings, alignments, sequences, rankings, in padded batches.

Scores are [batch, *shape], as docs/polytopes.md lays them out: [n, n] for trees and matchings, [m, n] for alignments,
[n, m, m] for sequences, [d] for rankings, subsets and single choices. `lengths` says how much of each example there is.
"""
from __future__ import annotations

import json
import math
from typing import Any, List, Optional

import numpy as np
import torch
from torch import Tensor, nn

from .. import _core
from .._arguments import plain_text, shown
from ._backend import chosen, forced, overflow_propagates, say_that_it_copies, tensors_wanted
from ._costs import hamming_cost
from ._padded import LISTS, SIZES, loss_padded, predict_padded, sized_polytope, with_extents
from ._short import is_short, short_rows
from ._specs import arguments, omega_name
from ._structures import tensors_of, vectors_of
from ._tensors import check_given, check_scores, is_plain, memory, whole_number, widened
from .functional import check_reduction, finished

__all__ = ["StructuredLoss", "StructuredPredict"]

_SETS = {entry["name"]: entry for entry in _core.polytopes()}
_STAND_IN = json.dumps({"name": "simplex", "d": 2})  # for a set whose size is still to be said


def omega_text(omega: str, structure: str, parameters: dict, temperature: float = 1.0) -> str:
    """The text of an Ω over structures whose size is still to be said. The name of a loss stands for its Ω."""
    if not isinstance(structure, str) or structure not in SIZES:
        raise ValueError(f"structure is {structure!r}; expected one of {', '.join(sorted(SIZES))}")
    if not isinstance(omega, str):
        raise TypeError(f"omega is {shown(omega)}; expected a name such as 'crf' or 'sparsemap'")
    core, _, _ = _core.resolve_loss(_core.over_polytope(plain_text("omega", omega), _STAND_IN), "structured")
    spec: dict = {**json.loads(core.spec), "polytope": {"name": structure, **parameters}}
    if temperature != 1:
        spec["temperature"] = float(temperature)
    return json.dumps(spec)


def checked_lengths(lengths: Any, extents: List[int], batch: int, device: torch.device) -> Tensor:
    """Sizes [batch, number of sizes]; those of the padding if `lengths` is None."""
    if lengths is None:
        return torch.tensor(extents, device=device).expand(batch, len(extents))
    if not isinstance(lengths, Tensor):
        try:
            lengths = torch.as_tensor(lengths, device=device)
        except (TypeError, ValueError, RuntimeError):
            raise TypeError(f"lengths is {lengths!r}; expected integers, one for each example") from None
        if lengths.numel() == 0:
            lengths = lengths.to(torch.int64)
    check_given("lengths", lengths)
    sizes = lengths.unsqueeze(-1) if lengths.dim() == 1 and len(extents) == 1 else lengths
    if sizes.is_floating_point() or tuple(sizes.shape) != (batch, len(extents)):
        shape = f"({batch},{f' {len(extents)}' if len(extents) > 1 else ''})"
        raise ValueError(f"lengths has dtype {lengths.dtype} and shape {tuple(lengths.shape)}; expected integers of "
                         f"shape {shape}")
    if is_plain(sizes) and sizes.numel():
        least, most = sizes.amin(0).tolist(), sizes.amax(0).tolist()
        if any(low < 1 or high > extent for low, high, extent in zip(least, most, extents)):
            raise ValueError(f"lengths run from {least} to {most}; expected 1 to {extents}")
    return sizes


def _here(value: Any) -> Any:
    """A tensor on the CPU; anything else as it is."""
    return value.cpu() if isinstance(value, Tensor) else value


class StructuredPredict(nn.Module):
    """ŷ_Ω over structures (paper §7): `layer(scores, lengths)` has the shape of the scores, 0 in the padding.

    Parameters
    ----------
    structure : str
        The name of the polytope, such as "arborescence": see fenchel.explain().
    omega : str
        "sparsemap" (few structures), "marginal" (those of the Gibbs distribution), "map" (the best one),
        "entropic", "bregman", "structured_sparsemax" or "conic", with its parameters if it has some
        ("bregman:alpha=1.3").
    temperature : float
        t > 0: the Ω is tΩ.
    **parameters : Any
        Those of the polytope that scores do not say, such as single_root=True.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> layer = ft.StructuredPredict("arborescence", "sparsemap", single_root=True)
    >>> scores = torch.tensor([[[1.0, 0.5], [0.2, 0.3]]])
    >>> mu = layer(scores)
    >>> mu.shape, layer.decode(scores)
    (torch.Size([1, 2, 2]), [[-1, 0]])

    See Also
    --------
    StructuredLoss, sparsemap, fenchel.Distribution
    """

    def __init__(self, structure: str, omega: str = "sparsemap", *, temperature: float = 1.0, **parameters: Any):
        super().__init__()
        parameters = {name: value.tolist() if hasattr(value, "tolist") else value for name, value in parameters.items()}
        self._given = {"omega": omega, **({} if temperature == 1 else {"temperature": temperature}), **parameters}
        self.structure, self.parameters_of_set = structure, parameters
        self.omega = omega_text(omega, structure, parameters, temperature)
        self._best = omega_text("map", structure, parameters)
        # Those of vectors, where they were given.
        self.entries = [entry for name in LISTS[structure] for entry in parameters.get(name, ())]
        self._axes = _SETS[structure]["axes"]  # the parameter behind each axis
        self._varying = _SETS[structure]["lengths"] or self._axes[:1]  # those in which examples differ
        if not self._axes:
            raise ValueError(f"structure is {structure!r}, whose scores have several parts; expected one whose scores are "
                             "an array, or the module CRF for sequences with shared transitions")

    def laid_out(self, scores: Tensor, lengths: Optional[Tensor]) -> tuple:
        """The scores as the operators take them, checked.

        Parameters
        ----------
        scores : Tensor [batch, *shape]
            Scores as docs/polytopes.md lays them out: [n, n] for trees and matchings, [m, n] for alignments, [n,
            m, m] for sequences, [d] for rankings, subsets and single choices.
        lengths : Tensor of int, optional
            The size of each example, [batch], or [batch, 2] for alignments; all of the scores if not given.

        Returns
        -------
        tuple of Tensor
            Scores [batch, entries], which entries count, and the sizes [batch, number of sizes].
        """
        check_scores(scores, -1, "scores")
        check_given("scores", scores)
        if scores.dim() != len(self._axes) + 1:
            raise ValueError(f"scores have shape {tuple(scores.shape)}; expected the batch and {len(self._axes)} axes of "
                             f"{self.structure}")
        shape = list(scores.shape[1:])
        extents = dict(zip(self._axes, shape))
        extents.update({name: value for name, value in self.parameters_of_set.items()
                        if name in extents and name not in self._varying})
        if shape != [extents[name] for name in self._axes]:
            fixed = "".join(f" with {name} = {extents[name]}" for name in extents if name not in self._varying)
            raise ValueError(f"scores have shape {tuple(scores.shape)}; expected [batch, {', '.join(self._axes)}]{fixed}")
        sizes = checked_lengths(lengths, [extents[name] for name in self._varying], scores.shape[0], scores.device)
        kept = torch.ones(scores.shape, dtype=torch.bool, device=scores.device)
        for axis, name in enumerate(self._axes):
            if name in self._varying:
                steps = torch.arange(shape[axis], device=scores.device)
                inside = steps < sizes[:, self._varying.index(name), None].to(scores.device)
                kept = kept & inside.reshape(-1, *([1] * axis), shape[axis], *([1] * (len(shape) - axis - 1)))
        fixed_sizes = [torch.full_like(sizes[:, :1], extents[name]) for name in extents if name not in self._varying]
        sizes = torch.cat([sizes, *fixed_sizes], 1)
        return widened(scores).flatten(1), kept.flatten(1), sizes

    def _through_the_cpu(self, scores: Any) -> bool:
        """Whether scores lie on a device where Ω has no tensor operations: all is copied once, each way."""
        if not isinstance(scores, Tensor) or scores.device.type in ("cpu", "meta") or scores.dim() != len(self._axes) + 1:
            return False
        if chosen() != "core" and tensors_of(self._text(self.omega, scores)) is not None:
            return False
        say_that_it_copies(omega_name(self.omega), scores.device)
        return True

    def _predicted(self, scores: Tensor, lengths: Optional[Tensor], omega: str) -> Tensor:
        if self._through_the_cpu(scores):
            with overflow_propagates(scores):
                return self._predicted(scores.cpu(), _here(lengths), omega).to(scores.device)
        theta, kept, sizes = self.laid_out(scores, lengths)
        with overflow_propagates(scores):
            return predict_padded(theta, kept, sizes, self._text(omega, scores)).reshape(scores.shape).to(scores.dtype)

    def _text(self, omega: str, scores: Tensor) -> str:
        """The text of an Ω with the extents of the scores, which tensor operations have to know."""
        if torch.compiler.is_compiling() and not forced() and not tensors_wanted(scores):
            return omega
        return with_extents(omega, tuple(self._axes), tuple(whole_number(size) for size in scores.shape[1:]))

    def forward(self, scores: Tensor, lengths: Optional[Tensor] = None) -> Tensor:
        return self._predicted(scores, lengths, self.omega)

    def map(self, scores: Tensor, lengths: Optional[Tensor] = None) -> Tensor:
        """The best structure of each example, without gradients.

        Parameters
        ----------
        scores : Tensor [batch, *shape]
            Scores as docs/polytopes.md lays them out: [n, n] for trees and matchings, [m, n] for alignments,
            [n, m, m] for sequences, [d] for rankings, subsets and single choices.
        lengths : Tensor of int, optional
            The size of each example, [batch], or [batch, 2] for alignments; all of the scores if not given.

        Returns
        -------
        Tensor
            Vectors like the scores.
        """
        with torch.no_grad():
            return self._predicted(scores, lengths, self._best)

    def decode(self, scores: Tensor, lengths: Optional[Tensor] = None) -> List[List[int]]:
        """The best structure of each example in short: heads of a tree, columns of a matching, states …

        Parameters
        ----------
        scores : Tensor [batch, *shape]
            Scores as docs/polytopes.md lays them out: [n, n] for trees and matchings, [m, n] for alignments,
            [n, m, m] for sequences, [d] for rankings, subsets and single choices.
        lengths : Tensor of int, optional
            The size of each example, [batch], or [batch, 2] for alignments; all of the scores if not given.

        Returns
        -------
        list of list of int
            One for each example.
        """
        theta, kept, sizes = self.laid_out(_here(scores.detach()), _here(lengths))
        best = memory(predict_padded(theta, kept, sizes, self._best).to(torch.float64))
        found = []
        for y, inside, size in zip(best, memory(kept), memory(sizes).tolist()):
            labels, _ = _core.decode(self.polytope(size), y[inside])
            found.append(labels.tolist())
        return found

    def polytope(self, sizes: List[int]) -> Any:
        """The set of structures of some sizes.

        Parameters
        ----------
        sizes : list of int
            One for each axis of the scores that may differ between examples, then the others.

        Returns
        -------
        _core.Polytope
            The set.
        """
        return _core.Polytope(json.dumps(sized_polytope({"name": self.structure, **self.parameters_of_set}, *sizes)))

    def encode(self, labels: Tensor, shape: tuple, lengths: Optional[Tensor] = None) -> Tensor:
        """Structures in short, as `decode` has them, as vectors.

        Parameters
        ----------
        labels : Tensor of int
            The short form of each example, padded.
        shape : tuple
            The shape of the scores.
        lengths : Tensor of int, optional
            The size of each example, [batch], or [batch, 2] for alignments; all of the scores if not given.

        Returns
        -------
        Tensor
            Vectors of the shape of the scores.
        """
        example = torch.zeros(shape, dtype=torch.float64, device="cpu")
        _, kept, sizes = self.laid_out(example, lengths)
        dense = np.zeros(memory(kept).shape)
        counts = memory(sizes).tolist()
        rows = short_rows(self.structure, labels, tuple(shape), counts)
        for y, inside, size, short in zip(dense, memory(kept), counts, rows):
            y[inside] = _core.encode(self.polytope(size), short, np.array([0, short.size]))[0]
        return torch.from_numpy(dense).reshape(shape)

    def extra_repr(self) -> str:
        return f"{self.structure!r}, {arguments(**self._given)}"


class StructuredLoss(nn.Module):
    """L_Ω over structures (paper §7): `loss(scores, y, lengths)`.

    y are vectors like the scores, or integers that name structures in short: heads of trees, columns of
    matchings, tags, ranks (0: the largest weight), entries of subsets, classes, cells of alignments.

    Parameters
    ----------
    structure : str
        The name of the polytope, such as "arborescence": see fenchel.explain().
    omega : str
        "crf" (or "marginal"), "sparsemap", "perceptron" (or "map"), "hinge" (the Hamming cost cost_scale · ‖y
        − z‖² added: a structured support vector machine), or another of StructuredPredict.
    reduction : str
        "mean", "sum" or "none". The mean of no rows at all is 0.
    temperature : float
        t > 0: the Ω is tΩ.
    cost_scale : float
        Of "hinge", >= 0; ½ counts wrong heads of trees and wrong pairs of matchings.
    **parameters : Any
        Those of the polytope that scores do not say, such as single_root=True.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> loss = ft.StructuredLoss("arborescence", "crf")
    >>> scores, heads = torch.tensor([[[1.0, 0.5], [0.2, 0.3]]]), torch.tensor([[-1, 0]])
    >>> round(loss(scores, heads).item(), 3)
    0.782

    See Also
    --------
    StructuredPredict, CRF
    """

    def __init__(self, structure: str, omega: str = "crf", reduction: str = "mean", *, temperature: float = 1.0,
                 cost_scale: float = 1.0, **parameters: Any):
        super().__init__()
        self.layer = StructuredPredict(structure, omega, temperature=temperature, **parameters)
        self.reduction = check_reduction(reduction)
        self.cost = _core.loss_has_cost(omega)  # the Hamming cost, added to the scores
        if not 0 <= cost_scale < math.inf:
            raise ValueError(f"cost_scale is {cost_scale!r}; expected a number >= 0")
        if cost_scale != 1 and not self.cost:
            raise ValueError(f"cost_scale is {cost_scale!r}, and omega is {omega!r}; losses with a cost have it, such as "
                             "'hinge' or 'sparsemap+margin'")
        self.cost_scale = float(cost_scale)

    def forward(self, scores: Tensor, y: Tensor, lengths: Optional[Tensor] = None) -> Tensor:
        if not self.layer._through_the_cpu(scores):
            return finished(self._losses(scores, y, lengths), scores)
        with overflow_propagates(scores):
            return finished(self._losses(scores.cpu(), _here(y), _here(lengths)).to(scores.device), scores)

    def _losses(self, scores: Tensor, y: Tensor, lengths: Optional[Tensor]) -> Tensor:
        """The losses, reduced, in at least single precision."""
        theta, kept, sizes = self.layer.laid_out(scores, lengths)
        if not isinstance(y, Tensor) or y.is_complex() or y.dtype == torch.bool:
            kind = f"dtype {y.dtype}" if isinstance(y, Tensor) else f"type {type(y).__name__}"
            raise TypeError(f"y has {kind}; expected a tensor of vectors like the scores, or of integers")
        check_given("y", y)
        if is_short(self.layer.structure, y, kept.reshape(scores.shape), self.layer.entries):
            dense = None if is_plain(y, scores) else vectors_of(self.layer.structure, y.to(scores.device), scores.shape)
            y = self.layer.encode(y, tuple(scores.shape), lengths).to(scores.device) if dense is None else dense
        if y.shape != scores.shape:
            raise ValueError(f"y has shape {tuple(y.shape)}; expected that of the scores, {tuple(scores.shape)}")
        targets = y.to(theta.dtype).reshape(theta.shape)
        if self.cost:
            theta = theta + hamming_cost(targets, float(_SETS[self.layer.structure]["binary"]), self.cost_scale)
        with overflow_propagates(scores):
            losses = loss_padded(theta, targets, kept, sizes, self.layer._text(self.layer.omega, scores))
        if self.reduction != "none":  # sums before half precision comes back
            losses = losses.sum() / (max(losses.numel(), 1) if self.reduction == "mean" else 1)
        return losses

    def predict(self, scores: Tensor, lengths: Optional[Tensor] = None) -> Tensor:
        """ŷ_Ω, the prediction that belongs to the loss (without costs).

        Parameters
        ----------
        scores : Tensor [batch, *shape]
            Scores as docs/polytopes.md lays them out: [n, n] for trees and matchings, [m, n] for alignments,
            [n, m, m] for sequences, [d] for rankings, subsets and single choices.
        lengths : Tensor of int, optional
            The size of each example, [batch], or [batch, 2] for alignments; all of the scores if not given.

        Returns
        -------
        Tensor
            Of the shape of the scores.
        """
        return self.layer(scores, lengths)

    def decode(self, scores: Tensor, lengths: Optional[Tensor] = None) -> List[List[int]]:
        """The best structure of each example, in short.

        Parameters
        ----------
        scores : Tensor [batch, *shape]
            Scores as docs/polytopes.md lays them out: [n, n] for trees and matchings, [m, n] for alignments,
            [n, m, m] for sequences, [d] for rankings, subsets and single choices.
        lengths : Tensor of int, optional
            The size of each example, [batch], or [batch, 2] for alignments; all of the scores if not given.

        Returns
        -------
        list of list of int
            One for each example.
        """
        return self.layer.decode(scores, lengths)

    def extra_repr(self) -> str:
        return arguments(reduction=self.reduction, **({"cost_scale": self.cost_scale} if self.cost else {}))
