# SPDX-License-Identifier: Apache-2.0
"""entmax_attention: attention whose weights are entmax, so that whole blocks of keys are skipped."""
from __future__ import annotations

import math
from typing import Optional

import torch
from torch import Tensor

from ._adasplash import adasplash_attention
from ._attention import EntmaxAttention, Setting
from ._launch import check_tensor, kind_of

__all__ = ["entmax_attention"]

_IMPLEMENTATIONS = ("fenchel", "adasplash")
_WIDEST = 256


def _check_shapes(query: Tensor, key: Tensor, value: Tensor) -> None:
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        check_tensor(name, tensor)
        if tensor.dim() != 4:
            raise ValueError(f"{name} has shape {tuple(tensor.shape)}; expected [batch, heads, n, d]")
        if tensor.dtype != query.dtype or tensor.device != query.device:
            raise ValueError(f"{name} is {tensor.dtype} on {tensor.device}; expected {query.dtype} on {query.device}, as query")
        if not 0 < tensor.shape[-1] <= _WIDEST:
            raise ValueError(f"{name} has shape {tuple(tensor.shape)}; expected a last axis from 1 to {_WIDEST}")
    batch, heads, _, width = query.shape
    if key.shape[0] != batch or key.shape[3] != width or key.shape[1] == 0 or heads % key.shape[1] != 0:
        raise ValueError(f"key has shape {tuple(key.shape)}; expected [{batch}, heads, n, {width}] whose heads divide {heads}")
    if value.shape[:3] != key.shape[:3]:
        raise ValueError(f"value has shape {tuple(value.shape)}; expected {tuple(key.shape[:3])} and a width, as key")


def _allowed(key_mask: Optional[Tensor], key: Tensor) -> Optional[Tensor]:
    if key_mask is None:
        return None
    expected = (key.shape[0], key.shape[2])
    if not isinstance(key_mask, Tensor) or key_mask.dtype != torch.bool:
        raise TypeError(f"key_mask is {key_mask.dtype if isinstance(key_mask, Tensor) else type(key_mask).__name__}; expected a "
                        "tensor of bool, true where a key may be seen")
    if tuple(key_mask.shape) != expected:
        raise ValueError(f"key_mask has shape {tuple(key_mask.shape)}; expected {expected}, [batch, keys]")
    return key_mask.to(key.device).contiguous().view(torch.uint8)


def entmax_attention(query: Tensor, key: Tensor, value: Tensor, alpha: float = 1.5, *, causal: bool = False,
                     key_mask: Optional[Tensor] = None, scale: Optional[float] = None, implementation: str = "fenchel") -> Tensor:
    """entmax(scale · Q Kᵀ, α) V without the matrix of weights: blocks of keys that get no mass are skipped, forward and backward.

    Memory is that of the results, 3 numbers for each query, with gradients one more array like the result, and two bytes for
    each pair of a block of queries and one of keys. All scores are computed twice, to find the blocks; the rest of the work is
    proportional to the blocks with mass.

    Parameters
    ----------
    query : Tensor [batch, heads, n, d]
        float32, float16 or bfloat16, on a GPU; any strides. d is at most 256.
    key : Tensor [batch, key heads, m, d]
        Of the type of query. The number of its heads divides that of query: each serves as many that follow each other.
    value : Tensor [batch, key heads, m, e]
        Of the type of query; e is at most 256.
    alpha : float
        From 1 to 2; 1 is softmax, of which no block is skipped.
    causal : bool
        Query i sees keys up to i + m − n: the last query sees all, as in generation with a cache.
    key_mask : Tensor of bool [batch, m], optional
        True where a key may be seen. A query that sees none gets 0.
    scale : float, optional
        1/√d unless given.
    implementation : str
        "fenchel", or "adasplash" for the attention of that package where it is installed: on CUDA alone, with its own
        tolerance, for 1 < α ≤ 2, n = m ≥ 1, d = e in 16, 32, 64, 128, 256, the default scale, and masks with padding at the end
        (to look at a mask waits for the device). It is 0 for queries in the padding too.

    Returns
    -------
    Tensor [batch, heads, n, e]
        Of the type of query, with first derivatives. NaN for queries with a score of NaN or +inf.

    Raises
    ------
    TypeError
        For float64 and other types, and for an alpha that is a tensor.
    ValueError
        For shapes that do not fit, and for what the implementation cannot do.
    ImportError
        For an implementation that is not installed.

    Examples
    --------
    >>> import torch, fenchel.triton
    >>> query, key, value = torch.eye(2)[None, None] * 3, torch.eye(2)[None, None], torch.tensor([[[[1.0], [5.0]]]])
    >>> fenchel.triton.entmax_attention(query, key, value, alpha=2.0).flatten().tolist()
    [1.0, 5.0]

    See Also
    --------
    entmax, fenchel.torch.entmax
    """
    if implementation not in _IMPLEMENTATIONS:
        raise ValueError(f"implementation is {implementation!r}; expected 'fenchel' or 'adasplash'")
    kind_of(alpha)
    _check_shapes(query, key, value)
    if scale is not None and not math.isfinite(scale):
        raise ValueError(f"scale is {scale!r}; expected a finite number")
    if implementation == "adasplash":
        return adasplash_attention(query, key, value, float(alpha), causal, key_mask, scale)
    allowed = _allowed(key_mask, key)
    if query.numel() == 0 or key.shape[2] == 0:  # also the gradients of nothing are 0
        return query.new_zeros((*query.shape[:3], value.shape[3])) + 0 * (query.sum() + key.sum() + value.sum())
    setting = Setting(float(alpha), bool(causal), 1 / math.sqrt(query.shape[3]) if scale is None else float(scale))
    return EntmaxAttention.apply(query, key, value, allowed, setting)
