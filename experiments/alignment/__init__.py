# SPDX-License-Identifier: Apache-2.0
"""Time series by alignment (paper §7.3): nearest neighbours and centroids under DTW and soft-DTW."""
from ..experiment import Experiment, Finding, Step
from ..figures import figure
from ..markdown import command, image, number, table
from .centroids import GAMMAS, centroids, from_text
from .neighbours import chosen, classify
from .series import FILES, needs

#: Test errors of 1-NN in the UCR archive's list: Euclidean, DTW with the band learned on the training set, DTW with none.
PUBLISHED = {"GunPoint": {"euclidean": 0.0867, "band": 0.0867, "dtw": 0.0933},
             "ItalyPowerDemand": {"euclidean": 0.0447, "band": 0.0447, "dtw": 0.0496}}
PUBLISHED_TOLERANCE = 0.002
SOFT_TOLERANCE = 0.02
COMMAND = command(".venv/bin/python -m experiments alignment")


def steps(quick):
    if quick:
        name = "ItalyPowerDemand"
        return [Step(f"neighbours_{name}", classify, {"name": name, "bands": [0, 1, 2], "rows": 1029}, needs(name)),
                Step(f"centroids_{name}", centroids, {"name": name, "gammas": [0.1, 1], "rows": 300}, needs(name))]
    bands = {"GunPoint": list(range(31)), "ItalyPowerDemand": list(range(24))}
    return [Step(f"neighbours_{name}", classify, {"name": name, "bands": bands[name], "rows": None}, needs(name))
            for name in FILES] + \
           [Step(f"centroids_{name}", centroids, {"name": name, "gammas": GAMMAS, "rows": None}, needs(name)) for name in FILES]


def present(results, kind):
    """The results of this kind by data set."""
    return {name: results[f"{kind}_{name}"] for name in FILES if f"{kind}_{name}" in results}


def report(results):
    return "## Alignment of time series\n" + neighbours_text(present(results, "neighbours")) + \
        centroids_text(present(results, "centroids"))


def neighbours_text(found):
    rows = [row for name, result in found.items() for row in neighbour_rows(name, result)]
    return f"""
Series of the UCR archive, on its own split into training and test set, classified by the nearest neighbour. Soft-DTW is
−γ log Σ exp(−⟨C, y⟩/γ) over alignments y, the scaled log-partition function of the alignment polytope (paper §7.3), with
squared differences C; its divergence is soft-DTW(a, b) − ½ soft-DTW(a, a) − ½ soft-DTW(b, b), which is 0 for a series with
itself. The half width of the band and γ have the least leave-one-out error on the training set; the smallest among equals.

{table(["data set", "distance", "chosen", "leave-one-out error", "test error", "UCR archive"], rows)}
{COMMAND}
{image("alignment_gamma", "test error of 1-NN against γ for soft-DTW and its divergence, beside other distances")}"""


def neighbour_rows(name, result):
    published = PUBLISHED[name]
    band = result["band"]
    yield [name, "Euclidean", "", "", number(result["euclidean"], 4), published["euclidean"]]
    yield [name, "DTW, no band", "", "", number(result["dtw"], 4), published["dtw"]]
    yield [name, "DTW, band", band["chosen"], number(min(band["left_out"]), 4), number(band["error"], 4), published["band"]]
    for kind, text in (("value", "soft-DTW"), ("divergence", "soft-DTW divergence")):
        best = chosen(result["soft"], kind)
        yield [name, text, f"γ = {best['gamma']}", *(number(value, 4) for value in best[kind]), ""]


def centroids_text(found):
    rows = [row for name, result in found.items() for row in centroid_rows(name, result)]
    return f"""
A class may also be represented by one series: its Euclidean mean, or the soft-DTW barycentre, argmin over b of
Σ soft-DTW(b, x_i) (Cuturi and Blondel 2017), found by L-BFGS from the mean; the gradient of soft-DTW with respect to costs
is the expected alignment. Errors of the nearest centroid, and how far training series are from the centroid of their class
under DTW:

{table(["data set", "centroid", "distance", "training error", "test error", "mean DTW"], rows)}
{COMMAND}
{image("alignment_barycentres", "series of each class with their Euclidean mean and soft-DTW barycentres")}"""


def centroid_rows(name, result):
    mean = result["mean"]
    for kind, text in (("euclidean", "Euclidean"), ("dtw", "DTW")):
        yield [name, "mean", text, *(number(value) for value in mean[kind]), number(mean["spread"])]
    for entry in result["barycentres"]:
        yield [name, f"barycentre, γ = {entry['gamma']}", "soft-DTW", *(number(value) for value in entry["errors"]),
               number(entry["spread"])]


