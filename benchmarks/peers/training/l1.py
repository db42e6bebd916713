#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Logistic regression with an l1 penalty beside LIBLINEAR (scikit-learn's LogisticRegression(solver="liblinear")).

usage: l1.py PATH_TO_fenchel_bench_logistic [--threads N] [--rounds N] [--only TEXT] [--solver NAME]

Two classes, 4000 examples of 20000 sparse features, no intercept (LIBLINEAR penalises its own). The optimum is found
first; both sides are then timed to an objective within 1e-4, and within 1e-6, of it (relative): ours stops there, LIBLINEAR
gets the largest tol of 1, 0.3, 0.1, 0.03, ... that leads there. Rounds alternate. Printed: processor seconds and the ratio.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import sklearn

GOAL = 1
NAMED_BY_RATIO = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 8)  # l1 is l1_ratio = 1 from then on
ROWS, FEATURES, RELEVANT = 4000, 20000, 200


def problem(density):
    import numpy
    import scipy.sparse

    random = numpy.random.default_rng(0)
    counts = random.binomial(FEATURES, density, ROWS)
    indices = numpy.concatenate([numpy.sort(random.choice(FEATURES, count, replace=False)) for count in counts])
    offsets = numpy.concatenate([[0], numpy.cumsum(counts)])
    values = random.random(offsets[-1]).astype(numpy.float32)
    x = scipy.sparse.csr_matrix((values, indices.astype(numpy.int32), offsets), (ROWS, FEATURES))
    weights = numpy.zeros(FEATURES)
    weights[random.choice(FEATURES, RELEVANT, replace=False)] = 5 * random.normal(size=RELEVANT)
    return x, (x @ weights + 0.5 * random.logistic(size=ROWS) > 0).astype(numpy.int32)


def write(prefix, x, y):
    import numpy

    y.tofile(f"{prefix}.y")
    x.data.tofile(f"{prefix}.x")
    x.indptr.astype(numpy.int64).tofile(f"{prefix}.offsets")
    x.indices.astype(numpy.int32).tofile(f"{prefix}.indices")


def objective(x, y, weights, strength):
    import numpy

    scores = (2 * y - 1) * (x.astype(numpy.float64) @ weights)
    return numpy.logaddexp(0, -scores).sum() + strength * abs(weights).sum()


class Comparison:
    def __init__(self, x, y, prefix, options):
        self.x, self.y, self.prefix, self.options = x, y, prefix, options

    def ours(self, strength, target):
        command = [self.options.binary, self.prefix, *map(str, self.x.shape), "2", str(self.options.threads),
                   self.options.solver, "none", repr(target), repr(strength)]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    def peer(self, strength, tol):
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(C=1 / strength, solver="liblinear", tol=tol, max_iter=100000, fit_intercept=False)
        model.set_params(**({"l1_ratio": 1} if NAMED_BY_RATIO else {"penalty": "l1"}))
        start = time.process_time()
        model.fit(self.x, self.y)
        return time.process_time() - start, model.coef_[0]

    def run(self, name, strength, close):
        target = float(self.ours(strength, 0)["objective"] * (1 + close))
        for tol in (step * 10.0**-k for k in range(10) for step in (1, 0.3)):
            theirs, weights = self.peer(strength, tol)
            if objective(self.x, self.y, weights, strength) <= target:
                break
        mine = self.ours(strength, target)
        best = mine["fit"]
        for _ in range(self.options.rounds - 1):
            best = min(best, self.ours(strength, target)["fit"])
            theirs = min(theirs, self.peer(strength, tol)[0])
        ratio = theirs / best
        print(f"{name:32} {best:9.4f} {theirs:9.4f} {ratio:7.2f} {GOAL:5}  {'ok' if ratio >= GOAL else 'MISSED'}"
              f"   ({mine['iterations']} steps of {mine['solver']}; tol {tol:g})", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("folder", nargs="?", help="not looked at")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--solver", default="auto")
    options = parser.parse_args()
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = str(options.threads)
    print(f"{'seconds':32} {'ours':>9} {'LIBLINEAR':>9} {'ratio':>7} {'goal':>5}")
    for density in (0.005, 0.02):
        x, y = problem(density)
        with tempfile.TemporaryDirectory(prefix="fenchel-l1-") as folder:
            prefix = str(pathlib.Path(folder) / "data")
            write(prefix, x, y)
            comparison = Comparison(x, y, prefix, options)
            for c in (0.3, 1, 10, 100):
                for close in (1e-4, 1e-6):
                    name = f"{100 * density:g} %, C = {c}, within {close:g}"
                    if options.only in name:
                        comparison.run(name, 1 / c, close)


if __name__ == "__main__":
    sys.exit(main())
