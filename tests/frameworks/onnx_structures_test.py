# SPDX-License-Identifier: Apache-2.0
"""torch.onnx.export of structures: chains, soft ranks, plans and alignments, for batches of other sizes than that recorded."""
import unittest
from unittest import mock

try:
    import onnxruntime  # noqa: F401
    import onnxscript  # noqa: F401
    import torch
except ImportError as error:
    print(f"skipped: {error.name} is not installed")
    raise SystemExit(0) from None

import fenchel
import fenchel.torch as ft
import onnx_programs as programs
from fenchel.torch import _plan_tensors

BATCH = torch.export.Dim("batch")


class Function(torch.nn.Module):
    """A function of one tensor as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


class LogLikelihood(torch.nn.Module):
    def __init__(self, crf):
        super().__init__()
        self.crf = crf

    def forward(self, emissions, tags, mask):
        return self.crf(emissions, tags, mask, reduction="none")


class Marginals(LogLikelihood):
    def forward(self, emissions, mask):
        return self.crf.marginals(emissions, mask)


class Structures(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)

    def check(self, function, *shape):
        """A function of scores, for a batch of 2 and one of 5."""
        cases = [(torch.randn(size, *shape),) for size in (2, 5)]
        programs.check(self, Function(function), cases, ({0: BATCH},), tolerance=2e-6)
        return cases

    def test_conditional_random_field(self):
        crf = ft.CRF(3, batch_first=True)
        for parameter in crf.parameters():
            torch.nn.init.normal_(parameter)
        cases = []
        for size in (2, 5):
            mask = torch.arange(4) < torch.randint(1, 5, (size, 1))
            cases.append((torch.randn(size, 4, 3), torch.randint(0, 3, (size, 4)), mask))
        programs.check(self, LogLikelihood(crf), cases, ({0: BATCH},) * 3, tolerance=2e-6)
        programs.check(self, Marginals(crf), [(emissions, mask) for emissions, _, mask in cases], ({0: BATCH},) * 2)

    def test_best_sequences_and_log_partition(self):
        chain = fenchel.Chain(4, 3)
        self.check(lambda theta: ft.predict(theta, fenchel.Map(chain)), 21)
        self.check(lambda theta: ft.conjugate(theta, fenchel.Marginal(chain)), 21)

    def test_soft_ranks(self):
        for function in (ft.soft_rank, ft.soft_sort):
            for regularization in ("l2", "kl"):
                with self.subTest(function=function, regularization=regularization):
                    self.check(lambda theta, by=function, kind=regularization: by(theta, kind), 4)

    def test_soft_ranks_of_ties(self):
        """ONNX does not say in which order equal values come; they are pooled."""
        module = Function(lambda theta: ft.soft_rank(theta, direction="descending"))
        programs.check(self, module, [(torch.tensor([[1.0, 0, 1, 1], [0, 0, 2, 2]]),), (torch.zeros(3, 4),)],
                       ({0: BATCH},))

    def test_plans(self):
        # Fewer steps than the 24 that hard costs need: their export takes a minute.
        with mock.patch.object(_plan_tensors, "STAGES", 1), mock.patch.object(_plan_tensors, "LAST", 3):
            self.check(lambda cost: ft.sinkhorn(cost, gamma=1.0), 3, 2)

    def test_alignments(self):
        self.check(lambda cost: ft.soft_dtw(cost.abs()), 3, 4)


if __name__ == "__main__":
    unittest.main()
