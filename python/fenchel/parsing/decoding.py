# SPDX-License-Identifier: Apache-2.0
"""The best trees under a network's scores, with one root each, and the best relations of their arcs."""
from __future__ import annotations

from typing import Iterator, NamedTuple, Optional, Tuple

import numpy as np
import torch
from torch import Tensor

from ..torch import StructuredPredict
from .batches import Batch, Sentences
from .network import Network

BATCH = 64


class Trees(NamedTuple):
    """What is predicted for each word."""

    heads: np.ndarray  # 0 for the root, else the number of a word in its sentence, as in CoNLL-U
    relations: Optional[np.ndarray]  # numbers, −1 for that of the root; None without labels


def _with_states(network: Network, sentences: Sentences) -> Iterator[Tuple[Batch, Tensor]]:
    network.eval()
    with torch.no_grad():
        for numbers in sentences.in_order(BATCH):
            batch = sentences.batch(numbers)
            yield batch, network.states(batch)


def scored(network: Network, sentences: Sentences) -> Iterator[Tuple[Batch, Tensor]]:
    """Batches of all sentences, by length, with the scores [batch, n, n] of their arcs."""
    for batch, states in _with_states(network, sentences):
        yield batch, network.arc_scores(states)


def parse(network: Network, sentences: Sentences) -> Trees:
    """The best tree of each sentence; then, for each of its arcs, the best relation."""
    layer = StructuredPredict("arborescence", "map", single_root=True)
    heads = np.zeros(int(sentences.offsets[-1]), dtype=np.int32)
    relations = None if network.labels is None else np.full(len(heads), -1, dtype=np.int64)
    for batch, states in _with_states(network, sentences):
        found = torch.full((len(batch.sentences), states.shape[1] - 1), -1)
        for row, tree in zip(found, layer.decode(network.arc_scores(states), batch.lengths)):
            row[:len(tree)] = torch.tensor(tree)
        places = [slice(sentences.offsets[number], sentences.offsets[number + 1]) for number in batch.sentences]
        for place, row in zip(places, found.numpy()):
            heads[place] = row[:place.stop - place.start] + 1
        if relations is not None and network.labels is not None:
            best = torch.full_like(found, -1)
            best[found >= 0] = network.labels(states, found, found >= 0).argmax(-1)
            for place, row in zip(places, best.numpy()):
                relations[place] = row[:place.stop - place.start]
    return Trees(heads, relations)
