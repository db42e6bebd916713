# SPDX-License-Identifier: Apache-2.0
"""Training in the primal (L-BFGS) against block coordinate ascent on the dual (paper §8.2), for n ≪ p and n ≫ p."""
import itertools
import json
import math
import pathlib
import subprocess
import tempfile

from . import data, tool
from .experiment import Experiment, Finding, Step
from .figures import figure
from .markdown import command, image, number, table

SETS = {  # file, flags
    "yahoo_arts": ("sparse_multilabel/yahoo_arts/yahoo_arts-train.svm.gz", ["--task", "proportions", "--scale", "maxabs"]),
    "rcv1sub1": ("sparse_multilabel/rcv1sub1/rcv1sub1-train.svm.gz", ["--task", "proportions"]),
    "letter": ("libsvm/letter.scale.svm.gz", ["--task", "classification"]),
    "w8a": ("libsvm/w8a.gz", ["--task", "classification"]),
    "tmc2007-500": ("mulan/tmc2007-500/tmc2007-500-train.arff", ["--task", "proportions"]),
}
LOSSES = ("logistic", "sparsemax")
SOLVERS = {"lbfgs": "L-BFGS", "dual_ascent": "dual ascent"}
AIM = 1e-3
POINTS = 25  # kept of each curve


def steps(quick):
    sets = ("yahoo_arts", "letter") if quick else tuple(SETS)
    problems = itertools.product(sets, LOSSES[1:] if quick else LOSSES, (0.1,) if quick else (1, 0.1))
    return [*(Step(f"size_{name}", size, {"name": name}, [SETS[name][0]]) for name in sets),
            *(Step(f"{name}_{loss}_{strength}", compare,
                   {"name": name, "loss": loss, "strength": strength, "seconds": 3 if quick else 12}, [SETS[name][0]])
              for name, loss, strength in problems)]


def size(name):
    """Examples and features."""
    described = tool.run_json("describe", data.path(SETS[name][0]))
    return [described["rows"], described["features"]]


def problems_of(results):
    """The comparisons, each with the size of its data."""
    return [{**result, "size": results[f"size_{result['name']}"]} for step, result in results.items()
            if not step.startswith("size_")]


def arguments(name, loss, strength, solver):
    path, flags = SETS[name]
    return ["train", data.path(path), *flags, "--omega", loss, "--lambda", strength, "--solver", solver,
            "--intercept", "none", "--threads", 1, "--tolerance", 1e-4, "--log", "log.jsonl"]


def trace(name, loss, strength, solver, seconds):
    """The log of a run, which is ended after that many seconds."""
    with tempfile.TemporaryDirectory() as folder:
        command = [tool.TOOL, *map(str, arguments(name, loss, strength, solver)), "--quiet"]
        try:
            subprocess.run(command, cwd=folder, timeout=seconds, check=True, capture_output=True)
        except subprocess.TimeoutExpired:
            pass
        log = pathlib.Path(folder) / "log.jsonl"
        lines = log.read_text(encoding="utf-8").splitlines(keepends=True) if log.exists() else []
    return [json.loads(line) for line in lines if line.endswith("}\n")]


def compare(name, loss, strength, seconds):
    """Curves of both solvers: seconds, and how far the objective is above the best dual value that either has found."""
    traces = {solver: trace(name, loss, strength, solver, seconds) for solver in SOLVERS}
    dual = max(line["dual"] for lines in traces.values() for line in lines)
    lowest = min(line["objective"] for lines in traces.values() for line in lines)
    return {"name": name, "loss": loss, "strength": strength, "limit": seconds, "dual": dual, "lowest": lowest,
            **{solver: summary(lines, dual) for solver, lines in traces.items()}}


def summary(lines, dual):
    points = [(round(line["seconds"], 4), rounded(line["objective"] / dual - 1), rounded(line["gap"] / line["objective"]))
              for line in lines]
    return {"curve": [point[:2] for point in thinned(points)], "iterations": len(points),
            "reached": first(points, 1), "certified": first(points, 2)}


def first(points, column):
    """When this column first was as low as the aim, in seconds, or None."""
    return next((point[0] for point in points if point[column] <= AIM), None)


def thinned(points):
    """The first and last, and those between at about even ratios of time."""
    if len(points) <= POINTS:
        return points
    ratio = (points[-1][0] / points[0][0]) ** (1 / (POINTS - 1))
    kept = points[:1]
    for point in points[1:-1]:
        if point[0] >= kept[-1][0] * ratio:
            kept.append(point)
    return [*kept, points[-1]]


