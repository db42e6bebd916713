# SPDX-License-Identifier: Apache-2.0
"""Orders of the documents of queries: Ω over the permutahedron of each query (paper §7.3)."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np
from sklearn.utils.validation import check_array, check_consistent_length

from .. import _core
from ._linear import LinearEstimator
from ._training import keeps_the_model, threads


class DocumentRanker(LinearEstimator):
    __doc__ = """An order of the documents of each query, from features of documents.

    omega is "sparsemap" (SparseMAP over the permutahedron), "entropic", "hinge", "perceptron" or "squared"; it may say
    what places are worth: "entropic:w=top1" is ListNet's loss, "sparsemap:w=partial,k=3" cares for three places, with w one
    of top1, k-subsets, full, partial, ranking. The other parameters are those of FenchelYoungClassifier; there is no
    intercept, which would move all documents of a query alike, no kernel and no certificate.

    Attributes
    ----------
    coef_, intercept_ : W (n_features,) of features as they come, and what makes up for their means if they are scaled.
    model_ : the model of C++.
    n_iter_, objective_, dual_gap_, solver_, remarks_ : how training went; dual_gap_ is None where no bound is known.
    """
    _task = "ranking"

    def __init__(self, omega: Any = None, *, penalty: Optional[str] = None, reg_lambda: float = 1.0, rho: float = 1.0,
                 scale: Optional[str] = None, solver: str = "auto", tol: float = 1e-6, max_iter: int = 1000,
                 warm_start: bool = False, n_jobs: Optional[int] = None, random_state: Any = None, verbose: int = 0):
        super().__init__(omega, penalty=penalty, reg_lambda=reg_lambda, rho=rho, fit_intercept=False, scale=scale, solver=solver,
                         tol=tol, max_iter=max_iter, warm_start=warm_start, n_jobs=n_jobs, random_state=random_state,
                         verbose=verbose)

    @keeps_the_model
    def fit(self, X: Any, y: Any, qid: Any) -> DocumentRanker:
        """Trains on documents X with relevance y, the larger the better; rows of one `qid` are documents of one query."""
        X, y = self._check_x(X, y, y_numeric=True)
        order, offsets = _grouped(qid, X)
        relevance = np.ascontiguousarray(y[order], dtype=np.float64)
        self._fit_targets(X[order], _core.Targets.queries(relevance, offsets), None)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """θ = W x of each document: the larger, the nearer to the top of its query."""
        return self._shown_scores(X)[:, 0]

    def transform_queries(self, X: Any, qid: Any) -> np.ndarray:
        """ŷ_Ω(θ) of each document: what its place among the documents of its query is worth."""
        theta = self._scores(X)
        order, offsets = _grouped(qid, X)
        found = np.empty(len(theta))
        found[order] = self.model_.outputs(np.ascontiguousarray(theta[order]), threads(self.n_jobs), offsets)[:, 0]
        return found

    def score(self, X: Any, y: Any, qid: Any) -> float:
        """The mean over queries of the normalised discounted gain of their first ten places."""
        theta = self._scores(X)
        y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        check_consistent_length(X, y)
        order, offsets = _grouped(qid, X)
        relevance = np.ascontiguousarray(y[order])
        scores = np.ascontiguousarray(theta[order])
        targets = _core.Targets.queries(relevance, offsets)
        return targets.evaluate(self.model_.outputs(scores, threads(self.n_jobs), offsets), scores)["ndcg_10"]

    def verify(self, *_: Any, **__: Any) -> dict:
        """Not available: rankings of documents have no certificates."""
        raise NotImplementedError("rankings of documents have no certificates; classifiers, proportions, sets of labels and "
                                  "numbers have")

    def _shaped(self, weights: np.ndarray, intercepts: np.ndarray) -> tuple[Any, Any]:
        return weights[0], float(intercepts[0])

    def _outputs(self) -> int:
        return 1


def _grouped(qid: Any, X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Rows with those of one query together, queries as they first appear; where each query begins, and the end."""
    if qid is None:
        raise ValueError("qid is None; expected the query of each row of X")
    given = np.asarray(qid)
    if given.ndim != 1:
        raise ValueError(f"qid has shape {given.shape}; expected one query for each row of X")
    check_consistent_length(X, given)
    _, first, numbers = np.unique(given, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))[numbers.reshape(-1)]
    return np.argsort(rank, kind="stable"), np.concatenate([[0], np.cumsum(np.bincount(rank))]).astype(np.int64)
