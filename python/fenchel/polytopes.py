# SPDX-License-Identifier: Apache-2.0
"""Every set of structures (paper §7.3), with the parameters it has in C++.

Written by scripts/generate from the list of C++: edit that.
"""
from __future__ import annotations

from typing import TYPE_CHECKING

from ._base import Polytope
from ._polytope_methods import ChainMethods

if TYPE_CHECKING:
    from ._types import ArrayLike

__all__ = ["Alignment", "Arborescence", "Birkhoff", "Chain", "Cube", "KSubsets", "Permutahedron", "ProjectiveTree",
           "Sequence", "Simplex", "Transport"]


class Simplex(Polytope):
    """The unit vectors.

    Scores [d]: one entry per class. Paper: §4; §7.

    Parameters
    ----------
    d : int
        Number of classes, >= 1.

    Examples
    --------
    >>> import fenchel
    >>> structures = fenchel.Simplex(3)
    >>> structures.shape
    (3,)
    >>> theta = [1.6, 1.1, 0.4]
    >>> best = fenchel.predict(theta, fenchel.Map(structures))
    >>> structures.decode(best).tolist()  # classes
    0

    See Also
    --------
    fenchel.SparseMap, fenchel.Marginal, fenchel.Distribution, fenchel.explain
    """

    length_parameters = ("d",)

    def __init__(self, d: int):
        super().__init__("simplex", d=d)


class KSubsets(Polytope):
    """Vectors of k ones and d - k zeros.

    Scores [d]: one entry per item. Paper: §7.3, Permutations.

    Parameters
    ----------
    d : int
        Number of items, >= 1.
    k : int
        Size of the subsets, 1 <= k <= d.

    Examples
    --------
    >>> import fenchel
    >>> structures = fenchel.KSubsets(3, 2)
    >>> structures.shape
    (3,)
    >>> theta = [1.6, 1.1, 0.4]
    >>> best = fenchel.predict(theta, fenchel.Map(structures))
    >>> structures.decode(best).tolist()  # the entries that are chosen
    [0, 1]

    See Also
    --------
    fenchel.SparseMap, fenchel.Marginal, fenchel.Distribution, fenchel.explain
    """

    length_parameters = ("d",)

    def __init__(self, d: int, k: int):
        super().__init__("k_subsets", d=d, k=k)


class Cube(Polytope):
    """Vectors of zeros and ones.

    Scores [d]: one entry per question. Paper: §6.1.

    Parameters
    ----------
    d : int
        Number of yes-or-no questions, >= 1.

    Examples
    --------
    >>> import fenchel
    >>> structures = fenchel.Cube(3)
    >>> structures.shape
    (3,)
    >>> theta = [1.6, 1.1, 0.4]
    >>> best = fenchel.predict(theta, fenchel.Map(structures))
    >>> structures.decode(best).tolist()  # the entries that are 1
    [0, 1, 2]

    See Also
    --------
    fenchel.SparseMap, fenchel.Marginal, fenchel.Distribution, fenchel.explain
    """

    length_parameters = ("d",)

    def __init__(self, d: int):
        super().__init__("cube", d=d)


class Sequence(Polytope):
    """Sequences of n states out of m, as paths.

    Scores [n, m, m]: entry (t, i, j) is for state i at step t after state j; at step 0 the previous state is
    0. Paper: §7.3, Sequences.

    Parameters
    ----------
    n : int
        Number of steps, >= 1.
    m : int
        Number of states, >= 1.

    Examples
    --------
    >>> import fenchel
    >>> structures = fenchel.Sequence(3, 2)
    >>> structures.shape
    (3, 2, 2)
    >>> theta = [[[1.6, 1.1], [0.4, -0.3]], [[0.9, 2.0], [0.1, 1.6]], [[1.1, 0.4], [-0.3, 0.9]]]
    >>> best = fenchel.predict(theta, fenchel.Map(structures))
    >>> structures.decode(best).tolist()  # tags
    [0, 0, 0]

    See Also
    --------
    fenchel.SparseMap, fenchel.Marginal, fenchel.Distribution, fenchel.explain
    """

    length_parameters = ("n",)

    def __init__(self, n: int, m: int):
        super().__init__("sequence", n=n, m=m)


