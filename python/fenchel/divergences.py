# SPDX-License-Identifier: Apache-2.0
"""Bregman divergences, risks and proper losses (paper §3.2, §3.3, §4.2, §10.1), and binary margin losses (§4.4).

Points lie along the last axis, all other axes are a batch; arrays are broadcast against each other, and everything is
computed in float64.
"""
from __future__ import annotations

from typing import Any, Callable, Optional

import numpy as np

from . import _core
from ._arrays import any_array, real_array
from ._base import core_of

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


def bregman_divergence(y: Any, mu: Any, omega: Any) -> Any:
    """B_Ω(y ‖ μ) = Ω(y) − Ω(μ) − ⟨∇Ω(μ), y − μ⟩ (paper eq. 11), for μ where Ω is differentiable; inf where ∇Ω(μ) is.

    >>> import fenchel
    >>> float(fenchel.bregman_divergence([1.0, 0.0], [0.5, 0.5], "shannon").round(6))  # log 2
    0.693147
    """
    core = core_of(omega)
    return _numbers(lambda a, b: _core.bregman_divergence(core, a, b), *_pair(("y", "mu"), y, mu))


def kullback_leibler(y: Any, mu: Any) -> Any:
    """Σ y log(y/μ) − y + μ, the generalized Kullback-Leibler divergence (paper §3.2); inf where μ is 0 and y is not."""
    return _numbers(_core.kullback_leibler, *_pair(("y", "mu"), y, mu))


def proper_loss(p: Any, y: Any, omega: Any) -> Any:
    """ℓ_Ω(p; y) = −Ω(p) − ⟨∇Ω(p), y − p⟩ (paper §10.1); y are labels, or points like p."""
    core, points = core_of(omega), _points("p", p)
    return _numbers(lambda a, b: _core.proper_loss(core, a, b), *_pair(("p", "y"), points, _one_hot(y, points)))


def brier_score(p: Any, y: Any) -> Any:
    """Σ_i ([[y = i]] − p_i)², the proper loss of the Gini index 1 − ‖p‖² (paper §10.1), of labels y."""
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
    core, scores, shares = core_of(omega), _points("theta", theta), _points("p", p)
    values = _outcomes(outcomes, shares)
    if scores.shape[-1] != values.shape[1]:
        raise ValueError(f"theta has {scores.shape[-1]} scores along the last axis; expected {values.shape[1]}, as outcomes have")
    return _numbers(lambda a, b: compute(core, a, values, b), *_together(("theta", "p"), scores, shares))


def expected_loss(theta: Any, p: Any, omega: Any, outcomes: Optional[Any] = None) -> Any:
    """E_p[L_Ω(θ; Y)] where Y is row i of `outcomes` with probability p_i (paper §3.3); by default class i."""
    return _risk(_core.expected_loss, theta, p, omega, outcomes)


def regret(theta: Any, p: Any, omega: Any, outcomes: Optional[Any] = None) -> Any:
    """E_p[L_Ω(θ; Y)] minus the Bayes risk, which is L_Ω(θ; E_p[Y]); `outcomes` as in `expected_loss`."""
    return _risk(_core.regret, theta, p, omega, outcomes)


def bregman_information(p: Any, omega: Any, outcomes: Optional[Any] = None) -> Any:
    """E_p[Ω(Y)] − Ω(E_p[Y]) ≥ 0 (paper eq. 13), which is the Bayes risk min_θ E_p[L_Ω(θ; Y)].

    `outcomes` as in `expected_loss`; with classes it is the entropy −Ω(p) if Ω is 0 at them (paper eq. 17).
    """
    core, shares = core_of(omega), np.ascontiguousarray(_points("p", p))
    values = _outcomes(outcomes, shares)
    return _numbers(lambda rows: _core.bregman_information(core, values, rows), shares)


def bayes_risk(p: Any, omega: Any, outcomes: Optional[Any] = None) -> Any:
    """`bregman_information` under the name that it has in decision theory."""
    return bregman_information(p, omega, outcomes)


def binary_loss(s: Any, y: Any, loss: Any = "logistic", *, return_derivative: bool = False) -> Any:
    """φ*(−ys) of scores s and signs y, 1 or −1 (paper §4.4); with return_derivative also the derivatives in s.

    loss : "logistic", "modified_huber", "smoothed_hinge", "hinge", "perceptron", or a two-class Ω over the simplex, whose
        loss this is at the scores (s, 0).
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
        omega = core_of(loss)
        if omega.domain != "simplex":
            raise ValueError(f"loss is over {omega.domain}; expected an Ω over the simplex, or one of "
                             f"{', '.join(_core.binary_losses)}")
        found = _core.binary_loss_of(omega, *flat)
    values, derivatives = (one.reshape(scores.shape)[()] for one in found)
    return (values, derivatives) if return_derivative else values
