# SPDX-License-Identifier: Apache-2.0
"""Sets of structures (paper §7.3); `fenchel polytopes NAME` explains the layout of their scores."""
from __future__ import annotations

import math
from typing import Any, List, Tuple

import numpy as np

from ._base import Polytope

__all__ = ["Alignment", "Arborescence", "Birkhoff", "Chain", "Cube", "KSubsets", "Permutahedron", "ProjectiveTree",
           "Sequence", "Simplex", "Transport"]


class Simplex(Polytope):
    """The unit vectors of R^d."""

    length_parameters = ("d",)

    def __init__(self, d: int):
        super().__init__("simplex", d=d)


class KSubsets(Polytope):
    """Vectors of k ones and d − k zeros."""

    length_parameters = ("d",)

    def __init__(self, d: int, k: int):
        super().__init__("k_subsets", d=d, k=k)


class Cube(Polytope):
    """Vectors of zeros and ones."""

    length_parameters = ("d",)

    def __init__(self, d: int):
        super().__init__("cube", d=d)


class Sequence(Polytope):
    """Sequences of n states out of m, as paths; scores [n, m, m]: step, state, state before."""

    length_parameters = ("n",)

    def __init__(self, n: int, m: int):
        super().__init__("sequence", n=n, m=m)


class Chain(Polytope):
    """Sequences with counts of their transitions; scores n·m of states, m·m of transitions (and 2m at the ends)."""

    length_parameters = ("n",)

    def __init__(self, n: int, m: int, boundary: bool = False):
        super().__init__("chain", n=n, m=m, boundary=boundary)

    def scores(self, states: Any, transitions: Any, start: Any = None, end: Any = None) -> np.ndarray:
        """θ from scores of states [..., n, m], transitions [..., m, m] (previous state first) and ends [..., m]."""
        parts = [np.asarray(states), np.asarray(transitions)]
        if bool(self.boundary) != (start is not None) or bool(self.boundary) != (end is not None):
            raise ValueError(
                f"start and end are {'not ' if self.boundary else ''}given; boundary is {bool(self.boundary)}")
        shapes: List[Tuple[int, ...]] = [(self.n, self.m), (self.m, self.m)]
        if self.boundary:
            parts += [np.asarray(start), np.asarray(end)]
            shapes += [(self.m,), (self.m,)]
        for name, part, shape in zip(("states", "transitions", "start", "end"), parts, shapes):
            if part.ndim < len(shape) or part.shape[part.ndim - len(shape):] != shape:
                raise ValueError(f"{name} has shape {part.shape}; expected {shape} after the axes of a batch")
        leading = np.broadcast_shapes(*(part.shape[:part.ndim - len(shape)] for part, shape in zip(parts, shapes)))
        return np.concatenate([np.broadcast_to(part, (*leading, *shape)).reshape(*leading, math.prod(shape))
                               for part, shape in zip(parts, shapes)], axis=-1)

    def parts(self, mu: Any) -> Tuple[np.ndarray, ...]:
        """The inverse of `scores`: states, transitions and, with a boundary, start and end."""
        mu = np.asarray(mu)
        if mu.shape[-1:] != (self.dimension,):
            raise ValueError(f"mu has shape {mu.shape}; expected {self.dimension} entries along the last axis")
        n, m, leading = self.n, self.m, mu.shape[:-1]
        sizes = [n * m, m * m, m, m][:4 if self.boundary else 2]
        states, transitions, *ends = np.split(mu, np.cumsum(sizes)[:-1], axis=-1)
        return (states.reshape(*leading, n, m), transitions.reshape(*leading, m, m), *ends)

    def _places(self, small: Polytope) -> np.ndarray:
        return np.concatenate([np.arange(small.n * self.m), np.arange(self.n * self.m, self.dimension)])


class Alignment(Polytope):
    """Monotone paths through an m × n grid: dynamic time warping."""

    length_parameters = ("m", "n")

    def __init__(self, m: int, n: int, band: int = 0):
        super().__init__("alignment", m=m, n=n, band=band)


class Arborescence(Polytope):
    """Non-projective dependency trees over n words; scores [n, n]: head, modifier; the diagonal is the root's."""

    length_parameters = ("n",)

    def __init__(self, n: int, single_root: bool = False):
        super().__init__("arborescence", n=n, single_root=single_root)


class ProjectiveTree(Polytope):
    """Dependency trees without crossing arcs, scored as Arborescence."""

    length_parameters = ("n",)

    def __init__(self, n: int, single_root: bool = False):
        super().__init__("projective_tree", n=n, single_root=single_root)


class Permutahedron(Polytope):
    """The permutations of w: rankings."""

    def __init__(self, w: Any):
        super().__init__("permutahedron", w=w)


class Birkhoff(Polytope):
    """Permutation matrices: perfect matchings of n rows with n columns."""

    length_parameters = ("n",)

    def __init__(self, n: int):
        super().__init__("birkhoff", n=n)


class Transport(Polytope):
    """Transport plans with row sums a and column sums b."""

    def __init__(self, a: Any, b: Any):
        super().__init__("transport", a=a, b=b)
