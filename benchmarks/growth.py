#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits how every oracle grows: log time against log size, by least squares over the sweeps of growth_bench.cpp.

usage: growth.py FENCHEL_BENCH [BENCHMARK OPTION...]

Prints a table in Markdown. Times are processor times, the least of a few repetitions. The sweeps are wide because the
time of an entry grows where the data leaves a cache, which tilts the slope between two neighbouring sizes.
"""
import json
import math
import subprocess
import sys
from collections import defaultdict

REPETITIONS = 5


def measure(program, options):
    """{name: (stated cost, {size: seconds})}."""
    command = [program, "--benchmark_filter=^growth/", f"--benchmark_repetitions={REPETITIONS}",
               "--benchmark_min_time=0.02", "--benchmark_format=json", *options]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    costs, times = {}, defaultdict(dict)
    for row in report["benchmarks"]:
        if row["run_type"] != "iteration":
            continue
        _, name, size = row["run_name"].split("/")
        seconds = row["cpu_time"] * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}[row["time_unit"]]
        costs[name] = row["label"]
        times[name][int(size)] = min(seconds, times[name].get(int(size), math.inf))
    return {name: (costs[name], times[name]) for name in costs}


def exponent(times):
    """The slope of log time against log size, and the sizes."""
    sizes = sorted(times)
    x, y = [math.log(size) for size in sizes], [math.log(times[size]) for size in sizes]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return (sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x), sizes)


def main():
    print("| oracle | cost | exponent | fitted | sizes | at the largest |\n|---|---|---|---|---|---|")
    for name, (stated, times) in measure(sys.argv[1], sys.argv[2:]).items():
        cost, expected = stated.split(": ")
        fitted, sizes = exponent(times)
        milliseconds = 1e3 * times[sizes[-1]]
        print(f"| {name} | {cost} | {expected} | {fitted:.2f} | {sizes[0]}–{sizes[-1]} | {milliseconds:.3g} ms |")


if __name__ == "__main__":
    main()
