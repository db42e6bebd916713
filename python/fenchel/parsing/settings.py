# SPDX-License-Identifier: Apache-2.0
"""What a training run depends on, besides the data."""
from __future__ import annotations

import dataclasses
import math
from typing import Any, Dict

from .losses import LABEL_LOSSES, LOSSES, NO_LABELS

TAGS = ("xpos", "upos")


@dataclasses.dataclass(frozen=True)
class Settings:
    """What a training run depends on, besides the data: losses, Adam and early stopping.

    Parameters
    ----------
    loss : str
        That of trees: "crf", "sparsemap", "hinge" or "perceptron".
    label_loss : str
        That of the relation of each arc: "logistic", "sparsemax" or "entmax15"; "none": a parser without labels.
    learning_rate : float
        That of Adam.
    seed : int
        Of starting values and the order of sentences, from 0 to 2³² − 1.
    epochs : int
        At most so many passes over the sentences.
    patience : int
        Epochs without a better development score before it stops.
    batch : int
        Sentences in a step.
    word_dropout : float
        a: a word that occurs n times is taken for an unknown one with probability a/(a + n).
    tags : str
        "xpos", the treebank's own tags, which are often finer, or "upos".

    Raises
    ------
    ValueError
        A value is out of bounds; the message names it.

    Examples
    --------
    >>> from fenchel.parsing import Settings
    >>> Settings(loss="sparsemap", epochs=3).labelled
    True

    See Also
    --------
    train
    """

    loss: str = "crf"
    label_loss: str = LABEL_LOSSES[0]
    learning_rate: float = 2e-3
    seed: int = 1
    epochs: int = 20
    patience: int = 5
    batch: int = 16
    word_dropout: float = 0.25
    tags: str = "xpos"

    def __post_init__(self) -> None:
        for name, known in (("loss", LOSSES), ("label_loss", (*LABEL_LOSSES, NO_LABELS)), ("tags", TAGS)):
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

    @property
    def labelled(self) -> bool:
        """Whether the parser learns relations."""
        return self.label_loss != NO_LABELS

    def record(self) -> Dict[str, Any]:
        """What a file says of them: without labels what files of format 1 say, so that runs of old files count as done."""
        record = dataclasses.asdict(self)
        if not self.labelled:
            del record["label_loss"]
        return record
