# SPDX-License-Identifier: Apache-2.0
"""Every regularizer Ω, with the parameters it has in C++.

Written by scripts/generate from the list of C++: edit that.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from ._base import Regularizer

if TYPE_CHECKING:
    from ._types import ArrayLike, OmegaLike, PolytopeLike

__all__ = ["Argmax", "Bregman", "Conic", "Entropic", "Map", "Marginal", "MaximumEntropy", "Norm", "OneVsAll",
           "PairwiseHinge", "PairwiseSmoothedHinge", "PairwiseSquaredHinge", "Poisson", "Relu", "Renyi", "Shannon",
           "Sigmoid", "SmoothedPaths", "SparseMap", "SparseSigmoid", "Squared", "SquaredNorm", "StructuredSparsemax",
           "Tsallis", "TsallisSigmoid"]


class Squared(Regularizer):
    """Ω = ½‖μ‖² on R^d: identity.

    Its loss: squared. Paper: Table 1; §3.2.

    Parameters
    ----------
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.Squared()
    >>> theta = [1.6, 1.1, 0.4]
    >>> fenchel.predict(theta, omega).round(3).tolist()
    [1.6, 1.1, 0.4]

    See Also
    --------
    fenchel.predict, fenchel.loss, fenchel.explain
    """

    def __init__(self, *, temperature: Optional[float] = None, constant: Optional[float] = None,
                 cost: Optional[ArrayLike] = None):
        super().__init__("squared", temperature=temperature, constant=constant, cost=cost)


class Argmax(Regularizer):
    """Ω = 0 on the simplex: argmax.

    Its loss: perceptron; hinge with cost. Paper: Table 1; §2.2.

    Parameters
    ----------
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.Argmax()
    >>> theta = [1.6, 1.1, 0.4]
    >>> fenchel.predict(theta, omega).round(3).tolist()
    [1.0, 0.0, 0.0]

    See Also
    --------
    fenchel.predict, fenchel.loss, fenchel.explain
    """

    def __init__(self, *, temperature: Optional[float] = None, constant: Optional[float] = None,
                 cost: Optional[ArrayLike] = None):
        super().__init__("argmax", temperature=temperature, constant=constant, cost=cost)


class Shannon(Regularizer):
    """Ω = Σ p log p on the simplex: softmax.

    Its loss: logistic (cross-entropy). Paper: Table 1; §4.3.

    Parameters
    ----------
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.Shannon()
    >>> theta = [1.6, 1.1, 0.4]
    >>> fenchel.predict(theta, omega).round(3).tolist()
    [0.524, 0.318, 0.158]

    See Also
    --------
    fenchel.predict, fenchel.loss, fenchel.explain
    """

    def __init__(self, *, temperature: Optional[float] = None, constant: Optional[float] = None,
                 cost: Optional[ArrayLike] = None):
        super().__init__("shannon", temperature=temperature, constant=constant, cost=cost)


class Tsallis(Regularizer):
    """Ω = Σ (p^α − p)/(α(α−1)) on the simplex: α-entmax.

    Its loss: entmax; α=1 logistic, α=2 sparsemax. Paper: §4.3; §8.3.

    Parameters
    ----------
    alpha : float, default 1.5
        Order of the entropy, > 0 or inf; 1 is softmax, 2 sparsemax.
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.Tsallis()
    >>> theta = [1.6, 1.1, 0.4]
    >>> fenchel.predict(theta, omega).round(3).tolist()
    [0.649, 0.309, 0.042]

    See Also
    --------
    fenchel.predict, fenchel.loss, fenchel.explain
    """

    def __init__(self, alpha: float = 1.5, *, temperature: Optional[float] = None, constant: Optional[float] = None,
                 cost: Optional[ArrayLike] = None):
        super().__init__("tsallis", alpha=alpha, temperature=temperature, constant=constant, cost=cost)


class Norm(Regularizer):
    """Ω = ‖p‖_q − 1 on the simplex: normmax.

    Its loss: norm entropy. Paper: §4.3; §5.

    Parameters
    ----------
    q : float, default 2
        Order of the norm, > 1 or inf.
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.Norm()
    >>> theta = [1.6, 1.1, 0.4]
    >>> fenchel.predict(theta, omega).round(3).tolist()
    [0.689, 0.311, 0.0]

    See Also
    --------
    fenchel.predict, fenchel.loss, fenchel.explain
    """

    def __init__(self, q: float = 2, *, temperature: Optional[float] = None, constant: Optional[float] = None,
                 cost: Optional[ArrayLike] = None):
        super().__init__("norm", q=q, temperature=temperature, constant=constant, cost=cost)


class SquaredNorm(Regularizer):
    """Ω = ½‖p‖²_q − ½ on the simplex: squared normmax.

    Its loss: squared norm entropy; q=2 sparsemax. Paper: §4.3.

    Parameters
    ----------
    q : float, default 1.5
        Order of the norm, in (1, 2]; 2 is sparsemax.
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.SquaredNorm()
    >>> theta = [1.6, 1.1, 0.4]
    >>> fenchel.predict(theta, omega).round(3).tolist()
    [0.847, 0.153, 0.0]

    See Also
    --------
    fenchel.predict, fenchel.loss, fenchel.explain
    """

    def __init__(self, q: float = 1.5, *, temperature: Optional[float] = None, constant: Optional[float] = None,
                 cost: Optional[ArrayLike] = None):
        super().__init__("squared_norm", q=q, temperature=temperature, constant=constant, cost=cost)


class Renyi(Regularizer):
    """Ω = log(Σ p^β)/(β−1) on the simplex: Rényi argmax.

    Its loss: Rényi; β=1 logistic. Paper: §4.3.

    Parameters
    ----------
    beta : float, default 0.5
        Order of the entropy, >= 0 or inf; 1 is softmax.
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.Renyi()
    >>> theta = [1.6, 1.1, 0.4]
    >>> fenchel.predict(theta, omega).round(3).tolist()
    [0.66, 0.24, 0.099]

    See Also
    --------
    fenchel.predict, fenchel.loss, fenchel.explain
    """

    def __init__(self, beta: float = 0.5, *, temperature: Optional[float] = None, constant: Optional[float] = None,
                 cost: Optional[ArrayLike] = None):
        super().__init__("renyi", beta=beta, temperature=temperature, constant=constant, cost=cost)


class PairwiseHinge(Regularizer):
    """Ω = −d·min_j(1−p_j) on the simplex: uniform over the top.

    Its loss: pairwise hinge, Fenchel-Youngized. Paper: Proposition 10; appendix B.9.

    Parameters
    ----------
    costs : array_like [d, d], default None
        D rows of d costs >= 0; default 0/1.
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.PairwiseHinge()
    >>> theta = [1.6, 1.1, 0.4]
    >>> fenchel.predict(theta, omega).round(3).tolist()
    [0.333, 0.333, 0.333]

    See Also
    --------
    fenchel.predict, fenchel.loss, fenchel.explain
    """

    def __init__(self, costs: Optional[ArrayLike] = None, *, temperature: Optional[float] = None,
                 constant: Optional[float] = None, cost: Optional[ArrayLike] = None):
        super().__init__("pairwise_hinge", costs=costs, temperature=temperature, constant=constant, cost=cost)


class PairwiseSmoothedHinge(Regularizer):
    """Ω = (t²/2) Σ 1/(1−p_j) − t·d, t = min_j(1−p_j) on the simplex.

    Its loss: pairwise smoothed hinge, Fenchel-Youngized. Paper: Proposition 10; appendix B.9.

    Parameters
    ----------
    costs : array_like [d, d], default None
        D rows of d costs >= 0; default 0/1.
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.PairwiseSmoothedHinge()
    >>> theta = [1.6, 1.1, 0.4]
    >>> fenchel.predict(theta, omega).round(3).tolist()
    [0.5, 0.5, 0.0]

    See Also
    --------
    fenchel.predict, fenchel.loss, fenchel.explain
    """

    def __init__(self, costs: Optional[ArrayLike] = None, *, temperature: Optional[float] = None,
                 constant: Optional[float] = None, cost: Optional[ArrayLike] = None):
        super().__init__("pairwise_smoothed_hinge", costs=costs, temperature=temperature, constant=constant, cost=cost)


class PairwiseSquaredHinge(Regularizer):
    """Ω = −(d²/2)/Σ 1/(1−p_j) on the simplex.

    Its loss: pairwise squared hinge, Fenchel-Youngized. Paper: Proposition 10; appendix B.9.

    Parameters
    ----------
    costs : array_like [d, d], default None
        D rows of d costs >= 0; default 0/1.
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.PairwiseSquaredHinge()
    >>> theta = [1.6, 1.1, 0.4]
    >>> fenchel.predict(theta, omega).round(3).tolist()
    [0.586, 0.414, 0.0]

    See Also
    --------
    fenchel.predict, fenchel.loss, fenchel.explain
    """

    def __init__(self, costs: Optional[ArrayLike] = None, *, temperature: Optional[float] = None,
                 constant: Optional[float] = None, cost: Optional[ArrayLike] = None):
        super().__init__("pairwise_squared_hinge", costs=costs, temperature=temperature, constant=constant, cost=cost)


class Relu(Regularizer):
    """Ω = ½‖m‖² on the cone: relu.

    Its loss: non-negative squared. Paper: §6.2.

    Parameters
    ----------
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.Relu()
    >>> theta = [1.6, 1.1, 0.4]
    >>> fenchel.predict(theta, omega).round(3).tolist()
    [1.6, 1.1, 0.4]

    See Also
    --------
    fenchel.predict, fenchel.loss, fenchel.explain
    """

    def __init__(self, *, temperature: Optional[float] = None, constant: Optional[float] = None,
                 cost: Optional[ArrayLike] = None):
        super().__init__("relu", temperature=temperature, constant=constant, cost=cost)


class Poisson(Regularizer):
    """Ω = Σ m log m − m on the cone: exp.

    Its loss: Poisson (generalized KL). Paper: §3.2; §6.

    Parameters
    ----------
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.Poisson()
    >>> theta = [1.6, 1.1, 0.4]
    >>> fenchel.predict(theta, omega).round(3).tolist()
    [4.953, 3.004, 1.492]

    See Also
    --------
    fenchel.predict, fenchel.loss, fenchel.explain
    """

    def __init__(self, *, temperature: Optional[float] = None, constant: Optional[float] = None,
                 cost: Optional[ArrayLike] = None):
        super().__init__("poisson", temperature=temperature, constant=constant, cost=cost)


class Sigmoid(Regularizer):
    """Ω = Σ p log p + (1−p) log(1−p) on the cube: sigmoid.

    Its loss: one-vs-all logistic. Paper: §2.2; §6.2.

    Parameters
    ----------
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.Sigmoid()
    >>> theta = [1.6, 1.1, 0.4]
    >>> fenchel.predict(theta, omega).round(3).tolist()
    [0.832, 0.75, 0.599]

    See Also
    --------
    fenchel.predict, fenchel.loss, fenchel.explain
    """

    def __init__(self, *, temperature: Optional[float] = None, constant: Optional[float] = None,
                 cost: Optional[ArrayLike] = None):
        super().__init__("sigmoid", temperature=temperature, constant=constant, cost=cost)


class SparseSigmoid(Regularizer):
    """Ω = Σ p² − p on the cube: sparse sigmoid.

    Its loss: one-vs-all modified Huber. Paper: §4.4; §6.2.

    Parameters
    ----------
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.SparseSigmoid()
    >>> theta = [1.6, 1.1, 0.4]
    >>> fenchel.predict(theta, omega).round(3).tolist()
    [1.0, 1.0, 0.7]

    See Also
    --------
    fenchel.predict, fenchel.loss, fenchel.explain
    """

    def __init__(self, *, temperature: Optional[float] = None, constant: Optional[float] = None,
                 cost: Optional[ArrayLike] = None):
        super().__init__("sparse_sigmoid", temperature=temperature, constant=constant, cost=cost)


class TsallisSigmoid(Regularizer):
    """Ω = Σ (p^α + (1−p)^α − 1)/(α(α−1)) on the cube: α-sigmoid.

    Its loss: one-vs-all Tsallis. Paper: §4.3; §6.1.

    Parameters
    ----------
    alpha : float, default 1.5
        Order of the entropy, > 0; 1 is sigmoid.
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.TsallisSigmoid()
    >>> theta = [1.6, 1.1, 0.4]
    >>> fenchel.predict(theta, omega).round(3).tolist()
    [0.966, 0.858, 0.64]

    See Also
    --------
    fenchel.predict, fenchel.loss, fenchel.explain
    """

    def __init__(self, alpha: float = 1.5, *, temperature: Optional[float] = None, constant: Optional[float] = None,
                 cost: Optional[ArrayLike] = None):
        super().__init__("tsallis_sigmoid", alpha=alpha, temperature=temperature, constant=constant, cost=cost)


class OneVsAll(Regularizer):
    """Ω = Σ −H([p, 1−p]) on the cube: coordinate-wise.

    Its loss: one-vs-all from any two-class entropy. Paper: §6.1.

    Parameters
    ----------
    entropy : Regularizer, str or dict
        An Ω over the simplex, nested.
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.OneVsAll(fenchel.Shannon())
    >>> theta = [1.6, 1.1, 0.4]
    >>> fenchel.predict(theta, omega).round(3).tolist()
    [0.832, 0.75, 0.599]

    See Also
    --------
    fenchel.predict, fenchel.loss, fenchel.explain
    """

    def __init__(self, entropy: OmegaLike, *, temperature: Optional[float] = None, constant: Optional[float] = None,
                 cost: Optional[ArrayLike] = None):
        super().__init__("one_vs_all", entropy=entropy, temperature=temperature, constant=constant, cost=cost)


class Map(Regularizer):
    """Ω = 0 on conv(Y): a best structure.

    Its loss: structured perceptron; structured hinge with a cost. Paper: §7.3, Table 1.

    Parameters
    ----------
    polytope : Polytope, str or dict
        The set of structures, nested.
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.Map(fenchel.KSubsets(3, 2))
    >>> theta = [1.6, 1.1, 0.4]
    >>> fenchel.predict(theta, omega).round(3).tolist()
    [1.0, 1.0, 0.0]

    See Also
    --------
    fenchel.predict, fenchel.loss, fenchel.explain
    """

    def __init__(self, polytope: PolytopeLike, *, temperature: Optional[float] = None, constant: Optional[float] = None,
                 cost: Optional[ArrayLike] = None):
        super().__init__("map", polytope=polytope, temperature=temperature, constant=constant, cost=cost)


class Marginal(Regularizer):
    """Ω = −max H(p) over distributions p with mean μ on conv(Y): marginal inference.

    Its loss: conditional random field. Paper: §7.1.

    Parameters
    ----------
    polytope : Polytope, str or dict
        The set of structures, nested.
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.Marginal(fenchel.KSubsets(3, 2))
    >>> theta = [1.6, 1.1, 0.4]
    >>> fenchel.predict(theta, omega).round(3).tolist()
    [0.832, 0.724, 0.444]

    See Also
    --------
    fenchel.predict, fenchel.loss, fenchel.explain
    """

    def __init__(self, polytope: PolytopeLike, *, temperature: Optional[float] = None, constant: Optional[float] = None,
                 cost: Optional[ArrayLike] = None):
        super().__init__("marginal", polytope=polytope, temperature=temperature, constant=constant, cost=cost)


class SparseMap(Regularizer):
    """Ω = ½‖μ‖² on conv(Y): SparseMAP, the projection onto conv(Y).

    Its loss: SparseMAP. Paper: §7.2, §7.4.

    Parameters
    ----------
    polytope : Polytope, str or dict
        The set of structures, nested.
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.SparseMap(fenchel.KSubsets(3, 2))
    >>> theta = [1.6, 1.1, 0.4]
    >>> fenchel.predict(theta, omega).round(3).tolist()
    [1.0, 0.85, 0.15]

    See Also
    --------
    fenchel.predict, fenchel.loss, fenchel.explain
    """

    def __init__(self, polytope: PolytopeLike, *, temperature: Optional[float] = None, constant: Optional[float] = None,
                 cost: Optional[ArrayLike] = None):
        super().__init__("sparsemap", polytope=polytope, temperature=temperature, constant=constant, cost=cost)


class Entropic(Regularizer):
    """Ω = Σ μ log μ on conv(Y): the Kullback-Leibler projection onto conv(Y).

    Its loss: entropic mean regularization. Paper: §7.2.

    Parameters
    ----------
    polytope : Polytope, str or dict
        The set of structures, nested.
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.Entropic(fenchel.KSubsets(3, 2))
    >>> theta = [1.6, 1.1, 0.4]
    >>> fenchel.predict(theta, omega).round(3).tolist()
    [1.0, 0.668, 0.332]

    See Also
    --------
    fenchel.predict, fenchel.loss, fenchel.explain
    """

    def __init__(self, polytope: PolytopeLike, *, temperature: Optional[float] = None, constant: Optional[float] = None,
                 cost: Optional[ArrayLike] = None):
        super().__init__("entropic", polytope=polytope, temperature=temperature, constant=constant, cost=cost)


class Bregman(Regularizer):
    """Ω = Σ φ(μ) on conv(Y): a Bregman projection onto conv(Y).

    Its loss: separable mean regularization. Paper: §3.2, §7.2, §7.3.

    Parameters
    ----------
    polytope : Polytope, str or dict
        The set of structures, nested.
    generator : str, default 'tsallis'
        φ: tsallis, (t^α − t)/(α(α−1)); fermi_dirac, t log t + (1−t) log(1−t) on [0, 1]; burg, −log t on t >
        0.
    alpha : float, default 1.5
        The order of tsallis, > 0; 1 is entropic, 2 sparsemap.
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.Bregman(fenchel.KSubsets(3, 2))
    >>> theta = [1.6, 1.1, 0.4]
    >>> fenchel.predict(theta, omega).round(3).tolist()
    [1.0, 0.74, 0.26]

    See Also
    --------
    fenchel.predict, fenchel.loss, fenchel.explain
    """

    def __init__(self, polytope: PolytopeLike, generator: str = 'tsallis', alpha: float = 1.5, *,
                 temperature: Optional[float] = None, constant: Optional[float] = None, cost: Optional[ArrayLike] = None):
        super().__init__("bregman", polytope=polytope, generator=generator, alpha=alpha, temperature=temperature,
                         constant=constant, cost=cost)


class StructuredSparsemax(Regularizer):
    """Ω = min ½‖p‖² − ½ over distributions p with mean μ on conv(Y): mean of the sparsemax of all structures.

    Its loss: structured sparsemax. Paper: §7.1.

    Parameters
    ----------
    polytope : Polytope, str or dict
        The set of structures, nested.
    k : int, default 0
        Structures to keep; 0: as many as an exact result takes.
    k_max : int, default 4096
        The most structures that k = 0 looks at.
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.StructuredSparsemax(fenchel.KSubsets(3, 2))
    >>> theta = [1.6, 1.1, 0.4]
    >>> fenchel.predict(theta, omega).round(3).tolist()
    [1.0, 0.85, 0.15]

    See Also
    --------
    fenchel.predict, fenchel.loss, fenchel.explain
    """

    def __init__(self, polytope: PolytopeLike, k: int = 0, k_max: int = 4096, *, temperature: Optional[float] = None,
                 constant: Optional[float] = None, cost: Optional[ArrayLike] = None):
        super().__init__("structured_sparsemax", polytope=polytope, k=k, k_max=k_max, temperature=temperature,
                         constant=constant, cost=cost)


class SmoothedPaths(Regularizer):
    """Ω = conjugate of the best path with smoothed maxima on conv(Y): expected path of a backward Markov
    chain.

    Its loss: smoothed dynamic programming. Paper: §7.1.

    Parameters
    ----------
    polytope : Polytope, str or dict
        Sequence, chain or alignment, nested.
    entropy : Regularizer, str or dict
        What smooths a maximum: an Ω over the simplex, nested.
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.SmoothedPaths(fenchel.Sequence(3, 2), fenchel.Shannon())
    >>> theta = [[[1.6, 1.1], [0.4, -0.3]], [[0.9, 2.0], [0.1, 1.6]], [[1.1, 0.4], [-0.3, 0.9]]]
    >>> fenchel.predict(theta, omega).round(3).tolist()
    [[[0.488, 0.0], [0.512, 0.0]], [[0.331, 0.3], [0.157, 0.212]], [[0.506, 0.139], [0.125, 0.23]]]

    See Also
    --------
    fenchel.predict, fenchel.loss, fenchel.explain
    """

    def __init__(self, polytope: PolytopeLike, entropy: OmegaLike, *, temperature: Optional[float] = None,
                 constant: Optional[float] = None, cost: Optional[ArrayLike] = None):
        super().__init__("smoothed_paths", polytope=polytope, entropy=entropy, temperature=temperature,
                         constant=constant, cost=cost)


class MaximumEntropy(Regularizer):
    """Ω = −max H(p) over distributions p with mean μ on conv(Y): mean of the regularized distribution over
    structures.

    Its loss: generalised maximum entropy. Paper: §7.1.

    Parameters
    ----------
    polytope : Polytope, str or dict
        The set of structures, nested.
    entropy : Regularizer, str or dict
        An Ω over the simplex, nested.
    limit : int, default 100000
        The most structures that are listed.
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.MaximumEntropy(fenchel.KSubsets(3, 2), fenchel.Shannon())
    >>> theta = [1.6, 1.1, 0.4]
    >>> fenchel.predict(theta, omega).round(3).tolist()
    [0.832, 0.724, 0.444]

    See Also
    --------
    fenchel.predict, fenchel.loss, fenchel.explain
    """

    def __init__(self, polytope: PolytopeLike, entropy: OmegaLike, limit: int = 100000, *,
                 temperature: Optional[float] = None, constant: Optional[float] = None, cost: Optional[ArrayLike] = None):
        super().__init__("maximum_entropy", polytope=polytope, entropy=entropy, limit=limit, temperature=temperature,
                         constant=constant, cost=cost)


class Conic(Regularizer):
    """Ω = ½‖μ‖² on cone(Y): the projection onto cone(Y).

    Its loss: conic SparseMAP. Paper: §8.3.

    Parameters
    ----------
    polytope : Polytope, str or dict
        The set of structures, nested.
    temperature : float, optional
        t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t).
    constant : float, optional
        c: the Ω is Ω + c.
    cost : array_like, optional
        c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).

    Examples
    --------
    >>> import fenchel
    >>> omega = fenchel.Conic(fenchel.KSubsets(3, 2))
    >>> theta = [1.6, 1.1, 0.4]
    >>> fenchel.predict(theta, omega).round(3).tolist()
    [1.567, 1.133, 0.433]

    See Also
    --------
    fenchel.predict, fenchel.loss, fenchel.explain
    """

    def __init__(self, polytope: PolytopeLike, *, temperature: Optional[float] = None, constant: Optional[float] = None,
                 cost: Optional[ArrayLike] = None):
        super().__init__("conic", polytope=polytope, temperature=temperature, constant=constant, cost=cost)
