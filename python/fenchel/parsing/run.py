# SPDX-License-Identifier: Apache-2.0
"""One training run by Adam with early stopping. It can be stopped after any epoch and taken up again: the result is the same."""
from __future__ import annotations

import math
import pathlib
import time
from typing import Any, Callable, Dict, List, Tuple

import numpy as np
import torch
from torch import Tensor, nn

from .. import _core
from ..torch import FenchelYoungLoss, StructuredLoss
from . import model_file
from .batches import Batch, Sentences
from .decoding import Trees, parse
from .evaluation import Scores, score
from .failures import Diverged
from .network import Network
from .settings import Settings
from .vocabulary import Vocabulary
from .words import Words

LARGEST_GRADIENT = 5.0  # its norm is cut off there
_MOMENTS = ("step", "exp_avg", "exp_avg_sq")  # what Adam keeps of a parameter


def scores_of(trees: Trees, vocabulary: Vocabulary, bank: Words) -> Scores:
    """How much of what a parser found is what the treebank has."""
    relations = None if trees.relations is None else vocabulary.relation_texts(trees.heads, trees.relations)
    return score(bank, trees.heads, relations)


class Run:
    """`history` has an entry for each epoch: mean loss, development score, seconds, those of the losses; with labels also the
    part of the labels in the loss, and the development UAS beside the score, which is LAS."""

    def __init__(self, train: Words, dev: Words, settings: Settings):
        self.settings, self._dev_bank = settings, dev
        self.vocabulary = Vocabulary.of(train, settings.tags, settings.labelled)
        self.train, self.dev = Sentences(train, self.vocabulary), Sentences(dev, self.vocabulary)
        torch.manual_seed(settings.seed)
        self.network = Network(self.vocabulary, settings.word_dropout)
        scale = 0.5 if _core.loss_has_cost(settings.loss) else 1.0  # a wrong head costs 1
        self.loss = StructuredLoss("arborescence", settings.loss, cost_scale=scale, single_root=True)
        self.label_loss = FenchelYoungLoss(settings.label_loss, reduction="sum") if settings.labelled else None
        self.adam = torch.optim.Adam(self.network.parameters(), lr=settings.learning_rate)
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
        self.network.train()
        start, in_loss, total, of_labels = time.perf_counter(), 0.0, 0.0, 0.0
        for done, numbers in enumerate(batches):
            progress(done / len(batches))
            value, label_value, seconds = self._step(self.train.batch(numbers))
            total, of_labels = total + value * len(numbers), of_labels + label_value * len(numbers)
            in_loss += seconds
        seconds = time.perf_counter() - start
        found = scores_of(parse(self.network, self.dev), self.vocabulary, self._dev_bank)
        entry = {"loss": round((total + of_labels) / len(self.train), 5), "dev": round(found.main, 4),
                 "seconds": round(seconds, 3), "loss_seconds": round(in_loss, 3)}
        if self.settings.labelled:
            entry.update(label_loss=round(of_labels / len(self.train), 5), dev_uas=round(found.uas, 4))
        self.history.append(entry)
        if self.best_epoch == number:
            self.best = {name: tensor.clone() for name, tensor in self.network.state_dict().items()}
        return entry

    def _step(self, batch: Batch) -> Tuple[float, float, float]:
        """One update; the losses of trees and of labels, and the seconds that they and their gradients by the scores took."""
        states = self.network.states(batch)
        scores = [self.network.arc_scores(states)]
        if self.network.labels is not None and batch.relations is not None:
            scores.append(self.network.labels(states, batch.heads, batch.relations >= 0))
        self._check_finite(all(bool(torch.isfinite(tensor).all()) for tensor in scores), "scores are")
        start = time.perf_counter()
        leaves = [tensor.detach().requires_grad_() for tensor in scores]
        losses = [self.loss(leaves[0], batch.heads, batch.lengths)]
        if self.label_loss is not None and batch.relations is not None:
            known = batch.relations[batch.relations >= 0]
            losses.append(self.label_loss(leaves[1], known) / len(batch.lengths))  # per sentence, as that of trees
        for loss in losses:
            loss.backward()
        seconds = time.perf_counter() - start
        values = [loss.item() for loss in losses]
        self._check_finite(all(map(math.isfinite, values)), "loss is")
        self.adam.zero_grad()
        torch.autograd.backward(scores, [leaf.grad for leaf in leaves])
        nn.utils.clip_grad_norm_(self.network.parameters(), LARGEST_GRADIENT)
        self.adam.step()
        return values[0], sum(values[1:]), seconds

    def _check_finite(self, finite: bool, what: str) -> None:
        if not finite:
            raise Diverged(f"training diverged: the {what} not finite; the learning rate {self.settings.learning_rate:g} may be "
                           "too large")

    def keep(self, path: pathlib.Path, identity: Dict[str, Any]) -> None:
        """Writes all that is needed to go on."""
        tensors = {f"parser.{name}": tensor for name, tensor in self.network.state_dict().items()}
        tensors.update({f"best.{name}": tensor for name, tensor in self.best.items()})
        for number, state in self.adam.state_dict()["state"].items():
            tensors.update({f"adam.{number}.{name}": tensor for name, tensor in state.items()})
        model_file.write(path, tensors, {"identity": identity, "history": self.history}, self.settings.labelled)

    def go_on(self, path: pathlib.Path, identity: Dict[str, Any]) -> bool:
        """Takes up what `keep` wrote; False, and nothing is changed, if there is nothing of that identity that can be read."""
        try:
            tensors, record = model_file.read(path)
            history: Any = record.get("history")
            if record.get("identity") != identity or not _is_history(history, self.settings.labelled):
                return False
            parts: Dict[str, Dict[str, Tensor]] = {"parser": {}, "best": {}, "adam": {}}
            for name, tensor in tensors.items():
                part, _, rest = name.partition(".")
                if part not in parts:
                    return False
                parts[part][rest] = tensor
            for part in ("parser", "best"):
                model_file.check_tensors(parts[part], self.network.state_dict())
            moments = self._moments(parts["adam"])
        except ValueError:
            return False
        self.network.load_state_dict(parts["parser"])
        self.adam.load_state_dict({**self.adam.state_dict(), "state": moments})
        self.best, self.history = parts["best"], history
        return True

    def _moments(self, found: Dict[str, Tensor]) -> Dict[int, Dict[str, Tensor]]:
        """What Adam takes, by the numbers of parameters; one that never had a gradient has nothing."""
        parameters = list(self.network.parameters())
        numbers = {number for number in range(len(parameters)) if f"{number}.step" in found}
        expected = {f"{number}.{name}": torch.zeros(()) if name == "step" else parameters[number]
                    for number in numbers for name in _MOMENTS}
        model_file.check_tensors(found, expected)
        return {number: {name: found[f"{number}.{name}"] for name in _MOMENTS} for number in sorted(numbers)}


def is_number(value: Any) -> bool:
    """Whether JSON had a finite number there."""
    return type(value) in (int, float) and math.isfinite(value)


def _is_history(history: Any, labelled: bool) -> bool:
    names = {"loss", "dev", "seconds", "loss_seconds"} | ({"label_loss", "dev_uas"} if labelled else set())
    return isinstance(history, list) and len(history) > 0 and all(
        isinstance(epoch, dict) and set(epoch) == names and all(map(is_number, epoch.values())) for epoch in history)
