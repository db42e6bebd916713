# SPDX-License-Identifier: Apache-2.0
"""Figure 8: the three oracles as maximizers of three functions on the triangle."""
import fenchel
import fenchel.plot
import numpy as np

from ..experiment import Finding
from ..figures import figure
from .illustration import TOLERANCE, Illustration, equal, error, short

OMEGA = fenchel.Shannon()
USES = {"map": "$ŷ(θ)$: maximizes $⟨θ, μ⟩$\nunregularized prediction,\nconditional gradient",
        "prediction": r"$ŷ_\Omega(θ)$: maximizes $⟨θ, μ⟩ - \Omega(μ)$" "\nregularized prediction,\nloss and its gradient",
        "prox": r"$\mathrm{prox}_\Omega(θ)$: minimizes $½\|μ - θ\|^2 + \Omega(μ)$"
                "\nproximity operator,\ndual training by blocks"}


def _objectives(theta):
    """What each oracle maximizes over μ, for rows of μ."""
    return {"map": lambda mu: mu @ theta,
            "prediction": lambda mu: mu @ theta - fenchel.value(mu, OMEGA),
            "prox": lambda mu: -((mu - theta) ** 2).sum(axis=1) / 2 - fenchel.value(mu, OMEGA)}


def compute(theta, y, seed):
    scores = np.array(theta)
    answers = {"map": fenchel.predict(scores, fenchel.Argmax()), "prediction": fenchel.predict(scores, OMEGA),
               "prox": fenchel.prox(scores, OMEGA)}
    others = np.vstack([np.eye(3), np.random.default_rng(seed).dirichlet(np.ones(3), size=1000)])
    objectives = _objectives(scores)
    objective = objectives["prediction"]
    value = {name: objectives[name](answers[name][None])[0] for name in answers}
    gradient = fenchel.gradient(scores, y, OMEGA)
    return {
        "theta": theta, "y": y, **{name: short(answer) for name, answer in answers.items()},
        "ahead": {name: short(value[name] - objectives[name](others).max()) for name in answers},
        "loss_error": error(fenchel.loss(scores, y, OMEGA), value["prediction"] - objective(np.eye(3)[[y]])[0]),
        "gradient_error": error(gradient, answers["prediction"] - np.eye(3)[y]),
        "moreau_error": error(fenchel.predict(scores - answers["prox"], OMEGA), answers["prox"]),
    }


def findings(result):
    return [
        Finding("Figure 8: no vertex and none of 1000 random points does better than an oracle's answer",
                min(result["ahead"].values()) >= -TOLERANCE, f"least lead {min(result['ahead'].values()):.1g}"),
        equal("Figure 8: the loss is f(y) − f(ŷ) with f = Ω − ⟨θ, ·⟩, its gradient ŷ − y, and the prox is the prediction for "
              "what it leaves of θ (Moreau)", result["loss_error"], result["gradient_error"], result["moreau_error"]),
    ]


def draw(result, folder):
    objectives = _objectives(np.array(result["theta"]))
    with figure(folder, "oracles", 1, 3, size=(4.2, 3.6)) as (fig, axes):
        fig.get_layout_engine().set(h_pad=0.1)
        for ax, (name, text) in zip(axes, USES.items()):
            fenchel.plot.triangle(objectives[name], ax, points={str(np.round(result[name], 2).tolist()): result[name]})
            ax.set_title(text, fontsize="medium", pad=18)


illustration = Illustration(
    "oracles", 8, "The three oracles for the same scores, Ω being Shannon's negative entropy on the simplex: the function that "
    "each of them maximizes, and where.", compute, draw, findings, {"theta": [1.2, 0.5, -0.5], "y": 1, "seed": 0})
