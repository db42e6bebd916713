# SPDX-License-Identifier: Apache-2.0
"""Sets of labels, each label for itself or a joint Ω over the cube."""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from .. import _core
from ._classes import class_names
from ._linear import LinearEstimator, _is_linear, probabilities_available
from ._parts import LearnsFromParts
from ._targets import column_names, matrix, sets_of_names
from ._training import keeps_the_model


class FenchelYoungMultilabel(ClassifierMixin, LearnsFromParts):
    __doc__ = """Sets of labels from indicator matrices: Ω on the cube [0, 1]^K.

    A loss of two classes such as "logistic", "sparsemax", "hinge" or "tsallis:alpha=1.5" is applied to each label;
    an Ω of sets (`fenchel.SparseMap(fenchel.KSubsets(d, k))`) to all of them. A vector of labels is taken as sets of
    one label (one against all), and then predict returns the label of the largest score.

    """ + (LinearEstimator.__doc__ or "") + """
    Attributes
    ----------
    classes_ : names of the columns of y where it has some (a data frame), else 0, 1, …; labels for a vector of them.
    coef_, intercept_ : W (n_labels, n_features) and b of features as they come. Not there for kernels.
    one_label_ : whether y was a vector of labels.
    model_ : the model of C++.
    n_iter_, objective_, dual_gap_, solver_, remarks_ : how training went; dual_gap_ is None where no bound is known.
    """
    _task = "multilabel"
    _domains = ("cube", "polytope")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    @keeps_the_model
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> FenchelYoungMultilabel:
        """Trains on rows X and a matrix y (n_samples, n_labels) of zeros and ones, dense or sparse, or sets of names.

        Numbers between them say how much a label is in a set: 0.75 is a set with the label three times out of four. A list
        of lists or sets of names, [["a"], ["a", "b"], []], is read as the sets that it lists; predict returns indicators
        in the order of classes_.
        """
        columns = column_names(self._require(y))
        if (named := sets_of_names(y)) is not None:
            columns, y = named
        y = y if issparse(y) else np.asarray(y)
        one_label = y.ndim < 2 or y.shape[1] == 1
        if not one_label:
            X, indicators = self._check_x(X, _indicators(y), multi_output=True)
            classes = columns if columns is not None else np.arange(indicators.shape[1])
        else:
            X, y = self._check_x(X, y)
            y = column_or_1d(y, warn=True)
            check_classification_targets(y)
            classes, labels = np.unique(y, return_inverse=True)
            indicators = np.eye(len(classes))[labels]
        names = self._set_classes(classes)
        self._fit_targets(X, _core.Targets.rows(self._task, indicators, names), sample_weight)
        self._note_classes(**({"one_label": "yes"} if one_label else {}))
        self.one_label_ = one_label
        return self

    @available_if(_is_linear)
    @keeps_the_model
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> FenchelYoungMultilabel:
        """Learns from some rows more, which are not kept: a step for each of them, in order (FTRL-Proximal).

        The first matrix y says how many labels there are; for a vector of labels the first call needs all `classes`. The
        penalty is that of the sum of losses of all rows so far, as in `fit`, from whose weights it goes on. objective_ is the
        sum of losses of these rows before their steps, t_ the number of rows so far.
        """
        if not hasattr(self, "model_") and not issparse(y) and np.ndim(y) == 1:
            if classes is None:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            self.one_label_ = True
            self._set_classes(np.unique(classes))
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(f"classes is {np.unique(classes)}; expected {self.classes_}")
        self._learn(X, y, sample_weight)
        return self

    def _begin_parts(self, y: Any) -> None:
        if getattr(self, "one_label_", False):
            return
        columns = column_names(y)
        self.one_label_ = False
        self._set_classes(columns if columns is not None else np.arange(_indicators(y).shape[1]))

    def _note_parts(self) -> None:
        self._note_classes(**({"one_label": "yes"} if self.one_label_ else {}))

    def _held_out(self, y: Any) -> _core.Targets:
        rows = np.eye(len(self.classes_))[self._known_labels(y)] if self.one_label_ else _indicators(y)
        if rows.shape[1] != len(self.classes_):
            raise ValueError(f"y has {rows.shape[1]} columns; expected {len(self.classes_)}, one for each label")
        return _core.Targets.rows(self._task, rows, class_names(self.classes_))

    def decision_function(self, X: Any) -> np.ndarray:
        """θ = W x + b (n_samples, n_labels); θ₁ − θ₀ (n_samples,) for a vector of two labels."""
        theta, kind = self._scores_and_type(X)
        return (theta[:, 1] - theta[:, 0] if self.one_label_ and theta.shape[1] == 2 else theta).astype(kind, copy=False)

    def predict(self, X: Any) -> np.ndarray:
        """Zeros and ones (n_samples, n_labels): the labels whose output is above ½, or the best set of an Ω of sets."""
        theta = self._scores(X)
        if self.one_label_:
            return self.classes_[theta.argmax(axis=1)]
        return self.model_.sets(theta).astype(np.int64)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows whose set, or label, is right as a whole; labels above ½ are in a set."""
        if not self.one_label_:
            y = (_indicators(y) > 0.5).astype(np.int64)
        return super().score(X, y, sample_weight)

    @available_if(probabilities_available)
    def predict_proba(self, X: Any) -> np.ndarray:
        """ŷ_Ω(θ) (n_samples, n_labels): how probable each label is; divided by their sum for a vector of labels."""
        theta, kind = self._scores_and_type(X)
        outputs = self.model_.outputs(theta)
        if not self.one_label_:
            return outputs.astype(kind, copy=False)
        none = outputs.sum(axis=1) == 0  # a sparse Ω may be sure that it is none of them
        outputs[none, theta[none].argmax(axis=1)] = 1
        return (outputs / outputs.sum(axis=1, keepdims=True)).astype(kind, copy=False)


def _indicators(y: Any) -> np.ndarray:
    rows = matrix("y", y)
    wrong = np.argwhere(~((rows >= 0) & (rows <= 1)))
    if len(wrong):
        i, k = wrong[0]
        raise ValueError(f"y[{i}, {k}] is {rows[i, k]:g}; expected numbers from 0 to 1, a column for each label")
    return rows
