# SPDX-License-Identifier: Apache-2.0
"""Ω made of others, of sets and of losses: Ψ + Φ, Ψ on a convex set, and the Ω that any loss of labels has."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Union

import numpy as np

from . import _core as native
from ._arguments import number_of, shown
from ._base import as_regularizer, plain_core_of
from .custom import CustomRegularizer

if TYPE_CHECKING:
    from ._types import ArrayLike, OmegaLike

_DOMAINS = ("simplex", "cube", "cone", "reals")
# Of FenchelYoungized, with their defaults.
_OPTIONS = {"sum_to_zero": False, "convex": False, "strictly_concave": False, "tolerance": 1e-9}

__all__ = ["FenchelYoungized", "Restriction", "Sum"]


class _Made(CustomRegularizer):
    """An Ω whose methods are those of C++; equal to another that was made of equal parts."""

    def _parts(self) -> tuple:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, _Made) and type(self) is type(other) and self._parts() == other._parts())

    def __hash__(self) -> int:
        return hash(self._parts())

    @property
    def domain(self) -> str:
        """simplex, cube, cone, reals or polytope."""
        return self._core.domain

    @property
    def dimension(self) -> Any:
        """The size that scores must have; None if any will do."""
        return self._core.dimension

    @property
    def strong_convexity(self) -> Any:
        """Ω is strongly convex with this constant; None if it is not, or the constant is not known."""
        return self._core.strong_convexity


class Sum(_Made):
    """Ω = Ψ + Φ for a strictly convex Ψ whose conjugate is smooth (paper §2.3); the domain is that of Φ.

    Ω* is the infimal convolution of Ψ* and Φ*, found by a search; with Ψ = ½‖·‖² the prediction is prox_Φ(θ).

    Parameters
    ----------
    psi : Regularizer, str or dict
        Ψ.
    phi : Regularizer, str or dict
        Φ.

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.Sum("squared", "shannon")
    >>> fenchel.predict([1.0, 0.6, -2.0], omega).round(3).tolist()
    [0.542, 0.413, 0.044]

    See Also
    --------
    Restriction, FenchelYoungized, CustomRegularizer
    """

    def __init__(self, psi: OmegaLike, phi: OmegaLike):
        self._psi, self._phi = psi, phi
        self._core  # a wrong one is said here

    @property
    def _core(self) -> native.Omega:  # type: ignore[override]
        return native.sum_omega(plain_core_of(self._psi, "psi"), plain_core_of(self._phi, "phi"))

    def _parts(self) -> tuple:
        return as_regularizer(self._psi), as_regularizer(self._phi)

    def __repr__(self) -> str:
        return f"Sum({self._psi!r}, {self._phi!r})"


class Restriction(_Made):
    """Ω = Ψ + I_C: Ψ on a convex set C (paper §3.2, Proposition 3). The prediction is the Bregman projection
    of Ψ's onto C.

    What it shows can be pasted back if `project` is a function with a name.

    Parameters
    ----------
    psi : Regularizer, str or dict
        Ψ.
    project : callable
        A function of a point that returns the point of C at the least Bregman divergence of Ψ from it: for Ψ
        = ½‖·‖² the Euclidean projection.
    domain : str
        "simplex", "cube", "cone" or "reals": which of them C is part of; it decides which targets are legal.

    Examples
    --------
    >>> import fenchel, numpy as np
    >>> ball = fenchel.Restriction("squared", lambda point: point / max(1.0, np.linalg.norm(point)))
    >>> fenchel.predict([3.0, 4.0], ball).round(6).tolist()
    [0.6, 0.8]

    See Also
    --------
    Sum, fenchel.projections
    """

    def __init__(self, psi: OmegaLike, project: Callable[[np.ndarray], ArrayLike], domain: str = "reals"):
        if not callable(project):
            raise TypeError(f"project is {shown(project)}; expected a function of a point")
        if domain not in _DOMAINS:
            raise ValueError(f"domain is {domain!r}; expected one of {', '.join(_DOMAINS)}")
        self._psi, self._function, self._set = psi, project, domain
        self._core  # a wrong one is said here

    @property
    def _core(self) -> native.Omega:  # type: ignore[override]
        return native.restricted_omega(self, plain_core_of(self._psi, "psi"), self._set)

    def _project(self, point: np.ndarray) -> np.ndarray:
        return self._array("project", self._function(point.copy()), point.shape)

    def _parts(self) -> tuple:
        return as_regularizer(self._psi), self._function, self._set

    def __repr__(self) -> str:
        return f"Restriction({self._psi!r}, {_named(self._function)}, {self._set!r})"


class FenchelYoungized(_Made):
    """Ω = −H_ℓ over the simplex, with the entropy H_ℓ(p) = inf_θ Σ p_i ℓ(θ; i) of any loss ℓ of labels
    (paper, appendix A.2).

    Its Fenchel-Young loss is convex whatever ℓ is, and has probabilistic predictions. Made for a handful of
    classes: each evaluation solves a small game.

    Parameters
    ----------
    loss : callable or str
        A function of theta and k that returns ℓ(θ; k) and its gradient in θ; or a name: "zero_one", or
        "pairwise_" or "one_sided_" before "hinge", "smoothed_hinge" or "squared_hinge".
    sum_to_zero : bool
        θ is restricted to Σ θ = 0, as for the one-sided losses of appendix B.9.
    convex : bool
        ℓ(·; k) is convex for each k: one start of a search is enough. Known of the named hinges.
    strictly_concave : bool
        H_ℓ is, so that the loss has a gradient everywhere.
    tolerance : float
        Of the gap of predictions, relative to max(1, |Ω*(θ)|); between 0 and 1.

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.FenchelYoungized("one_sided_squared_hinge", sum_to_zero=True)
    >>> fenchel.predict([1.6, 1.1, 0.4], omega).round(3).tolist()
    [0.586, 0.414, 0.0]

    See Also
    --------
    PairwiseHinge, Sum
    """

    def __init__(self, loss: Union[str, Callable[[np.ndarray, int], Any]], *, sum_to_zero: bool = False, convex: bool = False,
                 strictly_concave: bool = False, tolerance: float = 1e-9):
        if not callable(loss) and not isinstance(loss, str):
            raise TypeError(f"loss is {loss!r}; expected a function of theta and k, or a name such as 'pairwise_hinge'")
        if not 0 < number_of("tolerance", tolerance, expected="a number between 0 and 1") < 1:
            raise ValueError(f"tolerance is {tolerance}; expected a number between 0 and 1")
        self._function = loss
        self._options = (bool(sum_to_zero), bool(convex), bool(strictly_concave), float(tolerance))
        self._core  # a wrong one is said here

    @property
    def _core(self) -> native.Omega:  # type: ignore[override]
        options = native.YoungizedOptions(*self._options)
        return native.youngized_omega(self._function if isinstance(self._function, str) else self, options)

    def _called(self, theta: np.ndarray, k: int) -> tuple[np.ndarray, float]:
        found = self._function(theta.copy(), k)  # type: ignore[operator]
        if not isinstance(found, tuple) or len(found) != 2:
            raise TypeError(f"loss returned {found!r}; expected a pair, the value and the gradient in theta")
        value = self._number("loss", found[0])
        if not np.isfinite(value):
            raise ValueError(f"loss returned {value}; expected a finite number")
        return self._array("loss", found[1], theta.shape), value

    def _loss_gradient(self, theta: np.ndarray, k: int) -> tuple[np.ndarray, float]:
        return self._called(theta, k)

    def _loss_value(self, theta: np.ndarray, k: int) -> float:
        return self._called(theta, k)[1]

    def _parts(self) -> tuple:
        return self._function, self._options

    def __repr__(self) -> str:
        given = [repr(self._function) if isinstance(self._function, str) else _named(self._function)]
        given += [f"{name}={value!r}" for (name, default), value in zip(_OPTIONS.items(), self._options) if value != default]
        return f"FenchelYoungized({', '.join(given)})"


def _named(function: Callable) -> str:
    """A function by its name, with which it can be pasted back where it has one of its own; else as Python shows it."""
    name = getattr(function, "__qualname__", "<")
    return repr(function) if "<" in name else name
