# SPDX-License-Identifier: Apache-2.0
"""Numbers: Ω on the reals, on numbers >= 0 or on the cube."""
from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin

from .. import _core
from .._base import core_of
from ._linear import LinearEstimator
from ._parts import PartialFit
from ._targets import matrix
from ._training import keeps_the_model


class FenchelYoungRegressor(MultiOutputMixin, RegressorMixin, PartialFit):
    __doc__ = """Numbers ŷ_Ω(W x + b): squared loss, or "relu" and "poisson" for numbers >= 0, "sigmoid" for those from 0 to 1.

    """ + (LinearEstimator.__doc__ or "") + """
    Attributes
    ----------
    coef_, intercept_ : W and b of features as they come: (n_features,) and a number where y is a vector, else
        (n_outputs, n_features) and (n_outputs,). Not there for kernels.
    model_ : the model of C++.
    n_iter_, objective_, dual_gap_, solver_, remarks_ : how training went; dual_gap_ is None where no bound is known.
    """
    _task = "regression"
    _domains = ("reals", "cone", "cube")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self._needs_positive()
        return tags

    def _needs_positive(self) -> bool:
        """Whether Ω is over numbers >= 0."""
        try:
            omega = core_of(self.omega) if self.omega is not None else None
        except (TypeError, ValueError):
            return False  # fit will say what is wrong
        return omega is not None and omega.domain == "cone"

    @keeps_the_model
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> FenchelYoungRegressor:
        """Trains on rows X and numbers y (n_samples,) or (n_samples, n_outputs)."""
        X, y = self._check_x(X, y, multi_output=True, y_numeric=True)
        rows = np.ascontiguousarray(y.reshape(len(y), -1), dtype=np.float64)
        self._shape = y.shape[1:]
        self._fit_targets(X, _core.Targets.rows(self._task, rows, []), sample_weight)
        return self

    def _begin_parts(self, y: Any) -> None:
        self._shape = np.shape(y)[1:]

    def _note_parts(self) -> None:
        pass

    def _part_targets(self, y: Any) -> _core.Targets:
        rows = np.asarray(y)
        if rows.shape[1:] != self._shape:
            raise ValueError(f"y has shape {rows.shape}; expected {('n_samples', *self._shape)}")
        return _core.Targets.rows(self._task, matrix("y", rows.reshape(len(rows), -1)), [])

    def predict(self, X: Any) -> np.ndarray:
        """ŷ_Ω(θ), of the shape of y."""
        outputs = self._predictions(X)
        return outputs.reshape(len(outputs), *self._shape)

    def _results(self) -> dict:
        return {**super()._results(), "shape": self._shape}

    def _outputs(self) -> int:
        return self._shape[0] if self._shape else 1

    def _shaped(self, weights: np.ndarray, intercepts: np.ndarray) -> tuple[Any, Any]:
        return (weights[0], float(intercepts[0])) if self._shape == () else (weights, intercepts)
