# SPDX-License-Identifier: Apache-2.0
"""scores of trees, in a CoNLL-U file or by a parser"""
from __future__ import annotations

import argparse
import dataclasses
import json
import pathlib

from ... import read_conllu
from ...treebank import Treebank
from ..evaluation import Scores, evaluate, score
from ._common import add_threads, start_torch

NAMES = {"uas": "UAS", "las": "LAS", "las_universal": "universal LAS", "label_accuracy": "label accuracy"}
EXAMPLE = """Scores are percentages of the words. All of them count, punctuation too, unless --no-punctuation.
  UAS             the right head
  LAS             the right head and the right relation, subtypes (nmod:poss) included
  universal LAS   the same without subtypes, that is, for what stands before the colon, as the CoNLL 2018 shared task counts
  label accuracy  the right relation, whatever the head
In JSON they are uas, las, las_universal and label_accuracy, null where there are no relations. Words have to be the same in
both files: the first that is not is named.

Example:
  fenchel-parse evaluate gold.conllu parsed.conllu
  fenchel-parse evaluate gold.conllu --model parser.safetensors --json"""


def add_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("gold", type=pathlib.Path, metavar="GOLD", help="CoNLL-U with the right trees")
    command.add_argument("parsed", type=pathlib.Path, metavar="PARSED", nargs="?",
                         help="CoNLL-U with the trees to judge")
    command.add_argument("--model", type=pathlib.Path,
                         help="instead of PARSED: a parser's file, which parses the sentences of GOLD")
    command.add_argument("--no-punctuation", action="store_true", help="leave out words whose UPOS in GOLD is PUNCT")
    command.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    add_threads(command)


def run(options: argparse.Namespace) -> None:
    if (options.parsed is None) == (options.model is None):
        raise ValueError("expected PARSED or --model, and not both")
    gold = read_conllu(options.gold)
    missing = int((gold.heads < 0).sum())
    if missing:
        raise ValueError(f"{options.gold} has {missing} words without heads; expected sentences with trees")
    if options.model is not None:
        start_torch(options)
        scores = _by_parser(options.model, gold, not options.no_punctuation)
    else:
        try:
            scores = evaluate(gold, read_conllu(options.parsed), not options.no_punctuation)
        except ValueError as error:
            raise ValueError(f"{options.gold} (gold) and {options.parsed} (parsed): {error}") from None
    if options.json:
        print(json.dumps({"sentences": len(gold), **dataclasses.asdict(scores)}))
        return
    print(f"{scores.words} words of {len(gold)} sentences" + (", without punctuation" if options.no_punctuation else ""))
    for name, title in NAMES.items():
        value = getattr(scores, name)
        print(f"{title:<15}" + ("      -" if value is None else f"{value:7.2f}"))


def _by_parser(model: pathlib.Path, gold: Treebank, punctuation: bool) -> Scores:
    from ..parser import Parser

    parser = Parser.load(model)
    found = parser.predict(gold)
    return score(gold, found.heads, found.column("deprel") if parser.labelled else None, punctuation)
