# SPDX-License-Identifier: Apache-2.0
"""Orders of labels: Ω over the permutahedron (paper §7.3)."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from .. import _core
from ._linear import LinearEstimator
from ._targets import column_names, listed_orders, matrix, orders_of
from ._training import keeps_the_model

if TYPE_CHECKING:
    from .._types import ArrayLike, OmegaLike

_FORMS = ("ranks", "relevance", "orders")


class LabelRanker(LinearEstimator):
    """An order of all labels for each row: min_W Σ_i w_i L_Ω(W x_i + b; y_i) + G(W) with Ω over the
    permutahedron (paper §7.3).

    omega is "sparsemap" (SparseMAP over the permutahedron), "entropic", "hinge", "perceptron" or "squared";
    it may say what places are worth: "sparsemap:w=partial,k=3" with w one of top1, k-subsets, full, partial,
    ranking. What it shows can be pasted back after `from fenchel import *`; long parameters are cut, as
    scikit-learn does.

    Parameters
    ----------
    omega : Regularizer, str or dict, optional
        The regularizer Ω or a loss: an object (`fenchel.Tsallis(alpha=1.5)`), a text (`"tsallis:alpha=1.5"`,
        `"sparsemax"`, `"hinge"`) or a dictionary. None: logistic for classes and sets, squared for numbers,
        sparsemap for orders.
    targets : str
        What a row of y is and predict returns. "ranks": the rank of each label, 1 the best, equal ones
        allowed; "relevance": a number for each label, the larger the better; "orders": the labels themselves,
        the best first; those that a row leaves out come last. A text such as "b>a=c" is an order whatever
        this says: b first, then a and c, which are tied.
    penalty : str, optional
        G: "l2", "l1", "elastic_net", "group_lasso" or "none". None: l2, but none for perceptrons.
    reg_lambda : float
        λ, the strength of the penalty of the sum of losses; scikit-learn's C is 1/λ, for its logistic
        regression of two classes 2/λ.
    rho : float
        Of elastic_net: (λ/2)‖W‖² + λρ‖W‖₁.
    fit_intercept : bool or str
        True: not penalised where the solver can do that, else penalised; "free", "penalised" or False.
    scale : str, optional
        Of features, kept with the model: "standard", "maxabs" or None.
    kernel : str or dict, optional
        Such as "rbf:gamma=0.5", "polynomial:degree=3", "precomputed"; None: a linear model. Without a gamma it is
        1 / (features * variance of X), scikit-learn's "scale".
    solver : str or dict
        "auto", or one of docs/training.md such as "lbfgs" or "saga", with parameters as in "lbfgs:memory=20".
    tol : float, optional
        Training ends where the residual of the solver, the duality gap over the objective where it is known,
        is no larger. None: 1e-6, or a gap of 1e-4 of the losses at scores of 0, from where on
        predictions hardly change, whichever comes first.
    max_iter : int
        Iterations, or passes over the data; with 0 the model is the one to start from.
    warm_start : bool
        Go on from the weights of the last fit.
    n_jobs : int, optional
        Threads; None: one, −1: all processors. Results have the same bits for any number.
    random_state : int or RandomState, optional
        Of solvers that take examples at random. None is 0: the same result each time.
    verbose : int
        1: progress on the standard error stream, a line per second.

    Attributes
    ----------
    classes_ : ndarray
        The labels: names of the columns of y where it has some (a data frame), else 0, 1, …; for orders, the
        labels that occur.
    coef_, intercept_ : ndarray
        W (n_labels, n_features) and b of features as they come, read-only. Not there for kernels.
    model_
        The model of C++.
    n_iter_, objective_, dual_gap_, solver_, remarks_
        How training went: iterations, the objective, its distance to the optimum at most (None where no bound
        is known), the solver, and the choices made, in words.

    Examples
    --------
    >>> from fenchel.sklearn import LabelRanker
    >>> X, y = [[0.0], [1.0]], ["a>b>c", "c>b>a"]
    >>> LabelRanker(targets="orders", reg_lambda=0.1).fit(X, y).predict([[2.0]]).tolist()
    [['c', 'b', 'a']]

    See Also
    --------
    DocumentRanker, fenchel.Permutahedron
    """

    _task = "label-ranking"

    def __init__(self, omega: Optional[OmegaLike] = None, *, targets: str = "ranks", penalty: Optional[str] = None,
                 reg_lambda: float = 1.0, rho: float = 1.0, fit_intercept: Union[bool, str] = True,
                 scale: Optional[str] = None, kernel: Union[str, dict, None] = None, solver: Union[str, dict] = "auto",
                 tol: Optional[float] = None, max_iter: int = 1000, warm_start: bool = False, n_jobs: Optional[int] = None,
                 random_state: Union[int, np.random.RandomState, None] = None, verbose: int = 0):
        super().__init__(omega, penalty=penalty, reg_lambda=reg_lambda, rho=rho, fit_intercept=fit_intercept,
                         scale=scale, kernel=kernel, solver=solver, tol=tol, max_iter=max_iter,
                         warm_start=warm_start, n_jobs=n_jobs, random_state=random_state, verbose=verbose)
        self.targets = targets

    @keeps_the_model
    def fit(self, X: Any, y: Any, sample_weight: Optional[ArrayLike] = None) -> LabelRanker:
        """Trains on rows with an order of labels each.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.
        y : array_like
            Orders of labels, as `targets` says, or texts such as "b>a=c".
        sample_weight : array_like [n_samples], optional
            A weight >= 0 for each row.

        Returns
        -------
        LabelRanker
            The estimator itself, fitted.
        """
        if self.targets not in _FORMS:
            raise ValueError(f"targets is {self.targets!r}; expected one of {', '.join(_FORMS)}")
        self._require(y)
        if _are_texts(y):
            classes = np.unique([label for order in orders_of(list(y)) for group in order for label in group])
        elif self.targets == "orders":
            classes = np.unique([label for order in listed_orders(y) for group in order for label in group])
        else:
            if isinstance(y, (list, tuple)) and any(
                    isinstance(label, str) for row in y if isinstance(row, (list, tuple)) for label in row):
                raise ValueError(f"y lists labels, such as {y[0]!r}; expected numbers with targets={self.targets!r}: give "
                                 "targets='orders' for lists of labels, the best first")
            columns = column_names(y)
            classes = columns if columns is not None else np.arange(matrix("y", y).shape[1])
        relevance = self._relevance(y, classes)
        X, relevance = self._check_x(X, relevance, multi_output=True, y_numeric=True)
        names = self._set_classes(classes)
        self._fit_targets(X, _core.Targets.rows(self._task, relevance, names), sample_weight)
        self._note_classes()
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """θ = W x + b: the larger, the better the label.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.

        Returns
        -------
        ndarray [n_samples, n_labels]
            Scores.
        """
        return self._shown_scores(X)

    def predict(self, X: Any) -> np.ndarray:
        """Orders of labels, as `targets` says.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.

        Returns
        -------
        ndarray [n_samples, n_labels]
            Ranks, the points ŷ_Ω(θ) of the permutahedron (relevance), or labels, the best first.
        """
        theta = self._scores(X)
        if self.targets == "relevance":
            return self.model_.outputs(theta)
        order = np.argsort(-theta, axis=1, kind="stable")
        if self.targets == "orders":
            return self.classes_[order]
        ranks = np.empty_like(order)
        np.put_along_axis(ranks, order, np.arange(1, theta.shape[1] + 1)[np.newaxis, :], axis=1)
        return ranks

    def score(self, X: Any, y: Any, sample_weight: Optional[ArrayLike] = None) -> float:
        """Mean Kendall's τ_b of the true orders and the predicted ones.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.
        y : array_like
            As in `fit`.
        sample_weight : array_like [n_samples], optional
            A weight >= 0 for each row.

        Returns
        -------
        float
            From −1 to 1.
        """
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
        for i, groups in enumerate(orders_of(list(y)) if _are_texts(y) else listed_orders(y)):
            for worse, label in ((worse, label) for worse, group in enumerate(groups) for label in group):
                if label not in place:
                    raise ValueError(f"y[{i}] has the label {label!r}; expected one of {classes}")
                if rows[i, place[label]]:
                    raise ValueError(f"y[{i}] ranks {label!r} twice")
                rows[i, place[label]] = len(classes) - worse
        return rows


def _are_texts(y: Any) -> bool:
    """Whether y is a list of orders as texts."""
    return getattr(y, "ndim", 1) == 1 and len(y) > 0 and all(isinstance(entry, str) for entry in y)
