# SPDX-License-Identifier: Apache-2.0
"""fenchel.torch's soft ranks and sorting, alignments and transport plans."""
import itertools
import unittest

import fenchel
import numpy as np

from torch_tensors import double, torch  # isort: skip

import fenchel.torch as ft
from torch.autograd import gradcheck


class Rankings(unittest.TestCase):
    def test_11_ranks_and_sorting(self):
        for shape in ((6,), (2, 6), (2, 3, 6)):
            theta = double(*shape)
            for function in (ft.soft_rank, ft.soft_sort):
                for regularization in ("l2", "kl"):
                    for strength in (1e-3, 0.5, 10.0):
                        found = function(theta, regularization, strength)
                        grad, = torch.autograd.grad(found.square().sum(), theta)
                        self.assertEqual(found.shape, theta.shape)
                        self.assertTrue(torch.isfinite(grad).all() and torch.isfinite(found).all())
        theta = double(2, 6)
        ranks = theta.argsort(-1).argsort(-1) + 1
        torch.testing.assert_close(ft.soft_rank(theta, "l2", 1e-6), ranks.double())
        torch.testing.assert_close(ft.soft_rank(theta.T, regularization_strength=1e-6, dim=0).T, ranks.double())
        torch.testing.assert_close(ft.SoftSort(regularization_strength=1e-6, direction="descending")(theta),
                                   theta.sort(-1, descending=True).values)
        self.assertTrue(gradcheck(lambda t: ft.soft_rank(t, "kl", 0.7), theta))
        self.assertTrue(gradcheck(lambda t: ft.soft_sort(t, "l2", 0.7, "descending"), theta))
        with self.assertRaisesRegex(ValueError, "regularization"):
            ft.soft_rank(theta, "l1")
        with self.assertRaisesRegex(ValueError, "direction"):
            ft.SoftRank(direction="down")

    def test_same_arguments_as_numpy(self):
        cost = torch.rand(2, 3, 4, dtype=torch.float64)
        for name, options in (("soft_rank", ("kl", 0.3, "descending")), ("soft_sort", ("l2", 0.3, "descending")),
                              ("sinkhorn", ([0.2, 0.3, 0.5], [0.1, 0.2, 0.3, 0.4], 0.3)), ("sinkhorn", ())):
            expected = getattr(fenchel, name)(cost.numpy(), *options)
            np.testing.assert_allclose(getattr(ft, name)(cost, *options), expected, err_msg=name)
        for message, call in (("a has shape", lambda: ft.sinkhorn(cost, [0.5, 0.5])),
                              ("rows, columns", lambda: ft.sinkhorn(cost[0, 0])),
                              ("at least one row", lambda: ft.sinkhorn(cost[:, :0]))):
            with self.subTest(message=message), self.assertRaisesRegex(ValueError, message):
                call()

    def test_alignments_and_plans(self):
        a, b = double(2, 3, 2), double(2, 4, 2, seed=1)
        self.assertTrue(gradcheck(ft.SoftDTW(0.5), (a, b)))
        cost = torch.rand(3, 4)
        torch.testing.assert_close(ft.soft_dtw(cost, 1e-4), torch.tensor(_dtw(cost)), atol=1e-3, rtol=0)
        torch.testing.assert_close(ft.soft_dtw(cost, 0), torch.tensor(_dtw(cost)))
        least = cost.detach().clone().requires_grad_()
        path, = torch.autograd.grad(ft.soft_dtw(least, 0), least)
        torch.testing.assert_close((path * cost).sum(), torch.tensor(_dtw(cost)))
        costs = double(2, 3, 4)
        plan = ft.sinkhorn(costs, gamma=0.3)
        self.assertLess((plan * costs).sum().item(), costs.mean((1, 2)).sum().item())  # cheaper than independence
        torch.testing.assert_close(plan.sum(-1), torch.full((2, 3), 1 / 3, dtype=torch.float64))
        torch.testing.assert_close(plan.sum(-2), torch.full((2, 4), 1 / 4, dtype=torch.float64))
        self.assertTrue(gradcheck(lambda t: ft.sinkhorn(t, [0.2, 0.3, 0.5], [0.1, 0.2, 0.3, 0.4]), costs))


def _dtw(cost):
    m, n = cost.shape
    best = np.full((m + 1, n + 1), np.inf)
    best[0, 0] = 0
    for i, j in itertools.product(range(m), range(n)):
        best[i + 1, j + 1] = cost[i, j].item() + min(best[i, j], best[i, j + 1], best[i + 1, j])
    return float(best[m, n])


if __name__ == "__main__":
    unittest.main()
