# SPDX-License-Identifier: Apache-2.0
"""Distributions over structures, p(y) ∝ exp⟨θ, y⟩ (paper §7.1), and everything one asks of them."""
from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Callable, List, NamedTuple, Optional, Union, cast

import numpy as np

from . import _core
from ._arguments import shown, thread_count
from ._base import Polytope, polytope_of
from .layout import Layout, layout_of
from .structures import decode

if TYPE_CHECKING:
    from ._types import ArrayLike, PolytopeLike, PolytopesLike

__all__ = ["Distribution", "KBest", "Mixture"]

_MOST = 1_000_000  # structures in one answer of k_best, each a dense vector

Vectors = Union[np.ndarray, List[np.ndarray]]


class KBest(NamedTuple):
    """Structures, best first, and their scores ⟨θ, y⟩; where an example has fewer than k, zeros and −inf."""

    structures: Vectors
    scores: Vectors


class Mixture(NamedTuple):
    """Structures and weights that sum to 1; where an example has fewer than others of its batch, zeros."""

    structures: Vectors
    weights: Vectors


def _count(name: str, value: Any, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} is {value!r}; expected a whole number")
    if not 1 <= value <= most:
        raise ValueError(f"{name} is {value}; expected 1 to {most}")
    return int(value)


def _fixed(arrays: Vectors) -> Vectors:
    """Results that are kept are not to be written to."""
    for array in arrays if isinstance(arrays, list) else [arrays]:
        array.flags.writeable = False
    return arrays


