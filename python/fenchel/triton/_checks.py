# SPDX-License-Identifier: Apache-2.0
"""What the kernels give against golden values, the C++ core in double precision and dense attention: on a GPU, or in the
interpreter. `python -m fenchel.triton._checks` prints them as JSON; the doctor runs them.
"""
from __future__ import annotations

import itertools
import json
import math
import pathlib
import sys
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

import torch
from torch import Tensor

from .. import torch as ft
from . import _attention, attention, functional

_GOLDEN = pathlib.Path(__file__).with_name("golden.json")
_ROUNDING = 2e-6  # of results in float32, for inputs of order 1
_STEEP = 5e-5  # of J v where s = p^{2−α} is steep: a p near 0 is rounded, and its power 0.1 is seen
_HALF = {torch.float16: 2e-3, torch.bfloat16: 1.6e-2}
_HARDWARE = 4  # logarithms and exponentials of a GPU are a few units less exact than those of the interpreter


class Check(NamedTuple):
    """The largest error of one comparison, and what it may be."""

    name: str
    error: float
    bound: float

    @property
    def passed(self) -> bool:
        """False for NaN too."""
        return self.error <= self.bound


class Place(NamedTuple):
    """Where checks run."""

    device: str
    sizes: Tuple[int, ...]  # of rows
    contexts: Tuple[Tuple[int, int], ...]  # queries and keys of attention
    slack: float


def place(device: str, interpreted: bool) -> Place:
    """What there is time for: the interpreter takes milliseconds for an operation."""
    if interpreted:
        return Place(device, (1, 17, 300), ((20, 37),), 1)
    return Place(device, (1, 2, 17, 300, 1000, 8192, 8193, 50257, 262144), ((20, 37), (512, 512), (1000, 1300)), _HARDWARE)


def golden_cases() -> List[Dict[str, Any]]:
    """Expected values that were computed elsewhere in higher precision: op, alpha, theta, label or v, expect."""
    return json.loads(_GOLDEN.read_text(encoding="utf-8"))


def _answer(case: Dict[str, Any], device: str) -> Tensor:
    theta = torch.tensor([case["theta"]], device=device).requires_grad_()
    if case["op"] == "predict":
        return functional.entmax(theta, case["alpha"])[0]
    if case["op"] == "jvp":
        return torch.autograd.grad(functional.entmax(theta, case["alpha"]), theta, torch.tensor([case["v"]], device=device))[0][0]
    loss = functional.entmax_loss(theta, torch.tensor([case["label"]], device=device), case["alpha"])
    return loss if case["op"] == "loss" else torch.autograd.grad(loss, theta)[0][0]


def golden(where: Place) -> Iterator[Check]:
    """The golden cases, by what they ask for."""
    worst: Dict[str, float] = {}
    for case in golden_cases():
        expected = torch.tensor(case["expect"], dtype=torch.float64)
        scale = 1 + max(map(abs, case["theta"])) + float(expected.abs().max())
        error = _difference(_answer(case, where.device), expected) / scale
        worst[case["op"]] = max(worst.get(case["op"], 0.0), error)
    for op, error in worst.items():
        yield Check(f"golden values: {op}", error, where.slack * _ROUNDING)


def hard_scores(d: int) -> Tensor:
    """Scores of all scales, ties, and sequences on which Newton's method alone is slow."""
    generator = torch.Generator().manual_seed(d)
    steps = torch.arange(d, dtype=torch.float32)
    parts = [scale * torch.randn(1, d, generator=generator) for scale in (1e-3, 0.1, 1, 4, 30, 1e3)]
    parts += [torch.zeros(1, d), -steps[None] * 0.01, -torch.logspace(-8, 1, d)[None], (steps % 3)[None]]
    return torch.cat(parts)


def _difference(found: Tensor, expected: Tensor) -> float:
    error = float((found.detach().double().cpu() - expected.detach()).abs().max()) if found.numel() else 0.0
    return error if error == error else math.inf


def rows(where: Place, alpha: float, d: int) -> Iterator[Check]:
    """Predictions, J v, losses and their gradients of rows against the core in double precision."""
    scores = hard_scores(d)
    generator = torch.Generator().manual_seed(0)
    v, weights = torch.randn(scores.shape, generator=generator), torch.rand(len(scores), generator=generator)
    labels = torch.randint(d, (len(scores),), generator=generator)
    labels[1] = -100
    theta, exact = scores.to(where.device).requires_grad_(), scores.double().requires_grad_()
    found, expected = functional.entmax(theta, alpha), ft.entmax(exact, alpha)
    name = f"alpha = {alpha:g}, {d} scores"
    yield Check(f"prediction, {name}", _difference(found, expected), where.slack * _ROUNDING)
    # The derivative is a function of p, and where it is discontinuous in θ, p decides.
    wide = found.detach().double().cpu()
    product = ft.jacobians.centred(ft.jacobians.power_on_support(wide, 2 - alpha), v.double())
    yield Check(f"Jacobian product, {name}", _difference(torch.autograd.grad(found, theta, v.to(where.device))[0], product),
                where.slack * _STEEP)
    losses = functional.entmax_loss(theta, labels.to(where.device), alpha, reduction="none")
    truth = ft.entmax_loss(exact, labels, alpha, reduction="none")
    yield Check(f"loss, {name}", _difference(losses / (1 + truth.float().to(where.device)), truth / (1 + truth)),
                where.slack * 2 * _ROUNDING)
    gradient, = torch.autograd.grad(losses, theta, weights.to(where.device))
    yield Check(f"gradient of the loss, {name}", _difference(gradient, torch.autograd.grad(truth, exact, weights.double())[0]),
                where.slack * _ROUNDING)


