# SPDX-License-Identifier: Apache-2.0
"""The programs at their defaults, each in a process of its own whose processor time is read.

The tool is two processes, `train` and `predict`, which read the files and write the model and the answers: all of that
counts. A peer is a fork of this process that finds its imports done and the data in memory: what it does with them counts.
"""
import dataclasses
import importlib
import json
import os
import pathlib
import pickle
import resource
import signal
import subprocess
import sys
import traceback
import warnings

from .quality import KEYS, quality
from .rows import indicators, order_places
from .sentences import ATTRIBUTES


@dataclasses.dataclass
class Outcome:
    """What one run of one program gave."""

    seconds: float
    quality: float | None = None  # none: it did not end within the limit
    converged: bool = True
    said: str = ""  # warnings and errors


class TooLong(Exception):
    """The limit of processor seconds was reached."""


def measured(process_id, limit):
    """Waits for a process: its processor seconds, and its exit status, which is negative for a signal."""
    _, status, usage = os.wait4(process_id, 0)
    seconds, code = usage.ru_utime + usage.ru_stime, os.waitstatus_to_exitcode(status)
    if code in (-signal.SIGXCPU, -signal.SIGKILL) and seconds > limit - 1:
        raise TooLong(limit)
    return seconds, code


# ---- the tool

def run_tool(tool, one, folder, limit):
    """train, predict, and (not timed) evaluate, whose own measure has to be ours."""
    model, answers = folder / "model.safetensors", folder / "answers.txt"
    seconds, said = 0.0, ""
    for command, out in ((["train", one.train, "--model", model], os.devnull), (["predict", model, one.test], answers)):
        errors = folder / "errors.txt"
        with open(out, "wb") as written, open(errors, "wb") as messages:
            # A shell sets the limit: Python's preexec_fn would fork all of this process, which costs more than small sets.
            process = subprocess.Popen(["sh", "-c", f'ulimit -t {limit}; exec "$0" "$@"', tool, *map(str, command)],
                                       stdin=subprocess.DEVNULL, stdout=written, stderr=messages)
            spent, process.returncode = measured(process.pid, limit)
        seconds += spent
        text = errors.read_text(encoding="utf-8", errors="replace")
        said += "\n".join(line for line in text.replace("\r", "\n").splitlines() if line.startswith(("warning", "error")))
        if process.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, command))}: {text.strip()[-500:]}")
    ours = quality(one, tool_answers(one, answers))
    done = subprocess.run([tool, "evaluate", model, one.test, "--json"], capture_output=True, text=True, check=True)
    theirs = json.loads(done.stdout).get(KEYS[one.metric])
    if theirs is None or abs(theirs - ours) > 1e-4:
        said += f"\nevaluate says {KEYS[one.metric]} = {theirs}; {ours:.6f} was computed from the answers"
    return Outcome(seconds, ours, "not converged" not in said, said.strip())


def tool_answers(one, path):
    """The lines of `fenchel predict` in the form of one.y_test."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    if one.task == "classification":
        return lines
    if one.task in ("regression", "ranking"):
        return [float(line) for line in lines]
    if one.task == "multilabel":
        return indicators([line.split(",") if line else [] for line in lines], one.classes)
    if one.task == "label-ranking":
        return [order_places(line, one.classes) for line in lines]
    return [block.split("\n") for block in text.strip("\n").split("\n\n")]


# ---- its peers

def scikit_learn(one):
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.multiclass import OneVsRestClassifier

    if one.task == "classification":
        return fitted(LogisticRegression(), one)
    if one.task == "multilabel":
        return fitted(OneVsRestClassifier(LogisticRegression()), one)
    if one.task in ("regression", "ranking", "label-ranking"):  # of the numbers, the relevances, the places
        return fitted(Ridge(), one)
    return None


def linear_svc(one):
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import LinearSVC

    if one.task == "classification":
        return fitted(LinearSVC(), one)
    return fitted(OneVsRestClassifier(LinearSVC()), one) if one.task == "multilabel" else None


def lightgbm(one):
    from lightgbm import LGBMClassifier, LGBMRanker, LGBMRegressor
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.multioutput import MultiOutputRegressor

    quiet = {"verbosity": -1}
    if one.task == "classification":
        return fitted(LGBMClassifier(**quiet), one)
    if one.task == "multilabel":
        return fitted(OneVsRestClassifier(LGBMClassifier(**quiet)), one)
    if one.task == "regression":
        return fitted(LGBMRegressor(**quiet), one)
    if one.task == "ranking":
        return fitted(LGBMRanker(**quiet), one, group=one.train_queries)
    return fitted(MultiOutputRegressor(LGBMRegressor(**quiet)), one) if one.task == "label-ranking" else None


def fitted(model, one, **options):
    return model.fit(one.x, one.y, **options).predict(one.x_test)


def crfsuite(one):
    """python-crfsuite, from the words to the tags: what makes the attributes is Python and counts, as it does for its users."""
    if one.task != "tagging":
        return None
    import pycrfsuite

    attributes = ATTRIBUTES[one.attributes]
    trainer = pycrfsuite.Trainer(verbose=False)
    for sentence, tags in zip(one.x, one.y):
        trainer.append(attributes(sentence), tags)
    file = pathlib.Path(one.test).name + ".crfsuite"
    trainer.train(file)
    tagger = pycrfsuite.Tagger()
    tagger.open(file)
    return [tagger.tag(attributes(sentence)) for sentence in one.x_test]


#: By their columns in the table, in the order of it; with what is imported before the clock starts.
PEERS = {"logistic or ridge regression": (scikit_learn, ["sklearn.linear_model", "sklearn.multiclass"]),
         "LinearSVC": (linear_svc, ["sklearn.svm", "sklearn.multiclass"]),
         "LightGBM": (lightgbm, ["lightgbm", "sklearn.multiclass", "sklearn.multioutput"]),
         "CRFsuite": (crfsuite, ["pycrfsuite"])}


def ready(modules):
    """Imports them; whether they are installed."""
    try:
        for module in modules:
            importlib.import_module(module)
    except ImportError:
        return False
    return True


def run_peer(peer, one, folder, limit):
    """The outcome, or none where the peer has nothing for this task."""
    answers = folder / "answers.pickle"
    answers.unlink(missing_ok=True)
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.chdir(folder)
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            answer_in_child(peer, one, answers)
            status = 0
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(status)
    seconds, status = measured(child, limit)
    if status != 0:
        raise RuntimeError(f"{one.name}: exit status {status}")
    found, warned = pickle.loads(answers.read_bytes())
    if found is None:
        return None
    return Outcome(seconds, quality(one, found), not any("onverge" in text for text in warned), "\n".join(sorted(set(warned))))


def answer_in_child(peer, one, path):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        found = peer(one)
    path.write_bytes(pickle.dumps((found, [str(one.message) for one in warned])))
