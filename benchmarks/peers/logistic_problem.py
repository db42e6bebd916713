# SPDX-License-Identifier: Apache-2.0
"""Multinomial logistic regression as both comparisons with scikit-learn use it: the data, the objective, the goals."""

GOAL = 3
CLOSE = 1e-6
SLACK = 1e-7  # scikit-learn may miss the target by this much: its single precision sometimes ends there


def dense_case():
    import numpy

    random = numpy.random.default_rng(0)
    x = (random.random((20000, 784)) * (random.random((20000, 784)) < 0.2)).astype(numpy.float32)
    scores = 0.5 * x @ random.normal(size=(784, 10)) + random.gumbel(size=(20000, 10))
    return x, scores.argmax(1)


def sparse_case(folder, name):
    import numpy
    from sklearn.datasets import load_svmlight_file

    path = folder / "sparse_multilabel" / name / f"{name}-train.svm.gz"
    x, labels = load_svmlight_file(str(path), multilabel=True, dtype=numpy.float32)
    x.sort_indices()
    return x, numpy.unique([int(row[0]) for row in labels], return_inverse=True)[1]


def objective(x, y, model):
    import numpy
    from scipy.special import logsumexp

    weights = model.coef_.astype(numpy.float64)
    scores = numpy.asarray(x.astype(numpy.float64) @ weights.T) + model.intercept_
    losses = logsumexp(scores, axis=1) - scores[numpy.arange(len(y)), y]
    return losses.sum() + 0.5 * (weights**2).sum()
