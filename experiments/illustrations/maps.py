# SPDX-License-Identifier: Apache-2.0
"""Figure 5: the maps between scores of parts, scores of structures, probabilities of structures and their mean."""
import fenchel
import fenchel.plot
import numpy as np

from ..experiment import Finding
from ..figures import figure
from .diagram import Arrow, arrows, bars
from .illustration import Illustration, equal, error, short

SET = fenchel.Cube(2)
STRUCTURES = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
ENTROPY = fenchel.Tsallis(2.0)
OMEGA = fenchel.MaximumEntropy(SET, ENTROPY)


def compute(theta):
    scores = STRUCTURES @ theta
    p = fenchel.predict(scores, ENTROPY)
    mu = fenchel.predict(theta, OMEGA)
    same_mean = np.array([1.0, -1.0, -1.0, 1.0])  # p plus a multiple of it has the same mean
    moves = [t for t in np.linspace(-1, 1, 2001) if t and (p + t * same_mean >= 0).all()]
    entropies = [-fenchel.value(p + t * same_mean, ENTROPY) for t in moves]
    shannon = fenchel.predict(theta, fenchel.MaximumEntropy(SET, fenchel.Shannon()))
    return {"theta": theta, "scores": short(scores), "p": short(p), "mu": short(mu), "mean_error": error(p @ STRUCTURES, mu),
            "shannon_error": error(shannon, fenchel.predict(theta, fenchel.Sigmoid())),
            "others_with_this_mean": len(moves), "lead_in_entropy": short(-fenchel.value(p, ENTROPY) - max(entropies))}


def findings(result):
    return [
        equal("Figure 5: the prediction over conv(Y) is the mean under the distribution over Y; with Shannon's entropy it is the "
              "sigmoid", result["mean_error"], result["shannon_error"]),
        Finding("Figure 5: no other distribution with this mean has more entropy", result["lead_in_entropy"] > 0,
                f"ahead by {result['lead_in_entropy']:.1g} of {result['others_with_this_mean']} others on a grid"),
    ]


def draw(result, folder):
    names = [str(y) for y in STRUCTURES.astype(int).tolist()]
    with figure(folder, "map_between_spaces", 2, 2, size=(4.4, 2.7), width_ratios=[1, 1.2]) as (fig, ((s, p), (theta, mu))):
        fig.get_layout_engine().set(wspace=0.35, hspace=0.35)
        bars(s, result["scores"], names, r"scores of structures $s \in \mathbb{R}^{|Y|}$")
        bars(p, result["p"], names, r"probabilities $p \in \Delta^{|Y|}$", "tab:green")
        bars(theta, result["theta"], ["θ₁", "θ₂"], r"scores $θ \in \mathbb{R}^d$")
        fenchel.plot.hull(SET, result["theta"], {"μ": OMEGA}, mu)
        mu.set_title(r"mean $μ \in \mathrm{conv}(Y)$", pad=12)
        arrows(fig, Arrow(theta, s, "$s_y = ⟨θ, y⟩$", (0.5, 1.25), (0.5, -0.2)), Arrow(s, p, "$ŷ_{-H}$"),
               Arrow(p, mu, r"$\mathbb{E}_p[Y]$", (0.4, -0.2), (0.5, 1.3)),
               Arrow(mu, p, "most entropy\nwith this mean", (0.75, 1.3), (0.5, -0.2)), Arrow(theta, mu, r"$ŷ_\Omega$"))


illustration = Illustration(
    "map_between_spaces", 5, "The maps between spaces, for pairs of bits and the Gini entropy H: the way over scores and "
    "probabilities of all structures ends where ŷ leads at once.", compute, draw, findings, {"theta": [0.4, 0.2]})
