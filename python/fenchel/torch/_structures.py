# SPDX-License-Identifier: Apache-2.0
"""ŷ_Ω, Ω* and L_Ω over structures in tensor operations, for what has them: Gibbs distributions and best structures of
sequences, chains and alignments; entropic plans; Euclidean and entropic projections onto permutahedra.

Functions take scores [batch, entries] and what is not padding (or None). They are differentiated by torch as they are, as
often as is wanted; losses come with their gradient ŷ − y, which costs less than going back through them.
"""
from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Callable, NamedTuple, Optional, Sequence

import torch
from torch import Tensor

from . import _alignment_tensors, _chain_tensors, _isotonic_tensors
from ._chain_tensors import FORBIDDEN, ChainLayout, SequenceLayout, finite
from ._operator import InTensors
from ._plan_tensors import entropic_plan
from ._specs import _PYTHON

_NOT_A_NUMBER = float("nan")
_WITHOUT_DOUBLE = ("mps",)


def wide(x: Tensor) -> Tensor:
    """In double where the device has it: for sums and systems of equations of which single precision would lose digits."""
    return x if x.device.type in _WITHOUT_DOUBLE else x.double()


def _constant(values: Tensor, theta: Tensor) -> Tensor:
    """Values whose derivative in θ is 0 rather than missing."""
    return values + theta.masked_fill(torch.ones_like(theta, dtype=torch.bool), 0)


def _whole(y: Tensor) -> Tensor:
    return (y == y.round()).all(-1)


def _is_score(values: Tensor) -> Tensor:
    """Whether there is a structure, and no score was NaN or +inf."""
    return (values > FORBIDDEN) & (values < float("inf"))


def _not_negative(losses: Tensor) -> Tensor:
    """Losses without what rounding leaves below 0, and with the derivatives that they have there."""
    return losses + (losses.clamp(min=0) - losses).detach()


class _Paths:
    """Sequences and chains; the Gibbs distribution, or the best ones."""

    def __init__(self, layout: Any, gibbs: bool):
        self.layout, self.gibbs = layout, gibbs

    def _solve(self, lattice: _chain_tensors.Lattice) -> tuple[Tensor, Tensor]:
        if self.gibbs:
            found = _chain_tensors.smoothed(lattice)
            return self.layout.point(found.states, found.moves, lattice.mask), found.log_partition
        tags, score = _chain_tensors.best(lattice)
        states = _chain_tensors.one_hot(tags, lattice.nodes.shape[-1], lattice.nodes)
        if lattice.mask is not None:
            states = states.masked_fill(~lattice.mask.unsqueeze(-1), 0)
        return self.layout.point(states, _chain_tensors.moves_between(states), lattice.mask), score

    def _lattice(self, theta: Tensor, kept: Optional[Tensor]) -> _chain_tensors.Lattice:
        return self.layout.lattice(finite(theta), None if kept is None else self.layout.mask_of(kept))

    def _valid(self, lattice: _chain_tensors.Lattice, values: Tensor) -> Tensor:
        return _is_score(values) if lattice.mask is None else _is_score(values) & lattice.mask[:, 0]

    def predict(self, theta: Tensor, kept: Optional[Tensor]) -> Tensor:
        if self.layout.is_empty(theta):
            return theta.clone()
        lattice = self._lattice(theta, kept)
        mu, values = self._solve(lattice)
        mu = torch.where(self._valid(lattice, values).unsqueeze(-1), mu, _NOT_A_NUMBER)
        return mu if self.gibbs else _constant(mu, theta)

    def _value(self, lattice: _chain_tensors.Lattice) -> Tensor:
        return _chain_tensors.log_partition(lattice) if self.gibbs else _chain_tensors.best(lattice)[1]

    def conjugate(self, theta: Tensor, kept: Optional[Tensor]) -> Tensor:
        lattice = self._lattice(theta, kept)
        values = self._value(lattice)
        return torch.where(self._valid(lattice, values), values, _NOT_A_NUMBER)

    def loss(self, theta: Tensor, y: Tensor, kept: Optional[Tensor], sloped: bool) -> tuple[Tensor, ...]:
        if self.layout.is_empty(theta):
            return theta.sum(-1), theta.clone()
        lattice = self._lattice(theta, kept)
        steps = self.layout.steps_of(lattice, y)
        barred = steps < FORBIDDEN  # y uses what is forbidden
        # From the scores of y on, the log-partition is the loss: no difference of large numbers.
        lattice = lattice._replace(nodes=lattice.nodes - steps.masked_fill(barred, 0).unsqueeze(-1))
        mu, losses = self._solve(lattice) if sloped else (None, self._value(lattice))
        valid = self._valid(lattice, losses)
        if isinstance(self.layout, ChainLayout):
            valid = valid & _whole(y)  # only sequences have scores by steps
        elif self.gibbs:
            losses = losses + self.layout.negentropy(y)
        losses = torch.where(valid, _not_negative(losses).masked_fill(barred.any(1), float("inf")), _NOT_A_NUMBER)
        return (losses,) if mu is None else (losses, torch.where(valid.unsqueeze(-1), mu - y, _NOT_A_NUMBER))


