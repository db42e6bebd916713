# SPDX-License-Identifier: Apache-2.0
"""Euclidean projections onto simple convex sets, and the products with their Jacobians.

argmin ½‖p − x‖² over p in the set, for every vector along the last axis. Projections onto the convex hulls of
structures (subsets, permutations, matchings, trees, …) are `fenchel.predict(x, fenchel.SparseMap(polytope))`.

>>> from fenchel import projections
>>> projections.project_ball([0.0, 4.0]).tolist()
[0.0, 1.0]
>>> projections.project_box_section([0.9, 0.8, -1.0], 0, 1, c=1).round(3).tolist()
[0.55, 0.45, 0.0]
"""
from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _core
from ._arguments import shown, thread_count
from ._arrays import any_array, real_array

if TYPE_CHECKING:
    from ._types import ArrayLike

__all__ = ["ConvexSet", "ball", "box", "box_section", "half_space", "hyperplane", "jvp", "project", "project_ball", "project_box",
           "project_box_section", "project_half_space", "project_hyperplane", "project_non_negative", "project_simplex"]


def _word(value: float) -> Any:
    """A number as JSON has it."""
    if math.isnan(value):
        raise ValueError("a parameter of the set is nan; expected numbers")
    return value if math.isfinite(value) else ("inf" if value > 0 else "-inf")


def _numbers(name: str, value: Any) -> Any:
    array = any_array(name, value, "a number, or one per entry of x")
    if array.dtype.kind not in "iubf" or array.ndim > 1:
        raise TypeError(f"{name} is {shown(value)}; expected a number, or one per entry of x")
    array = array.astype(np.float64, copy=False)
    return _word(float(array)) if array.ndim == 0 else [_word(entry) for entry in array.tolist()]


def _shown(value: Any) -> str:
    """A parameter as an expression."""
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    return f"float({value!r})" if isinstance(value, str) else repr(value)


class ConvexSet:
    """A convex set to project into; its attribute `text` is how the tool writes it.

    Parameters
    ----------
    kind : str
        "box", "ball", "half_space", "hyperplane" or "box_section".
    **parameters : float or array_like
        Those of the function of that name.

    Examples
    --------
    >>> from fenchel import projections
    >>> projections.ConvexSet("ball", radius=1, norm=2)
    ConvexSet('ball', radius=1.0, norm=2.0)
    >>> projections.ball() == projections.ConvexSet("ball", radius=1, norm=2)
    True

    See Also
    --------
    box, ball, half_space, hyperplane, box_section, project
    """

    def __init__(self, kind: str, **parameters: Any):
        self.text = json.dumps({"name": kind, **{key: _numbers(key, value) for key, value in parameters.items()}})

    def __repr__(self) -> str:
        spec = json.loads(self.text)
        return f"ConvexSet({', '.join([repr(spec.pop('name')), *(f'{key}={_shown(value)}' for key, value in spec.items())])})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConvexSet) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


SetLike = Union[ConvexSet, str]


def box(lower: ArrayLike, upper: ArrayLike) -> ConvexSet:
    """The set lower ≤ x ≤ upper.

    Parameters
    ----------
    lower : float or array_like [d]
        The lower bounds, which may be −inf.
    upper : float or array_like [d]
        The upper bounds, which may be inf.

    Returns
    -------
    ConvexSet
        The set, for `project`, `jvp` and fenchel.torch.projections.project.

    Examples
    --------
    >>> from fenchel import projections
    >>> projections.box(0, [1, 2])
    ConvexSet('box', lower=0.0, upper=[1.0, 2.0])

    See Also
    --------
    project, ConvexSet
    """
    return ConvexSet("box", lower=lower, upper=upper)


def ball(radius: float = 1.0, norm: float = 2) -> ConvexSet:
    """The set ‖x‖ ≤ radius.

    Parameters
    ----------
    radius : float
        The radius, >= 0.
    norm : float
        1, 2 or math.inf.

    Returns
    -------
    ConvexSet
        The set, for `project`, `jvp` and fenchel.torch.projections.project.

    Examples
    --------
    >>> from fenchel import projections
    >>> projections.ball(2.0, 1)
    ConvexSet('ball', radius=2.0, norm=1.0)

    See Also
    --------
    project, ConvexSet
    """
    return ConvexSet("ball", radius=radius, norm=norm)


def half_space(w: ArrayLike, c: float) -> ConvexSet:
    """The set ⟨w, x⟩ ≤ c.

    Parameters
    ----------
    w : float or array_like [d]
        w; a number stands for a vector of it.
    c : float
        c.

    Returns
    -------
    ConvexSet
        The set, for `project`, `jvp` and fenchel.torch.projections.project.

    Examples
    --------
    >>> from fenchel import projections
    >>> projections.half_space([1, 2], 3)
    ConvexSet('half_space', w=[1.0, 2.0], c=3.0)

    See Also
    --------
    project, ConvexSet
    """
    return ConvexSet("half_space", w=w, c=c)


