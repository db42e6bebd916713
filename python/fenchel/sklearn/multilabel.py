# SPDX-License-Identifier: Apache-2.0
"""Sets of labels, each label for itself or a joint Ω over the cube."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np
from scipy.sparse import issparse
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from .. import _core
from ._available import available_unless, has_kernel, lacks_probabilities
from ._classes import class_names
from ._parts import LearnsFromParts
from ._targets import column_names, matrix, sets_of_names, warn_of_lists
from ._training import keeps_the_model

if TYPE_CHECKING:
    from .._types import ArrayLike


class FenchelYoungMultilabel(ClassifierMixin, LearnsFromParts):
    """Sets of labels, with Ω on the cube [0, 1]^K: min_W Σ_i w_i L_Ω(W x_i + b; y_i) + G(W) (paper §6.1).

    A loss of two classes such as "logistic", "sparsemax", "hinge" or "tsallis:alpha=1.5" is applied to each
    label; an Ω of sets (`fenchel.SparseMap(fenchel.KSubsets(d, k))`) to all of them. A vector of labels is
    taken as sets of one label (one against all), and then predict returns the label of the largest score.

    `predict_proba` is there where ŷ_Ω(θ) is a probability: not for hinge, perceptron and other losses of
    scores alone, where an AttributeError says so. What it shows can be pasted back after `from fenchel import
    *`; long parameters are cut, as scikit-learn does.

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
    classes_ : ndarray
        Names of the columns of y where it has some (a data frame), else 0, 1, …; labels for a vector of them.
    coef_, intercept_ : ndarray
        W (n_labels, n_features) and b of features as they come, read-only. Not there for kernels.
    one_label_ : bool
        Whether y was a vector of labels.
    model_
        The model of C++.
    n_iter_, objective_, dual_gap_, solver_, remarks_
        How training went: iterations, the objective, its distance to the optimum at most (None where no bound
        is known), the solver, and the choices made, in words.

    Examples
    --------
    >>> from fenchel.sklearn import FenchelYoungMultilabel
    >>> X, y = [[0.0], [1.0], [2.0]], [["a"], ["a", "b"], ["b"]]
    >>> model = FenchelYoungMultilabel(reg_lambda=0.1).fit(X, y)
    >>> model.classes_.tolist(), model.predict([[2.0]]).tolist()
    (['a', 'b'], [[0, 1]])

    See Also
    --------
    FenchelYoungClassifier
    """

    _task = "multilabel"
    _domains = ("cube", "polytope")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    @keeps_the_model
    def fit(self, X: Any, y: Any, sample_weight: Optional[ArrayLike] = None) -> FenchelYoungMultilabel:
        """Trains on rows with a set of labels each.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.
        y : array_like or sparse [n_samples, n_labels], or a list
            Zeros and ones; numbers between them say how much a label is in a set: 0.75 is a set with the
            label three times out of four. Lists or sets of names, [["a"], ["a", "b"], []], are read as the
            sets that they are (in a list, a series or an array of objects), and so are sets of whole numbers,
            and lists of them that differ in length; predict returns indicators in the order of classes_. A
            vector of labels is sets of one label.
        sample_weight : array_like [n_samples], optional
            A weight >= 0 for each row.

        Returns
        -------
        FenchelYoungMultilabel
            The estimator itself, fitted.
        """
        columns = column_names(self._require(y))
        if (named := sets_of_names(y)) is not None:
            columns, y = named
        y = y if issparse(y) else _array(y)
        one_label = named is None and (y.ndim < 2 or y.shape[1] == 1)
        if not one_label:
            X, indicators = self._check_x(X, _indicators(y), multi_output=True)
            classes = columns if columns is not None else np.arange(indicators.shape[1])
        else:
            X, y = self._check_x(X, y)
            y = column_or_1d(y, warn=True)
            check_classification_targets(y)
            classes, labels = np.unique(y, return_inverse=True)
            warn_of_lists(classes)
            indicators = np.eye(len(classes))[labels]
        names = self._set_classes(classes)
        self._fit_targets(X, _core.Targets.rows(self._task, indicators, names), sample_weight)
        self._note_classes(**({"one_label": "yes"} if one_label else {}))
        self.one_label_ = one_label
        return self

    @available_unless(has_kernel)
    @keeps_the_model
    def partial_fit(self, X: Any, y: Any, classes: Any = None,
                    sample_weight: Optional[ArrayLike] = None) -> FenchelYoungMultilabel:
        """Learns from some rows more, which are not kept: a step for each of them, in order (FTRL-Proximal).

        The penalty is that of the sum of losses of all rows so far, as in `fit`, from whose weights it goes
        on. objective_ is the sum of losses of these rows before their steps, t_ the number of rows so far; no
        bound of the distance to the optimum is known.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.
        y : array_like or sparse [n_samples, n_labels], or a list
            As in `fit`.
        classes : array_like, optional
            For a vector of labels, all of them, which the first call needs; for sets of names all of them, else
            those of the first call; a matrix says how many there are.
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
        first, listed = not hasattr(self, "model_"), sets_of_names(y) is not None
        if first and not listed and not issparse(y) and _array(y).ndim == 1:
            if classes is None:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            self.one_label_ = True
            self._set_classes(np.unique(classes))
        elif first and listed and classes is not None:
            self.one_label_ = False
            self._set_classes(np.unique(classes))
        elif not first and classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(f"classes is {np.unique(classes)}; expected {self.classes_}")
        self._learn(X, y, sample_weight)
        return self

    def _begin_parts(self, y: Any) -> None:
        if hasattr(self, "one_label_"):
            return
        columns = column_names(y)
        if (named := sets_of_names(y)) is not None:
            columns, y = named
        self.one_label_ = False
        self._set_classes(columns if columns is not None else np.arange(_indicators(y).shape[1]))

    def _note_parts(self) -> None:
        self._note_classes(**({"one_label": "yes"} if self.one_label_ else {}))

    def _held_out(self, y: Any) -> _core.Targets:
        rows = np.eye(len(self.classes_))[self._known_labels(y)] if self.one_label_ else self._sets(y)
        return _core.Targets.rows(self._task, rows, class_names(self.classes_))

    def _sets(self, y: Any) -> np.ndarray:
        """Indicators of sets, a column for each of the known labels."""
        named = sets_of_names(y, self.classes_)
        if named is None:
            rows = _indicators(y)
            if rows.shape[1] != len(self.classes_):
                raise ValueError(f"y has {rows.shape[1]} columns; expected {len(self.classes_)}, one for each label")
            return rows
        names, rows = named
        if len(names) > len(self.classes_):
            raise ValueError(f"y has the label {names.tolist()[len(self.classes_)]!r}; expected labels among {self.classes_}")
        return rows

    def decision_function(self, X: Any) -> np.ndarray:
        """θ = W x + b; θ₁ − θ₀ for a vector of two labels.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.

        Returns
        -------
        ndarray [n_samples, n_labels]
            Scores.
        """
        theta, kind = self._scores_and_type(X)
        return (theta[:, 1] - theta[:, 0] if self.one_label_ and theta.shape[1] == 2 else theta).astype(kind, copy=False)

    def predict(self, X: Any) -> np.ndarray:
        """The labels whose output is above ½, or the best set of an Ω of sets.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.

        Returns
        -------
        ndarray [n_samples, n_labels]
            Zeros and ones; labels [n_samples] where y was a vector.
        """
        theta = self._scores(X)
        if self.one_label_:
            return self.classes_[theta.argmax(axis=1)]
        return self.model_.sets(theta).astype(np.int64)

    def score(self, X: Any, y: Any, sample_weight: Optional[ArrayLike] = None) -> float:
        """The share of rows whose set, or label, is right as a whole; labels above ½ are in a set.

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
        if not self.one_label_:
            y = (self._sets(y) > 0.5).astype(np.int64)
        return super().score(X, y, sample_weight)

    @available_unless(lacks_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """ŷ_Ω(θ): how probable each label is; divided by their sum for a vector of labels.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.

        Returns
        -------
        ndarray [n_samples, n_labels]
            Probabilities.

        Raises
        ------
        AttributeError
            Ω gives no probabilities, as hinge and perceptron: `decision_function` has the scores.
        """
        theta, kind = self._scores_and_type(X)
        outputs = self.model_.outputs(theta)
        if not self.one_label_:
            return outputs.astype(kind, copy=False)
        none = outputs.sum(axis=1) == 0  # a sparse Ω may be sure that it is none of them
        outputs[none, theta[none].argmax(axis=1)] = 1
        return (outputs / outputs.sum(axis=1, keepdims=True)).astype(kind, copy=False)


def _array(y: Any) -> np.ndarray:
    try:
        return np.asarray(y)
    except ValueError as error:
        raise ValueError(f"y is neither a vector, nor a matrix, nor sets of labels such as [['a'], ['a', 'b'], []]: {error}") \
            from None


def _indicators(y: Any) -> np.ndarray:
    rows = matrix("y", y)
    wrong = np.argwhere(~((rows >= 0) & (rows <= 1)))
    if len(wrong):
        i, k = wrong[0]
        raise ValueError(f"y[{i}, {k}] is {rows[i, k]:g}; expected numbers from 0 to 1, a column for each label")
    return rows
