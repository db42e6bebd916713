# SPDX-License-Identifier: Apache-2.0
"""The kernels of attention, launched on [batch, heads, n, d], with first derivatives."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional, Tuple

import torch
import triton
from torch import Tensor

from ._attention_backward_kernels import key_gradients, query_gradients
from ._attention_kernels import attend, bounds, occupied
from ._launch import kind_of, on_device


class Setting(NamedTuple):
    """What does not change between forward and backward."""

    alpha: float
    causal: bool
    scale: float


_HIP = torch.version.hip is not None


def tiles(dtype: torch.dtype, width: int, hip: bool = _HIP) -> dict:
    """Queries and keys of a block and warps, with which hardly a register is spilled (_compilation.py looks)."""
    wide = dtype == torch.float32
    if width > 128:
        queries, keys = (16, 16) if wide else (32, 32)
    elif width > 64:
        queries, keys = (16, 32) if wide else (64, 32)
    else:
        queries, keys = (32, 32) if wide else (64, 32)
    few = hip or (width <= 64 and not wide)
    return {"QUERIES": queries, "KEYS": keys, "num_warps": 4 if few else 8, "num_stages": 1}


def for_keys(options: dict, hip: bool = _HIP) -> dict:
    """The same for the gradients of keys and values, which need more registers."""
    return {**options, "num_warps": 4 if hip else 8}


def _size(width: int) -> int:
    return max(triton.next_power_of_2(width), 16)


def _strides(tensor: Tensor) -> tuple:
    return tuple(tensor.stride()[:3])


def _last_contiguous(tensor: Tensor) -> Tensor:
    return tensor if tensor.stride(-1) == 1 or tensor.shape[-1] == 1 else tensor.contiguous()


class Shared(NamedTuple):
    """Arguments of all kernels of one call."""

    kind: int
    numbers: tuple  # heads … a, as the kernels take them
    options: dict
    query_programs: int
    key_programs: int
    marks: Tuple[int, int, int]


def shared_of(query: Tensor, key: Tensor, value: Tensor, allowed: Optional[Tensor], setting: Setting) -> Shared:
    kind, a = kind_of(setting.alpha)
    batch, heads, queries, width = query.shape
    keys, v_width = key.shape[2], value.shape[3]
    options = {"CAUSAL": setting.causal, "MASKED": allowed is not None, "WIDTH": width, "SIZE": _size(width),
               "V_WIDTH": v_width, "V_SIZE": _size(v_width), **tiles(query.dtype, max(width, v_width))}
    query_blocks, key_blocks = triton.cdiv(queries, options["QUERIES"]), triton.cdiv(keys, options["KEYS"])
    numbers = (heads, heads // key.shape[1], queries, keys, batch * heads * queries, keys - queries, setting.scale, a)
    return Shared(kind, numbers, options, batch * heads * query_blocks, batch * key.shape[1] * key_blocks,
                  (batch * heads, query_blocks, key_blocks))


def forward(query: Tensor, key: Tensor, value: Tensor, allowed: Optional[Tensor], setting: Setting,
            gradient: bool) -> Tuple[Tensor, Tensor, Optional[Tensor], Tensor]:
    """Results, the state of every query, the means of values weighted by p^{1−a}, and which pairs of blocks have mass."""
    shared = shared_of(query, key, value, allowed, setting)
    batch, heads, queries, _ = query.shape
    without_values = {name: option for name, option in shared.options.items() if not name.startswith("V_")}
    state = query.new_empty((3, batch * heads * queries), dtype=torch.float32)
    marks, mass = (query.new_zeros(shared.marks, dtype=torch.int8) for _ in range(2))
    out = query.new_empty((*query.shape[:3], value.shape[3]))
    means = out.new_empty(out.shape, dtype=torch.float32) if gradient else None
    mask = query if allowed is None else allowed
    grid, strides = (shared.query_programs,), (_strides(query), _strides(key))
    with on_device(query):
        bounds[grid](shared.kind, query, key, mask, state, *strides, *shared.numbers, **without_values)
        occupied[grid](shared.kind, query, key, mask, state, marks, *strides, *shared.numbers, **without_values)
        attend[grid](shared.kind, query, key, value, mask, state, marks, out, out if means is None else means, mass,
                     *strides, _strides(value), *shared.numbers, GRADIENT=gradient, **shared.options)
    return out, state, means, mass


class EntmaxAttention(torch.autograd.Function):
    """Attention of every query of [batch, heads, n, d]."""

    @staticmethod
    def forward(ctx: Any, query: Tensor, key: Tensor, value: Tensor, allowed: Optional[Tensor], setting: Setting) -> Tensor:
        query, key, value = (_last_contiguous(tensor.detach()) for tensor in (query, key, value))
        out, state, means, mass = forward(query, key, value, allowed, setting, any(ctx.needs_input_grad[:3]))
        ctx.save_for_backward(query, key, value, allowed, state, means, mass)
        ctx.setting = setting
        return out

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        if torch.is_grad_enabled():
            raise RuntimeError("second derivatives of entmax_attention are not available; use dense weights, by entmax")
        query, key, value, allowed, state, means, mass = ctx.saved_tensors
        shared = shared_of(query, key, value, allowed, ctx.setting)
        g = _last_contiguous(g)
        delta = (g.float() * means).sum(-1)
        of_query, of_key, of_value = (torch.empty_like(tensor, memory_format=torch.contiguous_format)
                                      for tensor in (query, key, value))
        mask = query if allowed is None else allowed
        tensors = (query, key, value, mask, state, delta, mass, g)
        rest = (*(_strides(tensor) for tensor in (query, key, value, g)), *shared.numbers)
        with on_device(query):
            query_gradients[(shared.query_programs,)](shared.kind, *tensors, of_query, *rest, **shared.options)
            key_gradients[(shared.key_programs,)](shared.kind, *tensors, of_key, of_value, *rest, **for_keys(shared.options))
        return of_query, of_key, of_value, None, None
