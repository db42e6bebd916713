# SPDX-License-Identifier: Apache-2.0
"""Tensors whose memory is not what it seems: cut storages, zeros without memory, other layouts, bits, strides, devices."""
import unittest

import fenchel
import numpy as np

from torch_tensors import double, torch  # isort: skip

import fenchel.torch as ft

LABELS = torch.tensor([0, 2, 4])
CRF = ft.CRF(5, batch_first=True)
#: Each takes scores [3, 5]; between them they take every way from a tensor to C++.
CALLS = {
    "predict": ft.sparsemax, "predict by rows": lambda t: ft.normmax(t, 2), "axis": lambda t: ft.entmax15(t, 0),
    "mask": lambda t: ft.softmax(t, mask=torch.ones(5, dtype=torch.bool)), "conjugate": lambda t: ft.conjugate(t, "shannon"),
    "loss": lambda t: ft.loss(t, LABELS, "shannon"), "rows": lambda t: ft.loss(t, torch.full((3, 5), 0.2), "shannon"),
    "alpha": lambda t: ft.entmax(t, torch.full((3, 1), 1.5)), "soft": ft.soft_rank, "dtw": ft.soft_dtw, "plan": ft.sinkhorn,
    "alpha loss": lambda t: ft.entmax_loss(t, LABELS, torch.full((3, 1), 1.5)),
    "ragged": lambda t: ft.predict([t[0], t[2, 2:]], "sparsemax")[0], "structured": ft.StructuredPredict("permutahedron"),
    "structured loss": lambda t: ft.StructuredLoss("simplex")(t, torch.tensor([0, 1, 2])),
    "chain": lambda t: CRF(t[None], torch.zeros(1, 3, dtype=torch.int64)), "decode": lambda t: CRF.decode(t[None]),
    "best": lambda t: CRF.k_best(t[None], 2),
}


def each(inputs):
    for name, call in CALLS.items():
        for wanted in (False, True):  # with and without gradients go different ways
            yield name, call, inputs().requires_grad_(wanted)


class Storages(unittest.TestCase):
    def test_storages_that_were_cut(self):
        for held in (0, 4, 59):
            def cut(held=held):
                theta = double(3, 5).detach().float()
                theta.untyped_storage().resize_(held)
                return theta

            for name, call, theta in each(cut):
                with self.subTest(name=name, held=held), self.assertRaisesRegex((ValueError, RuntimeError), "storage|allocated"):
                    call(theta)

    def test_targets(self):
        theta = double(3, 5)
        for start in (theta, theta.detach()):
            labels, rows = LABELS.clone(), torch.full((3, 5), 0.2, dtype=torch.float64)
            labels.untyped_storage().resize_(8)
            rows.untyped_storage().resize_(8)
            for y in (labels, rows):
                with self.assertRaisesRegex(ValueError, "storage of 8 bytes"):
                    ft.loss(start, y, "sparsemax")

    def test_functions_of_numpy(self):
        theta = torch.zeros(3, 5)
        np.testing.assert_allclose(fenchel.sparsemax(theta), np.full((3, 5), 0.2), rtol=1e-6)
        theta = torch.zeros(3, 5)
        theta.untyped_storage().resize_(4)
        for call in (fenchel.sparsemax, fenchel.soft_rank, fenchel.soft_dtw, fenchel.sinkhorn, fenchel.KSubsets(5, 2).decode,
                     lambda t: fenchel.predict([t, np.zeros(2)], "shannon"),
                     lambda t: fenchel.loss(np.zeros((3, 5)), t, "shannon"), fenchel.Simplex(5).distribution):
            with self.assertRaisesRegex(ValueError, "storage of 4 bytes"):
                call(theta)

    def test_zeros_without_memory(self):
        for name, call, zeros in each(lambda: torch._efficientzerotensor((3, 5), dtype=torch.float64)):
            with self.subTest(name=name):
                self.assertTrue(zeros._is_zerotensor())
                expected = call(torch.zeros(3, 5, dtype=torch.float64))
                if isinstance(expected, torch.Tensor):
                    torch.testing.assert_close(call(zeros), expected, check_device=False)
                else:
                    self.assertEqual(call(zeros), expected)


