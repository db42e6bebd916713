# SPDX-License-Identifier: Apache-2.0
"""Runs the command-line tool, which does the training."""
import json
import os
import shlex
import subprocess

from .data import FOLDER, ROOT

TOOL = os.environ.get("FENCHEL_TOOL") or str(ROOT / "build" / "fenchel")


def run(*arguments):
    """What `fenchel ARGUMENTS` prints."""
    command = [TOOL, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{shown(*arguments)} failed: {done.stderr.strip()}")
    return done.stdout


def run_json(*arguments):
    """The same with --json, as an object."""
    return json.loads(run(*arguments, "--json"))


def shown(*arguments):
    """The command as a reader would type it, with $DATA for the folder of data sets."""
    words = [str(word).replace(str(FOLDER), "$DATA") for word in ("fenchel", *arguments)]
    return " ".join(word if word.startswith("$DATA") else shlex.quote(word) for word in words)
