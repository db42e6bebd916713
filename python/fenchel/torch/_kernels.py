# SPDX-License-Identifier: Apache-2.0
"""The kernels of fenchel.triton in the place of tensor operations, where fenchel.torch.backend("triton") asks for them."""
from __future__ import annotations

import sys
from typing import Any, Callable, Optional

import torch
from torch import Tensor

from ._backend import chosen
from ._tensors import is_traced, transformed

_LEAST = 1e-4  # of α − 1 > 0, for which there are kernels


def _usable(theta: Tensor, order: float) -> Any:
    """What computes α-entmax of these scores, order = α − 1; None where kernels cannot."""
    if is_traced() or transformed() or type(theta) is not Tensor or theta.dtype is not torch.float32:
        return None
    kernels = sys.modules["fenchel.triton"]
    if not (order == 0 or _LEAST <= order <= 1) or not (theta.is_cuda or kernels._launch.interpreted()):
        return None
    return kernels._rows


def by_kernels(order: float, function: Callable, *rows: Tensor) -> Optional[Tensor]:
    """function(kernels, *matrices, α) for rows [..., d]; None if tensor operations have to compute."""
    if chosen() != "triton":
        return None
    kernels = _usable(rows[0].detach(), order)
    if kernels is None or rows[0].numel() == 0:
        return None
    return function(kernels, *(kernels.matrix(one.detach()) for one in rows), 1 + order).reshape(rows[0].shape)
