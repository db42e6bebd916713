# SPDX-License-Identifier: Apache-2.0
"""Figure 3: the loss as the gap between Ω and a tangent."""
import fenchel
import fenchel.plot
import numpy as np

from ..experiment import Finding
from ..figures import figure
from .illustration import TOLERANCE, Illustration, equal, error, short


def compute(theta, y):
    omega = fenchel.Squared()

    def gap(mu):
        return fenchel.value([mu], omega) - (theta * mu - fenchel.conjugate([theta], omega))

    prediction = fenchel.predict([theta], omega)[0]
    loss = fenchel.loss([theta], [y], omega)
    return {"theta": theta, "y": y, "prediction": short(prediction), "loss": short(loss),
            "gap_at_prediction": error(gap(prediction), 0), "gap_less_loss": error(gap(y), loss),
            "smallest_gap": short(min(gap(mu) for mu in np.linspace(-3, 3, 601)))}


def findings(result):
    return [
        equal("Figure 3: the tangent touches Ω at ŷ(θ), and at y the gap is the loss", result["gap_at_prediction"],
              result["gap_less_loss"]),
        Finding("Figure 3: the tangent is nowhere above Ω", result["smallest_gap"] >= -TOLERANCE,
                f"smallest gap {result['smallest_gap']:.1g} on a grid"),
    ]


def draw(result, folder):
    with figure(folder, "duality_gap") as (_, ax):
        fenchel.plot.duality_gap(result["theta"], result["y"], ax=ax)


illustration = Illustration(
    "duality_gap", 3, "The loss for Ω = ½μ² is what separates Ω from its tangent of slope θ at the truth y; the tangent "
    "touches Ω at the prediction.", compute, draw, findings, {"theta": 1.0, "y": -1.0})
