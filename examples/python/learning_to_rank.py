# SPDX-License-Identifier: Apache-2.0
"""Learning to rank: a small network scores the items of a query, and losses over the permutahedron compare orders.

Three losses: the Fenchel-Young losses of ½‖μ‖² and of Σ μ log μ over the permutahedron (paper §7.3), and the squared
error of soft ranks.
"""
from __future__ import annotations

from typing import Callable, Dict, Tuple

import fenchel
import fenchel.torch as ft
import torch
from torch import Tensor, nn

ITEMS, FEATURES = 8, 5


def queries(count: int, seed: int) -> Tuple[Tensor, Tensor]:
    """Features [count, ITEMS, FEATURES] and ranks [count, ITEMS]: ITEMS for the best item, 1 for the worst."""
    random = torch.Generator().manual_seed(seed)
    x = torch.randn(count, ITEMS, FEATURES, generator=random)
    value = x[..., 0] + x[..., 1] * x[..., 2] - 0.5 * x[..., 3].abs() + 0.2 * torch.randn(count, ITEMS, generator=random)
    return x, value.argsort(1).argsort(1) + 1.0


def spearman(theta: Tensor, ranks: Tensor) -> float:
    """The mean rank correlation."""
    difference = theta.argsort(1).argsort(1) + 1.0 - ranks
    return float((1 - 6 * (difference**2).sum(1) / (ITEMS * (ITEMS**2 - 1))).mean())


def main() -> None:
    x, ranks = queries(400, seed=1)
    x_test, ranks_test = queries(400, seed=2)
    rankings = fenchel.Permutahedron(list(range(ITEMS, 0, -1)))
    losses: Dict[str, Callable[[Tensor], Tensor]] = {
        "½‖μ‖² over rankings": lambda theta: ft.loss(theta, ranks, fenchel.SparseMap(rankings)),
        "Σ μ log μ over rankings": lambda theta: ft.loss(theta, ranks, fenchel.Entropic(rankings)),
        "squared error of soft ranks": lambda theta: ((ft.soft_rank(theta) - ranks) ** 2).mean(),
    }
    print(f"{'loss':<30}{'first':>9}{'last':>9}{'Spearman, test':>16}")
    for name, loss in losses.items():
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(FEATURES, 32), nn.ReLU(), nn.Linear(32, 1), nn.Flatten(1))
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
        values = []
        for _ in range(120):
            optimizer.zero_grad()
            value = loss(model(x))
            value.backward()
            optimizer.step()
            values.append(value.item())
        with torch.no_grad():
            print(f"{name:<30}{values[0]:>9.3f}{values[-1]:>9.3f}{spearman(model(x_test), ranks_test):>16.3f}")


if __name__ == "__main__":
    main()
