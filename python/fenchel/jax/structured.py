# SPDX-License-Identifier: Apache-2.0
"""Layers over sets of structures under the names that people search for."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from ..names import capped_simplex
from ..polytopes import Transport
from ..regularizers import Entropic, SparseMap
from ._arrays import axis_of, known_number, real_array, seen
from .functions import predict

if TYPE_CHECKING:
    from .._types import ArrayLike, PolytopeLike

__all__ = ["budget", "sinkhorn", "sparsemap"]


def sparsemap(theta: ArrayLike, polytope: PolytopeLike, *, mask: Optional[ArrayLike] = None) -> Array:
    """argmin ‖μ − θ‖² over the convex hull of a set of structures: SparseMAP, a mean of few structures.

    It is differentiable; its second derivatives are 0, as it is piecewise linear.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores of the parts of structures, or with their natural shape, such as [..., n, n] for trees.
    polytope : Polytope, str or dict
        The set of structures, such as fenchel.Arborescence(4), "k_subsets:d=5,k=2" or one of your own.
    mask : array_like of bool, optional
        True where an entry may have mass; it broadcasts to theta. A row without any is 0.

    Returns
    -------
    Array
        Means of structures, of the shape and floating type of theta.

    Examples
    --------
    >>> import jax.numpy as jnp, numpy as np, fenchel, fenchel.jax as fj
    >>> print(np.asarray(fj.sparsemap(jnp.array([[1.0, 0.5], [0.2, 0.3]]), fenchel.Arborescence(2))).round(2))
    [[0.9 0.6]
     [0.1 0.4]]

    See Also
    --------
    predict, budget, fenchel.sparsemap
    """
    return predict(theta, SparseMap(polytope), mask=mask)


def budget(theta: ArrayLike, k: float, axis: int = -1, *, mask: Optional[ArrayLike] = None) -> Array:
    """argmin ‖μ − θ‖² with 0 ≤ μ ≤ 1 and Σ μ = k: for whole k the hull of the subsets of k.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores; −inf forbids an entry.
    k : float
        The sum, from 0 to d.
    axis : int
        The axis of the scores; all others are a batch.
    mask : array_like of bool, optional
        True where an entry may have mass; it broadcasts to theta. A row without any is 0.

    Returns
    -------
    Array [..., d]
        Projections, of the shape and floating type of theta.

    Examples
    --------
    >>> import jax.numpy as jnp, numpy as np, fenchel.jax as fj
    >>> print(np.asarray(fj.budget(jnp.array([0.9, 0.8, 0.1, -1.0]), 2)).round(3))
    [0.967 0.867 0.167 0.   ]

    See Also
    --------
    sparsemap, fenchel.budget, fenchel.jax.projections.project_capped_simplex
    """
    scores = real_array("theta", theta)
    at = axis_of("theta", scores, axis)
    k = known_number("k", k, 0)
    if k == 0:  # nothing is chosen, whatever the scores
        return predict(scores, capped_simplex(scores.shape[at], 1), axis=at, mask=mask) * 0
    return predict(scores, capped_simplex(scores.shape[at], k), axis=at, mask=mask)


def _masses(name: str, masses: Any, count: int) -> list:
    if masses is None:
        return [1 / count] * count
    if isinstance(masses, jax.core.Tracer):
        raise TypeError(f"{name} is traced; expected numbers that are known when a program is compiled, as plans are not "
                        "differentiated with respect to it")
    values = np.asarray(masses, np.float64)
    if values.shape != (count,):
        raise ValueError(f"{name} has shape {values.shape}; expected {(count,)} as cost has")
    return values.tolist()


def sinkhorn(cost: ArrayLike, a: Optional[ArrayLike] = None, b: Optional[ArrayLike] = None, gamma: float = 1.0) -> Array:
    """argmin ⟨C, μ⟩ + γ Σ μ log μ over the plans μ with row sums a and column sums b: entropic optimal
    transport.

    It is differentiable in the costs, to any order; a, b and γ are numbers of the program.

    Parameters
    ----------
    cost : array_like [..., m, n]
        Costs C; +inf forbids an entry.
    a : array_like [m], optional
        Row sums; 1/m each if not given. Ones, here and for b, give doubly stochastic matrices.
    b : array_like [n], optional
        Column sums, with the same total; 1/n each if not given.
    gamma : float
        γ > 0.

    Returns
    -------
    Array [..., m, n]
        The plans, of the floating type of cost.

    Examples
    --------
    >>> import jax.numpy as jnp, numpy as np, fenchel.jax as fj
    >>> print(np.asarray(fj.sinkhorn(jnp.array([[0.0, 1.0], [1.0, 0.0]]), gamma=0.5)).round(2))
    [[0.44 0.06]
     [0.06 0.44]]

    See Also
    --------
    fenchel.sinkhorn, fenchel.jax.projections.project_transport
    """
    costs = real_array("cost", cost, 2)
    m, n = costs.shape[-2:]
    if m == 0 or n == 0:
        raise ValueError(f"cost has shape {costs.shape}; expected at least one row and one column")
    held = seen(costs)
    if held is not None and (np.isnan(held) | (held == -np.inf)).any():
        raise ValueError(f"cost has the entry {held[np.isnan(held) | (held == -np.inf)].flat[0]}; expected numbers that are "
                         "finite or inf")
    masses = Transport(_masses("a", a, m), _masses("b", b, n))
    omega = Entropic(masses, temperature=known_number("gamma", gamma, 0, above=True))
    flat = -costs.reshape(*costs.shape[:-2], m * n)
    return jnp.reshape(predict(flat, omega), costs.shape)
