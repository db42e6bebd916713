# SPDX-License-Identifier: Apache-2.0
"""parse the sentences of a CoNLL-U file"""
from __future__ import annotations

import argparse
import pathlib
import sys
import time

from ... import read_conllu
from ..evaluation import score
from ._common import add_threads, check_not_read, say, start_torch

EXAMPLE = """OUTPUT is INPUT with HEAD and DEPREL of the parser, DEPREL root for the word with head 0 and for it alone. If INPUT
has trees, the scores are said.

Example:
  fenchel-parse predict parser.safetensors new.conllu parsed.conllu"""


def add_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("model", type=pathlib.Path, metavar="MODEL", help="a parser's file")
    command.add_argument("input", type=pathlib.Path, metavar="INPUT", help="CoNLL-U with words and tags; heads may be missing")
    command.add_argument("output", type=pathlib.Path, metavar="OUTPUT", nargs="?", default="-",
                         help="CoNLL-U with trees; - is standard output")
    add_threads(command)


def run(options: argparse.Namespace) -> None:
    if options.output.suffix == ".gz":
        raise ValueError(f"output is {options.output}; it is written as plain text: expected a name without .gz")
    check_not_read(options.output, options.model, options.input)
    start_torch(options)
    from ..parser import Parser

    parser = Parser.load(options.model)
    bank = read_conllu(options.input)
    start = time.perf_counter()
    try:
        parsed = parser.predict(bank)
    except ValueError as error:
        raise ValueError(f"{options.input}: {error}") from None
    seconds = time.perf_counter() - start
    if str(options.output) == "-":
        sys.stdout.write(parsed.text())
    else:
        parsed.write(options.output)
    scores = ""
    if (bank.heads >= 0).any():
        scores = f", {score(bank, parsed.heads, parsed.column('deprel') if parser.labelled else None)}"
    say(f"{len(bank)} sentences, {bank.offsets[-1]} words in {seconds:.1f} s{scores}")
