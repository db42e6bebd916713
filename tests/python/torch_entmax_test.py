# SPDX-License-Identifier: Apache-2.0
"""fenchel.torch: α-entmax with learnable α, the names of the package entmax, and what its users reported."""
import math
import unittest

import fenchel
import numpy as np

from torch_tensors import double, torch  # isort: skip

import fenchel.torch as ft
from torch.autograd import gradcheck, gradgradcheck

try:
    import entmax as peer
except ImportError:
    peer = None


def unclamped_loss(theta, labels, alpha):
    """Ω*(θ) − θ_k in double, which nothing clamps at 0 (Ω is 0 at the corners)."""
    rows = theta.detach().numpy().astype(np.float64)
    shifted = rows - rows.max(axis=1, keepdims=True)
    return fenchel.conjugate(shifted, fenchel.Tsallis(alpha)) - shifted[np.arange(len(rows)), labels.numpy()]


class Alpha(unittest.TestCase):
    def test_gradients_of_the_map(self):
        theta = double(2, 3, 4, 5)
        for shape in ((3, 1, 1), (2, 3, 1, 1), (2, 3, 4, 1), (1,), ()):
            alpha = torch.linspace(1.0, 1.9, math.prod(shape), dtype=torch.float64).reshape(shape).requires_grad_()
            with self.subTest(shape=shape):
                rows = theta[:, :, :shape[2] if len(shape) == 4 else 1]
                self.assertTrue(gradcheck(ft.entmax, (rows, alpha)))
        alpha = torch.tensor([[1.0], [1.4], [2.0], [0.8]], dtype=torch.float64, requires_grad=True)
        self.assertTrue(gradgradcheck(ft.entmax, (double(4, 4), alpha)))

    def test_gradients_of_the_loss(self):
        theta, y = double(4, 5), torch.tensor([0, 3, -100, 4])
        alpha = torch.tensor([[1.0], [1.4], [1.5], [2.0]], dtype=torch.float64, requires_grad=True)
        self.assertTrue(gradcheck(lambda t, a: ft.entmax_loss(t, y, a, reduction="none"), (theta, alpha)))
        self.assertTrue(gradgradcheck(lambda t, a: ft.entmax_loss(t, y, a), (theta, alpha)))
        rows = torch.softmax(double(4, 5, seed=1), -1).detach()
        self.assertTrue(gradcheck(lambda t, a: ft.entmax_loss(t, rows, a), (theta, alpha)))

    def test_rows_equal_those_of_one_alpha(self):
        theta = torch.randn(7, 40)
        alphas = torch.tensor([1.0, 1.0, 1.3, 1.5, 1.5, 2.0, 4.0])
        together = ft.entmax(theta, alphas[:, None])
        y = torch.arange(7)
        losses = ft.entmax_loss(theta, y, alphas[:, None], reduction="none")
        for i, alpha in enumerate(alphas.double().tolist()):
            self.assertTrue(torch.equal(together[i], ft.entmax(theta[i], alpha)))
            torch.testing.assert_close(losses[i], ft.entmax_loss(theta[i], y[i], alpha))
        torch.testing.assert_close(ft.entmax(theta.T, alphas[None, :], dim=0).T, together)

    def test_large_alphas_lose_no_digits(self):
        torch.manual_seed(0)
        for alpha in (4.0, 8.0):
            omega = fenchel.Tsallis(alpha)
            theta, v = (0.1 * torch.randn(4, 5, dtype=torch.float64)).requires_grad_(), torch.randn(4, 5, dtype=torch.float64)
            self.assertTrue(gradgradcheck(lambda x, omega=omega: fenchel.torch.predict(x, omega), theta))
            exact, = torch.autograd.grad(fenchel.torch.predict(theta, omega), theta, v, create_graph=True)
            single = theta.detach().float().requires_grad_()
            rounded, = torch.autograd.grad(fenchel.torch.predict(single, omega), single, v.float(), create_graph=True)
            torch.testing.assert_close(rounded.double(), exact, rtol=1e-4, atol=1e-4)

    def test_wrong_alphas(self):
        theta = torch.randn(3, 4)
        for alpha in (0.0, -1.0, math.nan):
            with self.assertRaisesRegex(ValueError, "alpha"):
                ft.entmax(theta, alpha)
            with self.assertRaisesRegex(ValueError, "alpha"):
                ft.entmax(theta, torch.tensor([[1.5], [alpha], [2.0]]))
        with self.assertRaisesRegex(ValueError, "alpha has shape"):
            ft.entmax(theta, torch.ones(3))
        with self.assertRaisesRegex(ValueError, "theta\\[2, 0\\]"):
            ft.entmax(torch.tensor([[1.0, 2.0], [1.0, 2.0], [math.nan, 1.0]]), torch.tensor([[1.5], [1.2], [2.0]]))

    def test_modules(self):
        alpha = ft.LearnableAlpha((2, 1, 1), init=1.25)
        torch.testing.assert_close(alpha(), torch.full((2, 1, 1), 1.25))
        with self.assertRaisesRegex(ValueError, "init"):
            ft.LearnableAlpha(init=2.0)
        layer = ft.AdaptiveEntmax(4)
        scores = torch.randn(2, 4, 3, 6, requires_grad=True)
        weights = layer(scores, mask=torch.ones(6, dtype=torch.bool))
        torch.testing.assert_close(weights.sum(-1), torch.ones(2, 4, 3))
        weights.square().sum().backward()
        self.assertEqual(layer.alpha.z.grad.shape, (4, 1, 1))
        self.assertTrue((layer.alpha.z.grad != 0).all())
        self.assertEqual(list(layer.state_dict()), ["alpha.z"])

    def test_alpha_is_learned(self):
        torch.manual_seed(0)
        theta, target = torch.randn(64, 8), None
        target = ft.entmax(theta, 1.8)
        alpha = ft.LearnableAlpha(init=1.2)
        optimizer = torch.optim.Adam(alpha.parameters(), lr=0.1)
        for _ in range(150):
            optimizer.zero_grad()
            (ft.entmax(theta, alpha()) - target).square().sum().backward()
            optimizer.step()
        self.assertAlmostEqual(alpha().item(), 1.8, places=2)


