# SPDX-License-Identifier: Apache-2.0
"""What the tests of structures in tensor operations share: layers, masks, and functions of scores."""
import fenchel

from torch_tensors import torch  # isort: skip

import fenchel.torch as ft

__all__ = ["GAPS", "INF", "LENGTHS", "MASK", "TAGS", "crf_of", "functions"]

INF = float("inf")
LENGTHS = torch.tensor([4, 1, 3])
MASK = torch.arange(4) < LENGTHS[:, None]
GAPS = torch.tensor([[1, 0, 1, 1], [1, 0, 0, 0], [1, 1, 0, 1]], dtype=torch.bool)
TAGS = torch.tensor([[0, 2, 1, 1], [2, 0, 0, 0], [1, 1, 0, 2]])


def crf_of(omega="crf", dtype=torch.float64, tags=3):
    torch.manual_seed(0)
    crf = ft.CRF(tags, batch_first=True, omega=omega).to(dtype)
    for parameter in crf.parameters():
        torch.nn.init.normal_(parameter)
    return crf


def functions():
    """Name, function and shape of everything here that has scores."""
    crf = crf_of().requires_grad_(False)
    sequence, sequence_loss = ft.StructuredPredict("sequence", "marginal"), ft.StructuredLoss("sequence")
    alignment = ft.StructuredPredict("alignment", "marginal")
    matching = ft.StructuredPredict("birkhoff", "entropic", temperature=0.5)
    marginal, labels, sizes = fenchel.Marginal(fenchel.Sequence(3, 2)), torch.tensor([[0, 1, 1], [1, 0, 0]]), torch.tensor([3, 2])
    a, b = [0.2, 0.3, 0.5], [0.1, 0.2, 0.3, 0.4]
    cells = torch.tensor([[3, 4], [2, 3]])
    yield "crf", lambda e: crf(e, TAGS, MASK), (3, 4, 3)
    yield "marginals", lambda e: crf.marginals(e, MASK), (3, 4, 3)
    yield "sequence", sequence, (2, 3, 2, 2)
    yield "sequence loss", lambda t: sequence_loss(t, labels, sizes), (2, 3, 2, 2)
    yield "alignment", lambda t: alignment(t, cells), (2, 3, 4)
    yield "matching", lambda t: matching(t, sizes), (2, 3, 3)
    yield "conjugate", lambda t: ft.conjugate(t, marginal), (2, 12)
    for regularization in ("l2", "kl"):
        yield f"ranks {regularization}", lambda t, r=regularization: ft.soft_rank(t, r, 0.7), (2, 5)
        yield f"sorted {regularization}", lambda t, r=regularization: ft.soft_sort(t, r, 0.7, "descending"), (2, 5)
    yield "soft_dtw", lambda c: ft.soft_dtw(c, 0.5, band=1), (2, 3, 4)
    yield "dtw", lambda c: ft.soft_dtw(c, 0), (2, 3, 4)
    yield "sinkhorn", lambda c: ft.sinkhorn(c, a, b, 0.3), (2, 3, 4)
