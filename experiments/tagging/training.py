# SPDX-License-Identifier: Apache-2.0
"""The steps: λ is chosen on held-out sequences, then a tagger is trained on all of them and judged."""
import pathlib
import tempfile

from .. import data, tool
from . import corpora

CHUNKING = ("--template", "crfsuite-chunking")
CORPORA = {"ocr": corpora.handwritten, "made_up": corpora.made_up}


def chunking(omega, lambdas, choosing, iterations, solver="auto"):
    """CoNLL-2000: λ from a third of the sentences in `choosing` iterations, then training on all."""
    with tempfile.TemporaryDirectory() as folder:
        third = corpora.third_of_sentences(pathlib.Path(folder))
        chosen = choose(third, lambdas, "chunk_f1", _flags(omega, choosing, solver, CHUNKING))
    return judge(*corpora.sentences(), chosen, _flags(omega, iterations, solver, CHUNKING))


def words_and_letters(corpus, omega, lambdas, iterations, solver="auto"):
    """Words as sequences, and their letters alone: what the loss is without transitions."""
    flags = _flags(omega, iterations, solver)
    with tempfile.TemporaryDirectory() as folder:
        files = CORPORA[corpus](pathlib.Path(folder))
        return {unit: judge(train, test, choose(train, lambdas, "accuracy", flags), flags)
                for unit, (train, test) in files.items()}


def choose(train, lambdas, metric, flags):
    """The best λ on a quarter of the sequences, held out. With a single one there is no choice; perceptrons have none."""
    if len(lambdas) < 2:
        return {"lambda": lambdas[0] if lambdas else None}
    grid = "lambda=" + ",".join(f"{value:g}" for value in lambdas)
    arguments = ("tune", train, *flags, "--grid", grid, "--valid", 0.25, "--metric", metric)
    out = tool.run_json(*arguments, "--refit", "train")
    held_out = [[row["lambda"], round(row[metric], 5)] for row in out["table"]]
    return {"lambda": out["best"]["lambda"], "held_out": held_out, "tune": _shown(arguments, train)}


def judge(train, test, chosen, flags):
    """What is kept of a training run with the λ chosen."""
    penalty = () if chosen["lambda"] is None else ("--lambda", f"{chosen['lambda']:g}")
    arguments = ("train", train, *flags, *penalty, "--test", test)
    out = tool.run_json(*arguments)
    gap = round(out["gap"] / out["objective"], 6) if "gap" in out else None
    metrics = {name: round(value, 5) for name, value in out["test"].items()}
    return {**chosen, "train": _shown(arguments, train, test), "solver": out["solver"], "iterations": out["iterations"],
            "gap": gap, "seconds": round(out["seconds"], 1), "test": metrics}


def _flags(omega, iterations, solver, more=()):
    chosen = () if solver == "auto" else ("--solver", solver)
    return ("--task", "tagging", "--omega", omega, *chosen, *more, "--tolerance", "1e-4", "--max-iterations", iterations)


def _shown(arguments, *files):
    """The command, with files made for it by their names alone."""
    made = [file for file in files if data.FOLDER not in file.parents]
    return tool.shown(*(word.name if word in made else word for word in arguments))
