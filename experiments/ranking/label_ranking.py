# SPDX-License-Identifier: Apache-2.0
"""Orders of labels: Kendall's τ by cross-validation, with λ chosen within the training part of every fold."""
import concurrent.futures
import os
import pathlib
import random
import tempfile

from .. import data, tool
from .choices import OMEGAS, loss, name

SETS = ("iris", "vowel", "vehicle", "authorship")
GRID, KERNEL_GRID = "lambda=1e-2:1e4:log", "lambda=1e-2:1:log"
REFERENCES = {  # the name of a row and what it is
    "constant": "one order for all rows: that of the labels' mean ranks (Borda)",
    "regression": "a least-squares regression of each label's rank",
    "kernel": "Ω = ½‖·‖², w = full, with the kernel exp(−‖x − x'‖²/m) of m features instead of a linear model",
}


def file(set_name):
    return f"label_ranking/{set_name}.txt"


def tuned(train, test, arguments, grid=GRID):
    return ["tune", train, *arguments, "--scale", "standard", "--grid", grid, "--folds", 3, "--test", test]


def arguments(train, test, omega, w, k):
    """What the tool is asked for one fold."""
    if omega == "map":
        return ["train", train, *loss(omega, w, k), "--scale", "standard", "--test", test]
    return tuned(train, test, loss(omega, w, k))


def _rows(train, test, presets, k, features):
    """What the tool is asked for one fold, by the name of the row."""
    kernel = [*loss("sparsemap", "full", tolerance=1e-4), "--kernel", f"rbf:gamma={1 / features:.4g}"]
    return {
        **{name(omega, w): arguments(train, test, omega, w, k) for omega in OMEGAS for w in presets},
        # W is 0 at this λ, and the free intercept of least squares is the labels' mean worth
        "constant": ["train", train, *loss("squared", "full"), "--penalty", "l1", "--lambda", 1e6, "--test", test],
        "regression": tuned(train, test, loss("squared", "full")),
        "kernel": tuned(train, test, kernel, KERNEL_GRID),
    }


def _write_folds(header, rows, folds, seed, folder):
    """The files train-i.csv and test-i.csv of every fold; each row is in one test file."""
    rows = random.Random(seed).sample(rows, len(rows))
    files = [(folder / f"train-{i + 1}.csv", folder / f"test-{i + 1}.csv") for i in range(folds)]
    for i, (train, test) in enumerate(files):
        test.write_text("\n".join([header, *rows[i::folds]]) + "\n", encoding="utf-8")
        others = [row for j, row in enumerate(rows) if j % folds != i]
        train.write_text("\n".join([header, *others]) + "\n", encoding="utf-8")
    return files


def _summary(scores):
    """Over the folds: each one's τ, and the mean accuracy of the first place."""
    return {"kendall_tau": [round(score["kendall_tau"], 6) for score in scores],
            "accuracy": round(sum(score["accuracy"] for score in scores) / len(scores), 6)}


def cross_validate(set_name, folds, presets, seed):
    """τ on every fold and the mean accuracy of the first place, for each Ω and w and for the references."""
    header, *rows = data.path(file(set_name)).read_text(encoding="utf-8").splitlines()
    features, labels = header.count(","), rows[0].count(">") + 1
    k = (labels + 1) // 2
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        files = _write_folds(header, rows, folds, seed, pathlib.Path(temporary))
        asked = [_rows(train, test, presets, k, features) for train, test in files]
        running = {row: [workers.submit(tool.run_json, *fold[row]) for fold in asked] for row in asked[0]}
        scores = {row: _summary([future.result()["test"] for future in futures]) for row, futures in running.items()}
    return {"rows": len(rows), "features": features, "labels": labels, "k": k, "folds": folds, "scores": scores}
