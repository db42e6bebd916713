# SPDX-License-Identifier: Apache-2.0
"""A set of structures of your own, written in Python."""
from __future__ import annotations

import math
from typing import Any, Tuple

import numpy as np

from . import _core as native
from ._base import Polytope
from ._methods import Methods

__all__ = ["CustomPolytope"]


class CustomPolytope(Methods, Polytope):
    """Your own set of structures: a subclass with `dimension` (or `shape`) and `map(theta)`.

    Methods get scores in `shape` and return structures in it, or flat:

    - `map(theta)`: a structure y with the largest ⟨θ, y⟩, needed; of several, always the same one.
    - `marginals(theta)`: E[Y] and log Σ exp⟨θ, y⟩, for `Marginal` and the distribution.
    - `k_best(theta, k)`: the k best structures, best first, or all there are. `sample(theta, count, seed)`:
      draws.
    - `is_vertex(y)`: whether y is a structure; without it `map` is asked, which is right where structures are
      zeros and ones or all have the same norm.

    An object shows its public attributes as arguments, and is equal to itself alone.

    Examples
    --------
    >>> import fenchel, numpy as np
    >>> class OneHot(fenchel.CustomPolytope):
    ...     dimension = 3
    ...     def map(self, theta):
    ...         return np.eye(3)[theta.argmax()]
    >>> fenchel.predict([1.6, 1.1, 0.4], fenchel.SparseMap(OneHot())).round(3).tolist()
    [0.75, 0.25, 0.0]

    See Also
    --------
    CustomRegularizer, Simplex
    """

    written_in_python = True
    dimension: Any = None
    shape: Any = None
    marginals: Any = None
    k_best: Any = None
    sample: Any = None
    is_vertex: Any = None

    def __init__(self) -> None:
        pass

    def map(self, theta: np.ndarray) -> Any:
        """argmax over Y of ⟨θ, y⟩, which a subclass has to say.

        Parameters
        ----------
        theta : ndarray
            Scores, of the natural shape, float64.

        Returns
        -------
        array_like
            A structure, of the natural shape or flat.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method map; expected argmax ⟨θ, y⟩")

    @property
    def spec(self) -> dict:
        """Not to be had: a set that is written in Python has no text."""
        raise TypeError(f"{type(self).__name__} is written in Python and has no text")

    @property
    def core(self) -> native.Polytope:
        return native.custom_polytope(self, self._extents)

    @property
    def _extents(self) -> Tuple[int, ...]:
        shape = self.shape if self.shape is not None else self.dimension
        extents: Tuple[Any, ...] = tuple(shape) if hasattr(shape, "__iter__") else (shape,)
        if not extents or not all(isinstance(extent, (int, np.integer)) and extent > 0 for extent in extents):
            raise ValueError(f"{type(self).__name__}.shape is {shape!r}; expected whole numbers > 0 (or a dimension)")
        if self.shape is not None and self.dimension is not None and self.dimension != math.prod(extents):
            raise ValueError(
                f"{type(self).__name__}.dimension is {self.dimension}; expected {math.prod(extents)} as shape has")
        return tuple(int(extent) for extent in extents)

    def _map(self, theta: np.ndarray) -> np.ndarray:
        shape = self._extents
        return self._array("map", self.map(theta.reshape(shape)), shape)

    def _marginals(self, theta: np.ndarray) -> Tuple[np.ndarray, float]:
        result, shape = self.marginals(theta.reshape(self._extents)), self._extents
        if not isinstance(result, tuple) or len(result) != 2:
            raise TypeError(f"{type(self).__name__}.marginals returned {result!r}; expected the marginals and log Z")
        return self._array("marginals", result[0], shape), self._number("marginals", result[1])

    def _rows(self, method: str, result: Any) -> np.ndarray:
        shape = self._extents
        rows = [self._array(method, row, shape).ravel() for row in result]
        return np.array(rows).reshape(len(rows), math.prod(shape))

    def _k_best(self, theta: np.ndarray, k: int) -> np.ndarray:
        rows = self._rows("k_best", self.k_best(theta.reshape(self._extents), k))
        if not 1 <= len(rows) <= k:
            raise ValueError(f"{type(self).__name__}.k_best returned {len(rows)} structures; expected 1 to {k}")
        return rows

    def _sample(self, theta: np.ndarray, count: int, seed: int) -> np.ndarray:
        rows = self._rows("sample", self.sample(theta.reshape(self._extents), count, seed))
        if len(rows) != count:
            raise ValueError(f"{type(self).__name__}.sample returned {len(rows)} structures; expected {count}")
        return rows

    def _is_vertex(self, y: np.ndarray) -> float:
        if self.is_vertex is not None:
            return float(bool(self.is_vertex(y.reshape(self._extents))))
        binary = ((y == 0) | (y == 1)).all()
        return float(np.allclose(self._map(2 * y - 1 if binary else y).ravel(), y, rtol=0, atol=1e-9))