def findings(results):
    found = [finding for name, result in present(results, "neighbours").items() for finding in neighbour_findings(name, result)]
    return found + [finding for name, result in present(results, "centroids").items()
                    for finding in centroid_findings(name, result)]


def neighbour_findings(name, result):
    ours = {"euclidean": result["euclidean"], "band": result["band"]["error"], "dtw": result["dtw"]}
    apart = max(abs(ours[kind] - value) for kind, value in PUBLISHED[name].items())
    yield Finding(f"{name}: the errors of Euclidean distance and of DTW with and without a band are those of the UCR archive "
                  f"(tolerance {PUBLISHED_TOLERANCE})", apart <= PUBLISHED_TOLERANCE, f"largest difference {apart:.4f}")
    for kind, text in (("value", "soft-DTW"), ("divergence", "its divergence")):
        error = chosen(result["soft"], kind)[kind][1]
        yield Finding(f"{name}: with the γ chosen, {text} errs no more than DTW (tolerance {SOFT_TOLERANCE})",
                      error <= result["dtw"] + SOFT_TOLERANCE, f"{error:.4f} against {result['dtw']:.4f}")


def centroid_findings(name, result):
    mean, barycentres = result["mean"], result["barycentres"]
    least = min(barycentres, key=lambda entry: entry["gamma"])
    yield Finding(f"{name}: the barycentre with the least γ is closer to its class under DTW than the Euclidean mean",
                  least["spread"] < mean["spread"], f"{least['spread']:.3f} against {mean['spread']:.3f}")
    best = min(barycentres, key=lambda entry: entry["errors"][0])
    yield Finding(f"{name}: with the γ of the least training error, barycentres classify better than Euclidean means under DTW",
                  best["errors"][1] < mean["dtw"][1], f"{best['errors'][1]:.3f} against {mean['dtw'][1]:.3f}")
    if len(barycentres) == len(GAMMAS):
        yield Finding(f"{name}: and better than Euclidean means under Euclidean distance",
                      best["errors"][1] < mean["euclidean"][1], f"{best['errors'][1]:.3f} against {mean['euclidean'][1]:.3f}")


def draw(results, folder):
    neighbours, averages = present(results, "neighbours"), present(results, "centroids")
    if neighbours:
        with figure(folder, "alignment_gamma", 1, len(neighbours), (4.4, 3.4), squeeze=False) as (_, axes):
            for panel, (name, result) in zip(axes[0], neighbours.items()):
                draw_errors(panel, name, result)
            axes[0, 0].set_ylabel("test error of 1-NN")
            axes[0, -1].legend(fontsize=8)
    if averages:
        name, result = next(iter(averages.items()))
        with figure(folder, "alignment_barycentres", 1, len(result["curves"]), (5, 3.4), squeeze=False, sharey=True) as (_, axes):
            for i, (panel, curves) in enumerate(zip(axes[0], result["curves"])):
                draw_class(panel, curves, [entry["gamma"] for entry in result["barycentres"]])
                panel.set(title=f"{name}, class {i + 1}", xlabel="time")
            axes[0, 0].legend(fontsize=8)


def draw_errors(panel, name, result):
    gammas = [entry["gamma"] for entry in result["soft"]]
    for kind, text in (("value", "soft-DTW"), ("divergence", "soft-DTW divergence")):
        panel.semilogx(gammas, [entry[kind][1] for entry in result["soft"]], marker="o", markersize=4, label=text)
    panel.axhline(result["euclidean"], color="gray", linestyle="--", linewidth=1.2, label="Euclidean")
    panel.axhline(result["dtw"], color="black", linestyle=":", linewidth=1.2, label="DTW")
    panel.set(title=name, xlabel="γ", ylim=(0, None))


def draw_class(panel, curves, gammas):
    for text in curves["series"]:
        panel.plot(from_text(text), color="0.82", linewidth=0.8)
    panel.plot(from_text(curves["mean"]), color="black", linestyle="--", linewidth=1.3, label="Euclidean mean")
    for i, (gamma, text) in enumerate(zip(gammas, curves["barycentres"])):
        panel.plot(from_text(text), color=f"C{i}", linewidth=1.4, label=f"barycentre, γ = {gamma}")


alignment = Experiment("alignment", steps, report, findings, draw)