def band_of(m: int, n: int, band: int, device: torch.device) -> Tensor:
    """The cells [m, n] that alignments within a band may use."""
    rows, columns = torch.arange(m, device=device)[:, None], torch.arange(n, device=device)
    return (rows * (n - 1) - columns * (m - 1)).abs() <= band * (max(m, n) - 1)


class _Alignments:
    """Monotone alignments of [m, n] cells; the Gibbs distribution, or the best ones."""

    def __init__(self, m: int, n: int, band: int, gibbs: bool):
        self.shape, self.band, self.gibbs = (m, n), band, gibbs

    def _solve(self, theta: Tensor, kept: Optional[Tensor]) -> tuple[_alignment_tensors.Aligned, Tensor]:
        scores, ends = theta.unflatten(-1, self.shape), None
        if self.band:
            scores = scores.masked_fill(~band_of(*self.shape, self.band, theta.device), -float("inf"))
        if kept is not None:
            kept = kept.unflatten(-1, self.shape)
            scores = scores.masked_fill(~kept, -float("inf"))
            later = torch.nn.functional.pad(kept, (0, 1, 0, 1))
            ends = kept & ~later[:, 1:, :-1] & ~later[:, :-1, 1:]
        aligned = _alignment_tensors.reach(scores, float(self.gibbs), ends)
        valid = _is_score(aligned.value)
        return aligned, valid if kept is None else valid & kept[:, 0, 0]

    def predict(self, theta: Tensor, kept: Optional[Tensor]) -> Tensor:
        aligned, valid = self._solve(theta, kept)
        mu = torch.where(valid.unsqueeze(-1), _alignment_tensors.expected(aligned).flatten(1), _NOT_A_NUMBER)
        return mu if self.gibbs else _constant(mu, theta)

    def conjugate(self, theta: Tensor, kept: Optional[Tensor]) -> Tensor:
        aligned, valid = self._solve(theta, kept)
        return torch.where(valid, aligned.value, _NOT_A_NUMBER)

    def loss(self, theta: Tensor, y: Tensor, kept: Optional[Tensor], sloped: bool) -> tuple[Tensor, ...]:
        aligned, valid = self._solve(theta, kept)
        losses = _not_negative(aligned.value - (finite(theta) * y).masked_fill(y == 0, 0).sum(-1))
        losses = torch.where(losses > -FORBIDDEN, float("inf"), losses)
        if self.gibbs:
            valid = valid & _whole(y)
        losses = torch.where(valid, losses, _NOT_A_NUMBER)
        if not sloped:
            return (losses,)
        mu = _alignment_tensors.expected(aligned).flatten(1)
        return losses, torch.where(valid.unsqueeze(-1), mu - y, _NOT_A_NUMBER)


class _Separable:
    """Ω(μ) = Σ φ(μ), with a prediction of its own."""

    kl = True

    def predict(self, theta: Tensor, kept: Optional[Tensor]) -> Tensor:
        raise NotImplementedError

    def _value(self, mu: Tensor) -> Tensor:
        return torch.xlogy(mu, mu).sum(-1) if self.kl else 0.5 * (mu * mu).sum(-1)

    def conjugate(self, theta: Tensor, kept: Optional[Tensor]) -> Tensor:
        mu = self.predict(theta, kept)
        return (finite(theta) * mu).sum(-1) - self._value(mu)

    def loss(self, theta: Tensor, y: Tensor, kept: Optional[Tensor], sloped: bool) -> tuple[Tensor, ...]:
        change = self.predict(theta, kept) - y
        losses = (finite(theta) * change).sum(-1) + self._value(y) - self._value(change + y)
        return torch.where(losses > -FORBIDDEN, float("inf"), _not_negative(losses)), change


