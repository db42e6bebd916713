# SPDX-License-Identifier: Apache-2.0
"""Label proportions with Tsallis losses: α and λ chosen on held-out rows, the model judged on a test file."""
import dataclasses
from typing import Sequence

from . import tool

COLUMNS = ("1", "1.5", "2", "tuned")  # α


@dataclasses.dataclass(frozen=True)
class Choice:
    """What is tried on a share of the rows, and how."""

    alphas: Sequence[float]
    lambdas: Sequence[float]
    share: float
    flags: Sequence[str]  # how models are fitted
    metric: str = "js"  # Jensen-Shannon divergence, or squared_error
    refit: bool = False  # whether the chosen model is fitted again on all rows


def grid(values):
    return ",".join(f"{value:g}" for value in values)


def tune_command(choice: Choice, train, seed):
    return ["tune", train, "--task", "proportions", "--omega", "tsallis", "--grid", f"alpha={grid(choice.alphas)}", "--grid",
            f"lambda={grid(choice.lambdas)}", "--metric", choice.metric, "--valid", choice.share, "--seed", seed, *choice.flags]


def train_command(choice: Choice, train, test, seed, alpha, strength):
    held_out = [] if choice.refit else ["--valid", choice.share, "--seed", seed]
    return ["train", train, "--task", "proportions", "--omega", f"tsallis:alpha={alpha:g}", "--lambda", f"{strength:g}",
            *choice.flags, *held_out, "--test", test]


def best(table, column, metric):
    """The row of the tuning table with the smallest metric, of those with the α of the column."""
    return min((row for row in table if column == "tuned" or row["alpha"] == float(column)), key=lambda row: row[metric])


def choose_and_judge(choice: Choice, train, test, seed):
    """For each column the chosen α and λ and what the model does on the test file."""
    table = tool.run_json(*tune_command(choice, train, seed))["table"]
    columns, models = {}, {}
    for column in COLUMNS:
        winner = best(table, column, choice.metric)
        key = winner["alpha"], winner["lambda"]
        if key not in models:
            models[key] = tool.run_json(*train_command(choice, train, test, seed, *key))["test"]
        judged = models[key]
        columns[column] = {"alpha": key[0], "lambda": key[1], "js": round(judged["js"], 5),
                           "squared_error": round(judged["squared_error"], 5), "support": round(judged["mean_support"], 2)}
    return columns
