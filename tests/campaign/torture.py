#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tortures the tool: kills at random moments, full and read-only disks, closed descriptors, dead pipes, several writers.

What must hold: a run that was killed goes on from its checkpoint and ends with the same bits as one that was left alone;
a file is the old one or the new one, never a torn one; nothing is left over once the next run has ended; what cannot be
written is said, with status 1 or 2. The cases follow from the seed.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import sys
import tempfile
import threading

import kills
import places
import runs


class Campaign:
    """Runs cases side by side and counts."""

    def __init__(self, folder, options):
        self.folder = folder
        self.options = options
        self.lock = threading.Lock()
        self.kills = self.cases = 0
        self.failures = []

    def case(self, name, work):
        """One case, in an empty folder of its own; `work` returns how many kills there were."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            try:
                killed = work(pathlib.Path(folder), random.Random(f"{self.options.seed} {name}")) or 0
                failure = None
            except runs.Failure as error:
                killed, failure = 0, f"{name}: {error}"
        with self.lock:
            self.cases += 1
            self.kills += killed
            if failure:
                self.failures.append(failure)
                print(f"FAILED {failure}", flush=True)

    def wanted(self, name):
        return self.options.only in name

    def run(self, cases):
        with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS") or 2)) as pool:
            for future in [pool.submit(self.case, name, work) for name, work in cases if self.wanted(name)]:
                future.result()


def place_cases(writers):
    for writer, make in writers.items():
        for place in places.PLACES:
            name = f"{place.__name__.replace('_', ' ')}: {writer}"
            yield name, lambda folder, draw, place=place, make=make: place(make, folder, draw)


def kill_cases(trainings, writers, round_number):
    for name, arguments in trainings.items():
        yield f"kill {round_number}: {name}", lambda folder, draw, a=arguments: kills.kill_run(a, folder, draw)
    for name, make in writers.items():
        yield f"kill {round_number}: {name}", lambda folder, draw, m=make: kills.kill_writer(m, folder, draw)


def accepted_runs(trainings):
    """Those that the tool does not refuse: not every solver takes every problem."""
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS") or 2)) as pool:
        refusals = list(pool.map(runs.refused, trainings.values()))
    return {name: arguments for (name, arguments), no in zip(trainings.items(), refusals) if not no}


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=1000, help="at least so many, if anything is killed")
    parser.add_argument("--seed", type=int, default=0, help="of the moments and signals")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--small", type=int, metavar="N", help="only every N-th training run, and one round of kills")
    return parser.parse_args()


def main():
    options = parsed()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = runs.write_data(folder)
        model = folder / "model"
        runs.good("train", data["classification"], "--quiet", "--model", model)
        writers = runs.writers(data, model)
        trainings = runs.training_runs(data)
        cases = [*place_cases(writers), ("shrunk cache", places.shrunk_cache)]
        campaign = Campaign(folder, options)
        if options.small:
            first = dict(list(trainings.items())[options.seed % options.small :: options.small])
            campaign.run(cases + list(kill_cases(accepted_runs(first), writers, 0)))
        else:
            campaign.run(cases)
            trainings, round_number = accepted_runs(trainings), 0
            while campaign.kills < options.kills:
                before = campaign.kills
                campaign.run(kill_cases(trainings, writers, round_number))
                round_number += 1
                if campaign.kills == before:
                    break
    print(f"{campaign.cases} cases, {campaign.kills} kills, {len(campaign.failures)} failures")
    return int(bool(campaign.failures))


if __name__ == "__main__":
    sys.exit(main())
