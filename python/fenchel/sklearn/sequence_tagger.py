# SPDX-License-Identifier: Apache-2.0
"""Tags of the tokens of sentences: Ω over chains (paper §7.3 "Sequences")."""
from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .. import _core
from ._training import Estimator, keeps_the_model, number, spec_text, threads


def _has_marginals(estimator: SequenceTagger) -> bool:
    try:
        fitted = hasattr(estimator, "model_")
        omega = _core.tagger_omega(estimator.model_) if fitted else spec_text("omega", estimator.omega)
        available = _core.gives_probabilities(omega, "tagging", 2)
    except (TypeError, ValueError):
        return True  # fit will say what is wrong
    if not available:
        raise AttributeError(f"omega {estimator.omega!r} gives no probabilities; crf and sparsemap do")
    return True


class SequenceTagger(Estimator):
    """A label for every token of a sentence, from weights of attributes with labels and of pairs of labels.

    A sentence is a list of tokens, a token a dictionary of attributes or a list of their names. {"word": "the"} is
    the attribute word=the, {"length": 3.0} has a value, True is 1 and False nothing, {"next": {"word": "cat"}} is
    next:word=cat.

    Parameters
    ----------
    omega : "crf" (conditional random field), "sparsemap", "hinge" (structured), "perceptron" (structured) or any Ω over
        structures, such as "structured_sparsemax:k=50" or "entropic".
    penalty, reg_lambda, rho : as in FenchelYoungClassifier; CRFsuite's c2 is λ/2, its c1 is λ with "l1".
    all_states, all_transitions : weights for every attribute with every label, and for every pair of labels; else only
        for those of the training data.
    boundary : weights of the first and of the last label of a sentence.
    min_count : attributes that occur less often have no weights.
    solver, tol, max_iter, warm_start, n_jobs, random_state, verbose : as in FenchelYoungClassifier.

    Attributes
    ----------
    classes_ : the labels, in the order of their first appearance.
    state_features_, transition_features_ : weights, by (attribute, label) and by (label, next label).
    model_ : the model of C++.
    n_iter_, objective_, dual_gap_, solver_, remarks_ : how training went; dual_gap_ is None where no bound is known.
    """

    def __init__(self, omega: str = "crf", *, penalty: Optional[str] = None, reg_lambda: float = 1.0, rho: float = 1.0,
                 all_states: bool = False, all_transitions: bool = False, boundary: bool = False, min_count: int = 1,
                 solver: str = "auto", tol: float = 1e-6, max_iter: int = 1000, warm_start: bool = False,
                 n_jobs: Optional[int] = None, random_state: Any = None, verbose: int = 0):
        super().__init__(omega, penalty, reg_lambda, rho, solver, tol, max_iter, warm_start, n_jobs, random_state, verbose)
        self.all_states = all_states
        self.all_transitions = all_transitions
        self.boundary = boundary
        self.min_count = min_count

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.two_d_array = False
        return tags

    @keeps_the_model
    def fit(self, X: Sequence, y: Sequence) -> SequenceTagger:
        """Trains on sentences X and the labels y of their tokens, a list of texts for each sentence."""
        if y is None:
            raise ValueError("SequenceTagger requires y to be passed, but the target y is None")
        data = _data(X, y)
        if data.tokens == 0:
            raise ValueError("X has no tokens; expected at least one sentence")
        features = _core.TaggerFeatureOptions()
        features.all_states = bool(self.all_states)
        features.all_transitions = bool(self.all_transitions)
        features.boundary = bool(self.boundary)
        features.min_count = number("min_count", self.min_count, 1, whole=True)
        start = getattr(self, "model_", None) if self.warm_start else None
        self._run(_core.make_tagger_fit(data, self._options(), features, start), depth=3)
        self._unpack()
        return self

    def predict(self, X: Sequence) -> list[list[str]]:
        """The best labels of each sentence (Viterbi)."""
        check_is_fitted(self)
        data = _data(X)
        labels = self.classes_.tolist()
        tags = [labels[tag] for tag in _core.tag(self.model_, data, threads(self.n_jobs)).tolist()]
        ends = data.sentences.tolist()
        return [tags[first:last] for first, last in zip(ends, ends[1:])]

    @available_if(_has_marginals)
    def predict_proba(self, X: Sequence) -> list[np.ndarray]:
        """For each sentence the probability of each label at each token (tokens, n_classes): ŷ_Ω(θ).

        Marginals of the conditional random field, the mean of the few sequences that SparseMAP mixes, and so on.
        """
        check_is_fitted(self)
        data = _data(X)
        return np.split(_core.tag_marginals(self.model_, data), data.sentences[1:-1]) if len(X) else []

    @available_if(_has_marginals)
    def predict_marginals(self, X: Sequence) -> list[list[dict[str, float]]]:
        """The same as dictionaries, one per token."""
        labels = self.classes_.tolist()
        return [[dict(zip(labels, row)) for row in rows.tolist()] for rows in self.predict_proba(X)]

    def k_best(self, X: Sequence, k: int) -> list[list[tuple[list[str], float]]]:
        """For each sentence its k best sequences of labels with their probabilities (of the random field)."""
        check_is_fitted(self)
        labels = self.classes_.tolist()
        best = _core.tag_k_best(self.model_, _data(X), number("k", k, 1, whole=True))
        return [[([labels[tag] for tag in tags], weight) for tags, weight in sentence] for sentence in best]

    def score(self, X: Sequence, y: Sequence) -> float:
        """The share of tokens with the right label."""
        tags = self.predict(X)
        if [len(sentence) for sentence in tags] != [len(sentence) for sentence in y]:
            raise ValueError("y has other numbers of labels than X has tokens")
        right = [tag == label for sentence, truth in zip(tags, y) for tag, label in zip(sentence, truth)]
        return float(np.mean(right))

    @property
    def state_features_(self) -> dict[tuple[str, str], float]:
        """Weights of attributes with labels."""
        check_is_fitted(self)
        return {(attribute, label): weight for attribute, label, weight in _core.tagger_weights(self.model_)[0]}

    @property
    def transition_features_(self) -> dict[tuple[str, str], float]:
        """Weights of labels with the next ones."""
        check_is_fitted(self)
        return {(label, after): weight for label, after, weight in _core.tagger_weights(self.model_)[1]}

    def _unpack(self) -> None:
        self.classes_ = np.array(_core.tagger_labels(self.model_))


def _data(X: Sequence, y: Optional[Sequence] = None) -> _core.TaggerData:
    if isinstance(X, (str, dict)) or not hasattr(X, "__len__") or not hasattr(X, "__getitem__"):
        raise TypeError(f"X is {type(X).__name__}; expected a list of sentences")
    return _core.tagger_data(X, y)
