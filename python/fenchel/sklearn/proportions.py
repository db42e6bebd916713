# SPDX-License-Identifier: Apache-2.0
"""Label proportions: targets are points of the simplex (paper §6.3)."""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight

from .. import _core
from ._class_weighted import ClassWeighted
from ._classes import class_names
from ._linear import probabilities_available
from ._parts import PartialFit
from ._targets import column_names, matrix
from ._training import keeps_the_model

_ROUNDING = 1e-5  # what the sum of a row of single-precision shares may be off
_HALF = np.finfo(np.float16)


class FenchelYoungProportions(ClassWeighted, PartialFit):
    __doc__ = "Shares of classes: each target is a row of numbers >= 0 that sum to 1.\n\n    " + (
        ClassWeighted.__doc__ or "") + """
    Attributes
    ----------
    classes_ : names of the columns of y where it has some (a data frame), else 0, 1, …
    coef_, intercept_ : W (n_classes, n_features) and b of features as they come. Not there for kernels.
    model_ : the model of C++.
    n_iter_, objective_, dual_gap_, solver_, remarks_ : how training went; dual_gap_ is None where no bound is known.
    """
    _task = "proportions"
    _calibrated_by = "js"
    _domains = ("simplex",)

    @keeps_the_model
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> FenchelYoungProportions:
        """Trains on rows X and rows y of shares, divided by their sums, which must be 1 up to rounding."""
        columns = column_names(self._require(y))
        shares = _shares(y)
        X, shares = self._check_x(X, shares, multi_output=True, y_numeric=True)
        names = self._set_classes(columns if columns is not None else np.arange(shares.shape[1]))
        of_classes = self._weights_of_classes()
        if of_classes is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64) * (shares @ of_classes)
        self._fit_targets(X, _core.Targets.rows(self._task, shares, names), sample_weight, self._balanced())
        self._note_classes()
        return self

    def _begin_parts(self, y: Any) -> None:
        columns = column_names(y)
        self._set_classes(columns if columns is not None else np.arange(_shares(y).shape[1]))

    def _learn_part(self, X: Any, targets: _core.Targets, sample_weight: Any, class_weight: str = "") -> None:
        if self.class_weight is not None:
            raise ValueError("class_weight is given; partial_fit takes sample_weight instead")
        super()._learn_part(X, targets, sample_weight, class_weight)

    def decision_function(self, X: Any) -> np.ndarray:
        """θ = W x + b (n_samples, n_classes)."""
        return self._shown_scores(X)

    def predict(self, X: Any) -> np.ndarray:
        """ŷ_Ω(θ) (n_samples, n_classes): the shares."""
        return self._predictions(X)

    @available_if(probabilities_available)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The same as predict."""
        return self._predictions(X)

    def _held_out(self, y: Any) -> _core.Targets:
        shares = _shares(y)
        if shares.shape[1] != len(self.classes_):
            raise ValueError(f"y has {shares.shape[1]} columns; expected {len(self.classes_)}, one for each class")
        return _core.Targets.rows(self._task, shares, class_names(self.classes_))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """−(mean Jensen-Shannon divergence of shares and predictions): 0 at best."""
        theta = self._scores(X)
        return -self._mean_metric("js", self._held_out(y), theta, sample_weight)


def _shares(y: Any) -> np.ndarray:
    """Rows on the simplex, exactly."""
    rounding = _ROUNDING
    shares = matrix("y", y)
    if getattr(y if issparse(y) else np.asarray(y), "dtype", None) == np.float16:
        # Each share was rounded, and maybe divided by a sum that was rounded as well.
        rounding = float(2 * _HALF.eps) + shares.shape[1] * float(_HALF.smallest_subnormal)
    wrong = np.argwhere(~(shares >= 0))
    if len(wrong):
        i, k = wrong[0]
        raise ValueError(f"y[{i}, {k}] is {shares[i, k]}; shares are numbers >= 0")
    sums = shares.sum(axis=1)
    off = np.flatnonzero(~(np.abs(sums - 1) <= rounding))
    if len(off):
        raise ValueError(f"y[{off[0]}] sums to {sums[off[0]]}; shares sum to 1")
    return shares / sums[:, np.newaxis]
