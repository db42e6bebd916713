# SPDX-License-Identifier: Apache-2.0
"""What some sets of structures offer beside their parameters: NameMethods is the base of the class Name."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, List, Optional, Tuple

import numpy as np

from ._arrays import real_array
from ._base import Polytope

if TYPE_CHECKING:
    from ._types import ArrayLike


class ChainMethods(Polytope):
    """Scores and marginals of a chain by their parts."""

    def scores(self, states: ArrayLike, transitions: ArrayLike, start: Optional[ArrayLike] = None,
               end: Optional[ArrayLike] = None) -> np.ndarray:
        """θ of a chain from scores of its parts.

        Parameters
        ----------
        states : array_like [..., n, m]
            Scores of states.
        transitions : array_like [..., m, m]
            Scores of transitions, the previous state first.
        start : array_like [..., m], optional
            Scores of the first state, with `boundary`.
        end : array_like [..., m], optional
            Scores of the last state, with `boundary`.

        Returns
        -------
        ndarray [..., dimension]
            θ.

        Examples
        --------
        >>> import fenchel
        >>> fenchel.Chain(2, 2).scores([[1, 0], [0, 1]], [[0, 2], [0, 0]]).tolist()
        [1, 0, 0, 1, 0, 2, 0, 0]

        See Also
        --------
        parts
        """
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

    def parts(self, mu: ArrayLike) -> Tuple[np.ndarray, ...]:
        """The parts of a vector of a chain: the inverse of `scores`.

        Parameters
        ----------
        mu : array_like [..., dimension]
            Scores, structures or marginals.

        Returns
        -------
        tuple of ndarray
            States, transitions and, with a boundary, start and end.

        Examples
        --------
        >>> import fenchel
        >>> fenchel.Chain(1, 2).parts([1, 0, 0, 0, 0, 0])[0].tolist()
        [[1, 0]]

        See Also
        --------
        scores
        """
        points = real_array("mu", mu)
        if points.shape[-1:] != (self.dimension,):
            raise ValueError(f"mu has shape {points.shape}; expected {self.dimension} entries along the last axis")
        n, m, leading = self.n, self.m, points.shape[:-1]
        sizes = [n * m, m * m, m, m][:4 if self.boundary else 2]
        states, transitions, *ends = np.split(points, np.cumsum(sizes)[:-1], axis=-1)
        return (states.reshape(*leading, n, m), transitions.reshape(*leading, m, m), *ends)

    def _places(self, small: Polytope) -> np.ndarray:
        return np.concatenate([np.arange(small.n * self.m), np.arange(self.n * self.m, self.dimension)])
