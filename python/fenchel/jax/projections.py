# SPDX-License-Identifier: Apache-2.0
"""Euclidean projections onto convex sets: argmin ½‖p − x‖² over p in the set, for every vector along the last axis.

Bounds, radii, sums and normals may be arrays that are traced, and are differentiated. Sets of structures are those of
`fenchel.SparseMap`, whose parameters are numbers of the program.

>>> import jax.numpy as jnp, numpy as np
>>> from fenchel.jax import projections
>>> print(np.asarray(projections.project_simplex(jnp.array([0.9, 0.8, -1.0]))).round(2))
[0.55 0.45 0.  ]
"""
from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Tuple, Union

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from .._arguments import shown
from ..polytopes import Birkhoff, KSubsets, Permutahedron, Transport
from ..projections import ConvexSet, _text
from ..regularizers import SparseMap
from . import _section
from ._arrays import array_of, real_array, seen, widened
from ._calls import chosen
from ._known import known_of
from ._predict import Task, predict_rows
from .functions import predict

if TYPE_CHECKING:
    from .._types import ArrayLike

__all__ = ["project", "project_ball", "project_birkhoff", "project_box", "project_box_section", "project_capped_simplex",
           "project_half_space", "project_hyperplane", "project_l1_ball", "project_non_negative", "project_permutahedron",
           "project_simplex", "project_transport"]


def _points(x: Any) -> Array:
    """Points, finite where they can be seen."""
    points = real_array("x", x)
    if points.shape[-1] == 0:
        raise ValueError(f"x has shape {points.shape}; expected at least one entry")
    held = seen(points)
    if held is not None and not np.isfinite(held).all():
        raise ValueError(f"x has the entry {held[~np.isfinite(held)].flat[0]}; expected finite numbers")
    return points


def _parameter(name: str, value: Any, x: Array, least: float = -math.inf) -> Array:
    """A number, or one for each entry of x, in the type that x is computed in."""
    given = array_of(name, value)
    if jnp.issubdtype(given.dtype, jnp.complexfloating) or given.dtype == bool:
        raise TypeError(f"{name} has dtype {given.dtype}; expected real numbers")
    held = seen(given)
    if held is not None and not (held >= least).all():
        raise ValueError(f"{name} has the entry {held[~(held >= least)].flat[0]}; expected numbers"
                         + (f" >= {least:g}" if least > -math.inf else ""))
    try:
        jnp.broadcast_shapes(given.shape, x.shape)
    except ValueError:
        raise ValueError(f"{name} has shape {given.shape}; expected a number, or one for each entry of x, which has shape "
                         f"{x.shape}") from None
    return given.astype(widened(x).dtype)


def _bounds(lower: Any, upper: Any, x: Array) -> Tuple[Array, Array]:
    """Bounds, in order where they can be seen."""
    low, high = _parameter("lower", lower, x), _parameter("upper", upper, x)
    lows, highs = seen(low), seen(high)
    if lows is not None and highs is not None and (lows > highs).any():
        at = np.flatnonzero(lows > highs)[0]
        below, above = (np.broadcast_to(one, np.broadcast_shapes(lows.shape, highs.shape)).flat[at] for one in (lows, highs))
        raise ValueError(f"lower has the entry {below} and upper {above}; expected a bound below another")
    return low, high


def project_non_negative(x: ArrayLike) -> Array:
    """The nearest point without negative entries: max(x, 0).

    Parameters
    ----------
    x : array_like [..., d]
        Points, along the last axis.

    Returns
    -------
    Array [..., d]
        The nearest points, of the shape and floating type of x.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from fenchel.jax import projections
    >>> print(projections.project_non_negative(jnp.array([-1.0, 2.0])))
    [0. 2.]

    See Also
    --------
    project_box, fenchel.projections.project_non_negative
    """
    return jnp.maximum(_points(x), 0)


def project_box(x: ArrayLike, lower: ArrayLike = 0.0, upper: ArrayLike = 1.0) -> Array:
    """The nearest point with lower ≤ p ≤ upper.

    Parameters
    ----------
    x : array_like [..., d]
        Points, along the last axis.
    lower : float or array_like
        The lower bounds, which may be −inf.
    upper : float or array_like
        The upper bounds, which may be inf.

    Returns
    -------
    Array [..., d]
        The nearest points, of the shape and floating type of x.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from fenchel.jax import projections
    >>> print(projections.project_box(jnp.array([-1.0, 0.5, 2.0])))
    [0.  0.5 1. ]

    See Also
    --------
    project_box_section, fenchel.projections.project_box
    """
    points = _points(x)
    low, high = _bounds(lower, upper, points)
    return jnp.clip(points, low.astype(points.dtype), high.astype(points.dtype))