class Layouts(unittest.TestCase):
    def test_memory_of_other_shapes(self):
        theta = double(3, 5).detach()
        padded = torch.zeros(3, 2, 11, dtype=torch.float64)
        padded[:, 1, 1::2] = theta
        bits = torch.complex(torch.zeros_like(theta), -theta).conj().imag
        self.assertTrue(bits.is_neg())
        for made in (theta.t().contiguous().t(), padded[:, 1, 1::2], bits, theta.to(torch.float64, copy=True),
                     torch.empty(20, dtype=torch.float64)[5:].view(3, 5).copy_(theta)):
            for name, call, given in each(lambda made=made: made.detach()):
                with self.subTest(name=name, strides=made.stride()):
                    before = given.clone()
                    found, expected = call(given), call(theta)
                    if isinstance(expected, torch.Tensor):
                        torch.testing.assert_close(found, expected)
                    else:
                        self.assertEqual(found, expected)
                    self.assertTrue(torch.equal(given, before))

    def test_rows_that_share_memory(self):
        row = double(5).detach()
        for name, call in CALLS.items():
            with self.subTest(name=name):
                found, expected = call(row.expand(3, 5)), call(row.repeat(3, 1))
                self.assertEqual(str(found), str(expected))

    def test_other_layouts_are_refused(self):
        theta = double(3, 5).detach().float()
        nested = torch.nested.nested_tensor([theta[0], theta[1]])
        for made in (theta.to_sparse(), theta.to_sparse_csr(), nested):
            for name in ("predict", "axis", "loss", "alpha", "soft", "structured"):
                with self.subTest(name=name), self.assertRaisesRegex(TypeError, "dense"):
                    CALLS[name](made)
            with self.assertRaisesRegex(TypeError, "dense"):
                CRF.decode(made)
        with self.assertRaisesRegex(TypeError, "y has layout"):
            ft.loss(theta, theta.softmax(-1).to_sparse(), "shannon")

    def test_other_types(self):
        theta = double(3, 5).detach()
        for dtype in (torch.complex64, torch.int64, torch.bool, torch.uint8):
            for name in ("predict", "axis", "loss", "alpha", "soft", "dtw", "plan", "structured", "chain"):
                with self.subTest(name=name, dtype=dtype), self.assertRaisesRegex(TypeError, "expected real numbers"):
                    CALLS[name](theta.to(dtype))
        for dtype in (torch.float16, torch.bfloat16):
            self.assertEqual(ft.sparsemax(theta.to(dtype)).dtype, dtype)
        for y in (theta.to(torch.complex64), theta > 0, [0, 1, 2]):
            with self.assertRaisesRegex(TypeError, "y has"):
                ft.StructuredLoss("simplex")(theta, y)

    def test_sizes_of_zero_and_single_numbers(self):
        self.assertEqual(ft.sparsemax(torch.empty(0, 5)).shape, (0, 5))
        self.assertEqual(ft.loss(torch.empty(0, 5), torch.empty(0, dtype=torch.int64), "shannon"), 0)
        self.assertEqual(ft.soft_rank(torch.empty(0, 5)).shape, (0, 5))
        for call in (ft.sparsemax, ft.soft_rank, lambda t: ft.conjugate(t, "shannon"), lambda t: ft.loss(t, t, "shannon")):
            with self.assertRaisesRegex(ValueError, "single number"):
                call(torch.tensor(1.0))

    def test_devices(self):
        theta = double(3, 5).detach()
        for name in ("predict", "axis", "conjugate", "loss", "alpha", "soft", "dtw", "plan", "structured"):
            self.assertEqual(CALLS[name](theta.to("meta")).device.type, "meta", name)
        theta.requires_grad_()
        with torch.device("meta"):  # where new tensors go does not change where results are
            self.assertEqual(ft.loss(theta, LABELS, "shannon").device.type, "cpu")


if __name__ == "__main__":
    unittest.main()