@unittest.skipIf(peer is None, "the package entmax is not installed")
class SameAsEntmax(unittest.TestCase):
    def test_every_public_name(self):
        missing = [name for name in dir(peer) if not name.startswith("_") and callable(getattr(peer, name))
                   and not hasattr(ft, name)]
        self.assertEqual(missing, [])

    def both(self, call, *inputs):
        found, grads = [], []
        for module in (ft, peer):
            copies = [x.detach().clone().requires_grad_() for x in inputs]
            result = call(module, *copies)
            weights = torch.linspace(-1, 2, result.numel(), dtype=result.dtype).reshape(result.shape)
            grads.append(torch.autograd.grad((result * weights).sum(), copies))
            found.append(result)
        torch.testing.assert_close(found[0], found[1], rtol=1e-6, atol=1e-7)
        for one, other in zip(*grads):
            torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-6)

    def test_maps(self):
        x = double(6, 8)
        for call in (lambda e, t: e.sparsemax(t, dim=-1, k=3), lambda e, t: e.entmax15(t, 0),
                     lambda e, t: e.entmax15(t, k=8), lambda e, t: e.budget_bisect(t, budget=3, n_iter=60),
                     lambda e, t: e.sparsemax_bisect(t, dim=1, n_iter=60), lambda e, t: e.EntmaxBisect(1.3)(t),
                     lambda e, t: e.entmax_bisect(t, 1.7, dim=0, n_iter=60, ensure_sum_one=True),
                     lambda e, t: e.normmax_bisect(t, alpha=3, n_iter=60), lambda e, t: e.NormmaxBisect()(t),
                     lambda e, t: e.budget_bisect(t, 2.5, n_iter=60),
                     lambda e, t: e.Sparsemax(dim=1, k=4)(t), lambda e, t: e.Entmax15(dim=0)(t),
                     lambda e, t: e.BudgetBisect(budget=2, n_iter=60)(t), lambda e, t: e.SparsemaxBisect(1, 60)(t)):
            self.both(call, x)
        self.both(lambda e, t, a: e.entmax_bisect(t, a, n_iter=60), x, torch.linspace(1.2, 2.2, 6).double()[:, None])
        self.assertFalse(ft.budget_bisect(x, 0).any())
        with self.assertRaisesRegex(ValueError, "budget is -1"):
            ft.budget_bisect(x, -1)
        budgets = torch.tensor([1.0, 2.0, 2.0, 3.5, 1.5, 4.0], dtype=torch.float64)[:, None]
        self.both(lambda e, t: e.budget_bisect(t, budgets, n_iter=60), x)
        self.both(lambda e, t: e.normmax_bisect(t, budgets + 0.5, n_iter=60), x)

    def test_losses(self):
        x, y = double(6, 8), torch.tensor([0, 1, 2, 7, 3, 3])
        for call in (lambda e, t: e.sparsemax_loss(t, y), lambda e, t: e.entmax15_loss(t, y, k=8),
                     lambda e, t: e.sparsemax_bisect_loss(t, y, 60), lambda e, t: e.entmax_bisect_loss(t, y, 1.3, 60),
                     lambda e, t: e.normmax_bisect_loss(t, y, 3, 60), lambda e, t: e.SparsemaxLoss()(t, y),
                     lambda e, t: e.Entmax15Loss(reduction="sum")(t, y), lambda e, t: e.SparsemaxBisectLoss(60)(t, y),
                     lambda e, t: e.EntmaxBisectLoss(1.7, 60, reduction="none")(t, y),
                     lambda e, t: e.NormmaxBisectLoss(2, 60, ignore_index=3)(t, y),
                     lambda e, t: e.SparsemaxLoss(ignore_index=3, reduction="elementwise_mean")(t, y),
                     lambda e, t: e.SparsemaxLoss()(X=t, target=y), lambda e, t: e.EntmaxBisectLoss(1.7)(X=t, target=y)):
            self.both(call, x)

    def test_an_alpha_per_row_in_normmax_losses(self):
        x, y = double(6, 8), torch.tensor([0, 1, 2, 7, 3, 3])
        alpha = torch.tensor([1.5, 2.0, 2.0, 3.0, 4.0, 1.5], dtype=torch.float64)[:, None]
        rows = torch.stack([ft.normmax_bisect_loss(x[i], y[i], alpha[i].item()) for i in range(6)])
        torch.testing.assert_close(ft.normmax_bisect_loss(x, y, alpha), rows)
        torch.testing.assert_close(ft.NormmaxBisectLoss(alpha)(x, y), rows.mean())
        torch.testing.assert_close(ft.NormmaxBisectLoss(alpha, ignore_index=3)(X=x, target=y), rows[:4].mean())
        one_hot = torch.nn.functional.one_hot(y, 8).double()
        torch.testing.assert_close(ft.NormmaxBisectLoss(alpha, reduction="sum")(x, one_hot), rows.sum())
        self.assertTrue(torch.autograd.gradcheck(lambda t: ft.normmax_bisect_loss(t, y, alpha), x))
        with self.assertRaisesRegex(ValueError, "expands to"):
            ft.normmax_bisect_loss(x, y, alpha[:4])
        with self.assertRaisesRegex(ValueError, r"target\[3\] is 9"):
            ft.normmax_bisect_loss(x, torch.tensor([0, 1, 2, 9, 3, 3]), alpha)

    def test_normmax_losses_are_losses_like_the_others(self):
        x, y = double(6, 8), torch.tensor([0, 1, 2, 7, 3, 3])
        for alpha in (2.0, torch.full((6, 1), 2.0)):
            loss = ft.NormmaxBisectLoss(alpha)
            torch.testing.assert_close(loss(x, torch.nn.functional.one_hot(y, 8)), loss(theta=x, y=y))
            torch.testing.assert_close(loss.predict(x), ft.normmax_bisect(x, 2.0))
            many = torch.full((70000, 2), 1.0, dtype=torch.float16)
            wide = ft.NormmaxBisectLoss(alpha if isinstance(alpha, float) else alpha[:1].expand(70000, 1))
            self.assertTrue(torch.isfinite(wide(many, torch.zeros(70000, dtype=torch.int64))))
        with self.assertRaisesRegex(ValueError, "q is 0.5"):
            ft.NormmaxBisectLoss(0.5)
        self.assertTrue(torch.equal(torch.autograd.grad(ft.budget_bisect(x, 0).sum(), x)[0], torch.zeros_like(x)))


