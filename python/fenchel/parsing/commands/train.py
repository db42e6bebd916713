# SPDX-License-Identifier: Apache-2.0
"""train a parser on CoNLL-U files"""
from __future__ import annotations

import argparse
import dataclasses
import pathlib
import sys
import time
from typing import Callable, Optional

from ... import read_conllu
from ...treebank import Treebank
from ..losses import LABEL_LOSSES, LOSSES, NO_LABELS
from ..settings import TAGS, Settings
from ._common import add_threads, check_not_read, say, start_torch

EXAMPLE = """Training stops by LAS on DEV, without labels by UAS. The same command goes on after an interruption, to the same
result.

Example:
  fenchel-parse train train.conllu dev.conllu parser.safetensors --loss sparsemap --epochs 10"""
AFTER_INTERRUPTION = "; the same command goes on from here"


def add_options(command: argparse.ArgumentParser) -> None:
    default = Settings()
    command.add_argument("train", type=pathlib.Path, metavar="TRAIN", help="sentences to learn from (CoNLL-U, also .gz)")
    command.add_argument("dev", type=pathlib.Path, metavar="DEV", help="sentences to stop by")
    command.add_argument("model", type=pathlib.Path, metavar="MODEL", help="the parser's file, safetensors")
    command.add_argument("--test", type=pathlib.Path, help="sentences to judge the parser by at the end")
    command.add_argument("--loss", choices=LOSSES, default=default.loss, help="; ".join(f"{k}: {v}" for k, v in LOSSES.items()))
    command.add_argument("--label-loss", choices=(*LABEL_LOSSES, NO_LABELS), default=default.label_loss,
                         help="of the relations, at the arcs of TRAIN; none: a parser without labels")
    command.add_argument("--learning-rate", type=float, default=default.learning_rate, help="that of Adam")
    command.add_argument("--epochs", type=int, default=default.epochs, help="passes over the sentences, at most")
    command.add_argument("--patience", type=int, default=default.patience, help="epochs without a better score before it stops")
    command.add_argument("--batch", type=int, default=default.batch, help="sentences in a batch")
    command.add_argument("--word-dropout", type=float, default=default.word_dropout,
                         help="a word seen k times is taken for unknown with probability d/(d + k)")
    command.add_argument("--tags", choices=TAGS, default=default.tags, help="column of tags; upos where there is no xpos")
    command.add_argument("--seed", type=int, default=default.seed, help="of starting values, order and dropout")
    add_threads(command)
    command.add_argument("--force", action="store_true", help="replace MODEL if it is there and something else")


def run(options: argparse.Namespace) -> None:
    settings = Settings(**{field.name: getattr(options, field.name) for field in dataclasses.fields(Settings)})
    start_torch(options)
    from ..training import train

    files = [file for file in (options.train, options.dev, options.test) if file]
    check_not_read(options.model, *files)
    banks = [_read(file, settings.labelled) for file in files]
    result = train(banks[0], banks[1], options.model, settings, test=banks[2] if options.test else None, say=say,
                   progress=_progress(), replace=options.force)
    losses = LOSSES[settings.loss] + (f" and {settings.label_loss} labels" if settings.labelled else "")
    scores = ", ".join(f"{name} {_scores(result, part)}" for name, part in (("development", "dev"), ("test", "test"))
                       if part in result)
    print(f"{options.model}: {losses}, epoch {result['epoch']} of {len(result['history'])}, {scores}")


def _read(file: pathlib.Path, labelled: bool) -> Treebank:
    bank = read_conllu(file)
    for name, missing in (("heads", int((bank.heads < 0).sum())),
                          ("relations (see --label-loss none)", bank.column("deprel").count("_") if labelled else 0)):
        if missing:
            raise ValueError(f"{file} has {missing} words without {name}; expected sentences with trees")
    say(f"{file}: {len(bank)} sentences, {bank.offsets[-1]} words, {sum(bank.non_projective)} trees not projective")
    return bank


def _scores(result: dict, part: str) -> str:
    uas: Optional[float] = result.get(f"{part}_uas")
    return f"UAS {result[part]:.2f}" if uas is None else f"UAS {uas:.2f}, LAS {result[part]:.2f}"


def _progress() -> Callable[[float], None]:
    """A function that shows how far an epoch is, on a terminal, at most five times a second."""
    last = 0.0

    def show(share: float) -> None:
        nonlocal last
        if time.monotonic() - last > 0.2:
            last = time.monotonic()
            print(f"\r{share:4.0%} of the epoch\r", end="", file=sys.stderr, flush=True)

    return show if sys.stderr.isatty() else lambda share: None
