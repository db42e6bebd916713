# SPDX-License-Identifier: Apache-2.0
"""python-crfsuite: Trainer and Tagger are SequenceTagger("crf"), its files are ours.

What each algorithm calls its parameters is kept here; lbfgs and l2sgd train the same random field.
"""
import math
import os
import tempfile
from collections import namedtuple

from peers.peer import Peer, module

PEER = Peer(
    title="python-crfsuite", package="python-crfsuite", version="0.9.12",
    sha256="db37fccc3bd8f0c49c28a7697ca79c89d67b3fd5bf119122866169240ac4c480",
    tests=("tests/test_tagger.py", "tests/test_trainer.py", "tests/test_misc.py"), support=("tests/conftest.py",),
    left_out={
        "the parser of their log": ["tests/test_logparser.py"],
        "tokens as their C++ holds them; ours reads tokens where they are": ["tests/test_itemsequence.py"],
    },
    ours='`SequenceTagger("crf")`, `fenchel.sklearn.load`',
    does_not_apply={
        "its authors expect it to fail": ["test_open_invalid_with_correct_signature", "test_tag_not_opened",
                                          "test_tag_invalid_feature_format"],
        "names, help texts and defaults of the parameters of their algorithms": [
            "test_trainer_select_raises_error", "test_algorithm_parameters", "test_params_and_help",
            "test_help_invalid_parameter", "test_get_parameter", "test_set_parameters_in_constructor"],
        "lines of their log": ["test_training_messages", "test_training_messages_exception"],
        "training on no sentence at all is an error here": ["test_trainer_noappend", "test_trainer_noselect_noappend"],
        "the text of `crfsuite dump`; `state_features_` has the weights": ["test_dump"],
        "the version of CRFsuite": ["test_version"],
    },
)

PARAMETERS = {
    "lbfgs": {"c1": 0.0, "c2": 1.0, "max_iterations": 1000, "num_memories": 10},
    "l2sgd": {"c2": 1.0, "max_iterations": 1000},
}
SHARED = {"feature.minfreq": 0.0, "feature.possible_states": False, "feature.possible_transitions": False}
Info = namedtuple("Info", "transitions state_features header labels attributes")


def attributes(token, prefix=""):
    """The attributes of a token with their values, by the rules of docs/python_sklearn.md."""
    if not isinstance(token, dict):
        token = {name: 1.0 for name in token}
    found = {}
    for name, value in token.items():
        name = prefix + (name.decode() if isinstance(name, bytes) else name)
        if isinstance(value, (str, bytes)):
            found[f"{name}:{value.decode() if isinstance(value, bytes) else value}"] = 1.0
        elif isinstance(value, (bool, int, float)):
            found[name] = float(value)
        else:
            found.update(attributes(value, name + ":"))
    return found


class Trainer:
    def __init__(self, algorithm="lbfgs", params=None, verbose=True):
        self.sentences, self.labels = [], []
        self.select(algorithm)
        self.set_params(params or {})

    def select(self, algorithm, type="crf1d"):
        if algorithm not in PARAMETERS:
            raise ValueError(f"algorithm is {algorithm!r}; expected {' or '.join(PARAMETERS)}")
        self.values = {**SHARED, **PARAMETERS[algorithm]}

    def get_params(self):
        return dict(self.values)

    def params(self):
        return list(self.values)

    def get(self, name):
        return self.values[name]

    def set(self, name, value):
        if name not in self.values:
            raise ValueError(f"no parameter {name!r}; expected one of {', '.join(self.values)}")
        self.values[name] = value

    def set_params(self, params):
        for name, value in params.items():
            self.set(name, value)

    def append(self, xseq, yseq, group=0):
        self.sentences.append(list(xseq))
        self.labels.append(list(yseq))

    def train(self, model, holdout=-1):
        from fenchel.sklearn import SequenceTagger
        values = self.values
        tagger = SequenceTagger("crf", c1=values.get("c1", 0.0), c2=values["c2"], max_iter=values["max_iterations"],
                                all_states=values["feature.possible_states"], min_count=max(1, int(values["feature.minfreq"])),
                                all_transitions=values["feature.possible_transitions"])
        tagger.fit(self.sentences, self.labels).save(model)


class Tagger:
    ours = None

    def open(self, name):
        from fenchel.sklearn import load
        self.ours = load(name)
        return self

    def open_inmemory(self, content):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model")
            with open(path, "wb") as file:
                file.write(content)
            return self.open(path)

    def close(self):
        self.ours = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def opened(self, error=ValueError):
        if self.ours is None:
            raise error("The tagger is not opened")
        return self.ours

    def labels(self):
        return self.opened().classes_.tolist()

    def tag(self, xseq):
        self.last = list(xseq)
        return self.opened().predict_single(self.last)

    def score(self, yseq):
        """⟨w, features of the last sentence with these labels⟩."""
        states, transitions = self.ours.state_features_, self.ours.transition_features_
        return sum(states.get((name, label), 0.0) * value for token, label in zip(self.last, yseq)
                   for name, value in attributes(token).items()) + sum(transitions.get(pair, 0.0) for pair in zip(yseq, yseq[1:]))

    def probability(self, yseq):
        return math.exp(self.ours.sequence_log_proba([self.last], [list(yseq)])[0])

    def info(self):
        ours = self.opened(RuntimeError)
        return Info(ours.transition_features_, ours.state_features_, {"num_labels": str(len(ours.classes_))},
                    dict.fromkeys(ours.classes_.tolist()), dict.fromkeys(ours.attributes_))


def substitute():
    module("pycrfsuite", Trainer=Trainer, Tagger=Tagger, ItemSequence=list)
