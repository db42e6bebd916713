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
from typing import Any

import numpy as np

from . import _core
from ._arguments import thread_count
from ._arrays import any_array, real_array

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
        raise TypeError(f"{name} is {value!r}; expected a number, or one per entry of x")
    array = array.astype(np.float64, copy=False)
    return _word(float(array)) if array.ndim == 0 else [_word(entry) for entry in array.tolist()]


class ConvexSet:
    """A set to project into; `text` is how the tool writes it."""

    def __init__(self, kind: str, **parameters: Any):
        self.text = json.dumps({"name": kind, **{key: _numbers(key, value) for key, value in parameters.items()}})

    def __repr__(self) -> str:
        return f"ConvexSet({self.text})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConvexSet) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


def box(lower: Any, upper: Any) -> ConvexSet:
    """lower ≤ x ≤ upper; bounds are numbers or vectors, and may be infinite."""
    return ConvexSet("box", lower=lower, upper=upper)


def ball(radius: float = 1.0, norm: float = 2) -> ConvexSet:
    """‖x‖ ≤ radius in the norm 1, 2 or math.inf."""
    return ConvexSet("ball", radius=radius, norm=norm)


def half_space(w: Any, c: float) -> ConvexSet:
    """⟨w, x⟩ ≤ c; w is a vector, or a number for all entries."""
    return ConvexSet("half_space", w=w, c=c)


def hyperplane(w: Any, c: float) -> ConvexSet:
    """⟨w, x⟩ = c."""
    return ConvexSet("hyperplane", w=w, c=c)


def box_section(lower: Any, upper: Any, w: Any = 1.0, c: float = 1.0) -> ConvexSet:
    """lower ≤ x ≤ upper and ⟨w, x⟩ = c: the simplex is box_section(0, math.inf), a budget of k box_section(0, 1, c=k)."""
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
    raise TypeError(f"into is {into!r}; expected a set such as projections.box(0, 1), or its text")


def project(x: Any, into: Any, *, n_threads: int = 1) -> np.ndarray:
    """The point of a set nearest to x, for each vector along the last axis; `into` is one of the sets above."""
    return _core.project(_rows("x", x), _text(into), thread_count(n_threads))


def jvp(x: Any, v: Any, into: Any, *, n_threads: int = 1) -> np.ndarray:
    """J v with the Jacobian J of `project` at x, which is symmetric: vᵀ J is the same."""
    rows, directions = _rows("x", x), _rows("v", v)
    if rows.shape != directions.shape:
        raise ValueError(f"v has shape {directions.shape}; expected that of x, {rows.shape}")
    return _core.project_jvp(rows, directions.astype(rows.dtype, copy=False), _text(into), thread_count(n_threads))


def project_non_negative(x: Any) -> np.ndarray:
    """The nearest point without negative entries."""
    return project(x, box(0, math.inf))


def project_box(x: Any, lower: Any = 0.0, upper: Any = 1.0) -> np.ndarray:
    """The nearest point with lower ≤ p ≤ upper."""
    return project(x, box(lower, upper))


def project_ball(x: Any, radius: float = 1.0, norm: float = 2) -> np.ndarray:
    """The nearest point whose norm (1, 2 or math.inf) is at most the radius."""
    return project(x, ball(radius, norm))


def project_half_space(x: Any, w: Any, c: float) -> np.ndarray:
    """The nearest point with ⟨w, p⟩ ≤ c."""
    return project(x, half_space(w, c))


def project_hyperplane(x: Any, w: Any, c: float) -> np.ndarray:
    """The nearest point with ⟨w, p⟩ = c."""
    return project(x, hyperplane(w, c))


def project_box_section(x: Any, lower: Any, upper: Any, w: Any = 1.0, c: float = 1.0) -> np.ndarray:
    """The nearest point with lower ≤ p ≤ upper and ⟨w, p⟩ = c."""
    return project(x, box_section(lower, upper, w, c))


def project_simplex(x: Any, total: float = 1.0) -> np.ndarray:
    """The nearest point without negative entries whose sum is the total."""
    return project(x, box_section(0, math.inf, c=total))