def rounded(value):
    return float(f"{value:.4g}")


def is_wide(problem):
    n, p = problem["size"]
    return n < p


def sooner(result):
    """The solver that got to the aim first, or "" if none did."""
    seconds = {solver: math.inf if result[solver]["reached"] is None else result[solver]["reached"] for solver in SOLVERS}
    fastest = min(seconds, key=seconds.get)
    return fastest if seconds[fastest] < math.inf else ""


def report(results):
    problems = problems_of(results)
    rows = [[result["name"], *result["size"], result["loss"], result["strength"],
             *(number(result[solver][when], 2) for when in ("reached", "certified") for solver in SOLVERS)]
            for result in problems]
    header = ["data set", "n", "p", "loss", "λ", *SOLVERS.values(), *(f"{name}, own gap" for name in SOLVERS.values())]
    example = problems[0]
    shown = [tool.shown(*arguments(example["name"], example["loss"], example["strength"], solver)) for solver in SOLVERS]
    return f"""## Training in the dual

The paper's dual (§8.2) is maximised one example at a time through the proximity operator of Ω, with no step size: dual ascent
(SDCA). Against it, L-BFGS on the primal, on data with fewer examples (n) than features (p) and with more. Seconds, on one
thread, until the objective is within {AIM:g} (relative) of the best dual value that either solver has found, and until the
solver itself knows it, from its own duality gap; a dash where a run of {example["limit"]} seconds was too short. No intercept.

{table(header, rows)}
{command(chr(10).join(shown))}
{image("dual_training", "suboptimality against seconds, L-BFGS and dual ascent on data sets wide and long")}
A step of dual ascent is a proximity operator: for sparsemax a projection onto the simplex, for the logistic loss a search with
exponentials and logarithms for every class, which costs more.
"""


def findings(results):
    problems = problems_of(results)
    found = []
    for wide, solver in ((True, "dual_ascent"), (False, "lbfgs")):
        for loss in LOSSES:
            chosen = [result for result in problems if is_wide(result) == wide and result["loss"] == loss]
            if chosen:
                found.append(sooner_finding(chosen, solver, f"{'n < p' if wide else 'n > p'}, {loss}"))
    crossed = [result for result in problems if result["dual"] > result["lowest"] * (1 + 1e-9)]
    if problems:
        found.append(Finding("No dual value of one solver lies above an objective of the other (tolerance 1e-9, relative)",
                             not crossed, f"{len(problems)} problems"))
    return found


def sooner_finding(problems, solver, where):
    others = [f"{result['name']} with λ = {result['strength']}" for result in problems if sooner(result) != solver]
    detail = f"{len(problems) - len(others)} of {len(problems)}" + (f"; not {', '.join(others)}" if others else "")
    return Finding(f"{where}: {SOLVERS[solver]} is within {AIM:g} of the optimum sooner in each problem", not others, detail,
                   timed=True)


def draw(results, folder):
    problems = problems_of(results)
    names = [name for name in SETS if any(result["name"] == name for result in problems)]
    strengths = sorted({result["strength"] for result in problems}, reverse=True)
    if not problems:
        return
    with figure(folder, "dual_training", len(strengths), len(names), (3.0, 2.8), squeeze=False, sharey=True) as (fig, axes):
        for result in problems:
            panel = axes[strengths.index(result["strength"]), names.index(result["name"])]
            draw_problem(panel, result)
        for panel in axes[:, 0]:
            panel.set_ylabel("objective / best dual value − 1")
        for panel in axes[-1]:
            panel.set_xlabel("seconds")
        labels = {label: line for panel in axes.flat for line, label in zip(*panel.get_legend_handles_labels())}
        fig.legend(labels.values(), labels.keys(), loc="outside lower center", ncols=4)


def draw_problem(panel, result):
    colour = f"C{LOSSES.index(result['loss'])}"
    for solver, style in zip(SOLVERS, ("--", "-")):
        curve = [point for point in result[solver]["curve"] if point[1] > 0]
        if curve:
            panel.loglog(*zip(*curve), style, marker="." if len(curve) < 10 else "", markersize=4, color=colour,
                         label=f"{result['loss']}, {SOLVERS[solver]}")
    panel.minorticks_off()  # a thousand of them, in the file too
    panel.axhline(AIM, color="gray", linewidth=0.8)
    n, p = result["size"]
    panel.set(title=f"{result['name']} ({n} × {p}), λ = {result['strength']}", ylim=(3e-5, 10))
    panel.title.set_fontsize(9)


dual_training = Experiment("dual_training", steps, report, findings, draw)
