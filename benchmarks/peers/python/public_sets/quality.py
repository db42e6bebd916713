# SPDX-License-Identifier: Apache-2.0
"""The quality of anybody's answers, by scikit-learn, SciPy and plain lines: the same code for every program."""
import pathlib
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "training"))
from crf import chunk_f1  # noqa: E402


def quality(one, answers):
    """Of the answers for the test rows of a set, in the form that one.y_test has."""
    return MEASURES[one.metric](one, answers)


def accuracy(one, answers):
    truth = one.y_test
    if one.task == "tagging":
        truth, answers = flat(truth), flat(answers)
    return float(numpy.mean(numpy.asarray(truth, dtype=str) == numpy.asarray(answers, dtype=str)))


def flat(sentences):
    return [tag for sentence in sentences for tag in sentence]


def micro_f1(one, answers):
    from sklearn.metrics import f1_score

    return float(f1_score(one.y_test, answers, average="micro", zero_division=0))


def r_squared(one, answers):
    from sklearn.metrics import r2_score

    return float(r2_score(one.y_test, answers))


def ndcg_10(one, answers):
    """Gains 2^relevance − 1; queries without a relevant document have no value and are left out."""
    from sklearn.metrics import ndcg_score

    values, first = [], 0
    for count in one.test_queries:
        rows = slice(first, first + count)
        gains = 2.0 ** one.y_test[rows] - 1
        if gains.any() and count > 1:
            values.append(ndcg_score([gains], [numpy.asarray(answers)[rows]], k=10))
        elif gains.any():
            values.append(1.0)
        first += count
    return float(numpy.mean(values))


def kendall(one, answers):
    """The mean of τ_b over the rows."""
    from scipy.stats import kendalltau

    return float(numpy.mean([kendalltau(truth, places).statistic for truth, places in zip(one.y_test, answers)]))


def f1_of_chunks(one, answers):
    truth = [[("", "", tag) for tag in sentence] for sentence in one.y_test]
    return chunk_f1(truth, answers) / 100


#: By the name in the table.
MEASURES = {"accuracy": accuracy, "micro F1": micro_f1, "R²": r_squared, "NDCG@10": ndcg_10, "Kendall's τ": kendall,
            "chunk F1": f1_of_chunks}
#: What `fenchel evaluate --json` calls them.
KEYS = {"accuracy": "accuracy", "micro F1": "f1_micro", "R²": "r_squared", "NDCG@10": "ndcg_10", "Kendall's τ": "kendall_tau",
        "chunk F1": "chunk_f1"}
