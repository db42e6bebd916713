# SPDX-License-Identifier: Apache-2.0
"""Structures of fenchel.torch in tensor operations: chains, alignments, rankings and plans against the core and the golden
cases; their derivatives; and nothing that a device would have to wait for."""
import json
import math
import pathlib
import unittest

import fenchel

from torch_tensors import double, torch  # isort: skip

import fenchel.torch as ft
from fenchel.torch import _specs, _structures
from torch.autograd import gradcheck, gradgradcheck
from torch.utils._python_dispatch import TorchDispatchMode

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden" / "structured.jsonl"
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
    alignment, matching = ft.StructuredPredict("alignment", "marginal"), ft.StructuredPredict("birkhoff", "entropic", temperature=0.5)
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


class HostFree(TorchDispatchMode):
    """Fails on what would make a device wait for the host."""

    FORBIDDEN = ("_local_scalar_dense", "nonzero", "is_nonzero", "equal", "masked_select", "unique", "unique2", "item")

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function.overloadpacket.__name__
        elsewhere = name == "_to_copy" and (kwargs or {}).get("device") not in (None, args[0].device)
        if name in self.FORBIDDEN or elsewhere:
            raise AssertionError(f"{name} waits for the host")
        return function(*args, **(kwargs or {}))


class Values(unittest.TestCase):
    def test_golden(self):
        count = 0
        for line in GOLDEN.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            omega = case["omega"]
            if _structures.tensors_of(_specs.text_of(omega)) is None:
                continue
            for dtype, tolerance in ((torch.float64, 1e-9), (torch.float32, 2e-5)):
                theta = torch.tensor([-INF if x == "-inf" else x for x in case["theta"]], dtype=dtype)
                with ft.backend("tensor"):
                    if case["op"] == "predict":
                        found = ft.predict(theta, omega)
                    elif case["op"] == "conjugate":
                        found = ft.conjugate(theta, omega)
                    else:
                        found = ft.loss(theta, torch.tensor(case["y"], dtype=dtype), omega)
                torch.testing.assert_close(found.double(), torch.tensor(case["expect"], dtype=torch.float64), atol=tolerance,
                                           rtol=tolerance, msg=lambda text, case=case: f"{case['id']}: {text}")
                count += 1
        self.assertGreater(count, 120)

    def agree(self, function, *arguments, tolerance=1e-11):
        expected = function(*arguments)
        with ft.backend("tensor"):
            found = function(*arguments)
        torch.testing.assert_close(found, expected, atol=tolerance, rtol=tolerance)
        return found

    def test_long_chains(self):
        for scale, steps, tags in ((0.1, 40, 7), (3.0, 200, 4), (100.0, 60, 5)):
            for omega in ("crf", "hinge", "perceptron"):
                for dtype, tolerance in ((torch.float64, 1e-12), (torch.float32, 2e-5)):
                    crf = crf_of(omega, dtype, tags)
                    emissions = (scale * double(3, steps, tags).detach()).to(dtype)
                    mask = torch.arange(steps) < torch.tensor([steps, 1, steps // 2])[:, None]
                    labels = torch.tensor(crf.decode(emissions))
                    labels[:, ::3] = 0
                    for given in (None, mask):
                        with self.subTest(scale=scale, omega=omega, dtype=dtype, masked=given is not None):
                            self.agree(lambda e, c=crf, g=given, y=labels: c(e, y, g, "none"), emissions, tolerance=tolerance)
                            if omega == "crf":
                                self.agree(lambda e, c=crf, g=given: c.marginals(e, g), emissions, tolerance=tolerance)
                    with ft.backend("tensor"):
                        decoded = crf.decode(emissions, mask)
                    self.assertEqual(decoded, crf.decode(emissions, mask))

    def test_masks_with_gaps(self):
        crf, emissions = crf_of(), double(3, 4, 3)
        for call in (lambda e: crf(e, TAGS, GAPS, "none"), lambda e: crf.marginals(e, GAPS),
                     lambda e: crf(e, TAGS, GAPS.to(torch.uint8))):
            self.agree(call, emissions)
            slopes = [torch.autograd.grad(call(emissions).square().sum(), emissions)[0]]
            with ft.backend("tensor", nan="propagate"):
                slopes.append(torch.autograd.grad(call(emissions).square().sum(), emissions)[0])
            torch.testing.assert_close(*slopes)

    def test_padding_is_not_read(self):
        crf, emissions, tags = crf_of(), double(3, 4, 3).detach(), TAGS.clone()
        expected, marginals = crf(emissions, TAGS, MASK), crf.marginals(emissions, MASK)
        emissions[~MASK], tags[~MASK] = math.nan, -100
        with ft.backend("tensor", nan="propagate"):
            torch.testing.assert_close(crf(emissions, tags, MASK), expected)
            torch.testing.assert_close(crf.marginals(emissions, MASK), marginals)

    def test_forbidden_transitions_and_ties(self):
        crf = crf_of()
        with torch.no_grad():
            crf.transitions[0, 0] = crf.transitions[0, 1] = -INF
        emissions = double(3, 4, 3).detach()
        self.agree(lambda e: crf.marginals(e, MASK), emissions)
        self.agree(lambda e: crf(e, torch.full((3, 4), 2), MASK, "none"), emissions)
        for seed in range(20):
            ties = double(3, 5, 4, seed=seed).detach().round()
            crf = crf_of(tags=4)
            with torch.no_grad():
                for parameter in crf.parameters():
                    parameter.copy_(parameter.round())
            self.agree(lambda e, c=crf: torch.tensor(c.decode(e)), ties)
            costs = double(3, 5, 4, seed=seed).round()
            self.agree(lambda c: torch.autograd.grad(ft.soft_dtw(c, 0).sum(), c)[0], costs)

    def test_sizes_and_scales(self):
        for name, function, shape in functions():
            if name == "crf":
                continue
            for scale in (1e-3, 1.0, 30.0):
                for seed in range(3):
                    with self.subTest(name=name, scale=scale):
                        theta = scale * double(*shape, seed=seed).detach()
                        self.agree(function, theta, tolerance=1e-9)
                        self.agree(function, theta.float(), tolerance=2e-5 * max(scale, 1))

    def test_rankings(self):
        for d in (1, 2, 3, 7, 16, 33, 200):
            for strength in (1e-4, 0.5, 30.0):
                for regularization in ("l2", "kl"):
                    for function in (ft.soft_rank, ft.soft_sort):
                        theta = double(3, d)
                        options = (regularization, strength)
                        self.agree(lambda t, f=function, o=options: f(t, *o), theta, tolerance=1e-10)
                        self.agree(lambda t, f=function, o=options: torch.autograd.grad(f(t, *o).pow(3).sum(), t)[0], theta,
                                   tolerance=1e-7)
                        self.agree(lambda t, f=function, o=options: f(t, *o), theta.detach().float(), tolerance=1e-5)
        self.agree(lambda t: ft.soft_rank(t, "burg"), double(2, 5))  # through the core

    def test_plans(self):
        for m, n in ((3, 3), (8, 5), (5, 30)):
            for scale in (0.1, 10.0, 300.0, 1000.0):
                cost = scale * torch.rand(4, m, n, dtype=torch.float64, generator=torch.Generator().manual_seed(m))
                self.agree(lambda c: ft.sinkhorn(c), cost, tolerance=1e-10)
        cost = double(3, 4).detach().exp()
        cost[0, 1] = INF
        self.agree(lambda c: ft.sinkhorn(c, [0.2, 0.3, 0.5], [0.1, 0.0, 0.5, 0.4], 0.1), cost)
        a, b = torch.tensor([0.2, 0.3, 0.5]), torch.tensor([0.1, 0.2, 0.3, 0.4])
        self.agree(lambda c: ft.sinkhorn(c, a, b, 0.1), cost)
        with ft.backend("tensor", nan="propagate"):
            nothing = cost.clone()
            nothing[0] = INF
            self.assertTrue(ft.sinkhorn(nothing).isnan().all())

    def test_alignments(self):
        for m, n, band in ((1, 1, 0), (1, 4, 0), (5, 3, 1), (6, 6, 2), (2, 9, 1), (40, 30, 0)):
            for gamma in (0, 1e-3, 1.0, 100.0):
                cost = double(2, m, n).square()
                for rows in (cost, cost.detach().float().requires_grad_()):
                    tolerance = 1e-11 if rows.dtype == torch.float64 else 1e-4 / max(gamma, 1e-1)
                    self.agree(lambda c, g=gamma, w=band: ft.soft_dtw(c, g, w), rows, tolerance=tolerance)
                    if rows.dtype == torch.float64:
                        self.agree(lambda c, g=gamma, w=band: torch.autograd.grad(ft.soft_dtw(c, g, w).sum(), c)[0], rows,
                                   tolerance=1e-9)
        blocked = torch.full((2, 2), INF, requires_grad=True)
        self.agree(ft.soft_dtw, blocked)
        self.agree(lambda c: torch.autograd.grad(ft.soft_dtw(c), c)[0], blocked)


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
                    total = torch.func.hessian(lambda t, f=function: f(t).square().sum())(rows)
                    self.assertTrue(total.isfinite().all())

    def test_the_core_takes_tensors_for_second_derivatives(self):
        for name, function, shape in functions():
            if name != "dtw":
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
