# SPDX-License-Identifier: Apache-2.0
"""The operations of a Fenchel-Young loss on arrays: scores lie along `axis`, all other axes are a batch.

Scores of structures may also fill the trailing axes with their natural shape, such as [batch, n, n] for the arcs of
trees. A list of arrays of several shapes, or of Ω, is a ragged batch (ragged.py).

float32 and float64 stay what they are, float16 is computed in float32, everything else in float64. C-contiguous
arrays with the scores last are not copied.
"""
from __future__ import annotations

import math
from typing import Any, Optional

import numpy as np

from . import _core
from ._arguments import LARGEST_INT64, thread_count, whole_number
from ._arrays import any_array, real_array
from ._base import Regularizer, core_of
from ._costs import loss_of
from .ragged import Ragged, is_ragged

__all__ = ["predict", "predict_csr", "loss", "gradient", "value_and_gradient", "conjugate", "value", "prox", "jvp",
           "vjp", "margin", "link"]

_DIRECT = (np.dtype(np.float64), np.dtype(np.float32))


def _scores(name: str, array: Any, axis: int) -> np.ndarray:
    """The array as C++ takes it: float32 or float64, C-contiguous, scores last."""
    array = real_array(name, array, "an array, or a list of arrays for a ragged batch")
    if array.dtype not in _DIRECT:
        array = array.astype(np.float32 if array.dtype == np.float16 else np.float64)
    if axis != -1 and axis != array.ndim - 1:
        if not isinstance(axis, (int, np.integer)):
            raise TypeError(f"axis is {axis!r}; expected a whole number")
        if not -array.ndim <= axis < array.ndim:
            raise ValueError(f"axis is {axis}; {name} has {array.ndim} axes")
        array = np.moveaxis(array, axis, -1)
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def _back(result: np.ndarray, axis: int) -> np.ndarray:
    return result if axis == -1 or axis == result.ndim - 1 else np.moveaxis(result, -1, axis)


def _flat(array: np.ndarray, core: _core.Omega, axis: int = -1) -> np.ndarray:
    """Scores with the natural shape of their structures along one axis; all others as they are."""
    shape = core.shape
    if shape is None or len(shape) == 1 or array.shape[-1:] == (core.dimension,) or array.shape[-len(shape):] != shape:
        return array
    if axis != -1 and axis != array.ndim - 1:
        raise ValueError(f"axis is {axis}; scores with the natural shape of their structures, {shape}, fill the last axes")
    return array.reshape(*array.shape[:-len(shape)], math.prod(shape))


def _flat_only(axis: int, out: Any = None) -> None:
    if axis != -1:
        raise ValueError(f"axis is {axis}; a ragged batch has its scores along the last axis")
    if out is not None:
        raise ValueError("out is given; expected none with a ragged batch, whose results are a list of arrays")


def predict(theta: Any, omega: Any, *, axis: int = -1, out: Optional[np.ndarray] = None, n_threads: int = 1) -> Any:
    """ŷ_Ω(θ) = argmax ⟨θ, μ⟩ − Ω(μ) (paper Definition 1). `out` takes the result; not copied if it has the type and
    order of θ.

    For a ragged batch, θ is a list of arrays and Ω one for all, a list, or a function of an example's θ that makes it.
    """
    n_threads = thread_count(n_threads)
    if (type(theta) is np.ndarray and isinstance(omega, Regularizer) and axis == -1
            and theta.dtype in _DIRECT and theta.flags.c_contiguous and theta.flags.aligned):  # the short way, for little
        core = omega._core
        if core.shape is None:
            if out is None:
                return core.predict(theta, None, n_threads)
            if (type(out) is np.ndarray and out.dtype == theta.dtype and out.shape == theta.shape
                    and out.flags.c_contiguous and out.flags.writeable and out.flags.aligned):
                core.predict(theta, out, n_threads)
                return out
    if is_ragged(theta, omega):
        _flat_only(axis, out)
        batch = Ragged(theta, omega)
        return batch.back(batch.run(_core.ragged_predict, batch.offsets, n_threads))
    core = core_of(omega)
    if out is None:
        scores = _scores("theta", theta, axis)
        return _back(core.predict(_flat(scores, core, axis), None, n_threads).reshape(scores.shape), axis)
    scores = _scores("theta", theta, axis)
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is {type(out).__name__}; expected an array of the shape of theta, {np.shape(theta)}")
    if out.shape != np.shape(theta):
        raise ValueError(f"out has shape {np.shape(out)}; expected that of theta, {np.shape(theta)}")
    if axis == -1 and out.dtype == scores.dtype and out.flags.c_contiguous and out.flags.writeable and out.flags.aligned:
        core.predict(_flat(scores, core, axis), _flat(out, core, axis), n_threads)
    else:
        np.copyto(out, _back(core.predict(_flat(scores, core, axis), None, n_threads).reshape(scores.shape), axis))
    return out


