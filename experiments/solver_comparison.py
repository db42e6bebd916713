# SPDX-License-Identifier: Apache-2.0
"""The paper's comparison of solvers for ŷ_Ω of the 1.5-Tsallis entropy (§9.1, "Solver comparison")."""
import csv
import pathlib
import tempfile

import numpy as np

from . import tool
from .experiment import Experiment, Finding, Step
from .figures import figure
from .markdown import command, image, number, table

SOLVERS = {"bisection": "bisection", "brent": "Brent", "newton": "Newton", "fista": "FISTA"}


def steps(quick):
    parameters = {"dims": [10, 100, 1000], "draws": 40} if quick else \
        {"dims": [10, 30, 100, 300, 1000, 3000, 10000], "draws": 200}
    return [Step("times", times, parameters)]


def arguments(dims, draws, path):
    return ["solve-compare", "--dims", ",".join(map(str, dims)), "--draws", draws, "--csv", path]


def times(dims, draws):
    """For each d and solver: the median time, the ends of the 99% interval, the median of iterations, draws missed."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "solvers.csv"
        tool.run(*arguments(dims, draws, path))
        with open(path, encoding="utf-8") as file:
            draws_of = list(csv.DictReader(file))
    return {"draws": draws, "dims": [
        {"d": d, **{solver: summary([row for row in draws_of if int(row["d"]) == d and row["solver"] == solver])
                    for solver in SOLVERS}} for d in dims]}


def summary(rows):
    micros = np.array([float(row["microseconds"]) for row in rows])
    low, median, high = np.quantile(micros[np.isfinite(micros)], [0.005, 0.5, 0.995])
    return {"microseconds": [round(float(value), 3) for value in (low, median, high)],
            "iterations": float(np.median([int(row["iterations"]) for row in rows])),
            "missed": int(np.sum(~np.isfinite(micros)))}


def median(row, solver):
    return row[solver]["microseconds"][1]


def ratio(row, slow, fast):
    return median(row, slow) / median(row, fast)


def missed(result):
    return sum(row[solver]["missed"] for row in result["dims"] for solver in SOLVERS)


def report(results):
    result = results["times"]
    header = ["d", *SOLVERS.values(), "FISTA / Brent", "Brent / Newton"]
    rows = [[row["d"], *(f"{median(row, solver):.2f} ({row[solver]['iterations']:.0f})" for solver in SOLVERS),
             number(ratio(row, "fista", "brent"), 1), number(ratio(row, "brent", "newton"), 1)] for row in result["dims"]]
    return f"""## Solver comparison

Time to a prediction with ‖p − p*‖₂ < 1e-5 under the 1.5-Tsallis entropy (paper §9.1): bisection and Brent's method on the
paper's one-dimensional equation, and FISTA, a generic projected gradient method, on the simplex. Newton's method on the
same equation is ours. Over {result['draws']} draws θ ~ N(0, σI) with log σ ~ U(−4, 4) for each d; one thread; the shortest
of three runs of each. Brent is TOMS 748, of the same family. Median microseconds (and iterations):

{table(header, rows)}
{command(tool.shown(*arguments([row["d"] for row in result["dims"]], result["draws"], "solvers.csv")))}
{image("solver_comparison", "time against d of bisection, Brent, Newton and FISTA")}
Lines are medians; bands hold 99% of the draws.
"""


def findings(results):
    result = results["times"]
    full = result["draws"] >= 200
    compared = (  # few draws on a busy machine say less
        ("Brent's method", "FISTA", "brent", "fista", 10 if full else 3, " (the paper: one to two orders of magnitude)"),
        ("Brent's method", "bisection", "brent", "bisection", 1.2 if full else 0.7, ""),
        ("Newton's method", "Brent's", "newton", "brent", 0.9 if full else 0.5, ""),
    )
    found = []
    for name, other, fast, slow, least, remark in compared:
        factors = [ratio(row, slow, fast) for row in result["dims"]]
        found.append(Finding(f"{name} has at least {least} times the speed of {other} in the median at every d{remark}",
                             min(factors) >= least, f"{min(factors):.1f} to {max(factors):.1f} times", timed=True))
    return [*found, Finding("Every solver gets within 1e-5 on every draw", missed(result) == 0, f"missed: {missed(result)}")]


def draw(results, folder):
    rows = results["times"]["dims"]
    with figure(folder, "solver_comparison", size=(5.4, 4)) as (_, axes):
        for solver, name in SOLVERS.items():
            low, middle, high = zip(*(row[solver]["microseconds"] for row in rows))
            line, = axes.loglog([row["d"] for row in rows], middle, marker="o", markersize=4, label=name)
            axes.fill_between([row["d"] for row in rows], low, high, alpha=0.12, color=line.get_color(), linewidth=0)
        axes.set(xlabel="d", ylabel="microseconds to ‖p − p*‖₂ < 1e-5")
        axes.legend()


solver_comparison = Experiment("solver_comparison", steps, report, findings, draw)
