# SPDX-License-Identifier: Apache-2.0
"""Estimators of rows: θ = W x + b (or a kernel expansion), and ŷ_Ω(θ)."""
from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.base import clone
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted, check_X_y, column_or_1d, validate_data

from .. import _core
from .._arguments import plain_text
from .._base import core_of
from .._costs import loss_of, no_other_cost
from ._available import available_unless, has_kernel
from ._classes import class_kind, class_names
from ._coding import Coding
from ._features import DTYPES, check_sparse, features_of
from ._frames import Frame, by_name, check_different, check_finite, check_numbered, frame_of
from ._targets import require_targets
from ._training import Estimator, number, one_of, spec_text, threads, written_in_python

if TYPE_CHECKING:
    from .._types import ArrayLike, OmegaLike

_READ_ONLY = "{} is read-only: predictions are those of model_, whatever it were set to"
_CLASS_KIND = "class_kind"  # in the provenance of a model: what its classes were in Python


class LinearEstimator(Estimator):
    """min_W Σ_i w_i L_Ω(W x_i + b; y_i) + G(W) (paper §8.1); each estimator documents its parameters."""

    _task: str
    _calibrated_by = "log_loss"
    _probable = "one such as 'logistic', 'sparsemax' or 'tsallis:alpha=1.5'"  # that gives probabilities
    _domains: tuple = ("simplex", "polytope")  # that an Ω written in Python may be over
    _precision: np.dtype = np.dtype(np.float64)  # of coef_ and intercept_: that of the features of `fit`
    _coding: Optional[Coding] = None  # how the tool made features of columns, if it has trained the model
    classes_: np.ndarray

    def __init__(self, omega: Optional[OmegaLike] = None, *, penalty: Optional[str] = None, reg_lambda: float = 1.0,
                 rho: float = 1.0, fit_intercept: Union[bool, str] = True, scale: Optional[str] = None,
                 kernel: Union[str, dict, None] = None, solver: Union[str, dict] = "auto", tol: Optional[float] = None,
                 max_iter: int = 1000, warm_start: bool = False, n_jobs: Optional[int] = None,
                 random_state: Union[int, np.random.RandomState, None] = None, verbose: int = 0, certificate: bool = False):
        super().__init__(omega, penalty, reg_lambda, rho, solver, tol, max_iter, warm_start, n_jobs, random_state, verbose)
        self.certificate = certificate
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.kernel = kernel

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._precomputed()
        return tags

    def _precomputed(self) -> bool:
        name = self.kernel.get("name") if isinstance(self.kernel, dict) else self.kernel
        return isinstance(name, str) and name.partition(":")[0] == "precomputed"

    def _check_x(self, X: Any, y: Any = "no_validation", *, reset: bool = True, **options: Any) -> Any:
        """X, or X and y, as scikit-learn checks them: float32 and float64 stay, CSR stays. Columns with names go by name."""
        if issparse(X):
            check_sparse("X", X)
        if getattr(getattr(X, "dtype", None), "kind", "") in ("m", "M"):
            raise ValueError(f"X has the type {X.dtype}; expected numbers")
        if not isinstance(y, str):
            require_targets(y)
        options = {**options, "accept_sparse": "csr", "dtype": DTYPES, "order": "C"}
        frame = frame_of(X)
        if frame is None:
            return validate_data(self, X, y, reset=reset, **options)
        options["ensure_all_finite"] = False  # the message of check_finite names the column
        known = getattr(self, "feature_names_in_", None) if not reset or self.warm_start and hasattr(self, "model_") else None
        if known is None or not frame.named:
            check_different(frame)
            check_numbered(frame)
            names, checked = frame.names, validate_data(self, frame.require_numbers().plain(), y, reset=reset, **options)
        else:
            names, X = list(known), self._known_columns(frame, list(known))
            alone = isinstance(y, str) and y == "no_validation"
            checked = check_array(X, input_name="X", estimator=self, **options) if alone else \
                check_X_y(X, self._require(y), estimator=self, **options)
        check_finite(checked[0] if isinstance(checked, tuple) else checked, names)
        return checked

    def _known_columns(self, frame: Frame, known: list) -> Any:
        """The features of a table with names, in the order of the model."""
        if self._coding is not None and not self._coding.is_plain and not self._coding.is_done(frame):
            return self._coding.matrix(frame)
        target = () if self._coding is None else (self._coding.target,)
        return by_name(frame, known, target).require_numbers().plain()

    def _require(self, y: Any) -> Any:
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        require_targets(y)
        return y

    def _options(self) -> _core.FitOptions:
        options = super()._options()
        options.kernel = spec_text("kernel", self.kernel)
        options.scale = one_of("scale", self.scale, (None, "none", "standard", "maxabs")) or "none"
        intercept = one_of("fit_intercept", self.fit_intercept, (True, False, "free", "penalised"))
        if isinstance(intercept, str):
            options.intercept = intercept
        elif not intercept:  # False of Python or of NumPy, or 0
            options.intercept = "none"
        return options

    def _fit_targets(self, X: Any, targets: _core.Targets, sample_weight: Any, class_weight: str = "") -> None:
        """Trains on checked X and targets, and keeps the model."""
        self.__dict__.pop("_parts", None)
        self.__dict__.pop("_coding", None)
        self._precision = X.dtype
        options = self._options()
        if self._precomputed() and X.shape[0] != X.shape[1]:
            raise ValueError(f"X has shape {X.shape}; kernel='precomputed' takes the kernel of each example with each, "
                             f"expected ({X.shape[0]}, {X.shape[0]})")
        options.class_weight = class_weight
        if self.certificate and self.tol is None:
            options.tolerance = _core.default_tolerance  # a share of the objective, as verify() asks for
        features, weights = features_of(X), _sample_weights(sample_weight, X)
        names = [plain_text("the name of a feature", str(name)) for name in getattr(self, "feature_names_in_", ())]
        data = _core.prepare(features, targets, weights, options, names)
        fit = self._begin(data, options, X.shape[1])
        if self.certificate:
            _core.check_certificate(fit)
        self._run(fit, depth=4)
        if self.certificate:
            _core.certify(self.model_, fit, features, targets, weights)
        self._unpack()

    def _own_loss(self, options: _core.FitOptions) -> Optional[_core.Loss]:
        """Ω and costs as they are, where a text does not say them."""
        cost = getattr(self, "cost", None)
        if cost is None and not written_in_python(self.omega):
            return None
        if isinstance(self.omega, (str, Mapping)) and _core.loss_has_cost(options.omega):
            no_other_cost(self.omega, cost)
        given = "shannon" if self.omega is None else self.omega
        omega = core_of(given)
        if omega.domain not in self._domains:
            raise ValueError(f"omega is over {omega.domain}; {type(self).__name__} takes one over {' or '.join(self._domains)}")
        return loss_of(given, cost, self._outputs())

    def _begin(self, data: _core.PreparedData, options: _core.FitOptions, features: int) -> _core.Fit:
        """The fit of C++, with Ω by its text, or with Ω and costs as they are."""
        start, loss = self._start(features), self._own_loss(options)
        return _core.make_fit(data, options, start) if loss is None else _core.make_loss_fit(data, loss, options, start)

    def verify(self, X: Any, y: Any, sample_weight: Optional[ArrayLike] = None, tol: Optional[float] = None) -> dict:
        """How far from the optimum the model is at most, by plain code that shares nothing with training.

        The model needs a certificate (`certificate=True`).

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Those of `fit`.
        y : array_like
            Those of `fit`.
        sample_weight : array_like [n_samples], optional
            Those of `fit`.
        tol : float, optional
            The largest gap over the primal that counts as verified; that of training if not given.

        Returns
        -------
        dict
            `verified` (gap <= tol · primal and everything is as the certificate says), `primal`, `dual`,
            `gap`, `relative` and, where it is not verified, `problems`.
        """
        check_is_fitted(self)
        # A fit up to the point where training would begin, of another estimator: this one stays as it is.
        taken: list = []
        other = clone(self)
        other._fit_targets = lambda X, targets, sample_weight, class_weight="": taken.extend(
            (features_of(X), targets, _sample_weights(sample_weight, X)))
        other._note_classes = lambda **notes: None
        frame, known = frame_of(X), getattr(self, "feature_names_in_", None)
        if frame is not None and frame.named and known is not None:
            X = self._known_columns(frame, list(known))
        other.fit(X, y, sample_weight)
        features, targets, weights = taken
        return _core.verify(self.model_, features, targets, weights, tol)

    def _start(self, features: int) -> Optional[_core.Model]:
        """The model to go on from."""
        model = getattr(self, "model_", None) if self.warm_start else None
        if model is None or model.kind != "linear" or self.kernel is not None:
            return None
        outputs = self._outputs()
        if model.shape != (outputs, features):
            raise ValueError(f"warm_start: there are {outputs} outputs and {features} features; the fitted model has "
                             f"{model.shape[0]} and {model.shape[1]}")
        return model

    def _outputs(self) -> int:
        return len(self.classes_)

    def _results(self) -> dict:
        return {**super()._results(), "precision": self._precision.name}

    @property
    def coef_(self) -> Any:
        """W of features as they come. It is read-only: predictions are those of model_, which has it scaled."""
        weights = self._weights()[0]
        return csr_matrix(weights) if self.__dict__.get("_sparse") else weights

    @coef_.setter
    def coef_(self, _: Any) -> None:
        raise AttributeError(_READ_ONLY.format("coef_"))

    @property
    def intercept_(self) -> Any:
        """b of features as they come, read-only."""
        return self._weights()[1]

    @intercept_.setter
    def intercept_(self, _: Any) -> None:
        raise AttributeError(_READ_ONLY.format("intercept_"))

    @available_unless(has_kernel)
    def sparsify(self) -> LinearEstimator:
        """From now on coef_ is a sparse matrix (CSR), which is smaller where most weights are 0, as l1 makes
        them.

        Returns
        -------
        estimator
            The estimator itself.
        """
        check_is_fitted(self)
        self._sparse = True
        return self

    @available_unless(has_kernel)
    def densify(self) -> LinearEstimator:
        """From now on coef_ is an array again.

        Returns
        -------
        estimator
            The estimator itself.
        """
        check_is_fitted(self)
        self._sparse = False
        return self

    def _weights(self) -> tuple[Any, Any]:
        """W and b as coef_ and intercept_ give them."""
        if "_coefficients" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__} has no coef_ and no intercept_; linear models have them once they are "
                                 "fitted, kernels do not")
        for array in self._coefficients:
            if isinstance(array, np.ndarray):
                array.flags.writeable = False  # which copies and pickles do not keep
        return self._coefficients

    def _shaped(self, weights: np.ndarray, intercepts: np.ndarray) -> tuple[Any, Any]:
        return weights, intercepts

    def _unpack(self) -> None:
        """Attributes from the model."""
        self.__dict__.pop("_coefficients", None)
        self.__dict__.pop("_sparse", None)
        if self.model_.kind == "linear":
            with np.errstate(over="ignore"):
                weights, intercepts = (part.astype(self._precision, copy=False) for part in self.model_.coefficients())
            weights.flags.writeable = intercepts.flags.writeable = False
            self._coefficients = self._shaped(weights, intercepts)
            if not (np.isfinite(weights).all() and np.isfinite(intercepts).all()):
                warnings.warn(f"{type(self).__name__}: coef_ or intercept_ is not finite, as features are too small for weights "
                              "that are not scaled; predictions do not use them", RuntimeWarning, stacklevel=5)

    def _known_labels(self, y: Any) -> np.ndarray:
        """The numbers of the classes in y."""
        labels = column_or_1d(y)
        places = np.minimum(np.searchsorted(self.classes_, labels), len(self.classes_) - 1)
        unknown = np.flatnonzero(self.classes_[places] != labels)
        if len(unknown):
            raise ValueError(f"y has the class {labels[unknown].tolist()[0]!r}; the model has {self.classes_}")
        return places.astype(np.int32)

    def _set_classes(self, classes: np.ndarray) -> list[str]:
        """Keeps the classes, which a warm start must not change, and returns their names."""
        if self.warm_start and hasattr(self, "classes_") and not np.array_equal(self.classes_, classes):
            raise ValueError(f"warm_start: y has the classes {classes}; the fitted model has {self.classes_}")
        self.classes_ = classes
        return class_names(classes)

    def _note_classes(self, **notes: str) -> None:
        """The kind of classes, and more, into the model, so that a file gives them back as they were."""
        self.model_.provenance = {**self.model_.provenance, _CLASS_KIND: class_kind(self.classes_), **notes}

    def _scores(self, X: Any) -> np.ndarray:
        """θ of every row, in double precision."""
        return self._scores_and_type(X)[0]

    def _scores_and_type(self, X: Any) -> tuple[np.ndarray, np.dtype]:
        """θ of every row, and the type that results have for this X: single where X and coef_ are, as in scikit-learn."""
        check_is_fitted(self)
        X = self._check_x(X, reset=False)
        return self.model_.scores(features_of(X), threads(self.n_jobs)), np.result_type(X.dtype, self._precision)

    def _shown_scores(self, X: Any) -> np.ndarray:
        """θ of every row, in the type of results."""
        theta, kind = self._scores_and_type(X)
        return theta.astype(kind, copy=False)

    def _predictions(self, X: Any) -> np.ndarray:
        """ŷ_Ω(θ) of every row, in the type of results."""
        theta, kind = self._scores_and_type(X)
        return self.model_.outputs(theta, threads(self.n_jobs)).astype(kind, copy=False)

    def _mean_metric(self, name: str, targets: _core.Targets, theta: np.ndarray, sample_weight: Any) -> float:
        """The mean over rows of a metric, each with its weight."""
        outputs = self.model_.outputs(theta, threads(self.n_jobs))
        if sample_weight is None:
            return targets.evaluate(outputs, theta)[name]
        weights = _check_sample_weight(sample_weight, theta, dtype=np.float64, ensure_non_negative=True)
        each = targets.evaluate_each(outputs, theta, name)
        known = ~np.isnan(each)  # rows of nothing but ties have no order
        return float(np.average(each[known], weights=weights[known])) if weights[known].any() else 0.0

    def calibrate(self, X: Any, y: Any, metric: Optional[str] = None,
                  temperatures: Optional[ArrayLike] = None) -> LinearEstimator:
        """Chooses the temperature t of ŷ_Ω(θ/t) on other data than those of `fit` (paper §8.1, remark).

        The smaller it is, the surer and the sparser are predictions; their order stays. The attribute
        temperature_ is the choice; a further `fit` begins with 1 again.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.
        y : array_like
            As in `fit`.
        metric : str, optional
            One of docs/metrics.md; by default log_loss for classes and sets of labels, js for shares, and so
            on.
        temperatures : array_like, optional
            Those to choose from; by default 1 and 16 more from 0.1 to 10.

        Returns
        -------
        estimator
            The estimator itself.
        """
        check_is_fitted(self)
        theta, targets = self._scores(X), self._held_out(y)
        given = None if temperatures is None else [number("a temperature", t, 0) for t in np.ravel(temperatures).tolist()]
        best, _ = _core.choose_temperature(self.model_, theta, targets, metric or self._calibrated_by, given)
        self.model_.temperature = best
        return self

    def _held_out(self, y: Any) -> _core.Targets:
        """The targets of other data, in terms of the classes of the model."""
        raise NotImplementedError(f"{type(self).__name__} has no temperature to choose; estimators of classes, shares and sets "
                                  "of labels have")

    @property
    def temperature_(self) -> float:
        """The temperature of predictions."""
        check_is_fitted(self)
        return self.model_.temperature

    def _gives_probabilities(self) -> bool:
        if written_in_python(self.omega):
            return self.omega._core.domain in ("simplex", "cube", "polytope")
        if hasattr(self, "model_"):
            return _core.gives_probabilities(self.model_.loss, self._task, self.model_.shape[0])
        dimension = getattr(self.omega, "dimension", None)
        try:
            return _core.gives_probabilities(spec_text("omega", self.omega), self._task, dimension or 2)
        except (TypeError, ValueError):
            return True  # fit will say what is wrong


def _sample_weights(sample_weight: Any, X: Any) -> Optional[np.ndarray]:
    if sample_weight is None:
        return None
    return np.ascontiguousarray(_check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True))
