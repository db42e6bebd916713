# SPDX-License-Identifier: Apache-2.0
"""Times of the kernels beside torch.softmax, tensor operations and bisection, and the share of the memory's bandwidth."""
from __future__ import annotations

import time
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Sequence, Tuple

import torch
import triton
from torch import Tensor

from .. import torch as ft
from ._checks import dense_attention
from .attention import entmax_attention
from .functional import entmax, entmax_loss

_HALVINGS = 50  # as many as the package entmax takes
_ALPHAS = (1.3, 1.5, 2.0)
_ROUNDS = 5  # on the CPU

Timer = Callable[[Callable[[], Any]], float]


class Sizes(NamedTuple):
    """What is timed: rows × scores, and (heads, queries, width) of attention."""

    rows: Sequence[Tuple[int, int]] = ((4096, 1000), (1024, 32000), (64, 262144))
    attention: Sequence[Tuple[int, int, int]] = ((16, 2048, 64), (16, 8192, 64))


def seconds(call: Callable[[], Any]) -> float:
    """The median time of a call on the device."""
    return triton.testing.do_bench(call, quantiles=[0.5]) / 1e3


def seconds_of_cpu(call: Callable[[], Any]) -> float:
    """The least time of a call, where nothing has to be waited for."""
    best = float("inf")
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def bisection(theta: Tensor, alpha: float) -> Tensor:
    """entmax by halving the interval of the threshold, in tensor operations."""
    a = alpha - 1
    u = theta.float() * a
    low = u.amax(-1, keepdim=True) - 1
    width = 1 - theta.shape[-1] ** -a
    for _ in range(_HALVINGS):
        width /= 2
        middle = low + width
        low = torch.where((u - middle).clamp(min=0).pow(1 / a).sum(-1, keepdim=True) >= 1, middle, low)
    p = (u - low).clamp(min=0).pow(1 / a)
    return (p / p.sum(-1, keepdim=True)).to(theta.dtype)


def bandwidth(device: str, timer: Timer, entries: int = 1 << 27) -> float:
    """Bytes a second of a copy: what is read, and what is written."""
    source = torch.zeros(entries, device=device)
    target = torch.empty_like(source)
    return 2 * source.nbytes / timer(lambda: target.copy_(source))


def _with_backward(call: Callable[[Tensor], Tensor], theta: Tensor) -> Callable[[], Any]:
    def run() -> Any:
        out = call(theta)
        return torch.autograd.grad(out, theta, torch.ones_like(out) if out.dim() == 0 else theta.detach())

    return run


def _by_tensors(theta: Tensor, alpha: float) -> Tensor:
    with ft.backend("tensor", nan="propagate"):
        return ft.entmax(theta, alpha)


def _maps(alpha: float) -> List[Tuple[str, Callable[[Tensor], Tensor]]]:
    return [("torch.softmax", lambda t: t.softmax(-1)), ("fenchel.triton", lambda t: entmax(t, alpha)),
            ("tensor operations", lambda t: _by_tensors(t, alpha)), ("bisection", lambda t: bisection(t, alpha))]


def rows(device: str, timer: Timer, sizes: Sizes, peak: float) -> Iterator[Dict[str, Any]]:
    """Predictions and losses of rows, forward and with backward; GB/s count the scores and the result once each."""
    for count, d in sizes.rows:
        for dtype in (torch.float32, torch.bfloat16):
            scores = torch.randn(count, d, device=device).to(dtype)
            labels = torch.randint(d, (count,), device=device)
            theta = scores.clone().requires_grad_()
            for alpha in _ALPHAS:
                for name, call in _maps(alpha):
                    forward = timer(lambda call=call, scores=scores: call(scores))  # type: ignore[misc]
                    yield {"what": f"prediction {count} × {d}, {dtype}, α = {alpha:g}", "by": name, "forward": forward,
                           "with backward": timer(_with_backward(call, theta)) if name != "bisection" else None,
                           "GB/s": 2 * scores.nbytes / forward / 1e9, "share of copy": 2 * scores.nbytes / forward / peak}
                losses: List[Tuple[str, Callable[[Tensor], Tensor]]] = [
                    ("torch cross_entropy", lambda t, y=labels: torch.nn.functional.cross_entropy(t, y)),  # type: ignore[misc]
                    ("fenchel.triton", lambda t, y=labels, alpha=alpha: entmax_loss(t, y, alpha))]  # type: ignore[misc]
                for name, call in losses:
                    forward = timer(lambda call=call, scores=scores: call(scores))  # type: ignore[misc]
                    yield {"what": f"loss {count} × {d}, {dtype}, α = {alpha:g}", "by": name, "forward": forward,
                           "with backward": timer(_with_backward(call, theta)), "GB/s": scores.nbytes / forward / 1e9,
                           "share of copy": scores.nbytes / forward / peak}


def attention(device: str, timer: Timer, sizes: Sizes) -> Iterator[Dict[str, Any]]:
    """Causal attention in bfloat16, whose queries look for few keys."""
    sdpa = torch.nn.functional.scaled_dot_product_attention
    for heads, n, width in sizes.attention:
        query, key, value = (scale * torch.randn(1, heads, n, width, device=device) for scale in (4, 1, 1))
        inputs = [tensor.to(torch.bfloat16).requires_grad_() for tensor in (query, key, value)]
        calls: Dict[str, Callable[[], Tensor]] = {
            "torch scaled_dot_product_attention": lambda inputs=inputs: sdpa(*inputs, is_causal=True),  # type: ignore[misc]
            "fenchel.triton": lambda inputs=inputs: entmax_attention(*inputs, alpha=1.5, causal=True)}  # type: ignore[misc]
        if n <= 2048 and device != "cpu":
            def dense(inputs: List[Tensor] = inputs) -> Tensor:
                with ft.backend("tensor", nan="propagate"):
                    return dense_attention(inputs[0], inputs[1], inputs[2], 1.5, False, None)

            calls["dense, in tensor operations, not causal"] = dense
        for name, call in calls.items():
            forward = timer(lambda call=call: call().detach())  # type: ignore[misc]
            both = timer(lambda call=call, inputs=inputs: torch.autograd.grad(call().sum(), inputs))  # type: ignore[misc]
            yield {"what": f"attention, {heads} heads, {n} × {width}", "by": name, "forward": forward, "with backward": both,
                   "GB/s": None, "share of copy": None}


def everything(device: str, timer: Timer = seconds, sizes: Sizes = Sizes(), entries: int = 1 << 27) -> Iterator[Dict[str, Any]]:
    """All times, in seconds."""
    peak = bandwidth(device, timer, entries)
    nothing = {"forward": None, "with backward": None}
    yield {"what": "copy of memory", "by": "torch", **nothing, "GB/s": peak / 1e9, "share of copy": 1.0}
    yield from rows(device, timer, sizes, peak)
    yield from attention(device, timer, sizes)
