# SPDX-License-Identifier: Apache-2.0
"""fenchel.torch within torch.compile: sizes that stay variables, numbers that tracers take for variables, few classes, and
torch.func inside."""
import unittest

from torch_structured_cases import crf_of

from torch_tensors import double, torch  # isort: skip

import fenchel.torch as ft
from fenchel.torch import _thresholds

INF = float("inf")
LABELS = torch.tensor([1, 0, 2, 1])


def compiled(function, **options):
    torch._dynamo.reset()
    return torch.compile(function, fullgraph=True, backend="aot_eager", **options)


class Sizes(unittest.TestCase):
    """One program for all sizes."""

    def agree(self, function, shapes, choices=("auto", "tensor")):
        for choice in choices:
            with self.subTest(choice=choice), ft.backend(choice):
                program = compiled(function, dynamic=True)
                for place, shape in enumerate(shapes):
                    theta = double(*shape, seed=place)
                    found, expected = program(theta), function(theta)
                    torch.testing.assert_close(found, expected, atol=1e-9, rtol=1e-9)
                    slopes = [torch.autograd.grad(value.square().sum(), theta)[0] for value in (found, expected)]
                    torch.testing.assert_close(*slopes, atol=1e-8, rtol=1e-8)
                    if place == 1:
                        programs = torch._dynamo.utils.counters["stats"]["unique_graphs"]
                    if place > 1:
                        self.assertEqual(torch._dynamo.utils.counters["stats"]["unique_graphs"], programs)

    def test_rows_and_classes(self):
        shapes = ((4, 5), (6, 9), (7, 11), (8, 12))  # the last of which take as many steps
        self.agree(ft.sparsemax, shapes)
        self.agree(lambda t: ft.loss(t, t.softmax(-1), "entmax15", reduction="none"), shapes, ("tensor",))
        self.agree(lambda t: ft.entmax_loss(t, torch.zeros_like(t[:, 0], dtype=torch.int64)), shapes, ("auto",))
        self.agree(lambda t: ft.entmax(t, t[:, :1].sigmoid() + 1.2), shapes, ("auto",))

    def test_batches_of_structures(self):
        crf = crf_of().requires_grad_(False)
        self.agree(lambda e: crf(e, e.argmax(-1), reduction="none"), ((2, 4, 3), (3, 4, 3), (5, 4, 3)))
        self.agree(ft.soft_rank, ((2, 5), (3, 5), (7, 5)), ("tensor",))
        self.agree(ft.soft_dtw, ((2, 3, 2), (3, 3, 2), (5, 3, 2)), ("tensor",))
        self.agree(ft.sinkhorn, ((2, 3, 2), (3, 3, 2), (5, 3, 2)), ("auto",))

    def test_numbers_that_are_variables_to_tracers(self):
        masses = [0.2, 0.3, 0.5]
        for function in (lambda c: ft.sinkhorn(c), lambda c: ft.sinkhorn(c, masses, [0.25] * 4, 0.5), lambda c: ft.entmax(c)):
            cost = double(2, 3, 4).detach()
            torch.testing.assert_close(compiled(function, dynamic=True)(cost), function(cost))


class FewClasses(unittest.TestCase):
    def test_sparsemax(self):
        """Programs compare all pairs where there are few entries."""
        for d in (1, 2, 5, 7, 8):
            generator = torch.Generator().manual_seed(d)
            rows = [scale * torch.randn(20, d, dtype=torch.float64, generator=generator) for scale in (1e-9, 0.3, 1.0, 30.0, 1e6)]
            rows += [torch.randint(0, 3, (20, d), generator=generator) * 0.5, torch.zeros(1, d)]
            theta = torch.cat([one.double() for one in rows])
            theta[::7, d // 2 + 1:] = -INF
            with ft.backend("tensor", nan="propagate"):
                program = compiled(ft.sparsemax, dynamic=False)
                for dtype, bound in ((torch.float64, 1e-15), (torch.float32, 3e-7)):
                    scores = theta.to(dtype)
                    found, expected = program(scores), ft.sparsemax(scores.double())
                    self.assertLess((found - expected).abs().max(), bound, (d, dtype))
                    self.assertTrue((found[scores == -INF] == 0).all())
                wrong = torch.zeros(4, d)
                wrong[0, 0], wrong[1, 0], wrong[2] = INF, float("nan"), -INF
                self.assertEqual(program(wrong).isnan().all(-1).tolist(), [True, True, True, False])

    def test_the_threshold(self):
        u = double(30, 6).detach()
        u = u - u.amax(-1, keepdim=True)
        torch.testing.assert_close(_thresholds.of_few(u), _thresholds.by_newton(u, 1.0), atol=1e-14, rtol=1e-14)


class Functional(unittest.TestCase):
    def test_derivatives_of_structures_while_compiling(self):
        crf, margin, tags = crf_of(), crf_of("hinge"), torch.tensor([[0, 2, 1], [2, 0, 1]])
        cases = ((lambda e: crf(e, tags), (2, 3, 3)), (lambda e: margin(e, tags), (2, 3, 3)),
                 (lambda c: ft.soft_dtw(c, 0.5).sum(), (2, 3, 2)), (lambda c: ft.soft_dtw(c, 0).sum(), (2, 3, 2)))
        for place, (function, shape) in enumerate(cases):
            theta = double(*shape).detach()
            with self.subTest(place):
                slope = torch.func.grad(function)
                torch.testing.assert_close(compiled(slope)(theta), slope(theta))
                twice = torch.func.jvp(lambda t, f=function: torch.func.jvp(f, (t,), (theta,))[1], (theta,), (theta,))[1]
                product = torch.func.jvp(slope, (theta,), (theta,))[1]
                torch.testing.assert_close(twice, (product * theta).sum(), atol=1e-10, rtol=1e-10)


if __name__ == "__main__":
    unittest.main()
