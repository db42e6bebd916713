# SPDX-License-Identifier: Apache-2.0
"""Structures of fenchel.torch in tensor operations: their derivatives, recorded programs, messages, and nothing that a device
would have to wait for."""
import math
import unittest

from torch_structured_cases import GAPS, INF, MASK, TAGS, crf_of, functions

from torch_tensors import double, torch  # isort: skip

import fenchel.torch as ft
from torch.autograd import gradcheck, gradgradcheck
from torch.utils._python_dispatch import TorchDispatchMode


class HostFree(TorchDispatchMode):
    """Fails on what would make a device wait for the host."""

    FORBIDDEN = ("_local_scalar_dense", "nonzero", "is_nonzero", "equal", "masked_select", "unique", "unique2", "item")

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function.overloadpacket.__name__
        elsewhere = name == "_to_copy" and (kwargs or {}).get("device") not in (None, args[0].device)
        if name in self.FORBIDDEN or elsewhere:
            raise AssertionError(f"{name} waits for the host")
        return function(*args, **(kwargs or {}))


class Paths(unittest.TestCase):
    def test_derivatives(self):
        with ft.backend("tensor"):
            for name, function, shape in functions():
                with self.subTest(name):
                    theta = double(*shape)
                    if name not in ("dtw",):
                        self.assertTrue(gradgradcheck(function, theta, atol=1e-5, fast_mode=True))
                    self.assertTrue(gradcheck(function, theta, check_forward_ad=True, fast_mode=True))
                    rows = theta.detach()
                    torch.testing.assert_close(torch.func.jacfwd(function)(rows), torch.func.jacrev(function)(rows))
                    if name in ("crf", "alignment", "sorted kl", "sinkhorn"):
                        total = torch.func.hessian(lambda t, f=function: f(t).square().sum())(rows)
                        expected = torch.autograd.functional.hessian(lambda t, f=function: f(t).square().sum(), rows)
                        torch.testing.assert_close(total, expected)

    def test_the_core_takes_tensors_for_second_derivatives(self):
        for name, function, shape in functions():
            if name in ("marginals", "alignment", "matching", "ranks kl", "sorted kl", "soft_dtw", "sinkhorn"):
                with self.subTest(name):
                    self.assertTrue(gradgradcheck(function, double(*shape), atol=1e-5, fast_mode=True))

    def test_vmap(self):
        batch = {"soft_dtw": (2, 3, 4), "sinkhorn": (2, 3, 4)}
        with ft.backend("tensor", nan="propagate"):
            for name, function, shape in functions():
                if name in batch or name.startswith(("ranks", "sorted", "conjugate")):
                    with self.subTest(name):
                        theta = double(*shape).detach()
                        torch.testing.assert_close(torch.func.vmap(function)(theta), function(theta))
            crf = crf_of()
            many = double(2, 3, 4, 3).detach()
            torch.testing.assert_close(torch.func.vmap(lambda e: crf.marginals(e, MASK))(many),
                                       torch.stack([crf.marginals(e, MASK) for e in many]))
            torch.testing.assert_close(torch.func.vmap(lambda e: crf(e, TAGS, MASK))(many),
                                       torch.stack([crf(e, TAGS, MASK) for e in many]))

    def test_nothing_waits_for_the_host(self):
        with ft.backend("tensor", nan="propagate"), HostFree():
            for name, function, shape in functions():
                with self.subTest(name):
                    theta = torch.full(shape, 0.1).requires_grad_()
                    function(theta.double() if name in ("crf", "marginals") else theta).sum().backward()
            for omega in ("hinge", "perceptron"):
                crf_of(omega)(torch.full((3, 4, 3), 0.1).double(), TAGS, GAPS).backward()
            ft.StructuredPredict("sequence", "map")(torch.full((2, 3, 2, 2), 0.1))
            masses = torch.full((3,), 1 / 3)
            ft.sinkhorn(torch.full((3, 3), 0.1), masses, masses, 0.1)

    def test_meta_tensors(self):
        for name, function, shape in functions():
            if name not in ("crf", "marginals", "sequence loss"):
                with self.subTest(name):
                    theta = torch.empty(shape, device="meta", requires_grad=True)
                    found = function(theta)
                    self.assertEqual(found.device.type, "meta")
                    found.sum().backward()
                    self.assertEqual(theta.grad.shape, shape)
        crf = crf_of().to("meta")
        emissions = torch.empty(3, 4, 3, device="meta", dtype=torch.float64, requires_grad=True)
        crf(emissions, TAGS.to("meta"), MASK.to("meta")).backward()
        self.assertEqual(emissions.grad.shape, (3, 4, 3))
        self.assertEqual(crf.marginals(emissions).shape, (3, 4, 3))

    def test_nan_propagates_by_examples(self):
        crf, emissions = crf_of(), double(3, 4, 3).detach()
        emissions[0, 1, 2], emissions[2, 0, 1] = math.nan, INF
        tags = TAGS.clone()
        tags[1, 0] = 7
        with ft.backend("auto", nan="propagate"):
            self.assertEqual(crf.marginals(emissions, MASK)[MASK].isnan().any(-1).tolist(), [True] * 4 + [False] + [True] * 3)
            theta = torch.tensor([[0.3, 0.1, 2.0], [0.0, math.nan, 1.0], [0.0, INF, 1.0]])
            for function in (ft.soft_rank, ft.soft_sort):
                self.assertEqual(function(theta).isnan().all(-1).tolist(), [False, True, True])
            cost = torch.tensor([[[0.3, 0.1], [0.2, 2.0]], [[0.0, math.nan], [1.0, 1.0]]])
            self.assertEqual(ft.soft_dtw(cost).isnan().tolist(), [False, True])
            self.assertEqual(ft.sinkhorn(cost).isnan().all(-1).all(-1).tolist(), [False, True])
            with ft.backend("tensor", nan="propagate"), HostFree():  # where nobody may look, a tag that is none makes NaN
                losses = crf(double(3, 4, 3).detach(), tags, MASK, "none")
            self.assertEqual(losses.isnan().tolist(), [False, True, False])

    def test_the_same_messages(self):
        crf, emissions = crf_of(), double(3, 4, 3).detach()
        wrong = [lambda: crf(emissions.log(), TAGS), lambda: crf(emissions, TAGS + 5), lambda: crf(emissions, TAGS, ~MASK),
                 lambda: ft.soft_rank(torch.tensor([0.0, math.nan])), lambda: ft.sinkhorn(torch.tensor([[math.nan, 0.0]])),
                 lambda: ft.soft_dtw(torch.tensor([[math.nan]])), lambda: ft.soft_dtw(torch.zeros(2, 2), -1.0),
                 lambda: ft.sinkhorn(torch.zeros(2, 2), [0.5, 0.7]), lambda: ft.sinkhorn(torch.zeros(2, 2), gamma=0),
                 lambda: ft.soft_rank(torch.zeros(3), "l2", 0.0), lambda: ft.soft_dtw(torch.zeros(2, 2), 1.0, -1),
                 lambda: ft.StructuredLoss("sequence")(torch.zeros(1, 2, 2, 2), torch.tensor([[0, 2]])),
                 lambda: ft.StructuredPredict("sequence", "marginal")(torch.zeros(1, 2, 2, 2), [3])]
        for place, call in enumerate(wrong):
            messages = []
            for name in ("core", "tensor"):
                with self.subTest(place), ft.backend(name), self.assertRaises(ValueError) as caught:
                    call()
                messages.append(str(caught.exception))
            self.assertEqual(*messages)