def _on_simplex(x: Array, total: Array) -> Array:
    """Rows of widened points; `total` has a last axis of 1."""
    task = Task(known_of("sparsemax"), chosen())
    safe = jnp.where(total > 0, total, 1)
    return jnp.where(total > 0, safe * predict_rows(x / safe, task), jnp.where(total == 0, 0, jnp.nan))


def project_simplex(x: ArrayLike, total: ArrayLike = 1.0) -> Array:
    """The nearest point without negative entries whose sum is the total.

    Parameters
    ----------
    x : array_like [..., d]
        Points, along the last axis.
    total : float or array_like [...]
        The sum, >= 0.

    Returns
    -------
    Array [..., d]
        The nearest points, of the shape and floating type of x.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from fenchel.jax import projections
    >>> print(projections.project_simplex(jnp.array([1.5, 1.0, -1.0])))
    [0.75 0.25 0.  ]

    See Also
    --------
    project_capped_simplex, fenchel.jax.sparsemax, fenchel.projections.project_simplex
    """
    points = _points(x)
    sums = _parameter("total", total, points[..., 0], 0)
    return _on_simplex(widened(points), sums[..., None]).astype(points.dtype)


def project_l1_ball(x: ArrayLike, radius: ArrayLike = 1.0) -> Array:
    """The nearest point with Σ |p_i| ≤ radius.

    Parameters
    ----------
    x : array_like [..., d]
        Points, along the last axis.
    radius : float or array_like [...]
        The radius, >= 0.

    Returns
    -------
    Array [..., d]
        The nearest points, of the shape and floating type of x.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from fenchel.jax import projections
    >>> print(projections.project_l1_ball(jnp.array([1.5, -1.0, 0.0])))
    [ 0.75 -0.25  0.  ]

    See Also
    --------
    project_ball, fenchel.projections.project_ball
    """
    points = _points(x)
    size, wide = _parameter("radius", radius, points[..., 0], 0)[..., None], widened(points)
    nearest = jnp.sign(wide) * _on_simplex(jnp.abs(wide), size)
    return jnp.where(jnp.abs(wide).sum(-1, keepdims=True) <= size, wide, nearest).astype(points.dtype)


def project_ball(x: ArrayLike, radius: ArrayLike = 1.0, norm: float = 2) -> Array:
    """The nearest point with ‖p‖ ≤ radius.

    Parameters
    ----------
    x : array_like [..., d]
        Points, along the last axis.
    radius : float or array_like [...]
        The radius, >= 0.
    norm : float
        1, 2 or math.inf.

    Returns
    -------
    Array [..., d]
        The nearest points, of the shape and floating type of x.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from fenchel.jax import projections
    >>> print(projections.project_ball(jnp.array([3.0, 4.0]), 2.5))
    [1.5 2. ]

    See Also
    --------
    project_l1_ball, fenchel.projections.project_ball
    """
    if norm not in (1, 2, math.inf):
        raise ValueError(f"norm is {shown(norm)}; expected 1, 2 or inf")
    if norm == 1:
        return project_l1_ball(x, radius)
    points = _points(x)
    size, wide = _parameter("radius", radius, points[..., 0], 0)[..., None], widened(points)
    if norm == math.inf:
        return jnp.clip(wide, -size, size).astype(points.dtype)
    largest = jax.lax.stop_gradient(jnp.abs(wide).max(-1, keepdims=True))
    scale = jnp.where(largest > 0, largest, 1)  # squares could overflow, or vanish
    squares = ((wide / scale) ** 2).sum(-1, keepdims=True)
    length = jnp.sqrt(jnp.where(largest > 0, squares, 1))
    outside = length * largest > size
    return jnp.where(outside, wide / scale * (size / length), wide).astype(points.dtype)


def _moved(x: Any, w: Any, c: Any, only_down: bool) -> Array:
    points = _points(x)
    wide, normal = widened(points), _parameter("w", w, points)
    weights = seen(normal)
    if weights is not None and not weights.any():
        raise ValueError("w is 0; expected weights that are not all 0")
    excess = (normal * wide).sum(-1, keepdims=True) - _parameter("c", c, points[..., 0])[..., None]
    if only_down:
        excess = jnp.maximum(excess, 0)
    normal = jnp.broadcast_to(normal, wide.shape)
    return (wide - normal * excess / (normal * normal).sum(-1, keepdims=True)).astype(points.dtype)


