# SPDX-License-Identifier: Apache-2.0
"""Differentiable matching: points a and b in an unknown order, where the partner of a is a linear image of it with noise.

The score of a match is a_iᵀ W b_j. W is learned from known matchings by losses over the Birkhoff polytope (paper §7.3);
SparseMAP predicts doubly stochastic matrices in which most entries are exactly 0.
"""
from __future__ import annotations

from typing import Tuple

import fenchel
import fenchel.torch as ft
import torch
from torch import Tensor

N, FEATURES = 6, 3


def matchings(count: int, seed: int) -> Tuple[Tensor, Tensor, Tensor]:
    """a and b [count, N, FEATURES], and the right permutation matrices [count, N, N]."""
    random = torch.Generator().manual_seed(seed)
    hidden = torch.randn(FEATURES, FEATURES, generator=torch.Generator().manual_seed(0))
    a = torch.randn(count, N, FEATURES, generator=random)
    order = torch.rand(count, N, generator=random).argsort(1)
    b = torch.empty_like(a)
    b.scatter_(1, order[..., None].expand_as(a), a @ hidden + 0.3 * torch.randn(count, N, FEATURES, generator=random))
    return a, b, torch.nn.functional.one_hot(order, N).to(a.dtype)


def main() -> None:
    a, b, y = matchings(200, seed=1)
    a_test, b_test, y_test = matchings(200, seed=2)
    birkhoff = fenchel.Birkhoff(N)
    best = fenchel.Map(birkhoff)
    print(f"{'loss':<34}{'training loss':>14}{'pairs right':>13}{'entries > 0 of ' + str(N * N):>20}")
    for name, omega in [("SparseMAP: ½‖μ‖²", fenchel.SparseMap(birkhoff)), ("entropic: Σ μ log μ", fenchel.Entropic(birkhoff)),
                        ("perceptron: Ω = 0", best)]:
        w = torch.zeros(FEATURES, FEATURES, requires_grad=True)
        loss = ft.FenchelYoungLoss(omega)
        optimizer = torch.optim.Adam([w], lr=0.1)
        for _ in range(60):
            optimizer.zero_grad()
            value = loss((a @ w @ b.transpose(1, 2)).flatten(1), y.flatten(1))
            value.backward()
            optimizer.step()
        theta = (a_test @ w.detach() @ b_test.transpose(1, 2)).flatten(1)
        right = (ft.predict(theta, best) * y_test.flatten(1)).sum().item() / (N * len(theta))
        entries = (ft.predict(theta, omega) > 1e-9).double().sum(1).mean().item()
        print(f"{name:<34}{value.item():>14.4f}{right:>13.3f}{entries:>20.1f}")


if __name__ == "__main__":
    main()