class Recorded(unittest.TestCase):
    def test_compile(self):
        for name, function, shape in functions():
            if name in ("marginals", "sequence", "conjugate", "sorted l2", "ranks l2", "dtw", "matching"):
                continue  # as others
            with self.subTest(name), ft.backend("tensor"):
                torch._dynamo.reset()
                theta = double(*shape)
                compiled = torch.compile(function, fullgraph=True, backend="aot_eager")
                torch.testing.assert_close(compiled(theta), function(theta))
                torch.testing.assert_close(torch.autograd.grad(compiled(theta).square().sum(), theta),
                                           torch.autograd.grad(function(theta).square().sum(), theta))

    def test_export_has_no_operator_of_its_own(self):
        class Marginals(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.crf = crf_of()

            def forward(self, theta):
                return self.crf.marginals(theta)

        for layer, shape in ((Marginals(), (3, 4, 3)), (ft.SoftRank("kl"), (4, 6)), (ft.SoftSort(), (4, 6)),
                             (ft.StructuredPredict("sequence", "marginal"), (3, 4, 2, 2))):
            with self.subTest(layer):
                theta = double(*shape).detach()
                name = next(n for n in layer.forward.__code__.co_varnames if n != "self")
                program = torch.export.export(layer, (theta,), dynamic_shapes={
                    n: {0: torch.export.Dim("rows")} if n == name else None
                    for n in (name,)})
                self.assertFalse([node for node in program.graph.nodes if "fenchel" in str(node.target)])
                longer = double(5, *shape[1:], seed=2).detach()
                torch.testing.assert_close(program.module()(longer), layer(longer))


if __name__ == "__main__":
    unittest.main()
