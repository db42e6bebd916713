# SPDX-License-Identifier: Apache-2.0
"""Linear-chain conditional random fields as functions (paper §7.3): scores of tags, transitions, first and last tags.

The score of tags y₁, …, y_n is start[y₁] + Σ emissions[t, y_t] + Σ transitions[y_t, y_{t+1}] + end[y_n]. Batches come first;
`mask` says which steps there are, and all are if it is not given. −inf forbids a tag or a transition.

>>> import jax.numpy as jnp
>>> from fenchel.jax import crf
>>> emissions, transitions = jnp.array([[1.0, 0.0], [0.0, 2.0], [0.5, 0.0]]), jnp.zeros((2, 2))
>>> print(crf.viterbi(emissions, transitions))
[0 1 0]
"""
from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any, Optional, Tuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from . import _chain
from ._arrays import array_of, real_array, seen, widened
from ._calls import chosen
from ._known import known_of
from ._predict import Task, conjugate_rows, predict_rows

if TYPE_CHECKING:
    from .._types import ArrayLike

__all__ = ["log_partition", "loss", "marginals", "score", "viterbi"]


def _checked(emissions: Any, transitions: Any, start: Any, end: Any, mask: Any) -> Tuple[_chain.Parts, Optional[Array], Any]:
    """The scores with all leading axes of the emissions, the mask, and the type of results."""
    states = real_array("emissions", emissions, 2)
    n, m = states.shape[-2:]
    if n == 0 or m == 0:
        raise ValueError(f"emissions has shape {states.shape}; expected at least one step and one tag")
    given = {"transitions": real_array("transitions", transitions, 2)}
    for name, one in (("start", start), ("end", end)):
        given[name] = jnp.zeros(m, states.dtype) if one is None else real_array(name, one)
    wanted = {"transitions": (m, m), "start": (m,), "end": (m,)}
    dtype = jnp.result_type(states.dtype, *(one.dtype for one in given.values()))
    parts = [widened(states.astype(dtype))]
    for name, one in given.items():
        shape = (*states.shape[:-2], *wanted[name])
        if one.shape[-len(wanted[name]):] != wanted[name] or one.ndim > len(shape):
            raise ValueError(f"{name} has shape {one.shape}; expected {wanted[name]}, as emissions have {m} tags")
        try:
            parts.append(jnp.broadcast_to(widened(one.astype(dtype)), shape))
        except ValueError:
            raise ValueError(f"{name} has shape {one.shape}; expected {shape} or {wanted[name]}") from None
    for name, one in zip(("emissions", *given), parts):
        held = seen(one)
        if held is not None and (np.isnan(held) | (held == np.inf)).any():
            wrong = held[np.isnan(held) | (held == np.inf)].flat[0]
            raise ValueError(f"{name} has the entry {wrong}; expected numbers that are finite or -inf")
    return _chain.Parts(*parts), _mask(mask, states), dtype


def _mask(mask: Any, states: Array) -> Optional[Array]:
    if mask is None:
        return None
    given = array_of("mask", mask)
    if given.shape != states.shape[:-1]:
        raise ValueError(f"mask has shape {given.shape}; expected {states.shape[:-1]}, one entry for each step")
    kept = given != 0
    held = seen(kept)
    if held is not None and (not held[..., 0].all() or (held[..., 1:] & ~held[..., :-1]).any()):
        raise ValueError("mask leaves out a step before one that it keeps; expected each sequence to fill its first steps, one "
                         "at least")
    return kept


def _task(parts: _chain.Parts) -> Task:
    n, m = parts.states.shape[-2:]
    spec = {"name": "marginal", "polytope": {"name": "chain", "n": n, "m": m, "boundary": True}}
    return Task(known_of(json.dumps(spec)), chosen())


def _row(parts: _chain.Parts) -> Array:
    """All scores in one row, as the polytope Chain has them."""
    lead, (n, m) = parts.start.shape[:-1], parts.states.shape[-2:]
    return jnp.concatenate([parts.states.reshape(*lead, n * m), parts.transitions.reshape(*lead, m * m), parts.start,
                            parts.end], -1)


@partial(jax.jit, static_argnames=("task",))
def _log_partition(parts: _chain.Parts, mask: Optional[Array], task: Task) -> Array:
    return conjugate_rows(_row(parts), task) if mask is None else _chain.log_partition(parts, mask)


