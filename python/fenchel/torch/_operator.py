# SPDX-License-Identifier: Apache-2.0
"""An operation on tensors in the three ways in which it is called: at once, under torch.func, and by tracers."""
from __future__ import annotations

import math
from typing import Any, Callable, Optional

import torch
from torch import Tensor
from torch._functorch import eager_transforms

from ._backend import backend, chosen, forced, nan_propagates, say_that_it_copies, tensors_wanted
from ._specs import omega_name, owners
from ._tensors import (
    batched,
    check_no_tangent,
    differentiated,
    fast_apply,
    forward_mode,
    is_plain,
    is_traced,
    under_transform,
    without_rules,
)

_TRACED = ("an operator of fenchel that is traced (torch.compile, torch.export) has no tangents; call the function "
           "without that to use forward-mode differentiation")
_NESTED = ("tangents of tangents (torch.func.jvp or jacfwd within another) are not available in the core; use torch.func.grad "
           "or jacrev for one of them, or what has tensor operations with fenchel.torch.backend('auto')")


def like_first(tensor: Tensor, *_: Any) -> Tensor:
    """What tracers see of a result of the shape of the first tensor."""
    return torch.empty_like(tensor, memory_format=torch.contiguous_format)


def one_per_row(tensor: Tensor, *_: Any) -> Tensor:
    """What tracers see of a number for each row of the first tensor."""
    return tensor.new_empty(tensor.shape[:-1])


def keep(ctx: Any, *tensors: Tensor) -> None:
    """Saves tensors for derivatives in both directions."""
    ctx.save_for_backward(*tensors)
    ctx.save_for_forward(*tensors)


def inner(a: Optional[Tensor], b: Optional[Tensor]) -> Tensor | float:
    """⟨a, b⟩ of every row; 0 where one of them is absent."""
    return 0.0 if a is None or b is None else (a * b).sum(-1)


class InTensors:
    """What `by_tensors` of an Operator may return: `compute`, and the same in operations that torch differentiates itself."""

    def __init__(self, compute: Callable, differentiable: Callable):
        self.compute, self.differentiable = compute, differentiable

    def __call__(self, *tensors: Tensor) -> Any:
        return self.compute(*tensors)


def _rows_apart(now: Callable, inputs: tuple, error: ValueError) -> Any:
    """The results of `now`, NaN in rows that are NaN, +inf, or −inf alone; the error, if it comes from anything else."""
    theta = inputs[0]
    cleaned, lost = [], torch.zeros(theta.shape[:-1], dtype=torch.bool, device=theta.device)
    for value in inputs:
        if isinstance(value, Tensor) and value.is_floating_point() and value.shape == theta.shape and value.shape[-1] > 0:
            bad = ~value.amax(-1).isfinite()
            lost, value = lost | bad, value.masked_fill(bad.unsqueeze(-1), 0)
        cleaned.append(value)
    if not bool(lost.any()):
        raise error
    results = now(*cleaned)
    several = isinstance(results, tuple)
    made = []
    for result in results if several else (results,):
        if result.shape == theta.shape:
            result = result.masked_fill(lost.unsqueeze(-1), math.nan)
        elif result.shape == lost.shape:
            result = result.masked_fill(lost, math.nan)
        elif result.numel() > 0:
            raise error
        made.append(result)
    return tuple(made) if several else made[0]


