# SPDX-License-Identifier: Apache-2.0
"""Sentences as padded batches of similar length."""
from __future__ import annotations

from typing import List, NamedTuple, Optional

import numpy as np
import torch
from torch import Tensor

from .vocabulary import ROOT, Vocabulary
from .words import Words


class Batch(NamedTuple):
    """words and tags [batch, 1 + n] begin with the root; heads [batch, n] count words from 0, the root being −1.

    relations [batch, n] are there if the parser has labels: their numbers, −1 where there is none to learn.
    """

    words: Tensor
    tags: Tensor
    heads: Tensor
    lengths: Tensor
    sentences: np.ndarray  # their numbers in the treebank
    relations: Optional[Tensor]


class Sentences:
    """A treebank in numbers."""

    def __init__(self, bank: Words, vocabulary: Vocabulary):
        self.offsets = np.asarray(bank.offsets)
        self.lengths = np.diff(self.offsets)
        self.words, self.tags = vocabulary.word_numbers(bank), vocabulary.tag_numbers(bank)
        self.heads = np.asarray(bank.heads, dtype=np.int64) - 1
        self.relations = None if vocabulary.relations is None else vocabulary.relation_numbers(bank)

    def __len__(self) -> int:
        return len(self.lengths)

    def batch(self, numbers: np.ndarray) -> Batch:
        """The sentences with these numbers, padded to the longest."""
        lengths = self.lengths[numbers]
        place = np.arange(lengths.max())
        inside = place < lengths[:, None]
        source = (self.offsets[numbers][:, None] + place)[inside]

        def padded(values: np.ndarray, padding: int = 0) -> Tensor:
            rows = np.full(inside.shape, padding, dtype=np.int64)
            rows[inside] = values[source]
            return torch.from_numpy(rows)

        root = torch.full((len(numbers), 1), ROOT)
        return Batch(torch.cat([root, padded(self.words)], 1), torch.cat([root, padded(self.tags)], 1), padded(self.heads),
                     torch.from_numpy(lengths), numbers, None if self.relations is None else padded(self.relations, -1))

    def in_order(self, size: int) -> List[np.ndarray]:
        """The numbers of all sentences by length, `size` in a batch."""
        return _cut(np.argsort(self.lengths, kind="stable"), size)

    def shuffled(self, size: int, random: np.random.Generator) -> List[np.ndarray]:
        """The same in random order, where sentences of about one length meet others each time."""
        batches = _cut(np.argsort(self.lengths + random.uniform(0, 2, len(self))), size)
        random.shuffle(batches)
        return batches


def _cut(order: np.ndarray, size: int) -> List[np.ndarray]:
    return [order[start:start + size] for start in range(0, len(order), size)]
