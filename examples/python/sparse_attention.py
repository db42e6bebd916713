# SPDX-License-Identifier: Apache-2.0
"""Sparse attention: a small Transformer that attends by softmax, by 1.5-entmax, or by entmax with an α learned by each head.

The task is recall: words that are pairs of a key and a value, then a key alone; the answer is its value. Attention with exact
zeros finds it as well, and shows where it looked.
"""
from __future__ import annotations

import time
from typing import Callable, List, Tuple

import fenchel.torch as ft
import torch
from torch import Tensor, nn

KEYS, VALUES, LENGTH, WIDTH, HEADS = 20, 8, 16, 32, 4


class Attention(nn.Module):
    """Attention by several heads; `weigh` maps scores [batch, heads, queries, keys] to weights."""

    def __init__(self, weigh: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.inputs, self.output = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.weigh = weigh
        self.weights = torch.empty(0)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        query, key, value = self.inputs(x).view(batch, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        self.weights = self.weigh(query @ key.transpose(-1, -2) / (WIDTH // HEADS) ** 0.5)
        return self.output((self.weights @ value).transpose(1, 2).reshape(batch, length, WIDTH))


class Transformer(nn.Module):
    """One layer of attention, one dense layer, and an answer at the last position."""

    def __init__(self, weigh: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.keys, self.values = nn.Embedding(KEYS, WIDTH), nn.Embedding(VALUES + 1, WIDTH)
        self.attention = Attention(weigh)
        self.dense = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 64), nn.ReLU(), nn.Linear(64, WIDTH))
        self.norm, self.answer = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VALUES)

    def forward(self, keys: Tensor, values: Tensor) -> Tensor:
        x = self.keys(keys) + self.values(values)
        x = x + self.attention(self.norm(x))
        return self.answer((x + self.dense(x))[:, -1])


def recall(batch: int, random: torch.Generator) -> Tuple[Tensor, Tensor, Tensor]:
    """Different keys with values, then one of the keys with no value; and the value that it had."""
    keys = torch.rand(batch, KEYS, generator=random).argsort(1)[:, :LENGTH]
    values = torch.randint(VALUES, (batch, LENGTH), generator=random)
    asked = torch.randint(LENGTH - 1, (batch, 1), generator=random)
    keys[:, -1:] = keys.gather(1, asked)
    y = values.gather(1, asked)[:, 0]
    values[:, -1] = VALUES
    return keys, values, y


def train(model: Transformer, loss: nn.Module, steps: int = 250) -> float:
    """The shortest time of a step, in milliseconds."""
    random = torch.Generator().manual_seed(1)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    times: List[float] = []
    for _ in range(steps):
        keys, values, y = recall(64, random)
        start = time.perf_counter()
        optimizer.zero_grad()
        loss(model(keys, values), y).backward()
        optimizer.step()
        times.append(1e3 * (time.perf_counter() - start))
    return min(times)


def main() -> None:
    torch.set_num_threads(1)
    alpha = ft.LearnableAlpha((HEADS, 1, 1))
    ways = {"softmax": nn.Softmax(dim=-1), "1.5-entmax": ft.Entmax15(dim=-1), "learned α": ft.Entmax(alpha)}
    keys, values, y = recall(2000, torch.Generator().manual_seed(2))
    print(f"{'attention':<12}{'accuracy':>10}{'words attended of ' + str(LENGTH):>23}{'step (ms)':>12}")
    for name, weigh in ways.items():
        torch.manual_seed(0)
        model = Transformer(weigh)
        step = train(model, ft.FenchelYoungLoss("sparsemax"))
        with torch.no_grad():
            accuracy = (model(keys, values).argmax(1) == y).double().mean().item()
        attended = (model.attention.weights[:, :, -1] > 0).double().sum(-1).mean().item()
        print(f"{name:<12}{accuracy:>10.3f}{attended:>23.2f}{step:>12.2f}")
    print("α of the heads:", " ".join(f"{value:.2f}" for value in alpha().flatten().tolist()))


if __name__ == "__main__":
    main()