def predict_csr(theta: Any, omega: Any, *, n_threads: int = 1) -> Any:
    """ŷ_Ω of each row of a matrix as a scipy.sparse.csr_array that holds the entries which are not 0."""
    n_threads = thread_count(n_threads)
    from scipy.sparse import csr_array

    core = core_of(omega)
    scores = _flat(_scores("theta", theta, -1), core)
    if scores.ndim != 2:
        raise ValueError(f"theta has shape {scores.shape}; expected a matrix, one row of scores each")
    data, indices, offsets, shape = core.predict_csr(scores, n_threads)
    return csr_array((data, indices, offsets), shape=shape)


def _targets(y: Any, scores: np.ndarray, axis: int, core: _core.Omega) -> np.ndarray:
    """Targets as C++ takes them: labels, int64 with one axis less than θ, or rows like θ."""
    y = _flat(any_array("y", y), core)
    if y.ndim == scores.ndim - 1 and y.dtype.kind in "iu":
        if y.shape != scores.shape[:-1]:
            raise ValueError(f"y has shape {y.shape}; expected {scores.shape[:-1]}, one label for each row of theta")
        return np.ascontiguousarray(y, dtype=np.int64)
    if y.dtype.kind not in "fiub":
        raise TypeError(f"y has dtype {y.dtype}; expected labels (integers) or rows like theta")
    if y.ndim != scores.ndim:
        raise ValueError(f"y has shape {y.shape} and dtype {y.dtype}; expected {scores.shape[:-1]} integer labels or the "
                         "shape of theta")
    y = _scores("y", y, axis).astype(scores.dtype, copy=False)
    if y.shape != scores.shape:
        raise ValueError(f"y has shape {y.shape}; expected that of theta, {scores.shape}")
    return y


def _no_cost(cost: Any) -> None:
    if cost is not None:
        raise ValueError("cost is given; expected none with a ragged batch: add the costs to the scores of each example")


def loss(theta: Any, y: Any, omega: Any, *, cost: Any = None, axis: int = -1, n_threads: int = 1) -> Any:
    """L_Ω(θ; y) = Ω*(θ) + Ω(y) − ⟨θ, y⟩ (paper Definition 2), without the scores' axis; y: labels, or rows like θ.

    `cost` makes it the cost-augmented loss L_Ω(θ + c_y; y) (paper §3.4), such as hinge losses of `Argmax` and `Map`:
    "zero_one" (c_y = 1 − y), "hamming" over structures (⟨c_y, z − y⟩ = ‖z − y‖²), a vector, a matrix whose row k holds the
    costs of label k (mixed as y mixes labels), or a function of y that returns a vector.
    """
    n_threads = thread_count(n_threads)
    if is_ragged(theta, omega):
        _flat_only(axis)
        _no_cost(cost)
        batch = Ragged(theta, omega)
        return batch.numbers(batch.run(_core.ragged_loss, batch.targets(y), batch.offsets, n_threads))
    core = core_of(omega)
    scores = _flat(_scores("theta", theta, axis), core, axis)
    result = loss_of(core, cost, scores.shape[-1]).value(scores, _targets(y, scores, axis, core), n_threads)
    return result[()] if result.ndim == 0 else result


def value_and_gradient(theta: Any, y: Any, omega: Any, *, cost: Any = None, axis: int = -1, n_threads: int = 1) -> Any:
    """L_Ω(θ; y) and its gradient ŷ_Ω(θ) − y; `cost` as in `loss`."""
    n_threads = thread_count(n_threads)
    if is_ragged(theta, omega):
        _flat_only(axis)
        _no_cost(cost)
        batch = Ragged(theta, omega)
        losses, slopes = batch.run(_core.ragged_loss_and_gradient, batch.targets(y), batch.offsets,
                                                        n_threads)
        return batch.numbers(losses), batch.back(slopes)
    core, scores = core_of(omega), _scores("theta", theta, axis)
    flat = _flat(scores, core, axis)
    targets = _targets(y, flat, axis, core)
    losses, slopes = loss_of(core, cost, flat.shape[-1]).value_and_gradient(flat, targets, n_threads)
    return losses[()] if losses.ndim == 0 else losses, _back(slopes.reshape(scores.shape), axis)


