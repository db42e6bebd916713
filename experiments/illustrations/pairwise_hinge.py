# SPDX-License-Identifier: Apache-2.0
"""Figure 11: the Gini index beside the entropies of pairwise hinge losses."""
import fenchel
import fenchel.plot
import numpy as np

from ..experiment import Finding
from ..figures import figure
from .illustration import TOLERANCE, Illustration, equal, error, short

OMEGAS = {"Gini": fenchel.Tsallis(2.0), "hinge": fenchel.PairwiseHinge(), "smoothed hinge": fenchel.PairwiseSmoothedHinge(),
          "squared hinge": fenchel.PairwiseSquaredHinge()}


def _closed_forms(p):
    """Proposition 10, for rows p without a vertex among them."""
    d, rest = p.shape[1], 1 - p
    least, inverse = rest.min(axis=1), (1 / rest).sum(axis=1)
    return {"Gini": (1 - (p**2).sum(axis=1)) / 2, "hinge": least * d, "smoothed hinge": least * d - least**2 / 2 * inverse,
            "squared hinge": d**2 / 2 / inverse}


def compute(seed):
    generator = np.random.default_rng(seed)
    p, q = generator.dirichlet(np.ones(3), size=(2, 1000))
    center, expected = np.full(3, 1 / 3), _closed_forms(p)
    rows = {}
    for name, omega in OMEGAS.items():
        entropy = -fenchel.value(p, omega)
        bend = -fenchel.value((p + q) / 2, omega) - (entropy - fenchel.value(q, omega)) / 2
        rows[name] = {"center": short(-fenchel.value(center, omega)), "largest": short(entropy.max()),
                      "vertices": error(fenchel.value(np.eye(3), omega), 0), "closed_form_error": error(entropy, expected[name]),
                      "flat": short(np.mean(np.abs(bend) <= TOLERANCE)), "least_bend": short(bend.min())}
    return rows


def findings(result):
    strict = [result[name]["flat"] == 0 for name in result if name != "hinge"]
    return [
        equal("Figure 11: the four entropies are their closed forms at 1000 random points, and 0 at the vertices",
              *(row[key] for row in result.values() for key in ("closed_form_error", "vertices"))),
        Finding("Figure 11: each is concave and largest in the center",
                all(row["least_bend"] >= -TOLERANCE and row["largest"] <= row["center"] for row in result.values()),
                "in the center " + ", ".join(f"{name} {row['center']:.3f}" for name, row in result.items())),
        Finding("Figure 11: all but the hinge's, which is linear by parts, are strictly concave",
                all(strict) and result["hinge"]["flat"] > 0,
                f"the hinge's is linear between {100 * result['hinge']['flat']:.0f} % of random pairs, the others between none"),
    ]


def draw(result, folder):
    with figure(folder, "pairwise_hinge", 1, len(OMEGAS), size=(2.9, 3)) as (_, axes):
        fenchel.plot.entropy_contours(OMEGAS, axes)


illustration = Illustration(
    "pairwise_hinge", 11, "Lines of equal entropy of the Gini index and of the three pairwise hinge entropies (Proposition 10, "
    "for losses under Σ θ = 0), each divided by its value in the center.", compute, draw, findings, {"seed": 0})
