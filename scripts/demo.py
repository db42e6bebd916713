#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The main job on data made up on the spot: train with three Omegas and with a tuned one, and compare.

usage: demo.py TOOL FOLDER   (FOLDER is for files; digits.svm is used if it is there)
"""
import json
import pathlib
import subprocess
import sys

OMEGAS = [("softmax (alpha = 1)", "tsallis:alpha=1"), ("entmax (alpha = 1.5)", "tsallis:alpha=1.5"),
          ("sparsemax (alpha = 2)", "tsallis:alpha=2")]


def run(tool, *arguments):
    shown = " ".join(str(argument) for argument in arguments)
    print(f"$ fenchel {shown}", flush=True)
    return subprocess.run([tool, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def trained(tool, *arguments):
    return json.loads(run(tool, "train", *arguments, "--json"))


def table(title, columns, rows):
    print(f"\n{title}\n{'':<24}" + "".join(f"{name:>16}" for name in columns))
    for name, values in rows:
        print(f"{name:<24}" + "".join(f"{value:>16.4f}" for value in values))
    print()


def documents(tool, folder):
    train, test = folder / "train.svm", folder / "test.svm"
    text = run(tool, "synth", "proportions", "--classes", "10", "--samples", "2400", "--seed", "1")
    lines = text.splitlines(keepends=True)
    train.write_text("".join(lines[:1400]))
    test.write_text("".join(lines[1400:]))
    rows = []
    common = [train, "--task", "proportions", "--scale", "standard"]
    for name, omega in OMEGAS:
        result = trained(tool, *common, "--omega", omega, "--lambda", "0.1", "--test", test)["test"]
        rows.append((name, (result["js"], result["mean_support"])))
    tuned = json.loads(run(tool, "tune", *common, "--omega", "tsallis", "--grid", "alpha=1:2:0.1", "--grid",
                           "lambda=1e-3:10:log", "--metric", "js", "--valid", "0.25", "--test", test, "--json"))
    name = f"tuned (alpha = {tuned['best']['alpha']:g})"
    rows.append((name, (tuned["test"]["js"], tuned["test"]["mean_support"])))
    table("label proportions of 1000 documents", ["JS divergence", "labels of 10"], rows)
    best = min(rows, key=lambda row: row[1][0])[0]
    print(f"A document has about two labels. Softmax gives every label a share; larger alpha leaves most at exactly 0,\n"
          f"and here '{best}' is closest to the true proportions.\n")


def digits(tool, folder):
    data = folder / "digits.svm"
    if not data.exists():
        print("digits: skipped, scikit-learn could not be installed")
        return
    rows = []
    for name, omega in [*OMEGAS, ("hinge", "hinge")]:
        result = trained(tool, data, "--omega", omega, "--lambda", "1", "--scale", "maxabs", "--valid", "0.25")["valid"]
        rows.append((name, (result["accuracy"], result["mean_support"])))
    table("scikit-learn's digits, a quarter held out", ["accuracy", "classes of 10"], rows)


def main():
    tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    documents(tool, folder)
    digits(tool, folder)


if __name__ == "__main__":
    main()
