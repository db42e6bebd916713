# SPDX-License-Identifier: Apache-2.0
"""What some sets of structures offer beside their parameters: NameMethods is the base of the class Name."""
from __future__ import annotations

import math
from typing import Any, List, Tuple

import numpy as np

from ._arrays import real_array
from ._base import Polytope


class ChainMethods(Polytope):
    """Scores and marginals of a chain by their parts."""

    def scores(self, states: Any, transitions: Any, start: Any = None, end: Any = None) -> np.ndarray:
        """θ from scores of states [..., n, m], transitions [..., m, m] (previous state first) and ends [..., m]."""
        parts = [real_array("states", states), real_array("transitions", transitions)]
        if bool(self.boundary) != (start is not None) or bool(self.boundary) != (end is not None):
            raise ValueError(
                f"start and end are {'not ' if self.boundary else ''}given; boundary is {bool(self.boundary)}")
        shapes: List[Tuple[int, ...]] = [(self.n, self.m), (self.m, self.m)]
        if self.boundary:
            parts += [real_array("start", start), real_array("end", end)]
            shapes += [(self.m,), (self.m,)]
        for name, part, shape in zip(("states", "transitions", "start", "end"), parts, shapes):
            if part.ndim < len(shape) or part.shape[part.ndim - len(shape):] != shape:
                raise ValueError(f"{name} has shape {part.shape}; expected {shape} after the axes of a batch")
        leading = np.broadcast_shapes(*(part.shape[:part.ndim - len(shape)] for part, shape in zip(parts, shapes)))
        return np.concatenate([np.broadcast_to(part, (*leading, *shape)).reshape(*leading, math.prod(shape))
                               for part, shape in zip(parts, shapes)], axis=-1)

    def parts(self, mu: Any) -> Tuple[np.ndarray, ...]:
        """The inverse of `scores`: states, transitions and, with a boundary, start and end."""
        mu = real_array("mu", mu)
        if mu.shape[-1:] != (self.dimension,):
            raise ValueError(f"mu has shape {mu.shape}; expected {self.dimension} entries along the last axis")
        n, m, leading = self.n, self.m, mu.shape[:-1]
        sizes = [n * m, m * m, m, m][:4 if self.boundary else 2]
        states, transitions, *ends = np.split(mu, np.cumsum(sizes)[:-1], axis=-1)
        return (states.reshape(*leading, n, m), transitions.reshape(*leading, m, m), *ends)

    def _places(self, small: Polytope) -> np.ndarray:
        return np.concatenate([np.arange(small.n * self.m), np.arange(self.n * self.m, self.dimension)])