def project_half_space(x: ArrayLike, w: ArrayLike, c: ArrayLike) -> Array:
    """The nearest point with ⟨w, p⟩ ≤ c.

    Parameters
    ----------
    x : array_like [..., d]
        Points, along the last axis.
    w : float or array_like [d]
        w, not 0; a number stands for a vector of it.
    c : float or array_like [...]
        c.

    Returns
    -------
    Array [..., d]
        The nearest points, of the shape and floating type of x.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from fenchel.jax import projections
    >>> print(projections.project_half_space(jnp.array([1.0, 1.0]), jnp.array([1.0, 1.0]), 1.0))
    [0.5 0.5]

    See Also
    --------
    project_hyperplane, fenchel.projections.project_half_space
    """
    return _moved(x, w, c, True)


def project_hyperplane(x: ArrayLike, w: ArrayLike, c: ArrayLike) -> Array:
    """The nearest point with ⟨w, p⟩ = c.

    Parameters
    ----------
    x : array_like [..., d]
        Points, along the last axis.
    w : float or array_like [d]
        w, not 0; a number stands for a vector of it.
    c : float or array_like [...]
        c.

    Returns
    -------
    Array [..., d]
        The nearest points, of the shape and floating type of x.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from fenchel.jax import projections
    >>> print(projections.project_hyperplane(jnp.array([1.0, 0.0]), jnp.array([1.0, 1.0]), 0.0))
    [ 0.5 -0.5]

    See Also
    --------
    project_half_space, fenchel.projections.project_hyperplane
    """
    return _moved(x, w, c, False)


def project_box_section(x: ArrayLike, lower: ArrayLike, upper: ArrayLike, w: ArrayLike = 1.0, c: ArrayLike = 1.0) -> Array:
    """The nearest point with lower ≤ p ≤ upper and ⟨w, p⟩ = c; NaN where there is none.

    Parameters
    ----------
    x : array_like [..., d]
        Points, along the last axis.
    lower : float or array_like
        The lower bounds, which may be −inf.
    upper : float or array_like
        The upper bounds, which may be inf.
    w : float or array_like [d]
        w; a number stands for a vector of it.
    c : float or array_like [...]
        c.

    Returns
    -------
    Array [..., d]
        The nearest points, of the shape and floating type of x.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from fenchel.jax import projections
    >>> print(projections.project_box_section(jnp.array([1.5, 1.0, -1.0]), 0, 1, c=1))
    [0.75 0.25 0.  ]

    See Also
    --------
    project_capped_simplex, fenchel.projections.project_box_section
    """
    points = _points(x)
    low, high = _bounds(lower, upper, points)
    return _section_of(points, low, high, _parameter("w", w, points), _parameter("c", c, points[..., 0]))


@jax.jit
def _section_of(x: Array, lower: Array, upper: Array, w: Array, c: Array) -> Array:
    return _section.project(widened(x), lower, upper, w, c).astype(x.dtype)


def project_capped_simplex(x: ArrayLike, k: ArrayLike) -> Array:
    """The nearest point with entries from 0 to 1 whose sum is k; NaN where k is below 0 or above d.

    Parameters
    ----------
    x : array_like [..., d]
        Points, along the last axis.
    k : float or array_like [...]
        The sum, from 0 to d.

    Returns
    -------
    Array [..., d]
        The nearest points, of the shape and floating type of x.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from fenchel.jax import projections
    >>> print(projections.project_capped_simplex(jnp.array([2.0, 0.75, 0.25]), 2))
    [1.   0.75 0.25]

    See Also
    --------
    project_box_section, fenchel.jax.budget
    """
    points = _points(x)
    d = points.shape[-1]
    if isinstance(k, (int, float)) and k in range(1, d + 1):  # which the core has
        return predict(points, SparseMap(KSubsets(d, int(k))))
    return project_box_section(points, 0, 1, 1, k)


def project_permutahedron(x: ArrayLike, w: ArrayLike) -> Array:
    """The nearest mean of the permutations of w.

    Parameters
    ----------
    x : array_like [..., d]
        Points, along the last axis.
    w : array_like [d]
        The numbers that are permuted, known when a program is compiled.

    Returns
    -------
    Array [..., d]
        The nearest points, of the shape and floating type of x.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from fenchel.jax import projections
    >>> print(projections.project_permutahedron(jnp.array([5.0, 0.0, 0.5]), [3, 2, 1]))
    [3.   1.25 1.75]

    See Also
    --------
    fenchel.jax.soft_rank, fenchel.Permutahedron
    """
    points, numbers = _points(x), _numbers("w", w)
    if points.shape[-1] != len(numbers):
        raise ValueError(f"w has {len(numbers)} entries; expected {points.shape[-1]}, as x has along its last axis")
    return predict(points, SparseMap(Permutahedron(numbers)))


