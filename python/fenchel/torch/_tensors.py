# SPDX-License-Identifier: Apache-2.0
"""Between tensors and the C++ kernels: which tensors can be read directly, their memory, and how many threads."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch._functorch import eager_transforms
from torch.autograd import forward_ad

# A team of threads costs some microseconds to start, about what these many entries take.
_ENTRIES_PER_TEAM = 1 << 15

_KEPT = (torch.float32, torch.float64)


def is_traced() -> bool:
    """Whether the call is being recorded rather than run."""
    return torch.compiler.is_compiling() or torch._C._len_torch_dispatch_stack() > 0 or torch._C._is_tracing()


def is_plain(*tensors: Tensor) -> bool:
    """Whether tensors may be read here and now. Tracers and transforms get the registered operators instead.

    The operators of torch.library do the same, but cost some 50 µs per call when nothing is traced.
    """
    if is_traced() or torch._C._are_functorch_transforms_active():
        return False
    for tensor in tensors:
        if not tensor.is_cpu or (type(tensor) is not Tensor and type(tensor) is not torch.nn.Parameter):
            return False
    return True


def transformed() -> bool:
    """Whether torch.func transforms the call."""
    return torch._C._are_functorch_transforms_active()


def under_transform() -> bool:
    """Whether torch.func transforms the call, which the operators of torch.library do not support."""
    return not torch.compiler.is_compiling() and transformed()


def without_rules() -> bool:
    """Whether derivatives are taken where torch asks no rules of ours: tangents of tangents, and torch.func while compiling."""
    if torch.compiler.is_compiling():
        return torch._C._are_functorch_transforms_active() or forward_mode()
    return torch._C._are_functorch_transforms_active() and eager_transforms.JVP_NESTING > 1


def forward_mode() -> bool:
    """Whether tensors may carry tangents: within torch.autograd.forward_ad.dual_level or torch.func.jvp."""
    return forward_ad._current_level >= 0


def differentiated(*tensors: Tensor) -> bool:
    """Whether the derivative of what is computed from plain tensors may be asked for, in either direction."""
    return forward_mode() or (torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors))


def graph_wanted() -> bool:
    """Whether derivatives are to be differentiated themselves."""
    return torch.is_grad_enabled() or forward_mode()


def check_no_tangent(name: str, tensor: Any, why: str) -> None:
    """Raises RuntimeError for a tensor with a tangent where it is taken as constant."""
    if forward_mode() and isinstance(tensor, Tensor) and forward_ad.unpack_dual(tensor).tangent is not None:
        raise RuntimeError(f"{name} has a tangent; {why}")


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


def check_dense(name: str, tensor: Tensor) -> None:
    """Raises TypeError for sparse, nested and other tensors whose entries do not lie in one piece of memory."""
    if tensor.is_nested:
        raise TypeError(f"{name} is a nested tensor; expected a dense one, or a list of tensors, as {name}.unbind() makes")
    if tensor.layout is not torch.strided:
        raise TypeError(f"{name} has layout {tensor.layout}; expected a dense tensor, as {name}.to_dense() makes")


def check_storage(name: str, tensor: Tensor) -> None:
    """Raises ValueError unless all entries of a tensor lie in its storage, which somebody may have resized."""
    steps = tensor.storage_offset() + sum((size - 1) * step for size, step in zip(tensor.shape, tensor.stride()))
    held, needed = tensor.untyped_storage().nbytes(), (steps + 1) * tensor.element_size()
    if held < needed and tensor.numel() > 0:
        raise ValueError(f"{name} has shape {tuple(tensor.shape)} and a storage of {held} bytes; expected {needed} or more: "
                         "its storage was resized or freed")


def check_given(name: str, tensor: Tensor) -> None:
    """Raises TypeError or ValueError for a tensor that cannot be read.

    To be called where an operation of torch comes first: it may crash where `memory` and `address` look before.
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"{name} is {type(tensor).__name__}; expected a tensor")
    check_dense(name, tensor)
    if is_plain(tensor):
        check_storage(name, tensor)


