# SPDX-License-Identifier: Apache-2.0
"""The best trees under a parser's scores, with one root each, and how many heads they have right."""
from typing import Iterator, Tuple

import numpy as np
import torch
from fenchel.torch import StructuredPredict
from torch import Tensor

from .batches import Batch, Sentences

BATCH = 64


def scored(parser, sentences: Sentences) -> Iterator[Tuple[Batch, Tensor]]:
    """Batches of all sentences, by length, with their scores."""
    parser.eval()
    with torch.no_grad():
        for numbers in sentences.in_order(BATCH):
            batch = sentences.batch(numbers)
            yield batch, parser(batch)


def parse(parser, sentences: Sentences) -> np.ndarray:
    """The head of every word, 0 for the root, else the number of a word in its sentence, as in CoNLL-U."""
    layer = StructuredPredict("arborescence", "map", single_root=True)
    heads = np.zeros(int(sentences.offsets[-1]), dtype=np.int32)
    for batch, scores in scored(parser, sentences):
        for number, tree in zip(batch.sentences, layer.decode(scores, batch.lengths)):
            heads[sentences.offsets[number]:sentences.offsets[number + 1]] = np.asarray(tree) + 1
    return heads


def attachment_score(parser, sentences: Sentences) -> float:
    """The share of words with the right head, in percent (UAS); punctuation counts."""
    return 100 * float(np.mean(parse(parser, sentences) == sentences.heads + 1))
