# SPDX-License-Identifier: Apache-2.0
"""Ranking with Ω over the permutahedron (paper §7.3): orders of labels, and documents of queries."""
from ..experiment import Experiment, Step
from . import documents, label_ranking
from .choices import PRESETS
from .findings import findings
from .report import draw, report


def steps(quick):
    presets = ["full"] if quick else list(PRESETS)
    orders = {"folds": 5 if quick else 10, "presets": presets, "seed": 0}
    queries = {"queries": 100 if quick else None, "presets": presets,
               "penalties": [0.01, 1, 100] if quick else [0.001, 0.01, 0.1, 1, 10, 100, 1000]}
    return [*(Step(name, label_ranking.cross_validate, {"set_name": name, **orders}, [label_ranking.file(name)])
              for name in (label_ranking.SETS[:1] if quick else label_ranking.SETS)),
            Step("mq2008", documents.compare, queries, list(documents.FILES.values()))]


ranking = Experiment("ranking", steps, report, findings, draw)
