# SPDX-License-Identifier: Apache-2.0
"""torch.onnx.export of losses: onnxruntime says the same, for other sizes than those that were recorded."""
import unittest

try:
    import onnxruntime  # noqa: F401
    import onnxscript  # noqa: F401
    import torch
except ImportError as error:
    print(f"skipped: {error.name} is not installed")
    raise SystemExit(0) from None

import fenchel.torch as ft
import onnx_programs as programs

ROWS, COLUMNS = torch.export.Dim("rows"), torch.export.Dim("columns")
AXES = {0: ROWS, 1: COLUMNS}
SMALL, LARGE = torch.randn(3, 7, dtype=torch.float64), torch.randn(5, 11, dtype=torch.float64) * 3
LABELS, OTHERS = torch.tensor([4, -100, 0]), torch.tensor([10, 3, 3, -100, 0])


class Losses(unittest.TestCase):
    def agrees(self, module, targets, axes):
        programs.check(self, module, [(SMALL, targets[0]), (LARGE, targets[1])], (AXES, axes))

    def test_labels(self):
        self.agrees(ft.FenchelYoungLoss("shannon"), (LABELS, OTHERS), {0: ROWS})
        self.agrees(ft.FenchelYoungLoss("sparsemax", reduction="none", cost="zero_one"), (LABELS, OTHERS), {0: ROWS})

    def test_weights(self):
        weighted = ft.FenchelYoungLoss("norm:q=2", weight=torch.rand(7, dtype=torch.float64), reduction="sum")
        programs.check(self, weighted, [(SMALL, LABELS), (LARGE[:, :7].contiguous(), OTHERS % 7)], ({0: ROWS}, {0: ROWS}))

    def test_rows(self):
        targets = (SMALL.softmax(-1), LARGE.softmax(-1))
        self.agrees(ft.EntmaxLoss(1.3), targets, AXES)
        for omega in ("sigmoid", "sparse_sigmoid", "squared"):
            with self.subTest(omega):
                self.agrees(ft.FenchelYoungLoss(omega), targets, AXES)


if __name__ == "__main__":
    unittest.main()
