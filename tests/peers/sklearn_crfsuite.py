# SPDX-License-Identifier: Apache-2.0
"""sklearn-crfsuite: CRF is SequenceTagger, a random field for lbfgs and l2sgd and a margin or mistakes for the others."""
import os
import pickle

import numpy as np
from fenchel.sklearn import SequenceTagger, load
from sklearn.base import BaseEstimator

from peers.peer import Peer, module

PEER = Peer(
    title="sklearn-crfsuite", package="sklearn-crfsuite", version="0.5.0",
    sha256="136cb941ff5f7ce62a2c378988d1123ac1037241e73999ae404509a2135078e9",
    tests=("tests/test_crf.py",), support=("tests/conftest.py",),
    left_out={"metrics of lists of labels, which scikit-learn has": ["tests/test_metrics.py"]},
    ours="`SequenceTagger`",
    does_not_apply={
        "weights that margins or mistakes trained are no random field here, and have no probabilities": [
            "test_crf_marginals[pa]", "test_crf_marginals[ap]", "test_crf_marginals[arow]"],
    },
)

OMEGAS = {"lbfgs": "crf", "l2sgd": "crf", "pa": "hinge", "arow": "hinge", "ap": "perceptron"}


class CRF(BaseEstimator):
    """Their parameters and attributes, our fit."""

    def __init__(self, algorithm="lbfgs", c1=0.0, c2=1.0, max_iterations=None, all_possible_transitions=False,
                 all_possible_states=False, min_freq=0, verbose=False, model_filename=None):
        self.algorithm, self.c1, self.c2, self.max_iterations, self.verbose = algorithm, c1, c2, max_iterations, verbose
        self.all_possible_transitions, self.all_possible_states = all_possible_transitions, all_possible_states
        self.min_freq, self.model_filename = min_freq, model_filename

    def fit(self, X, y, X_dev=None, y_dev=None):
        omega = OMEGAS[self.algorithm]
        penalty = dict(c1=self.c1, c2=self.c2) if omega == "crf" else {}
        self.ours = SequenceTagger(omega, max_iter=self.max_iterations or 1000, verbose=int(self.verbose), **penalty,
                                   all_transitions=self.all_possible_transitions, all_states=self.all_possible_states,
                                   min_count=max(1, self.min_freq))
        self.ours.fit(X, y, X_dev, y_dev)
        if self.model_filename:
            self.ours.save(self.model_filename)
        return self

    @property
    def tagger_(self):
        if "ours" not in self.__dict__ and self.model_filename and os.path.exists(self.model_filename):
            self.ours = load(self.model_filename)
        return self if "ours" in self.__dict__ else None

    def labels(self):
        return self.ours.classes_.tolist()

    def fitted(self, name):
        return None if self.tagger_ is None else getattr(self.ours, name)

    classes_ = property(lambda self: None if self.tagger_ is None else self.labels())
    attributes_ = property(lambda self: self.fitted("attributes_"))
    num_attributes_ = property(lambda self: None if self.tagger_ is None else len(self.attributes_))
    state_features_ = property(lambda self: self.fitted("state_features_"))
    transition_features_ = property(lambda self: self.fitted("transition_features_"))
    size_ = property(lambda self: None if self.tagger_ is None else len(pickle.dumps(self.ours)))

    def trained(self):
        return SequenceTagger() if self.tagger_ is None else self.ours

    def predict(self, X):
        return np.array(self.trained().predict(X))

    def predict_marginals(self, X):
        return self.trained().predict_marginals(X)

    def score(self, X, y):
        return self.trained().score(X, y)


def substitute():
    module("sklearn_crfsuite", CRF=CRF)
