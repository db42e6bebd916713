# SPDX-License-Identifier: Apache-2.0
"""torch.onnx.export of layers: onnxruntime says the same, for other sizes than those that were recorded."""
import unittest

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

ROWS, COLUMNS = torch.export.Dim("rows"), torch.export.Dim("columns")
SMALL, LARGE = torch.randn(3, 7), torch.randn(5, 11) * 3


class Layers(unittest.TestCase):
    def agrees(self, module, tolerance=1e-6):
        programs.check(self, module, [(SMALL,), (LARGE,)], ({0: ROWS, 1: COLUMNS},), tolerance)

    def test_softmax(self):
        self.agrees(ft.Predict("shannon:temperature=0.5"))

    def test_sparsemax_along_the_first_axis(self):
        self.agrees(ft.Sparsemax(dim=0))

    def test_entmax_behind_a_linear_layer(self):
        network = torch.nn.Sequential(torch.nn.Linear(7, 5), ft.Entmax15()).double()
        programs.check(self, network, [(SMALL.double(),), (torch.randn(1, 7, dtype=torch.float64),)], ({0: ROWS},), 1e-12)

    def test_norms(self):
        self.agrees(ft.Normmax(2))

    def test_masks(self):
        class Masked(torch.nn.Module):
            def forward(self, theta, mask):
                return ft.sparsemax(theta, mask=mask)

        mask, other = SMALL > 0, LARGE > -1
        mask[1] = False  # a row without any
        axes = {0: ROWS, 1: COLUMNS}
        programs.check(self, Masked(), [(SMALL, mask), (LARGE, other)], (axes, axes))

    def test_coordinatewise(self):
        for omega in ("sigmoid", "sparse_sigmoid", "relu", "squared"):
            with self.subTest(omega):
                self.agrees(ft.Predict(omega))
        doubles = [(SMALL.double(),), (LARGE.double(),)]
        programs.check(self, ft.Predict("poisson"), doubles, ({0: ROWS, 1: COLUMNS},), 1e-9)

    def test_without_onnx(self):
        """torch.export, whose programs need nothing of this package, also with an α that was learned."""
        for module in (ft.Entmax(1.3), ft.Entmax(ft.LearnableAlpha()), ft.Predict("tsallis_sigmoid:alpha=1.5")):
            with self.subTest(module):
                program = torch.export.export(module, (SMALL,), dynamic_shapes=({0: ROWS, 1: COLUMNS},))
                self.assertNotIn("fenchel", "".join(str(node.target) for node in program.graph.nodes))
                torch.testing.assert_close(program.module()(LARGE), module(LARGE), rtol=0, atol=1e-6)

    def test_what_has_no_tensor_operations(self):
        """The error names the operation and Ω."""
        for module, names in ((ft.SparseMAP(fenchel.Sequence(7, 1)), ("predict", "sparsemap")),
                              (ft.Predict("renyi:beta=0.5"), ("predict", "renyi"))):
            with self.subTest(module):
                told = programs.failure(module, (SMALL,))
                for name in names:
                    self.assertIn(name, told)


if __name__ == "__main__":
    unittest.main()
