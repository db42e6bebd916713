# SPDX-License-Identifier: Apache-2.0
"""Model files, of `save` or of `fenchel train`, as estimators."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ._classes import classes_of
from ._linear import _CLASS_KIND, LinearEstimator
from ._training import Estimator
from .classifier import FenchelYoungClassifier
from .label_ranker import LabelRanker
from .multilabel import FenchelYoungMultilabel
from .proportions import FenchelYoungProportions
from .regressor import FenchelYoungRegressor
from .sequence_tagger import SequenceTagger

_ESTIMATORS: dict[str, type[LinearEstimator]] = {
    estimator._task: estimator
    for estimator in (FenchelYoungClassifier, FenchelYoungProportions, FenchelYoungMultilabel, FenchelYoungRegressor,
                      LabelRanker)
}


def load(path: Any) -> Estimator:
    """The fitted estimator of a model file; whole numbers as classes of the tool become integers."""
    model = _core.Model.load(path)
    if model.kind == "tagger":
        tagger = SequenceTagger(_core.tagger_omega(model))
        _take(tagger, model)
        tagger._unpack()
        return tagger
    if model.task not in _ESTIMATORS:
        raise ValueError(f"{path}: a model for {model.task}, which no estimator is for; `fenchel predict` reads it")
    estimator = _ESTIMATORS[model.task](model.loss, scale=None if model.scale == "none" else model.scale)
    _take(estimator, model)
    estimator.n_features_in_ = model.shape[1]
    if model.feature_names:
        estimator.feature_names_in_ = np.array(model.feature_names, dtype=object)
    if isinstance(estimator, FenchelYoungRegressor):
        estimator._shape = () if model.shape[0] == 1 else (model.shape[0],)
    else:
        estimator.classes_ = classes_of(model.classes, model.provenance.get(_CLASS_KIND, ""))
    if isinstance(estimator, FenchelYoungMultilabel):
        estimator.one_label_ = "one_label" in model.provenance
    estimator._unpack()
    return estimator


def _take(estimator: Estimator, model: _core.Model) -> None:
    """The model, and what its file says about the fit."""
    provenance = model.provenance
    estimator.model_ = model
    estimator.penalty = provenance.get("penalty")
    estimator.reg_lambda = float(provenance.get("lambda", 1))
    estimator.rho = float(provenance.get("rho", 1))
    estimator.n_iter_ = int(provenance.get("iterations", 0))
    estimator.solver_ = provenance.get("solver", "")
