# SPDX-License-Identifier: Apache-2.0
"""Edges of tensor operations: large orders in single precision, targets that are forbidden, nothing to compute, plans that do
not exist, steps of structures that overflowed, values alone, and derivatives of the best structure."""
import math
import unittest
import warnings
from unittest import mock

import fenchel
import numpy as np

from torch_tensors import double, torch  # isort: skip

import fenchel.torch as ft
from fenchel.torch import _alignment_tensors, _chain_tensors, _padded
from remote_tensors import DEVICE, Remote, count
from torch_structured_cases import TAGS, crf_of

INF = float("inf")
HEADS = torch.tensor([[-1, 0, 1], [1, -1, 0]])


def both(function):
    """What the core computes, and what tensor operations do."""
    found = []
    for name in ("core", "tensor"):
        with ft.backend(name):
            found.append(function())
    return found


class Rows(unittest.TestCase):
    def test_long_norms_do_not_vanish(self):
        theta, v = torch.zeros(1, 300), torch.arange(300.0).sqrt()
        theta[0, :5] = 0.1
        for q in (30.0, 200.0):
            def losses(t, q=q):
                return ft.loss(t, torch.tensor([7]), f"norm:q={q}")

            def slope(t, q=q):
                t = t.clone().requires_grad_()
                return torch.autograd.grad(ft.predict(t, f"norm:q={q}") @ v.to(t.dtype), t)[0]

            for function in (losses, slope):
                exact = function(theta.double()).float()
                for value in both(lambda f=function: f(theta)):
                    torch.testing.assert_close(value, exact, atol=1e-5, rtol=1e-4)
        order = torch.tensor([[30.0]])
        with ft.backend("tensor", nan="propagate"):
            found = ft.normmax_bisect_loss(theta, torch.tensor([7]), order.expand(1, 1))
        torch.testing.assert_close(found, ft.loss(theta, torch.tensor([7]), "norm:q=30", reduction="none"), atol=1e-5, rtol=1e-5)
        self.assertEqual(ft.NormmaxBisectLoss(order)(theta, torch.tensor([7])).shape, ())

    def test_losses_of_forbidden_targets_are_infinite(self):
        theta = torch.tensor([[0.0, -INF, 1.0], [0.0, 2.0, 1.0]])
        with ft.backend("tensor", nan="propagate"):
            for omega in ("softmax", "sparsemax", "tsallis:alpha=3", "norm:q=2", "squared_norm:q=1.5", "argmax", "sigmoid"):
                rows = torch.tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
                for y in (torch.tensor([1, 0]), rows) if omega != "sigmoid" else (rows,):
                    losses = ft.loss(theta, y, omega, reduction="none")
                    self.assertEqual(losses.isinf().tolist(), [True, False], omega)
                    self.assertGreater(losses[0], 0)
            losses = ft.entmax_loss(theta, torch.tensor([1, 0]), torch.tensor([[1.5], [2.0]]), reduction="none")
            self.assertEqual(losses.isinf().tolist(), [True, False])

    def test_an_infinite_alpha_among_others(self):
        theta, alpha = torch.tensor([[0.5, 1.0, 1.0]]).expand(3, 3), torch.tensor([[INF], [1.0], [2.0]])
        core, tensors = both(lambda: ft.entmax(theta, alpha))
        torch.testing.assert_close(core, tensors)
        self.assertEqual(tensors[0].tolist(), ft.predict(theta[0], "argmax").tolist())

    def test_nothing_to_compute(self):
        for shape in ((0, 3), (0, 0), (2, 0, 3)):
            for found in both(lambda s=shape: ft.sparsemax(torch.zeros(s))):
                self.assertEqual(found.shape, shape)
        for name in ("core", "tensor"):
            with ft.backend(name, nan="propagate"), self.assertRaisesRegex(ValueError, "no entries"):
                ft.entmax15(torch.zeros(3, 0))

    def test_targets_on_the_boundary(self):
        y = torch.eye(3, requires_grad=True)
        for name in ("core", "tensor"):
            with ft.backend(name), self.assertRaisesRegex(ValueError, "y lies on the boundary of the domain"):
                ft.loss(torch.zeros(3, 3), y, "softmax").backward()

    def test_hessians_in_targets(self):
        theta, scores = double(3, 4).detach(), double(3, 4, seed=1).detach()
        for name in ("core", "tensor"):
            with ft.backend(name):
                def loss(z):
                    return ft.loss(theta, z.softmax(-1), "entmax15")

                forward = torch.func.jacfwd(torch.func.jacrev(loss))(scores)
                torch.testing.assert_close(forward, torch.func.jacrev(torch.func.jacrev(loss))(scores))


