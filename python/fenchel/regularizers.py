# SPDX-License-Identifier: Apache-2.0
"""Every regularizer Ω, with the parameters it has in C++.

Written by scripts/generate from the list of C++: edit that.
"""
from __future__ import annotations

from typing import Any

from ._base import Polytope, Regularizer

__all__ = ["Argmax", "Bregman", "Conic", "Entropic", "Map", "Marginal", "MaximumEntropy", "Norm", "OneVsAll",
           "PairwiseHinge", "PairwiseSmoothedHinge", "PairwiseSquaredHinge", "Poisson", "Relu", "Renyi", "Shannon",
           "Sigmoid", "SmoothedPaths", "SparseMap", "SparseSigmoid", "Squared", "SquaredNorm", "StructuredSparsemax",
           "Tsallis", "TsallisSigmoid"]


class Squared(Regularizer):
    """Ω = ½‖μ‖² on R^d: identity.

    Its loss: squared. Paper: Table 1; §3.2.
    """

    def __init__(self, **common: Any):
        super().__init__("squared", **common)


class Argmax(Regularizer):
    """Ω = 0 on the simplex: argmax.

    Its loss: perceptron; hinge with cost. Paper: Table 1; §2.2.
    """

    def __init__(self, **common: Any):
        super().__init__("argmax", **common)


class Shannon(Regularizer):
    """Ω = Σ p log p on the simplex: softmax.

    Its loss: logistic (cross-entropy). Paper: Table 1; §4.3.
    """

    def __init__(self, **common: Any):
        super().__init__("shannon", **common)


class Tsallis(Regularizer):
    """Ω = Σ (p^α − p)/(α(α−1)) on the simplex: α-entmax.

    Its loss: entmax; α=1 logistic, α=2 sparsemax. Paper: §4.3; §8.3.

    alpha: order of the entropy, > 0 or inf; 1 is softmax, 2 sparsemax
    """

    def __init__(self, alpha: float = 1.5, **common: Any):
        super().__init__("tsallis", alpha=alpha, **common)


class Norm(Regularizer):
    """Ω = ‖p‖_q − 1 on the simplex: normmax.

    Its loss: norm entropy. Paper: §4.3; §5.

    q: order of the norm, > 1 or inf
    """

    def __init__(self, q: float = 2, **common: Any):
        super().__init__("norm", q=q, **common)


class SquaredNorm(Regularizer):
    """Ω = ½‖p‖²_q − ½ on the simplex: squared normmax.

    Its loss: squared norm entropy; q=2 sparsemax. Paper: §4.3.

    q: order of the norm, in (1, 2]; 2 is sparsemax
    """

    def __init__(self, q: float = 1.5, **common: Any):
        super().__init__("squared_norm", q=q, **common)


class Renyi(Regularizer):
    """Ω = log(Σ p^β)/(β−1) on the simplex: Rényi argmax.

    Its loss: Rényi; β=1 logistic. Paper: §4.3.

    beta: order of the entropy, >= 0 or inf; 1 is softmax
    """

    def __init__(self, beta: float = 0.5, **common: Any):
        super().__init__("renyi", beta=beta, **common)


class PairwiseHinge(Regularizer):
    """Ω = −d·min_j(1−p_j) on the simplex: uniform over the top.

    Its loss: pairwise hinge, Fenchel-Youngized. Paper: Proposition 10; appendix B.9.

    costs: d rows of d costs >= 0; default 0/1
    """

    def __init__(self, costs: Any = None, **common: Any):
        super().__init__("pairwise_hinge", costs=costs, **common)


class PairwiseSmoothedHinge(Regularizer):
    """Ω = (t²/2) Σ 1/(1−p_j) − t·d, t = min_j(1−p_j) on the simplex.

    Its loss: pairwise smoothed hinge, Fenchel-Youngized. Paper: Proposition 10; appendix B.9.

    costs: d rows of d costs >= 0; default 0/1
    """

    def __init__(self, costs: Any = None, **common: Any):
        super().__init__("pairwise_smoothed_hinge", costs=costs, **common)


class PairwiseSquaredHinge(Regularizer):
    """Ω = −(d²/2)/Σ 1/(1−p_j) on the simplex.

    Its loss: pairwise squared hinge, Fenchel-Youngized. Paper: Proposition 10; appendix B.9.

    costs: d rows of d costs >= 0; default 0/1
    """

    def __init__(self, costs: Any = None, **common: Any):
        super().__init__("pairwise_squared_hinge", costs=costs, **common)


class Relu(Regularizer):
    """Ω = ½‖m‖² on the cone: relu.

    Its loss: non-negative squared. Paper: §6.2.
    """

    def __init__(self, **common: Any):
        super().__init__("relu", **common)


class Poisson(Regularizer):
    """Ω = Σ m log m − m on the cone: exp.

    Its loss: Poisson (generalized KL). Paper: §3.2; §6.
    """

    def __init__(self, **common: Any):
        super().__init__("poisson", **common)


class Sigmoid(Regularizer):
    """Ω = Σ p log p + (1−p) log(1−p) on the cube: sigmoid.

    Its loss: one-vs-all logistic. Paper: §2.2; §6.2.
    """

    def __init__(self, **common: Any):
        super().__init__("sigmoid", **common)


