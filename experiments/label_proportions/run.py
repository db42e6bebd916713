# SPDX-License-Identifier: Apache-2.0
"""Statistics of a data set, and one protocol on it."""
import contextlib
import dataclasses
import math
import pathlib
import tempfile

from .. import tool
from ..proportions import Choice, choose_and_judge
from .sets import PAPER_SETS, SHARE, SPARSE_SETS, LabelledSet, Protocol


@contextlib.contextmanager
def prepared(name):
    """with prepared(name) as (set, train, test): caches of its files."""
    chosen = next(each for each in (*PAPER_SETS, *SPARSE_SETS) if each.name == name)
    with tempfile.TemporaryDirectory() as folder:
        yield (chosen, *chosen.prepared(pathlib.Path(folder)))


def statistics(name):
    """Train, validation, test, features, classes, and labels of a row, from the files."""
    with prepared(name) as (_, train, test):
        learnt, judged = (tool.run_json("describe", path) for path in (train, test))
    held_out = math.ceil(learnt["rows"] * SHARE)
    labels = sum(part["labels_per_labelled_row"] * part["rows"] for part in (learnt, judged))
    return [learnt["rows"] - held_out, held_out, judged["rows"], learnt["features"], learnt["classes"],
            round(labels / (learnt["rows"] + judged["rows"]), 2)]


def run(name, protocol, metric="js"):
    """Every split of the protocol, which is a dictionary of Protocol's fields; chosen by a metric of the validation part."""
    rules = Protocol(**protocol)
    with prepared(name) as (chosen, train, test):
        return [choose_and_judge(choice_of(chosen, rules, metric), train, test, seed) for seed in range(rules.seeds)]


def choice_of(chosen: LabelledSet, protocol: Protocol, metric="js") -> Choice:
    return Choice(protocol.alphas, protocol.lambdas, SHARE, chosen.flags(protocol), metric, protocol.refit)


def parameters(chosen: LabelledSet, protocol: Protocol):
    return {"name": chosen.name, "protocol": dataclasses.asdict(protocol)}