def gradient(theta: Any, y: Any, omega: Any, *, cost: Any = None, axis: int = -1, n_threads: int = 1) -> Any:
    """∇L_Ω(θ; y) = ŷ_Ω(θ) − y (paper Proposition 2); `cost` as in `loss`."""
    return value_and_gradient(theta, y, omega, cost=cost, axis=axis, n_threads=n_threads)[1]


def conjugate(theta: Any, omega: Any, *, axis: int = -1, n_threads: int = 1) -> Any:
    """Ω*(θ), without the scores' axis."""
    n_threads = thread_count(n_threads)
    if is_ragged(theta, omega):
        _flat_only(axis)
        batch = Ragged(theta, omega)
        return batch.numbers(batch.run(_core.ragged_conjugate, batch.offsets, n_threads))
    core = core_of(omega)
    result = core.conjugate(_flat(_scores("theta", theta, axis), core, axis), n_threads)
    return result[()] if result.ndim == 0 else result


def value(mu: Any, omega: Any, *, axis: int = -1) -> Any:
    """Ω(μ), without the axis of μ; an error outside its domain."""
    if is_ragged(mu, omega):
        _flat_only(axis)
        batch = Ragged(mu, omega, name="mu")
        return batch.numbers(np.array(batch.each(lambda core, row: core.value(row.astype(np.float64, copy=False)))))
    core = core_of(omega)
    result = core.value(_flat(_scores("mu", mu, axis), core, axis).astype(np.float64, copy=False))
    return result[()] if result.ndim == 0 else result


def link(mu: Any, omega: Any, *, axis: int = -1) -> Any:
    """∇Ω(μ), the canonical link: the scores whose prediction is μ where Ω is of Legendre type; a subgradient at kinks.

    It may be infinite on the boundary of the domain, as that of Shannon's Ω is at 0. An error outside of it.
    """
    if is_ragged(mu, omega):
        _flat_only(axis)
        batch = Ragged(mu, omega, name="mu")
        return batch.back(batch.joined(batch.each(lambda core, row: core.gradient(row.astype(np.float64, copy=False)))))
    core, points = core_of(omega), _scores("mu", mu, axis)
    slopes = core.gradient(_flat(points, core, axis).astype(np.float64, copy=False))
    return _back(slopes.reshape(points.shape), axis)


def prox(eta: Any, omega: Any, tau: float = 1.0, *, axis: int = -1, n_threads: int = 1) -> Any:
    """prox_{τΩ}(η) = argmin ½‖μ − η‖² + τ Ω(μ) (paper §8.4)."""
    n_threads = thread_count(n_threads)
    if is_ragged(eta, omega):
        _flat_only(axis)
        batch = Ragged(eta, omega, name="eta")
        return batch.back(batch.joined(batch.each(lambda core, row: core.prox(row, float(tau), n_threads))))
    core, scores = core_of(omega), _scores("eta", eta, axis)
    return _back(core.prox(_flat(scores, core, axis), float(tau), n_threads).reshape(scores.shape), axis)


def jvp(theta: Any, v: Any, omega: Any, *, axis: int = -1, n_threads: int = 1) -> Any:
    """J v with the Jacobian J of ŷ_Ω at θ."""
    n_threads = thread_count(n_threads)
    if is_ragged(theta, omega):
        _flat_only(axis)
        batch = Ragged(theta, omega)
        return batch.back(batch.run(_core.ragged_jvp, batch.like("v", v), batch.offsets, n_threads))
    core, scores = core_of(omega), _scores("theta", theta, axis)
    v = _scores("v", v, axis).astype(scores.dtype, copy=False)
    if v.shape != scores.shape:
        raise ValueError(f"v has shape {v.shape}; expected that of theta, {scores.shape}")
    return _back(core.jvp(_flat(scores, core, axis), _flat(v, core), n_threads).reshape(scores.shape), axis)


def vjp(theta: Any, v: Any, omega: Any, *, axis: int = -1, n_threads: int = 1) -> Any:
    """Jᵀ v, the same as J v: the Jacobian of ŷ_Ω is symmetric."""
    return jvp(theta, v, omega, axis=axis, n_threads=n_threads)


def margin(omega: Any, d: int, *, cost: Any = None) -> Optional[float]:
    """The smallest m with zero loss once the right one of d scores leads by m (paper §5); None if there is none.

    `cost` as in `loss`: the margin of the cost-augmented loss.
    """
    core, count = core_of(omega), whole_number("d", d, 0, LARGEST_INT64)
    return loss_of(core, cost, count).margin(count)