class SparseSigmoid(Regularizer):
    """Ω = Σ p² − p on the cube: sparse sigmoid.

    Its loss: one-vs-all modified Huber. Paper: §4.4; §6.2.
    """

    def __init__(self, **common: Any):
        super().__init__("sparse_sigmoid", **common)


class TsallisSigmoid(Regularizer):
    """Ω = Σ (p^α + (1−p)^α − 1)/(α(α−1)) on the cube: α-sigmoid.

    Its loss: one-vs-all Tsallis. Paper: §4.3; §6.1.

    alpha: order of the entropy, > 0; 1 is sigmoid
    """

    def __init__(self, alpha: float = 1.5, **common: Any):
        super().__init__("tsallis_sigmoid", alpha=alpha, **common)


class OneVsAll(Regularizer):
    """Ω = Σ −H([p, 1−p]) on the cube: coordinate-wise.

    Its loss: one-vs-all from any two-class entropy. Paper: §6.1.

    entropy: an Ω over the simplex, nested
    """

    def __init__(self, entropy: Regularizer, **common: Any):
        super().__init__("one_vs_all", entropy=entropy, **common)


class Map(Regularizer):
    """Ω = 0 on conv(Y): a best structure.

    Its loss: structured perceptron; structured hinge with a cost. Paper: §7.3, Table 1.

    polytope: the set of structures, nested
    """

    def __init__(self, polytope: Polytope, **common: Any):
        super().__init__("map", polytope=polytope, **common)


class Marginal(Regularizer):
    """Ω = −max H(p) over distributions p with mean μ on conv(Y): marginal inference.

    Its loss: conditional random field. Paper: §7.1.

    polytope: the set of structures, nested
    """

    def __init__(self, polytope: Polytope, **common: Any):
        super().__init__("marginal", polytope=polytope, **common)


class SparseMap(Regularizer):
    """Ω = ½‖μ‖² on conv(Y): SparseMAP, the projection onto conv(Y).

    Its loss: SparseMAP. Paper: §7.2, §7.4.

    polytope: the set of structures, nested
    """

    def __init__(self, polytope: Polytope, **common: Any):
        super().__init__("sparsemap", polytope=polytope, **common)


class Entropic(Regularizer):
    """Ω = Σ μ log μ on conv(Y): the Kullback-Leibler projection onto conv(Y).

    Its loss: entropic mean regularization. Paper: §7.2.

    polytope: the set of structures, nested
    """

    def __init__(self, polytope: Polytope, **common: Any):
        super().__init__("entropic", polytope=polytope, **common)


class Bregman(Regularizer):
    """Ω = Σ φ(μ) on conv(Y): a Bregman projection onto conv(Y).

    Its loss: separable mean regularization. Paper: §3.2, §7.2, §7.3.

    polytope: the set of structures, nested
    generator: φ: tsallis, (t^α − t)/(α(α−1)); fermi_dirac, t log t + (1−t) log(1−t) on [0, 1]; burg, −log t on t > 0
    alpha: the order of tsallis, > 0; 1 is entropic, 2 sparsemap
    """

    def __init__(self, polytope: Polytope, generator: str = 'tsallis', alpha: float = 1.5, **common: Any):
        super().__init__("bregman", polytope=polytope, generator=generator, alpha=alpha, **common)


class StructuredSparsemax(Regularizer):
    """Ω = min ½‖p‖² − ½ over distributions p with mean μ on conv(Y): mean of the sparsemax of all structures.

    Its loss: structured sparsemax. Paper: §7.1.

    polytope: the set of structures, nested
    k: structures to keep; 0: as many as an exact result takes
    k_max: the most structures that k = 0 looks at
    """

    def __init__(self, polytope: Polytope, k: int = 0, k_max: int = 4096, **common: Any):
        super().__init__("structured_sparsemax", polytope=polytope, k=k, k_max=k_max, **common)


class SmoothedPaths(Regularizer):
    """Ω = conjugate of the best path with smoothed maxima on conv(Y): expected path of a backward Markov chain.

    Its loss: smoothed dynamic programming. Paper: §7.1.

    polytope: sequence, chain or alignment, nested
    entropy: what smooths a maximum: an Ω over the simplex, nested
    """

    def __init__(self, polytope: Polytope, entropy: Regularizer, **common: Any):
        super().__init__("smoothed_paths", polytope=polytope, entropy=entropy, **common)


class MaximumEntropy(Regularizer):
    """Ω = −max H(p) over distributions p with mean μ on conv(Y): mean of the regularized distribution over structures.

    Its loss: generalised maximum entropy. Paper: §7.1.

    polytope: the set of structures, nested
    entropy: an Ω over the simplex, nested
    limit: the most structures that are listed
    """

    def __init__(self, polytope: Polytope, entropy: Regularizer, limit: int = 100000, **common: Any):
        super().__init__("maximum_entropy", polytope=polytope, entropy=entropy, limit=limit, **common)


class Conic(Regularizer):
    """Ω = ½‖μ‖² on cone(Y): the projection onto cone(Y).

    Its loss: conic SparseMAP. Paper: §8.3.

    polytope: the set of structures, nested
    """

    def __init__(self, polytope: Polytope, **common: Any):
        super().__init__("conic", polytope=polytope, **common)
