# SPDX-License-Identifier: Apache-2.0
"""The attention of the package adasplash (0.2) behind the arguments of entmax_attention; what it cannot do is refused here."""
from __future__ import annotations

import importlib
import math
from typing import Any, Optional

import torch
from torch import Tensor

_WIDTHS = (16, 32, 64, 128, 256)


def _package() -> Any:
    try:
        return importlib.import_module("adasplash")
    except ImportError as error:
        raise ImportError("implementation is 'adasplash', which is not installed: pip install adasplash",
                          name="adasplash") from error


def _lengths(key_mask: Tensor) -> Tensor:
    """How many keys of each example may be seen, if the others come after them."""
    lengths = key_mask.sum(-1)
    first = torch.arange(key_mask.shape[1], device=key_mask.device) < lengths[:, None]
    if not bool((key_mask == first).all()):
        raise ValueError("key_mask has padding that is not at the end; expected it at the end with implementation 'adasplash'")
    return lengths.to(torch.int32)


def adasplash_attention(query: Tensor, key: Tensor, value: Tensor, alpha: float, causal: bool, key_mask: Optional[Tensor],
                        scale: Optional[float]) -> Tensor:
    """The result of adasplash.adasplash, which has shapes [batch, heads, n, d] too and the scale 1/√d."""
    package = _package()
    width, size = query.shape[3], query.shape[2]
    newest = alpha == 1.5 and causal  # the only case in which it shares heads of keys
    expected = [(alpha > 1, f"alpha is {alpha}", "more than 1"),
                (width in _WIDTHS, f"query has width {width}", f"one of {_WIDTHS}"),
                (key.shape[2] == size, f"key has {key.shape[2]} places", f"{size}, as query"),
                (value.shape[3] == width, f"value has width {value.shape[3]}", f"{width}, as query"),
                (newest or key.shape[1] == query.shape[1], f"key has {key.shape[1]} heads", f"{query.shape[1]}, as query"),
                (scale is None or math.isclose(scale, 1 / math.sqrt(width)), f"scale is {scale}", "1/√d"),
                (query.is_cuda, f"query is on {query.device}", "a CUDA device")]
    for holds, found, wanted in expected:
        if not holds:
            raise ValueError(f"{found}; expected {wanted} with implementation 'adasplash'")
    if key_mask is not None:
        lengths = _lengths(key_mask.to(query.device))
    elif size & (size - 1):  # without lengths it takes powers of two alone
        lengths = torch.full((query.shape[0],), size, dtype=torch.int32, device=query.device)
    else:
        lengths = None
    query, key, value = (tensor.contiguous() for tensor in (query, key, value))
    return package.adasplash(query, key, value, alpha=alpha, is_causal=causal, varlen=lengths)
