# SPDX-License-Identifier: Apache-2.0
"""Every regularizer, with the parameters it has in C++ (docs/regularizers.md has the formulas)."""
from __future__ import annotations

from typing import Any

from ._base import Polytope, Regularizer

__all__ = ["Argmax", "Conic", "Entropic", "Map", "Marginal", "MaximumEntropy", "Norm", "OneVsAll", "PairwiseHinge",
           "PairwiseSmoothedHinge", "PairwiseSquaredHinge", "Poisson", "Relu", "Renyi", "Shannon", "Sigmoid", "SparseMap",
           "SparseSigmoid", "Squared", "SquaredNorm", "StructuredSparsemax", "Tsallis", "TsallisSigmoid"]


class Squared(Regularizer):
    """½‖μ‖² on R^d: squared loss."""

    def __init__(self, **common: Any):
        super().__init__("squared", **common)


class Argmax(Regularizer):
    """Ω = 0 on the simplex: argmax, the perceptron loss; with a cost the hinge loss (paper Table 1)."""

    def __init__(self, **common: Any):
        super().__init__("argmax", **common)


class Shannon(Regularizer):
    """Negative Shannon entropy: softmax, logistic loss (paper §4.3)."""

    def __init__(self, **common: Any):
        super().__init__("shannon", **common)


class Tsallis(Regularizer):
    """Negative Tsallis entropy of order alpha > 0: α-entmax; 1 is softmax, 2 sparsemax (paper §4.3)."""

    def __init__(self, alpha: float = 1.5, **common: Any):
        super().__init__("tsallis", alpha=alpha, **common)


class Norm(Regularizer):
    """‖p‖_q − 1 on the simplex, q > 1 or inf (paper §4.3)."""

    def __init__(self, q: float = 2, **common: Any):
        super().__init__("norm", q=q, **common)


class SquaredNorm(Regularizer):
    """½‖p‖_q² on the simplex, q in (1, 2]; 2 is sparsemax (paper §4.3)."""

    def __init__(self, q: float = 1.5, **common: Any):
        super().__init__("squared_norm", q=q, **common)


class Renyi(Regularizer):
    """Negative Rényi entropy of order beta ≥ 0 or inf; 1 is softmax (paper §4.3)."""

    def __init__(self, beta: float = 0.5, **common: Any):
        super().__init__("renyi", beta=beta, **common)


class PairwiseHinge(Regularizer):
    """The pairwise hinge loss, Fenchel-Youngized (paper appendix A.2)."""

    def __init__(self, costs: Any = None, **common: Any):
        super().__init__("pairwise_hinge", costs=costs, **common)


class PairwiseSmoothedHinge(Regularizer):
    """The pairwise smoothed hinge loss, Fenchel-Youngized."""

    def __init__(self, costs: Any = None, **common: Any):
        super().__init__("pairwise_smoothed_hinge", costs=costs, **common)


class PairwiseSquaredHinge(Regularizer):
    """The pairwise squared hinge loss, Fenchel-Youngized."""

    def __init__(self, costs: Any = None, **common: Any):
        super().__init__("pairwise_squared_hinge", costs=costs, **common)


class Relu(Regularizer):
    """½‖μ‖² on the non-negative orthant (paper §6.2)."""

    def __init__(self, **common: Any):
        super().__init__("relu", **common)


class Poisson(Regularizer):
    """Σ μ log μ − μ on the non-negative orthant: Poisson regression (paper §6.2)."""

    def __init__(self, **common: Any):
        super().__init__("poisson", **common)


class Sigmoid(Regularizer):
    """Σ of two-class Shannon entropies on the cube: one-vs-all logistic loss (paper §6.1)."""

    def __init__(self, **common: Any):
        super().__init__("sigmoid", **common)


class SparseSigmoid(Regularizer):
    """Σ of two-class Gini entropies on the cube: one-vs-all modified Huber loss (paper §6.1)."""

    def __init__(self, **common: Any):
        super().__init__("sparse_sigmoid", **common)


class TsallisSigmoid(Regularizer):
    """Σ of two-class Tsallis entropies on the cube (paper §6.1)."""

    def __init__(self, alpha: float = 1.5, **common: Any):
        super().__init__("tsallis_sigmoid", alpha=alpha, **common)


class OneVsAll(Regularizer):
    """Σ of two-class versions of an entropy on the cube (paper §6.1)."""

    def __init__(self, entropy: Regularizer, **common: Any):
        super().__init__("one_vs_all", entropy=entropy, **common)


class Map(Regularizer):
    """Ω = 0 on conv(Y): the best structure, structured perceptron; with a cost the structured hinge (paper §7)."""

    def __init__(self, polytope: Polytope, **common: Any):
        super().__init__("map", polytope=polytope, **common)


class Marginal(Regularizer):
    """The entropy of the Gibbs distribution over Y: marginals, conditional random fields (paper §7.1)."""

    def __init__(self, polytope: Polytope, **common: Any):
        super().__init__("marginal", polytope=polytope, **common)


class SparseMap(Regularizer):
    """½‖μ‖² on conv(Y): SparseMAP (paper §7.2)."""

    def __init__(self, polytope: Polytope, **common: Any):
        super().__init__("sparsemap", polytope=polytope, **common)


class Entropic(Regularizer):
    """Σ μ log μ on conv(Y): mean regularization by Shannon's entropy (paper §7.2)."""

    def __init__(self, polytope: Polytope, **common: Any):
        super().__init__("entropic", polytope=polytope, **common)


class StructuredSparsemax(Regularizer):
    """½‖p‖² over distributions on Y: structured sparsemax."""

    def __init__(self, polytope: Polytope, k: int = 0, k_max: int = 4096, **common: Any):
        super().__init__("structured_sparsemax", polytope=polytope, k=k, k_max=k_max, **common)


class MaximumEntropy(Regularizer):
    """Any entropy of distributions on Y, over listed structures (paper §7.1)."""

    def __init__(self, polytope: Polytope, entropy: Regularizer, limit: int = 100000, **common: Any):
        super().__init__("maximum_entropy", polytope=polytope, entropy=entropy, limit=limit, **common)


class Conic(Regularizer):
    """½‖μ‖² on the cone over Y."""

    def __init__(self, polytope: Polytope, **common: Any):
        super().__init__("conic", polytope=polytope, **common)
