# SPDX-License-Identifier: Apache-2.0
"""What the commands share."""
from __future__ import annotations

import argparse
import os
import pathlib
import sys

from ..failures import require_packages


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def add_threads(command: argparse.ArgumentParser) -> None:
    command.add_argument("--threads", type=int, default=1, help="of PyTorch; the last bits of results depend on it")


def start_torch(options: argparse.Namespace) -> None:
    """Loads PyTorch, with the threads that were asked for."""
    if options.threads < 1:
        raise ValueError(f"threads is {options.threads}; expected at least 1")
    require_packages()
    import torch

    torch.set_num_threads(options.threads)


def check_not_read(output: pathlib.Path, *read: pathlib.Path) -> None:
    """Throws if a file to write is also one to read."""
    for path in read:
        if output.exists() and path.exists() and os.path.samefile(output, path):
            raise ValueError(f"{output} is to be written and to be read; expected another name for what is written")
