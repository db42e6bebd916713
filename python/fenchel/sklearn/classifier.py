# SPDX-License-Identifier: Apache-2.0
"""Classification with a Fenchel-Young loss."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, column_or_1d

from .. import _core
from ._available import available_unless, has_kernel, lacks_probabilities
from ._class_weighted import ClassWeighted
from ._classes import class_names
from ._parts import LearnsFromParts
from ._targets import refuse_sets
from ._training import keeps_the_model, threads

if TYPE_CHECKING:
    from .._types import ArrayLike, CostLike, OmegaLike


class FenchelYoungClassifier(ClassifierMixin, ClassWeighted, LearnsFromParts):
    """Classifier of one class of several, linear or with a kernel: min_W Σ_i w_i L_Ω(W x_i + b; y_i) + G(W)
    (paper §8.1).

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
    cost : str, array_like or callable, optional
        Makes it the cost-augmented loss L_Ω(θ + c_y; y) (paper §3.4): "zero_one", a matrix whose row k holds
        the costs of predicting each class where class k is right (both in the order of classes_), a vector,
        or a function of the unit vector y. With omega="argmax" this is a hinge loss. Predictions leave it
        out.
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
        The classes, in order.
    coef_, intercept_ : ndarray
        W (n_classes, n_features) and b of features as they come, read-only; two classes have two rows. Not
        there for kernels.
    model_
        The model of C++.
    n_iter_, objective_, dual_gap_, solver_, remarks_
        How training went: iterations, the objective, its distance to the optimum at most (None where no bound
        is known), the solver, and the choices made, in words.

    Examples
    --------
    >>> from fenchel.sklearn import FenchelYoungClassifier
    >>> X, y = [[0.0], [1.0], [2.0]], ["low", "middle", "high"]
    >>> classifier = FenchelYoungClassifier("sparsemax", reg_lambda=0.1).fit(X, y)
    >>> classifier.predict([[2.0]]).tolist()
    ['high']
    >>> classifier.predict_proba([[2.0]]).round(3).tolist()  # in the order of classes_
    [[0.867, 0.0, 0.133]]

    See Also
    --------
    FenchelYoungProportions, FenchelYoungMultilabel, load
    """

    _task = "classification"

    def __init__(self, omega: Optional[OmegaLike] = None, *, class_weight: Union[str, dict, None] = None,
                 cost: Optional[CostLike] = None, penalty: Optional[str] = None, reg_lambda: float = 1.0, rho: float = 1.0,
                 fit_intercept: Union[bool, str] = True, scale: Optional[str] = None, kernel: Union[str, dict, None] = None,
                 solver: Union[str, dict] = "auto", tol: Optional[float] = None, max_iter: int = 1000, warm_start: bool = False,
                 n_jobs: Optional[int] = None, random_state: Union[int, np.random.RandomState, None] = None,
                 verbose: int = 0, certificate: bool = False):
        super().__init__(omega, class_weight=class_weight, penalty=penalty, reg_lambda=reg_lambda, rho=rho,
                         fit_intercept=fit_intercept, scale=scale, kernel=kernel, solver=solver, tol=tol, max_iter=max_iter,
                         warm_start=warm_start, n_jobs=n_jobs, random_state=random_state, verbose=verbose,
                         certificate=certificate)
        self.cost = cost

    @keeps_the_model
    def fit(self, X: Any, y: Any, sample_weight: Optional[ArrayLike] = None) -> FenchelYoungClassifier:
        """Trains on rows with one class each.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.
        y : array_like [n_samples]
            A class for each row.
        sample_weight : array_like [n_samples], optional
            A weight >= 0 for each row.

        Returns
        -------
        FenchelYoungClassifier
            The estimator itself, fitted.
        """
        refuse_sets(y)
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

    @available_unless(has_kernel)
    @keeps_the_model
    def partial_fit(self, X: Any, y: Any, classes: Any = None,
                    sample_weight: Optional[ArrayLike] = None) -> FenchelYoungClassifier:
        """Learns from some rows more, which are not kept: a step for each of them, in order (FTRL-Proximal).

        The penalty is that of the sum of losses of all rows so far, as in `fit`, from whose weights it goes
        on. objective_ is the sum of losses of these rows before their steps, t_ the number of rows so far; no
        bound of the distance to the optimum is known.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.
        y : array_like [n_samples]
            A class for each row.
        classes : array_like, optional
            All classes, which the first call needs, unless `fit` came before.
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
        """θ = W x + b; for two classes θ₁ − θ₀.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.

        Returns
        -------
        ndarray [n_samples, n_classes]
            Scores; [n_samples] for two classes.
        """
        theta, kind = self._scores_and_type(X)
        return (theta[:, 1] - theta[:, 0] if theta.shape[1] == 2 else theta).astype(kind, copy=False)

    def predict(self, X: Any) -> np.ndarray:
        """The class of the largest score.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.

        Returns
        -------
        ndarray [n_samples]
            Classes.
        """
        best = self._scores(X).argmax(axis=1)
        return self.classes_[best]

    @available_unless(lacks_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """ŷ_Ω(θ): rows sum to 1, and for a sparse Ω many entries are exactly 0.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.

        Returns
        -------
        ndarray [n_samples, n_classes]
            Probabilities, in the order of classes_.

        Raises
        ------
        AttributeError
            Ω gives no probabilities, as hinge and perceptron: `decision_function` has the scores.
        """
        return self._predictions(X)

    @available_unless(lacks_probabilities)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithm of `predict_proba`: −inf where that is 0.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.

        Returns
        -------
        ndarray [n_samples, n_classes]
            Logarithms.

        Raises
        ------
        AttributeError
            Ω gives no probabilities, as hinge and perceptron: `decision_function` has the scores.
        """
        theta, kind = self._scores_and_type(X)
        with np.errstate(divide="ignore"):  # and the logarithm of the smallest ones before they are rounded
            return np.log(self.model_.outputs(theta, threads(self.n_jobs))).astype(kind, copy=False)
