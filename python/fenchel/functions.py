# SPDX-License-Identifier: Apache-2.0
"""The operations of a Fenchel-Young loss on arrays: scores lie along `axis`, all other axes are a batch.

float32 and float64 stay what they are, float16 is computed in float32, everything else in float64. C-contiguous
arrays with the scores last are not copied.
"""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._base import core_of

__all__ = ["predict", "predict_csr", "loss", "gradient", "value_and_gradient", "conjugate", "value", "prox", "jvp", "vjp",
           "margin"]

_DIRECT = (np.dtype(np.float64), np.dtype(np.float32))


def _scores(name: str, array: Any, axis: int) -> np.ndarray:
    """The array as C++ takes it: float32 or float64, C-contiguous, scores last."""
    array = np.asarray(array)
    if array.dtype not in _DIRECT:
        if array.dtype == np.float16:
            array = array.astype(np.float32)
        elif array.dtype.kind in "iubf":
            array = array.astype(np.float64)
        else:
            raise TypeError(f"{name} has dtype {array.dtype}; expected real numbers")
    if array.ndim == 0:
        raise ValueError(f"{name} is a single number; expected at least one axis")
    if axis != -1 and axis != array.ndim - 1:
        if not -array.ndim <= axis < array.ndim:
            raise ValueError(f"axis is {axis}; {name} has {array.ndim} axes")
        array = np.moveaxis(array, axis, -1)
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def _back(result: np.ndarray, axis: int) -> np.ndarray:
    return result if axis == -1 or axis == result.ndim - 1 else np.moveaxis(result, -1, axis)


def predict(theta: Any, omega: Any, *, axis: int = -1, out: Optional[np.ndarray] = None, n_threads: int = 1) -> np.ndarray:
    """ŷ_Ω(θ) = argmax ⟨θ, μ⟩ − Ω(μ) (paper Definition 1). `out` takes the result: same shape, type and order."""
    core = core_of(omega)
    if out is None:
        if type(theta) is np.ndarray and axis == -1 and theta.dtype in _DIRECT and theta.flags.c_contiguous:
            return core.predict(theta, None, n_threads)
        return _back(core.predict(_scores("theta", theta, axis), None, n_threads), axis)
    scores = _scores("theta", theta, axis)
    if not isinstance(out, np.ndarray) or out.shape != np.shape(theta):
        raise ValueError(f"out has shape {np.shape(out)}; expected that of theta, {np.shape(theta)}")
    if axis == -1 and out.dtype == scores.dtype and out.flags.c_contiguous and out.flags.writeable:
        core.predict(scores, out, n_threads)
    else:
        np.copyto(out, _back(core.predict(scores, None, n_threads), axis))
    return out


def predict_csr(theta: Any, omega: Any, *, n_threads: int = 1):
    """ŷ_Ω of each row of a matrix as a scipy.sparse.csr_array that holds the entries which are not 0."""
    from scipy.sparse import csr_array

    scores = _scores("theta", theta, -1)
    if scores.ndim != 2:
        raise ValueError(f"theta has shape {scores.shape}; expected a matrix, one row of scores each")
    data, indices, offsets, shape = core_of(omega).predict_csr(scores, n_threads)
    return csr_array((data, indices, offsets), shape=shape)


def _targets(y: Any, scores: np.ndarray, axis: int) -> np.ndarray:
    """Targets as C++ takes them: labels, int64 with one axis less than θ, or rows like θ."""
    y = np.asarray(y)
    if y.ndim == scores.ndim - 1 and y.dtype.kind in "iu":
        if y.shape != scores.shape[:-1]:
            raise ValueError(f"y has shape {y.shape}; expected {scores.shape[:-1]}, one label for each row of theta")
        return np.ascontiguousarray(y, dtype=np.int64)
    if y.dtype.kind not in "fiub":
        raise TypeError(f"y has dtype {y.dtype}; expected labels (integers) or rows like theta")
    if y.ndim != scores.ndim:
        raise ValueError(f"y has shape {y.shape}; expected {scores.shape[:-1]} integer labels or the shape of theta")
    y = _scores("y", y, axis).astype(scores.dtype, copy=False)
    if y.shape != scores.shape:
        raise ValueError(f"y has shape {y.shape}; expected that of theta, {scores.shape}")
    return y


def loss(theta: Any, y: Any, omega: Any, *, axis: int = -1, n_threads: int = 1):
    """L_Ω(θ; y) = Ω*(θ) + Ω(y) − ⟨θ, y⟩ (paper Definition 2), without the scores' axis; y: labels, or rows like θ."""
    core, scores = core_of(omega), _scores("theta", theta, axis)
    result = core.loss(scores, _targets(y, scores, axis), n_threads)
    return result[()] if result.ndim == 0 else result


def value_and_gradient(theta: Any, y: Any, omega: Any, *, axis: int = -1, n_threads: int = 1):
    """L_Ω(θ; y) and its gradient ŷ_Ω(θ) − y."""
    core, scores = core_of(omega), _scores("theta", theta, axis)
    losses, slopes = core.loss_and_gradient(scores, _targets(y, scores, axis), n_threads)
    return losses[()] if losses.ndim == 0 else losses, _back(slopes, axis)


def gradient(theta: Any, y: Any, omega: Any, *, axis: int = -1, n_threads: int = 1) -> np.ndarray:
    """∇L_Ω(θ; y) = ŷ_Ω(θ) − y (paper Proposition 2)."""
    return value_and_gradient(theta, y, omega, axis=axis, n_threads=n_threads)[1]


def conjugate(theta: Any, omega: Any, *, axis: int = -1, n_threads: int = 1):
    """Ω*(θ), without the scores' axis."""
    result = core_of(omega).conjugate(_scores("theta", theta, axis), n_threads)
    return result[()] if result.ndim == 0 else result


def value(mu: Any, omega: Any, *, axis: int = -1):
    """Ω(μ), without the axis of μ; an error outside its domain."""
    result = core_of(omega).value(_scores("mu", mu, axis).astype(np.float64, copy=False))
    return result[()] if result.ndim == 0 else result


def prox(eta: Any, omega: Any, tau: float = 1.0, *, axis: int = -1, n_threads: int = 1) -> np.ndarray:
    """prox_{τΩ}(η) = argmin ½‖μ − η‖² + τ Ω(μ) (paper §8.4)."""
    return _back(core_of(omega).prox(_scores("eta", eta, axis), float(tau), n_threads), axis)


def jvp(theta: Any, v: Any, omega: Any, *, axis: int = -1, n_threads: int = 1) -> np.ndarray:
    """J v with the Jacobian J of ŷ_Ω at θ."""
    scores = _scores("theta", theta, axis)
    v = _scores("v", v, axis).astype(scores.dtype, copy=False)
    if v.shape != scores.shape:
        raise ValueError(f"v has shape {v.shape}; expected that of theta, {scores.shape}")
    return _back(core_of(omega).jvp(scores, v, n_threads), axis)


def vjp(theta: Any, v: Any, omega: Any, *, axis: int = -1, n_threads: int = 1) -> np.ndarray:
    """Jᵀ v, the same as J v: the Jacobian of ŷ_Ω is symmetric."""
    return jvp(theta, v, omega, axis=axis, n_threads=n_threads)


def margin(omega: Any, d: int) -> Optional[float]:
    """The smallest m with zero loss once the right one of d scores leads by m (paper §5); None if there is none."""
    return core_of(omega).margin(d)