class _Plans(_Separable):
    """Entropic transport plans."""

    def __init__(self, a: tuple, b: tuple):
        self.a, self.b = a, b

    def predict(self, theta: Tensor, kept: Optional[Tensor]) -> Tensor:
        scores = wide(theta).unflatten(-1, (len(self.a), len(self.b)))
        a, b = (torch.tensor(masses, dtype=scores.dtype, device=scores.device).expand(scores.shape[0], -1)
                for masses in (self.a, self.b))
        if kept is not None:
            kept = kept.unflatten(-1, (len(self.a), len(self.b)))
            a, b = a * kept.any(-1), b * kept.any(-2)
            scores = scores.masked_fill(~kept, -float("inf"))
        return entropic_plan(scores, a, b).flatten(1).to(theta.dtype)


class _Rankings(_Separable):
    """Projections onto the permutations of w, which descends."""

    def __init__(self, w: tuple, kl: bool):
        self.w, self.kl = w, kl

    def predict(self, theta: Tensor, kept: Optional[Tensor]) -> Tensor:
        scores, order = _isotonic_tensors.descending(wide(theta))
        w = torch.tensor(self.w, dtype=scores.dtype, device=scores.device).expand_as(scores)
        found = _isotonic_tensors.project(scores, finite(w.log()), True).exp() if self.kl else \
            _isotonic_tensors.project(scores, w, False)
        return _isotonic_tensors.to_places(found, order).to(theta.dtype)


class Plan(NamedTuple):
    """An Ω over structures, t Ω + c, in constants that tracers understand; no name where it has no tensor operations."""

    name: str
    structure: str = ""
    m: int = 0
    n: int = 0
    band: int = 0
    boundary: bool = False
    masses: tuple = ()  # of rows and columns of plans; the weights of rankings
    temperature: float = 1.0
    constant: float = 0.0


_NO_PLAN = Plan("")


@lru_cache(maxsize=1024)
def _found(text: str) -> Plan:
    if text.startswith(_PYTHON):
        return _NO_PLAN
    spec = json.loads(text)
    polytope, name = spec.get("polytope"), spec["name"]
    if not isinstance(polytope, dict) or "cost" in spec:
        return _NO_PLAN
    kind, m, n = polytope["name"], int(polytope.get("m", 0)), int(polytope.get("n", 0))
    masses: tuple = ()
    if name in ("marginal", "map"):
        known = (kind in ("sequence", "chain") and m > 0) or (kind == "alignment" and m > 0 and n > 0)
    elif name == "entropic" and kind in ("birkhoff", "transport"):
        known = kind == "transport" or n > 0
        masses = (tuple(polytope["a"]), tuple(polytope["b"])) if kind == "transport" else ((1.0,) * n,) * 2
    else:
        known = name in ("entropic", "sparsemap") and kind == "permutahedron" and "w" in polytope
        masses = tuple(sorted(polytope["w"], reverse=True)) if known else ()
    return Plan(name, kind, m, n, int(polytope.get("band", 0)), bool(polytope.get("boundary", False)), masses,
                float(spec.get("temperature", 1.0)), float(spec.get("constant", 0.0))) if known else _NO_PLAN


@torch.compiler.assume_constant_result
def plan_of(text: str) -> Plan:
    """The plan of an Ω, from its text."""
    return _found(text)


def _over(plan: Plan) -> Any:
    """What computes an Ω over a set of structures."""
    gibbs = plan.name == "marginal"
    if plan.structure == "sequence":
        return _Paths(SequenceLayout(plan.m), gibbs)
    if plan.structure == "chain":
        return _Paths(ChainLayout(plan.m, plan.boundary), gibbs)
    if plan.structure == "alignment":
        return _Alignments(plan.m, plan.n, plan.band, gibbs)
    if plan.structure == "permutahedron":
        return _Rankings(plan.masses, plan.name == "entropic")
    return _Plans(*plan.masses)


