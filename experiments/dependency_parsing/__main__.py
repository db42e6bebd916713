# SPDX-License-Identifier: Apache-2.0
"""The paper's table of dependency parsing: trains what is missing and prints the scores beside the paper's."""
import argparse
import sys

from ..data import ROOT
from ..experiment import Experiment, run
from . import study_step, table
from .table import COMPARED


def main(arguments=None):
    options = _parser().parse_args(arguments)
    try:
        return options.command(options)
    except (ValueError, OSError, RuntimeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
        return 130


def _parser():
    parser = argparse.ArgumentParser(prog="python -m experiments.dependency_parsing", description=__doc__,
                                     epilog="For parsers of your own there is fenchel-parse.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    columns = commands.add_parser("table", help="train all that is missing and print the table beside the paper's")
    columns.set_defaults(command=_table)
    columns.add_argument("languages", nargs="*", metavar="LANGUAGE", help="vi, en, zh, ro or ja (all)")
    columns.add_argument("--loss", choices=COMPARED, action="append", help="one of the losses alone; may be given twice (all)")
    return parser


def _table(options):
    languages = options.languages or table.LANGUAGES
    unknown = [name for name in languages if name not in table.LANGUAGES]
    if unknown:
        raise ValueError(f"language is {unknown[0]!r}; expected one of {', '.join(table.LANGUAGES)}")
    losses = [loss for loss in COMPARED if loss in (options.loss or COMPARED)]
    steps = [study_step(language, losses, f"table_{language}_{'_'.join(losses)}") for language in languages]
    experiment = Experiment("dependency_parsing", lambda quick: steps, lambda results: "")
    results, _ = run(experiment, ROOT / "build" / "reproduction", False, lambda text: print(text, file=sys.stderr, flush=True))
    found = {language: results[step.name] for language, step in zip(languages, steps) if step.name in results}
    if not found:
        raise ValueError("no treebank is there")
    print(table.scores(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