class Chain(ChainMethods):
    """Sequences of n states out of m, with the counts of their transitions.

    Scores: n·m scores of states, m·m of transitions (previous state first), then m start and m end scores if
    boundary. Paper: §7.3, Sequences.

    Parameters
    ----------
    n : int
        Number of steps, >= 1.
    m : int
        Number of states, >= 1.
    boundary : bool, default False
        Score the first and the last state too.

    Examples
    --------
    >>> import fenchel
    >>> structures = fenchel.Chain(3, 2)
    >>> structures.shape
    (10,)
    >>> theta = [1.6, 1.1, 0.4, -0.3, 0.9, 2.0, 0.1, 1.6, 1.1, 0.4]
    >>> best = fenchel.predict(theta, fenchel.Map(structures))
    >>> structures.decode(best).tolist()  # tags
    [1, 0, 1]

    See Also
    --------
    fenchel.SparseMap, fenchel.Marginal, fenchel.Distribution, fenchel.explain
    """

    length_parameters = ("n",)

    def __init__(self, n: int, m: int, boundary: bool = False):
        super().__init__("chain", n=n, m=m, boundary=boundary)


class Alignment(Polytope):
    """Monotone paths through a grid.

    Scores [m, n]: cells on the path from (0,0) to (m−1,n−1). Paper: §7.3 "Alignments".

    Parameters
    ----------
    m : int
        Length of the first series, >= 1.
    n : int
        Length of the second series, >= 1.
    band : int, default 0
        Paths keep to the cells with |i (n-1) - j (m-1)| <= band (max(m, n) - 1), |i - j| <= band where m = n;
        0 for all cells.

    Examples
    --------
    >>> import fenchel
    >>> structures = fenchel.Alignment(3, 2)
    >>> structures.shape
    (3, 2)
    >>> theta = [[1.6, 1.1], [0.4, -0.3], [0.9, 2.0]]
    >>> best = fenchel.predict(theta, fenchel.Map(structures))
    >>> structures.decode(best).tolist()  # the cells of paths
    [[0, 0], [1, 0], [2, 0], [2, 1]]

    See Also
    --------
    fenchel.SparseMap, fenchel.Marginal, fenchel.Distribution, fenchel.explain
    """

    length_parameters = ("m", "n")

    def __init__(self, m: int, n: int, band: int = 0):
        super().__init__("alignment", m=m, n=n, band=band)


class Arborescence(Polytope):
    """Spanning arborescences: non-projective dependency trees.

    Scores [n, n]: (h, m) is the arc h → m, the diagonal (m, m) attaches m to the root. Paper: §7.3, Spanning
    trees.

    Parameters
    ----------
    n : int
        Number of words, >= 1.
    single_root : bool, default False
        Whether the root has exactly one child.

    Examples
    --------
    >>> import fenchel
    >>> structures = fenchel.Arborescence(3)
    >>> structures.shape
    (3, 3)
    >>> theta = [[1.6, 1.1, 0.4], [-0.3, 0.9, 2.0], [0.1, 1.6, 1.1]]
    >>> best = fenchel.predict(theta, fenchel.Map(structures))
    >>> structures.decode(best).tolist()  # the heads of words
    [-1, 0, 1]

    See Also
    --------
    fenchel.SparseMap, fenchel.Marginal, fenchel.Distribution, fenchel.explain
    """

    length_parameters = ("n",)

    def __init__(self, n: int, single_root: bool = False):
        super().__init__("arborescence", n=n, single_root=single_root)


