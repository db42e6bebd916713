# SPDX-License-Identifier: Apache-2.0
"""Sets of structures (paper §7.3); `fenchel polytopes NAME` explains the layout of their scores."""
from __future__ import annotations

from typing import Any

from ._base import Polytope

__all__ = ["Alignment", "Arborescence", "Birkhoff", "Chain", "Cube", "KSubsets", "Permutahedron", "ProjectiveTree",
           "Sequence", "Simplex", "Transport"]


class Simplex(Polytope):
    """The unit vectors of R^d."""

    def __init__(self, d: int):
        super().__init__("simplex", d=d)


class KSubsets(Polytope):
    """Vectors of k ones and d − k zeros."""

    def __init__(self, d: int, k: int):
        super().__init__("k_subsets", d=d, k=k)


class Cube(Polytope):
    """Vectors of zeros and ones."""

    def __init__(self, d: int):
        super().__init__("cube", d=d)


class Sequence(Polytope):
    """Sequences of n states out of m, as paths; scores [n, m, m]: step, state, state before."""

    def __init__(self, n: int, m: int):
        super().__init__("sequence", n=n, m=m)


class Chain(Polytope):
    """Sequences with counts of their transitions; scores n·m of states, m·m of transitions (and 2m at the ends)."""

    def __init__(self, n: int, m: int, boundary: bool = False):
        super().__init__("chain", n=n, m=m, boundary=boundary)


class Alignment(Polytope):
    """Monotone paths through an m × n grid: dynamic time warping."""

    def __init__(self, m: int, n: int, band: int = 0):
        super().__init__("alignment", m=m, n=n, band=band)


class Arborescence(Polytope):
    """Non-projective dependency trees over n words; scores [n, n]: head, modifier; the diagonal is the root's."""

    def __init__(self, n: int, single_root: bool = False):
        super().__init__("arborescence", n=n, single_root=single_root)


class ProjectiveTree(Polytope):
    """Dependency trees without crossing arcs, scored as Arborescence."""

    def __init__(self, n: int, single_root: bool = False):
        super().__init__("projective_tree", n=n, single_root=single_root)


class Permutahedron(Polytope):
    """The permutations of w: rankings."""

    def __init__(self, w: Any):
        super().__init__("permutahedron", w=w)


class Birkhoff(Polytope):
    """Permutation matrices: perfect matchings of n rows with n columns."""

    def __init__(self, n: int):
        super().__init__("birkhoff", n=n)


class Transport(Polytope):
    """Transport plans with row sums a and column sums b."""

    def __init__(self, a: Any, b: Any):
        super().__init__("transport", a=a, b=b)
