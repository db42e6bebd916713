# SPDX-License-Identifier: Apache-2.0
"""Between tensors and the C++ kernels: which tensors can be read directly, their memory, and how many threads."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

# A team of threads costs some microseconds to start, about what these many entries take.
_ENTRIES_PER_TEAM = 1 << 15

_KEPT = (torch.float32, torch.float64)


def is_plain(*tensors: Tensor) -> bool:
    """Whether tensors may be read here and now. Tracers and transforms get the registered operators instead.

    The operators of torch.library do the same, but cost some 50 µs a call when nothing is traced.
    """
    if torch.compiler.is_compiling():
        return False
    if torch._C._are_functorch_transforms_active() or torch._C._len_torch_dispatch_stack() > 0:
        return False
    for tensor in tensors:
        if not tensor.is_cpu or (type(tensor) is not Tensor and type(tensor) is not torch.nn.Parameter):
            return False
    return True


def under_transform() -> bool:
    """Whether torch.func transforms the call, which the operators of torch.library do not support."""
    return not torch.compiler.is_compiling() and torch._C._are_functorch_transforms_active()


def batched(function: Any, tensors: int) -> Any:
    """The rule of vmap for an operation on rows: the mapped axis goes first and is one more axis of the batch."""

    def rule(info: Any, in_dims: tuple, *inputs: Any) -> tuple:
        moved = [value.unsqueeze(0).expand(info.batch_size, *value.shape) if axis is None else value.movedim(axis, 0)
                 for value, axis in zip(inputs[:tensors], in_dims)]
        result = function(*moved, *inputs[tensors:])
        return result, tuple(0 for _ in result) if isinstance(result, tuple) else 0

    return staticmethod(rule)


def fast_apply(function: Any) -> Any:
    """`function.apply` without its look for transforms of torch.func, which costs more than all the rest."""
    return super(torch.autograd.Function, function).apply


def memory(tensor: Tensor) -> np.ndarray:
    """A tensor's entries as a C-contiguous array, without a copy where it is one already."""
    if tensor.is_cpu and tensor.is_contiguous() and not tensor.is_neg():
        return tensor.detach().numpy()
    return tensor.detach().cpu().contiguous().resolve_neg().numpy()


def directly(tensor: Tensor) -> bool:
    """Whether C++ may read the tensor by its address: less than making an array of it costs."""
    return tensor.is_cpu and tensor.is_contiguous() and tensor.numel() > 0 and not tensor.is_neg()


def labels_memory(labels: Tensor) -> np.ndarray:
    """Labels as an array of int64."""
    return memory(labels if labels.dtype == torch.int64 else labels.to(torch.int64))


def tensor_of(array: np.ndarray, like: Tensor) -> Tensor:
    """An array that C++ made as a tensor on the device of another one."""
    made = torch.from_numpy(array)
    return made if like.is_cpu else made.to(like.device)


def threads_for(tensor: Tensor) -> int:
    """One thread for little work, else as many as torch uses; results have the same bits."""
    return 1 if tensor.numel() < _ENTRIES_PER_TEAM else torch.get_num_threads()


def check_scores(theta: Tensor, dim: int, name: str = "theta") -> None:
    """A floating-point tensor that has the axis `dim`."""
    if not isinstance(theta, Tensor):
        raise TypeError(f"{name} is {type(theta).__name__}; expected a tensor")
    if not theta.is_floating_point():
        raise TypeError(f"{name} has dtype {theta.dtype}; expected real numbers")
    axes = theta.dim()
    if axes == 0:
        raise ValueError(f"{name} is a single number; expected at least one axis")
    if not isinstance(dim, int) and not hasattr(dim, "__index__"):
        raise TypeError(f"dim is {dim!r}; expected a whole number, the axis of the scores")
    if not -axes <= dim < axes:
        raise ValueError(f"dim is {dim}; {name} has {axes} axes")


def widened(theta: Tensor) -> Tensor:
    """float32 and float64 as they are, half precision in float32."""
    return theta if theta.dtype in _KEPT else theta.to(torch.float32)


def whole_number(size: int) -> int:
    """A size as a number: tracers turn sizes that change into symbols, and counting a range makes them say."""
    return len(list(range(size))) if torch.compiler.is_compiling() else size


def is_natural(theta: Tensor, shape: tuple[int, ...], dim: int) -> bool:
    """Whether the scores of structures fill the last axes with their natural shape."""
    if not shape or not isinstance(theta, Tensor) or dim not in (-1, theta.dim() - 1):
        return False
    return tuple(theta.shape[-len(shape):]) == shape and theta.shape[-1] != math.prod(shape)


def scores_last(theta: Tensor, dim: int, name: str = "theta") -> Tensor:
    """The scores as the operators take them: along the last axis, in float32 or float64."""
    check_scores(theta, dim, name)
    if dim != -1 and dim != theta.dim() - 1:
        theta = theta.movedim(dim, -1)
    return widened(theta)


def back(result: Tensor, theta: Tensor, dim: int) -> Tensor:
    """A result in the type of the scores and with their axis in its place."""
    if result.dtype != theta.dtype:
        result = result.to(theta.dtype)
    return result if dim == -1 or dim == theta.dim() - 1 else result.movedim(-1, dim)


def full_mask(theta: Tensor, mask: Tensor) -> Tensor:
    """A mask with the shape of the scores."""
    if mask.dtype != torch.bool:
        raise TypeError(f"mask has dtype {mask.dtype}; expected torch.bool, true where an entry may have mass")
    try:
        return mask.expand(theta.shape)
    except RuntimeError:
        raise ValueError(f"mask has shape {tuple(mask.shape)}; expected one that expands to that of theta, "
                         f"{tuple(theta.shape)}") from None


def masked(theta: Tensor, mask: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """θ with −inf where `mask` is false, and which rows have nothing left (their scores are 0)."""
    check_scores(theta, dim)
    mask = full_mask(theta, mask)
    nothing = ~mask.any(dim=dim, keepdim=True)
    return theta.masked_fill(nothing, 0).masked_fill(~mask & ~nothing, -float("inf")), nothing
