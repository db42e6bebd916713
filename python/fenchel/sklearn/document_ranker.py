# SPDX-License-Identifier: Apache-2.0
"""Orders of the documents of queries: Ω over the permutahedron of each query (paper §7.3)."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
from sklearn.utils.validation import check_array, check_consistent_length

from .. import _core
from ._linear import LinearEstimator
from ._training import keeps_the_model, threads

if TYPE_CHECKING:
    from .._types import OmegaLike


class DocumentRanker(LinearEstimator):
    """An order of the documents of each query, from features of documents: Ω over the permutahedron of each
    query (paper §7.3).

    omega is "sparsemap" (SparseMAP over the permutahedron), "entropic", "hinge", "perceptron" or "squared";
    it may say what places are worth: "entropic:w=top1" is ListNet's loss, "sparsemap:w=partial,k=3" cares for
    three places, with w one of top1, k-subsets, full, partial, ranking. There is no intercept, which would
    move all documents of a query alike, no kernel and no certificate. What it shows can be pasted back after
    `from fenchel import *`; long parameters are cut, as scikit-learn does.

    Parameters
    ----------
    omega : Regularizer, str or dict, optional
        The regularizer Ω or a loss: an object (`fenchel.Tsallis(alpha=1.5)`), a text (`"tsallis:alpha=1.5"`,
        `"sparsemax"`, `"hinge"`) or a dictionary. None: logistic for classes and sets, squared for numbers,
        sparsemap for orders.
    penalty : str, optional
        G: "l2", "l1", "elastic_net", "group_lasso" or "none". None: l2, but none for perceptrons.
    reg_lambda : float
        λ, the strength of the penalty of the sum of losses; scikit-learn's C is 1/λ, for its logistic
        regression of two classes 2/λ.
    rho : float
        Of elastic_net: (λ/2)‖W‖² + λρ‖W‖₁.
    scale : str, optional
        Of features, kept with the model: "standard", "maxabs" or None.
    solver : str or dict
        "auto", or one of docs/training.md such as "lbfgs" or "saga", with parameters as in "lbfgs:memory=20".
    tol : float, optional
        Training ends where the residual of the solver, the duality gap over the objective where it is known,
        is no larger. None: 1e-6, or a gap of 1e-4 of the losses at scores of 0, from where on
        predictions hardly change, whichever comes first.
    max_iter : int
        Iterations, or passes over the data; with 0 the model is the one to start from.
    warm_start : bool
        Go on from the weights of the last fit.
    n_jobs : int, optional
        Threads; None: one, −1: all processors. Results have the same bits for any number.
    random_state : int or RandomState, optional
        Of solvers that take examples at random. None is 0: the same result each time.
    verbose : int
        1: progress on the standard error stream, a line per second.

    Attributes
    ----------
    coef_, intercept_ : ndarray, float
        W (n_features,) of features as they come, read-only, and what makes up for their means if they are
        scaled.
    model_
        The model of C++.
    n_iter_, objective_, dual_gap_, solver_, remarks_
        How training went: iterations, the objective, its distance to the optimum at most (None where no bound
        is known), the solver, and the choices made, in words.

    Examples
    --------
    >>> from fenchel.sklearn import DocumentRanker
    >>> X, y, qid = [[0.0], [1.0], [0.5], [2.0]], [0, 1, 0, 2], ["a", "a", "b", "b"]
    >>> (DocumentRanker(reg_lambda=0.1).fit(X, y, qid).predict([[1.0], [3.0]]).argsort()[::-1]).tolist()  # the best first
    [1, 0]

    See Also
    --------
    LabelRanker
    """

    _task = "ranking"

    def __init__(self, omega: Optional[OmegaLike] = None, *, penalty: Optional[str] = None, reg_lambda: float = 1.0,
                 rho: float = 1.0, scale: Optional[str] = None, solver: Union[str, dict] = "auto", tol: Optional[float] = None,
                 max_iter: int = 1000, warm_start: bool = False, n_jobs: Optional[int] = None,
                 random_state: Union[int, np.random.RandomState, None] = None, verbose: int = 0):
        super().__init__(omega, penalty=penalty, reg_lambda=reg_lambda, rho=rho, fit_intercept=False, scale=scale, solver=solver,
                         tol=tol, max_iter=max_iter, warm_start=warm_start, n_jobs=n_jobs, random_state=random_state,
                         verbose=verbose)

    @keeps_the_model
    def fit(self, X: Any, y: Any, qid: Any) -> DocumentRanker:
        """Trains on documents and how relevant they are to their queries.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.
        y : array_like [n_samples]
            Relevance, the larger the better.
        qid : array_like [n_samples]
            The query of each row: rows of one are its documents.

        Returns
        -------
        DocumentRanker
            The estimator itself, fitted.
        """
        X, y = self._check_x(X, y, y_numeric=True)
        order, offsets = _grouped(qid, X)
        relevance = np.ascontiguousarray(y[order], dtype=np.float64)
        self._fit_targets(X[order], _core.Targets.queries(relevance, offsets), None)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """θ = W x of each document: the larger, the nearer to the top of its query.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.

        Returns
        -------
        ndarray [n_samples]
            Scores.
        """
        return self._shown_scores(X)[:, 0]

    def transform_queries(self, X: Any, qid: Any) -> np.ndarray:
        """ŷ_Ω(θ) of each document: what its place among the documents of its query is worth.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.
        qid : array_like [n_samples]
            The query of each row: rows of one are its documents.

        Returns
        -------
        ndarray [n_samples]
            Numbers.
        """
        theta = self._scores(X)
        order, offsets = _grouped(qid, X)
        found = np.empty(len(theta))
        found[order] = self.model_.outputs(np.ascontiguousarray(theta[order]), threads(self.n_jobs), offsets)[:, 0]
        return found

    def score(self, X: Any, y: Any, qid: Any) -> float:
        """The mean over queries of the normalised discounted gain of their first ten places.

        Parameters
        ----------
        X : array_like or sparse [n_samples, n_features]
            Features.
        y : array_like [n_samples]
            Relevance, the larger the better.
        qid : array_like [n_samples]
            The query of each row: rows of one are its documents.

        Returns
        -------
        float
            NDCG@10.
        """
        theta = self._scores(X)
        y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        check_consistent_length(X, y)
        order, offsets = _grouped(qid, X)
        relevance = np.ascontiguousarray(y[order])
        scores = np.ascontiguousarray(theta[order])
        targets = _core.Targets.queries(relevance, offsets)
        return targets.evaluate(self.model_.outputs(scores, threads(self.n_jobs), offsets), scores)["ndcg_10"]

    def verify(self, *_: Any, **__: Any) -> dict:
        """Not available: rankings of documents have no certificates.

        Raises
        ------
        NotImplementedError
            Always.
        """
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
