# SPDX-License-Identifier: Apache-2.0
"""The report: docs/reproduction.md, written from the results in docs/reproduction/, beside which the figures lie."""
import json

INTRODUCTION = """# Reproduction

Every table and figure of the paper that rests on computation, and more, from one command:

```sh
make reproduce                                  # everything: within 40 minutes on two cores; goes on where it stopped
.venv/bin/python -m experiments solver_comparison   # one of them
.venv/bin/python -m experiments --quick         # a small version of each, within two minutes
```

This page is written by that command from the results in `docs/reproduction/`; no number in it is typed by hand, but for those
of the paper, which stand in `experiments/*/paper.json`. Data sets lie in `$FENCHEL_DATA`; where one is missing the command says
which file it looked for and where it comes from, and goes on. In commands, `$DATA` is that folder.
"""


def results_path(experiment, docs):
    return docs / "reproduction" / f"{experiment.name}.json"


def keep(experiment, results, docs):
    """Puts the results and figures of an experiment beside the report."""
    path = results_path(experiment, docs)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    experiment.draw(results, docs / "reproduction" / "figures")


def text(experiments, docs):
    """The report on the experiments that have results there."""
    sections = [INTRODUCTION]
    for experiment in experiments:
        path = results_path(experiment, docs)
        if not path.exists():
            continue
        results = json.loads(path.read_text(encoding="utf-8"))
        sections.append(experiment.report(results))
        findings = experiment.findings(results)
        if findings:
            sections.append("Findings:\n\n" + "\n".join(f"- {finding}" for finding in findings) + "\n")
    return "\n".join(section.strip("\n") + "\n" for section in sections)


def write(experiments, docs):
    (docs / "reproduction.md").write_text(text(experiments, docs), encoding="utf-8")
