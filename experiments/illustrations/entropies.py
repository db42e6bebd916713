# SPDX-License-Identifier: Apache-2.0
"""Figure 4: entropies, predictions and losses of every family, for two classes."""
import fenchel
import fenchel.plot

from ..experiment import Finding
from ..figures import figure
from .illustration import TOLERANCE, Illustration, error, short

SOFTMAX = "Shannon"
FAMILIES = {
    "Tsallis": {f"α = {alpha:g}": fenchel.Tsallis(alpha) for alpha in (1.5, 2.0, 4.0)},
    "norm": {f"q = {q:g}".replace("inf", "∞"): fenchel.Norm(q) for q in (1.5, 2.0, float("inf"))},
    "squared norm": {f"q = {q:g}": fenchel.SquaredNorm(q) for q in (1.25, 1.5, 2.0)},
    "Rényi": {f"β = {beta:g}": fenchel.Renyi(beta) for beta in (1.5, 2.0, 4.0)},
}


def compute():
    """For each Ω: its margin, ŷ([−m, 0])₁ and the loss at [m, 0] with m just beyond it (softmax: 20), −Ω at e₁ and in the middle.

    At the margin itself ŷ may jump.
    """
    rows = {}
    omegas = {SOFTMAX: fenchel.Shannon(), **{f"{family}, {name}": omega for family, several in FAMILIES.items()
                                             for name, omega in several.items()}}
    for name, omega in omegas.items():
        margin = fenchel.margin(omega, 2)
        far = margin + 1e-6 if margin else 20.0
        rows[name] = {
            "margin": margin and short(margin),
            "prediction_at_margin": error(fenchel.predict([-far, 0.0], omega)[0], 0),
            "loss_at_margin": error(fenchel.loss([far, 0.0], 0, omega), 0),
            "loss_at_90_percent": short(fenchel.loss([0.9 * far, 0.0], 0, omega)),
            "entropy": [short(-fenchel.value([t, 1 - t], omega)) for t in (0.0, 0.5)],
        }
    return rows


def findings(result):
    sparse = [row for name, row in result.items() if name != SOFTMAX]
    dense = result[SOFTMAX]
    farthest = max(row["prediction_at_margin"] for row in sparse)
    return [
        Finding(f"Figure 4: every distribution but softmax gets sparse, the smaller probability being 0 within {TOLERANCE:g} "
                "where the scores differ by a millionth more than the margin",
                farthest <= TOLERANCE and dense["prediction_at_margin"] > 0,
                f"largest {farthest:.1g}; softmax has {dense['prediction_at_margin']:.1g} at a difference of 20"),
        Finding(f"Figure 4: losses but the logistic one are 0 within {TOLERANCE:g} beyond the margin, and not before",
                all(row["loss_at_margin"] <= TOLERANCE < row["loss_at_90_percent"] for row in sparse) and dense["margin"] is None,
                f"least loss at 90 % of the margin: {min(row['loss_at_90_percent'] for row in sparse):.1g}"),
        Finding("Figure 4: entropies are 0 at a vertex and positive in the middle",
                all(row["entropy"][0] == 0 < row["entropy"][1] for row in result.values()), f"{len(result)} entropies"),
    ]


def draw(result, folder):
    with figure(folder, "entropies", len(FAMILIES), 3, size=(3.9, 2.5)) as (_, grid):
        for axes, (family, omegas) in zip(grid, FAMILIES.items()):
            fenchel.plot.two_class({SOFTMAX: fenchel.Shannon(), **omegas}, axes)
            axes[0].set_ylabel(family, fontsize="large")
            for ax in axes:
                ax.lines[0].set(color="black", linestyle="--", linewidth=1)
            axes[2].legend(fontsize="small")
        for ax in grid[1:].flat:
            ax.set_title("")
        for ax in grid[:-1].flat:
            ax.set_xlabel("")


illustration = Illustration(
    "entropies", 4, "Entropies, predictions and losses for two classes, one family per row, with Shannon's (dashed) in each: all "
    "other predictions reach 0 and 1.", compute, draw, findings)
