#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernel models beside LIBSVM (scikit-learn's SVC): Gaussian kernel with gamma = 1/(features × variance), C = 1 and 100.

usage: kernels.py FOLDER_OF_DATA [--rounds N] [--wall] [--only TEXT]

Both at their default tolerances, on one thread. LIBSVM trains a machine for each pair of classes and we one for all
of them, so that the objectives differ: the accuracy on held-out rows is printed beside the processor seconds
(wall-clock seconds with --wall) of `fit`, the best of alternating rounds. FOLDER_OF_DATA has libsvm/.
"""
import argparse
import os
import pathlib
import time
import warnings

GOAL = 0.5
LOSSES = ("hinge", "sparsemax", "logistic")


def cases(folder):
    """Names, and what loads rows and labels to train on and to test with."""
    from sklearn.datasets import load_svmlight_file

    def letters(most):
        x, y = load_svmlight_file(str(folder / "libsvm" / "letter.scale.svm.gz"))
        x, y = x[y <= most].toarray(), y[y <= most]
        third = len(y) // 3
        return x[third:], y[third:], x[:third], y[:third]

    def dna():
        x, y = load_svmlight_file(str(folder / "libsvm" / "dna.scale"), n_features=180)
        test, truth = load_svmlight_file(str(folder / "libsvm" / "dna.scale.t"), n_features=180)
        return x.toarray(), y, test.toarray(), truth

    return {"letters A to J": lambda: letters(10), "letters A to Z": lambda: letters(26), "dna": dna}


class Timed:
    """One side: its best time, and the accuracy of its model."""

    def __init__(self, make, clock):
        self.make, self.clock, self.seconds = make, clock, float("inf")

    def run(self, x, y, test, truth):
        model = self.make()
        start = self.clock()
        model.fit(x, y)
        self.seconds = min(self.seconds, self.clock() - start)
        self.accuracy = model.score(test, truth)


def compare(name, data, c, options):
    from fenchel.sklearn import FenchelYoungClassifier
    from sklearn.svm import SVC

    clock = time.perf_counter if options.wall else time.process_time
    gamma = 1 / (data[0].shape[1] * data[0].var())
    peer = Timed(lambda: SVC(C=c, gamma=gamma, cache_size=1000), clock)
    ours = {loss: Timed(lambda loss=loss: FenchelYoungClassifier(loss, kernel=f"rbf:gamma={gamma}", reg_lambda=1 / c,
                                                                  n_jobs=1), clock) for loss in LOSSES}
    for _ in range(options.rounds):
        for side in (peer, *ours.values()):
            side.run(*data)
    for loss, side in ours.items():
        ratio = peer.seconds / side.seconds
        verdict = ("ok" if ratio >= GOAL else "MISSED") if loss == "hinge" else ""
        print(f"{f'{name}, C = {c:g}, {loss}':36} {side.seconds:9.3f} {peer.seconds:9.3f} {ratio:7.2f} "
              f"{GOAL if verdict else '':>5} {verdict:7} {side.accuracy:9.4f} {peer.accuracy:9.4f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--wall", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = "1"
    warnings.filterwarnings("ignore")
    print(f"{'seconds':36} {'ours':>9} {'libsvm':>9} {'ratio':>7} {'goal':>5} {'':7} {'accuracy':>9} {'libsvm':>9}")
    for name, load in cases(options.folder).items():
        if options.only in name:
            for c in (1, 100):
                compare(name, load(), c, options)


if __name__ == "__main__":
    main()
