# SPDX-License-Identifier: Apache-2.0
"""Tags of the tokens of sentences: Ω over chains (paper §7.3 "Sequences")."""
from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable, Optional, Sequence, Union

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _core
from .._arguments import shown
from ._available import available_unless
from ._training import Estimator, keeps_the_model, number, spec_text, threads, written_in_python

if TYPE_CHECKING:
    from .._types import ArrayLike


def _lacks_marginals(estimator: SequenceTagger, method: str) -> str:
    """Why a tagger has no probabilities of labels."""
    try:
        fitted = hasattr(estimator, "model_")
        omega = _core.tagger_omega(estimator.model_) if fitted else spec_text("omega", estimator.omega)
        if _core.gives_probabilities(omega, "tagging", 2):
            return ""
    except (TypeError, ValueError):
        return ""  # fit will say what is wrong
    return (f"SequenceTagger has no {method} with omega={shown(estimator.omega)}, whose predictions are no probabilities; "
            "expected one such as 'crf' or 'sparsemap'; predict gives the best labels, k_best the k best sequences")


class SequenceTagger(Estimator):
    """A label for every token of a sentence, from weights of attributes with labels and of pairs of labels
    (paper §7.3).

    A sentence is a list of tokens, a token a dictionary of attributes or a list of their names, as in
    CRFsuite's Python packages. {"word": "the"} is the attribute word:the, {"length": 3.0} has a value, True
    is 1 and False is 0, {"next": {"word": "cat"}} is next:word:cat. Bytes are texts in UTF-8.

    With `template`, a token is a word, or a list of the texts in its columns (a word and its part of speech),
    and attributes are made of them as `fenchel train --template` does; so are those of taggers with templates
    that `load` reads. Tokens that are dictionaries have their attributes as they are.

    `predict_proba` and `predict_marginals` are there where ŷ_Ω(θ) is a probability: not for "hinge" and
    "perceptron", where an AttributeError says so. What it shows can be pasted back after `from fenchel import
    *`; long parameters are cut, as scikit-learn does.

    Parameters
    ----------
    omega : str
        "crf" (conditional random field), "sparsemap", "hinge" (structured), "perceptron" (structured) or any
        Ω over structures, such as "structured_sparsemax:k=50" or "entropic".
    penalty : str, optional
        G: "l2", "l1", "elastic_net", "group_lasso" or "none". None: l2, but none for perceptrons.
    reg_lambda : float
        λ, the strength of the penalty of the sum of losses; scikit-learn's C is 1/λ, for its logistic
        regression of two classes 2/λ.
    rho : float
        Of elastic_net: (λ/2)‖W‖² + λρ‖W‖₁.
    c1 : float, optional
        With c2, the penalty c1 ‖W‖₁ + c2 ‖W‖² in CRFsuite's terms, instead of penalty, reg_lambda and rho: c1
        is λρ.
    c2 : float, optional
        See c1: c2 is λ/2.
    all_states : bool
        Weights for every attribute with every label; else only for those of the training data.
    all_transitions : bool
        Weights for every pair of labels; else only for those of the training data.
    boundary : bool
        Weights of the first and of the last label of a sentence.
    min_count : int
        Attributes that occur less often have no weights.
    template : str or path, optional
        A preset ("default", "ner", "pos", "chunking", "crfsuite-chunking"), or a file of templates
        (docs/models.md).
    clusters : str, path or dict, optional
        Clusters of words for the template: a file (Brown clusters, or lines "word cluster"), or a dictionary
        of words and their clusters. Presets use them; the model keeps them.
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

    Attributes
    ----------
    classes_ : ndarray
        The labels, in the order of their first appearance.
    attributes_ : list of str
        The attributes that have weights.
    state_features_, transition_features_ : dict
        Weights, by (attribute, label) and by (label, next label).
    dev_score_ : float
        The score of the sentences X_dev of `fit`, where they were given.
    model_
        The model of C++.
    n_iter_, objective_, dual_gap_, solver_, remarks_
        How training went: iterations, the objective, its distance to the optimum at most (None where no bound
        is known), the solver, and the choices made, in words.

    Examples
    --------
    >>> from fenchel.sklearn import SequenceTagger
    >>> X, y = [[{"word": "the"}, {"word": "cat"}]], [["D", "N"]]
    >>> tagger = SequenceTagger("crf", reg_lambda=0.1).fit(X, y)
    >>> tagger.predict(X)
    [['D', 'N']]
    >>> tagger.predict_marginals(X)[0][1]["N"] > 0.5
    True
    >>> words = SequenceTagger(template="pos", reg_lambda=0.1).fit([["the", "cat"], ["a", "dog"]], [["D", "N"]] * 2)
    >>> words.predict([["the", "dog"]])
    [['D', 'N']]

    See Also
    --------
    StructuredPredictor, fenchel.Chain, fenchel.torch.CRF
    """

    def __init__(self, omega: str = "crf", *, penalty: Optional[str] = None, reg_lambda: float = 1.0, rho: float = 1.0,
                 c1: Optional[float] = None, c2: Optional[float] = None, all_states: bool = False,
                 all_transitions: bool = False, boundary: bool = False, min_count: int = 1,
                 template: Union[str, os.PathLike[str], None] = None,
                 clusters: Union[str, os.PathLike[str], Mapping[str, str], None] = None,
                 solver: Union[str, dict] = "auto", tol: Optional[float] = None, max_iter: int = 1000, warm_start: bool = False,
                 n_jobs: Optional[int] = None, random_state: Union[int, np.random.RandomState, None] = None,
                 verbose: int = 0):
        super().__init__(omega, penalty, reg_lambda, rho, solver, tol, max_iter, warm_start, n_jobs, random_state, verbose)
        self.c1 = c1
        self.c2 = c2
        self.all_states = all_states
        self.all_transitions = all_transitions
        self.boundary = boundary
        self.min_count = min_count
        self.template = template
        self.clusters = clusters

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
            sample_weight: Optional[ArrayLike] = None, classes: Optional[Sequence[str]] = None) -> SequenceTagger:
        """Trains on sentences and the labels of their tokens.

        Parameters
        ----------
        X : list
            Sentences.
        y : list
            The labels of each sentence: a list of texts. In place of a text, a label may be a dictionary of
            texts and their probabilities, as predict_marginals has them; or a sentence may have an array of
            them (tokens, labels), whose columns `classes` names. Tokens are then independent: a pair of
            neighbours has the product of its probabilities.
        X_dev : list, optional
            Sentences that have no part in training: dev_score_ says how good the tagger is on them.
        y_dev : list, optional
            The labels of X_dev.
        sample_weight : array_like, optional
            A number >= 0 for each sentence.
        classes : list of str, optional
            The names of the columns of arrays in y.

        Returns
        -------
        SequenceTagger
            The tagger itself, fitted.
        """
        if y is None:
            raise ValueError("SequenceTagger requires y to be passed, but the target y is None")
        if (X_dev is None) != (y_dev is None):
            raise ValueError("X_dev or y_dev is None and the other one is not; expected both or none")
        start = getattr(self, "model_", None) if self.warm_start else None
        data, columns = self._training_data(X, y if classes is None else _with_names(y, classes), start)
        if data.tokens == 0:
            raise ValueError("X has no tokens; expected at least one sentence")
        if sample_weight is not None:
            data.set_weights(_sentence_weights(sample_weight, len(X)).tolist())
        features = _core.TaggerFeatureOptions()
        features.all_states = bool(self.all_states)
        features.all_transitions = bool(self.all_transitions)
        features.boundary = bool(self.boundary)
        features.min_count = number("min_count", self.min_count, 1, whole=True)
        joined_by = "=" if columns else _joined_by(start)
        self._run(_core.make_tagger_fit(data, self._options(), features, start), depth=3)
        _core.set_tagger_joined_by(self.model_, joined_by)
        if columns:
            _core.set_tagger_columns(self.model_, columns + 1)  # the label counts
        self._unpack()
        self.__dict__.pop("dev_score_", None)
        if X_dev is not None and y_dev is not None:
            self.dev_score_ = self.score(X_dev, y_dev)
            if self.verbose:
                self._say(f"X_dev: {self.dev_score_:.4f} of the labels are right")
        return self

    def predict(self, X: Sequence) -> list[list[str]]:
        """The best labels of each sentence (Viterbi).

        Parameters
        ----------
        X : list
            Sentences.

        Returns
        -------
        list of list of str
            Labels.
        """
        check_is_fitted(self)
        data = _data(X, None, self.model_)
        labels = self.classes_.tolist()
        tags = [labels[tag] for tag in _core.tag(self.model_, data, threads(self.n_jobs)).tolist()]
        ends = data.sentences.tolist()
        return [tags[first:last] for first, last in zip(ends, ends[1:])]

    def predict_single(self, sentence: Sequence) -> list[str]:
        """The best labels of one sentence.

        Parameters
        ----------
        sentence : list
            Tokens.

        Returns
        -------
        list of str
            Labels.
        """
        return self.predict([sentence])[0]

    @available_unless(_lacks_marginals)
    def predict_proba(self, X: Sequence) -> list[np.ndarray]:
        """The probability of each label at each token, ŷ_Ω(θ).

        Parameters
        ----------
        X : list
            Sentences.

        Returns
        -------
        list of ndarray [tokens, n_classes]
            Marginals of the conditional random field, the mean of the few sequences that SparseMAP mixes, and
            so on.

        Raises
        ------
        AttributeError
            Ω gives no probabilities, as "hinge" and "perceptron"; `predict` and `k_best` work with any.
        """
        check_is_fitted(self)
        data = _data(X, None, self.model_)
        return np.split(_core.tag_marginals(self.model_, data), data.sentences[1:-1]) if len(X) else []

    @available_unless(_lacks_marginals)
    def predict_marginals(self, X: Sequence) -> list[list[dict[str, float]]]:
        """`predict_proba` as dictionaries, one per token.

        Parameters
        ----------
        X : list
            Sentences.

        Returns
        -------
        list of list of dict
            Probabilities by label.

        Raises
        ------
        AttributeError
            Ω gives no probabilities, as "hinge" and "perceptron"; `predict` and `k_best` work with any.
        """
        labels = self.classes_.tolist()
        return [[dict(zip(labels, row)) for row in rows.tolist()] for rows in self.predict_proba(X)]

    @available_unless(_lacks_marginals)
    def predict_marginals_single(self, sentence: Sequence) -> list[dict[str, float]]:
        """The probabilities of the labels of one sentence.

        Parameters
        ----------
        sentence : list
            Tokens.

        Returns
        -------
        list of dict
            A dictionary per token.

        Raises
        ------
        AttributeError
            Ω gives no probabilities, as "hinge" and "perceptron"; `predict` and `k_best` work with any.
        """
        return self.predict_marginals([sentence])[0]

    def k_best(self, X: Sequence, k: int) -> list[list[tuple[list[str], float]]]:
        """The k best sequences of labels of each sentence with their probabilities (of the random field).

        Parameters
        ----------
        X : list
            Sentences.
        k : int
            How many, at least 1.

        Returns
        -------
        list of list of (list of str, float)
            Best first.
        """
        check_is_fitted(self)
        labels = self.classes_.tolist()
        best = _core.tag_k_best(self.model_, _data(X, None, self.model_), number("k", k, 1, whole=True))
        return [[([labels[tag] for tag in tags], weight) for tags, weight in sentence] for sentence in best]

    def sequence_log_proba(self, X: Sequence, y: Sequence) -> np.ndarray:
        """log p of the labels of each sentence, in the random field with the weights of this tagger.

        Parameters
        ----------
        X : list
            Sentences.
        y : list
            The labels of each sentence.

        Returns
        -------
        ndarray [sentences]
            −inf where a label is not one of classes_; an empty sentence has one sequence of labels, and 0.
        """
        check_is_fitted(self)
        if y is None:
            raise ValueError("y is None; expected the labels of each sentence")
        return _core.tag_log_probabilities(self.model_, _data(X, y, self.model_))

    def score(self, X: Sequence, y: Sequence, sample_weight: Optional[ArrayLike] = None) -> float:
        """The share of tokens with the right label; of a dictionary of probabilities, that of the label
        predicted.

        Parameters
        ----------
        X : list
            Sentences.
        y : list
            The labels of each sentence.
        sample_weight : array_like, optional
            A number >= 0 for each sentence: each token counts as much as its sentence.

        Returns
        -------
        float
            The accuracy.
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

    def _training_data(self, X: Sequence, y: Sequence, start: Optional[_core.Model]) -> tuple[_core.TaggerData, int]:
        """The sentences, and how many columns their tokens have; 0 where they come as attributes."""
        if self.template is None:
            if self.clusters is not None:
                raise ValueError("clusters is given and template is None; expected a template that reads them, such as 'ner'")
            return _data(X, y, start, words=False), 0
        template, clusters = _file_name("template", self.template), _clusters(self.clusters)
        return _retried(X, lambda sentences: _core.training_tokens(sentences, y, template, clusters))

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


def _file_name(name: str, path: Any) -> str:
    try:
        text = os.fsdecode(path)
    except TypeError:
        raise TypeError(f"{name} is {path!r}; expected a text or an object such as pathlib.Path") from None
    if not text or "\0" in text:
        raise ValueError(f"{name} is {path!r}; expected a name without a null character")
    return text


def _clusters(given: Any) -> Optional[_core.WordClusters]:
    if given is None:
        return None
    if not isinstance(given, Mapping):
        name = _file_name("clusters", given)
        with open(name, "rb"):  # OSError where the file cannot be read
            pass
        return _core.read_clusters(name)
    clusters = _core.WordClusters()
    for word, cluster in given.items():
        if not isinstance(word, str) or not isinstance(cluster, str):
            raise TypeError(f"clusters[{word!r}] is {cluster!r}; expected texts for words and clusters")
        clusters.add(word, cluster)
    if not given:
        raise ValueError("clusters is empty; expected words with their clusters")
    return clusters


def _has_dictionaries(X: Sequence) -> bool:
    """Whether tokens are dictionaries of attributes, judged by the first."""
    first = next((token for sentence in X if isinstance(sentence, (list, tuple)) for token in sentence), None)
    return isinstance(first, dict)


def _data(X: Sequence, y: Optional[Sequence], model: Optional[_core.Model], words: bool = True) -> _core.TaggerData:
    _check_list(X)
    if words and model is not None and _core.tagger_templates(model) and not _has_dictionaries(X):
        return _retried(X, lambda sentences: _core.tokens_for(model, sentences, y))
    return _retried(X, lambda sentences: _core.tagger_data(sentences, y, _joined_by(model)))


def _check_list(X: Any) -> None:
    if isinstance(X, (str, dict)) or not hasattr(X, "__len__") or not hasattr(X, "__getitem__"):
        raise TypeError(f"X is {type(X).__name__}; expected a list of sentences")


def _retried(X: Any, read: Callable[[Any], Any]) -> Any:
    """What `read` makes of sentences, or of those whose bytes are made texts."""
    _check_list(X)
    try:
        return read(X)
    except TypeError as error:
        try:
            texts = _with_texts(X)
        except RecursionError:  # something holds itself
            raise error from None
    return read(texts)


def _with_texts(given: Any) -> Any:
    """Sentences whose bytes, in UTF-8 as in CRFsuite's Python packages, are texts; only made where there may be some."""
    if isinstance(given, bytes):
        return given.decode()
    if isinstance(given, dict):
        return {_with_texts(name): _with_texts(value) for name, value in given.items()}
    return [_with_texts(each) for each in given] if isinstance(given, (list, tuple, set)) else given