def hyperplane(w: ArrayLike, c: float) -> ConvexSet:
    """The set ⟨w, x⟩ = c.

    Parameters
    ----------
    w : float or array_like [d]
        w; a number stands for a vector of it.
    c : float
        c.

    Returns
    -------
    ConvexSet
        The set, for `project`, `jvp` and fenchel.torch.projections.project.

    Examples
    --------
    >>> from fenchel import projections
    >>> projections.hyperplane(1, 0)
    ConvexSet('hyperplane', w=1.0, c=0.0)

    See Also
    --------
    project, ConvexSet
    """
    return ConvexSet("hyperplane", w=w, c=c)


def box_section(lower: ArrayLike, upper: ArrayLike, w: ArrayLike = 1.0, c: float = 1.0) -> ConvexSet:
    """The set lower ≤ x ≤ upper, ⟨w, x⟩ = c: the simplex is box_section(0, math.inf), a budget of k
    box_section(0, 1, c=k).

    Parameters
    ----------
    lower : float or array_like [d]
        The lower bounds, which may be −inf.
    upper : float or array_like [d]
        The upper bounds, which may be inf.
    w : float or array_like [d]
        w; a number stands for a vector of it.
    c : float
        c.

    Returns
    -------
    ConvexSet
        The set, for `project`, `jvp` and fenchel.torch.projections.project.

    Examples
    --------
    >>> from fenchel import projections
    >>> projections.box_section(0, 1, c=2)
    ConvexSet('box_section', lower=0.0, upper=1.0, w=1.0, c=2.0)

    See Also
    --------
    project, ConvexSet
    """
    return ConvexSet("box_section", lower=lower, upper=upper, w=w, c=c)


def _rows(name: str, x: Any) -> np.ndarray:
    array = real_array(name, x)
    kept = np.float32 if array.dtype in (np.float32, np.float16) else np.float64
    return np.ascontiguousarray(array, dtype=kept)


def _text(into: Any) -> str:
    if isinstance(into, ConvexSet):
        return into.text
    if isinstance(into, str):
        return into
    raise TypeError(f"into is {shown(into)}; expected a set such as projections.box(0, 1), or its text")


def project(x: ArrayLike, into: SetLike, *, n_threads: int = 1) -> np.ndarray:
    """argmin ½‖p − x‖² over p in a set: the nearest point, for each vector along the last axis.

    Parameters
    ----------
    x : array_like [..., d]
        Points, along the last axis.
    into : ConvexSet or str
        The set: one that box, ball, half_space, hyperplane or box_section makes, or its text.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    ndarray [..., d]
        The nearest points, of the shape and floating type of x.

    Raises
    ------
    ValueError, TypeError
        An argument is not what it should be; the message names it, its value and what was expected.

    Examples
    --------
    >>> from fenchel import projections
    >>> projections.project([3.0, 4.0], projections.ball(1.0)).round(3).tolist()
    [0.6, 0.8]

    See Also
    --------
    jvp, fenchel.torch.projections.project, fenchel.SparseMap
    """
    return _core.project(_rows("x", x), _text(into), thread_count(n_threads))


def jvp(x: ArrayLike, v: ArrayLike, into: SetLike, *, n_threads: int = 1) -> np.ndarray:
    """J v with the Jacobian J of `project` at x, which is symmetric: vᵀ J is the same.

    Parameters
    ----------
    x : array_like [..., d]
        Points, along the last axis.
    v : array_like [..., d]
        Directions, of the shape of x.
    into : ConvexSet or str
        The set: one that box, ball, half_space, hyperplane or box_section makes, or its text.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    ndarray [..., d]
        J v, of the shape and floating type of x.

    Raises
    ------
    ValueError, TypeError
        An argument is not what it should be; the message names it, its value and what was expected.

    Examples
    --------
    >>> from fenchel import projections
    >>> projections.jvp([2.0, 0.5], [1.0, 1.0], projections.box(0, 1)).tolist()
    [0.0, 1.0]

    See Also
    --------
    project
    """
    rows, directions = _rows("x", x), _rows("v", v)
    if rows.shape != directions.shape:
        raise ValueError(f"v has shape {directions.shape}; expected that of x, {rows.shape}")
    return _core.project_jvp(rows, directions.astype(rows.dtype, copy=False), _text(into), thread_count(n_threads))


def project_non_negative(x: ArrayLike) -> np.ndarray:
    """The nearest point without negative entries: max(x, 0).

    Parameters
    ----------
    x : array_like [..., d]
        Points, along the last axis.

    Returns
    -------
    ndarray [..., d]
        The nearest points, of the shape and floating type of x.

    Examples
    --------
    >>> from fenchel import projections
    >>> projections.project_non_negative([-1.0, 2.0]).round(3).tolist()
    [0.0, 2.0]

    See Also
    --------
    project
    """
    return project(x, box(0, math.inf))


