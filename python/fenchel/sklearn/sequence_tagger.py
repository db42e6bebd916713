# SPDX-License-Identifier: Apache-2.0
"""Tags of the tokens of sentences: Ω over chains (paper §7.3 "Sequences")."""
from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .. import _core
from ._training import Estimator, keeps_the_model, number, spec_text, threads, written_in_python


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

    A sentence is a list of tokens, a token a dictionary of attributes or a list of their names, as in CRFsuite's Python
    packages. {"word": "the"} is the attribute word:the, {"length": 3.0} has a value, True is 1 and False is 0,
    {"next": {"word": "cat"}} is next:word:cat. Bytes are texts in UTF-8.

    Parameters
    ----------
    omega : "crf" (conditional random field), "sparsemap", "hinge" (structured), "perceptron" (structured) or any Ω over
        structures, such as "structured_sparsemax:k=50" or "entropic".
    penalty, reg_lambda, rho : as in FenchelYoungClassifier.
    c1, c2 : the penalty c1 ‖W‖₁ + c2 ‖W‖² in CRFsuite's terms, instead of these three: c2 is λ/2, and c1 is λρ.
    all_states, all_transitions : weights for every attribute with every label, and for every pair of labels; else only
        for those of the training data.
    boundary : weights of the first and of the last label of a sentence.
    min_count : attributes that occur less often have no weights.
    solver, tol, max_iter, warm_start, n_jobs, random_state, verbose : as in FenchelYoungClassifier.

    Attributes
    ----------
    classes_ : the labels, in the order of their first appearance.
    attributes_ : the attributes that have weights.
    state_features_, transition_features_ : weights, by (attribute, label) and by (label, next label).
    dev_score_ : the score of the sentences X_dev of `fit`, where they were given.
    model_ : the model of C++.
    n_iter_, objective_, dual_gap_, solver_, remarks_ : how training went; dual_gap_ is None where no bound is known.
    """

    def __init__(self, omega: str = "crf", *, penalty: Optional[str] = None, reg_lambda: float = 1.0, rho: float = 1.0,
                 c1: Optional[float] = None, c2: Optional[float] = None,
                 all_states: bool = False, all_transitions: bool = False, boundary: bool = False, min_count: int = 1,
                 solver: str = "auto", tol: float = 1e-6, max_iter: int = 1000, warm_start: bool = False,
                 n_jobs: Optional[int] = None, random_state: Any = None, verbose: int = 0):
        super().__init__(omega, penalty, reg_lambda, rho, solver, tol, max_iter, warm_start, n_jobs, random_state, verbose)
        self.c1 = c1
        self.c2 = c2
        self.all_states = all_states
        self.all_transitions = all_transitions
        self.boundary = boundary
        self.min_count = min_count

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.two_d_array = False
        return tags

    def _options(self) -> _core.FitOptions:
        if written_in_python(self.omega):
            raise TypeError(f"omega is {self.omega!r}, which is written in Python; expected a name such as 'crf' or 'sparsemap'")
        options = super()._options()
        if self.c1 is None and self.c2 is None:
            return options
        if self.penalty is not None or self.reg_lambda != 1 or self.rho != 1:
            raise ValueError("c1 or c2 is given, and penalty, reg_lambda or rho too; expected one way to say the penalty")
        l1 = 0.0 if self.c1 is None else number("c1", self.c1, 0)
        l2 = 0.0 if self.c2 is None else number("c2", self.c2, 0)
        options.penalty = ("elastic_net" if l2 else "l1") if l1 else ("l2" if l2 else "none")
        options.reg_lambda = 2 * l2 if l2 else l1
        options.rho = l1 / options.reg_lambda if l1 else 1.0
        return options

    @keeps_the_model
    def fit(self, X: Sequence, y: Sequence, X_dev: Optional[Sequence] = None, y_dev: Optional[Sequence] = None,
            sample_weight: Any = None, classes: Optional[Sequence[str]] = None) -> SequenceTagger:
        """Trains on sentences X and the labels y of their tokens, a list of texts for each sentence.

        In place of a text, a label may be a dictionary of texts and their probabilities, as predict_marginals has them; or a
        sentence may have an array of them (tokens, labels), whose columns `classes` names. Tokens are then independent: a pair
        of neighbours has the product of its probabilities. sample_weight has a number >= 0 for each sentence. X_dev and
        y_dev have no part in training: dev_score_ says how good the tagger is on them.
        """
        if y is None:
            raise ValueError("SequenceTagger requires y to be passed, but the target y is None")
        if (X_dev is None) != (y_dev is None):
            raise ValueError("X_dev or y_dev is None and the other one is not; expected both or none")
        start = getattr(self, "model_", None) if self.warm_start else None
        data = _data(X, y if classes is None else _with_names(y, classes), start)
        if data.tokens == 0:
            raise ValueError("X has no tokens; expected at least one sentence")
        if sample_weight is not None:
            data.set_weights(_sentence_weights(sample_weight, len(X)).tolist())
        features = _core.TaggerFeatureOptions()
        features.all_states = bool(self.all_states)
        features.all_transitions = bool(self.all_transitions)
        features.boundary = bool(self.boundary)
        features.min_count = number("min_count", self.min_count, 1, whole=True)
        joined_by = _joined_by(start)
        self._run(_core.make_tagger_fit(data, self._options(), features, start), depth=3)
        _core.set_tagger_joined_by(self.model_, joined_by)
        self._unpack()
        self.__dict__.pop("dev_score_", None)
        if X_dev is not None and y_dev is not None:
            self.dev_score_ = self.score(X_dev, y_dev)
            if self.verbose:
                self._say(f"X_dev: {self.dev_score_:.4f} of the labels are right")
        return self

    def predict(self, X: Sequence) -> list[list[str]]:
        """The best labels of each sentence (Viterbi)."""
        check_is_fitted(self)
        data = _data(X, None, self.model_)
        labels = self.classes_.tolist()
        tags = [labels[tag] for tag in _core.tag(self.model_, data, threads(self.n_jobs)).tolist()]
        ends = data.sentences.tolist()
        return [tags[first:last] for first, last in zip(ends, ends[1:])]

    def predict_single(self, sentence: Sequence) -> list[str]:
        """The best labels of one sentence."""
        return self.predict([sentence])[0]

    @available_if(_has_marginals)
    def predict_proba(self, X: Sequence) -> list[np.ndarray]:
        """For each sentence the probability of each label at each token (tokens, n_classes): ŷ_Ω(θ).

        Marginals of the conditional random field, the mean of the few sequences that SparseMAP mixes, and so on.
        """
        check_is_fitted(self)
        data = _data(X, None, self.model_)
        return np.split(_core.tag_marginals(self.model_, data), data.sentences[1:-1]) if len(X) else []

    @available_if(_has_marginals)
    def predict_marginals(self, X: Sequence) -> list[list[dict[str, float]]]:
        """The same as dictionaries, one per token."""
        labels = self.classes_.tolist()
        return [[dict(zip(labels, row)) for row in rows.tolist()] for rows in self.predict_proba(X)]

    @available_if(_has_marginals)
    def predict_marginals_single(self, sentence: Sequence) -> list[dict[str, float]]:
        """The probabilities of the labels of one sentence, a dictionary per token."""
        return self.predict_marginals([sentence])[0]

    def k_best(self, X: Sequence, k: int) -> list[list[tuple[list[str], float]]]:
        """For each sentence its k best sequences of labels with their probabilities (of the random field)."""
        check_is_fitted(self)
        labels = self.classes_.tolist()
        best = _core.tag_k_best(self.model_, _data(X, None, self.model_), number("k", k, 1, whole=True))
        return [[([labels[tag] for tag in tags], weight) for tags, weight in sentence] for sentence in best]

    def sequence_log_proba(self, X: Sequence, y: Sequence) -> np.ndarray:
        """For each sentence log p of its labels y, in the random field with the weights of this tagger.

        −inf where a label is not one of classes_. An empty sentence has one sequence of labels, and 0.
        """
        check_is_fitted(self)
        if y is None:
            raise ValueError("y is None; expected the labels of each sentence")
        return _core.tag_log_probabilities(self.model_, _data(X, y, self.model_))

    def score(self, X: Sequence, y: Sequence, sample_weight: Any = None) -> float:
        """The share of tokens with the right label; of a dictionary of probabilities, that of the label predicted.

        With sample_weight each token counts as much as its sentence.
        """
        tags = self.predict(X)
        if [len(sentence) for sentence in tags] != [len(sentence) for sentence in y]:
            raise ValueError("y has other numbers of labels than X has tokens")
        right = [label.get(tag, 0.0) if isinstance(label, dict) else tag == label
                 for sentence, truth in zip(tags, y) for tag, label in zip(sentence, truth)]
        if sample_weight is None:
            return float(np.mean(right))
        weights = np.repeat(_sentence_weights(sample_weight, len(X)), [len(sentence) for sentence in tags])
        if not weights.sum() > 0:
            raise ValueError("sample_weight has no weight > 0 for a token; expected one at least")
        return float(np.average(right, weights=weights))

    @property
    def attributes_(self) -> list[str]:
        """The attributes that have weights."""
        check_is_fitted(self)
        return list(dict.fromkeys(attribute for attribute, _, _ in _core.tagger_weights(self.model_)[0]))

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


def _joined_by(model: Optional[_core.Model]) -> str:
    """What stands between the name of an attribute and its text: templates of the tool and earlier versions have "="."""
    return ":" if model is None else _core.tagger_joined_by(model)


def _sentence_weights(sample_weight: Any, sentences: int) -> np.ndarray:
    """One finite number >= 0 for each sentence."""
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (sentences,):
        raise ValueError(f"sample_weight has shape {weights.shape}; expected ({sentences},), one for each sentence")
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if wrong.size:
        raise ValueError(f"sample_weight[{wrong[0]}] is {weights[wrong[0]]}; expected a finite number >= 0")
    return weights


def _with_names(y: Sequence, classes: Sequence[str]) -> list:
    """Arrays of probabilities as dictionaries."""
    names = list(classes)
    if len(set(names)) != len(names) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"classes is {classes!r}; expected different texts")
    rows = []
    for s, sentence in enumerate(y):
        table = np.asarray(sentence, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != len(names):
            raise ValueError(f"y[{s}] has shape {table.shape}; expected (tokens, {len(names)}) for the classes given")
        rows.append([dict(zip(names, row)) for row in table.tolist()])
    return rows


def _data(X: Sequence, y: Optional[Sequence], model: Optional[_core.Model]) -> _core.TaggerData:
    if isinstance(X, (str, dict)) or not hasattr(X, "__len__") or not hasattr(X, "__getitem__"):
        raise TypeError(f"X is {type(X).__name__}; expected a list of sentences")
    try:
        return _core.tagger_data(X, y, _joined_by(model))
    except TypeError as error:
        try:
            texts = _with_texts(X)
        except RecursionError:  # something holds itself
            raise error from None
    return _core.tagger_data(texts, y, _joined_by(model))


def _with_texts(given: Any) -> Any:
    """Sentences whose bytes, in UTF-8 as in CRFsuite's Python packages, are texts; only made where there may be some."""
    if isinstance(given, bytes):
        return given.decode()
    if isinstance(given, dict):
        return {_with_texts(name): _with_texts(value) for name, value in given.items()}
    return [_with_texts(each) for each in given] if isinstance(given, (list, tuple, set)) else given
