#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our kernels and their peers side by side, one thread, float32.

usage: compare.py PATH_TO_fenchel_bench_peer [--rounds N] [--only TEXT]

Every case alternates between our binary and the peer for a number of rounds, so that a busy machine slows both
alike; times are processor times of the working thread. Printed: the best and the median time of each in ns per
entry, and the ratio peer/ours of the best times beside its goal.
"""
import argparse
import json
import statistics
import subprocess
import time

import torch
from entmax import entmax15, entmax_bisect, sparsemax

CACHE, MEMORY = 50_000, 12_000_000  # entries: in an L2 cache with the result, and in no cache


class Ours:
    """The other end of fenchel_bench_peer's pipe."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def best(self, operation, alpha, case):
        line = f"{operation} {alpha} {case['rows']} {case['cols']} {case['input']} {case['sigma']} 3\n"
        self.process.stdin.write(line)
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["min_ns"]


def scores(case):
    rows, cols = case["rows"], case["cols"]
    if case["input"] == "equal":
        return torch.full((rows, cols), 0.5)
    if case["input"] in ("ascending", "descending"):
        sign = 1 if case["input"] == "ascending" else -1
        return (sign * case["sigma"] * torch.arange(cols) / cols).float().repeat(rows, 1)
    return torch.randn(rows, cols) * case["sigma"]


def peer_call(name, alpha, theta):
    if name == "softmax":
        out = torch.empty_like(theta)  # allocating would charge torch for page faults
        return lambda: torch.softmax(theta, -1, out=out)
    if name == "cross_entropy":
        theta = theta.requires_grad_(True)
        labels = torch.randint(0, theta.shape[1], (theta.shape[0],))

        def forward_backward():
            theta.grad = None
            torch.nn.functional.cross_entropy(theta, labels).backward()

        return forward_backward
    if name == "sparsemax":
        return lambda: sparsemax(theta, -1)
    if name == "entmax15":
        return lambda: entmax15(theta, -1)
    return lambda: entmax_bisect(theta, alpha, -1)


def peer_best(call):
    best = float("inf")
    for _ in range(2):
        start = time.thread_time_ns()
        call()
        best = min(best, time.thread_time_ns() - start)
    return best


def shape(where, cols, input="normal", sigma=1.0):
    entries = CACHE if where == "cache" else MEMORY
    return {"rows": max(1, entries // cols), "cols": cols, "input": input, "sigma": sigma, "where": where}


def peer_cases():
    """(our operation, α, peer's name, case, goal for peer/ours)."""
    for sigma in (1.0, 4.0):
        for cols, goal in ((10, 2), (16, 2), (32, 2), (64, 2), (100, 2.5), (1000, 2.5), (32000, 2.5)):
            yield "summaries", 1.0, "softmax", shape("cache", cols, sigma=sigma), goal
        for cols, goal in ((10, 20), (100, 35), (1000, 100), (32000, 200)):
            yield "predict", 2.0, "sparsemax", shape("cache", cols, sigma=sigma), goal
        for cols, goal in ((10, 20), (100, 30), (1000, 50), (32000, 100)):
            yield "predict", 1.5, "entmax15", shape("cache", cols, sigma=sigma), goal
        for alpha in (1.2, 1.8):
            for cols, goal in ((100, 25), (32000, 80)):
                yield "predict", alpha, "entmax_bisect", shape("cache", cols, sigma=sigma), goal
    for cols in (1000, 32000, 128000):
        yield "summaries", 1.0, "softmax", shape("memory", cols), 2.5
    for cols in (10, 1000, 32000):
        yield "value_gradient", 1.0, "cross_entropy", shape("cache", cols), 6
    for input, sigma in (("equal", 1.0), ("ascending", 1.0), ("normal", 1e-4)):
        yield "predict", 2.0, "sparsemax", shape("cache", 32000, input, sigma), 10
        yield "predict", 1.5, "entmax15", shape("cache", 32000, input, sigma), 10


def own_cases():
    """(operation, α, what it is compared with, case, goal for operation/reference)."""
    yield "summaries", 1.0, "best copy", shape("memory", 1000), 1.6
    for cols in (1000, 32000):
        yield "predict", 2.0, "memcpy", shape("memory", cols), 1.5
    for cols in (16, 100, 1000, 32000):
        for alpha in (1.0, 1.5, 2.0):
            yield "value_gradient", alpha, "predict", shape("cache", cols), 1.15


def title(operation, alpha, case):
    data = f"{case['input']} σ={case['sigma']:g}" if case["input"] == "normal" else case["input"]
    return f"{operation} α={alpha:g} d={case['cols']} {case['where']} {data}"


def report(name, ours, theirs, entries, ratio, goal, met):
    cells = [f"{min(t) / entries:9.3f} {statistics.median(t) / entries:9.3f}" for t in (ours, theirs)]
    print(f"{name:62} {cells[0]} {cells[1]} {ratio:9.2f} {goal:7g}  {'ok' if met else 'MISSED'}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    ours = Ours(options.binary)
    missed = 0
    print(f"{'ns per entry':62} {'ours':>9} {'median':>9} {'other':>9} {'median':>9} {'ratio':>9} {'goal':>7}")
    for operation, alpha, peer, case, goal in peer_cases():
        name = f"{title(operation, alpha, case)} vs {peer}"
        if options.only not in name:
            continue
        call = peer_call(peer, alpha, scores(case))
        call()
        pairs = [(ours.best(operation, alpha, case), peer_best(call)) for _ in range(options.rounds)]
        mine, theirs = zip(*pairs)
        ratio = min(theirs) / min(mine)
        missed += ratio < goal
        report(name, mine, theirs, case["rows"] * case["cols"], ratio, goal, ratio >= goal)
    for operation, alpha, other, case, goal in own_cases():
        name = f"{title(operation, alpha, case)} / {other}"
        if options.only not in name:
            continue
        mine, theirs = [], []
        for _ in range(options.rounds):
            mine.append(ours.best(operation, alpha, case))
            references = ("memcpy", "stream") if other == "best copy" else (other,)
            theirs.append(min(ours.best(reference, alpha, case) for reference in references))
        ratio = min(mine) / min(theirs)
        missed += ratio > goal
        report(name, mine, theirs, case["rows"] * case["cols"], ratio, goal, ratio <= goal)
    print(f"{missed} goal(s) missed")


if __name__ == "__main__":
    main()
