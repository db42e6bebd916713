# SPDX-License-Identifier: Apache-2.0
"""The names people search for."""
from __future__ import annotations

from typing import Any

import numpy as np

from .functions import predict
from .regularizers import Norm, Shannon, Tsallis

__all__ = ["softmax", "sparsemax", "entmax15", "entmax", "normmax"]

_SHANNON, _SPARSEMAX, _ENTMAX15 = Shannon(), Tsallis(2.0), Tsallis(1.5)


def softmax(theta: Any, axis: int = -1, *, out: Any = None, n_threads: int = 1) -> np.ndarray:
    """exp(θ) / Σ exp(θ)."""
    return predict(theta, _SHANNON, axis=axis, out=out, n_threads=n_threads)


def sparsemax(theta: Any, axis: int = -1, *, out: Any = None, n_threads: int = 1) -> np.ndarray:
    """The Euclidean projection of θ onto the simplex."""
    return predict(theta, _SPARSEMAX, axis=axis, out=out, n_threads=n_threads)


def entmax15(theta: Any, axis: int = -1, *, out: Any = None, n_threads: int = 1) -> np.ndarray:
    """α-entmax for α = 1.5."""
    return predict(theta, _ENTMAX15, axis=axis, out=out, n_threads=n_threads)


def entmax(theta: Any, alpha: float = 1.5, axis: int = -1, *, out: Any = None, n_threads: int = 1) -> np.ndarray:
    """α-entmax: softmax for α = 1, sparsemax for 2, exact for every α > 0."""
    return predict(theta, Tsallis(float(alpha)), axis=axis, out=out, n_threads=n_threads)


def normmax(theta: Any, q: float = float("inf"), axis: int = -1, *, out: Any = None, n_threads: int = 1) -> np.ndarray:
    """The prediction of the norm entropy of order q."""
    return predict(theta, Norm(float(q)), axis=axis, out=out, n_threads=n_threads)
