# SPDX-License-Identifier: Apache-2.0
"""fenchel.triton over rows, in Triton's interpreter: golden values, the core, rows in one tile and in blocks, bad input."""
import json
import pathlib
import unittest
from unittest import mock

from triton_interpreter import PLACE, failures, ft, torch, triton

from fenchel.triton import _checks, _launch  # isort: skip

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"
ALPHAS = (1.0, 1.05, 1.3, 1.5, 1.9, 2.0)
INF, NAN = float("inf"), float("nan")


def in_blocks(block=16):
    """Rows of more than 16 scores are read in blocks of a few."""
    return mock.patch.multiple(_launch, LONGEST_TILE=16, BLOCK=block)


class Golden(unittest.TestCase):
    def test_values(self):
        self.assertEqual(failures(_checks.golden(PLACE)), [])

    def test_are_those_of_the_other_tests(self):
        kept = {case["id"]: case for case in _checks.golden_cases()}
        found = 0
        for name in ("simplex", "jvp"):
            for line in (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
                case = json.loads(line)
                mine = kept.get(case["id"])
                if mine is not None:
                    found += 1
                    for key in ("op", "theta", "expect"):
                        self.assertEqual(mine[key], case[key])
                    self.assertEqual(mine["alpha"], case["omega"].get("alpha", 1.0))
                    self.assertEqual(mine.get("v"), case.get("v"))
                    if "label" in mine:
                        self.assertEqual(case["y"][mine["label"]], 1)
        self.assertEqual(found, len(kept))


class Rows(unittest.TestCase):
    def test_in_one_tile(self):
        for alpha in ALPHAS:
            for d in (1, 2, 17, 300):
                self.assertEqual(failures(_checks.rows(PLACE, alpha, d)), [])

    def test_in_blocks(self):
        for alpha, d, block in ((1.0, 40, 16), (1.05, 33, 16), (1.3, 40, 32), (1.5, 300, 64), (1.9, 40, 16), (2.0, 65, 16)):
            with in_blocks(block):
                self.assertEqual(failures(_checks.rows(PLACE, alpha, d)), [])

    def test_scores_that_newton_alone_reaches_slowly(self):
        theta = torch.cat([1 - torch.logspace(0, 9, 60, base=2)[None],
                           -torch.arange(60)[None] * torch.logspace(-6, 2, 9)[:, None]])
        for alpha in (1.05, 1.3):
            torch.testing.assert_close(triton.entmax(theta, alpha).double(), ft.entmax(theta.double(), alpha), atol=3e-7, rtol=0)

    def test_half_precision(self):
        for alpha in (1.0, 1.3, 1.5, 2.0):
            self.assertEqual(failures(_checks.half_precision(PLACE, alpha)), [])
        theta = torch.randn(3, 40).bfloat16().requires_grad_()
        with in_blocks():
            loss = triton.entmax_loss(theta, torch.tensor([1, 0, 39]))
        self.assertEqual(loss.dtype, torch.bfloat16)
        loss.backward()
        exact = theta.detach().double().requires_grad_()
        ft.entmax_loss(exact, torch.tensor([1, 0, 39])).backward()
        torch.testing.assert_close(theta.grad.double(), exact.grad, atol=4e-3, rtol=0)

    def test_blocks_without_mass_are_not_read(self):
        theta = torch.full((1, 64), NAN)  # which would be seen in a block that is read
        theta[0, 16:32] = 0
        theta[0, 20] = 50
        state, maxima = torch.zeros(3, 1), torch.tensor([[0.0, 50, 48.9, -INF]])
        state[0] = 50
        _kernels().long_thresholds[(1,)](3, theta, theta, theta, state, maxima, 1, 64, 4, 1.0, 0, 64, LOSS=False, BLOCK=16)
        self.assertEqual(state.flatten().tolist(), [50, 0, 1])

    def test_ties_and_masks(self):
        theta = torch.tensor([[1.0, 1, 1, -INF], [-INF, 0, -INF, 0], [2, 2, -INF, 0]])
        expected = torch.tensor([[1 / 3, 1 / 3, 1 / 3, 0], [0, 0.5, 0, 0.5], [0.5, 0.5, 0, 0]])
        torch.testing.assert_close(triton.sparsemax(theta), expected)
        for alpha in ALPHAS:
            p = triton.entmax(theta, alpha)
            self.assertEqual(p[0, 3], 0)
            torch.testing.assert_close(p, ft.entmax(theta, alpha))
        mask = torch.tensor([[True, True, False, True], [False] * 4, [True] * 4])
        theta = torch.randn(3, 4)
        for alpha in (1.0, 1.5):
            torch.testing.assert_close(triton.entmax(theta, alpha, mask=mask), ft.entmax(theta, alpha, mask=mask))

    def test_any_axis_and_any_strides(self):
        theta = torch.randn(2, 3, 4, 2)[..., 0]
        for dim in (0, 1, -1):
            with self.subTest(dim):
                torch.testing.assert_close(triton.entmax15(theta, dim), ft.entmax15(theta, dim))
        labels = torch.tensor([[0, 1], [2, -100]])
        scores = torch.randn(2, 3, 2)
        torch.testing.assert_close(triton.entmax_loss(scores, labels, 1.3, dim=1), ft.entmax_loss(scores, labels, 1.3, dim=1))
        self.assertEqual(triton.sparsemax(torch.tensor([3.0])).tolist(), [1])
        self.assertEqual(triton.sparsemax(torch.empty(0, 3)).shape, (0, 3))
        self.assertEqual(triton.entmax_loss(torch.empty(0, 3), torch.empty(0, dtype=torch.long)).item(), 0)

    def test_second_derivatives(self):
        theta = torch.randn(2, 5)
        labels = torch.tensor([1, 3])
        for name in ("entmax", "loss"):
            def twice(module, scores, name=name):
                scores = scores.clone().requires_grad_()
                out = module.entmax(scores, 1.5).square().sum() if name == "entmax" else module.entmax_loss(scores, labels, 1.5)
                first, = torch.autograd.grad(out, scores, create_graph=True)
                return torch.autograd.grad(first.square().sum(), scores)[0]

            torch.testing.assert_close(twice(triton, theta).double(), twice(ft, theta.double()), atol=1e-5, rtol=1e-5)


def _kernels():
    from fenchel.triton import _row_kernels
    return _row_kernels


class Losses(unittest.TestCase):
    def test_reductions_weights_and_ignored_rows(self):
        theta = torch.randn(5, 7)
        theta[2] = NAN  # ignored
        labels, weight = torch.tensor([0, 6, -1, 3, 3]), torch.rand(7)
        for reduction in ("mean", "sum", "none"):
            for given in (None, weight):
                ours, exact = theta.clone().requires_grad_(), theta.clone().requires_grad_()
                arguments = {"reduction": reduction, "ignore_index": -1, "weight": given}
                found = triton.entmax_loss(ours, labels, 1.5, **arguments)
                expected = ft.entmax_loss(exact, labels, 1.5, **arguments)
                torch.testing.assert_close(found, expected)
                found.sum().backward()
                expected.sum().backward()
                torch.testing.assert_close(ours.grad, exact.grad, atol=1e-6, rtol=1e-5)

    def test_a_large_vocabulary(self):
        ours = torch.randn(1, 262144, generator=torch.Generator().manual_seed(0)).requires_grad_()
        exact, label = ours.detach().double().requires_grad_(), torch.tensor([262143])
        found, expected = triton.entmax_loss(ours, label, 2.0), ft.entmax_loss(exact, label, 2.0)
        torch.testing.assert_close(found.double(), expected, atol=0, rtol=1e-6)
        found.backward()
        expected.backward()
        torch.testing.assert_close(ours.grad.double(), exact.grad, atol=1e-6, rtol=0)

    def test_labels_beyond_the_classes_are_seen(self):
        for context in (mock.patch.object(_launch, "BLOCK", 16), in_blocks()):
            with context:
                theta = torch.randn(4, 20).requires_grad_()
                losses = triton.entmax_loss(theta, torch.tensor([0, 20, -1, 19]), reduction="none")
                self.assertEqual(losses.isnan().tolist(), [False, True, True, False])
                losses[[0, 3]].sum().backward()
                self.assertTrue(theta.grad[0].isfinite().all())

    def test_a_forbidden_label_costs_everything(self):
        theta = torch.zeros(1, 40)
        theta[0, 3] = -INF
        for context in (in_blocks(), mock.patch.object(_launch, "BLOCK", 16)):
            with context:
                self.assertEqual(triton.entmax_loss(theta, torch.tensor([3])).item(), INF)

    def test_nothing_of_the_size_of_the_scores_is_kept(self):
        theta = torch.randn(3, 300).requires_grad_()
        kept = []
        with torch.autograd.graph.saved_tensors_hooks(lambda tensor: kept.append(tensor) or tensor, lambda tensor: tensor):
            triton.entmax_loss(theta, torch.tensor([1, 2, 3]))
        own = [tensor.numel() for tensor in kept if tensor.untyped_storage().data_ptr() != theta.untyped_storage().data_ptr()]
        self.assertLess(sum(own), 30)


class BadInput(unittest.TestCase):
    def test_rows_without_a_prediction_are_nan(self):
        for context in (in_blocks(), mock.patch.object(_launch, "BLOCK", 16)):
            for alpha in (1.0, 1.3, 1.5, 2.0):
                with context:
                    theta = torch.zeros(4, 40)
                    theta[0, 37], theta[1, 2], theta[2] = NAN, INF, -INF
                    theta.requires_grad_()
                    p = triton.entmax(theta, alpha)
                    self.assertEqual(p.isnan().all(1).tolist(), [True, True, True, False])
                    self.assertEqual(p.isnan().any(1).tolist(), [True, True, True, False])
                    losses = triton.entmax_loss(theta, torch.zeros(4, dtype=torch.long), alpha, reduction="none")
                    self.assertEqual(losses.isnan().tolist(), [True, True, True, False])
                    gradient, = torch.autograd.grad(losses.sum(), theta)
                    self.assertEqual(gradient.isnan().all(1).tolist(), [True, True, True, False])
                    gradient, = torch.autograd.grad(p.sum(), theta)
                    self.assertEqual(gradient.isnan().any(1).tolist(), [True, True, True, False])

    def test_errors(self):
        theta, labels = torch.zeros(2, 3), torch.zeros(2, dtype=torch.long)
        for error, text, call in (
                (TypeError, "theta has dtype torch.float64; expected float32, float16 or bfloat16",
                 lambda: triton.entmax(theta.double())),
                (TypeError, "theta is list; expected a tensor", lambda: triton.sparsemax([1.0])),
                (TypeError, "alpha is a tensor; expected a number from 1 to 2", lambda: triton.entmax(theta, torch.tensor(1.5))),
                (ValueError, "alpha is 2.5; expected a number from 1 to 2", lambda: triton.entmax(theta, 2.5)),
                (ValueError, "alpha is nan; expected", lambda: triton.entmax_loss(theta, labels, NAN)),
                (ValueError, "alpha is 1.00001; expected 1 or at least 1.0001", lambda: triton.entmax(theta, 1.00001)),
                (ValueError, r"theta has shape \(2, 0\); expected at least one", lambda: triton.sparsemax(torch.zeros(2, 0))),
                (ValueError, "dim is 2; theta has 2 axes", lambda: triton.sparsemax(theta, 2)),
                (ValueError, "theta is a single number", lambda: triton.sparsemax(torch.tensor(1.0))),
                (TypeError, "y is torch.float32; expected a tensor of integer labels", lambda: triton.entmax_loss(theta, theta)),
                (ValueError, r"y has shape \(3,\); expected \(2,\)",
                 lambda: triton.entmax_loss(theta, torch.zeros(3, dtype=torch.long))),
                (ValueError, "reduction is 'most'", lambda: triton.entmax_loss(theta, labels, reduction="most")),
                (ValueError, "weight has shape", lambda: triton.entmax_loss(theta, labels, weight=torch.ones(2)))):
            with self.subTest(text), self.assertRaisesRegex(error, text):
                call()


if __name__ == "__main__":
    unittest.main()
