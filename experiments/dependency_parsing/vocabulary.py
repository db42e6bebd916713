# SPDX-License-Identifier: Apache-2.0
"""Words and tags as numbers, known from the training part."""
import collections
import re
from typing import Dict, List

import numpy as np

UNKNOWN, ROOT = 0, 1
_NUMBER = re.compile(r"[0-9]+([.,][0-9]+)*")


def normal(form: str) -> str:
    """A word as the parser sees it: in small letters, and all numbers alike."""
    return "<number>" if _NUMBER.fullmatch(form) else form.lower()


def tag_column(bank, wanted: str) -> str:
    """The tags that are used: UPOS where the treebank has no XPOS."""
    return wanted if set(bank.column(wanted)) != {"_"} else "upos"


class Vocabulary:
    """Numbers of words and tags; 0 is what was not in the training part, 1 the root."""

    def __init__(self, words: List[str], counts: List[int], tags: List[str], column: str):
        self.words, self.counts, self.tags, self.column = words, counts, tags, column
        self._word = _numbers(words)
        self._tag = _numbers(tags)

    @classmethod
    def of(cls, bank, tags: str = "xpos") -> "Vocabulary":
        column = tag_column(bank, tags)
        counts = collections.Counter(map(normal, bank.column("form")))
        return cls(list(counts), list(counts.values()), sorted(set(bank.column(column))), column)

    def word_numbers(self, bank) -> np.ndarray:
        return np.array([self._word.get(normal(form), UNKNOWN) for form in bank.column("form")], dtype=np.int64)

    def tag_numbers(self, bank) -> np.ndarray:
        return np.array([self._tag.get(tag, UNKNOWN) for tag in bank.column(self.column)], dtype=np.int64)

    def record(self) -> dict:
        """What JSON can hold, for Vocabulary(**record)."""
        return {"words": self.words, "counts": self.counts, "tags": self.tags, "column": self.column}


def _numbers(strings: List[str]) -> Dict[str, int]:
    return {text: number for number, text in enumerate(strings, ROOT + 1)}
