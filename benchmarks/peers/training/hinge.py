#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The multiclass hinge by dual ascent beside LIBLINEAR's Crammer-Singer solver, lambda = 1 (C = 1), no intercept.

usage: hinge.py PATH_TO_fenchel_bench_dual FOLDER_OF_DATA [--threads N] [--rounds N] [--wall] [--only TEXT]

The optimum is found first. Ours then stops by itself, at a duality gap of 1e-6 of the objective; LIBLINEAR (through
scikit-learn) gets the largest tol of 1, 0.5, 0.2, 0.1, ... that leads to an objective within 1e-6 of the optimum.
Rounds alternate. Printed: processor seconds (wall-clock seconds with --wall) and the ratio beside its goal. The class
of a document with several labels is its first one.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time
import warnings

GOAL = 1
CLOSE = 1e-6


def cases(folder):
    """Names, and what loads features and labels."""
    def single(path, dense=False):
        import numpy
        from sklearn.datasets import load_svmlight_file

        x, y = load_svmlight_file(str(folder / "libsvm" / path), dtype=numpy.float32)
        return (numpy.ascontiguousarray(x.toarray()) if dense else x), numpy.unique(y, return_inverse=True)[1]

    def multiple(name):
        import numpy
        from sklearn.datasets import load_svmlight_file

        path = folder / "sparse_multilabel" / name / f"{name}-train.svm.gz"
        x, labels = load_svmlight_file(str(path), multilabel=True, dtype=numpy.float32)
        return x, numpy.unique([int(row[0]) for row in labels], return_inverse=True)[1]

    return {"letter": lambda: single("letter.scale.svm.gz", dense=True), "dna": lambda: single("dna.scale"),
            "ng20": lambda: multiple("ng20"), "rcv1sub1": lambda: multiple("rcv1sub1")}


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


class Ours:
    """Our binary on data written to a folder."""

    def __init__(self, options, folder, x, y, loss):
        prefix = str(pathlib.Path(folder) / "data")
        write(prefix, x, y)
        self.command = [options.binary, prefix, *map(str, x.shape), str(y.max() + 1), str(options.threads), *loss]
        self.key = "fit_wall" if options.wall else "fit"

    def run(self, solver, target):
        command = [*self.command, solver, target]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    def seconds(self, solver, target):
        return self.run(solver, target)[self.key]


def options_of(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--wall", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--authors", default="", help="folder of the authors' fyl_sklearn.py (sparsemax.py)")
    options = parser.parse_args()
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = str(options.threads)
    return options


def objective(x, y, weights):
    import numpy

    rows = numpy.arange(len(y))
    scores = numpy.asarray(x.astype(numpy.float64) @ weights.T)
    augmented = scores + 1
    augmented[rows, y] -= 1
    return (augmented.max(1) - scores[rows, y]).sum() + 0.5 * (weights**2).sum()


def compare(name, x, y, options):
    from sklearn.svm import LinearSVC

    clock = time.perf_counter if options.wall else time.process_time
    wide = x.astype("float64")  # what LIBLINEAR computes in

    def peer(tol):
        model = LinearSVC(multi_class="crammer_singer", C=1.0, fit_intercept=False, tol=tol, max_iter=100000)
        start = clock()
        model.fit(wide, y)
        return clock() - start, model.coef_

    with tempfile.TemporaryDirectory(prefix="fenchel-hinge-") as folder:
        ours = Ours(options, folder, x, y, ["argmax", "0/1"])
        target = ours.run("dual_ascent", "0")["objective"] * (1 + CLOSE)
        for tol in (digit * 10.0**-k for k in range(0, 9) for digit in (1, 0.5, 0.2)):
            theirs, weights = peer(tol)
            if objective(x, y, weights) <= target:
                break
        best = ours.seconds("dual_ascent", "gap")
        for _ in range(options.rounds - 1):
            best = min(best, ours.seconds("dual_ascent", "gap"))
            theirs = min(theirs, peer(tol)[0])
    ratio = theirs / best
    print(f"{'hinge ' + name:32} {best:9.3f} {theirs:9.3f} {ratio:7.2f} {GOAL:5}  "
          f"{'ok' if ratio >= GOAL else 'MISSED'}   (tol {tol:g})", flush=True)


def main():
    warnings.filterwarnings("ignore")
    options = options_of(__doc__)
    print(f"{'seconds':32} {'ours':>9} {'liblinear':>9} {'ratio':>7} {'goal':>5}")
    for name, load in cases(options.folder).items():
        if options.only in name:
            compare(name, *load(), options)


if __name__ == "__main__":
    main()
