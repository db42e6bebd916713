# SPDX-License-Identifier: Apache-2.0
"""Euclidean projections onto simple convex sets, differentiable; sets as in `fenchel.projections`.

>>> import math, torch
>>> from fenchel import projections as sets
>>> from fenchel.torch.projections import project
>>> project(torch.tensor([3.0, 4.0]), sets.ball(1.0)).tolist()
[0.6000000238418579, 0.800000011920929]
"""
from __future__ import annotations

import math
from typing import Any, Union

from torch import Tensor

from .. import _core
from ..projections import ConvexSet, _text
from ._operator import Operator, keep, like_first
from ._tensors import back, memory, scores_last, tensor_of, threads_for

__all__ = ["project"]


def _refused(*_: Any) -> Any:
    raise RuntimeError("second derivatives of projections are not available; they are 0 almost everywhere for all but balls")


def _save_nothing(ctx: Any, inputs: tuple, output: Any) -> None:
    """Of what is not differentiated again."""


def _rows(tensor: Tensor) -> Any:
    return memory(tensor).reshape(math.prod(tensor.shape[:-1]), tensor.shape[-1])


def _project_now(x: Tensor, into: str) -> Tensor:
    return tensor_of(_core.project(_rows(x), into, threads_for(x)).reshape(tuple(x.shape)), x)


def _product_now(x: Tensor, v: Tensor, into: str) -> Tensor:
    return tensor_of(_core.project_jvp(_rows(x), _rows(v), into, threads_for(x)).reshape(tuple(x.shape)), x)


_product = Operator("project_product", "(Tensor x, Tensor v, str into) -> Tensor", _product_now, like_first,
                    save=_save_nothing, backward=_refused, jvp=_refused)


def _save(ctx: Any, inputs: tuple, output: Tensor) -> None:
    x, ctx.into = inputs
    keep(ctx, x)


def _backward(ctx: Any, u: Tensor) -> tuple:
    return _product(ctx.saved_tensors[0], u, ctx.into), None


def _jvp(ctx: Any, v: Tensor) -> Tensor:
    return _product(ctx.saved_tensors[0], v, ctx.into)


_project = Operator("project", "(Tensor x, str into) -> Tensor", _project_now, like_first, save=_save, backward=_backward,
                    jvp=_jvp)


def project(x: Tensor, into: Union[ConvexSet, str], dim: int = -1) -> Tensor:
    """argmin ½‖p − x‖² over p in a convex set; derivatives are exact, in both directions.

    Parameters
    ----------
    x : Tensor [..., d]
        Points, along `dim`.
    into : ConvexSet or str
        A set of fenchel.projections, or its text.
    dim : int
        The axis of the points; all others are a batch.

    Returns
    -------
    Tensor [..., d]
        The nearest points, of the shape and type of x.

    Examples
    --------
    >>> import torch
    >>> from fenchel import projections as sets
    >>> from fenchel.torch.projections import project
    >>> [round(x, 3) for x in project(torch.tensor([3.0, 4.0]), sets.ball(1.0)).tolist()]
    [0.6, 0.8]

    See Also
    --------
    fenchel.projections.project
    """
    return back(_project(scores_last(x, dim), _text(into)), x, dim)
