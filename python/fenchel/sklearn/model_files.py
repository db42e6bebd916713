# SPDX-License-Identifier: Apache-2.0
"""Model files, of `save` or of `fenchel train`, as estimators."""
from __future__ import annotations

import os
from typing import Any, Union

import numpy as np

from .. import _core
from ._classes import class_names, classes_of
from ._coding import coding_of
from ._linear import _CLASS_KIND, LinearEstimator
from ._paths import readable
from ._record import FEATURE_NAMES, RECORD, read_record
from ._training import Estimator
from .classifier import FenchelYoungClassifier
from .document_ranker import DocumentRanker
from .label_ranker import LabelRanker
from .multilabel import FenchelYoungMultilabel
from .proportions import FenchelYoungProportions
from .regressor import FenchelYoungRegressor
from .sequence_tagger import SequenceTagger
from .structured_predictor import StructuredPredictor

_ESTIMATORS: dict[str, type[LinearEstimator]] = {
    estimator._task: estimator
    for estimator in (FenchelYoungClassifier, FenchelYoungProportions, FenchelYoungMultilabel, FenchelYoungRegressor,
                      LabelRanker, DocumentRanker, StructuredPredictor)
}


def load(path: Union[str, os.PathLike[str]]) -> Estimator:
    """The fitted estimator of a model file, of `save` or of `fenchel train`, with the parameters it was
    fitted with.

    A file of the tool has no parameters of Python: those that it knows are set (Ω, penalty, intercept, scale,
    kernel, weights of classes), and whole numbers as classes become integers.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    estimator
        One of the estimators of this module, fitted.

    Raises
    ------
    ValueError
        The file is not a model, or is one that no estimator is for.
    OSError
        The file cannot be read.

    Examples
    --------
    >>> import os, tempfile
    >>> from fenchel.sklearn import FenchelYoungClassifier, load
    >>> X, y = [[0.0], [1.0], [2.0]], ["low", "middle", "high"]
    >>> path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
    >>> FenchelYoungClassifier("sparsemax").fit(X, y).save(path)
    >>> load(path).predict([[2.0]]).tolist()
    ['high']

    See Also
    --------
    FenchelYoungClassifier, fenchel.verify
    """
    name = readable(path)
    with open(name, "rb"):  # OSError where the file cannot be read
        pass
    try:
        model = _core.Model.load(name)
    except RuntimeError as error:
        raise ValueError(str(error)) from None
    if model.kind != "tagger" and model.task not in _ESTIMATORS:
        raise ValueError(f"{name}: a model for {model.task}, which no estimator is for; `fenchel predict` reads it")
    estimator = SequenceTagger() if model.kind == "tagger" else _ESTIMATORS[model.task]()
    parameters: dict = {}
    results: dict = {}
    if RECORD in model.provenance:
        try:
            parameters, results = read_record(model.provenance[RECORD])
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    _take(estimator, model, {**_choices(model), **parameters})
    for attribute in ("objective_", "dual_gap_", "remarks_"):
        if attribute in results:
            setattr(estimator, attribute, results[attribute])
    if isinstance(estimator, LinearEstimator):
        estimator._coding = coding_of(name, model.feature_names)
        _take_rows(estimator, model, results)
    estimator._unpack()
    return estimator


def _choices(model: _core.Model) -> dict:
    """The parameters that any model file knows."""
    provenance = model.provenance
    choices: dict = {"penalty": provenance.get("penalty"), "reg_lambda": float(provenance.get("lambda", 1)),
                     "rho": float(provenance.get("rho", 1))}
    if model.kind == "tagger":
        return {**choices, "omega": _core.tagger_omega(model)}
    # A free intercept is what True asks for; one that is penalised may have been asked for.
    intercept = {"none": False, "penalised": "penalised"}.get(provenance.get("intercept", ""), True)
    return {**choices, "omega": model.loss, "fit_intercept": intercept, "kernel": provenance.get("kernel"),
            "scale": None if model.scale == "none" else model.scale,
            "class_weight": _weights(provenance.get("class_weight", ""), _classes(model))}


def _weights(text: str, classes: np.ndarray) -> Any:
    """class_weight from the tool's "balanced" or "name=2,other=0.5"."""
    if text in ("", "balanced"):
        return text or None
    pairs = (pair.rpartition("=") for pair in text.split(","))
    weights = {name: float(weight) for name, _, weight in pairs}
    return {label: weights[name] for label, name in zip(classes.tolist(), class_names(classes)) if name in weights}


def _classes(model: _core.Model) -> np.ndarray:
    return classes_of(model.classes, model.provenance.get(_CLASS_KIND, ""))


def _take(estimator: Estimator, model: _core.Model, parameters: dict) -> None:
    """The model, the parameters that this estimator has, and what its file says about the fit."""
    known = estimator.get_params(deep=False)
    for name, value in parameters.items():
        if name in known:
            setattr(estimator, name, value)
    estimator.model_ = model
    estimator.n_iter_ = int(model.provenance.get("iterations", 0))
    estimator.solver_ = model.provenance.get("solver", "")


def _take_rows(estimator: LinearEstimator, model: _core.Model, results: dict) -> None:
    """What estimators of rows know besides."""
    estimator.n_features_in_ = model.shape[1]
    estimator._precision = np.dtype(np.float32 if results.get("precision") == "float32" else np.float64)
    # Columns of CSV without a header are called by their numbers; they go by position.
    names = model.feature_names if estimator._coding is not None or results else []
    if names := names or results.get(FEATURE_NAMES, []):
        estimator.feature_names_in_ = np.array(names, dtype=object)
    if isinstance(estimator, (FenchelYoungRegressor, StructuredPredictor)):
        estimator._shape = tuple(results.get("shape", () if model.shape[0] == 1 else (model.shape[0],)))
    elif not isinstance(estimator, DocumentRanker):
        estimator.classes_ = _classes(model)
    if isinstance(estimator, FenchelYoungMultilabel):
        estimator.one_label_ = "one_label" in model.provenance
