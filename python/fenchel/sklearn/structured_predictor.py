# SPDX-License-Identifier: Apache-2.0
"""Structures of any set: Ω over its convex hull (paper §7)."""
from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from .. import _core
from .._base import Polytope, polytope_of
from .._costs import loss_of
from ._linear import _sample_weights
from ._parts import PartialFit
from ._training import keeps_the_model, spec_text, written_in_python

if TYPE_CHECKING:
    from .._types import ArrayLike, CostLike, OmegaLike, PolytopeLike


class StructuredPredictor(PartialFit):
    """A structure for each row: a matching, a tree, a sequence, a subset, or one of a set of your own (paper
    §7).

    Scores θ = W x + b have an entry for each entry of a structure. What it shows can be pasted back after
    `from fenchel import *`; long parameters are cut, as scikit-learn does.

    Parameters
    ----------
    omega : Regularizer, str or dict
        "sparsemap", "marginal" (CRF), "hinge" (structured SVM), "perceptron", "entropic" or another Ω over
        structures by its name, with the set as `polytope`; or an object that has both, such as
        fenchel.SparseMap(fenchel.Birkhoff(3)).
    polytope : Polytope, str or dict, optional
        The set, such as fenchel.Birkhoff(3) or "birkhoff:n=3"; None where omega names it.
    cost : str, array_like or callable, optional
        Makes it the cost-augmented loss L_Ω(θ + c_y; y) (paper §3.4): "hamming", a vector, or a function of
        y. Predictions leave it out.
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
    coef_, intercept_ : ndarray
        W (n_entries, n_features) and b of features as they come, read-only. Not there for kernels.
    model_
        The model of C++.
    n_iter_, objective_, dual_gap_, solver_, remarks_
        How training went: iterations, the objective, its distance to the optimum at most (None where no bound
        is known), the solver, and the choices made, in words.

    Examples
    --------
    >>> import fenchel, numpy as np
    >>> from fenchel.sklearn import StructuredPredictor
    >>> X = np.eye(2)
    >>> y = np.array([[[1, 0], [0, 1]], [[0, 1], [1, 0]]])  # two matchings of two and two
    >>> predictor = StructuredPredictor("sparsemap", polytope=fenchel.Birkhoff(2), reg_lambda=0.1).fit(X, y)
    >>> predictor.predict(X)[1].tolist()
    [[0.0, 1.0], [1.0, 0.0]]

    See Also
    --------
    SequenceTagger, fenchel.Polytope
    """

    _task = "structured"
    _calibrated_by = "squared_error"
    _domains = ("polytope",)

    def __init__(self, omega: OmegaLike = "sparsemap", *, polytope: Optional[PolytopeLike] = None,
                 cost: Optional[CostLike] = None, penalty: Optional[str] = None, reg_lambda: float = 1.0, rho: float = 1.0,
                 fit_intercept: Union[bool, str] = True, scale: Optional[str] = None, kernel: Union[str, dict, None] = None,
                 solver: Union[str, dict] = "auto", tol: Optional[float] = None, max_iter: int = 1000, warm_start: bool = False,
                 n_jobs: Optional[int] = None, random_state: Union[int, np.random.RandomState, None] = None,
                 verbose: int = 0):
        super().__init__(omega, penalty=penalty, reg_lambda=reg_lambda, rho=rho, fit_intercept=fit_intercept,
                         scale=scale, kernel=kernel, solver=solver, tol=tol, max_iter=max_iter,
                         warm_start=warm_start, n_jobs=n_jobs, random_state=random_state, verbose=verbose)
        self.polytope = polytope
        self.cost = cost

    @keeps_the_model
    def fit(self, X: Any, y: Any, sample_weight: Optional[ArrayLike] = None) -> StructuredPredictor:
        """Trains on rows with a structure each.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.
        y : array_like [n_samples, ...]
            Structures, each of the shape of the set, or flat; any point of the convex hull, a mixture of
            structures, will do.
        sample_weight : array_like [n_samples], optional
            A weight >= 0 for each row.

        Returns
        -------
        StructuredPredictor
            The estimator itself, fitted.
        """
        X, rows, shape = self._checked(X, y)
        self._shape = shape
        self._fit_targets(X, _core.Targets.rows(self._task, rows, []), sample_weight)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """θ = W x + b.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.

        Returns
        -------
        ndarray
            Scores, of the shape of y.
        """
        return self._shaped_as_y(self._shown_scores(X))

    def predict(self, X: Any) -> np.ndarray:
        """A structure for each row: the best by its score, or the one nearest to the prediction.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.

        Returns
        -------
        ndarray
            Structures, of the shape of y.
        """
        return self._shaped_as_y(self.model_.sets(self._scores(X)))

    def predict_marginals(self, X: Any) -> np.ndarray:
        """ŷ_Ω(θ), points of the convex hull: marginals of a CRF, sparse mixtures of SparseMAP.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.

        Returns
        -------
        ndarray
            Points, of the shape of y.
        """
        return self._shaped_as_y(self._predictions(X))

    def score(self, X: Any, y: Any, sample_weight: Optional[ArrayLike] = None) -> float:
        """The share of structures that are right as a whole.

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
            The accuracy.
        """
        predicted = self.predict(X)
        predicted = predicted.reshape(len(predicted), -1)
        rows = self._rows(y, len(predicted))
        right = (predicted == rows).all(axis=1) | (predicted == self.model_.nearest_structures(rows)).all(axis=1)
        return float(np.average(right, weights=_sample_weights(sample_weight, predicted)))

    def _held_out(self, y: Any) -> _core.Targets:
        return _core.Targets.rows(self._task, self._rows(y, None), [])

    def _checked(self, X: Any, y: Any) -> tuple:
        array = np.asarray(self._require(y))
        if array.ndim < 2:
            raise ValueError(f"y has shape {array.shape}; expected (n_samples, ...), a structure per row")
        shape = array.shape[1:]
        X, rows = self._check_x(X, array.reshape(len(array), -1), multi_output=True, y_numeric=True)
        return X, np.ascontiguousarray(rows, dtype=np.float64), shape

    def _rows(self, y: Any, count: Optional[int]) -> np.ndarray:
        array = np.asarray(y)
        if array.shape[1:] != self._shape or (count is not None and len(array) != count):
            expected = ("n_samples" if count is None else count, *self._shape)
            raise ValueError(f"y has shape {array.shape}; expected {expected}")
        return np.ascontiguousarray(array.reshape(len(array), -1), dtype=np.float64)

    def _shaped_as_y(self, rows: np.ndarray) -> np.ndarray:
        return rows.reshape(len(rows), *self._shape)

    def _options(self) -> _core.FitOptions:
        options = super()._options()
        if self.polytope is not None and not self._has_code():
            options.polytope = json.dumps(polytope_of(self.polytope).spec)
        return options

    def _has_code(self) -> bool:
        own_set = isinstance(self.polytope, Polytope) and self.polytope.written_in_python
        return own_set or written_in_python(self.omega)

    def _own_loss(self, options: _core.FitOptions) -> Optional[_core.Loss]:
        if self.cost is None and not self._has_code():
            return None
        return loss_of(self._whole_omega(), self.cost, self._outputs())

    def _begin_parts(self, y: Any) -> None:
        self._shape = np.shape(y)[1:]

    def _note_parts(self) -> None:
        pass

    def _whole_omega(self) -> Any:
        """Ω with its set, as an object or a dictionary."""
        if self.polytope is None:
            return self.omega
        if not isinstance(self.omega, (str, Mapping)):
            raise ValueError(f"polytope is {self.polytope!r}, and omega is {self.omega!r}, which has its set; leave one out")
        stand_in = json.dumps({"name": "simplex", "d": 2})  # one of your own has no text
        spec = json.loads(_core.over_polytope(spec_text("omega", self.omega), stand_in))
        return {**spec, "polytope": polytope_of(self.polytope)}

    def _results(self) -> dict:
        return {**super()._results(), "shape": self._shape}

    def _outputs(self) -> int:
        return int(np.prod(self._shape))
