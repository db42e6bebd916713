# SPDX-License-Identifier: Apache-2.0
"""Attention of Hugging Face transformers with weights of any Ω over the simplex.

`register_attention` makes a name that models take for `attn_implementation`, with a mask of its own: a name without one
makes transformers build no masks at all, and a decoder then sees the future. Masks here are never left out, so that the
attention need not guess what is causal.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Optional

import torch
from torch import Tensor, nn

from .attention_weights import AttentionWeights

if TYPE_CHECKING:
    from .._types import OmegaLike

__all__ = ["register_attention"]

#: The module that learned weights are kept in, below a module of attention.
WEIGHTS = "fenchel_weights"
_THEIR_OWN = ("eager", "sdpa", "flash_attention_2", "flash_attention_3", "flash_attention_4", "flex_attention")
_PUNCTUATION = "/:|@"  # by which transformers tells kernels of a repository

#: What was registered, by name.
registered: dict[str, AttentionWeights] = {}
#: Where calls are noted while a model is looked at: modules and their numbers of heads.
callers: Optional[list[tuple[nn.Module, int]]] = None


def register_attention(omega: OmegaLike = "entmax15", *, name: Optional[str] = None,
                       length_scale: Optional[tuple[float, float, float]] = None) -> str:
    """Makes an Ω the attention of Hugging Face transformers, under a name for `attn_implementation`, mask included.

    Models keep their parameters, and change what they compute: pretrained ones have to be fine-tuned. A query that may
    see no key gets zeros. Scores of half precision become weights in float32. Dropout, grouped queries, caps of scores,
    position biases and attention sinks are as in the model's own attention.

    Parameters
    ----------
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    name : str, optional
        What models call it; by default omega, if that is a word such as "softmax", "sparsemax" or "entmax15".
        Registered once more, it means the new Ω from then on.
    length_scale : tuple, optional
        δ, β and γ: scores are multiplied by δ + β (log n)^γ, n the number of keys that a query may see.

    Returns
    -------
    str
        The name.

    Examples
    --------
    >>> import fenchel.torch as ft
    >>> from transformers import AutoModelForCausalLM                                                # doctest: +SKIP
    >>> name = ft.register_attention("entmax15")                                                     # doctest: +SKIP
    >>> model = AutoModelForCausalLM.from_pretrained("my-model", attn_implementation=name)           # doctest: +SKIP
    >>> ft.check_attention(model)                                                                    # doctest: +SKIP
    {'model.layers.0.self_attn': 8, 'model.layers.1.self_attn': 8}

    See Also
    --------
    check_attention, learn_attention, AttentionWeights
    """
    weights = AttentionWeights(omega, length_scale=length_scale)
    if name is None and isinstance(omega, str):
        name = omega
    if not isinstance(name, str) or not name or name in _THEIR_OWN or any(mark in name for mark in _PUNCTUATION):
        raise ValueError(f"name is {name!r}; expected a word that transformers does not use itself, without any "
                         f"of {_PUNCTUATION}")
    attention_interface, mask_interface, sdpa_mask = _interfaces()
    registered[name] = weights

    def attention(module: nn.Module, *arguments: Any, **further: Any) -> tuple[Tensor, Tensor]:
        return attend(getattr(module, WEIGHTS, weights), module, *arguments, **further)

    def mask(*arguments: Any, **further: Any) -> Any:
        return sdpa_mask(*arguments, **{**further, "allow_is_causal_skip": False, "allow_is_bidirectional_skip": False})

    attention_interface.register(name, attention)
    mask_interface.register(name, mask)
    return name


def _interfaces() -> tuple[Any, Any, Callable]:
    """What transformers has for attention and its masks."""
    try:
        from transformers import AttentionInterface, AttentionMaskInterface
        from transformers.masking_utils import sdpa_mask
    except ImportError as error:
        raise ImportError(f"register_attention needs the package transformers, of version 5 or later ({error}); type: "
                          "pip install 'transformers>=5'", name=error.name) from error
    return AttentionInterface, AttentionMaskInterface, sdpa_mask


def attend(weights: nn.Module, module: nn.Module, query: Tensor, key: Tensor, value: Tensor,
           attention_mask: Optional[Tensor] = None, scaling: Optional[float] = None, dropout: float = 0.0,
           is_causal: Optional[bool] = None, softcap: Optional[float] = None, s_aux: Optional[Tensor] = None,
           position_bias: Optional[Tensor] = None, cache: Any = None, **_: Any) -> tuple[Tensor, Tensor]:
    """Attention as transformers calls it: results [batch, queries, heads, width], and the weights."""
    if callers is not None:
        callers.append((module, query.shape[1]))
    if cache is not None:
        raise NotImplementedError("attention with a paged cache (continuous batching) is not available here; expected "
                                  "generate() with another cache")
    groups = query.shape[1] // key.shape[1]
    if groups > 1:
        key, value = key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1)
    scores = query @ key.transpose(2, 3) * (query.shape[-1] ** -0.5 if scaling is None else scaling)
    if softcap is not None:
        scores = softcap * torch.tanh(scores / softcap)
    if position_bias is not None:
        scores = scores + position_bias
    causal = getattr(module, "is_causal", True) if is_causal is None else is_causal
    scores, allowed = _masked(scores, attention_mask, causal, type(module).__name__)
    p = _with_sinks(weights, scores, allowed, s_aux).to(value.dtype)
    p = nn.functional.dropout(p, p=dropout, training=module.training)
    return (p @ value).transpose(1, 2).contiguous(), p


def _masked(scores: Tensor, mask: Optional[Tensor], causal: bool, module: str) -> tuple[Tensor, Optional[Tensor]]:
    """Scores with the bias that a mask of numbers has, and which keys each query may see; None: all."""
    if mask is not None and not mask.is_floating_point():
        return scores, mask.to(torch.bool)
    if mask is not None:  # the model's own, or with position biases: a forbidden key is about the least number
        forbidden = mask <= 0.5 * torch.finfo(mask.dtype).min
        return scores + mask.masked_fill(forbidden, 0), ~forbidden
    queries, keys = scores.shape[-2:]
    if not causal or queries == 1:
        return scores, None
    if queries != keys:
        raise ValueError(f"{module} is causal and came without a mask, for {queries} queries and {keys} keys; which keys "
                         "they may see is not known")
    return scores, torch.ones(queries, keys, dtype=torch.bool, device=scores.device).tril()


def _with_sinks(weights: nn.Module, scores: Tensor, allowed: Optional[Tensor], sinks: Optional[Tensor]) -> Tensor:
    """Weights; where a model has sinks, a score for each head that takes a part of the mass and has no value."""
    if sinks is None:
        return weights(scores, allowed)
    column = sinks.reshape(1, -1, 1, 1).to(scores.dtype).expand(*scores.shape[:-1], 1)
    if allowed is not None:
        allowed = nn.functional.pad(allowed.expand(scores.shape), (0, 1), value=True)
    return weights(torch.cat([scores, column], -1), allowed)[..., :-1]
