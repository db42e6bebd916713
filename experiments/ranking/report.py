# SPDX-License-Identifier: Apache-2.0
"""The section of the report, and its figure."""
from statistics import fmean, stdev

from .. import data, markdown, tool
from ..figures import figure
from . import documents, label_ranking
from .choices import OMEGAS, PRESETS, name

INTRODUCTION = """## Ranking

The paper defines ranking losses over the permutahedron of w (§7.3) and draws them, but trains none. Here linear models are
trained with its three Ω (0, ½‖·‖² and −Hˢ) and its four choices of w: `top1` (1, 0, …, 0), `k-subsets` (1, …, 1, 0, …, 0)/k,
`full` ∝ (d, …, 1) and `partial` ∝ (k, …, 1, 0, …, 0). A multiple of w is the same loss with another λ and scale of θ, so
w = (d, …, 1) needs no row of its own. Ω = 0 is the averaged perceptron, 100 passes without a penalty: with one, W = 0 is
optimal. To give it a λ as well, a Hamming cost is added in the rows that say so (at most 50 passes).
"""


def _sets(results):
    return {one: results[one] for one in label_ranking.SETS if one in results}


def _presets(result):
    return [w for w in PRESETS if name("map", w) in result["scores"]]


def _tau_table(sets):
    def row(cells, key):
        return [*cells, *(markdown.spread(result["scores"][key]["kendall_tau"]) for result in sets.values())]

    presets = _presets(next(iter(sets.values())))
    rows = [row([f"Ω = {text}", w], name(omega, w)) for omega, text in OMEGAS.items() for w in presets]
    rows += [row([key, ""], key) for key in label_ranking.REFERENCES]
    return markdown.table(["τ", "w", *sets], rows)


def _first_place_table(sets):
    def cell(result, omega):
        return " / ".join(markdown.number(result["scores"][name(omega, w)]["accuracy"]) for w in ("top1", "full"))

    rows = [[f"Ω = {text}", *(cell(result, omega) for result in sets.values())] for omega, text in OMEGAS.items()]
    return markdown.table(["first place, top1 / full", *sets], rows)


def _listed(references):
    return "\n".join(f"- {key}: {text}" for key, text in references.items()) + "\n"


def _orders(sets):
    sizes = ", ".join(f"{one} {result['rows']} × {result['features']}, {result['labels']} labels, k = {result['k']}"
                      for one, result in sets.items())
    folds = next(iter(sets.values()))["folds"]
    parts = [f"### Orders of labels\n\nRows × features: {sizes}. Kendall's τ, mean ± standard deviation over the {folds} folds "
             "of a cross-validation; features are standardised and λ is chosen by three folds within the training part. For "
             "each fold, with its rows written to two files (here k = 2):\n",
             markdown.command(tool.shown(*label_ranking.arguments("train-1.csv", "test-1.csv", "sparsemap", "partial", 2))),
             _tau_table(sets), _listed(label_ranking.REFERENCES)]
    if "top1" in _presets(next(iter(sets.values()))):
        parts += ["How often the first place is right. With `top1` the loss looks at nothing else and is that of a classifier, "
                  "but λ is still the one chosen for τ:\n",
                  _first_place_table(sets)]
    return parts


def _document_table(result):
    def cell(score):
        value = markdown.number(score["ndcg_10"])
        return value if score["lambda"] is None else f"{value} (λ = {score['lambda']:g})"

    presets = _presets(result)
    rows = [[f"Ω = {text}", *(cell(result["scores"][name(omega, w)]) for w in presets)] for omega, text in OMEGAS.items()]
    rows += [[key, markdown.number(result["scores"][key]["ndcg_10"]), *[""] * (len(presets) - 1)]
             for key in documents.REFERENCES]
    return markdown.table(["NDCG@10", *presets], rows)


def _documents(result):
    asked = documents.arguments(data.path(documents.FILES["train"]), "entropic", "full", 1)
    return ["### Documents of queries\n\nMQ2008, fold 1: NDCG@10 on the test file, with the λ that has the best NDCG@10 on the "
            "validation file. Documents of a query that are equally relevant share the mean worth of their places; k is half the "
            f"documents, at most 10. NDCG has gains 2^rel − 1; of {result['queries']} test queries, the "
            f"{result['queries'] - result['relevant']} without a relevant document have none and are left out of the mean "
            "(LETOR's own script counts them as 0). For each λ:\n",
            markdown.command(tool.shown(*asked)), _document_table(result), _listed(documents.REFERENCES),
            f"With w = top1, Ω = −Hˢ is ListNet's loss. This is one fold and {result['relevant']} queries: small differences "
            "mean little.\n"]


def report(results):
    parts = [INTRODUCTION]
    if _sets(results):
        parts += _orders(_sets(results))
    if "mq2008" in results:
        parts += _documents(results["mq2008"])
    return "\n".join([*parts, markdown.image("ranking", "Kendall's τ of four sets and NDCG@10 of MQ2008 for each Ω")])


def _draw_orders(axes, sets):
    for i, (omega, text) in enumerate(OMEGAS.items()):
        values = [result["scores"][name(omega, "full")]["kendall_tau"] for result in sets.values()]
        places = [place + 0.15 * (i - 1.5) for place in range(len(sets))]
        axes.errorbar(places, list(map(fmean, values)), list(map(stdev, values)), fmt="o", capsize=2, label=f"Ω = {text}")
    for place, result in enumerate(sets.values()):
        for row, style in (("constant", ":"), ("kernel", "--")):
            height = fmean(result["scores"][row]["kendall_tau"])
            axes.hlines(height, place - 0.35, place + 0.35, "gray", style, label=row if place == 0 else None)
    axes.set(title="orders of labels, w = full", ylabel="Kendall's τ", xticks=range(len(sets)), xticklabels=list(sets))


def _draw_documents(axes, result):
    presets = _presets(result)
    for i, (omega, text) in enumerate(OMEGAS.items()):
        places = [place + 0.15 * (i - 1.5) for place in range(len(presets))]
        axes.plot(places, [result["scores"][name(omega, w)]["ndcg_10"] for w in presets], "o", label=f"Ω = {text}")
    for row, style in (("bm25", ":"), ("regression", "--")):
        axes.axhline(result["scores"][row]["ndcg_10"], color="gray", linestyle=style, label=row)
    axes.set(title="MQ2008, fold 1", ylabel="NDCG@10", xticks=range(len(presets)), xticklabels=presets)


def draw(results, folder):
    drawn = [(_draw_orders, _sets(results)), (_draw_documents, results.get("mq2008"))]
    drawn = [(draw_one, result) for draw_one, result in drawn if result]
    with figure(folder, "ranking", 1, len(drawn), size=(5.4, 3.8), squeeze=False) as (_, axes):
        for one, (draw_one, result) in zip(axes[0], drawn):
            draw_one(one, result)
            one.set_xlim(-0.5, len(one.get_xticks()) - 0.5)
            one.grid(axis="x", visible=False)
            one.legend(fontsize=8, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.1))
