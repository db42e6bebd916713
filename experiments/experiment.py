# SPDX-License-Identifier: Apache-2.0
"""What an experiment is: steps with results in JSON, findings about them, figures, and a section of the report."""
import dataclasses
import json
import pathlib
import time
from typing import Any, Callable, Dict, List, Sequence, Tuple

from . import data


@dataclasses.dataclass(frozen=True)
class Step:
    """One piece of work whose result is kept. The function gets the parameters by name and returns what JSON can hold.

    A result found on disk counts if it was made with the same parameters.
    """

    name: str
    function: Callable[..., Any]
    parameters: Dict[str, Any] = dataclasses.field(default_factory=dict)
    needs: Sequence[str] = ()  # data files, as for data.path


@dataclasses.dataclass(frozen=True)
class Finding:
    """A statement that the results confirm or not; `detail` has the numbers. Timed ones depend on the machine."""

    statement: str
    held: bool
    detail: str
    timed: bool = False

    def __str__(self):
        return f"{self.statement}: **{'held' if self.held else 'not held'}** ({self.detail})."


Results = Dict[str, Any]  # by the name of the step; those that lacked data are not in it


@dataclasses.dataclass(frozen=True)
class Experiment:
    """An experiment and its report. `steps(quick)` are few and short when quick; the rest takes the results of either.

    One that is `only_when_named` takes long: it is run when it is named, and in its quick form.
    """

    name: str
    steps: Callable[[bool], List[Step]]
    report: Callable[[Results], str]  # Markdown that begins with a heading of level 2
    findings: Callable[[Results], List[Finding]] = lambda results: []
    draw: Callable[[Results, pathlib.Path], None] = lambda results, folder: None
    only_when_named: bool = False


def saved(path: pathlib.Path, parameters: Dict[str, Any]) -> Any:
    """The record in a file if it was made with these parameters, else None. A damaged file counts as none."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        return record if record["parameters"] == json.loads(json.dumps(parameters)) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def run(experiment: Experiment, folder: pathlib.Path, quick: bool, say: Callable[[str], None]) -> Tuple[Results, float]:
    """Runs the steps that have no result in `folder` yet. A step that lacks data is named and left out.

    Returns the results, and the seconds that they took, whenever that was.
    """
    results, seconds = {}, 0.0
    steps = experiment.steps(quick)
    for i, step in enumerate(steps, 1):
        where = f"{experiment.name} {i}/{len(steps)}: {step.name}"
        lacking = [text for text in map(data.missing, step.needs) if text]
        if lacking:
            say(f"{where}: skipped: {lacking[0]}")
            continue
        path = folder / experiment.name / f"{step.name}.json"
        record = saved(path, step.parameters)
        if record is None:
            say(where)
            start = time.perf_counter()
            result = step.function(**step.parameters)
            record = {"parameters": step.parameters, "seconds": round(time.perf_counter() - start, 2), "result": result}
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_suffix(".part")
            unfinished.write_text(json.dumps(record, indent=1), encoding="utf-8")
            unfinished.replace(path)
            say(f"{where}: {record['seconds']:.1f} s")
        else:
            say(f"{where}: done before, in {record['seconds']:.1f} s")
        results[step.name] = record["result"]
        seconds += record["seconds"]
    return results, seconds
