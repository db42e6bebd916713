# SPDX-License-Identifier: Apache-2.0
"""The arc-factored parser of Kiperwasser and Goldberg (2016): a bidirectional LSTM, a score for every pair of words, and for an
arc a score for each relation."""
from __future__ import annotations

import torch
from torch import Tensor, nn

from .batches import Batch
from .vocabulary import ROOT, UNKNOWN, Vocabulary

WORD, TAG = 100, 25  # sizes of embeddings
STATE, LAYERS = 125, 2  # of the LSTM, in each direction
HIDDEN = 100  # of the scorers
# The scorer of arcs begins with weights of this standard deviation times 1/√inputs. From PyTorch's smaller ones, the hinge loss
# first brings all trees to about the same score and stays there for several epochs.
GAIN = 3.0


class Network(nn.Module):
    """Scores of arcs: score(h → m) = w · tanh(H v_h + M v_m + b), v the states of the LSTM over words and tags."""

    dropped: Tensor

    def __init__(self, vocabulary: Vocabulary, word_dropout: float = 0.25):
        super().__init__()
        self.words = nn.Embedding(len(vocabulary.words) + ROOT + 1, WORD)
        self.tags = nn.Embedding(len(vocabulary.tags) + ROOT + 1, TAG)
        self.lstm = nn.LSTM(WORD + TAG, STATE, LAYERS, bidirectional=True, batch_first=True)
        self.head = nn.Linear(2 * STATE, HIDDEN)
        self.dependent = nn.Linear(2 * STATE, HIDDEN, bias=False)
        self.output = nn.Linear(HIDDEN, 1, bias=False)
        for layer in (self.head, self.dependent, self.output):
            nn.init.normal_(layer.weight, std=GAIN / layer.in_features ** 0.5)
        counts = torch.tensor([0, 0, *vocabulary.counts], dtype=torch.float32)
        dropped = word_dropout / (word_dropout + counts)
        dropped[[UNKNOWN, ROOT]] = 0
        self.register_buffer("dropped", dropped, persistent=False)  # the probability that a word is taken for unknown
        # Last, so that everything else begins with the same numbers with and without labels.
        self.labels = None if vocabulary.relations is None else LabelScorer(len(vocabulary.relations))

    def forward(self, batch: Batch) -> Tensor:
        """Scores [batch, n, n] as Arborescence has them: (h, m) is the arc h → m, (m, m) attaches m to the root."""
        return self.arc_scores(self.states(batch))

    def states(self, batch: Batch) -> Tensor:
        """[batch, 1 + n, 2 · STATE], the root first."""
        words = batch.words
        if self.training:
            words = torch.where(torch.rand(words.shape) < self.dropped[words], UNKNOWN, words)
        inputs = torch.cat([self.words(words), self.tags(batch.tags)], -1)
        packed = nn.utils.rnn.pack_padded_sequence(inputs, batch.lengths + 1, batch_first=True, enforce_sorted=False)
        return nn.utils.rnn.pad_packed_sequence(self.lstm(packed)[0], batch_first=True)[0]

    def arc_scores(self, states: Tensor) -> Tensor:
        """What `forward` returns."""
        pairs = self.output(torch.tanh(self.head(states)[:, :, None] + self.dependent(states)[:, None])).squeeze(-1)
        on_diagonal = torch.eye(pairs.shape[1] - 1, dtype=torch.bool)
        return torch.where(on_diagonal, pairs[:, 0, None, 1:], pairs[:, 1:, 1:])


class LabelScorer(nn.Module):
    """Scores of relations: for the arc h → m they are W tanh(H v_h + M v_m + b) + c, with weights of their own."""

    def __init__(self, relations: int):
        super().__init__()
        self.head = nn.Linear(2 * STATE, HIDDEN)
        self.dependent = nn.Linear(2 * STATE, HIDDEN, bias=False)
        self.output = nn.Linear(HIDDEN, relations)

    def forward(self, states: Tensor, heads: Tensor, chosen: Tensor) -> Tensor:
        """[arcs, relations] for the words of [batch, n] that are `chosen`, in order, with `heads` [batch, n] that are words."""
        sentence, word = chosen.nonzero(as_tuple=True)
        of_heads, of_words = states[sentence, heads[chosen] + 1], states[sentence, word + 1]
        return self.output(torch.tanh(self.head(of_heads) + self.dependent(of_words)))