class ProjectiveTree(Polytope):
    """Dependency trees without crossing arcs.

    Scores [n, n]: (h, m) is the arc h→m, (m, m) attaches m to the root. Paper: §7.3 "Spanning trees".

    Parameters
    ----------
    n : int
        Number of words, >= 1.
    single_root : bool, default False
        Whether the root has exactly one child.

    Examples
    --------
    >>> import fenchel
    >>> structures = fenchel.ProjectiveTree(3)
    >>> structures.shape
    (3, 3)
    >>> theta = [[1.6, 1.1, 0.4], [-0.3, 0.9, 2.0], [0.1, 1.6, 1.1]]
    >>> best = fenchel.predict(theta, fenchel.Map(structures))
    >>> structures.decode(best).tolist()  # the heads of words
    [-1, 0, 1]

    See Also
    --------
    fenchel.SparseMap, fenchel.Marginal, fenchel.Distribution, fenchel.explain
    """

    length_parameters = ("n",)

    def __init__(self, n: int, single_root: bool = False):
        super().__init__("projective_tree", n=n, single_root=single_root)


class Permutahedron(Polytope):
    """The permutations of w.

    Scores [d]: y_i is the entry of w that item i gets. Paper: §7.3, Permutations.

    Parameters
    ----------
    w : array_like
        The entries that are permuted, finite, in any order.

    Examples
    --------
    >>> import fenchel
    >>> structures = fenchel.Permutahedron([3, 2, 1])
    >>> structures.shape
    (3,)
    >>> theta = [1.6, 1.1, 0.4]
    >>> best = fenchel.predict(theta, fenchel.Map(structures))
    >>> structures.decode(best).tolist()  # ranks from 0
    [0, 1, 2]

    See Also
    --------
    fenchel.SparseMap, fenchel.Marginal, fenchel.Distribution, fenchel.explain
    """

    def __init__(self, w: ArrayLike):
        super().__init__("permutahedron", w=w)


class Birkhoff(Polytope):
    """Permutation matrices: perfect matchings of n rows with n columns.

    Scores [n, n]: entry (i, j) matches row i with column j. Paper: §7.3, permutation matrices.

    Parameters
    ----------
    n : int
        Number of rows and of columns, >= 1.

    Examples
    --------
    >>> import fenchel
    >>> structures = fenchel.Birkhoff(3)
    >>> structures.shape
    (3, 3)
    >>> theta = [[1.6, 1.1, 0.4], [-0.3, 0.9, 2.0], [0.1, 1.6, 1.1]]
    >>> best = fenchel.predict(theta, fenchel.Map(structures))
    >>> structures.decode(best).tolist()  # the columns of rows
    [0, 2, 1]

    See Also
    --------
    fenchel.SparseMap, fenchel.Marginal, fenchel.Distribution, fenchel.explain
    """

    length_parameters = ("n",)

    def __init__(self, n: int):
        super().__init__("birkhoff", n=n)


class Transport(Polytope):
    """Basic plans: those whose positive entries form a forest of rows and columns.

    Scores [rows, columns]: entry (i, j) is the mass moved from row i to column j. Paper: §7.3, permutation
    matrices.

    Parameters
    ----------
    a : array_like
        Row sums, >= 0.
    b : array_like
        Column sums, >= 0, with the same total as a.

    Examples
    --------
    >>> import fenchel
    >>> structures = fenchel.Transport([3, 2, 1], [3, 2, 1])
    >>> structures.shape
    (3, 3)
    >>> theta = [[1.6, 1.1, 0.4], [-0.3, 0.9, 2.0], [0.1, 1.6, 1.1]]
    >>> best = fenchel.predict(theta, fenchel.Map(structures))
    >>> best.tolist()
    [[3.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 0.0]]

    See Also
    --------
    fenchel.SparseMap, fenchel.Marginal, fenchel.Distribution, fenchel.explain
    """

    def __init__(self, a: ArrayLike, b: ArrayLike):
        super().__init__("transport", a=a, b=b)
