# SPDX-License-Identifier: Apache-2.0
"""Rounds over all targets in a child process, until the time is over or findings are enough."""
from __future__ import annotations

import argparse
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any, Callable, Optional

import numpy as np

_EXAMPLES = 10  # calls of a target before the turn of the next one
_MOST_FINDINGS = 20
_HANG = 120.0  # seconds for one call


def _targets(wanted: Optional[str], seed: int) -> list[tuple[str, Callable, bool]]:
    """Name, target, and whether results are continuous."""
    from . import targets

    found = [(f"fenchel.{name}", target, name not in targets.JUMPS) for name, target in targets.array_targets()]
    try:
        from . import torch_targets
    except ImportError:
        print("torch is not installed: fenchel.torch is left out")
    else:
        found += [(f"fenchel.torch.{name}", target, name not in torch_targets.JUMPS)
                  for name, target in torch_targets.torch_targets()]
    chosen = [one for one in found if wanted is None or one[0] == wanted]
    random.Random(seed).shuffle(chosen)  # a short run should not always end before the same names
    return chosen


def _fuzz(target: Callable, continuous: bool, seed: int, shrink: bool, note: Callable[[str], None]) -> np.ndarray:
    """Some calls of one target; raises Finding. Returns how many there were, and how many had results."""
    import hypothesis
    from hypothesis import strategies as st

    from . import oracle

    calls = np.zeros(2, int)
    phases = [hypothesis.Phase.generate] + [hypothesis.Phase.shrink] * shrink

    @hypothesis.seed(seed)
    @hypothesis.settings(max_examples=_EXAMPLES, deadline=None, database=None, print_blob=False, phases=phases,
                         suppress_health_check=list(hypothesis.HealthCheck), verbosity=hypothesis.Verbosity.quiet)
    @hypothesis.given(st.data())
    def calls_of(data: Any) -> None:
        calls[0] += 1
        name, function, arguments, forms = target(data.draw)
        text = oracle.described(name, arguments)
        note(text)
        try:
            calls[1] += oracle.check(function, arguments, forms, continuous)
        except Exception as finding:  # of another type: a mistake of the fuzzer, which is to be mended, too
            raise oracle.Finding(f"{text}\n    {type(finding).__name__}: {finding}") from finding

    calls_of()
    return calls


def child(options: argparse.Namespace) -> int:
    """Calls until the time is over or all rounds are done; findings go to the standard output."""
    from .oracle import Finding

    calls, findings, notes = np.zeros(2, int), 0, options.child
    last = notes.open("wb", buffering=0)

    def note(text: str) -> None:
        last.seek(0)
        last.truncate()
        last.write(text.encode())

    targets, turn, failed = _targets(options.only, options.seed), 0, set()
    end = time.monotonic() + options.seconds  # without what the imports took
    while time.monotonic() < end and findings < _MOST_FINDINGS and turn < options.rounds * len(targets):
        name, target, continuous = targets[turn % len(targets)]
        turn += 1
        if name in failed:
            if len(failed) == len(targets):
                break
            continue
        try:
            calls += _fuzz(target, continuous, options.seed + turn // len(targets),
                           not options.long, note)
        except Finding as finding:
            findings += 1
            failed.add(name)
            print(f"FINDING {finding}", flush=True)
    print(f"{calls[0]} calls of {len(targets)} names, {calls[1]} with results, {findings} findings", flush=True)
    return 1 if findings else 0


def watch(command: list[str], notes: pathlib.Path, seconds: float) -> Optional[str]:
    """Runs a child; the finding if it crashes or hangs, which names the call. Its own findings it prints itself."""
    running = subprocess.Popen(command)
    try:
        status = running.wait(seconds + _HANG)
    except subprocess.TimeoutExpired:
        running.kill()
        running.wait()
        return f"FINDING no end of: {notes.read_text(errors='replace')}"
    if status < 0 or status > 1:
        how = signal.Signals(-status).name if status < 0 else f"status {status}"
        return f"FINDING {how} in: {notes.read_text(errors='replace')}"
    return None if status == 0 else ""


def main(given: Optional[list[str]] = None) -> int:
    """Parses the command line, and starts children until the time is over."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.python", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=10**9, help=f"at most: {_EXAMPLES} calls of each name a round")
    parser.add_argument("--long", action="store_true", help="show findings as they are, without a search for shorter ones")
    parser.add_argument("--only", help="one name, such as fenchel.predict")
    parser.add_argument("--child", type=pathlib.Path, help=argparse.SUPPRESS)
    options = parser.parse_args(given)
    if options.child:
        return child(options)
    end, seed, findings = time.monotonic() + options.seconds, options.seed, 0
    with tempfile.TemporaryDirectory() as folder:
        notes = pathlib.Path(folder) / "call"
        while findings < _MOST_FINDINGS:
            notes.write_text("the start")
            left = max(end - time.monotonic(), 1.0)
            command = [sys.executable, "-m", "fuzz.python", "--seconds", str(left), "--seed", str(seed), "--rounds",
                       str(options.rounds), "--child", str(notes)]
            command += ["--only", options.only] if options.only else []
            found = watch(command + ["--long"] * options.long, notes, left)
            if found is None:
                break
            findings += 1
            if found:
                print(found, flush=True)
            if not found or time.monotonic() >= end:
                break
            seed += 1000  # past the round that ended the child
    return 1 if findings else 0
