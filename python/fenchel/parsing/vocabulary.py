# SPDX-License-Identifier: Apache-2.0
"""Words, tags and relations as numbers, known from the training part."""
from __future__ import annotations

import collections
import re
from typing import Any, Dict, List, Optional

import numpy as np

from .words import Words

UNKNOWN, ROOT = 0, 1
ROOT_RELATION, ANY_RELATION = "root", "dep"  # that of the word whose head is the root, and one for all others
_NUMBER = re.compile(r"[0-9]+([.,][0-9]+)*")


def normal(form: str) -> str:
    """A word as the parser sees it: in small letters, and all numbers alike."""
    return "<number>" if _NUMBER.fullmatch(form) else form.lower()


def tag_column(bank: Words, wanted: str) -> str:
    """The tags that are used: UPOS where the treebank has no XPOS."""
    return wanted if set(bank.column(wanted)) != {"_"} else "upos"


class Vocabulary:
    """Numbers of words and tags, where 0 is what was not in the training part and 1 the root; of relations, from 0.

    `relations` are those of words that hang on words; None for a parser without labels.
    """

    def __init__(self, words: List[str], counts: List[int], tags: List[str], column: str,
                 relations: Optional[List[str]] = None):
        self.words, self.counts, self.tags, self.column, self.relations = words, counts, tags, column, relations
        self._word = _numbers(words)
        self._tag = _numbers(tags)

    @classmethod
    def of(cls, bank: Words, tags: str = "xpos", labelled: bool = False) -> Vocabulary:
        column = tag_column(bank, tags)
        counts = collections.Counter(map(normal, bank.column("form")))
        relations = _relations(bank) if labelled else None
        return cls(list(counts), list(counts.values()), sorted(set(bank.column(column))), column, relations)

    @classmethod
    def restored(cls, record: Any) -> Vocabulary:
        """The one behind a `record`, which may come from a file of strangers: a ValueError says what is wrong with it."""
        if not isinstance(record, dict) or not {"words", "counts", "tags", "column"} <= set(record) <= set(_FIELDS):
            raise ValueError("its vocabulary has other entries than expected")
        for name in ("words", "tags", "relations"):
            texts = record.get(name)
            if not (name == "relations" and texts is None) and not _are_texts(texts):
                raise ValueError(f"its {name} are not a list of different texts")
        counts = record["counts"]
        if not isinstance(counts, list) or any(type(count) is not int or not 0 < count < 2**53 for count in counts):
            raise ValueError("its counts are not a list of positive numbers")
        if len(counts) != len(record["words"]):
            raise ValueError(f"it has {len(counts)} counts for {len(record['words'])} words")
        if record["column"] not in ("xpos", "upos"):
            raise ValueError(f"its tags are those of column {record['column']!r}; expected xpos or upos")
        relations = record.get("relations")
        if relations is not None and (not relations or not all(map(_is_relation, relations))):
            raise ValueError("one of its relations is not the name of a relation, or it has none")
        return cls(**record)

    def word_numbers(self, bank: Words) -> np.ndarray:
        return np.array([self._word.get(normal(form), UNKNOWN) for form in bank.column("form")], dtype=np.int64)

    def tag_numbers(self, bank: Words) -> np.ndarray:
        """Throws if there are none of the kind that the parser was trained with: it would parse, but badly."""
        texts = bank.column(self.column)
        if set(texts) == {"_"} and "_" not in self._tag:
            raise ValueError(f"the sentences have no {self.column} tags; expected them, as the parser was trained with them")
        return np.array([self._tag.get(tag, UNKNOWN) for tag in texts], dtype=np.int64)

    def relation_numbers(self, bank: Words) -> np.ndarray:
        """−1 for the root's, where there is no choice, and for those that are not known."""
        numbers = {text: number for number, text in enumerate(self.relations or ())}
        return np.array([numbers.get(text, -1) if head else -1 for text, head in zip(bank.column("deprel"), bank.heads)],
                        dtype=np.int64)

    def relation_texts(self, heads: np.ndarray, numbers: Optional[np.ndarray]) -> List[str]:
        """`root` for words whose head is 0, and for these alone; else the relation with this number, or `dep` without labels."""
        if self.relations is None or numbers is None:
            return [ANY_RELATION if head else ROOT_RELATION for head in heads]
        return [self.relations[number] if head else ROOT_RELATION for head, number in zip(heads, numbers)]

    def record(self) -> Dict[str, Any]:
        """What JSON can hold, for `restored`."""
        return {name: getattr(self, name) for name in _FIELDS if getattr(self, name) is not None}


_FIELDS = ("words", "counts", "tags", "column", "relations")


def _numbers(strings: List[str]) -> Dict[str, int]:
    return {text: number for number, text in enumerate(strings, ROOT + 1)}


def _are_texts(texts: Any) -> bool:
    return isinstance(texts, list) and all(isinstance(text, str) for text in texts) and len(set(texts)) == len(texts)


def _is_relation(text: str) -> bool:
    """Whether it can be that of a word that hangs on a word, in a file of CoNLL-U."""
    return text.isprintable() and " " not in text and text not in ("", "_", ROOT_RELATION)


def _relations(bank: Words) -> List[str]:
    """Throws where a word has no relation, or `root` is not that of the word with head 0 and of it alone."""
    relations = bank.column("deprel")
    for place, (relation, head) in enumerate(zip(relations, bank.heads)):
        if relation != ROOT_RELATION if head == 0 else not _is_relation(relation):
            sentence = int(np.searchsorted(bank.offsets, place, side="right"))
            word = place - int(bank.offsets[sentence - 1]) + 1
            raise ValueError(f"word {word} of training sentence {sentence} has head {head} and relation {relation!r}; expected "
                             f"relations without spaces, {ROOT_RELATION!r} for the word with head 0 and for it alone")
    found = {relation for relation, head in zip(relations, bank.heads) if head != 0}
    return sorted(found) or [ANY_RELATION]  # if no sentence has two words
