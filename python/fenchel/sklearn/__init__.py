# SPDX-License-Identifier: Apache-2.0
"""Fenchel-Young losses as scikit-learn estimators; the training is that of `fenchel train`.

>>> from fenchel.sklearn import FenchelYoungClassifier
>>> classifier = FenchelYoungClassifier("sparsemax").fit([[0.0], [1.0], [2.0]], ["low", "middle", "high"])
>>> classifier.predict([[2.0]]).tolist()
['high']
"""
from .classifier import FenchelYoungClassifier
from .document_ranker import DocumentRanker
from .label_ranker import LabelRanker
from .model_files import load
from .multilabel import FenchelYoungMultilabel
from .proportions import FenchelYoungProportions
from .regressor import FenchelYoungRegressor
from .sequence_tagger import SequenceTagger
from .structured_predictor import StructuredPredictor

__all__ = ["DocumentRanker", "FenchelYoungClassifier", "FenchelYoungMultilabel", "FenchelYoungProportions",
           "FenchelYoungRegressor", "LabelRanker", "SequenceTagger", "StructuredPredictor", "load"]
