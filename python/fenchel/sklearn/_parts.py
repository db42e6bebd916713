# SPDX-License-Identifier: Apache-2.0
"""Estimators that learn from one part of the rows after the other."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np
from sklearn.utils.validation import check_consistent_length

from .. import _core
from ._available import available_unless, has_kernel
from ._features import features_of
from ._linear import LinearEstimator, _sample_weights
from ._record import FEATURE_NAMES, RECORD, record_of
from ._training import keeps_the_model

if TYPE_CHECKING:
    from .._types import ArrayLike


class LearnsFromParts(LinearEstimator):
    """What partial_fit is made of; it keeps no rows."""

    _parts: Optional[tuple] = None  # what C++ keeps of the rows so far

    def _learn(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Some rows more."""
        first = not hasattr(self, "model_")
        if first:
            self._begin_parts(self._require(y))
        X = self._check_x(X, reset=first)
        check_consistent_length(X, y)
        self._learn_part(X, self._part_targets(y), sample_weight)
        self._note_parts()

    def _begin_parts(self, y: Any) -> None:
        """What the first targets say about all."""
        raise NotImplementedError(f"{type(self).__name__} does not learn from parts")

    def _part_targets(self, y: Any) -> _core.Targets:
        """Further targets, in terms of the first ones."""
        return self._held_out(y)

    def _note_parts(self) -> None:
        """Into the model, so that a file gives it back."""
        self._note_classes()

    def _learn_part(self, X: Any, targets: _core.Targets, sample_weight: Any, class_weight: str = "") -> None:
        """A step for each row of checked X and targets, from where the parts before left off."""
        self._precision = X.dtype if self._parts is None else np.result_type(self._precision, X.dtype)
        options = self._options()
        options.class_weight = class_weight
        fit = _core.make_online_fit(targets, X.shape[1], options, self._own_loss(options))
        if self._parts is not None:
            fit.restore(*self._parts)
        elif getattr(self, "model_", None) is not None and self.model_.kind == "linear":
            fit.start_at(self.model_)
        total = fit.learn(features_of(X), targets, _sample_weights(sample_weight, X))
        self._parts = fit.state
        self.model_ = fit.model()
        self._own_omega = repr(self.omega) if self._has_code() else ""
        self.n_iter_, self.t_ = 1, self._parts[2]
        self.objective_, self.dual_gap_, self.solver_, self.remarks_ = total, None, "ftrl", []
        names = getattr(self, "feature_names_in_", None)  # which models of parts do not have
        results = {**self._results(), **({} if names is None else {FEATURE_NAMES: list(names)})}
        record = record_of(self.get_params(deep=False), results)
        self.model_.provenance = {**self.model_.provenance, RECORD: record}
        self._unpack()


class PartialFit(LearnsFromParts):
    """Those whose first targets say all about the others."""

    @available_unless(has_kernel)
    @keeps_the_model
    def partial_fit(self, X: Any, y: Any, sample_weight: Optional[ArrayLike] = None) -> PartialFit:
        """Learns from some rows more, which are not kept: a step for each of them, in order (FTRL-Proximal).

        The penalty is that of the sum of losses of all rows so far, as in `fit`, from whose weights it goes
        on. objective_ is the sum of losses of these rows before their steps, t_ the number of rows so far; no
        bound of the distance to the optimum is known.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.
        y : array_like
            As in `fit`; the first rows say how many outputs there are.
        sample_weight : array_like [n_samples], optional
            A weight >= 0 for each row.

        Returns
        -------
        estimator
            The estimator itself.

        Raises
        ------
        AttributeError
            The estimator has a kernel.
        """
        self._learn(X, y, sample_weight)
        return self
