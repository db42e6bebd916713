# SPDX-License-Identifier: Apache-2.0
"""Training by Adam with early stopping. A run can be stopped after any epoch and resumed: the result is the same."""
import dataclasses
import hashlib
import math
import pathlib
import time
from typing import Any, Callable, Dict, List, Optional

import numpy as np
import torch
from fenchel.torch import StructuredLoss
from torch import Tensor, nn

from . import model_file
from .batches import Sentences
from .losses import LOSSES
from .model import Parser
from .parsing import attachment_score
from .vocabulary import Vocabulary

TAGS = ("xpos", "upos")
LARGEST_GRADIENT = 5.0  # its norm is cut off there


@dataclasses.dataclass(frozen=True)
class Settings:
    """What a run depends on, besides the data."""

    loss: str = "crf"
    learning_rate: float = 2e-3
    seed: int = 1
    epochs: int = 20  # at most
    patience: int = 5  # epochs without a better development score before it stops
    batch: int = 16
    word_dropout: float = 0.25
    tags: str = "xpos"  # the treebank's own, often finer, or "upos"

    def __post_init__(self):
        for name, known in (("loss", LOSSES), ("tags", TAGS)):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} is {getattr(self, name)!r}; expected one of {', '.join(known)}")
        if not 0 <= self.seed < 2**32:
            raise ValueError(f"seed is {self.seed}; expected 0 to 2^32 − 1")
        for name in ("epochs", "patience", "batch"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; expected at least 1")
        if not 0 < self.learning_rate < math.inf:
            raise ValueError(f"learning_rate is {self.learning_rate}; expected a number > 0")
        if not 0 <= self.word_dropout < math.inf:
            raise ValueError(f"word_dropout is {self.word_dropout}; expected a number >= 0")


class Run:
    """One training run. `history` has an entry for each epoch: mean loss, development score, seconds, those of the loss."""

    def __init__(self, train: Sentences, dev: Sentences, vocabulary: Vocabulary, settings: Settings):
        self.train, self.dev, self.settings = train, dev, settings
        torch.manual_seed(settings.seed)
        self.parser = Parser(vocabulary, settings.word_dropout)
        self.loss = StructuredLoss("arborescence", settings.loss, single_root=True)
        self.adam = torch.optim.Adam(self.parser.parameters(), lr=settings.learning_rate)
        self.history: List[Dict[str, float]] = []
        self.best: Dict[str, Tensor] = {}

    @property
    def best_epoch(self) -> int:
        """The first one with the best development score; epochs count from 1."""
        scores = [epoch["dev"] for epoch in self.history]
        return 1 + scores.index(max(scores))

    @property
    def finished(self) -> bool:
        done = len(self.history)
        return done > 0 and (done >= self.settings.epochs or done - self.best_epoch >= self.settings.patience or
                             self.history[self.best_epoch - 1]["dev"] == 100)

    def epoch(self, progress: Callable[[float], None] = lambda share: None) -> Dict[str, float]:
        """One pass over the training part, and the score on the development part."""
        number = len(self.history) + 1
        torch.manual_seed(1000 * self.settings.seed + number)
        batches = self.train.shuffled(self.settings.batch, np.random.default_rng([self.settings.seed, number]))
        self.parser.train()
        start, in_loss, total = time.perf_counter(), 0.0, 0.0
        for done, numbers in enumerate(batches):
            progress(done / len(batches))
            value, seconds = self._step(numbers)
            total, in_loss = total + value * len(numbers), in_loss + seconds
        seconds = time.perf_counter() - start
        score = attachment_score(self.parser, self.dev)
        self.history.append({"loss": round(total / len(self.train), 5), "dev": round(score, 4),
                             "seconds": round(seconds, 3), "loss_seconds": round(in_loss, 3)})
        if self.best_epoch == number:
            self.best = {name: tensor.clone() for name, tensor in self.parser.state_dict().items()}
        return self.history[-1]

    def _step(self, numbers: np.ndarray):
        """One update; the loss, and the seconds that the loss and its gradient by the scores took."""
        batch = self.train.batch(numbers)
        scores = self.parser(batch)
        start = time.perf_counter()
        leaf = scores.detach().requires_grad_()
        loss = self.loss(leaf, batch.heads, batch.lengths)
        loss.backward()
        seconds = time.perf_counter() - start
        if not math.isfinite(loss.item()):
            raise ValueError(f"the loss is {loss.item()}: the learning rate {self.settings.learning_rate} may be too large")
        self.adam.zero_grad()
        scores.backward(leaf.grad)
        nn.utils.clip_grad_norm_(self.parser.parameters(), LARGEST_GRADIENT)
        self.adam.step()
        return loss.item(), seconds

    def keep(self, path: pathlib.Path, identity: Dict[str, Any]) -> None:
        """Writes all that is needed to go on."""
        tensors = {f"parser.{name}": tensor for name, tensor in self.parser.state_dict().items()}
        tensors.update({f"best.{name}": tensor for name, tensor in self.best.items()})
        for number, state in self.adam.state_dict()["state"].items():
            tensors.update({f"adam.{number}.{name}": tensor for name, tensor in state.items()})
        model_file.write(path, tensors, {"identity": identity, "history": self.history})

    def go_on(self, path: pathlib.Path, identity: Dict[str, Any]) -> bool:
        """Takes up what `keep` wrote; False if there is nothing of that identity that can be read."""
        try:
            tensors, record = model_file.read(path)
        except ValueError:
            return False
        if record.get("identity") != identity:
            return False
        parts: Dict[str, Dict[str, Tensor]] = {"parser": {}, "best": {}, "adam": {}}
        for name, tensor in tensors.items():
            part, rest = name.split(".", 1)
            parts[part][rest] = tensor
        self.parser.load_state_dict(parts["parser"])
        self.best, self.history = parts["best"], record["history"]
        state: Dict[int, Dict[str, Tensor]] = {}
        for name, tensor in parts["adam"].items():
            number, key = name.split(".")
            state.setdefault(int(number), {})[key] = tensor
        self.adam.load_state_dict({**self.adam.state_dict(), "state": state})
        return True


def digest(bank) -> str:
    """What tells treebanks apart."""
    return hashlib.sha256(bank.text().encode()).hexdigest()[:16]


def fit(train_bank, dev_bank, settings: Settings, model: pathlib.Path, test_bank=None,
        say: Callable[[str], None] = lambda text: None, progress: Callable[[float], None] = lambda share: None,
        replace: bool = False) -> Dict[str, Any]:
    """Trains a parser and writes it; returns how it went. What was trained before with these settings and data is not done
    again. Any other file of that name is left alone, which is an error, unless `replace`."""
    identity = {"settings": dataclasses.asdict(settings), "train_data": digest(train_bank),
                "dev_data": digest(dev_bank)}
    result = _trained(model, identity, replace)
    if result is None:
        vocabulary = Vocabulary.of(train_bank, settings.tags)
        run = Run(Sentences(train_bank, vocabulary), Sentences(dev_bank, vocabulary), vocabulary, settings)
        _train(run, identity, model.with_name(model.name + ".unfinished"), say, progress)
        result = {**identity, "history": run.history, "epoch": run.best_epoch, "dev": run.history[run.best_epoch - 1]["dev"]}
        model_file.save_parser(model, run.best, vocabulary, result)
        model.with_name(model.name + ".unfinished").unlink(missing_ok=True)
    else:
        say(f"done before: development UAS {result['dev']:.2f}")
    if test_bank is None:
        return result
    parser, vocabulary, _ = model_file.load_parser(model)
    return {**result, "test": round(attachment_score(parser, Sentences(test_bank, vocabulary)), 4)}


def _train(run: Run, identity: Dict[str, Any], unfinished: pathlib.Path, say, progress) -> None:
    """Epochs until the run is finished, each of them kept."""
    if run.go_on(unfinished, identity):
        say(f"going on after epoch {len(run.history)}")
    elif unfinished.exists():
        say(f"{unfinished} is of other settings or data, or damaged: starting anew")
    while not run.finished:
        epoch = run.epoch(progress)
        run.keep(unfinished, identity)
        say(f"epoch {len(run.history)}: loss {epoch['loss']:.3f}, development UAS {epoch['dev']:.2f}, "
            f"{epoch['seconds']:.1f} s, {epoch['loss_seconds'] / epoch['seconds']:.0%} of them for the loss")


def _trained(model: pathlib.Path, identity: Dict[str, Any], replace: bool) -> Optional[Dict[str, Any]]:
    """How the parser in a file was trained, if it was with these settings and data. Throws if something else is there."""
    if model.is_dir() or not model.parent.is_dir():
        raise ValueError(f"{model} is a folder; expected a file" if model.is_dir() else f"{model.parent} is not there")
    if not model.exists():
        return None
    try:
        _, record = model_file.read(model)
    except ValueError:
        record = {}
    run = record.get("run", {})
    if all(run.get(name) == value for name, value in identity.items()):
        return run
    if replace:
        return None
    what = "a parser of other settings or data" if run else "no parser"
    raise ValueError(f"{model} is there, and {what}; give another name, or --force to replace it")
