# SPDX-License-Identifier: Apache-2.0
"""The network that the processes of torch_deployment_test.py train, alone or in two."""
import fenchel.torch as ft
import torch


def network():
    """A layer with an α that is learned, and scores behind it."""
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(4, 5), ft.Entmax(ft.LearnableAlpha()), torch.nn.Linear(5, 3)).double()


def batch():
    """Rows and labels, one of them ignored."""
    generator = torch.Generator().manual_seed(1)
    return torch.randn(8, 4, dtype=torch.float64, generator=generator), torch.tensor([0, 2, 1, -100, 0, 2, 2, 1])


def step(model, optimizer, x, y, share):
    """One step by the share of the sum of losses."""
    optimizer.zero_grad()
    (share * ft.FenchelYoungLoss("sparsemax", reduction="sum")(model(x), y)).backward()
    optimizer.step()
