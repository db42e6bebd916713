# SPDX-License-Identifier: Apache-2.0
"""Which code computes: the C++ core on the CPU, or tensor operations wherever the tensors live."""
from __future__ import annotations

import importlib
import warnings
from contextlib import nullcontext
from typing import Any, ContextManager

import torch
from torch import Tensor

from ._tensors import without_rules

__all__ = ["backend"]

_NAMES = ("auto", "core", "tensor", "triton")
_NAN = ("raise", "propagate")

# Plain values that torch.compile can read and guard.
_chosen = "auto"
_nan = "raise"
_interpreted = False  # whether Triton's kernels run on the CPU


class backend:
    """Chooses which code computes predictions and losses, from here on or within a `with` block.

    - "auto": the C++ core for tensors on the CPU; tensor operations wherever an Ω has them for tensors of other devices,
      of the device "meta" and without entries, while torch.export or torch.jit.trace record, for tangents of tangents
      and for torch.func within torch.compile; else the core, on a copy, which is said once.
    - "core": the C++ core, always. Tensors of other devices are brought to the CPU, their results sent back.
    - "tensor": tensor operations wherever an Ω has them: no sort, no copy to the host, a fixed number of steps.
    - "triton": as "auto", but the kernels of fenchel.triton compute α-entmax (1 ≤ α ≤ 2, one number) of tensors of GPUs in
      single and half precision, its Jacobian products and the predictions of its losses, where nothing is recorded.

    What has tensor operations: the Tsallis family (softmax, sparsemax, argmax, entmax of any α > 0, one for all or one
    for each row), norms, squared norms, budgets, sigmoid, sparse_sigmoid, tsallis_sigmoid, relu, poisson and squared, with
    temperatures, constants and costs, and their losses. The choice holds for all threads.

    Parameters
    ----------
    name : str
        "auto", "core", "tensor" or "triton".
    nan : str
        What becomes of scores without a prediction (NaN, +inf, a row of −inf alone): "raise" is an error on the CPU;
        "propagate" makes the row's results NaN, so that a step that overflowed can be skipped. Scores of float16, whose
        overflow is what gradient scaling skips, other devices and compiled code always do that.

    Examples
    --------
    >>> import torch, fenchel.torch as ft
    >>> theta = torch.tensor([1.6, 1.1, 0.4], dtype=torch.float64)
    >>> with ft.backend("tensor"):
    ...     p = ft.entmax15(theta)
    >>> bool(torch.allclose(p, ft.entmax15(theta), atol=1e-14))
    True
    >>> with ft.backend("auto", nan="propagate"):
    ...     ft.sparsemax(torch.tensor([[0.0, 1.0], [0.0, float("nan")]])).tolist()
    [[0.0, 1.0], [nan, nan]]

    See Also
    --------
    predict, loss
    """

    def __init__(self, name: str = "auto", *, nan: str = "raise"):
        global _chosen, _nan, _interpreted
        if name not in _NAMES:
            raise ValueError(f"name is {name!r}; expected 'auto', 'core', 'tensor' or 'triton'")
        if nan not in _NAN:
            raise ValueError(f"nan is {nan!r}; expected 'raise' or 'propagate'")
        if name == "triton":
            importlib.import_module("fenchel.triton")  # which says what is missing
            _interpreted = importlib.import_module("fenchel.triton._launch").interpreted()
        self.name, self.nan = name, nan
        self._before = (_chosen, _nan)
        _chosen, _nan = name, nan

    def __enter__(self) -> backend:
        return self

    def __exit__(self, *_: Any) -> None:
        global _chosen, _nan
        _chosen, _nan = self._before

    def __repr__(self) -> str:
        return f"backend({self.name!r}, nan={self.nan!r})"


def tensors_wanted(*tensors: Tensor) -> bool:
    """Whether tensor operations should compute, where there are some, what the core cannot read as it is."""
    if _chosen in ("core", "tensor"):
        return _chosen == "tensor"
    if torch.compiler.is_exporting() or without_rules():
        return True
    if not torch.compiler.is_compiling() and (torch._C._is_tracing() or fake_mode_active()):
        return True
    for tensor in tensors:
        if not tensor.is_cpu:
            return True
    return False


def fake_mode_active() -> bool:
    """Whether tensors are made that have no entries."""
    return torch._C._get_dispatch_mode(torch._C._TorchDispatchModeKey.FAKE) is not None


def forced() -> bool:
    """Whether tensor operations should compute even what the core could read; kernels do in Triton's interpreter."""
    return _chosen == "tensor" or (_chosen == "triton" and _interpreted)


def nan_propagates() -> bool:
    """Whether scores without a prediction make results NaN on the CPU too."""
    return _nan == "propagate"


def may_overflow(theta: Any) -> bool:
    """Whether scores are of float16, whose overflow gradient scaling skips, and an error has to be turned off for that."""
    return isinstance(theta, Tensor) and theta.dtype is torch.float16 and _nan == "raise" and not torch.compiler.is_compiling()


def overflow_propagates(scores: Any) -> ContextManager:
    """Within it, scores of float16 that overflowed are no error, and none of other devices."""
    elsewhere = not scores.is_cpu and _nan == "raise" and not torch.compiler.is_compiling()
    return backend(_chosen, nan="propagate") if elsewhere or may_overflow(scores) else nullcontext()


def chosen() -> str:
    """The name of the choice."""
    return _chosen


_said: set[str] = set()


def say_once(kind: str, text: str) -> None:
    """A warning that is given once in a process for each kind."""
    if kind not in _said:
        _said.add(kind)
        warnings.warn(text, stacklevel=2)


def say_that_it_copies(kind: str, device: torch.device) -> None:
    """Warns that tensors go through the CPU, once for each kind of operation."""
    if not torch.compiler.is_compiling():
        say_once(kind, f"{kind} has no tensor operations: its tensors are copied from {device} to the CPU, its results "
                       "back, once in each call")
