# SPDX-License-Identifier: Apache-2.0
"""Label proportions: targets are points of the simplex (paper §6.3)."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import _check_sample_weight

from .. import _core
from ._available import available_unless, lacks_probabilities
from ._class_weighted import ClassWeighted
from ._classes import class_names
from ._parts import PartialFit
from ._targets import column_names, matrix
from ._training import keeps_the_model

if TYPE_CHECKING:
    from .._types import ArrayLike

_ROUNDING = 1e-5  # what the sum of a row of single-precision shares may be off
_HALF = np.finfo(np.float16)


class FenchelYoungProportions(ClassWeighted, PartialFit):
    """Shares of classes, rows of numbers >= 0 that sum to 1: min_W Σ_i w_i L_Ω(W x_i + b; y_i) + G(W) (paper
    §6.3).

    `predict_proba` is there where ŷ_Ω(θ) is a probability: not for hinge, perceptron and other losses of
    scores alone, where an AttributeError says so. What it shows can be pasted back after `from fenchel import
    *`; long parameters are cut, as scikit-learn does.

    Parameters
    ----------
    omega : Regularizer, str or dict, optional
        The regularizer Ω or a loss: an object (`fenchel.Tsallis(alpha=1.5)`), a text (`"tsallis:alpha=1.5"`,
        `"sparsemax"`, `"hinge"`) or a dictionary. None: logistic for classes and sets, squared for numbers,
        sparsemap for orders.
    class_weight : str or dict, optional
        "balanced" (n/(K n_k), n_k the number or the mass of class k), or a dictionary from classes to
        weights; those that it lacks have 1.
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
    certificate : bool
        The model also holds a proof of how far from the optimum it is at most: see `verify`.

    Attributes
    ----------
    classes_ : ndarray
        Names of the columns of y where it has some (a data frame), else 0, 1, …
    coef_, intercept_ : ndarray
        W (n_classes, n_features) and b of features as they come, read-only. Not there for kernels.
    model_
        The model of C++.
    n_iter_, objective_, dual_gap_, solver_, remarks_
        How training went: iterations, the objective, its distance to the optimum at most (None where no bound
        is known), the solver, and the choices made, in words.

    Examples
    --------
    >>> from fenchel.sklearn import FenchelYoungProportions
    >>> X, y = [[0.0], [1.0]], [[0.9, 0.1], [0.2, 0.8]]
    >>> FenchelYoungProportions("sparsemax", reg_lambda=0.01).fit(X, y).predict([[0.5]]).round(2).tolist()
    [[0.55, 0.45]]

    See Also
    --------
    FenchelYoungClassifier
    """

    _task = "proportions"
    _calibrated_by = "js"
    _domains = ("simplex",)

    @keeps_the_model
    def fit(self, X: Any, y: Any, sample_weight: Optional[ArrayLike] = None) -> FenchelYoungProportions:
        """Trains on rows with shares of classes.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.
        y : array_like [n_samples, n_classes]
            Shares >= 0, divided by their sums, which must be 1 up to rounding.
        sample_weight : array_like [n_samples], optional
            A weight >= 0 for each row.

        Returns
        -------
        FenchelYoungProportions
            The estimator itself, fitted.
        """
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
        """θ = W x + b.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.

        Returns
        -------
        ndarray [n_samples, n_classes]
            Scores.
        """
        return self._shown_scores(X)

    def predict(self, X: Any) -> np.ndarray:
        """ŷ_Ω(θ): the shares.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.

        Returns
        -------
        ndarray [n_samples, n_classes]
            Shares.
        """
        return self._predictions(X)

    @available_unless(lacks_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The same as `predict`.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.

        Returns
        -------
        ndarray [n_samples, n_classes]
            Shares.

        Raises
        ------
        AttributeError
            Ω gives no probabilities, as hinge and perceptron: `decision_function` has the scores.
        """
        return self._predictions(X)

    def _held_out(self, y: Any) -> _core.Targets:
        shares = _shares(y)
        if shares.shape[1] != len(self.classes_):
            raise ValueError(f"y has {shares.shape[1]} columns; expected {len(self.classes_)}, one for each class")
        return _core.Targets.rows(self._task, shares, class_names(self.classes_))

    def score(self, X: Any, y: Any, sample_weight: Optional[ArrayLike] = None) -> float:
        """−(mean Jensen-Shannon divergence of shares and predictions): 0 at best.

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
            The score.
        """
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
