# SPDX-License-Identifier: Apache-2.0
"""Bregman divergences, risks and proper losses (paper §3.2, §3.3, §4.2, §10.1), and binary margin losses (§4.4).

Points lie along the last axis, all other axes are a batch; arrays are broadcast against each other, and everything is
computed in float64.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Optional

import numpy as np

from . import _core
from ._arrays import any_array, real_array
from ._base import plain_core_of

if TYPE_CHECKING:
    from ._types import ArrayLike, OmegaLike

__all__ = ["bayes_risk", "binary_loss", "bregman_divergence", "bregman_information", "brier_score", "expected_loss",
           "kullback_leibler", "proper_loss", "regret"]


def _points(name: str, value: Any) -> np.ndarray:
    points = real_array(name, value).astype(np.float64, copy=False)
    if points.shape[-1] == 0:
        raise ValueError(f"{name} has shape {points.shape}; expected at least one entry along the last axis")
    return points


def _together(names: tuple, *arrays: np.ndarray) -> list[np.ndarray]:
    """Arrays with one batch, each with its own last axis."""
    try:
        batch = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    except ValueError:
        shapes = " and ".join(f"{name} {array.shape}" for name, array in zip(names, arrays))
        raise ValueError(f"the shapes are {shapes}; expected axes before the last one that broadcast") from None
    return [np.ascontiguousarray(np.broadcast_to(array, (*batch, array.shape[-1]))) for array in arrays]


def _numbers(compute: Callable, *arrays: np.ndarray) -> Any:
    """One number per point, of the shape of the batch."""
    result = compute(*(array.reshape(-1, array.shape[-1]) for array in arrays)).reshape(arrays[0].shape[:-1])
    return result[()] if result.ndim == 0 else result


def _pair(names: tuple, first: Any, second: Any) -> list[np.ndarray]:
    a, b = _points(names[0], first), _points(names[1], second)
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(f"{names[0]} has {a.shape[-1]} entries along the last axis and {names[1]} {b.shape[-1]}; expected as "
                         "many")
    return _together(names, a, b)


def _one_hot(y: Any, points: np.ndarray) -> Any:
    """Labels, integers with one axis less than the points, as points; anything else as it is."""
    given, classes = any_array("y", y), points.shape[-1]
    if given.dtype.kind not in "iu" or given.ndim != points.ndim - 1:
        return given
    if given.size and not (0 <= given.min() and given.max() < classes):
        wrong = given.min() if given.min() < 0 else given.max()
        raise ValueError(f"y has the label {wrong}; expected labels from 0 to {classes - 1}")
    return np.eye(classes)[given.astype(np.int64)]


def bregman_divergence(y: ArrayLike, mu: ArrayLike, omega: OmegaLike) -> Any:
    """B_Ω(y ‖ μ) = Ω(y) − Ω(μ) − ⟨∇Ω(μ), y − μ⟩, for μ where Ω is differentiable (paper eq. 11).

    Parameters
    ----------
    y : array_like [..., d]
        Points of the domain of Ω, along the last axis.
    mu : array_like [..., d]
        Points of the domain; the axes before the last one are broadcast against those of y.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.

    Returns
    -------
    float or ndarray [...]
        A number for each pair of points; inf where ∇Ω(μ) is infinite.

    Examples
    --------
    >>> import fenchel
    >>> float(fenchel.bregman_divergence([1.0, 0.0], [0.5, 0.5], "shannon").round(6))  # log 2
    0.693147

    See Also
    --------
    kullback_leibler, value, link
    """
    core = plain_core_of(omega)
    return _numbers(lambda a, b: _core.bregman_divergence(core, a, b), *_pair(("y", "mu"), y, mu))


def kullback_leibler(y: ArrayLike, mu: ArrayLike) -> Any:
    """Σ y log(y/μ) − y + μ, the generalized Kullback-Leibler divergence (paper §3.2).

    Parameters
    ----------
    y : array_like [..., d]
        Numbers >= 0, along the last axis.
    mu : array_like [..., d]
        Numbers >= 0; the axes before the last one are broadcast against those of y.

    Returns
    -------
    float or ndarray [...]
        A number for each pair of points; inf where μ is 0 and y is not.

    Examples
    --------
    >>> import fenchel
    >>> float(fenchel.kullback_leibler([0.5, 0.5], [0.9, 0.1]).round(4))
    0.5108

    See Also
    --------
    bregman_divergence
    """
    return _numbers(_core.kullback_leibler, *_pair(("y", "mu"), y, mu))


def proper_loss(p: ArrayLike, y: ArrayLike, omega: OmegaLike) -> Any:
    """ℓ_Ω(p; y) = −Ω(p) − ⟨∇Ω(p), y − p⟩, the proper loss of an entropy (paper §10.1).

    Parameters
    ----------
    p : array_like [..., d]
        Probabilities, along the last axis.
    y : array_like
        Integer labels, one for each p, or points like p.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.

    Returns
    -------
    float or ndarray [...]
        A number for each point.

    Examples
    --------
    >>> import fenchel
    >>> float(fenchel.proper_loss([0.7, 0.2, 0.1], 0, "shannon").round(4))  # −log 0.7
    0.3567

    See Also
    --------
    brier_score, loss
    """
    core, points = plain_core_of(omega), _points("p", p)
    return _numbers(lambda a, b: _core.proper_loss(core, a, b), *_pair(("p", "y"), points, _one_hot(y, points)))


def brier_score(p: ArrayLike, y: ArrayLike) -> Any:
    """Σ_i ([[y = i]] − p_i)², the proper loss of the Gini index 1 − ‖p‖² (paper §10.1).

    Parameters
    ----------
    p : array_like [..., d]
        Probabilities, along the last axis.
    y : array_like of int
        Labels, one for each p.

    Returns
    -------
    float or ndarray [...]
        A number for each point.

    Examples
    --------
    >>> import fenchel
    >>> float(fenchel.brier_score([0.7, 0.2, 0.1], 0).round(4))
    0.14

    See Also
    --------
    proper_loss
    """
    points, labels = _points("p", p), any_array("y", y)
    if labels.dtype.kind not in "iu" or labels.shape != points.shape[:-1]:
        raise ValueError(f"y has dtype {labels.dtype} and shape {labels.shape}; expected integer labels of shape "
                         f"{points.shape[:-1]}, one for each row of p")
    flat = np.ascontiguousarray(labels, dtype=np.int64).reshape(-1)
    return _numbers(lambda rows: _core.brier_score(rows, flat), np.ascontiguousarray(points))


def _outcomes(outcomes: Optional[Any], p: np.ndarray) -> np.ndarray:
    """The values of Y, one per row; the classes e_1, …, e_d by default."""
    if outcomes is None:
        return np.eye(p.shape[-1])
    values = np.ascontiguousarray(_points("outcomes", outcomes))
    if values.ndim != 2 or len(values) != p.shape[-1]:
        raise ValueError(f"outcomes has shape {values.shape}; expected ({p.shape[-1]}, d), a value of Y for each entry of p")
    return values


def _risk(compute: Callable, theta: Any, p: Any, omega: Any, outcomes: Optional[Any]) -> Any:
    core, scores, shares = plain_core_of(omega), _points("theta", theta), _points("p", p)
    values = _outcomes(outcomes, shares)
    if scores.shape[-1] != values.shape[1]:
        raise ValueError(f"theta has {scores.shape[-1]} scores along the last axis; expected {values.shape[1]}, as outcomes have")
    return _numbers(lambda a, b: compute(core, a, values, b), *_together(("theta", "p"), scores, shares))


def expected_loss(theta: ArrayLike, p: ArrayLike, omega: OmegaLike, outcomes: Optional[ArrayLike] = None) -> Any:
    """E_p[L_Ω(θ; Y)], the risk of scores (paper §3.3).

    Parameters
    ----------
    theta : array_like [..., k]
        Scores, along the last axis.
    p : array_like [..., d]
        Probabilities, along the last axis.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    outcomes : array_like [d, k], optional
        Row i is the value of Y that has probability p_i; by default the class e_i.

    Returns
    -------
    float or ndarray [...]
        A number for each point.

    Examples
    --------
    >>> import fenchel
    >>> float(fenchel.expected_loss([2.0, 1.0, 0.0], [0.7, 0.2, 0.1], "shannon").round(4))
    0.8076

    See Also
    --------
    regret, bayes_risk
    """
    return _risk(_core.expected_loss, theta, p, omega, outcomes)


def regret(theta: ArrayLike, p: ArrayLike, omega: OmegaLike, outcomes: Optional[ArrayLike] = None) -> Any:
    """E_p[L_Ω(θ; Y)] − min over θ of the same, which is L_Ω(θ; E_p[Y]) (paper §3.3).

    Parameters
    ----------
    theta : array_like [..., k]
        Scores, along the last axis.
    p : array_like [..., d]
        Probabilities, along the last axis.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    outcomes : array_like [d, k], optional
        Row i is the value of Y that has probability p_i; by default the class e_i.

    Returns
    -------
    float or ndarray [...]
        A number for each point.

    Examples
    --------
    >>> import fenchel
    >>> float(fenchel.regret([2.0, 1.0, 0.0], [0.7, 0.2, 0.1], "shannon").round(4))
    0.0058

    See Also
    --------
    expected_loss, bayes_risk
    """
    return _risk(_core.regret, theta, p, omega, outcomes)


def bregman_information(p: ArrayLike, omega: OmegaLike, outcomes: Optional[ArrayLike] = None) -> Any:
    """E_p[Ω(Y)] − Ω(E_p[Y]) ≥ 0, which is the Bayes risk min_θ E_p[L_Ω(θ; Y)] (paper eq. 13).

    With classes it is the entropy −Ω(p) if Ω is 0 at them (paper eq. 17).

    Parameters
    ----------
    p : array_like [..., d]
        Probabilities, along the last axis.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    outcomes : array_like [d, k], optional
        Row i is the value of Y that has probability p_i; by default the class e_i.

    Returns
    -------
    float or ndarray [...]
        A number for each point.

    Examples
    --------
    >>> import fenchel
    >>> float(fenchel.bregman_information([0.7, 0.2, 0.1], "shannon").round(4))
    0.8018

    See Also
    --------
    bayes_risk, regret
    """
    core, shares = plain_core_of(omega), np.ascontiguousarray(_points("p", p))
    values = _outcomes(outcomes, shares)
    return _numbers(lambda rows: _core.bregman_information(core, values, rows), shares)


def bayes_risk(p: ArrayLike, omega: OmegaLike, outcomes: Optional[ArrayLike] = None) -> Any:
    """min_θ E_p[L_Ω(θ; Y)]: `bregman_information` under the name that it has in decision theory.

    Parameters
    ----------
    p : array_like [..., d]
        Probabilities, along the last axis.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    outcomes : array_like [d, k], optional
        Row i is the value of Y that has probability p_i; by default the class e_i.

    Returns
    -------
    float or ndarray [...]
        A number for each point.

    Examples
    --------
    >>> import fenchel
    >>> float(fenchel.bayes_risk([0.7, 0.2, 0.1], "shannon").round(4))
    0.8018

    See Also
    --------
    bregman_information, expected_loss
    """
    return bregman_information(p, omega, outcomes)


def binary_loss(s: ArrayLike, y: ArrayLike, loss: OmegaLike = "logistic", *, return_derivative: bool = False) -> Any:
    """φ*(−ys), a margin loss of scores s and signs y (paper §4.4).

    Parameters
    ----------
    s : array_like
        Scores.
    y : array_like
        Signs, 1 or −1, broadcast against s.
    loss : str, Regularizer or dict
        "logistic", "modified_huber", "smoothed_hinge", "hinge", "perceptron", or a two-class Ω over the
        simplex, whose loss this is at the scores (s, 0).
    return_derivative : bool
        Also return the derivatives in s.

    Returns
    -------
    float or ndarray
        Losses, of the shape of s and y together.
    float or ndarray
        With return_derivative: the derivatives in s.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.binary_loss([-0.5, 0.5, 2.0], 1, "smoothed_hinge").tolist()
    [1.0, 0.125, 0.0]

    See Also
    --------
    loss
    """
    given, signs = any_array("s", s), any_array("y", y)
    for name, array in (("s", given), ("y", signs)):
        if array.dtype.kind not in "iubf":
            raise TypeError(f"{name} has dtype {array.dtype}; expected real numbers")
    try:
        scores, signs = np.broadcast_arrays(given.astype(np.float64), signs)
    except ValueError:
        raise ValueError(f"s has shape {given.shape} and y {signs.shape}; expected shapes that broadcast") from None
    if not np.isin(signs, (1, -1)).all():
        raise ValueError(f"y has {signs[~np.isin(signs, (1, -1))][0]}; expected 1 or -1")
    flat = (np.ascontiguousarray(scores).reshape(-1), np.ascontiguousarray(signs, dtype=np.int64).reshape(-1))
    if isinstance(loss, str) and loss.replace("-", "_") in _core.binary_losses:
        found = _core.binary_loss(loss.replace("-", "_"), *flat)
    else:
        omega = plain_core_of(loss, "loss")
        if omega.domain != "simplex":
            raise ValueError(f"loss is over {omega.domain}; expected an Ω over the simplex, or one of "
                             f"{', '.join(_core.binary_losses)}")
        found = _core.binary_loss_of(omega, *flat)
    values, derivatives = (one.reshape(scores.shape)[()] for one in found)
    return (values, derivatives) if return_derivative else values
