# SPDX-License-Identifier: Apache-2.0
"""The paper's illustrations, Figures 1 to 8 and 11, drawn from what the library computes."""
from .. import markdown
from ..experiment import Experiment, Step
from . import duality_gap, entropies, maps, oracles, pairwise_hinge, permutahedra, pipeline, ranking_losses, simplex

MODULES = (pipeline, simplex, duality_gap, entropies, maps, permutahedra, ranking_losses, oracles, pairwise_hinge)
ILLUSTRATIONS = [module.illustration for module in MODULES]


def steps(quick):
    return [Step(one.name, one.compute, one.parameters) for one in ILLUSTRATIONS]


def _having(results):
    return [one for one in ILLUSTRATIONS if one.name in results]


def report(results):
    parts = ["## Illustrations\n\nThe paper's drawings, from numbers that the library computes; [the gallery](gallery.md) has "
             "the line of Python for each.\n", markdown.command(".venv/bin/python -m experiments illustrations")]
    for one in _having(results):
        parts += [f"**Figure {one.number}.** {one.text}\n",
                  markdown.image(one.name, f"Figure {one.number}, {one.name.replace('_', ' ')}")]
    return "\n".join(parts)


def findings(results):
    return [finding for one in _having(results) for finding in one.findings(results[one.name])]


def draw(results, folder):
    for one in _having(results):
        one.draw(results[one.name], folder)


illustrations = Experiment("illustrations", steps, report, findings, draw)
