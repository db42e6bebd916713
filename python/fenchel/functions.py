# SPDX-License-Identifier: Apache-2.0
"""The operations of a Fenchel-Young loss on arrays: scores lie along `axis`, all other axes are a batch.

Scores of structures may also fill the trailing axes with their natural shape, such as [batch, n, n] for the arcs of
trees. A list of arrays of several shapes, or of Ω, is a ragged batch (ragged.py).

float32 and float64 stay what they are, float16 is computed in float32, everything else in float64. C-contiguous
arrays with the scores last are not copied.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from . import _core
from ._arguments import LARGEST_INT64, number_of, thread_count, whole_axis, whole_number
from ._base import Regularizer, core_of
from ._costs import loss_of
from ._scores import DIRECT, back, flat, flat_only, no_cost, scores_of, targets_of
from .ragged import Ragged, is_ragged

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from ._types import ArrayLike, CostLike, OmegaLike, OmegasLike

__all__ = ["predict", "predict_csr", "loss", "gradient", "value_and_gradient", "conjugate", "value", "prox", "jvp",
           "vjp", "margin", "link"]


def predict(theta: ArrayLike, omega: OmegasLike, *, axis: int = -1, out: Optional[np.ndarray] = None,
            n_threads: int = 1) -> Any:
    """ŷ_Ω(θ) = argmax ⟨θ, μ⟩ − Ω(μ), the prediction of Ω (paper Definition 1).

    Scores of structures may fill the last axes with their natural shape, such as [..., n, n] for trees. A
    list of arrays of several shapes is a ragged batch: omega is then one Ω for all, a list, or a function of
    an example's scores that makes it, and the result is a list.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores, −inf forbids an entry; or, for a ragged batch, a list of arrays.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    axis : int
        The axis of the scores; all others are a batch.
    out : ndarray, optional
        Takes the result: an array of the shape of theta, which may be theta itself.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    ndarray [..., d]
        Predictions, of the shape and floating type of theta; `out` itself where it is given. A list for a
        ragged batch.

    Raises
    ------
    ValueError, TypeError
        An argument is not what it should be; the message names it, its value and what was expected.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.predict([1.6, 1.1, 0.4], "sparsemax").round(3).tolist()
    [0.75, 0.25, 0.0]
    >>> trees = fenchel.SparseMap(fenchel.Arborescence(2))
    >>> fenchel.predict([[1.0, 0.5], [0.2, 0.3]], trees).round(3).tolist()
    [[0.9, 0.6], [0.1, 0.4]]

    See Also
    --------
    predict_csr, loss, jvp, softmax, sparsemax, entmax
    """
    axis, n_threads = whole_axis(axis), thread_count(n_threads)
    if (type(theta) is np.ndarray and isinstance(omega, Regularizer) and axis == -1
            and theta.dtype in DIRECT and theta.flags.c_contiguous and theta.flags.aligned):  # the short way, for little
        core = omega._core
        if core.shape is None:
            if out is None:
                return core.predict(theta, None, n_threads)
            if (type(out) is np.ndarray and out.dtype == theta.dtype and out.shape == theta.shape
                    and out.flags.c_contiguous and out.flags.writeable and out.flags.aligned):
                core.predict(theta, out, n_threads)
                return out
    if is_ragged(theta, omega):
        flat_only(axis, out)
        batch = Ragged(theta, omega)
        return batch.back(batch.run(_core.ragged_predict, batch.offsets, n_threads))
    core = core_of(omega)
    if out is None:
        scores = scores_of("theta", theta, axis)
        return back(core.predict(flat(scores, core, axis), None, n_threads).reshape(scores.shape), axis)
    scores = scores_of("theta", theta, axis)
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is {type(out).__name__}; expected an array of the shape of theta, {np.shape(theta)}")
    if out.shape != np.shape(theta):
        raise ValueError(f"out has shape {np.shape(out)}; expected that of theta, {np.shape(theta)}")
    if axis == -1 and out.dtype == scores.dtype and out.flags.c_contiguous and out.flags.writeable and out.flags.aligned:
        core.predict(flat(scores, core, axis), flat(out, core, axis), n_threads)
    else:
        np.copyto(out, back(core.predict(flat(scores, core, axis), None, n_threads).reshape(scores.shape), axis))
    return out


def predict_csr(theta: ArrayLike, omega: OmegaLike, *, n_threads: int = 1) -> csr_array:
    """ŷ_Ω of each row of a matrix, as a sparse matrix of the entries that are not 0. Needs SciPy.

    Parameters
    ----------
    theta : array_like [n, d]
        Scores; −inf forbids an entry.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    scipy.sparse.csr_array [n, d]
        Predictions.

    Examples
    --------
    >>> import fenchel
    >>> sparse = fenchel.predict_csr([[3.0, 1.0, 0.0], [0.5, 0.5, -2.0]], "sparsemax")
    >>> sparse.nnz, sparse.toarray().tolist()
    (3, [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]])

    See Also
    --------
    predict
    """
    n_threads = thread_count(n_threads)
    from scipy.sparse import csr_array

    core = core_of(omega)
    scores = flat(scores_of("theta", theta, -1), core)
    if scores.ndim != 2:
        raise ValueError(f"theta has shape {scores.shape}; expected a matrix, one row of scores each")
    data, indices, offsets, shape = core.predict_csr(scores, n_threads)
    return csr_array((data, indices, offsets), shape=shape)


def loss(theta: ArrayLike, y: ArrayLike, omega: OmegasLike, *, cost: Optional[CostLike] = None, axis: int = -1,
         n_threads: int = 1) -> Any:
    """L_Ω(θ; y) = Ω*(θ) + Ω(y) − ⟨θ, y⟩, the Fenchel-Young loss (paper Definition 2): >= 0, and convex in θ.

    Scores of structures may fill the last axes with their natural shape, such as [..., n, n] for trees. A
    list of arrays of several shapes is a ragged batch: omega is then one Ω for all, a list, or a function of
    an example's scores that makes it, and the result is a list.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores, −inf forbids an entry; or, for a ragged batch, a list of arrays.
    y : array_like
        Targets: integer labels, one for each row of scores, or rows like theta.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    cost : str, array_like or callable, optional
        c_y, which makes it the loss L_Ω(θ + c_y; y) (paper §3.4): "zero_one" (c_y = 1 − y), "hamming" over
        structures (⟨c_y, z − y⟩ = ‖z − y‖²), a vector, a matrix whose row k holds the costs of label k (mixed
        as y mixes labels), or a function of y that returns a vector.
    axis : int
        The axis of the scores; all others are a batch.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    float or ndarray [...]
        A loss for each row, float64: theta without the axis of the scores.

    Raises
    ------
    ValueError, TypeError
        An argument is not what it should be; the message names it, its value and what was expected.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.loss([[1.6, 1.1, 0.4], [0.0, 3.0, 0.0]], [0, 1], "logistic").round(3).tolist()
    [0.646, 0.095]
    >>> float(fenchel.loss([2.0, 1.0, 0.5], 0, "argmax", cost="zero_one"))  # the hinge loss
    0.0

    See Also
    --------
    gradient, value_and_gradient, margin, softmax_loss, sparsemax_loss
    """
    axis, n_threads = whole_axis(axis), thread_count(n_threads)
    if is_ragged(theta, omega):
        flat_only(axis)
        no_cost(cost)
        batch = Ragged(theta, omega)
        return batch.numbers(batch.run(_core.ragged_loss, batch.targets(y), batch.offsets, n_threads, batch.costs))
    core = core_of(omega)
    scores = flat(scores_of("theta", theta, axis), core, axis)
    result = loss_of(omega, cost, scores.shape[-1]).value(scores, targets_of(y, scores, axis, core), n_threads)
    return result[()] if result.ndim == 0 else result


def value_and_gradient(theta: ArrayLike, y: ArrayLike, omega: OmegasLike, *, cost: Optional[CostLike] = None,
                       axis: int = -1, n_threads: int = 1) -> Any:
    """L_Ω(θ; y) and its gradient ŷ_Ω(θ) − y, computed together.

    Scores of structures may fill the last axes with their natural shape, such as [..., n, n] for trees. A
    list of arrays of several shapes is a ragged batch: omega is then one Ω for all, a list, or a function of
    an example's scores that makes it, and the result is a list.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores, −inf forbids an entry; or, for a ragged batch, a list of arrays.
    y : array_like
        Targets: integer labels, one for each row of scores, or rows like theta.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    cost : str, array_like or callable, optional
        c_y, which makes it the loss L_Ω(θ + c_y; y) (paper §3.4): "zero_one" (c_y = 1 − y), "hamming" over
        structures (⟨c_y, z − y⟩ = ‖z − y‖²), a vector, a matrix whose row k holds the costs of label k (mixed
        as y mixes labels), or a function of y that returns a vector.
    axis : int
        The axis of the scores; all others are a batch.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    float or ndarray [...]
        A loss for each row, float64.
    ndarray [..., d]
        The gradient in theta, of its shape and floating type.

    Raises
    ------
    ValueError, TypeError
        An argument is not what it should be; the message names it, its value and what was expected.

    Examples
    --------
    >>> import fenchel
    >>> loss, slope = fenchel.value_and_gradient([1.6, 1.1, 0.4], 1, "sparsemax")
    >>> round(float(loss), 4), slope.round(3).tolist()
    (0.5625, [0.75, -0.75, 0.0])

    See Also
    --------
    loss, gradient
    """
    axis, n_threads = whole_axis(axis), thread_count(n_threads)
    if is_ragged(theta, omega):
        flat_only(axis)
        no_cost(cost)
        batch = Ragged(theta, omega)
        losses, slopes = batch.run(_core.ragged_loss_and_gradient, batch.targets(y), batch.offsets, n_threads, batch.costs)
        return batch.numbers(losses), batch.back(slopes)
    core, scores = core_of(omega), scores_of("theta", theta, axis)
    rows = flat(scores, core, axis)
    targets = targets_of(y, rows, axis, core)
    losses, slopes = loss_of(omega, cost, rows.shape[-1]).value_and_gradient(rows, targets, n_threads)
    return losses[()] if losses.ndim == 0 else losses, back(slopes.reshape(scores.shape), axis)


def gradient(theta: ArrayLike, y: ArrayLike, omega: OmegasLike, *, cost: Optional[CostLike] = None, axis: int = -1,
             n_threads: int = 1) -> Any:
    """∇L_Ω(θ; y) = ŷ_Ω(θ) − y, the gradient of the loss in θ (paper Proposition 2).

    Scores of structures may fill the last axes with their natural shape, such as [..., n, n] for trees. A
    list of arrays of several shapes is a ragged batch: omega is then one Ω for all, a list, or a function of
    an example's scores that makes it, and the result is a list.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores, −inf forbids an entry; or, for a ragged batch, a list of arrays.
    y : array_like
        Targets: integer labels, one for each row of scores, or rows like theta.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    cost : str, array_like or callable, optional
        c_y, which makes it the loss L_Ω(θ + c_y; y) (paper §3.4): "zero_one" (c_y = 1 − y), "hamming" over
        structures (⟨c_y, z − y⟩ = ‖z − y‖²), a vector, a matrix whose row k holds the costs of label k (mixed
        as y mixes labels), or a function of y that returns a vector.
    axis : int
        The axis of the scores; all others are a batch.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    ndarray [..., d]
        The gradient, of the shape and floating type of theta.

    Raises
    ------
    ValueError, TypeError
        An argument is not what it should be; the message names it, its value and what was expected.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.gradient([1.6, 1.1, 0.4], 1, "sparsemax").round(3).tolist()
    [0.75, -0.75, 0.0]

    See Also
    --------
    loss, value_and_gradient
    """
    return value_and_gradient(theta, y, omega, cost=cost, axis=axis, n_threads=n_threads)[1]


def conjugate(theta: ArrayLike, omega: OmegasLike, *, axis: int = -1, n_threads: int = 1) -> Any:
    """Ω*(θ) = max ⟨θ, μ⟩ − Ω(μ), whose gradient is ŷ_Ω(θ); log Σ exp(θ) for Shannon.

    A list of arrays of several shapes is a ragged batch: omega is then one Ω for all, a list, or a function
    of an example's scores that makes it, and the result is a list.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores, −inf forbids an entry; or, for a ragged batch, a list of arrays.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    axis : int
        The axis of the scores; all others are a batch.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    float or ndarray [...]
        A number for each row, float64: theta without the axis of the scores.

    Examples
    --------
    >>> import fenchel
    >>> float(fenchel.conjugate([1.6, 1.1, 0.4], "shannon").round(4))
    2.2459

    See Also
    --------
    value, predict
    """
    axis, n_threads = whole_axis(axis), thread_count(n_threads)
    if is_ragged(theta, omega):
        flat_only(axis)
        batch = Ragged(theta, omega)
        return batch.numbers(batch.run(_core.ragged_conjugate, batch.offsets, n_threads))
    core = core_of(omega)
    result = core.conjugate(flat(scores_of("theta", theta, axis), core, axis), n_threads)
    return result[()] if result.ndim == 0 else result


def value(mu: ArrayLike, omega: OmegasLike, *, axis: int = -1) -> Any:
    """Ω(μ), the regularizer itself.

    A list of arrays of several shapes is a ragged batch: omega is then one Ω for all, a list, or a function
    of an example's scores that makes it, and the result is a list.

    Parameters
    ----------
    mu : array_like [..., d]
        Points of the domain of Ω; or, for a ragged batch, a list of arrays.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    axis : int
        The axis of the scores; all others are a batch.

    Returns
    -------
    float or ndarray [...]
        A number for each point, float64: mu without the axis of its entries.

    Raises
    ------
    ValueError
        A point is outside of the domain.

    Examples
    --------
    >>> import fenchel
    >>> float(fenchel.value([0.5, 0.5], "shannon").round(4))  # minus the entropy
    -0.6931

    See Also
    --------
    conjugate, link, bregman_divergence
    """
    axis = whole_axis(axis)
    if is_ragged(mu, omega):
        flat_only(axis)
        batch = Ragged(mu, omega, name="mu")
        return batch.numbers(np.array(batch.each(lambda core, row: core.value(row.astype(np.float64, copy=False)))))
    core = core_of(omega)
    result = core.value(flat(scores_of("mu", mu, axis), core, axis).astype(np.float64, copy=False))
    return result[()] if result.ndim == 0 else result


def link(mu: ArrayLike, omega: OmegasLike, *, axis: int = -1) -> Any:
    """∇Ω(μ), the canonical link: the scores whose prediction is μ, where Ω is of Legendre type; a subgradient
    at kinks.

    It may be infinite on the boundary of the domain, as that of Shannon's Ω is at 0.

    Parameters
    ----------
    mu : array_like [..., d]
        Points of the domain of Ω; or, for a ragged batch, a list of arrays.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    axis : int
        The axis of the scores; all others are a batch.

    Returns
    -------
    ndarray [..., d]
        ∇Ω(μ), float64, of the shape of mu.

    Raises
    ------
    ValueError
        A point is outside of the domain.

    Examples
    --------
    >>> import fenchel
    >>> theta = fenchel.link([0.7, 0.2, 0.1], "shannon")
    >>> fenchel.softmax(theta).round(3).tolist()
    [0.7, 0.2, 0.1]

    See Also
    --------
    predict, value
    """
    axis = whole_axis(axis)
    if is_ragged(mu, omega):
        flat_only(axis)
        batch = Ragged(mu, omega, name="mu")
        return batch.back(batch.joined(batch.each(lambda core, row: core.gradient(row.astype(np.float64, copy=False)))))
    core, points = core_of(omega), scores_of("mu", mu, axis)
    slopes = core.gradient(flat(points, core, axis).astype(np.float64, copy=False))
    return back(slopes.reshape(points.shape), axis)


def prox(eta: ArrayLike, omega: OmegasLike, tau: float = 1.0, *, axis: int = -1, n_threads: int = 1) -> Any:
    """prox_{τΩ}(η) = argmin ½‖μ − η‖² + τ Ω(μ), the proximity operator (paper §8.4).

    A list of arrays of several shapes is a ragged batch: omega is then one Ω for all, a list, or a function
    of an example's scores that makes it, and the result is a list.

    Parameters
    ----------
    eta : array_like [..., d]
        Points; or, for a ragged batch, a list of arrays.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    tau : float
        τ, finite and >= 0.
    axis : int
        The axis of the scores; all others are a batch.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    ndarray [..., d]
        Points of the domain of Ω, of the shape and floating type of eta.

    Raises
    ------
    ValueError, TypeError
        An argument is not what it should be; the message names it, its value and what was expected.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.prox([0.8, 0.6, -0.4], "shannon", 0.5).round(3).tolist()
    [0.497, 0.403, 0.1]

    See Also
    --------
    predict
    """
    axis, n_threads, tau = whole_axis(axis), thread_count(n_threads), number_of("tau", tau, 0)
    if is_ragged(eta, omega):
        flat_only(axis)
        batch = Ragged(eta, omega, name="eta")
        return batch.back(batch.joined(batch.each(lambda core, row: core.prox(row, tau, n_threads))))
    core, scores = core_of(omega), scores_of("eta", eta, axis)
    return back(core.prox(flat(scores, core, axis), tau, n_threads).reshape(scores.shape), axis)


def jvp(theta: ArrayLike, v: ArrayLike, omega: OmegasLike, *, axis: int = -1, n_threads: int = 1) -> Any:
    """J v with the Jacobian J of ŷ_Ω at θ: how the prediction changes along v.

    A list of arrays of several shapes is a ragged batch: omega is then one Ω for all, a list, or a function
    of an example's scores that makes it, and the result is a list.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores, −inf forbids an entry; or, for a ragged batch, a list of arrays.
    v : array_like [..., d]
        Directions, of the shape of theta.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    axis : int
        The axis of the scores; all others are a batch.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    ndarray [..., d]
        J v, of the shape and floating type of theta.

    Raises
    ------
    ValueError, TypeError
        An argument is not what it should be; the message names it, its value and what was expected.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.jvp([1.6, 1.1, 0.4], [1.0, 0.0, 0.0], "sparsemax").tolist()
    [0.5, -0.5, -0.0]

    See Also
    --------
    vjp, predict
    """
    axis, n_threads = whole_axis(axis), thread_count(n_threads)
    if is_ragged(theta, omega):
        flat_only(axis)
        batch = Ragged(theta, omega)
        return batch.back(batch.run(_core.ragged_jvp, batch.like("v", v), batch.offsets, n_threads))
    core, scores = core_of(omega), scores_of("theta", theta, axis)
    v = scores_of("v", v, axis).astype(scores.dtype, copy=False)
    if v.shape != scores.shape:
        raise ValueError(f"v has shape {v.shape}; expected that of theta, {scores.shape}")
    return back(core.jvp(flat(scores, core, axis), flat(v, core), n_threads).reshape(scores.shape), axis)


def vjp(theta: ArrayLike, v: ArrayLike, omega: OmegasLike, *, axis: int = -1, n_threads: int = 1) -> Any:
    """Jᵀ v with the Jacobian J of ŷ_Ω at θ, which is symmetric: the same as J v.

    A list of arrays of several shapes is a ragged batch: omega is then one Ω for all, a list, or a function
    of an example's scores that makes it, and the result is a list.

    Parameters
    ----------
    theta : array_like [..., d]
        Scores, −inf forbids an entry; or, for a ragged batch, a list of arrays.
    v : array_like [..., d]
        Directions, of the shape of theta.
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    axis : int
        The axis of the scores; all others are a batch.
    n_threads : int
        Threads; 0 takes all processors. Results have the same bits for any number.

    Returns
    -------
    ndarray [..., d]
        Jᵀ v, of the shape and floating type of theta.

    Raises
    ------
    ValueError, TypeError
        An argument is not what it should be; the message names it, its value and what was expected.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.vjp([1.6, 1.1, 0.4], [1.0, 0.0, 0.0], "sparsemax").tolist()
    [0.5, -0.5, -0.0]

    See Also
    --------
    jvp, predict
    """
    return jvp(theta, v, omega, axis=axis, n_threads=n_threads)


def margin(omega: OmegaLike, d: int, *, cost: Optional[CostLike] = None) -> Optional[float]:
    """The smallest m with zero loss once the right one of d scores leads by m (paper §5).

    Parameters
    ----------
    omega : Regularizer, str or dict
        Ω: an object such as fenchel.Tsallis(1.5), a text such as "tsallis:alpha=1.5", or a dictionary.
    d : int
        The number of scores.
    cost : str, array_like or callable, optional
        c_y, which makes it the loss L_Ω(θ + c_y; y) (paper §3.4): "zero_one" (c_y = 1 − y), "hamming" over
        structures (⟨c_y, z − y⟩ = ‖z − y‖²), a vector, a matrix whose row k holds the costs of label k (mixed
        as y mixes labels), or a function of y that returns a vector.

    Returns
    -------
    float or None
        The margin; None if there is none, as for the logistic loss.

    Examples
    --------
    >>> import fenchel
    >>> fenchel.margin("sparsemax", 3), fenchel.margin("sparsemax", 3, cost="zero_one"), fenchel.margin("logistic", 3)
    (1.0, 2.0, None)

    See Also
    --------
    loss
    """
    count = whole_number("d", d, 0, LARGEST_INT64)
    return loss_of(omega, cost, count).margin(count)
