# SPDX-License-Identifier: Apache-2.0
"""Runs the tool under test: $FENCHEL_TOOL, else build/fenchel."""
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = os.environ.get("FENCHEL_TOOL", str(ROOT / "build" / "fenchel"))
GOLDEN = ROOT / "tests" / "golden"


def run(*arguments, stdin=""):
    """The finished process; input and output are text unless the input is bytes."""
    return subprocess.run(
        [TOOL, *arguments], input=stdin, capture_output=True, text=isinstance(stdin, str), timeout=120, check=False
    )


def evaluate(cases, *flags):
    """Replies of `fenchel eval` to cases (objects, or raw lines), and its exit status."""
    lines = [case if isinstance(case, str) else json.dumps(case) for case in cases]
    done = run("eval", *flags, stdin="\n".join(lines) + "\n")
    return [json.loads(line) for line in done.stdout.splitlines()], done.returncode