class Distribution:
    """p(y) ∝ exp⟨θ, y⟩ over the structures of a polytope: of one example, or of a batch.

    Results have the type of θ, numbers are float64. Properties (`map`, `marginals`, `log_partition`,
    `entropy`, `sparsemap`) are computed when first asked for, and kept; θ is not copied, so that it should
    not be changed in the meantime. What it shows, in < >, is not to be pasted back.

    Parameters
    ----------
    polytope : Polytope, str or dict, or a list of them
        The set of structures; for a ragged batch a list of sets, or a function of an example's θ that makes
        one.
    theta : array_like
        Scores, whose last axes are the natural shape of the polytope, or one flat axis (which it is taken for
        if the last axis alone is long enough); leading axes are a batch. A list of arrays for a ragged batch,
        whose results are lists.
    lengths : array_like of int, optional
        θ is padded: `polytope` is for the longest example, and example i uses the scores that the polytope of
        its length has (two lengths for an alignment). Results are 0 outside of them.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Examples
    --------
    >>> import fenchel
    >>> tree = fenchel.Distribution(fenchel.Arborescence(2), [[1.0, 0.5], [0.2, 0.3]])
    >>> tree.decode(tree.map).tolist()
    [-1, 0]
    >>> tree.marginals.round(3).tolist()
    [[0.832, 0.457], [0.168, 0.543]]
    >>> tree.k_best(2).scores.round(3).tolist()
    [1.5, 1.3]

    See Also
    --------
    Polytope, Marginal, SparseMap
    """

    def __init__(self, polytope: PolytopesLike, theta: ArrayLike, lengths: Optional[ArrayLike] = None, *, n_threads: int = 1):
        several = isinstance(polytope, (list, tuple)) or (callable(polytope) and not isinstance(polytope, Polytope))
        self.polytope: Any = polytope if several else polytope_of(cast("PolytopeLike", polytope))
        self.n_threads = thread_count(n_threads)
        self._layout: Layout = layout_of(self.polytope, theta, lengths)

    def __repr__(self) -> str:
        return f"<Distribution over {shown(self.polytope)}, {self._layout.description}>"

    def _of(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """A function of the module on all examples."""
        layout = self._layout
        return function(layout.cores, layout.values, layout.offsets, *arguments, self.n_threads)

    def _vectors(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return self._layout.vectors(self._of(function, *arguments))

    def _numbers(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return self._layout.numbers(self._of(function, *arguments))

    @cached_property
    def map(self) -> Vectors:
        """The most likely structure, argmax p(y)."""
        return _fixed(self._vectors(_core.gibbs_map))

    @cached_property
    def marginals(self) -> Vectors:
        """E[Y]: the probability of each part of a structure."""
        return _fixed(self._vectors(_core.gibbs_marginals))

    @cached_property
    def log_partition(self) -> Any:
        """log Σ exp⟨θ, y⟩ over all structures."""
        return self._numbers(_core.gibbs_log_partition)

    @cached_property
    def entropy(self) -> Any:
        """−Σ p(y) log p(y)."""
        return self._numbers(_core.gibbs_entropy)

    @cached_property
    def sparsemap(self) -> Vectors:
        """argmin over conv(Y) of ½‖μ − θ‖²: the mean of a mixture of few structures (paper §7.2)."""
        return _fixed(self._vectors(_core.gibbs_project))

    def sparsemap_mixture(self) -> Mixture:
        """A mixture of few structures whose mean is `sparsemap`.

        Returns
        -------
        Mixture
            (structures, weights): the weights of an example sum to 1.

        Examples
        --------
        >>> import fenchel
        >>> tree = fenchel.Distribution(fenchel.Arborescence(2), [[1.0, 0.5], [0.2, 0.3]])
        >>> tree.sparsemap_mixture().weights.round(3).tolist()
        [0.6, 0.1, 0.3]
        """
        flat, counts, weights = self._of(_core.gibbs_sparsemap_mixture)
        return Mixture(self._layout.blocks(flat, counts), self._layout.rows(weights, counts, 0.0))

    def k_best(self, k: int) -> KBest:
        """The k most likely structures, best first.

        Parameters
        ----------
        k : int
            How many, from 1 to 1,000,000; examples that have fewer are filled with zeros, and −inf.

        Returns
        -------
        KBest
            (structures, scores), along the axis after the batch's.

        Examples
        --------
        >>> import fenchel
        >>> tree = fenchel.Distribution(fenchel.Arborescence(2), [[1.0, 0.5], [0.2, 0.3]])
        >>> tree.k_best(2).scores.round(3).tolist()
        [1.5, 1.3]
        """
        flat, counts, scores = self._of(_core.gibbs_k_best, _count("k", k, _MOST))
        return KBest(self._layout.blocks(flat, counts), self._layout.rows(scores, counts, -np.inf))

    def sample(self, count: int = 1, seed: Optional[int] = None) -> Vectors:
        """Independent draws.

        Parameters
        ----------
        count : int
            How many.
        seed : int, optional
            Draws are the same for the same seed; any, if there is none.

        Returns
        -------
        ndarray or list of ndarray
            Structures, along the axis after the batch's.

        Examples
        --------
        >>> import fenchel
        >>> tree = fenchel.Distribution(fenchel.Arborescence(2), [[1.0, 0.5], [0.2, 0.3]])
        >>> tree.sample(5, seed=0).shape
        (5, 2, 2)
        """
        if seed is None:
            seed = int(np.random.default_rng().integers(2**63))
        elif isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**64:
            raise ValueError(f"seed is {seed!r}; expected a whole number from 0 to 2^64 − 1")
        count = _count("count", count, 2**40)
        flat = self._of(_core.gibbs_sample, count, int(seed))
        return self._layout.blocks(flat, np.full(self._layout.count, count, np.int64), count)

    def log_prob(self, y: ArrayLike) -> Any:
        """log p(y); −inf where θ forbids the structure.

        Parameters
        ----------
        y : array_like
            Structures, of the shape of θ, or with one more axis before those of a structure, as `sample`
            returns them.

        Returns
        -------
        float or ndarray
            A number for each structure.

        Raises
        ------
        ValueError
            y is not a structure.

        Examples
        --------
        >>> import fenchel
        >>> tree = fenchel.Distribution(fenchel.Arborescence(2), [[1.0, 0.5], [0.2, 0.3]])
        >>> float(tree.log_prob(tree.map).round(4))
        -0.7824
        """
        flat, counts, several = self._layout.structures(y)
        result = self._of(_core.gibbs_log_prob, flat, counts)
        return self._layout.rows(result, counts, 0.0) if several else self._layout.numbers(result)

    def covariance_product(self, v: ArrayLike) -> Vectors:
        """Cov[Y] v, the derivative of the marginals along v.

        Parameters
        ----------
        v : array_like
            Directions, of the shape of θ.

        Returns
        -------
        ndarray or list of ndarray
            Cov[Y] v, of the shape of θ.

        Examples
        --------
        >>> import fenchel
        >>> tree = fenchel.Distribution(fenchel.Arborescence(2), [[1.0, 0.5], [0.2, 0.3]])
        >>> tree.covariance_product([[1.0, 0.0], [0.0, 0.0]]).round(3).tolist()
        [[0.14, 0.077], [-0.14, -0.077]]
        """
        flat, counts, several = self._layout.structures(v, "v")
        if several:
            raise ValueError("v has one more axis than theta; expected the shape of theta")
        return self._vectors(_core.gibbs_covariance_product, flat)

    def decode(self, y: ArrayLike) -> Any:
        """Structures of this distribution in short form: see `Polytope.decode`.

        Parameters
        ----------
        y : array_like
            Structures, of the shape of θ, or with one more axis before those of a structure, as `sample`
            returns them.

        Returns
        -------
        ndarray of int or list
            The short form; a list if examples differ in length.

        Examples
        --------
        >>> import fenchel
        >>> tree = fenchel.Distribution(fenchel.Arborescence(2), [[1.0, 0.5], [0.2, 0.3]])
        >>> tree.decode(tree.map).tolist()
        [-1, 0]
        """
        if self._layout.uniform:
            return decode(self._layout.cores[0], y) if self._layout.count else np.empty(0, np.int64)
        flat, counts, several = self._layout.structures(y)
        parts, position = [], 0
        for core, count in zip(self._layout.cores, counts):
            size = int(count) * core.dimension
            rows = flat[position:position + size].reshape(-1, core.dimension)
            parts.append(decode(core, rows if several else rows[0]))
            position += size
        return parts
