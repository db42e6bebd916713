# SPDX-License-Identifier: Apache-2.0
"""Runs the experiments and writes docs/reproduction.md with its figures and results."""
import argparse
import pathlib
import sys
import time

from . import page
from .all import EXPERIMENTS
from .data import FOLDER, ROOT
from .experiment import run


def main():
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    names = [experiment.name for experiment in EXPERIMENTS]
    long = [experiment.name for experiment in EXPERIMENTS if experiment.only_when_named]
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help=f"which to run (all but {', '.join(long)}, which takes long): {', '.join(names)}")
    parser.add_argument("--quick", action="store_true", help="few and short steps; fails if a finding is missed (except times)")
    parser.add_argument("--results", type=pathlib.Path, help="where results are kept, to go on from (build/reproduction)")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in names]
    if unknown:
        parser.error(f"no experiment is called {unknown[0]!r}; there are {', '.join(names)}")
    folder = options.results or ROOT / "build" / ("reproduction-quick" if options.quick else "reproduction")
    docs = folder if options.quick else ROOT / "docs"

    start = time.perf_counter()

    def say(text):
        print(f"[{time.perf_counter() - start:6.0f} s] {text}", flush=True)

    say(f"data sets: {FOLDER}; results: {folder}")
    missed = 0
    chosen = options.names or [name for name in names if options.quick or name not in long]
    for experiment in EXPERIMENTS:
        if experiment.name not in chosen:
            continue
        results, seconds = run(experiment, folder, options.quick, say)
        for finding in experiment.findings(results):
            missed += not (finding.held or finding.timed)
            say(f"  {finding}")
        if results:
            page.keep(experiment, results, seconds, docs)
    page.write(EXPERIMENTS, docs)
    say(f"wrote {docs / 'reproduction.md'}")
    return 1 if options.quick and missed else 0


if __name__ == "__main__":
    sys.exit(main())
