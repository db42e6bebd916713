# SPDX-License-Identifier: Apache-2.0
"""Fenchel-Young losses as functions of targets and scores, made of an Ω or of a maximum."""
from __future__ import annotations

from typing import Any, Callable

import jax.numpy as jnp
from jax import Array

from .._arguments import shown
from .._base import Regularizer
from ._arrays import array_of, real_array
from ._known import known_of
from .functions import loss

__all__ = ["make_fenchel_young_loss"]


def make_fenchel_young_loss(omega: Any) -> Callable[..., Array]:
    """A function (y_true, scores) → loss of every row, from an Ω or from a maximum Ω*.

    Of an Ω it is L_Ω(scores; y_true) >= 0. Of a function Ω* it is Ω*(scores) − ⟨scores, y_true⟩, which leaves
    out Ω(y_true); its gradient is that of Ω* less y_true, as jaxopt and optax have it.

    Parameters
    ----------
    omega : Regularizer, str, dict or callable
        Ω: an object, a text or a dictionary; or a differentiable function of a vector of scores, with more
        arguments if it likes, such as jax.scipy.special.logsumexp.

    Returns
    -------
    callable
        A function of y_true, scores [..., d] and whatever else a maximum takes. With an Ω, y_true may be
        integer labels.

    Raises
    ------
    TypeError
        omega is neither.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, fenchel.jax as fj
    >>> sparse = fj.make_fenchel_young_loss("sparsemax")
    >>> print(sparse(jnp.array([0.0, 1.0, 0.0]), jnp.array([1.6, 1.1, 0.4])))
    0.5625
    >>> hard = fj.make_fenchel_young_loss(jnp.max)  # the perceptron's
    >>> print(hard(jnp.array([0.0, 1.0, 0.0]), jnp.array([1.5, 1.0, 0.5])))
    0.5

    See Also
    --------
    loss, fenchel.loss
    """
    if isinstance(omega, (str, dict, Regularizer)):
        known_of(omega)  # a wrong one is said here
        return lambda y_true, scores: loss(scores, y_true, omega)
    if not callable(omega):
        raise TypeError(f"omega is {shown(omega)}; expected an Ω, or a function of scores")

    def of_maximum(y_true: Any, scores: Any, *arguments: Any, **options: Any) -> Array:
        rows, y = real_array("scores", scores), array_of("y_true", y_true)
        if y.shape[-1:] != rows.shape[-1:]:
            raise ValueError(f"y_true has shape {y.shape}; expected rows like scores, which has shape {rows.shape}")
        largest = jnp.vectorize(lambda row: omega(row, *arguments, **options), signature="(d)->()")
        return largest(rows) - (y * rows).sum(-1)

    return of_maximum