def memory(tensor: Tensor) -> np.ndarray:
    """A tensor's entries as a C-contiguous array, without a copy where it is one already."""
    check_dense("a tensor", tensor)
    tensor = tensor.detach().cpu()
    check_storage("a tensor", tensor)
    if tensor.data_ptr() == 0 and tensor._is_zerotensor():  # it stands for zeros, as tangents may do, and has no memory
        tensor = tensor.clone()
    if not tensor.is_contiguous() or tensor.is_neg():
        tensor = tensor.contiguous().resolve_neg()
    return tensor.numpy()


def address(tensor: Tensor) -> int:
    """Where C++ may read a tensor of float32, float64 or int64; 0 unless it is contiguous.

    Less than making an array of it costs.
    """
    if not tensor.is_cpu or not tensor.is_contiguous() or tensor.is_neg():
        return 0
    held, needed = tensor.untyped_storage().nbytes(), tensor.storage_offset() * tensor.element_size() + tensor.nbytes
    return tensor.data_ptr() if needed <= held else 0


def beside(tensor: Tensor, like: Tensor) -> Tensor:
    """A tensor on the device of another one: labels, weights and the like may come from the CPU."""
    return tensor if tensor.device == like.device else tensor.to(like.device)


def labels_memory(labels: Tensor) -> np.ndarray:
    """Labels as an array of int64."""
    return memory(labels if labels.dtype == torch.int64 else labels.to(torch.int64))


def check_labels(labels: Tensor, classes: int, ignore_index: int) -> None:
    """Raises ValueError for a label that stands for no class, by its place. Rows, which are not labels, and traced ones pass."""
    if labels.is_floating_point() or labels.dim() != 1 or not is_plain(labels):
        return
    wrong = ((labels < 0) | (labels >= classes)) & (labels != ignore_index)
    if bool(wrong.any()):
        place = int(wrong.nonzero()[0])
        raise ValueError(f"target[{place}] is {int(labels[place])}; expected a label from 0 to {classes - 1}")


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
    check_dense(name, theta)
    axes = theta.dim()
    if axes == 0:
        raise ValueError(f"{name} is a single number; expected at least one axis")
    if not isinstance(dim, int) and not hasattr(dim, "__index__"):
        raise TypeError(f"dim is {dim!r}; expected a whole number, the axis of the scores")
    if not -axes <= dim < axes:
        raise ValueError(f"dim is {dim}; {name} has {axes} axes")


def by_either_name(there: str, given: Any, here: str, own: Any) -> Any:
    """An argument that the package entmax calls by one name (X, target) and this one by another (theta, y)."""
    if (given is None) == (own is None):
        raise TypeError(f"{'both' if own is not None else 'none'} of {there} and {here} are given; expected one of them")
    return given if own is None else own


def widened(theta: Tensor) -> Tensor:
    """float32 and float64 as they are, half precision in float32."""
    if theta.dtype in _KEPT:
        return theta
    check_given("a tensor", theta)
    return theta.to(torch.float32)


def whole_number(size: int) -> int:
    """A size as a number: tracers turn sizes into symbols or tensors, and counting a range makes them say."""
    return len(list(range(size))) if torch.compiler.is_compiling() else int(size)


def is_natural(theta: Tensor, shape: tuple[int, ...], dim: int) -> bool:
    """Whether the scores of structures fill the last axes with their natural shape."""
    if not shape or not isinstance(theta, Tensor) or dim not in (-1, theta.dim() - 1):
        return False
    check_given("theta", theta)
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
    if not isinstance(mask, Tensor):
        raise TypeError(f"mask is {type(mask).__name__}; expected a tensor of torch.bool, true where an entry may have mass")
    if mask.dtype != torch.bool:
        raise TypeError(f"mask has dtype {mask.dtype}; expected torch.bool, true where an entry may have mass")
    check_given("mask", mask)
    try:
        return beside(mask, theta).expand(theta.shape)
    except RuntimeError:
        raise ValueError(f"mask has shape {tuple(mask.shape)}; expected one that expands to that of theta, "
                         f"{tuple(theta.shape)}") from None


def masked(theta: Tensor, mask: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """θ with −inf where `mask` is false, and which rows have nothing left (their scores are 0)."""
    check_scores(theta, dim)
    check_given("theta", theta)
    mask = full_mask(theta, mask)
    nothing = ~mask.any(dim=dim, keepdim=True)
    return theta.masked_fill(nothing, 0).masked_fill(~mask & ~nothing, -float("inf")), nothing
