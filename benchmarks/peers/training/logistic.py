#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Multinomial logistic regression beside scikit-learn's LogisticRegression(lbfgs), lambda = 1 (C = 1), float32.

usage: logistic.py PATH_TO_fenchel_bench_logistic [FOLDER_OF_DATA] [--threads N] [--rounds N] [--wall] [--only TEXT]

The optimum is found first; both sides are then timed to an objective within 1e-6 of it (relative): ours stops
there, scikit-learn gets the largest tol of 0.1, 0.01, ... that leads there. Rounds alternate. Printed: processor
seconds (wall-clock seconds with --wall) and the ratio beside its goal. FOLDER_OF_DATA has sparse_multilabel/; the
class of a document is its first label.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from logistic_problem import CLOSE, GOAL, SLACK, dense_case, objective, sparse_case  # noqa: E402


def write(prefix, x, y):
    import numpy

    y.astype(numpy.int32).tofile(f"{prefix}.y")
    if hasattr(x, "indptr"):
        x.sort_indices()
        x.data.astype(numpy.float32).tofile(f"{prefix}.x")
        x.indptr.astype(numpy.int64).tofile(f"{prefix}.offsets")
        x.indices.astype(numpy.int32).tofile(f"{prefix}.indices")
    else:
        x.tofile(f"{prefix}.x")


def compare(name, x, y, intercept, options):
    from sklearn.linear_model import LogisticRegression

    clock = time.perf_counter if options.wall else time.process_time
    key = "fit_wall" if options.wall else "fit"
    with tempfile.TemporaryDirectory(prefix="fenchel-logistic-") as folder:
        prefix = str(pathlib.Path(folder) / "data")
        write(prefix, x, y)

        def ours(target):
            command = [options.binary, prefix, *map(str, x.shape), str(y.max() + 1), str(options.threads), "lbfgs",
                       intercept, repr(target)]
            return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

        def peer(tol):
            model = LogisticRegression(C=1.0, tol=tol, max_iter=5000, fit_intercept=intercept == "free")
            start = clock()
            model.fit(x, y)
            return clock() - start, model

        target = float(ours(0)["objective"] * (1 + CLOSE))
        for tol in (10.0**-k for k in range(1, 10)):
            theirs, model = peer(tol)
            if objective(x, y, model) <= target * (1 + SLACK):
                break
        mine = ours(target)
        best = mine[key]
        for _ in range(options.rounds - 1):
            best = min(best, ours(target)[key])
            theirs = min(theirs, peer(tol)[0])
    ratio = theirs / best
    print(f"{name:32} {best:9.3f} {theirs:9.3f} {ratio:7.2f} {GOAL:5}  {'ok' if ratio >= GOAL else 'MISSED'}"
          f"   ({mine['iterations']} and {model.n_iter_[0]} iterations; gradient {mine['gradient'] * 1e3:.2f} ms)",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--wall", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = str(options.threads)
    cases = {"dense 20000x784x10": dense_case}
    if options.folder:
        for name in ("ng20", "rcv1sub1"):
            cases[f"sparse {name}"] = lambda name=name: sparse_case(options.folder, name)
    print(f"{'seconds':32} {'ours':>9} {'sklearn':>9} {'ratio':>7} {'goal':>5}")
    for name, make in cases.items():
        if options.only in name:
            compare(name, *make(), "free", options)


if __name__ == "__main__":
    main()
