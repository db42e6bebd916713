# SPDX-License-Identifier: Apache-2.0
"""Structures of fenchel.torch in tensor operations, chains, alignments, rankings and plans: the numbers of the core and of the
golden cases."""
import json
import math
import pathlib
import unittest

from torch_structured_cases import GAPS, INF, MASK, TAGS, crf_of, functions

from torch_tensors import double, torch  # isort: skip

import fenchel.torch as ft
from fenchel.torch import _specs, _structures

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden" / "structured.jsonl"


def golden_cases():
    """Those whose Ω has tensor operations."""
    for line in GOLDEN.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        if _structures.tensors_of(_specs.text_of(case["omega"])) is not None:
            yield case


def answer(case, dtype, rounded=False):
    """What this package computes; from scores that were rounded to bfloat16 before."""
    omega, theta = case["omega"], torch.tensor([-INF if x == "-inf" else x for x in case["theta"]], dtype=torch.float64)
    theta = (theta.bfloat16() if rounded else theta).to(dtype)
    if case["op"] == "predict":
        return ft.predict(theta, omega)
    if case["op"] == "conjugate":
        return ft.conjugate(theta, omega)
    return ft.loss(theta, torch.tensor(case["y"], dtype=dtype), omega)


class Values(unittest.TestCase):
    def test_golden(self):
        count = 0
        for case in golden_cases():
            for dtype, tolerance in ((torch.float64, 1e-9), (torch.float32, 2e-5)):
                with ft.backend("tensor"):
                    found = answer(case, dtype)
                torch.testing.assert_close(found.double(), torch.tensor(case["expect"], dtype=torch.float64), atol=tolerance,
                                           rtol=tolerance, msg=lambda text, case=case: f"{case['id']}: {text}")
                count += 1
        self.assertGreater(count, 120)

    def test_golden_in_bfloat16(self):
        """Computed in float32 or better from rounded scores, then rounded."""
        count = 0
        for case in golden_cases():
            with ft.backend("tensor"):
                found = answer(case, torch.bfloat16)
            self.assertEqual(found.dtype, torch.bfloat16)
            exact = answer(case, torch.float64, rounded=True)
            torch.testing.assert_close(found.double(), exact, atol=8e-3, rtol=8e-3,
                                       msg=lambda text, case=case: f"{case['id']}: {text}")
            count += 1
        self.assertGreater(count, 60)

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

if __name__ == "__main__":
    unittest.main()
