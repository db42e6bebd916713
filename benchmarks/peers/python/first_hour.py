#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Quality and time on public sets at everybody's defaults: the tool, scikit-learn, LightGBM and CRFsuite.

usage: first_hour.py [--tool PATH] [--data FOLDER] [--only NAME]... [--rounds N] [--limit SECONDS] [--all] [--write]

The tool gets the files and nothing else (`fenchel train FILE --model M`, `fenchel predict M FILE`); its peers get the same
rows as arrays. One thread each. The measure is computed from everybody's answers by the same code, and compared with what
`fenchel evaluate` says. Times are processor seconds: of the tool's two processes from start to end; of the peers' fit and
predict alone, with imports done and data in memory. Rounds alternate, and the median counts; a program that takes more than
30 seconds is run once.

--only     a set by its name (several times: several sets)
--limit    a program that has not ended after so many processor seconds is stopped (default 120)
--all      also what takes minutes and is left out otherwise
--results  where results are kept, as JSON: those of other sets stay (default build/first_hour.json)
--write    write the table of all results kept into docs/benchmarks.md
--page     another page to write it to
"""
import argparse
import dataclasses
import json
import os
import pathlib
import statistics
import sys
import tempfile

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["OMP_WAIT_POLICY"] = "passive"

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from public_sets import table  # noqa: E402
from public_sets.all import public_sets  # noqa: E402
from public_sets.programs import PEERS, TooLong, ready, run_peer, run_tool  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
LONG = 30  # processor seconds from which one round is enough
#: What takes minutes: a boosted model for each of many labels of documents, CRFs of 200000 tokens.
COSTLY = {("rcv1sub1", "LightGBM"), ("yahoo_arts", "LightGBM"), ("ng20", "LightGBM"), ("tmc2007-500", "LightGBM")}
COSTLY_SETS = {"UPOS of en_ewt"}


def programs_for(one, options):
    """A function of the folder for each program that is at hand."""
    runs = {"Fenchel": lambda folder: run_tool(options.tool, one, folder, options.limit)}
    for name, (peer, modules) in PEERS.items():
        if (one.name, name) in COSTLY and not options.all:
            continue
        if ready(modules):
            runs[name] = lambda folder, peer=peer: run_peer(peer, one, folder, options.limit)
    return runs


def compare(one, options, folder):
    """The results of every program on one set."""
    runs, outcomes = programs_for(one, options), {}
    for _ in range(options.rounds):
        for name, run in runs.items():
            before = outcomes.setdefault(name, [])
            if before and (before[0] is None or before[0].quality is None or before[0].seconds > LONG):
                continue
            try:
                before.append(run(folder))
            except TooLong:
                before.append(table.too_long(options.limit))
            except RuntimeError as error:
                before.append(table.failed(error))
    result = {"task": one.task, "metric": one.metric, "size": one.size(), "programs": {}}
    for name, found in outcomes.items():
        if found[0] is not None:
            entry = dataclasses.asdict(found[0])
            entry.update(seconds=statistics.median(outcome.seconds for outcome in found), rounds=len(found))
            result["programs"][name] = entry
    return result


def show(name, result):
    print(f"{name}: {result['task']}, {result['size']}, {result['metric']}")
    for program, entry in result["programs"].items():
        print(f"    {program:30} {table.cell(entry)}")
        for line in entry["said"].splitlines():
            print(f"        {line[:200]}")
    sys.stdout.flush()


def measure(options, kept):
    with tempfile.TemporaryDirectory(prefix="fenchel-first-hour-") as scratch:
        folder = pathlib.Path(scratch)
        for name, files, read in public_sets(options.data, folder):
            if name not in options.only if options.only else name in COSTLY_SETS and not options.all:
                continue
            missing = [str(file.relative_to(options.data)) for file in files if not file.exists()]
            if missing:
                print(f"{name}: skipped, {', '.join(missing)} is not in {options.data}")
                continue
            kept[name] = compare(read(), options, folder)
            show(name, kept[name])
            options.results.parent.mkdir(parents=True, exist_ok=True)
            options.results.write_text(json.dumps(kept, indent=1), encoding="utf-8")
        return [name for name, _, _ in public_sets(options.data, folder)]


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tool", default=os.environ.get("FENCHEL_TOOL") or str(ROOT / "build" / "fenchel"))
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("FENCHEL_DATA") or ROOT.parent / "shared" / "data"))
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=int, default=120)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "build" / "first_hour.json")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs" / "benchmarks.md")
    return parser.parse_args()


def main():
    options = parsed()
    if not pathlib.Path(options.tool).exists():
        raise SystemExit(f"error: --tool {options.tool} is not there; scripts/build compiles build/fenchel")
    kept = json.loads(options.results.read_text(encoding="utf-8")) if options.results.exists() else {}
    order = measure(options, kept)
    unknown = [name for name in options.only if name not in order]
    if unknown:
        raise SystemExit(f"error: --only {unknown[0]} is not a set; expected one of: {', '.join(order)}")
    text = table.markdown([(name, kept[name]) for name in order if name in kept])
    if options.write:
        table.write(options.page, text)
        print(f"wrote {options.page}")
    else:
        print(text)


if __name__ == "__main__":
    main()