class Structures(unittest.TestCase):
    def test_the_best_structure_is_the_derivative(self):
        for polytope in (fenchel.Sequence(3, 2), fenchel.Alignment(3, 4), fenchel.Chain(4, 2)):
            theta = double(2, polytope.dimension)
            core, tensors = both(lambda t=theta, p=polytope: torch.autograd.grad(ft.conjugate(t, fenchel.Map(p)).sum(), t)[0])
            torch.testing.assert_close(core, tensors)
            self.assertGreater(tensors.sum(), 1)

    def test_values_alone(self):
        """Without gradients nothing goes back over the steps, in the core either."""
        crf, emissions, cost = crf_of(), double(3, 4, 3), double(2, 3, 4).square().detach()
        expected, aligned = crf(emissions, TAGS, reduction="none").detach(), ft.soft_dtw(cost)
        never = AssertionError("marginals are computed")
        with mock.patch.object(_chain_tensors, "smoothed", side_effect=never), \
                mock.patch.object(_padded, "loss_now", side_effect=never), torch.no_grad():
            for found in both(lambda: crf(emissions, TAGS, reduction="none")):
                torch.testing.assert_close(found, expected)
            with ft.backend("tensor"), self.assertRaises(AssertionError), torch.enable_grad():
                crf(emissions, TAGS)
        with mock.patch.object(_alignment_tensors, "expected", side_effect=never):
            loss = ft.StructuredLoss("alignment", "crf", "none")
            y = ft.StructuredPredict("alignment", "map")(cost)
            with ft.backend("tensor", nan="propagate"):
                found = loss(cost, y)
        torch.testing.assert_close(found, loss(cost, y))
        self.assertEqual(aligned.shape, (2,))

    def test_plans_that_do_not_exist(self):
        cost = torch.zeros(3, 2, 2, dtype=torch.float64)
        cost[0], cost[1, 0] = INF, INF
        with ft.backend("tensor", nan="propagate"):
            plans = ft.sinkhorn(cost)
        self.assertEqual(plans.isnan().any(-1).any(-1).tolist(), [True, True, False])

    def test_steps_that_overflowed_are_skipped(self):
        tags, vectors = torch.tensor([[0, 1, 1]]), torch.tensor([[0, 1, 1]])
        crf = ft.CRF(3, batch_first=True)
        sequence, tree = ft.StructuredLoss("sequence"), ft.StructuredLoss("arborescence", "sparsemap")
        layer = ft.StructuredPredict("arborescence", "marginal")
        calls = {"crf": lambda s: -crf(s.unflatten(-1, (3, 3)), tags),
                 "marginals": lambda s: crf.marginals(s.unflatten(-1, (3, 3))).square().sum(),
                 "sequence": lambda s: sequence(s.repeat(1, 2)[:, :12].unflatten(-1, (3, 2, 2)), vectors),
                 "tree": lambda s: tree(s.unflatten(-1, (3, 3)), HEADS[:1]),
                 "layer": lambda s: layer(s.unflatten(-1, (3, 3))).square().sum(),
                 "rank": lambda s: ft.soft_rank(s).square().sum(), "sort": lambda s: ft.soft_sort(s).square().sum(),
                 "plan": lambda s: ft.sinkhorn(s.unflatten(-1, (3, 3)), gamma=4.0).square().sum()}
        for name, call in calls.items():
            for scale, skipped in ((1.0, False), (1e30, True)):
                with self.subTest(name, scale=scale):
                    torch.manual_seed(0)
                    model = torch.nn.Linear(2, 9)
                    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
                    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                    before = model.weight.detach().clone()
                    with torch.autocast("cpu", torch.float16):
                        loss = call(model(torch.full((1, 2), scale)))
                    scaler.scale(loss).backward()
                    scaler.step(optimizer)
                    scaler.update()
                    self.assertEqual(bool((model.weight == before).all()), skipped)
                    self.assertEqual(scaler.get_scale(), 2.0 if skipped else 4.0)
        with self.assertRaisesRegex(ValueError, "inf"):  # overflow of float16 alone is no error
            ft.soft_rank(torch.tensor([INF, 0.0]))

    def test_they_are_copied_once_each_way(self):
        scores = double(2, 3, 3).detach()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for omega in ("crf", "sparsemap", "hinge"):
                loss = ft.StructuredLoss("arborescence", omega)
                for y in (HEADS, loss.layer.encode(HEADS, (2, 3, 3))):
                    remote = Remote(scores).requires_grad_()
                    with count:
                        value = loss(remote, Remote(y))
                        self.assertEqual((value.device, dict(count)), (DEVICE, {"to host": 2, "to device": 1}))
                    with count:
                        slope, = torch.autograd.grad(value, remote)
                        self.assertEqual((slope.device, dict(count)), (DEVICE, {"to host": 1, "to device": 1}))
                    here = scores.clone().requires_grad_()
                    expected = loss(here, y)
                    torch.testing.assert_close(value.detach().entries, expected.detach())
                    torch.testing.assert_close(slope.entries, torch.autograd.grad(expected, here)[0])
            layer = ft.StructuredPredict("arborescence", "sparsemap")
            with count:
                mu = layer(Remote(scores), Remote(torch.tensor([3, 2])))
                self.assertEqual(dict(count), {"to host": 2, "to device": 1})
            torch.testing.assert_close(mu.entries, layer(scores, torch.tensor([3, 2])))
            self.assertEqual(layer.decode(Remote(scores)), layer.decode(scores))
            broken = scores.clone()
            broken[0, 0, 0] = math.nan  # on a device no error: one example is NaN
            self.assertTrue(np.isnan(layer(Remote(broken)).entries.numpy()).any((1, 2)).tolist() == [True, False])


if __name__ == "__main__":
    unittest.main()