def half_precision(where: Place, alpha: float) -> Iterator[Check]:
    """float16 and bfloat16 are computed in float32 and rounded."""
    for dtype, bound in _HALF.items():
        scores = hard_scores(17)[:5].to(dtype)
        found = functional.entmax(scores.to(where.device), alpha)
        error = _difference(found, ft.entmax(scores.double(), alpha))
        yield Check(f"prediction of {dtype}, alpha = {alpha:g}", error if found.dtype == dtype else math.inf, bound)


def dense_attention(query: Tensor, key: Tensor, value: Tensor, alpha: float, causal: bool, key_mask: Optional[Tensor]) -> Tensor:
    """The definition, with the matrix of weights."""
    group = query.shape[1] // key.shape[1]
    key, value = (tensor.repeat_interleave(group, 1) for tensor in (key, value))
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    n, m = scores.shape[-2:]
    seen = torch.ones(n, m, dtype=torch.bool, device=query.device).tril(m - n if causal else m).expand(scores.shape)
    if key_mask is not None:
        seen = seen & key_mask[:, None, None, :]
    return ft.entmax(scores, alpha, mask=seen) @ value


def attention_case(where: Place, alpha: float, causal: bool, masked: bool, n: int, m: int, dtype: torch.dtype = torch.float32,
                   width: int = 16) -> Iterator[Check]:
    """Results and gradients of attention against the dense one in double precision."""
    generator = torch.Generator().manual_seed(n + m)
    shapes = ((2, 2, n, width), (2, 1, m, width), (2, 1, m, 5))
    inputs = [scale * torch.randn(shape, generator=generator) for scale, shape in zip((3, 1, 1), shapes)]
    inputs = [tensor.to(dtype) for tensor in inputs]
    g = torch.randn((2, 2, n, 5), generator=generator).to(dtype)
    key_mask = torch.rand(2, m, generator=generator) > 0.3 if masked else None
    ours = [tensor.to(where.device).requires_grad_() for tensor in inputs]
    exact = [tensor.double().requires_grad_() for tensor in inputs]
    there = None if key_mask is None else key_mask.to(where.device)
    found = attention.entmax_attention(ours[0], ours[1], ours[2], alpha, causal=causal, key_mask=there)
    expected = dense_attention(exact[0], exact[1], exact[2], alpha, causal, key_mask)
    bound = _HALF.get(dtype, 10 * _ROUNDING)
    name = f"alpha = {alpha:g}, {n} × {m}{', causal' * causal}{', mask' * masked}, {dtype}"
    yield Check(f"attention, {name}", _difference(found, expected), where.slack * 2 * bound)
    gradients = zip(torch.autograd.grad(found, ours, g.to(where.device)), torch.autograd.grad(expected, exact, g.double()))
    error = max(_difference(one, other) / (1 + float(other.abs().max())) for one, other in gradients)
    yield Check(f"gradients of attention, {name}", error, where.slack * 4 * bound)


def blocks_with_mass(where: Place, n: int, alpha: float = 1.5) -> Tuple[int, int]:
    """Of queries that each look for their own key: pairs of blocks that were not skipped, and all."""
    query = 40 * torch.nn.functional.one_hot(torch.arange(n) * 16 // n, 16).float()[None, None].to(where.device)
    setting = _attention.Setting(alpha, False, 1.0)
    mass = _attention.forward(query, query, query, None, setting, False)[3]
    return int(mass.sum()), mass.numel()


def skipping(where: Place) -> Iterator[Check]:
    """16 groups of keys, of which each query needs one: a sixteenth of the blocks, and those that lie across."""
    tile = _attention.tiles(torch.float32, 16)["KEYS"]
    some, pairs = blocks_with_mass(where, 16 * tile)
    yield Check("blocks of keys that are not skipped", some, pairs // 16)


def everything(where: Place) -> Iterator[Check]:
    """All checks."""
    yield from golden(where)
    for alpha, d in itertools.product((1.0, 1.05, 1.3, 1.5, 1.9, 2.0), where.sizes):
        yield from rows(where, alpha, d)
    for alpha in (1.3, 2.0):
        yield from half_precision(where, alpha)
    for alpha, (n, m) in itertools.product((1.0, 1.3, 1.5), where.contexts):
        yield from attention_case(where, alpha, True, alpha != 1.5, n, m)
    # Of sparsemax the derivative jumps where a weight becomes 0: among many weights, rounding would decide some.
    yield from attention_case(where, 2.0, False, True, *where.contexts[0])
    for dtype in _HALF:
        yield from attention_case(where, 1.5, True, False, *where.contexts[0], dtype=dtype)
    yield from skipping(where)


def rows_of(checks: Iterator[Check]) -> List[Dict[str, Any]]:
    """Checks as JSON has them; an error that is not finite is none of its numbers."""
    return [{"check": one.name, "error": one.error if math.isfinite(one.error) else None, "bound": one.bound,
             "passed": one.passed} for one in checks]


def main() -> int:
    made = rows_of(everything(place("cpu", True)))
    print(json.dumps(made))
    return 0 if all(row["passed"] for row in made) else 1


if __name__ == "__main__":
    sys.exit(main())
