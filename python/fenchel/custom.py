# SPDX-License-Identifier: Apache-2.0
"""An Ω of your own, written in Python: slow, but it works wherever one of the library does."""
from __future__ import annotations

import numbers
from typing import Any, Callable, Optional

import numpy as np

from . import _core as native
from ._arguments import LARGEST_INT64, whole_number
from ._base import Polytope, Regularizer
from ._methods import Methods

__all__ = ["CustomRegularizer", "Separable"]

# How far a prediction may be from the domain: what an iterative method in double precision leaves.
_TOLERANCE = 1e-6


class CustomRegularizer(Methods, Regularizer):
    """Your own Ω: a subclass with `value(mu)` and whatever else it knows. Slow, but it works wherever one of
    the library does.

    `domain` is "simplex", "cube", "cone", "reals" or a polytope, over whose hull Ω is then. Methods get
    vectors of float64, one example at a time:

    - `value(mu)` = Ω(μ), needed; near the domain too, where `gradient` is left out.
    - `gradient(mu)` = ∇Ω(μ); else by differences of `value`.
    - `predict(theta)` = ŷ_Ω(θ); else by projected gradient or, over a polytope, conditional gradient, which
      needs a convex Ω with a bounded gradient (paper §8.3). On the simplex max θ = 0; −inf is a mask, whose
      prediction is 0.
    - `prox(eta, tau)`, `jvp(theta, prediction, v)`, `margin(d)` (None if there is none): else derived.

    Attributes: `dimension`, if θ must have a certain size; `strong_convexity`, if known. An object shows its
    public attributes as arguments, and is equal to itself alone.

    Examples
    --------
    >>> import fenchel
    >>> class Ridge(fenchel.CustomRegularizer):
    ...     domain = "simplex"
    ...     def value(self, mu):
    ...         return 0.5 * (mu @ mu)
    ...     def gradient(self, mu):
    ...         return mu
    >>> fenchel.predict([1.0, 0.6, -2.0], Ridge()).round(6).tolist()
    [0.7, 0.3, 0.0]

    See Also
    --------
    Separable, Sum, CustomPolytope
    """

    domain: Any = "simplex"
    dimension: Any = None
    strong_convexity: Any = None
    predict: Any = None
    gradient: Any = None
    prox: Any = None
    jvp: Any = None
    margin: Any = None

    def __init__(self) -> None:
        pass

    def value(self, mu: np.ndarray) -> float:
        """Ω(μ), which a subclass has to say.

        Parameters
        ----------
        mu : ndarray [d]
            A point, float64.

        Returns
        -------
        float
            Ω(μ).
        """
        raise NotImplementedError(f"{type(self).__name__} has no method value; expected Ω(μ)")

    @property
    def spec(self) -> dict:
        """Not to be had: an Ω that is written in Python has no text."""
        raise TypeError(
            f"{type(self).__name__} is written in Python; expected an Ω of the library where a text is needed")

    _own_cost = _terms = None

    @property
    def _core(self) -> native.Omega:  # type: ignore[override]
        domain = self.domain.core if isinstance(self.domain, Polytope) else self.domain
        if not isinstance(domain, (str, native.Polytope)):
            raise TypeError(f"{type(self).__name__}.domain is {domain!r}; expected a name or a polytope")
        dimension, convexity, name = self.dimension, self.strong_convexity, type(self).__name__
        if dimension is not None:
            dimension = whole_number(f"{name}.dimension", dimension, 0, LARGEST_INT64)
        if convexity is not None and not isinstance(convexity, numbers.Real):
            raise TypeError(f"{name}.strong_convexity is {convexity!r}; expected a number, or None if it is not known")
        return native.custom_omega(self, name, domain, dimension, None if convexity is None else float(convexity))

    def _value(self, mu: np.ndarray) -> float:
        return self._number("value", self.value(mu))

    def _gradient(self, mu: np.ndarray) -> np.ndarray:
        return self._array("gradient", self.gradient(mu), mu.shape)

    def _predict(self, theta: np.ndarray) -> np.ndarray:
        mu = self._array("predict", self.predict(theta.copy()), theta.shape)
        self._check_point("predict", mu, theta)
        return mu

    def _prox(self, eta: np.ndarray, tau: float) -> np.ndarray:
        mu = self._array("prox", self.prox(eta.copy(), tau), eta.shape)
        self._check_point("prox", mu, eta)
        return mu

    def _jvp(self, theta: np.ndarray, prediction: np.ndarray, v: np.ndarray) -> np.ndarray:
        return self._array("jvp", self.jvp(theta, prediction, v), v.shape)

    def _margin(self, d: int) -> float:
        margin = self.margin(d)
        return -1.0 if margin is None else self._number("margin", margin)

    def _check_point(self, method: str, mu: np.ndarray, theta: np.ndarray) -> None:
        name = f"{type(self).__name__}.{method}"
        if self.domain in ("simplex", "cube", "cone") and mu.min(initial=0) < -_TOLERANCE:
            raise ValueError(f"{name} returned {mu.min()}; expected no negative entries on the {self.domain}")
        if self.domain == "cube" and mu.max(initial=0) > 1 + _TOLERANCE:
            raise ValueError(f"{name} returned {mu.max()}; expected entries up to 1 on the cube")
        if self.domain == "simplex" and abs(mu.sum() - 1) > _TOLERANCE:
            raise ValueError(f"{name} returned entries that sum to {mu.sum()}; expected 1 on the simplex")
        masked = np.isneginf(theta)
        if masked.any() and mu[masked].any():
            raise ValueError(f"{name} returned {mu[masked].max()} where theta is -inf; expected 0")


class Separable(CustomRegularizer):
    """Ω(p) = Σ g(p_j) on the simplex, from scalar functions.

    Predictions and prox by root finding (paper §8.3, Proposition "Reduction to root finding").

    Parameters
    ----------
    g : callable
        g of a number, strictly convex.
    g_prime : callable
        g′, whose value at 0 may be −inf.
    inverse : callable, optional
        (g′)⁻¹, if it is at hand.

    Examples
    --------
    >>> import fenchel, math
    >>> entropy = fenchel.Separable(lambda p: p * math.log(p) if p else 0.0, lambda p: math.log(p) + 1 if p else -math.inf)
    >>> fenchel.predict([1.6, 1.1, 0.4], entropy).round(3).tolist()
    [0.524, 0.318, 0.158]

    See Also
    --------
    CustomRegularizer, Shannon
    """

    def __init__(self, g: Callable[[float], float], g_prime: Callable[[float], float],
                 inverse: Optional[Callable[[float], float]] = None):
        for name, function in (("g", g), ("g_prime", g_prime), ("inverse", inverse)):
            if not callable(function) and not (name == "inverse" and function is None):
                raise TypeError(f"{name} is {function!r}; expected a function of one number")
        self.g, self.g_prime = g, g_prime
        self.inverse: Any = inverse

    @property
    def _core(self) -> native.Omega:  # type: ignore[override]
        return native.separable_omega(self, self.inverse is not None)

    def _g(self, p: float) -> float:
        return self._number("g", self.g(p))

    def _g_prime(self, p: float) -> float:
        return self._number("g_prime", self.g_prime(p))

    def _inverse(self, x: float) -> float:
        return self._number("inverse", self.inverse(x))
