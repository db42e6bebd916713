# SPDX-License-Identifier: Apache-2.0
"""Dependency parsers with Fenchel-Young losses over trees and labels: train one, parse with it, see how good it is."""
from __future__ import annotations

import argparse
import io
import os
import sys
from typing import List, Optional

from .commands import evaluate, predict, train
from .failures import Diverged

STATUSES = """Exit status: 0 done; 1 training diverged, there is no parser; 2 wrong use, wrong input, or a file that cannot be
read or written; 130 ended by Ctrl-C."""
DONE, FAILED, WRONG, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs a command and returns its exit status. Results go to standard output, all else to standard error."""
    options = _parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # as CoNLL-U is, whatever the locale
    try:
        options.run(options)
        sys.stdout.flush()
        return DONE
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains once more when it ends
        return _complain("the standard output could not be written", WRONG)
    except Diverged as error:
        return _complain(error, FAILED)
    except (ValueError, OSError, ImportError, RuntimeError, MemoryError) as error:
        return _complain(str(error) or type(error).__name__, WRONG)
    except KeyboardInterrupt:
        print(f"stopped{options.after_interruption}", file=sys.stderr)
        return INTERRUPTED


def _complain(error: object, status: int) -> int:
    print(f"error: {error}", file=sys.stderr)
    return status


def _parser() -> argparse.ArgumentParser:
    from .. import __version__

    parser = argparse.ArgumentParser(prog="fenchel-parse", description=__doc__, epilog=STATUSES)
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for module in (train, predict, evaluate):
        command = commands.add_parser(module.__name__.rpartition(".")[2], help=module.__doc__, description=module.__doc__,
                                      epilog=module.EXAMPLE, formatter_class=_Help)
        command.set_defaults(run=module.run, after_interruption=getattr(module, "AFTER_INTERRUPTION", ""))
        module.add_options(command)
    return parser


class _Help(argparse.ArgumentDefaultsHelpFormatter, argparse.RawDescriptionHelpFormatter):
    """Defaults are said where there are any, and examples keep their lines."""

    def _get_help_string(self, action: argparse.Action) -> Optional[str]:
        return super()._get_help_string(action) if action.default not in (None, False) else action.help
