#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Structured oracles and their peers side by side, one thread.

usage: harness.py PATH_TO_fenchel_bench_structured [--rounds N] [--only TEXT]

Every other .py file of this folder is a topic whose cases() yields Case objects. A case alternates between our
binary and the peer for a number of rounds, so that a busy machine slows both alike; times are processor times of
the working thread. Printed: the best time of each in microseconds, and the ratio beside its goal. A topic whose
peer is not installed is reported as missing.
"""
import argparse
import dataclasses
import importlib
import json
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Callable

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(variable, "1")


@dataclasses.dataclass
class Case:
    """One comparison: `ours` is a request to our binary; `peer` runs one pass, or is a second such request."""

    name: str
    ours: str
    peer: Callable | str
    goal: float  # peer's time / ours, at least; with `limit`, ours / the other's, at most
    against: str
    limit: bool = False
    rounds: int | None = None


class Ours:
    """The other end of the binary's pipe."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def best(self, request):
        self.process.stdin.write(request + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise RuntimeError(f"{request}: {answer['error']}")
        return answer["min_ns"]


def peer_best(call):
    best = float("inf")
    for _ in range(2):
        start = time.thread_time_ns()
        call()
        best = min(best, time.thread_time_ns() - start)
    return best


def run(case, ours, rounds):
    """Best times of both sides over interleaved rounds, in nanoseconds."""
    mine, other = float("inf"), float("inf")
    if callable(case.peer):
        case.peer()  # warms caches and just-in-time compilers
    for _ in range(case.rounds or rounds):
        mine = min(mine, ours.best(case.ours))
        other = min(other, peer_best(case.peer) if callable(case.peer) else ours.best(case.peer))
    return mine, other


def topics():
    folder = pathlib.Path(__file__).parent
    sys.path.insert(0, str(folder))
    sys.modules.setdefault("harness", sys.modules[__name__])  # the topics import Case from here
    return sorted(path.stem for path in folder.glob("*.py") if path.stem != "harness")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    ours = Ours(options.binary)
    missed = 0
    print(f"{'microseconds':64} {'ours':>12} {'other':>12} {'ratio':>9} {'goal':>8}")
    for topic in topics():
        try:
            cases = list(importlib.import_module(topic).cases())
        except ImportError as error:
            print(f"{topic}: the peer is missing ({error})", flush=True)
            continue
        for case in cases:
            name = f"{case.name} {'/' if case.limit else 'vs'} {case.against}"
            if options.only not in name and options.only != topic:
                continue
            mine, other = run(case, ours, options.rounds)
            ratio = mine / other if case.limit else other / mine
            met = ratio <= case.goal if case.limit else ratio >= case.goal
            missed += not met
            print(f"{name:64} {mine / 1e3:12.2f} {other / 1e3:12.2f} {ratio:9.2f} {case.goal:8g}  "
                  f"{'ok' if met else 'MISSED'}", flush=True)
    print(f"{missed} goal(s) missed")


if __name__ == "__main__":
    main()
