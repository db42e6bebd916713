# SPDX-License-Identifier: Apache-2.0
"""Figure 6: permutahedra of three items."""
import fenchel
import fenchel.plot
import numpy as np

from ..experiment import Finding
from ..figures import figure
from .illustration import Illustration, equal, error


def compute(ws, seed):
    theta = np.random.default_rng(seed).normal(size=(1000, 3))
    simplex, capped = (fenchel.predict(theta, fenchel.SparseMap(fenchel.Permutahedron(w))) for w in ws[:2])
    subsets = fenchel.predict(2 * theta, fenchel.SparseMap(fenchel.KSubsets(3, 2))) / 2
    structures = [fenchel.Permutahedron(w).distribution(np.zeros(3)).k_best(10).structures for w in ws]
    return {"w": ws, "vertices": [len(several) for several in structures],
            "simplex_error": error(simplex, fenchel.sparsemax(theta)), "capped_error": error(capped, subsets)}


def findings(result):
    return [
        equal("Figure 6: projections onto the permutahedron of [1, 0, 0] are sparsemax, and onto that of [½, ½, 0] those onto "
              "the capped simplex, for 1000 random points", result["simplex_error"], result["capped_error"]),
        Finding("Figure 6: three vertices where two weights are equal, else six", result["vertices"] == [3, 3, 6, 6],
                f"{result['vertices']} vertices"),
    ]


def draw(result, folder):
    with figure(folder, "permutahedra", size=(5, 4)) as (_, ax):
        fenchel.plot.permutahedra(result["w"], ax)


illustration = Illustration(
    "permutahedra", 6, "Permutahedra of four w in the plane of the simplex: [1, 0, 0] gives the simplex itself, [½, ½, 0] the "
    "capped one.", compute, draw, findings,
    {"ws": [[1, 0, 0], [1 / 2, 1 / 2, 0], [2 / 3, 1 / 3, 0], [1 / 2, 1 / 3, 1 / 6]], "seed": 0})