@partial(jax.jit, static_argnames=("task",))
def _marginals(parts: _chain.Parts, mask: Optional[Array], task: Task) -> Array:
    if mask is None:
        states = parts.states
        return predict_rows(_row(parts), task)[..., :states.shape[-2] * states.shape[-1]].reshape(states.shape)
    value, pull = jax.vjp(lambda states: _chain.log_partition(parts._replace(states=states), mask), parts.states)
    return jnp.where(jnp.isnan(value)[..., None, None], jnp.nan, pull(jnp.ones_like(value))[0])


@jax.jit
def _score(parts: _chain.Parts, tags: Array, mask: Optional[Array]) -> Array:
    m = parts.states.shape[-1]
    kept = jnp.ones(tags.shape, bool) if mask is None else mask
    wrong = (((tags < 0) | (tags >= m)) & kept).any(-1)
    tags = jnp.where(kept, jnp.clip(tags, 0, m - 1), 0)
    states = jnp.take_along_axis(parts.states, tags[..., None], -1)[..., 0]
    flat = parts.transitions.reshape(*parts.transitions.shape[:-2], m * m)
    steps = jnp.take_along_axis(flat, tags[..., :-1] * m + tags[..., 1:], -1)
    ends = jnp.take_along_axis(tags, kept.sum(-1, keepdims=True) - 1, -1)
    both = jnp.take_along_axis(parts.start, tags[..., :1], -1) + jnp.take_along_axis(parts.end, ends, -1)
    total = jnp.where(kept, states, 0).sum(-1) + jnp.where(kept[..., 1:], steps, 0).sum(-1) + both[..., 0]
    return jnp.where(wrong, jnp.nan, total)


def log_partition(emissions: ArrayLike, transitions: ArrayLike, *, start: Optional[ArrayLike] = None,
                  end: Optional[ArrayLike] = None, mask: Optional[ArrayLike] = None) -> Array:
    """log Σ exp of the scores of all sequences of tags; its gradient are the marginals.

    Parameters
    ----------
    emissions : array_like [..., n, m]
        Scores of m tags at n steps.
    transitions : array_like [m, m] or [..., m, m]
        transitions[i, j]: of tag j after tag i.
    start, end : array_like [m] or [..., m], optional
        Scores of first and of last tags; 0 if not given.
    mask : array_like of bool [..., n], optional
        True for the steps of a sequence, which are the first ones.

    Returns
    -------
    Array [...]
        A number for each sequence; NaN, in compiled programs, where scores are NaN or all are forbidden.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from fenchel.jax import crf
    >>> round(float(crf.log_partition(jnp.zeros((3, 2)), jnp.zeros((2, 2)))), 4)  # log 2³
    2.0794

    See Also
    --------
    marginals, loss, fenchel.Distribution
    """
    parts, kept, dtype = _checked(emissions, transitions, start, end, mask)
    return _log_partition(parts, kept, _task(parts)).astype(dtype)


def marginals(emissions: ArrayLike, transitions: ArrayLike, *, start: Optional[ArrayLike] = None,
              end: Optional[ArrayLike] = None, mask: Optional[ArrayLike] = None) -> Array:
    """The probability of each tag at each step.

    Parameters
    ----------
    emissions : array_like [..., n, m]
        Scores of m tags at n steps.
    transitions : array_like [m, m] or [..., m, m]
        transitions[i, j]: of tag j after tag i.
    start, end : array_like [m] or [..., m], optional
        Scores of first and of last tags; 0 if not given.
    mask : array_like of bool [..., n], optional
        True for the steps of a sequence, which are the first ones.

    Returns
    -------
    Array [..., n, m]
        Probabilities, 0 where masked.

    Examples
    --------
    >>> import jax.numpy as jnp, numpy as np
    >>> from fenchel.jax import crf
    >>> print(np.asarray(crf.marginals(jnp.array([[1.0, 0.0], [0.0, 0.0]]), jnp.zeros((2, 2)))).round(3))
    [[0.731 0.269]
     [0.5   0.5  ]]

    See Also
    --------
    log_partition, viterbi
    """
    parts, kept, dtype = _checked(emissions, transitions, start, end, mask)
    return _marginals(parts, kept, _task(parts)).astype(dtype)


_best = jax.jit(_chain.best)


