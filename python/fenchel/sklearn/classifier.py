# SPDX-License-Identifier: Apache-2.0
"""Classification with a Fenchel-Young loss."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, column_or_1d

from .. import _core
from ._class_weighted import ClassWeighted
from ._classes import class_names
from ._linear import _is_linear, probabilities_available
from ._parts import LearnsFromParts
from ._training import keeps_the_model, threads


class FenchelYoungClassifier(ClassifierMixin, ClassWeighted, LearnsFromParts):
    __doc__ = "Linear (or kernel) classifier: one class of several.\n\n    " + (ClassWeighted.__doc__ or "") + """    cost :
        makes it the cost-augmented loss L_Ω(θ + c_y; y) (paper §3.4): "zero_one", a matrix whose row k holds the costs of
        predicting each class where class k is right (both in the order of classes_), a vector, or a function of the unit
        vector y. With omega="argmax" this is a hinge loss. Predictions leave it out.

    Attributes
    ----------
    classes_ : the classes, in order.
    coef_, intercept_ : W (n_classes, n_features) and b of features as they come; two classes have two rows. Not there
        for kernels.
    model_ : the model of C++.
    n_iter_, objective_, dual_gap_, solver_, remarks_ : how training went; dual_gap_ is None where no bound is known.
    """
    _task = "classification"

    def __init__(self, omega: Any = None, *, class_weight: Any = None, cost: Any = None, penalty: Optional[str] = None,
                 reg_lambda: float = 1.0, rho: float = 1.0, fit_intercept: Any = True, scale: Optional[str] = None,
                 kernel: Any = None, solver: str = "auto", tol: float = 1e-6, max_iter: int = 1000,
                 warm_start: bool = False, n_jobs: Optional[int] = None, random_state: Any = None, verbose: int = 0,
                 certificate: bool = False):
        super().__init__(omega, class_weight=class_weight, penalty=penalty, reg_lambda=reg_lambda, rho=rho,
                         fit_intercept=fit_intercept, scale=scale, kernel=kernel, solver=solver, tol=tol, max_iter=max_iter,
                         warm_start=warm_start, n_jobs=n_jobs, random_state=random_state, verbose=verbose,
                         certificate=certificate)
        self.cost = cost

    @keeps_the_model
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> FenchelYoungClassifier:
        """Trains on rows X with one class each."""
        X, y = self._check_x(X, y)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        classes, labels = np.unique(y, return_inverse=True)
        names = self._set_classes(classes)
        of_classes = self._weights_of_classes()
        if of_classes is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64) * of_classes[labels]
        targets = _core.Targets.labels(self._task, labels.astype(np.int32), names)
        self._fit_targets(X, targets, sample_weight, self._balanced())
        self._note_classes()
        return self

    @available_if(_is_linear)
    @keeps_the_model
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> FenchelYoungClassifier:
        """Learns from some rows more, which are not kept: a step for each of them, in order (FTRL-Proximal).

        The first call needs all `classes`, unless `fit` came before, from whose weights it goes on. The penalty is that of the
        sum of losses of all rows so far, as in `fit`. objective_ is the sum of losses of these rows before their steps, t_ the
        number of rows so far; no bound of the distance to the optimum is known.
        """
        first = not hasattr(self, "model_")
        if first:
            if classes is None:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            self._set_classes(np.unique(classes))
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(f"classes is {np.unique(classes)}; expected {self.classes_}, as on the first call")
        X, y = self._check_x(X, y, reset=first)
        labels = self._known_labels(y)
        of_classes = self._weights_of_classes()
        if of_classes is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64) * of_classes[labels]
        targets = _core.Targets.labels(self._task, labels, class_names(self.classes_))
        self._learn_part(X, targets, sample_weight, self._balanced())
        self._note_classes()
        return self

    def _held_out(self, y: Any) -> _core.Targets:
        return _core.Targets.labels(self._task, self._known_labels(y), class_names(self.classes_))

    def decision_function(self, X: Any) -> np.ndarray:
        """θ = W x + b (n_samples, n_classes); for two classes θ₁ − θ₀ (n_samples,)."""
        theta, kind = self._scores_and_type(X)
        return (theta[:, 1] - theta[:, 0] if theta.shape[1] == 2 else theta).astype(kind, copy=False)

    def predict(self, X: Any) -> np.ndarray:
        """The class of the largest score."""
        best = self._scores(X).argmax(axis=1)
        return self.classes_[best]

    @available_if(probabilities_available)
    def predict_proba(self, X: Any) -> np.ndarray:
        """ŷ_Ω(θ) (n_samples, n_classes): rows sum to 1, and for a sparse Ω many entries are exactly 0."""
        return self._predictions(X)

    @available_if(probabilities_available)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithm of predict_proba: −inf where that is 0."""
        theta, kind = self._scores_and_type(X)
        with np.errstate(divide="ignore"):  # and the logarithm of the smallest ones before they are rounded
            return np.log(self.model_.outputs(theta, threads(self.n_jobs))).astype(kind, copy=False)