class Operator:
    """An operation, registered as torch.ops.fenchel.<name>; its tensors come first in the schema.

    `now` computes it, and `fake` has the shapes of its results. `save(ctx, inputs, output)`, which calls `keep`,
    `backward(ctx, *gradients)` and `jvp(ctx, *tangents)` are those of torch.autograd, for the tensors of the schema alone
    in `jvp`, whose absent tangents are None. Only the first result has derivatives. Each row of the tensors is for itself,
    so that vmap's axis is one more axis of the batch.

    `by_tensors` takes the arguments that are no tensors and returns a function of the tensors that computes the same in
    tensor operations, or None where there are none; fenchel.torch.backend says when it is taken. Its attribute
    `differentiable` is True if torch differentiates it as it is, or a function that computes the same in operations that
    torch differentiates, which are taken where it does not ask for rules of one's own: tangents of tangents, and
    torch.func within torch.compile. Operations that are `lenient` never raise for scores without a prediction.

    Plain tensors get `now` itself, because the registered operator costs some 50 µs per call when nothing is traced.
    """

    def __init__(self, name: str, schema: str, now: Callable, fake: Callable, *, save: Callable, backward: Callable,
                 jvp: Callable, by_tensors: Optional[Callable[..., Optional[Callable]]] = None, lenient: bool = False):
        self._tensors = tensors = schema.partition("->")[0].count("Tensor")
        results = schema.partition("->")[2].count("Tensor")
        self._name = name

        def now_or_nan(*inputs: Any) -> Any:
            try:
                return now(*inputs)
            except ValueError as error:
                if not (lenient or nan_propagates()):
                    raise
                try:
                    return _rows_apart(now, inputs, error)
                except ValueError:  # of structures, which are more than a row
                    compute = by_tensors(*inputs[tensors:]) if by_tensors is not None else None
                    if compute is None or not bool(inputs[0].isnan().any() | inputs[0].isinf().any()):
                        raise
                    with torch.no_grad():
                        return compute(*inputs[:tensors])

        self._now = now_or_nan
        self._by_tensors = by_tensors

        def without_tangents(*inputs: Any) -> Any:
            for tensor in inputs[:tensors]:
                check_no_tangent("an argument", tensor, _TRACED)
            self._say_that_it_copies(inputs)
            try:
                return now(*inputs)
            except ValueError as error:  # which nobody could catch in a graph
                return _rows_apart(now, inputs, error)

        def saved(ctx: Any, inputs: tuple, output: Any) -> None:
            ctx.owners = owners(inputs)
            save(ctx, inputs, output)

        def saved_now(ctx: Any, inputs: tuple, output: Any) -> None:
            ctx.set_materialize_grads(False)  # zeros for absent tangents would be differentiated with respect to
            saved(ctx, inputs, output)

        def backward_of(ctx: Any, *gradients: Any) -> tuple:
            return (None,) * len(ctx.needs_input_grad) if gradients[0] is None else backward(ctx, *gradients)

        def backward_now(ctx: Any, *gradients: Any) -> tuple:
            if nan_propagates():
                return backward_of(ctx, *gradients)
            with backend(chosen(), nan="propagate"):  # what is wrong with scores was said before
                return backward_of(ctx, *gradients)

        def tangent_of(ctx: Any, *tangents: Any) -> Any:
            tangent = jvp(ctx, *tangents[:tensors])
            return tangent if results == 1 else (tangent, *[None] * (results - 1))

        registered = torch.library.custom_op(f"fenchel::{name}", without_tangents, mutates_args=(), schema=schema)
        registered.register_fake(fake)
        registered.register_autograd(backward, setup_context=saved)
        members: dict[str, Any] = {"forward": now_or_nan, "setup_context": saved_now, "backward": backward_now, "jvp": tangent_of}
        self._function: Any = type(name, (torch.autograd.Function,), {
            **{key: staticmethod(value) for key, value in members.items()}, "vmap": batched(self, tensors)})
        self._apply = fast_apply(self._function)
        if by_tensors is not None:

            def in_tensors(*inputs: Any) -> Any:
                compute = by_tensors(*inputs[tensors:])
                assert compute is not None
                return compute(*inputs[:tensors])

            # torch.compile takes no rules for tangents and vmap of one's own.
            lean = {"forward": in_tensors, "setup_context": saved, "backward": backward_of}
            self._recorded: Any = type(f"{name}_recorded", (torch.autograd.Function,),
                                       {key: staticmethod(value) for key, value in lean.items()})
            self._tensor_function: Any = type(f"{name}_tensors", (torch.autograd.Function,), {
                **{key: staticmethod(value) for key, value in {**members, "forward": in_tensors}.items()},
                "vmap": batched(self, tensors)})
        self._registered = getattr(torch.ops.fenchel, name)

    def _say_that_it_copies(self, inputs: tuple) -> None:
        """Warns that tensors go through the CPU, once for each kind of operation."""
        device = inputs[0].device
        if device.type not in ("cpu", "meta"):
            text = next((value for value in inputs if isinstance(value, str)), "")
            say_that_it_copies(omega_name(text) or self._name, device)

    def __call__(self, *inputs: Any) -> Any:
        tensors = inputs[:self._tensors]
        plain = is_plain(*tensors)
        if self._by_tensors is not None and (forced() and tensors[0].numel() > 0 if plain else tensors_wanted(*tensors)):
            compute = self._by_tensors(*inputs[self._tensors:])
            if compute is not None:
                return self._in_tensors(compute, inputs, plain)
        if plain:
            return self._apply(*inputs) if differentiated(*tensors) else self._now(*inputs)
        if under_transform():  # which the registered operators do not support
            if eager_transforms.JVP_NESTING > 1:  # torch drops the outer tangents of every autograd.Function
                raise RuntimeError(_NESTED)
            return self._function.apply(*inputs)
        if forward_mode():
            if is_traced():
                raise RuntimeError(_TRACED)
            return self._function.apply(*inputs)
        return self._registered(*inputs)

    def _in_tensors(self, compute: Callable, inputs: tuple, plain: bool) -> Any:
        tensors = inputs[:self._tensors]
        if plain and not nan_propagates():
            self._now(*inputs)  # a small part of the time of tensor operations, and it says what is wrong
        differentiable = getattr(compute, "differentiable", None)
        if differentiable is True:
            return compute(*tensors)
        if without_rules():
            if differentiable is None:
                raise RuntimeError(_NESTED)
            return differentiable(*tensors)
        if under_transform():
            return self._tensor_function.apply(*inputs)
        if not differentiated(*tensors):
            return compute(*tensors)
        return (self._recorded if torch.compiler.is_compiling() else self._tensor_function).apply(*inputs)