def _numbers(name: str, value: Any) -> list:
    if isinstance(value, jax.core.Tracer):
        raise TypeError(f"{name} is traced; expected numbers that are known when a program is compiled")
    numbers = np.asarray(value, np.float64)
    if numbers.ndim != 1:
        raise ValueError(f"{name} has shape {numbers.shape}; expected a vector")
    return numbers.tolist()


def project_birkhoff(x: ArrayLike) -> Array:
    """The nearest doubly stochastic matrix: rows and columns sum to 1, no entry is negative.

    Parameters
    ----------
    x : array_like [..., n, n]
        Matrices.

    Returns
    -------
    Array [..., n, n]
        The nearest matrices, of the shape and floating type of x.

    Examples
    --------
    >>> import jax.numpy as jnp, numpy as np
    >>> from fenchel.jax import projections
    >>> print(np.asarray(projections.project_birkhoff(jnp.array([[1.0, 0.0], [0.5, 0.5]]))).round(3))
    [[0.75 0.25]
     [0.25 0.75]]

    See Also
    --------
    project_transport, fenchel.Birkhoff
    """
    points = _points(x)
    if points.ndim < 2 or points.shape[-1] != points.shape[-2]:
        raise ValueError(f"x has shape {points.shape}; expected [..., n, n]")
    return predict(points, SparseMap(Birkhoff(points.shape[-1])))


def project_transport(x: ArrayLike, a: ArrayLike, b: ArrayLike) -> Array:
    """The nearest plan with row sums a and column sums b, without negative entries.

    Parameters
    ----------
    x : array_like [..., m, n]
        Matrices.
    a : array_like [m]
        Row sums, known when a program is compiled.
    b : array_like [n]
        Column sums, with the same total.

    Returns
    -------
    Array [..., m, n]
        The nearest plans, of the shape and floating type of x.

    Examples
    --------
    >>> import jax.numpy as jnp, numpy as np
    >>> from fenchel.jax import projections
    >>> print(np.asarray(projections.project_transport(jnp.array([[1.0, 0.0], [0.5, 0.5]]), [1, 1], [1, 1])).round(3))
    [[0.75 0.25]
     [0.25 0.75]]

    See Also
    --------
    project_birkhoff, fenchel.jax.sinkhorn
    """
    points = _points(x)
    rows, columns = _numbers("a", a), _numbers("b", b)
    if points.shape[-2:] != (len(rows), len(columns)):
        raise ValueError(f"x has shape {points.shape}; expected [..., {len(rows)}, {len(columns)}], as a and b have")
    flat = points.reshape(*points.shape[:-2], len(rows) * len(columns))
    return predict(flat, SparseMap(Transport(rows, columns))).reshape(points.shape)


_OF_KIND: dict[str, Any] = {"box": project_box, "ball": project_ball, "half_space": project_half_space,
                            "hyperplane": project_hyperplane, "box_section": project_box_section}


def project(x: ArrayLike, into: Union[ConvexSet, str]) -> Array:
    """argmin ½‖p − x‖² over p in a set of fenchel.projections: the nearest point.

    Parameters
    ----------
    x : array_like [..., d]
        Points, along the last axis.
    into : ConvexSet or str
        The set: one that box, ball, half_space, hyperplane or box_section makes, or its text.

    Returns
    -------
    Array [..., d]
        The nearest points, of the shape and floating type of x.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from fenchel import projections as sets
    >>> from fenchel.jax import projections
    >>> print(projections.project(jnp.array([3.0, 4.0]), sets.ball(2.5)))
    [1.5 2. ]

    See Also
    --------
    project_ball, project_box, fenchel.projections.project
    """
    text = _text(into)
    from .. import _core

    _core.project(np.zeros((0, np.shape(x)[-1] if np.ndim(x) else 1)), text, 1)  # which checks the text
    if not isinstance(into, ConvexSet):
        raise TypeError(f"into is {shown(into)}; expected a set such as fenchel.projections.box(0, 1)")
    spec = json.loads(text)
    values: dict[str, Any] = {key: np.asarray(value, np.float64) for key, value in spec.items() if key not in ("name", "norm")}
    if "norm" in spec:
        values["norm"] = float(spec["norm"])
    return _OF_KIND[spec["name"]](x, **values)
