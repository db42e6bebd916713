# SPDX-License-Identifier: Apache-2.0
"""An operation on tensors in the three ways in which it is called: at once, under torch.func, and by tracers."""
from __future__ import annotations

from typing import Any, Callable, Optional

import torch
from torch import Tensor

from ._tensors import batched, fast_apply, is_plain, under_transform


def like_first(tensor: Tensor, *_: Any) -> Tensor:
    """What tracers see of a result of the shape of the first tensor."""
    return torch.empty_like(tensor, memory_format=torch.contiguous_format)


def one_a_row(tensor: Tensor, *_: Any) -> Tensor:
    """What tracers see of a number for each row of the first tensor."""
    return tensor.new_empty(tensor.shape[:-1])


class Operator:
    """An operation, registered as torch.ops.fenchel.<name>; its tensors come first in the schema.

    `now` computes it, and `fake` has the shapes of its results. `save(ctx, inputs, output)` and `backward(ctx, *gradients)`
    are those of torch.autograd; without them it has no gradients. `rows`: whether each row of the tensors is for itself,
    so that vmap's axis is one more axis of the batch.

    Plain tensors get `now` itself, because the registered operator costs some 50 µs a call when nothing is traced.
    """

    def __init__(self, name: str, schema: str, now: Callable, fake: Callable, *, save: Optional[Callable] = None,
                 backward: Optional[Callable] = None, rows: bool = False):
        registered = torch.library.custom_op(f"fenchel::{name}", now, mutates_args=(), schema=schema)
        registered.register_fake(fake)
        self._tensors = schema.partition("->")[0].count("Tensor")
        self._now = now
        self._function: Any = None
        if backward is not None and save is not None:
            registered.register_autograd(backward, setup_context=save)
            members: dict = {"forward": staticmethod(now), "setup_context": staticmethod(save),
                             "backward": staticmethod(backward)}
            if rows:
                members["vmap"] = batched(self, self._tensors)
            self._function = type(name, (torch.autograd.Function,), members)
            self._apply = fast_apply(self._function)
        self._registered = getattr(torch.ops.fenchel, name)

    def __call__(self, *inputs: Any) -> Any:
        tensors = inputs[:self._tensors]
        if is_plain(*tensors):
            if self._function is not None and torch.is_grad_enabled() and any(one.requires_grad for one in tensors):
                return self._apply(*inputs)
            return self._now(*inputs)
        if under_transform():  # which the registered operators do not support
            return (self._now if self._function is None else self._function.apply)(*inputs)
        return self._registered(*inputs)
