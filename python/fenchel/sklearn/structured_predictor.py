# SPDX-License-Identifier: Apache-2.0
"""Structures of any set: Ω over its convex hull (paper §7)."""
from __future__ import annotations

import json
from typing import Any, Optional

import numpy as np

from .. import _core
from .._base import Polytope, core_of, polytope_of
from .._costs import loss_of
from ._linear import LinearEstimator, _sample_weights
from ._parts import PartialFit
from ._training import keeps_the_model, spec_text, written_in_python


class StructuredPredictor(PartialFit):
    __doc__ = """A structure for each row: a matching, a tree, a sequence, a subset, or one of a set of your own.

    omega is "sparsemap", "marginal" (CRF), "hinge" (structured SVM), "perceptron", "entropic" or another Ω over structures
    by its name, with the set as `polytope`; or an object that has both, such as
    fenchel.SparseMap(fenchel.Birkhoff(3)). Scores θ = W x + b have an entry for each entry of a structure.

    """ + (LinearEstimator.__doc__ or "") + """    polytope : the set, such as fenchel.Birkhoff(3) or
        "birkhoff:n=3"; None where omega names it.
    cost : makes it the cost-augmented loss L_Ω(θ + c_y; y) (paper §3.4): "hamming", a vector, or a function of y.
        Predictions leave it out.

    Attributes
    ----------
    coef_, intercept_ : W (n_entries, n_features) and b of features as they come. Not there for kernels.
    model_ : the model of C++.
    n_iter_, objective_, dual_gap_, solver_, remarks_ : how training went; dual_gap_ is None where no bound is known.

    Examples
    --------
    >>> import fenchel, numpy as np
    >>> X = np.eye(2)
    >>> y = np.array([[[1, 0], [0, 1]], [[0, 1], [1, 0]]])  # two matchings of two and two
    >>> predictor = StructuredPredictor("sparsemap", polytope=fenchel.Birkhoff(2), reg_lambda=0.1).fit(X, y)
    >>> predictor.predict(X)[1].tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    _task = "structured"
    _calibrated_by = "squared_error"
    _domains = ("polytope",)

    def __init__(self, omega: Any = "sparsemap", *, polytope: Any = None, cost: Any = None, penalty: Optional[str] = None,
                 reg_lambda: float = 1.0, rho: float = 1.0, fit_intercept: Any = True, scale: Optional[str] = None,
                 kernel: Any = None, solver: str = "auto", tol: float = 1e-6, max_iter: int = 1000,
                 warm_start: bool = False, n_jobs: Optional[int] = None, random_state: Any = None, verbose: int = 0):
        super().__init__(omega, penalty=penalty, reg_lambda=reg_lambda, rho=rho, fit_intercept=fit_intercept,
                         scale=scale, kernel=kernel, solver=solver, tol=tol, max_iter=max_iter,
                         warm_start=warm_start, n_jobs=n_jobs, random_state=random_state, verbose=verbose)
        self.polytope = polytope
        self.cost = cost

    @keeps_the_model
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> StructuredPredictor:
        """Trains on rows X and structures y (n_samples, ...), each of the shape of the set, or flat.

        A row of y may be any point of the convex hull: a mixture of structures.
        """
        X, rows, shape = self._checked(X, y)
        self._shape = shape
        self._fit_targets(X, _core.Targets.rows(self._task, rows, []), sample_weight)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """θ = W x + b, of the shape of y."""
        return self._shaped_as_y(self._shown_scores(X))

    def predict(self, X: Any) -> np.ndarray:
        """A structure for each row, of the shape of y: the best by its score, or the one nearest to the prediction."""
        return self._shaped_as_y(self.model_.sets(self._scores(X)))

    def predict_marginals(self, X: Any) -> np.ndarray:
        """ŷ_Ω(θ), points of the convex hull, of the shape of y: marginals of a CRF, sparse mixtures of SparseMAP."""
        return self._shaped_as_y(self._predictions(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of structures that are right as a whole."""
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
        return loss_of(core_of(self._whole_omega()), self.cost, self._outputs())

    def _begin_parts(self, y: Any) -> None:
        self._shape = np.shape(y)[1:]

    def _note_parts(self) -> None:
        pass

    def _whole_omega(self) -> Any:
        """Ω with its set, as an object or a dictionary."""
        if self.polytope is None:
            return self.omega
        if not isinstance(self.omega, (str, dict)):
            raise ValueError(f"polytope is {self.polytope!r}, and omega is {self.omega!r}, which has its set; leave one out")
        stand_in = json.dumps({"name": "simplex", "d": 2})  # one of your own has no text
        spec = json.loads(_core.over_polytope(spec_text("omega", self.omega), stand_in))
        return {**spec, "polytope": polytope_of(self.polytope)}

    def _results(self) -> dict:
        return {**super()._results(), "shape": self._shape}

    def _outputs(self) -> int:
        return int(np.prod(self._shape))
