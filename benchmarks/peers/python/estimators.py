#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""FenchelYoungClassifier beside scikit-learn's LogisticRegression(lbfgs): λ = 1 (C = 1), float32.

usage: estimators.py [FOLDER_OF_DATA] [--threads N] [--rounds N] [--wall] [--only TEXT]

The optimum is found first; both sides then get the largest tol of 0.1, 0.01, … that leads to an objective within 1e-6
of it (relative). Rounds alternate. Printed: processor seconds (wall-clock seconds with --wall) and ratios, that of fit
beside its goal. FOLDER_OF_DATA has sparse_multilabel/; the class of a document is its first label.
"""
import argparse
import os
import pathlib
import sys
import time
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from logistic_problem import CLOSE, GOAL, SLACK, dense_case, objective, sparse_case  # noqa: E402

TOLS = [10.0**-k for k in range(1, 10)]


class Timed:
    """One side: makes its estimator for a tol, and keeps the best times."""

    def __init__(self, make, clock):
        self.make, self.clock = make, clock
        self.fit_seconds = self.predict_seconds = float("inf")

    def run(self, x, y, tol):
        model = self.make(tol)
        start = self.clock()
        model.fit(x, y)
        middle = self.clock()
        model.predict_proba(x)
        self.fit_seconds = min(self.fit_seconds, middle - start)
        self.predict_seconds = min(self.predict_seconds, self.clock() - middle)
        return model

    def first_close(self, x, y, target):
        """The largest tol that leads to the target; times of others are forgotten."""
        for tol in TOLS:
            self.fit_seconds = self.predict_seconds = float("inf")
            if objective(x, y, self.run(x, y, tol)) <= target:
                break
        return tol


def line(name, ours, theirs, goal, note=""):
    ratio = theirs / ours
    verdict = "" if goal is None else f"{goal:5}  {'ok' if ratio >= goal else 'MISSED'}"
    print(f"{name:40} {ours:9.3f} {theirs:9.3f} {ratio:7.2f} {verdict}   {note}", flush=True)


def compare(name, x, y, options):
    from fenchel.sklearn import FenchelYoungClassifier
    from sklearn.linear_model import LogisticRegression

    clock = time.perf_counter if options.wall else time.process_time
    ours = Timed(lambda tol: FenchelYoungClassifier("logistic", tol=tol, n_jobs=options.threads), clock)
    peer = Timed(lambda tol: LogisticRegression(C=1.0, tol=tol, max_iter=5000), clock)
    target = objective(x, y, ours.run(x, y, 1e-9)) * (1 + CLOSE)
    our_tol, their_tol = ours.first_close(x, y, target), peer.first_close(x, y, target * (1 + SLACK))
    for _ in range(options.rounds - 1):
        mine, theirs = ours.run(x, y, our_tol), peer.run(x, y, their_tol)
    line(f"fit {name}", ours.fit_seconds, peer.fit_seconds, GOAL,
         f"({mine.n_iter_} and {theirs.n_iter_[0]} iterations, tol {our_tol:g} and {their_tol:g})")
    line(f"predict_proba {name}", ours.predict_seconds, peer.predict_seconds, None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--wall", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    options.rounds = max(options.rounds, 2)
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = str(options.threads)
    warnings.filterwarnings("ignore")
    cases = {"dense 20000x784x10": dense_case}
    if options.folder:
        for name in ("ng20", "rcv1sub1"):
            cases[f"sparse {name}"] = lambda name=name: sparse_case(options.folder, name)
    print(f"{'seconds':40} {'ours':>9} {'sklearn':>9} {'ratio':>7} {'goal':>5}")
    for name, make in cases.items():
        if options.only in name:
            compare(name, *make(), options)


if __name__ == "__main__":
    main()
