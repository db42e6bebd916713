# SPDX-License-Identifier: Apache-2.0
"""What a parser reads: a treebank, or sentences given as words and tags."""
from __future__ import annotations

from typing import List, Protocol, Sequence, Tuple

import numpy as np

Sentence = Tuple[Sequence[str], Sequence[str]]  # words and tags


class Words(Protocol):
    """What fenchel.Treebank and PlainWords share."""

    @property
    def offsets(self) -> np.ndarray: ...

    @property
    def heads(self) -> np.ndarray: ...

    def column(self, name: str) -> List[str]: ...


class PlainWords:
    """Sentences without trees: each is (words, tags), the tags of the kind that the parser was trained with."""

    def __init__(self, sentences: Sequence[Sentence]):
        self._words: List[str] = []
        self._tags: List[str] = []
        lengths = [0]
        for number, sentence in enumerate(sentences):
            words, tags = _checked(sentence, f"sentences[{number}]")
            self._words += words
            self._tags += tags
            lengths.append(len(words))
        self.offsets: np.ndarray = np.cumsum(lengths)
        self.heads: np.ndarray = np.full(len(self._words), -1, dtype=np.int32)

    def column(self, name: str) -> List[str]:
        return self._words if name == "form" else self._tags


def _checked(sentence: Sentence, name: str) -> Sentence:
    if not isinstance(sentence, (tuple, list)) or len(sentence) != 2 or any(isinstance(part, str) for part in sentence):
        raise TypeError(f"{name} is {sentence!r}; expected a list of words and a list of tags")
    words, tags = (list(part) for part in sentence)
    if not all(isinstance(text, str) for text in (*words, *tags)):
        raise TypeError(f"{name} is {sentence!r}; expected texts")
    if not words or len(words) != len(tags):
        raise ValueError(f"{name} has {len(words)} words and {len(tags)} tags; expected one tag per word, and at least one word")
    return words, tags
