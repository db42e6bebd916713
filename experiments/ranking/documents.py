# SPDX-License-Identifier: Apache-2.0
"""Documents of queries (MQ2008, fold 1): NDCG@10 on the test file, with λ chosen on the validation file."""
import concurrent.futures
import gzip
import os
import pathlib
import tempfile

import numpy as np

from .. import data, tool
from .choices import OMEGAS, loss, name

FILES = {part: f"rank/mq2008_fold1/{part}.txt.gz" for part in ("train", "vali", "test")}
BM25 = 25  # LETOR's feature of the whole document
REFERENCES = {
    "random": "documents in random order (the mean over all orders)",
    "bm25": "documents in the order of one feature, BM25 of the whole document",
    "regression": "a least-squares regression of the relevance of a document, whatever its query",
}


def arguments(train, omega, w, penalty):
    """What the tool is asked for one λ."""
    vali, test = (data.path(FILES[part]) for part in ("vali", "test"))
    penalties = [] if penalty is None else ["--lambda", penalty]
    return ["train", train, *loss(omega, w), *penalties, "--valid", vali, "--test", test]


def ndcg(relevance, scores, k=10):
    """NDCG@k as the tool computes it: equal scores share their places; None where no document is relevant."""
    gains = 2.0**relevance - 1
    discounts = 1 / np.log2(np.arange(2, len(gains) + 2))
    discounts[k:] = 0
    best = np.sort(gains)[::-1] @ discounts
    places = np.unique(-scores, return_inverse=True)[1]
    shares = np.bincount(np.sort(places), discounts) / np.bincount(places)
    return gains @ shares[places] / best if best > 0 else None


class Part:
    """The relevances, queries and BM25 of a file."""

    def __init__(self, part):
        self.path = data.path(FILES[part])
        with gzip.open(self.path, "rt", encoding="utf-8") as lines:
            words = [line.split(None, BM25 + 2) for line in lines]
        self.relevance = np.array([float(word[0]) for word in words])
        self.bm25 = np.array([float(word[BM25 + 1].split(":")[1]) for word in words])
        queries = np.array([word[1] for word in words])
        self.queries = np.split(np.arange(len(words)), np.flatnonzero(queries[1:] != queries[:-1]) + 1)

    def ndcg(self, scores):
        """The mean of NDCG@10 over the queries that have a relevant document."""
        values = [ndcg(self.relevance[query], scores[query]) for query in self.queries]
        return float(np.mean([value for value in values if value is not None]))


def _write_start(path, queries):
    """The first queries of the training file."""
    with gzip.open(data.path(FILES["train"]), "rt", encoding="utf-8") as lines, path.open("w", encoding="utf-8") as out:
        seen = []
        for line in lines:
            query = line.split(None, 2)[1]
            seen += [] if seen and seen[-1] == query else [query]
            if len(seen) > queries:
                return
            out.write(line)


def _best(train, omega, w, penalties):
    """The fit whose λ is best on the validation file."""
    fits = []
    for penalty in penalties if omega != "map" else [None]:
        fit = tool.run_json(*arguments(train, omega, w, penalty))
        fits.append({"lambda": penalty, "valid": round(fit["valid"]["ndcg_10"], 6), "ndcg_10": round(fit["test"]["ndcg_10"], 6)})
    return max(fits, key=lambda fit: fit["valid"])


def _regression(train, vali, test, penalties, model):
    """NDCG@10 of a regression on relevances, with the λ that is best on the validation file."""
    results = []
    for penalty in penalties:
        tool.run("train", train, "--task", "regression", "--lambda", penalty, "--tolerance", 1e-6, "--threads", 1,
                 "--model", model)
        predicted = [np.array(tool.run("predict", model, part.path).split(), dtype=float) for part in (vali, test)]
        results.append((vali.ndcg(predicted[0]), test.ndcg(predicted[1])))
    return max(results)[1]


def compare(queries, presets, penalties):
    """For each Ω and w the fit chosen, and NDCG@10 of the references. `queries` of None are all of the training file."""
    vali, test = Part("vali"), Part("test")
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        train, model = data.path(FILES["train"]), pathlib.Path(temporary) / "regression.safetensors"
        if queries:
            train = pathlib.Path(temporary) / "train.txt"
            _write_start(train, queries)
        fits = {name(omega, w): workers.submit(_best, train, omega, w, penalties) for omega in OMEGAS for w in presets}
        regression = workers.submit(_regression, train, vali, test, penalties, model)
        references = {"random": test.ndcg(np.zeros(len(test.relevance))), "bm25": test.ndcg(test.bm25),
                      "regression": regression.result()}
        scores = {row: future.result() for row, future in fits.items()}
    scores.update({row: {"ndcg_10": round(value, 6)} for row, value in references.items()})
    return {"queries": len(test.queries), "relevant": int(sum(test.relevance[query].any() for query in test.queries)),
            "scores": scores}
