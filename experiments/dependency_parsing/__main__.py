# SPDX-License-Identifier: Apache-2.0
"""Dependency parsers with Fenchel-Young losses over trees: train one, parse with it, or print the paper's table."""
import argparse
import pathlib
import sys
import time

import fenchel
import torch

from ..data import ROOT
from ..experiment import Experiment, run
from . import model_file, study_step, table
from .batches import Sentences
from .losses import COMPARED, LOSSES
from .parsing import parse
from .training import TAGS, Settings, fit


def main(arguments=None):
    options = _parser().parse_args(arguments)
    try:
        if options.threads < 1:
            raise ValueError(f"threads is {options.threads}; expected at least 1")
        torch.set_num_threads(options.threads)
        return options.command(options)
    except (ValueError, OSError, RuntimeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
        return 130


def _parser():
    parser = argparse.ArgumentParser(prog="python -m experiments.dependency_parsing", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    default = Settings()

    train = commands.add_parser("train", help="train a parser on CoNLL-U files",
                                formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    train.set_defaults(command=_train)
    train.add_argument("train", type=pathlib.Path, metavar="TRAIN", help="sentences to learn from (CoNLL-U, also .gz)")
    train.add_argument("dev", type=pathlib.Path, metavar="DEV", help="sentences to stop by")
    train.add_argument("model", type=pathlib.Path, metavar="MODEL", help="the parser's file, safetensors")
    train.add_argument("--test", type=pathlib.Path, help="sentences to judge the parser by at the end")
    train.add_argument("--loss", choices=LOSSES, default=default.loss, help="; ".join(f"{k}: {v}" for k, v in LOSSES.items()))
    train.add_argument("--learning-rate", type=float, default=default.learning_rate, help="that of Adam")
    train.add_argument("--epochs", type=int, default=default.epochs, help="passes over the sentences, at most")
    train.add_argument("--patience", type=int, default=default.patience, help="epochs without a better score before it stops")
    train.add_argument("--batch", type=int, default=default.batch, help="sentences in a batch")
    train.add_argument("--word-dropout", type=float, default=default.word_dropout,
                       help="a word seen k times is taken for unknown with probability d/(d + k)")
    train.add_argument("--tags", choices=TAGS, default=default.tags, help="column of tags; upos where there is no xpos")
    train.add_argument("--seed", type=int, default=default.seed, help="of starting values, order and dropout")

    predict = commands.add_parser("predict", help="parse the sentences of a CoNLL-U file")
    predict.set_defaults(command=_predict)
    predict.add_argument("model", type=pathlib.Path, metavar="MODEL", help="a parser's file")
    predict.add_argument("input", type=pathlib.Path, metavar="INPUT", help="CoNLL-U with words and tags; heads may be missing")
    predict.add_argument("output", type=pathlib.Path, metavar="OUTPUT", nargs="?",
                         help="CoNLL-U with the heads of the parser (standard output if it is not given, or -)")

    for command in (train, predict):
        command.add_argument("--threads", type=int, default=1, help="of PyTorch (1); the last bits of results depend on it")
    train.add_argument("--force", action="store_true", help="replace MODEL if it is there and something else")

    columns = commands.add_parser("table", help="train all that is missing and print the table beside the paper's")
    columns.set_defaults(command=_table, threads=1)
    columns.add_argument("languages", nargs="*", metavar="LANGUAGE", help="vi, en, zh, ro or ja (all)")
    columns.add_argument("--loss", choices=COMPARED, action="append", help="one of the losses alone; may be given twice (all)")
    return parser


def _say(text):
    print(text, file=sys.stderr, flush=True)


def _progress():
    """A function that shows how far an epoch is, on a terminal, at most five times a second."""
    last = 0.0

    def show(share):
        nonlocal last
        if time.monotonic() - last > 0.2:
            last = time.monotonic()
            print(f"\r{share:4.0%} of the epoch\r", end="", file=sys.stderr, flush=True)

    return show if sys.stderr.isatty() else lambda share: None


def _train(options):
    settings = Settings(**{name: getattr(options, name) for name in Settings.__dataclass_fields__})
    banks = [fenchel.read_conllu(file) for file in (options.train, options.dev)]
    for file, bank in zip((options.train, options.dev), banks):
        _check_trees(file, bank)
        _say(f"{file}: {len(bank)} sentences, {bank.offsets[-1]} words, {sum(bank.non_projective)} trees not projective")
    test = fenchel.read_conllu(options.test) if options.test else None
    if test is not None:
        _check_trees(options.test, test)
    result = fit(*banks, settings, options.model, test, _say, _progress(), options.force)
    scores = f"development UAS {result['dev']:.2f}" + (f", test UAS {result['test']:.2f}" if test is not None else "")
    print(f"{options.model}: {LOSSES[settings.loss]}, epoch {result['epoch']} of {len(result['history'])}, {scores}")
    return 0


def _check_trees(file, bank):
    missing = int((bank.heads < 0).sum())
    if missing:
        raise ValueError(f"{file} has {missing} words without heads; expected sentences with trees")


def _predict(options):
    if options.output is not None and options.output.suffix == ".gz":
        raise ValueError(f"output is {options.output}; it is written as plain text: expected a name without .gz")
    parser, vocabulary, _ = model_file.load_parser(options.model)
    bank = fenchel.read_conllu(options.input)
    start = time.perf_counter()
    heads = parse(parser, Sentences(bank, vocabulary))
    seconds = time.perf_counter() - start
    parsed = bank.with_heads(heads)
    if options.output in (None, pathlib.Path("-")):
        sys.stdout.write(parsed.text())
    else:
        parsed.write(options.output)
    known = bank.heads >= 0
    score = f", UAS {100 * (heads == bank.heads)[known].mean():.2f}" if known.any() else ""
    _say(f"{len(bank)} sentences, {len(heads)} words in {seconds:.1f} s{score}")
    return 0


def _table(options):
    languages = options.languages or table.LANGUAGES
    unknown = [name for name in languages if name not in table.LANGUAGES]
    if unknown:
        raise ValueError(f"language is {unknown[0]!r}; expected one of {', '.join(table.LANGUAGES)}")
    losses = [loss for loss in COMPARED if loss in (options.loss or COMPARED)]
    steps = [study_step(language, losses, f"table_{language}_{'_'.join(losses)}") for language in languages]
    experiment = Experiment("dependency_parsing", lambda quick: steps, lambda results: "")
    results, _ = run(experiment, ROOT / "build" / "reproduction", False, _say)
    found = {language: results[step.name] for language, step in zip(languages, steps) if step.name in results}
    if not found:
        raise ValueError("no treebank is there")
    print(table.scores(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