def project_box(x: ArrayLike, lower: ArrayLike = 0.0, upper: ArrayLike = 1.0) -> np.ndarray:
    """The nearest point with lower ≤ p ≤ upper.

    Parameters
    ----------
    x : array_like [..., d]
        Points, along the last axis.
    lower : float or array_like [d]
        The lower bounds, which may be −inf.
    upper : float or array_like [d]
        The upper bounds, which may be inf.

    Returns
    -------
    ndarray [..., d]
        The nearest points, of the shape and floating type of x.

    Examples
    --------
    >>> from fenchel import projections
    >>> projections.project_box([-1.0, 0.5, 2.0]).round(3).tolist()
    [0.0, 0.5, 1.0]

    See Also
    --------
    project
    """
    return project(x, box(lower, upper))


def project_ball(x: ArrayLike, radius: float = 1.0, norm: float = 2) -> np.ndarray:
    """The nearest point with ‖p‖ ≤ radius.

    Parameters
    ----------
    x : array_like [..., d]
        Points, along the last axis.
    radius : float
        The radius, >= 0.
    norm : float
        1, 2 or math.inf.

    Returns
    -------
    ndarray [..., d]
        The nearest points, of the shape and floating type of x.

    Examples
    --------
    >>> from fenchel import projections
    >>> projections.project_ball([3.0, 4.0]).round(3).tolist()
    [0.6, 0.8]

    See Also
    --------
    project
    """
    return project(x, ball(radius, norm))


def project_half_space(x: ArrayLike, w: ArrayLike, c: float) -> np.ndarray:
    """The nearest point with ⟨w, p⟩ ≤ c.

    Parameters
    ----------
    x : array_like [..., d]
        Points, along the last axis.
    w : float or array_like [d]
        w; a number stands for a vector of it.
    c : float
        c.

    Returns
    -------
    ndarray [..., d]
        The nearest points, of the shape and floating type of x.

    Examples
    --------
    >>> from fenchel import projections
    >>> projections.project_half_space([1.0, 1.0], [1.0, 1.0], 1.0).round(3).tolist()
    [0.5, 0.5]

    See Also
    --------
    project
    """
    return project(x, half_space(w, c))


def project_hyperplane(x: ArrayLike, w: ArrayLike, c: float) -> np.ndarray:
    """The nearest point with ⟨w, p⟩ = c.

    Parameters
    ----------
    x : array_like [..., d]
        Points, along the last axis.
    w : float or array_like [d]
        w; a number stands for a vector of it.
    c : float
        c.

    Returns
    -------
    ndarray [..., d]
        The nearest points, of the shape and floating type of x.

    Examples
    --------
    >>> from fenchel import projections
    >>> projections.project_hyperplane([1.0, 0.0], [1.0, 1.0], 0.0).round(3).tolist()
    [0.5, -0.5]

    See Also
    --------
    project
    """
    return project(x, hyperplane(w, c))


def project_box_section(x: ArrayLike, lower: ArrayLike, upper: ArrayLike, w: ArrayLike = 1.0,
                        c: float = 1.0) -> np.ndarray:
    """The nearest point with lower ≤ p ≤ upper and ⟨w, p⟩ = c.

    Parameters
    ----------
    x : array_like [..., d]
        Points, along the last axis.
    lower : float or array_like [d]
        The lower bounds, which may be −inf.
    upper : float or array_like [d]
        The upper bounds, which may be inf.
    w : float or array_like [d]
        w; a number stands for a vector of it.
    c : float
        c.

    Returns
    -------
    ndarray [..., d]
        The nearest points, of the shape and floating type of x.

    Examples
    --------
    >>> from fenchel import projections
    >>> projections.project_box_section([0.9, 0.8, -1.0], 0, 1, c=1).round(3).tolist()
    [0.55, 0.45, 0.0]

    See Also
    --------
    project
    """
    return project(x, box_section(lower, upper, w, c))


def project_simplex(x: ArrayLike, total: float = 1.0) -> np.ndarray:
    """The nearest point without negative entries whose sum is the total.

    Parameters
    ----------
    x : array_like [..., d]
        Points, along the last axis.
    total : float
        The sum.

    Returns
    -------
    ndarray [..., d]
        The nearest points, of the shape and floating type of x.

    Examples
    --------
    >>> from fenchel import projections
    >>> projections.project_simplex([0.9, 0.8, -1.0]).round(3).tolist()
    [0.55, 0.45, 0.0]

    See Also
    --------
    project
    """
    return project(x, box_section(0, math.inf, c=total))
