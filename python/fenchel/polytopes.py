# SPDX-License-Identifier: Apache-2.0
"""Every set of structures (paper §7.3), with the parameters it has in C++.

Written by scripts/generate from the list of C++: edit that.
"""
from __future__ import annotations

from typing import Any

from ._base import Polytope
from ._polytope_methods import ChainMethods

__all__ = ["Alignment", "Arborescence", "Birkhoff", "Chain", "Cube", "KSubsets", "Permutahedron", "ProjectiveTree",
           "Sequence", "Simplex", "Transport"]


class Simplex(Polytope):
    """The unit vectors.

    Scores [d]: one entry per class. Paper: §4; §7.

    d: number of classes, >= 1
    """

    length_parameters = ("d",)

    def __init__(self, d: int):
        super().__init__("simplex", d=d)


class KSubsets(Polytope):
    """Vectors of k ones and d - k zeros.

    Scores [d]: one entry per item. Paper: §7.3, Permutations.

    d: number of items, >= 1
    k: size of the subsets, 1 <= k <= d
    """

    length_parameters = ("d",)

    def __init__(self, d: int, k: int):
        super().__init__("k_subsets", d=d, k=k)


class Cube(Polytope):
    """Vectors of zeros and ones.

    Scores [d]: one entry per question. Paper: §6.1.

    d: number of yes-or-no questions, >= 1
    """

    length_parameters = ("d",)

    def __init__(self, d: int):
        super().__init__("cube", d=d)


class Sequence(Polytope):
    """Sequences of n states out of m, as paths.

    Scores [n, m, m]: entry (t, i, j) is for state i at step t after state j; at step 0 the previous state is 0. Paper:
    §7.3, Sequences.

    n: number of steps, >= 1
    m: number of states, >= 1
    """

    length_parameters = ("n",)

    def __init__(self, n: int, m: int):
        super().__init__("sequence", n=n, m=m)


class Chain(ChainMethods):
    """Sequences of n states out of m, with the counts of their transitions.

    Scores: n·m scores of states, m·m of transitions (previous state first), then m start and m end scores if boundary.
    Paper: §7.3, Sequences.

    n: number of steps, >= 1
    m: number of states, >= 1
    boundary: score the first and the last state too
    """

    length_parameters = ("n",)

    def __init__(self, n: int, m: int, boundary: bool = False):
        super().__init__("chain", n=n, m=m, boundary=boundary)


class Alignment(Polytope):
    """Monotone paths through a grid.

    Scores [m, n]: cells on the path from (0,0) to (m−1,n−1). Paper: §7.3 "Alignments".

    m: length of the first series, >= 1
    n: length of the second series, >= 1
    band: paths keep to the cells with |i (n-1) - j (m-1)| <= band (max(m, n) - 1), |i - j| <= band where m = n; 0 for
    all cells
    """

    length_parameters = ("m", "n")

    def __init__(self, m: int, n: int, band: int = 0):
        super().__init__("alignment", m=m, n=n, band=band)


class Arborescence(Polytope):
    """Spanning arborescences: non-projective dependency trees.

    Scores [n, n]: (h, m) is the arc h → m, the diagonal (m, m) attaches m to the root. Paper: §7.3, Spanning trees.

    n: number of words, >= 1
    single_root: whether the root has exactly one child
    """

    length_parameters = ("n",)

    def __init__(self, n: int, single_root: bool = False):
        super().__init__("arborescence", n=n, single_root=single_root)


class ProjectiveTree(Polytope):
    """Dependency trees without crossing arcs.

    Scores [n, n]: (h, m) is the arc h→m, (m, m) attaches m to the root. Paper: §7.3 "Spanning trees".

    n: number of words, >= 1
    single_root: whether the root has exactly one child
    """

    length_parameters = ("n",)

    def __init__(self, n: int, single_root: bool = False):
        super().__init__("projective_tree", n=n, single_root=single_root)


class Permutahedron(Polytope):
    """The permutations of w.

    Scores [d]: y_i is the entry of w that item i gets. Paper: §7.3, Permutations.

    w: the entries that are permuted, finite, in any order
    """

    def __init__(self, w: Any):
        super().__init__("permutahedron", w=w)


class Birkhoff(Polytope):
    """Permutation matrices: perfect matchings of n rows with n columns.

    Scores [n, n]: entry (i, j) matches row i with column j. Paper: §7.3, permutation matrices.

    n: number of rows and of columns, >= 1
    """

    length_parameters = ("n",)

    def __init__(self, n: int):
        super().__init__("birkhoff", n=n)


class Transport(Polytope):
    """Basic plans: those whose positive entries form a forest of rows and columns.

    Scores [rows, columns]: entry (i, j) is the mass moved from row i to column j. Paper: §7.3, permutation matrices.

    a: row sums, >= 0
    b: column sums, >= 0, with the same total as a
    """

    def __init__(self, a: Any, b: Any):
        super().__init__("transport", a=a, b=b)
