#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The sparsemax loss beside L-BFGS in NumPy as the authors of the paper train it, lambda = 1, no intercept.

usage: sparsemax.py PATH_TO_fenchel_bench_dual FOLDER_OF_DATA [--authors FOLDER] [--threads N] [--rounds N] [--wall]
                    [--only TEXT]

With --authors, the FYClassifier of the fyl_sklearn.py in that folder; else the same algorithm rewritten: SciPy's
L-BFGS on the mean loss, the projection of all rows by sorting. It stops by SciPy's defaults, or after the fewest of 25,
50, 100, ... iterations that lead to an objective within 1e-6 of the optimum; ours (dual ascent, and L-BFGS) is timed to
an objective no larger than that within 1e-6, or than what the peer's defaults end with if they stop short of it. Printed:
processor seconds (wall-clock seconds with --wall) and the ratio beside its goal.
"""
import sys
import tempfile
import time

from hinge import CLOSE, Ours, cases, options_of

GOAL = 50


def project(scores):
    """The rows of `scores` projected onto the simplex."""
    import numpy

    ranked = -numpy.sort(-scores, axis=1)
    excess = numpy.cumsum(ranked, axis=1) - 1
    counts = numpy.arange(1, scores.shape[1] + 1)
    support = (ranked * counts > excess).sum(axis=1)
    threshold = excess[numpy.arange(len(scores)), support - 1] / support
    return numpy.maximum(scores - threshold[:, None], 0)


def loss_and_gradient(x, y, weights):
    """The sum of the losses, and its gradient."""
    import numpy

    rows = numpy.arange(len(y))
    scores = numpy.asarray(x @ weights.T)
    p = project(scores)
    losses = (scores * p).sum(1) - 0.5 * (p**2).sum(1) + 0.5 - scores[rows, y]
    p[rows, y] -= 1
    return losses.sum(), numpy.asarray((x.T @ p).T)


def objective(x, y, weights):
    return loss_and_gradient(x, y, weights)[0] + 0.5 * (weights**2).sum()


def fit_in_numpy(x, y, iterations):
    import numpy
    from scipy.optimize import fmin_l_bfgs_b

    n, shape = len(y), (int(y.max()) + 1, x.shape[1])

    def function(coefficients):
        weights = coefficients.reshape(shape)
        loss, gradient = loss_and_gradient(x, y, weights)
        return (loss + 0.5 * (weights**2).sum()) / n, ((gradient + weights) / n).ravel()

    return fmin_l_bfgs_b(function, numpy.zeros(shape[0] * shape[1]), maxiter=iterations)[0].reshape(shape)


def fit_by_authors(x, y, iterations):
    from fyl_sklearn import FYClassifier

    model = FYClassifier(loss="sparsemax", alpha=1 / len(y), fit_intercept=False, max_iter=iterations)
    return model.fit(x, y).coef_


def compare(name, x, y, options):
    clock = time.perf_counter if options.wall else time.process_time
    wide = x.astype("float64")
    fit = fit_by_authors if options.authors else fit_in_numpy

    def peer(iterations):
        start = clock()
        weights = fit(wide, y, iterations)
        return clock() - start, objective(wide, y, weights)

    with tempfile.TemporaryDirectory(prefix="fenchel-sparsemax-") as folder:
        ours = Ours(options, folder, x, y, ["tsallis:alpha=2", "none"])
        target = ours.run("dual_ascent", "0")["objective"] * (1 + CLOSE)
        reached, last = float("inf"), float("inf")
        for iterations in (25 * 2**k for k in range(12)):
            theirs, reached = peer(iterations)
            if reached <= target or reached == last:
                break
            last = reached
        target = max(target, reached)
        times = {solver: ours.seconds(solver, repr(float(target))) for solver in ("dual_ascent", "lbfgs")}
        for _ in range(options.rounds - 1):
            times = {solver: min(best, ours.seconds(solver, repr(float(target)))) for solver, best in times.items()}
            theirs = min(theirs, peer(iterations)[0])
    solver, best = min(times.items(), key=lambda item: item[1])
    ratio = theirs / best
    print(f"{'sparsemax ' + name:32} {best:9.4f} {theirs:9.3f} {ratio:7.2f} {GOAL:5}  "
          f"{'ok' if ratio >= GOAL else 'MISSED'}   ({solver}; ours "
          + ", ".join(f"{key} {value:.4f}" for key, value in times.items())
          + f"; {iterations} iterations of the peer)", flush=True)


def main():
    options = options_of(__doc__)
    if options.authors:
        sys.path.insert(0, options.authors)
    print(f"{'seconds':32} {'ours':>9} {'numpy':>9} {'ratio':>7} {'goal':>5}")
    for name, load in cases(options.folder).items():
        if options.only in name:
            compare(name, *load(), options)


if __name__ == "__main__":
    main()
