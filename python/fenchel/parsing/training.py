# SPDX-License-Identifier: Apache-2.0
"""Training a parser from treebanks into a file; what was cut short goes on, and what is done is not done again."""
from __future__ import annotations

import hashlib
import os
import pathlib
from typing import Any, Callable, Dict, Optional, Union

import torch

from ..treebank import Treebank
from . import model_file
from .batches import Sentences
from .decoding import parse
from .run import Run, is_number, scores_of
from .settings import Settings


def train(train: Treebank, dev: Treebank, model: Union[str, os.PathLike[str]], settings: Settings = Settings(), *,
          test: Optional[Treebank] = None, say: Optional[Callable[[str], None]] = None,
          progress: Optional[Callable[[float], None]] = None, replace: bool = False) -> Dict[str, Any]:
    r"""Trains a parser on `train`, stops by the score on `dev`, writes the best epoch to the file `model`, and says how it went.

    A run that was cut short goes on from MODEL.unfinished, to the same bits; one that was done before with these settings and
    data is not done again.

    Parameters
    ----------
    train : Treebank
        The sentences to learn from.
    dev : Treebank
        The sentences by whose score training stops, and the best epoch is chosen.
    model : str or path
        The file to write.
    settings : Settings
        Losses and the rest.
    test : Treebank, optional
        Sentences whose scores are in the result too.
    say : callable, optional
        Gets a line of text after each epoch.
    progress : callable, optional
        Gets the share of the epoch that is done.
    replace : bool
        Whether a file of that name with anything else in it may be written over.

    Returns
    -------
    dict
        "history" (a dictionary for each epoch), "epoch" (the best, from 1), "dev" and, with `test`, "test": LAS in percent, with
        "dev_uas" and "test_uas" beside it, or UAS for a parser without labels; "settings", and what tells the data apart.

    Raises
    ------
    ValueError
        A treebank has words without heads, tags or usable relations, or there is another file in the way.

    Examples
    --------
    >>> import fenchel, os, tempfile
    >>> from fenchel.parsing import Parser, Settings, train
    >>> folder = tempfile.mkdtemp()
    >>> path, model = os.path.join(folder, "train.conllu"), os.path.join(folder, "parser.safetensors")
    >>> words = ("1 Dogs _ NOUN NNS _ 2 nsubj _ _", "2 bark _ VERB VBP _ 0 root _ _")
    >>> with open(path, "w") as file:
    ...     written = file.write(("\n".join(words).replace(" ", "\t") + "\n\n") * 4)
    >>> bank = fenchel.read_conllu(path)
    >>> result = train(bank, bank, model, Settings(epochs=1))
    >>> result["epoch"], len(result["history"]), result["settings"]["loss"]
    (1, 1, 'crf')

    See Also
    --------
    Settings, Parser, fenchel.read_conllu
    """
    path = pathlib.Path(model)
    tell = say or (lambda text: None)
    for name, bank in (("train", train), ("dev", dev), ("test", test)):
        if bank is not None:
            _check_trees(name, bank, settings.labelled)
    identity = {"settings": settings.record(), "train_data": digest(train), "dev_data": digest(dev)}
    result = _trained(path, identity, replace)
    if result is None:
        with torch.random.fork_rng(devices=[]):  # leaves the caller's random numbers alone
            run = Run(train, dev, settings)
            if test is not None:
                run.vocabulary.tag_numbers(test)  # what is wrong with them is said before the work
            result = _train(run, identity, path, tell, progress or (lambda share: None))
    else:
        tell(f"done before: development {'LAS' if settings.labelled else 'UAS'} {result['dev']:.2f}")
    if test is None:
        return result
    network, vocabulary, _ = model_file.load(path)
    found = scores_of(parse(network, Sentences(test, vocabulary)), vocabulary, test)
    result = {**result, "test": round(found.main, 4)}
    return {**result, "test_uas": round(found.uas, 4)} if settings.labelled else result


def digest(bank: Treebank) -> str:
    """What tells treebanks apart."""
    return hashlib.sha256(bank.text().encode()).hexdigest()[:16]


def _check_trees(name: str, bank: Treebank, labelled: bool) -> None:
    missing = int((bank.heads < 0).sum())
    if missing:
        raise ValueError(f"{name} has {missing} words without heads; expected sentences with trees")
    missing = bank.column("deprel").count("_") if labelled else 0
    if missing:
        raise ValueError(f"{name} has {missing} words without relations; expected them, or no labels (label_loss none)")


def _train(run: Run, identity: Dict[str, Any], model: pathlib.Path, say: Callable[[str], None],
           progress: Callable[[float], None]) -> Dict[str, Any]:
    """Epochs until the run is finished, each of them kept; then the parser is written."""
    unfinished = model.with_name(model.name + ".unfinished")
    if run.go_on(unfinished, identity):
        say(f"going on after epoch {len(run.history)}")
    elif unfinished.exists():
        say(f"{unfinished} is of other settings or data, or damaged: starting anew")
    while not run.finished:
        epoch = run.epoch(progress)
        run.keep(unfinished, identity)
        score = f"UAS {epoch['dev_uas']:.2f}, LAS {epoch['dev']:.2f}" if "dev_uas" in epoch else f"UAS {epoch['dev']:.2f}"
        say(f"epoch {len(run.history)}: loss {epoch['loss']:.3f}, development {score}, "
            f"{epoch['seconds']:.1f} s, {epoch['loss_seconds'] / epoch['seconds']:.0%} of them for the loss")
    best = run.history[run.best_epoch - 1]
    result = {**identity, "history": run.history, "epoch": run.best_epoch, "dev": best["dev"]}
    if "dev_uas" in best:
        result["dev_uas"] = best["dev_uas"]
    model_file.save(model, run.best, run.vocabulary, result)
    unfinished.unlink(missing_ok=True)
    return result


def _trained(model: pathlib.Path, identity: Dict[str, Any], replace: bool) -> Optional[Dict[str, Any]]:
    """How the parser in a file was trained, if it was with these settings and data. Throws if something else is there."""
    if model.is_dir() or not model.parent.is_dir():
        raise ValueError(f"{model} is a folder; expected a file" if model.is_dir() else f"{model.parent} is not there")
    if not model.exists():
        return None
    try:
        _, _, run = model_file.load(model)
        what = "a parser of other settings or data"
    except ValueError:
        run, what = {}, "no parser"
    numbers = ("dev", "epoch", "dev_uas") if "label_loss" in identity["settings"] else ("dev", "epoch")
    whole = isinstance(run.get("history"), list) and all(is_number(run.get(name)) for name in numbers)
    if whole and all(run.get(name) == value for name, value in identity.items()):
        return run
    if replace:
        return None
    raise ValueError(f"{model} is there, and {what}; give another name, or replace it (--force)")