class Tensors(NamedTuple):
    """An Ω over structures in tensor operations: t Ω + c."""

    core: Any
    temperature: float
    constant: float

    def predict(self, theta: Tensor, kept: Optional[Tensor]) -> Tensor:
        """ŷ of each example."""
        return self._rows(self.core.predict, theta, kept)

    def conjugate(self, theta: Tensor, kept: Optional[Tensor]) -> Tensor:
        """Ω* of each example."""
        return self.temperature * self._rows(self.core.conjugate, theta, kept) - self.constant

    def loss(self, theta: Tensor, y: Tensor, kept: Optional[Tensor]) -> tuple[Tensor, Tensor]:
        """L_Ω(θ; y) of each example, and ŷ − y."""
        losses, gradient = self._loss(theta, y, kept, True)
        return self.temperature * losses, gradient.reshape(theta.shape)

    def loss_alone(self, theta: Tensor, y: Tensor, kept: Optional[Tensor]) -> Tensor:
        """L_Ω(θ; y) of each example, which torch differentiates itself."""
        return self.temperature * self._loss(theta, y, kept, False)[0]

    def _loss(self, theta: Tensor, y: Tensor, kept: Optional[Tensor], sloped: bool) -> Any:
        y = y if kept is None else y.masked_fill(~kept, 0)
        targets = y.reshape(-1, theta.shape[-1])
        return self._rows(lambda rows, inside: self.core.loss(rows, targets, inside, sloped), theta, kept)

    def product(self, theta: Tensor, v: Tensor, kept: Optional[Tensor]) -> Tensor:
        """J v, J the symmetric Jacobian of ŷ: differentiable in both."""
        return torch.func.vjp(lambda t: self.predict(t, kept), theta)[1](v)[0]

    def _rows(self, function: Callable, theta: Tensor, kept: Optional[Tensor]) -> Any:
        """A function of scores [batch, entries] on [..., entries]; padding is never read."""
        leading, d = theta.shape[:-1], theta.shape[-1]
        if kept is not None:
            theta, kept = theta.masked_fill(~kept, 0), kept.reshape(-1, d)
        found = function((theta / self.temperature if self.temperature != 1 else theta).reshape(-1, d), kept)
        if isinstance(found, tuple):
            return tuple(one.reshape((*leading, *one.shape[1:])) for one in found)
        return found.reshape((*leading, *found.shape[1:]))


def tensors_of(text: str) -> Optional[Tensors]:
    """The tensor operations of an Ω over structures, from its text; None if it has none."""
    plan = plan_of(text)
    return Tensors(_over(plan), plan.temperature, plan.constant) if plan.name else None


def tangent(function: Callable, x: Tensor, v: Tensor) -> Tensor:
    """J v of a function, by going back twice: torch has no tangents within tangents."""
    back = torch.func.vjp(function, x)[1]
    return torch.func.vjp(lambda u: back(u)[0], torch.zeros_like(v))[1](v)[0]


def differentiable(function: Callable) -> Callable:
    """Marks a function that torch differentiates as it is: an Operator then adds nothing of its own."""
    function.differentiable = True  # type: ignore[attr-defined]
    return function


def vectors_of(structure: str, labels: Tensor, shape: Sequence[int]) -> Optional[Tensor]:
    """Structures in short (docs/python_torch.md) as vectors of the shape of the scores, or None; wrong labels make NaN."""
    if structure not in ("sequence", "birkhoff") or labels.dim() != 2 or labels.shape[1] > shape[1]:
        return None
    labels = torch.nn.functional.pad(labels, (0, shape[1] - labels.shape[1]))
    wrong = ((labels < 0) | (labels >= shape[2])).unsqueeze(-1)
    rows = _chain_tensors.one_hot(labels, shape[2], torch.zeros((), device=labels.device)).masked_fill(wrong, _NOT_A_NUMBER)
    if structure == "birkhoff":
        return rows
    layout = SequenceLayout(shape[2])
    return layout.point(rows, _chain_tensors.moves_between(rows), None).reshape(tuple(shape))


def predict_by_tensors(omega: str) -> Optional[Callable]:
    """ŷ of rows of scores."""
    structures = tensors_of(omega)
    return None if structures is None else differentiable(lambda theta: structures.predict(theta, None))


def conjugate_by_tensors(omega: str) -> Optional[Callable]:
    """Ω* of rows of scores."""
    structures = tensors_of(omega)
    return None if structures is None else differentiable(lambda theta: structures.conjugate(theta, None))


def loss_by_tensors(omega: str) -> Optional[Callable]:
    """L_Ω of rows of scores, and ŷ − y."""
    structures = tensors_of(omega)
    if structures is None:
        return None

    def compute(theta: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        if not y.is_floating_point():
            raise ValueError("y is a label; expected the vector of a structure")
        return structures.loss(theta, y, None)

    def differentiated_by_torch(theta: Tensor, y: Tensor) -> tuple[Tensor]:
        return (structures.loss_alone(theta, y, None),)

    return InTensors(compute, differentiated_by_torch)
