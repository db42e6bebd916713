# SPDX-License-Identifier: Apache-2.0
"""Figure 1: from an input to scores to a prediction in the convex hull of structures."""
import fenchel
import fenchel.plot
import numpy as np

from ..experiment import Finding
from ..figures import figure
from .diagram import Arrow, arrows, bars
from .illustration import TOLERANCE, Illustration, short

W = [3, 2, 1]  # rankings of three items


def _omegas():
    rankings = fenchel.Permutahedron(W)
    return {"MAP": fenchel.Map(rankings), "SparseMAP": fenchel.SparseMap(rankings),
            "maximum entropy": fenchel.MaximumEntropy(rankings, fenchel.Shannon())}


def compute(x, weights):
    theta = short(np.array(weights) @ np.array(x))
    predictions = {name: fenchel.predict(theta, omega) for name, omega in _omegas().items()}
    mixture = fenchel.Permutahedron(W).distribution(theta).sparsemap_mixture()
    return {"x": x, "theta": theta, "predictions": {name: short(point) for name, point in predictions.items()},
            "slack": {name: round(_slack(point), 12) for name, point in predictions.items()},
            "sparsemap_rankings": int((mixture.weights > TOLERANCE).sum())}


def _slack(mu):
    """By how much the k largest entries of μ sum to less than those of w, for the nearest k: 0 on the boundary."""
    return float((np.cumsum(W) - np.cumsum(sorted(mu, reverse=True)))[:-1].min())


def findings(result):
    points, slack = result["predictions"], result["slack"]
    return [
        Finding("Figure 1: the unregularized prediction is a vertex, the order of the scores",
                sorted(points["MAP"]) == sorted(W) and np.argsort(points["MAP"]).tolist() == np.argsort(result["theta"]).tolist(),
                f"{points['MAP']} for θ = {result['theta']}"),
        Finding("Figure 1: SparseMAP is on the boundary, between two rankings; maximum entropy is inside",
                abs(slack["SparseMAP"]) <= TOLERANCE and result["sparsemap_rankings"] == 2 and slack["maximum entropy"] > 0.01,
                f"distances to the boundary {slack['SparseMAP']:.1g} and {slack['maximum entropy']:.2g}, in sums of entries"),
    ]


def draw(result, folder):
    with figure(folder, "pipeline", 1, 3, size=(4, 3.4), width_ratios=[1, 0.8, 1.6]) as (fig, (left, middle, right)):
        fig.get_layout_engine().set(wspace=0.25)
        bars(left, result["x"], [f"x{i}" for i in "₁₂₃₄"], "input $x$", "tab:gray")
        bars(middle, result["theta"], [f"θ{i}" for i in "₁₂₃"], r"scores $θ \in \mathbb{R}^3$")
        fenchel.plot.hull(fenchel.Permutahedron(W), result["theta"], _omegas(), right)
        right.set_title(r"predictions $ŷ_\Omega(θ) \in \mathrm{conv}(Y)$")
        arrows(fig, Arrow(left, middle, "$f_W$"), Arrow(middle, right, r"$ŷ_\Omega$", end=(-0.1, 0.5)))


illustration = Illustration(
    "pipeline", 1, "A model turns an input into scores θ, and ŷ turns these into a point of conv(Y), here for rankings of three "
    "items: a vertex without regularization, a mean of few rankings (SparseMAP) or of all (maximum entropy) with it.", compute,
    draw, findings, {"x": [0.8, -0.3, 0.5, 1.0], "weights": [[1.0, 0.5, 0.6, 0.8], [0.5, -0.5, 1.0, 0.4], [-0.8, 0.6, 0.2, 0.5]]})
