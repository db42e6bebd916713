# SPDX-License-Identifier: Apache-2.0
"""Numbers: Ω on the reals, on numbers >= 0 or on the cube."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin

from .. import _core
from .._base import core_of
from ._parts import PartialFit
from ._targets import matrix
from ._training import keeps_the_model

if TYPE_CHECKING:
    from .._types import ArrayLike


class FenchelYoungRegressor(MultiOutputMixin, RegressorMixin, PartialFit):
    """Numbers ŷ_Ω(W x + b): min_W Σ_i w_i L_Ω(W x_i + b; y_i) + G(W) (paper §6.2).

    Squared loss, or "relu" and "poisson" for numbers >= 0, "sigmoid" for those from 0 to 1. What it shows can
    be pasted back after `from fenchel import *`; long parameters are cut, as scikit-learn does.

    Parameters
    ----------
    omega : Regularizer, str or dict, optional
        The regularizer Ω or a loss: an object (`fenchel.Tsallis(alpha=1.5)`), a text (`"tsallis:alpha=1.5"`,
        `"sparsemax"`, `"hinge"`) or a dictionary. None: logistic for classes and sets, squared for numbers,
        sparsemap for orders.
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
    coef_, intercept_ : ndarray, float
        W and b of features as they come, read-only: (n_features,) and a number where y is a vector, else
        (n_outputs, n_features) and (n_outputs,). Not there for kernels.
    model_
        The model of C++.
    n_iter_, objective_, dual_gap_, solver_, remarks_
        How training went: iterations, the objective, its distance to the optimum at most (None where no bound
        is known), the solver, and the choices made, in words.

    Examples
    --------
    >>> from fenchel.sklearn import FenchelYoungRegressor
    >>> X, y = [[0.0], [1.0], [2.0]], [1.0, 2.0, 5.0]
    >>> FenchelYoungRegressor("poisson", reg_lambda=0.01).fit(X, y).predict([[3.0]]).round(1).tolist()
    [11.3]

    See Also
    --------
    FenchelYoungClassifier
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
    def fit(self, X: Any, y: Any, sample_weight: Optional[ArrayLike] = None) -> FenchelYoungRegressor:
        """Trains on rows with one or several numbers each.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.
        y : array_like [n_samples] or [n_samples, n_outputs]
            Numbers.
        sample_weight : array_like [n_samples], optional
            A weight >= 0 for each row.

        Returns
        -------
        FenchelYoungRegressor
            The estimator itself, fitted.
        """
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
        """ŷ_Ω(θ).

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.

        Returns
        -------
        ndarray
            Numbers, of the shape of y.
        """
        outputs = self._predictions(X)
        return outputs.reshape(len(outputs), *self._shape)

    def _results(self) -> dict:
        return {**super()._results(), "shape": self._shape}

    def _outputs(self) -> int:
        return self._shape[0] if self._shape else 1

    def _shaped(self, weights: np.ndarray, intercepts: np.ndarray) -> tuple[Any, Any]:
        return (weights[0], float(intercepts[0])) if self._shape == () else (weights, intercepts)