def viterbi(emissions: ArrayLike, transitions: ArrayLike, *, start: Optional[ArrayLike] = None,
            end: Optional[ArrayLike] = None, mask: Optional[ArrayLike] = None) -> Array:
    """The tags of the best sequence (Viterbi's algorithm).

    Parameters
    ----------
    emissions : array_like [..., n, m]
        Scores of m tags at n steps.
    transitions : array_like [m, m] or [..., m, m]
        transitions[i, j]: of tag j after tag i.
    start, end : array_like [m] or [..., m], optional
        Scores of first and of last tags; 0 if not given.
    mask : array_like of bool [..., n], optional
        True for the steps of a sequence, which are the first ones.

    Returns
    -------
    Array of int [..., n]
        Tags; 0 where masked.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from fenchel.jax import crf
    >>> print(crf.viterbi(jnp.array([[1.0, 0.0], [0.0, 0.5]]), jnp.array([[1.0, 0.0], [0.0, 1.0]])))
    [0 0]

    See Also
    --------
    score, marginals
    """
    parts, kept, _ = _checked(emissions, transitions, start, end, mask)
    return _best(parts, kept)


def _tags(tags: Any, parts: _chain.Parts, mask: Optional[Array]) -> Array:
    given = array_of("tags", tags)
    if not jnp.issubdtype(given.dtype, jnp.integer):
        raise TypeError(f"tags has dtype {given.dtype}; expected integers")
    if given.shape != parts.states.shape[:-1]:
        raise ValueError(f"tags has shape {given.shape}; expected {parts.states.shape[:-1]}, one for each step")
    held, kept, m = seen(given), None if mask is None else seen(mask), parts.states.shape[-1]
    if held is not None and (mask is None or kept is not None):
        counted = held if kept is None else held[kept]
        if counted.size and not (0 <= counted.min() and counted.max() < m):
            raise ValueError(f"tags run from {counted.min()} to {counted.max()}; expected 0 to {m - 1}")
    return given.astype(jnp.int32)


def score(emissions: ArrayLike, tags: ArrayLike, transitions: ArrayLike, *, start: Optional[ArrayLike] = None,
          end: Optional[ArrayLike] = None, mask: Optional[ArrayLike] = None) -> Array:
    """The score of given tags.

    Parameters
    ----------
    emissions : array_like [..., n, m]
        Scores of m tags at n steps.
    tags : array_like of int [..., n]
        Tags from 0; those that are masked do not count.
    transitions : array_like [m, m] or [..., m, m]
        transitions[i, j]: of tag j after tag i.
    start, end : array_like [m] or [..., m], optional
        Scores of first and of last tags; 0 if not given.
    mask : array_like of bool [..., n], optional
        True for the steps of a sequence, which are the first ones.

    Returns
    -------
    Array [...]
        A number for each sequence.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from fenchel.jax import crf
    >>> float(crf.score(jnp.array([[1.0, 0.0], [0.0, 0.5]]), jnp.array([0, 1]), jnp.eye(2)))
    1.5

    See Also
    --------
    loss, viterbi
    """
    parts, kept, dtype = _checked(emissions, transitions, start, end, mask)
    return _score(parts, _tags(tags, parts, kept), kept).astype(dtype)


def loss(emissions: ArrayLike, tags: ArrayLike, transitions: ArrayLike, *, start: Optional[ArrayLike] = None,
         end: Optional[ArrayLike] = None, mask: Optional[ArrayLike] = None) -> Array:
    """−log p(tags): the log partition function less the score, which is the loss of a conditional random field.

    Parameters
    ----------
    emissions : array_like [..., n, m]
        Scores of m tags at n steps.
    tags : array_like of int [..., n]
        Tags from 0; those that are masked do not count.
    transitions : array_like [m, m] or [..., m, m]
        transitions[i, j]: of tag j after tag i.
    start, end : array_like [m] or [..., m], optional
        Scores of first and of last tags; 0 if not given.
    mask : array_like of bool [..., n], optional
        True for the steps of a sequence, which are the first ones.

    Returns
    -------
    Array [...]
        A loss for each sequence, differentiable in all scores.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, numpy as np
    >>> from fenchel.jax import crf
    >>> emissions, tags, transitions = jnp.array([[1.0, 0.0], [0.0, 0.5]]), jnp.array([0, 1]), jnp.zeros((2, 2))
    >>> round(float(crf.loss(emissions, tags, transitions)), 4)
    0.7873
    >>> print(np.asarray(jax.grad(crf.loss)(emissions, tags, transitions)).round(3))
    [[-0.269  0.269]
     [ 0.378 -0.378]]

    See Also
    --------
    log_partition, score, fenchel.torch.CRF
    """
    parts, kept, dtype = _checked(emissions, transitions, start, end, mask)
    return (_log_partition(parts, kept, _task(parts)) - _score(parts, _tags(tags, parts, kept), kept)).astype(dtype)
