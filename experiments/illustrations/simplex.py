# SPDX-License-Identifier: Apache-2.0
"""Figure 2: argmax, softmax, sparsemax and sigmoid of the same scores."""
import fenchel
import fenchel.plot

from ..experiment import Finding
from ..figures import figure
from .illustration import TOLERANCE, Illustration, error, short

OPERATORS = ("argmax", "softmax", "sparsemax", "sigmoid")


def compute(theta):
    points = {name: fenchel.predict(theta, name) for name in OPERATORS}
    return {"theta": theta, **{name: {"point": short(point), "zeros": int((point == 0).sum()), "off_plane": error(point.sum(), 1)}
                               for name, point in points.items()}}


def findings(result):
    argmax, softmax, sparsemax, sigmoid = (result[name] for name in OPERATORS)
    return [
        Finding("Figure 2: argmax is a vertex of the simplex", argmax["zeros"] == 2 and max(argmax["point"]) == 1,
                str(argmax["point"])),
        Finding("Figure 2: softmax is inside the simplex", min(softmax["point"]) > 0 and softmax["off_plane"] <= TOLERANCE,
                f"smallest entry {min(softmax['point']):.3f}"),
        Finding("Figure 2: sparsemax is on the simplex's boundary, but no vertex",
                sparsemax["zeros"] == 1 and sparsemax["off_plane"] <= TOLERANCE, str(sparsemax["point"])),
        Finding("Figure 2: sigmoid is in the cube and off the simplex's plane by more than 0.1",
                0 < min(sigmoid["point"]) <= max(sigmoid["point"]) < 1 and sigmoid["off_plane"] > 0.1,
                f"its sum is {sum(sigmoid['point']):.3f}"),
    ]


def draw(result, folder):
    with figure(folder, "simplex", size=(6.4, 3.8)) as (_, ax):
        fenchel.plot.simplex_predictions(result["theta"], ax=ax)


illustration = Illustration(
    "simplex", 2, "Four predictions for the same scores: argmax at a vertex of the simplex, softmax inside it, sparsemax on its "
    "boundary, and sigmoid in the cube but off the simplex (the dotted line leads to its plane).",
    compute, draw, findings, {"theta": [1.5, 1.0, 0.2]})
