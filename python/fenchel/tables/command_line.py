# SPDX-License-Identifier: Apache-2.0
"""Tables of Parquet, Arrow IPC and Feather as CSV, which `fenchel` reads."""
from __future__ import annotations

import argparse
import inspect
import sys
import warnings
from typing import Any, Callable, List, Optional

from .csv_file import convert

DONE, WRONG, INTERRUPTED = 0, 2, 130
_EPILOG = """The format of SOURCE is known by its first bytes. DESTINATION is written as a whole or not at all.

  fenchel-table convert train.parquet train.csv --ignore id
  fenchel train train.csv --target y --model m.safetensors

Exit status: 0 done; 2 wrong use, wrong input, or a file that cannot be read or written; 130 ended by Ctrl-C."""


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs a command and returns its exit status. Messages go to standard error."""
    options = _parser().parse_args(arguments)
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", UserWarning)
            rows = convert(options.source, options.destination, ignore=options.ignore)
        for warning in told:
            print(f"warning: {warning.message}", file=sys.stderr)
        print(f"{options.source}: {rows} rows -> {options.destination}", file=sys.stderr)
        return DONE
    except (ValueError, OSError, ImportError, MemoryError) as error:
        print(f"error: {error or type(error).__name__}", file=sys.stderr)
        return WRONG
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return INTERRUPTED


def _about(function: Callable[..., Any]) -> str:
    """What a docstring says before its sections."""
    return inspect.cleandoc(function.__doc__ or "").partition("\n\nParameters\n")[0]


def _parser() -> argparse.ArgumentParser:
    from .. import __version__

    parser = argparse.ArgumentParser(prog="fenchel-table", description=__doc__)
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands: Any = parser.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser("convert", help="writes CSV", description=_about(convert), epilog=_EPILOG,
                                  formatter_class=argparse.RawDescriptionHelpFormatter)
    command.add_argument("source", metavar="SOURCE", help="a file of Parquet, Arrow IPC or Feather")
    command.add_argument("destination", metavar="DESTINATION", help="the file to write, whose name ends in .csv")
    command.add_argument("--ignore", metavar="COLUMN", action="append", default=[],
                         help="a column to leave out, by name or number; may be given several times")
    return parser
