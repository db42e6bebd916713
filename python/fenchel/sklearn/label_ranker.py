# SPDX-License-Identifier: Apache-2.0
"""Orders of labels: Ω over the permutahedron (paper §7.3)."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from .. import _core
from ._linear import LinearEstimator
from ._targets import column_names, matrix, order_of
from ._training import keeps_the_model

_FORMS = ("ranks", "relevance", "orders")


class LabelRanker(LinearEstimator):
    __doc__ = """An order of all labels for each row.

    omega is "sparsemap" (SparseMAP over the permutahedron), "entropic", "hinge", "perceptron" or "squared"; it may say
    what places are worth: "sparsemap:w=partial,k=3" with w one of top1, k-subsets, full, partial, ranking.

    """ + (LinearEstimator.__doc__ or "") + """    targets : what a row of y is and predict returns. "ranks": the rank
        of each label, 1 the best, equal ones allowed; "relevance": a number for each label, the larger the better;
        "orders": the labels themselves, the best first; those that a row leaves out come last. A text such as "b>a=c" is
        an order whatever this says: b first, then a and c, which are tied.

    Attributes
    ----------
    classes_ : the labels: names of the columns of y where it has some (a data frame), else 0, 1, …; for orders, the
        labels that occur.
    coef_, intercept_ : W (n_labels, n_features) and b of features as they come. Not there for kernels.
    model_ : the model of C++.
    n_iter_, objective_, dual_gap_, solver_, remarks_ : how training went; dual_gap_ is None where no bound is known.
    """
    _task = "label-ranking"

    def __init__(self, omega: Any = None, *, targets: str = "ranks", penalty: Optional[str] = None,
                 reg_lambda: float = 1.0, rho: float = 1.0, fit_intercept: Any = True, scale: Optional[str] = None,
                 kernel: Any = None, solver: str = "auto", tol: float = 1e-6, max_iter: int = 1000,
                 warm_start: bool = False, n_jobs: Optional[int] = None, random_state: Any = None, verbose: int = 0):
        super().__init__(omega, penalty=penalty, reg_lambda=reg_lambda, rho=rho, fit_intercept=fit_intercept,
                         scale=scale, kernel=kernel, solver=solver, tol=tol, max_iter=max_iter,
                         warm_start=warm_start, n_jobs=n_jobs, random_state=random_state, verbose=verbose)
        self.targets = targets

    @keeps_the_model
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LabelRanker:
        """Trains on rows X and orders y of labels."""
        if self.targets not in _FORMS:
            raise ValueError(f"targets is {self.targets!r}; expected one of {', '.join(_FORMS)}")
        self._require(y)
        if _are_texts(y):
            classes = np.unique([label for text in y for group in order_of(text) for label in group])
        elif self.targets == "orders":
            classes = np.unique([label for row in y for label in row])
        else:
            columns = column_names(y)
            classes = columns if columns is not None else np.arange(matrix("y", y).shape[1])
        relevance = self._relevance(y, classes)
        X, relevance = self._check_x(X, relevance, multi_output=True, y_numeric=True)
        names = self._set_classes(classes)
        self._fit_targets(X, _core.Targets.rows(self._task, relevance, names), sample_weight)
        self._note_classes()
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """θ = W x + b (n_samples, n_labels): the larger, the better the label."""
        return self._shown_scores(X)

    def predict(self, X: Any) -> np.ndarray:
        """Ranks, the points ŷ_Ω(θ) of the permutahedron (relevance), or orders of labels, as `targets` says."""
        theta = self._scores(X)
        if self.targets == "relevance":
            return self.model_.outputs(theta)
        order = np.argsort(-theta, axis=1, kind="stable")
        if self.targets == "orders":
            return self.classes_[order]
        ranks = np.empty_like(order)
        np.put_along_axis(ranks, order, np.arange(1, theta.shape[1] + 1)[np.newaxis, :], axis=1)
        return ranks

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Mean Kendall's τ_b of the true orders and the predicted ones."""
        theta = self._scores(X)
        relevance = self._relevance(y, self.classes_)
        targets = _core.Targets.rows(self._task, relevance, [str(name) for name in self.classes_])
        return self._mean_metric("kendall_tau", targets, theta, sample_weight)

    def _relevance(self, y: Any, classes: np.ndarray) -> np.ndarray:
        """One number for each label, the larger the better."""
        if not _are_texts(y) and self.targets != "orders":
            rows = matrix("y", y)
            if rows.shape[1] != len(classes):
                raise ValueError(f"y has {rows.shape[1]} columns; expected {len(classes)}, one for each label")
            return -rows if self.targets == "ranks" else rows
        rows = np.zeros((len(y), len(classes)))
        place = {label: k for k, label in enumerate(classes.tolist())}
        for i, order in enumerate(y):
            groups = order_of(order) if isinstance(order, str) else [[label] for label in np.asarray(order).tolist()]
            for worse, label in ((worse, label) for worse, group in enumerate(groups) for label in group):
                if label not in place:
                    raise ValueError(f"y[{i}] has the label {label!r}; expected one of {classes}")
                if rows[i, place[label]]:
                    raise ValueError(f"y[{i}] ranks {label!r} twice")
                rows[i, place[label]] = len(classes) - worse
        return rows


def _are_texts(y: Any) -> bool:
    """Whether y is a list of orders as texts."""
    return np.ndim(y) == 1 and len(y) > 0 and all(isinstance(entry, str) for entry in y)