class Names(unittest.TestCase):
    def test_scores_by_name(self):
        x = torch.randn(3, 4)
        for function in (ft.sparsemax, ft.entmax15):
            self.assertTrue(torch.equal(function(X=x, dim=0), function(x, 0)))
            self.assertTrue(torch.equal(function(theta=x), function(x)))
        for layer in (ft.Sparsemax(0), ft.Entmax15(), ft.EntmaxBisect(1.3), ft.NormmaxBisect()):
            self.assertTrue(torch.equal(layer(X=x), layer(x)))
        self.assertTrue(torch.equal(ft.Entmax15()(theta=x), ft.Entmax15()(x)))
        with self.assertRaisesRegex(TypeError, "none of X and theta"):
            ft.Sparsemax()()


class WhatUsersReported(unittest.TestCase):
    """Named after the list of complaints about other packages in the project's survey."""

    def test_01_half_precision_of_shifted_scores(self):
        base = torch.randn(16, 32)
        for dtype in (torch.float16, torch.bfloat16):
            for shift in (-2000.0, -60.0, 60.0, 2000.0):
                x = (base + shift).to(dtype)
                for p in (ft.entmax_bisect(x, 1.5), ft.entmax_bisect(x, torch.full((16, 1), 1.2)), ft.sparsemax(x),
                          ft.softmax(x)):
                    self.assertTrue(torch.isfinite(p).all())
                    torch.testing.assert_close(p.float().sum(-1), torch.ones(16), atol=2e-2, rtol=0)

    def test_02_alpha_of_one_is_softmax(self):
        x = torch.randn(5, 7)
        torch.testing.assert_close(ft.entmax_bisect(x, 1), torch.softmax(x, -1))
        torch.testing.assert_close(ft.entmax_bisect(x, torch.ones(5, 1)), torch.softmax(x, -1))
        torch.testing.assert_close(ft.entmax_bisect_loss(x, torch.arange(5), 1.0),
                                   torch.nn.functional.cross_entropy(x, torch.arange(5), reduction="none"))
        alpha = torch.tensor(1.0 + 1e-7, dtype=torch.float64, requires_grad=True)
        p = ft.entmax(x.double(), alpha)
        torch.testing.assert_close(p, torch.softmax(x.double(), -1), atol=1e-6, rtol=1e-5)
        self.assertTrue(torch.isfinite(torch.autograd.grad(p[:, 0].sum(), alpha)[0]))

    def test_03_no_nan_for_large_alpha_or_scores(self):
        for alpha in (1.01, 2.0, 5.0, 10.0, 50.0):
            for scale in (1e-3, 1.0, 1e3, 1e6):
                x = (torch.randn(20, 30) * scale).requires_grad_()
                loss = ft.entmax_bisect_loss(x, torch.arange(20), alpha)
                loss.sum().backward()
                self.assertTrue(torch.isfinite(loss).all() and torch.isfinite(x.grad).all())
                unclamped = unclamped_loss(x, torch.arange(20), alpha)
                self.assertGreaterEqual(unclamped.min(), -1e-12)
                np.testing.assert_allclose(loss.detach(), unclamped, rtol=1e-5, atol=1e-5)

    def test_04_alpha_for_each_head(self):
        scores = torch.randn(2, 4, 3, 5)
        alpha = torch.tensor([1.0, 1.3, 1.5, 2.0]).reshape(4, 1, 1).requires_grad_()
        p = ft.entmax(scores, alpha)
        for head, order in enumerate(alpha.flatten().double().tolist()):
            torch.testing.assert_close(p[:, head], ft.entmax(scores[:, head], order))
        p.square().sum().backward()
        self.assertEqual(alpha.grad.shape, (4, 1, 1))

    def test_05_losses_follow_torch(self):
        x, y = torch.randn(6, 4), torch.tensor([0, -100, 1, -1, 2, -100])
        losses = ft.sparsemax_loss(x, y.clamp(min=0))
        kept = y >= 0
        for ignored in (-100, -1):
            labels = torch.where(kept, y, ignored)
            for reduction, expected in (("mean", losses[kept].mean()), ("elementwise_mean", losses[kept].mean()),
                                        ("sum", losses[kept].sum()), ("none", losses * kept)):
                found = ft.SparsemaxLoss(ignore_index=ignored, reduction=reduction)(x, labels)
                torch.testing.assert_close(found, expected)
        bad = x.clone().requires_grad_()
        with torch.no_grad():
            bad[1] = math.nan
        ft.Entmax15Loss()(bad, torch.tensor([0, -100, 1, 2, 3, 0])).backward()
        self.assertTrue((bad.grad[1] == 0).all() and torch.isfinite(bad.grad).all())
        self.assertEqual(ft.SparsemaxLoss()(x, torch.full((6,), -100)).item(), 0)

    def test_05_the_loss_differentiates_alpha(self):
        alpha = torch.tensor(1.3, requires_grad=True)
        ft.EntmaxBisectLoss(alpha)(torch.randn(3, 4), torch.tensor([0, 1, 2])).backward()
        self.assertNotEqual(alpha.grad.item(), 0)

    def test_07_sparsemax_values_and_axes(self):
        p = ft.sparsemax(torch.tensor([[1.0, 0.8, 0.1], [0.0, 0.0, 0.0], [3.0, 0.0, 0.0]]))
        torch.testing.assert_close(p, torch.tensor([[0.6, 0.4, 0.0], [1 / 3] * 3, [1.0, 0.0, 0.0]]))
        x = torch.randn(3, 4, 5)
        for dim in (-3, -2, -1, 0, 1, 2):
            p = ft.sparsemax(x, dim=dim, k=3)
            torch.testing.assert_close(p.sum(dim), torch.ones(p.sum(dim).shape))
        _, support = ft.sparsemax(x, dim=-2, k=2, return_support_size=True)
        torch.testing.assert_close(support, (ft.sparsemax(x, dim=-2) > 0).sum(-2, keepdim=True))
        x, y = torch.randn(1000, 10), torch.randint(0, 10, (1000,))
        unclamped = unclamped_loss(x, y, 2)
        self.assertGreaterEqual(unclamped.min(), -1e-12)
        np.testing.assert_allclose(ft.sparsemax_loss(x, y), unclamped, atol=1e-5)

    def test_08_masks_and_huge_scores_in_losses(self):
        x = torch.tensor([[1e30, 0.0, -1e30], [-math.inf, 1.0, 0.0]], requires_grad=True)
        for alpha in (1.0, 1.5, 2.0):
            losses = ft.entmax_loss(x, torch.tensor([0, 1]), alpha, reduction="none")
            grad, = torch.autograd.grad(losses.sum(), x)
            self.assertTrue(torch.isfinite(losses).all() and torch.isfinite(grad).all())
            self.assertEqual(losses[0].item(), 0)


if __name__ == "__main__":
    unittest.main()
