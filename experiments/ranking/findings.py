# SPDX-License-Identifier: Apache-2.0
"""What the results say about the choice of Ω and w."""
from statistics import fmean

from ..experiment import Finding
from .choices import OMEGAS, SMOOTH, name
from .label_ranking import SETS

TOLERANCE = 0.02
AHEAD = 0.05


def tau(result, row):
    """The mean of Kendall's τ over the folds."""
    return fmean(result["scores"][row]["kendall_tau"])


def _least(statement, differences, least):
    """That no difference is below `least`; the smallest is reported, with its name."""
    where, difference = min(differences.items(), key=lambda item: item[1])
    return Finding(statement, difference >= least, f"smallest difference {difference:+.3f}: {where}")


def _ahead_on(sets, omegas, row):
    return {f"Ω = {OMEGAS[omega]}, {one}": tau(result, name(omega, "full")) - tau(result, row)
            for one, result in sets.items() for omega in omegas}


def _findings_by_set(sets):
    yield _least(f"Smooth Ω do as well as Ω = 0 in mean τ on every set (w = full, tolerance {TOLERANCE})",
                 _ahead_on(sets, SMOOTH, name("map", "full")), -TOLERANCE)
    yield _least(f"Every Ω is ahead of one order for all rows by a τ of {AHEAD} or more on every set (w = full)",
                 _ahead_on(sets, OMEGAS, "constant"), AHEAD)


def _findings_over_sets(sets):
    def average(value, omega, w):
        return fmean([value(result, name(omega, w)) for result in sets.values()])

    def ahead(value, first, second):
        return {f"Ω = {text}": average(value, omega, first) - average(value, omega, second) for omega, text in OMEGAS.items()}

    cost = average(tau, "hinge", "full")
    yield _least(f"Smooth Ω do as well as Ω = 0 with a Hamming cost in τ over the sets (w = full, tolerance {TOLERANCE})",
                 {f"Ω = {OMEGAS[omega]}": average(tau, omega, "full") - cost for omega in SMOOTH}, -TOLERANCE)
    yield _least(f"Smooth Ω do as well as Ω = 0 with a Hamming cost on every set (w = full, tolerance {TOLERANCE})",
                 _ahead_on(sets, SMOOTH, name("hinge", "full")), -TOLERANCE)
    yield _least("The whole order comes out better with w = full than with w = top1, for every Ω (mean τ over the sets)",
                 ahead(tau, "full", "top1"), 0)
    yield _least("The first place comes out better with w = top1 than with w = full, for every Ω (mean accuracy over the sets)",
                 ahead(lambda result, row: result["scores"][row]["accuracy"], "top1", "full"), 0)


def _document_findings(result):
    ndcg = {row: score["ndcg_10"] for row, score in result["scores"].items()}
    presets = [row.split("=")[1] for row in ndcg if row.startswith("map:")]

    def ahead(other):
        return {f"Ω = {OMEGAS[omega]}, w = {w}": ndcg[name(omega, w)] - other(w) for omega in SMOOTH for w in presets}

    yield _least(f"MQ2008: smooth Ω do as well as Ω = 0 in NDCG@10 for every w (tolerance {TOLERANCE})",
                 ahead(lambda w: ndcg[name("map", w)]), -TOLERANCE)
    yield _least(f"MQ2008: smooth Ω are ahead of BM25 by {AHEAD} or more for every w",
                 ahead(lambda w: ndcg["bm25"]), AHEAD)
    yield _least(f"MQ2008: smooth Ω do as well as a regression of relevances for every w (tolerance {TOLERANCE})",
                 ahead(lambda w: ndcg["regression"]), -TOLERANCE)


def findings(results):
    sets = {one: results[one] for one in SETS if one in results}
    found = list(_findings_by_set(sets)) if sets else []
    if len(sets) > 1:
        found += _findings_over_sets(sets)
    if "mq2008" in results:
        found += _document_findings(results["mq2008"])
    return found
