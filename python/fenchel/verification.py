# SPDX-License-Identifier: Apache-2.0
"""Models that carry a proof of how good they are."""
from __future__ import annotations

from typing import Any, Optional


def verify(path: Any, X: Any, y: Any, sample_weight: Any = None, tol: Optional[float] = None) -> dict:
    """How far from the optimum the model of a file is at most: `verify` of the estimator that the file holds.

    The model was trained with a certificate (`certificate=True`, or `fenchel train --certificate`), on X, y and
    sample_weight. Needs scikit-learn.
    """
    from .sklearn import load

    return load(path).verify(X, y, sample_weight, tol)
