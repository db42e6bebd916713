# SPDX-License-Identifier: Apache-2.0
"""What launching kernels shares: which tensors they take, the formula of an α, the sizes of tiles, the device."""
from __future__ import annotations

import contextlib
import math
from typing import Any, Tuple

import torch
import triton
from torch import Tensor

from ._brackets import ENTMAX15, GENERAL, INTERPRETED, SOFTMAX, SPARSEMAX

_TYPES = (torch.float32, torch.float16, torch.bfloat16)
_LEAST_GENERAL = 1e-4  # of α − 1: below, 1/a enlarges the rounding of 1 + a x beyond that of e^x

LONGEST_TILE = 8192  # scores of a row that stay in registers
BLOCK = 2048  # of rows that do not
_TILE_OF_ROWS = 1024  # short rows share a program up to this many scores


def interpreted() -> bool:
    """Whether kernels are run by Triton's interpreter, on the CPU."""
    return INTERPRETED.value


def check_tensor(name: str, tensor: Any) -> Tensor:
    """A tensor of a type and on a device that the kernels can read."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"{name} is {type(tensor).__name__}; expected a tensor")
    if tensor.dtype not in _TYPES:
        raise TypeError(f"{name} has dtype {tensor.dtype}; expected float32, float16 or bfloat16")
    if tensor.is_cpu and not interpreted():
        raise ValueError(f"{name} is on the CPU; expected a tensor on a GPU. On the CPU kernels run in Triton's interpreter "
                         "alone, slowly, for tests: set TRITON_INTERPRET=1 before this package is imported")
    return tensor


def kind_of(alpha: Any) -> Tuple[int, float]:
    """The formula of an α and a = α − 1."""
    if isinstance(alpha, Tensor):
        raise TypeError("alpha is a tensor; expected a number from 1 to 2. "
                        "Tensors, also learned ones, are for fenchel.torch.entmax")
    value = float(alpha)
    if not (1 <= value <= 2 and math.isfinite(value)):
        raise ValueError(f"alpha is {alpha!r}; expected a number from 1 to 2")
    a = value - 1
    special = {0.0: SOFTMAX, 0.5: ENTMAX15, 1.0: SPARSEMAX}
    if a in special:
        return special[a].value, a
    if a < _LEAST_GENERAL:
        raise ValueError(f"alpha is {alpha!r}; expected 1 or at least {1 + _LEAST_GENERAL}: between them single precision is "
                         "not enough")
    return GENERAL.value, a


def on_device(tensor: Tensor) -> Any:
    """The tensor's device as the current one, which is where Triton launches."""
    if tensor.is_cpu:
        return contextlib.nullcontext()
    return torch.get_device_module(tensor.device).device(tensor.device)


def tile_of(columns: int) -> dict:
    """How many rows a program takes, and their power of two of columns."""
    tile = max(triton.next_power_of_2(columns), 16)
    rows = max(_TILE_OF_ROWS // tile, 1)
    return {"ROWS": rows, "TILE": tile, "num_warps": min(max(rows * tile // 512, 1), 16)}


def block_of() -> dict:
    """The blocks of a long row."""
    return {"BLOCK": BLOCK, "num_warps": min(max(BLOCK // 128, 1), 16)}
