# SPDX-License-Identifier: Apache-2.0
"""Figure 7: ranking losses as one score moves."""
import fenchel
import fenchel.plot
import numpy as np

from ..experiment import Finding
from ..figures import figure
from .illustration import Illustration, short

LOW, HIGH = -2, 6
EXPECTED = [[1, 3], [LOW, 2], [2, HIGH]]  # where the paper's caption has the loss zero, within the range drawn


def compute(w, y):
    omega = fenchel.Map(fenchel.Permutahedron(w))
    moved = np.linspace(LOW, HIGH, 801)
    zero = []
    for i in range(len(y)):
        theta = np.tile(np.array(y, dtype=float), (len(moved), 1))
        theta[:, i] = moved
        free = fenchel.loss(theta, np.tile(np.array(y, dtype=float), (len(moved), 1)), omega) <= 1e-9
        first, last = np.flatnonzero(free)[[0, -1]]
        assert free[first:last + 1].all(), "the loss is convex"
        zero.append(short(moved[[first, last]]))
    return {"w": w, "y": y, "zero": zero}


def findings(result):
    return [Finding("Figure 7: with Ω = 0 the loss is zero exactly for θ₁ in [1, 3], θ₂ ≤ 2 and θ₃ ≥ 2, on a grid of width 0.01",
                    result["zero"] == EXPECTED, f"zero in {result['zero']}, drawn from {LOW} to {HIGH}")]


def draw(result, folder):
    with figure(folder, "ranking_losses", 1, 3, size=(3.8, 3.2), sharey=True) as (_, axes):
        fenchel.plot.ranking_losses(result["w"], result["y"], axes, span=(LOW, HIGH))


illustration = Illustration(
    "ranking_losses", 7, "Ranking losses for w = [3, 2, 1] and y = [2, 1, 3] as one score moves away from θ = y: with Ω = 0 zero "
    "as long as the order is right, with the other two smooth.", compute, draw, findings, {"w": [3, 2, 1], "y": [2, 1, 3]})
