# SPDX-License-Identifier: Apache-2.0
"""fenchel.torch in tensor operations: the same numbers as the core and the golden cases, and nothing that a device would
have to wait for."""
import itertools
import json
import math
import pathlib
import unittest

import fenchel

from torch_tensors import double, torch  # isort: skip

import fenchel.torch as ft
from fenchel.torch import _backend, _rows, _specs
from torch.autograd import gradcheck, gradgradcheck
from torch.utils._python_dispatch import TorchDispatchMode

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"
OMEGAS = ("softmax", "sparsemax", "entmax15", "tsallis:alpha=1.3", "tsallis:alpha=2.5", "tsallis:alpha=0.5", "norm:q=2",
          "norm:q=1.5", "norm:q=inf", "squared_norm:q=1.5", "argmax", "softmax_margin", "hinge", "tsallis:alpha=20",
          "sigmoid", "sparse_sigmoid", "tsallis_sigmoid:alpha=1.5", "relu", "poisson", "squared",
          "tsallis:alpha=1.5,temperature=0.5", "norm:q=2,temperature=3,constant=1")
LABELS = torch.tensor([1, 0, -100, 4])
INF = float("inf")


def hard_scores(d):
    """Scores of all scales, ties, and scores whose thresholds Newton's method alone reaches slowly."""
    steps = torch.arange(d, dtype=torch.float64)
    generator = torch.Generator().manual_seed(d)
    parts = [scale * torch.randn(8, d, dtype=torch.float64, generator=generator) for scale in (1e-3, 0.1, 1, 4, 30, 1e3)]
    parts += [torch.zeros(1, d, dtype=torch.float64), -steps * torch.logspace(-6, 2, 20, dtype=torch.float64)[:, None],
              -torch.logspace(-8, 1, d, dtype=torch.float64)[None],
              1 - torch.logspace(0, 9, d, base=2, dtype=torch.float64)[None]]
    return torch.cat(parts)


class Golden(unittest.TestCase):
    def cases(self):
        for name in ("simplex", "measures", "cost_sensitive", "jvp"):
            for line in (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
                case = json.loads(line)
                if case["op"] != "value":  # which this package does not have
                    yield case

    def answer(self, case, dtype):
        scores = {key: torch.tensor([-INF if x == "-inf" else x for x in case[key]], dtype=dtype)
                  for key in ("theta", "y", "v") if key in case}
        omega, theta = case["omega"], scores["theta"]
        if case["op"] == "predict":
            return ft.predict(theta, omega)
        if case["op"] == "conjugate":
            return ft.conjugate(theta, omega)
        if case["op"] == "loss":
            return ft.loss(theta, scores["y"], omega)
        if case["op"] == "jvp":
            return torch.func.jvp(lambda t: ft.predict(t, omega), (theta,), (scores["v"],))[1]
        return torch.autograd.grad(ft.loss(theta.requires_grad_(), scores["y"], omega), theta)[0]

    def judge(self, dtype, tolerance, limit):
        count = 0
        for case in self.cases():
            numbers = [x for key in ("theta", "y", "v") for x in case.get(key, ()) if x != "-inf"]
            if max(map(abs, numbers)) >= limit:
                continue
            with ft.backend("tensor"):
                found = self.answer(case, dtype).double()
            expected = torch.tensor(case["expect"], dtype=torch.float64)
            torch.testing.assert_close(found, expected, atol=tolerance, rtol=tolerance,
                                       msg=lambda text, case=case: f"{case['id']}: {text}")
            count += 1
        self.assertGreater(count, 350)

    def test_double(self):
        self.judge(torch.float64, 1e-9, INF)

    def test_float(self):
        self.judge(torch.float32, 2e-5, 200)

    def test_what_has_tensor_operations(self):
        names = {case["omega"].get("name") for case in self.cases()
                 if not _rows.plan_of(_specs.text_of(case["omega"])).kind}
        self.assertEqual(names, {"renyi", "pairwise_hinge", "pairwise_smoothed_hinge", "pairwise_squared_hinge"})

    def test_bfloat16(self):  # computed in float32 from rounded scores, then rounded
        count = 0
        for case in self.cases():
            numbers = [x for key in ("theta", "y", "v") for x in case.get(key, ()) if x != "-inf"]
            if max(map(abs, numbers)) >= 200:
                continue
            with ft.backend("tensor"):
                found = self.answer(case, torch.bfloat16)
            self.assertEqual(found.dtype, torch.bfloat16)
            rounded = {**case, **{key: torch.tensor([-INF if x == "-inf" else x for x in case[key]]).bfloat16().double().tolist()
                                  for key in ("theta", "y", "v") if key in case}}
            if "y" in rounded:  # which is rescaled where it was rounded
                rounded["y"] = ft._loss.full_precision(torch.tensor(rounded["y"]).bfloat16(), torch.float64,
                                                       _specs.on_simplex(_specs.text_of(case["omega"]))).tolist()
            torch.testing.assert_close(found, self.answer(rounded, torch.float64).bfloat16(), atol=8e-3, rtol=8e-3,
                                       msg=lambda text, case=case: f"{case['id']}: {text}")
            count += 1
        self.assertGreater(count, 350)


class Steps(unittest.TestCase):
    """The fixed number of steps is enough: the worst errors are those of the table in docs/python_torch.md."""

    def test_worst_errors(self):
        for dtype, worst in ((torch.float64, 5e-15), (torch.float32, 5e-7)):
            for alpha in (0.05, 0.5, 1.0001, 1.05, 1.25, 1.5, 1.8, 2.0, 3.0, 20.0):
                for d in (1, 2, 3, 10, 300):
                    theta = hard_scores(d).to(dtype)
                    exact = ft.entmax(theta.double(), alpha)
                    bound = worst if alpha <= 2 else 1e-7  # beyond, entries near 0 see the last digits of scores
                    with ft.backend("tensor", nan="propagate"):
                        self.assertLess((ft.entmax(theta, alpha).double() - exact).abs().max(), bound, (dtype, alpha, d))
                        if alpha in (0.5, 1.25, 2.0, 3.0) and d < 300:  # α itself is rounded
                            found = ft.entmax(theta, torch.tensor(alpha, dtype=dtype)).double()
                            self.assertLess((found - exact).abs().max(), max(bound, 5e-7), (dtype, alpha, d))

    def test_scores_that_are_slow_for_newton(self):
        """The density of scores grows by a factor in each step that Newton's method takes."""
        for size, alpha, scale in itertools.product((10, 1000, 20000), (1.2, 1.5, 2.0), (0.3, 1.0)):
            depth = -torch.linspace(0, 1, size, dtype=torch.float64).clamp(min=1e-9).log() / math.log(size)
            theta = (scale / (alpha - 1) * torch.stack([depth, depth**2, depth**0.5])).contiguous()
            for dtype, bound in ((torch.float64, 1e-13), (torch.float32, 1e-6)):
                found = _rows.entmax(theta.to(dtype), alpha - 1).double()
                exact = ft.entmax(theta.to(dtype).double(), alpha)
                self.assertLess((found - exact).abs().max(), bound, (dtype, alpha, size, scale))

    def test_other_thresholds(self):
        subsets = [fenchel.SparseMap(fenchel.KSubsets(10, k)) for k in (1, 4, 10)]
        for omega in ("norm:q=1.1", "norm:q=3", "norm:q=inf", "squared_norm:q=1.1", "squared_norm:q=1.7", *subsets):
            for dtype, bound in ((torch.float64, 5e-14), (torch.float32, 2e-6)):
                theta = hard_scores(10).to(dtype)
                with ft.backend("tensor", nan="propagate"):
                    found = ft.predict(theta, omega).double()
                self.assertLess((found - ft.predict(theta.double(), omega)).abs().max(), bound, (omega, dtype))

    def test_masks_have_no_mass(self):
        theta = torch.tensor([[1.0, -INF, 0.3], [-INF, -INF, 2.0]])
        for alpha in (0.1, 0.5, 1.0, 1.5, 2.0, 5.0):
            for order in (alpha, torch.tensor(alpha)):
                with ft.backend("tensor"):
                    p = ft.entmax(theta, order)
                self.assertEqual(p[0, 1], 0)
                self.assertEqual(p[1].tolist(), [0, 0, 1])


class HostFree(TorchDispatchMode):
    """Fails on what would make a device wait for the host, or sorts."""

    FORBIDDEN = ("_local_scalar_dense", "nonzero", "sort", "topk", "is_nonzero", "equal", "_to_copy", "masked_select", "unique")

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function.overloadpacket.__name__
        change_of_type = name == "_to_copy" and (kwargs or {}).get("device") is None
        if name in self.FORBIDDEN and not change_of_type:
            raise AssertionError(f"{name} waits for the host")
        return function(*args, **(kwargs or {}))


class Paths(unittest.TestCase):
    def test_nothing_waits_for_the_host(self):
        for omega in OMEGAS:
            with self.subTest(omega), ft.backend("tensor", nan="propagate"), HostFree():
                theta = torch.full((4, 5), 0.1).requires_grad_()
                ft.predict(theta, omega).sum().backward()
                ft.conjugate(theta, omega)
                ft.loss(theta, LABELS, omega, weight=torch.ones(5)).backward()
                ft.loss(theta, torch.full((4, 5), 0.2), omega, reduction="none").sum().backward()
        with ft.backend("tensor", nan="propagate"), HostFree():
            theta, alpha = torch.full((4, 5), 0.1).requires_grad_(), torch.full((4, 1), 1.5).requires_grad_()
            ft.entmax(theta, alpha, mask=torch.ones(4, 5, dtype=torch.bool)).sum().backward()
            ft.entmax_loss(theta, LABELS, alpha).backward()

    def test_derivatives(self):
        theta = double(4, 5)
        with ft.backend("tensor"):
            for omega in OMEGAS:
                with self.subTest(omega):
                    def predict(t, omega=omega):
                        return ft.predict(t, omega)

                    def loss(t, omega=omega):
                        return ft.loss(t, LABELS, omega)

                    self.assertTrue(gradcheck(predict, theta, check_forward_ad=True))
                    self.assertTrue(gradcheck(loss, theta))
                    self.assertTrue(gradgradcheck(predict, theta))
                    rows = theta.detach()
                    torch.testing.assert_close(torch.func.jacfwd(predict)(rows), torch.func.jacrev(predict)(rows))
                    self.assertTrue(torch.func.hessian(loss)(rows).isfinite().all())
                    torch.testing.assert_close(torch.func.vmap(predict)(theta), predict(theta))
            alpha = torch.tensor([[1.2], [1.5], [1.8], [2.2]], dtype=torch.float64, requires_grad=True)
            self.assertTrue(gradcheck(lambda t, a: ft.entmax(t, a), (theta, alpha), check_forward_ad=True))
            self.assertTrue(gradcheck(lambda t, a: ft.entmax_loss(t, LABELS, a), (theta, alpha)))

    def test_the_core_agrees(self):
        for omega in OMEGAS:
            theta, y = double(4, 5), double(4, 5, seed=1).detach().softmax(-1)
            for targets in (LABELS, y):
                expected = torch.autograd.grad(ft.loss(theta, targets, omega), theta)[0]
                with ft.backend("tensor"):
                    torch.testing.assert_close(torch.autograd.grad(ft.loss(theta, targets, omega), theta)[0], expected)
                    value = ft.loss(theta, targets, omega, reduction="none")
                torch.testing.assert_close(value, ft.loss(theta, targets, omega, reduction="none"))

    def test_meta_tensors(self):
        theta, labels = torch.empty(4, 5, device="meta", requires_grad=True), torch.zeros(4, dtype=torch.int64, device="meta")
        for omega in OMEGAS:
            with self.subTest(omega):
                self.assertEqual(ft.predict(theta, omega).device.type, "meta")
                ft.loss(theta, labels, omega).backward()
                self.assertEqual(theta.grad.shape, (4, 5))


class Recorded(unittest.TestCase):
    def test_compile(self):
        theta = double(4, 5)
        for omega in ("softmax", "tsallis:alpha=1.3", "norm:q=2"):
            with self.subTest(omega), ft.backend("tensor"):
                torch._dynamo.reset()

                def loss(t, omega=omega):
                    return ft.loss(t, LABELS, omega)

                compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
                torch.testing.assert_close(torch.autograd.grad(compiled(theta), theta), torch.autograd.grad(loss(theta), theta))
                layer = torch.compile(ft.Predict(omega), fullgraph=True, backend="aot_eager")
                torch.testing.assert_close(layer(theta), ft.predict(theta, omega))

    def test_export_has_no_operator_of_its_own(self):
        theta = double(4, 5).detach()
        for layer in (ft.Predict("sparsemax"), ft.Entmax(1.3), ft.Normmax(2), ft.Entmax(torch.tensor(1.5)), ft.Softmax()):
            with self.subTest(layer):
                axes = {0: torch.export.Dim("rows"), 1: torch.export.Dim("classes")}
                program = torch.export.export(layer, (theta,), dynamic_shapes={next(iter(
                    name for name in layer.forward.__code__.co_varnames if name not in ("self", "mask"))): axes})
                self.assertFalse([node for node in program.graph.nodes if "fenchel" in str(node.target)])
                longer = double(3, 9, seed=2).detach()
                torch.testing.assert_close(program.module()(longer), layer(longer))


class Choice(unittest.TestCase):
    def tearDown(self):
        ft.backend("auto")

    def test_context_and_global_choice(self):
        self.assertEqual(_backend._chosen, "auto")
        with ft.backend("tensor") as outer:
            self.assertEqual(repr(outer), "backend('tensor', nan='raise')")
            with ft.backend("core", nan="propagate"):
                self.assertEqual((_backend._chosen, _backend._nan), ("core", "propagate"))
            self.assertEqual((_backend._chosen, _backend._nan), ("tensor", "raise"))
        self.assertEqual((_backend._chosen, _backend._nan), ("auto", "raise"))
        ft.backend("tensor")
        self.assertEqual(_backend._chosen, "tensor")
        for name, nan, text in (("gpu", "raise", "name is 'gpu'"), ("auto", "ignore", "nan is 'ignore'")):
            with self.assertRaisesRegex(ValueError, text):
                ft.backend(name, nan=nan)

    def test_the_same_messages(self):
        wrong = [lambda: ft.predict(torch.tensor([0.0, math.nan]), "sparsemax"),
                 lambda: ft.predict(torch.tensor([-INF, -INF]), "entmax15"),
                 lambda: ft.loss(torch.zeros(2, 3), torch.tensor([0, 3]), "softmax"),
                 lambda: ft.loss(torch.zeros(1, 3), torch.tensor([[0.5, 0.4, 0.0]]), "softmax"),
                 lambda: ft.entmax(torch.zeros(3), torch.tensor(-1.0))]
        for call in wrong:
            messages = []
            for name in ("core", "tensor"):
                with ft.backend(name), self.assertRaises(ValueError) as caught:
                    call()
                messages.append(str(caught.exception))
            self.assertEqual(*messages)

    def test_nan_propagates_by_rows(self):
        theta = torch.tensor([[0.0, 1.0], [0.0, math.nan], [-INF, -INF], [INF, 0.0]], requires_grad=True)
        for name in ("auto", "tensor"):
            with ft.backend(name, nan="propagate"):
                for omega in ("softmax", "sparsemax", "tsallis:alpha=1.3", "tsallis:alpha=4", "norm:q=2"):
                    p = ft.predict(theta, omega)
                    self.assertEqual(p.isnan().all(-1).tolist(), [False, True, True, True])
                    losses = ft.loss(theta, torch.tensor([1, 1, 0, 0]), omega, reduction="none")
                    self.assertEqual(losses.isnan().tolist(), [False, True, True, True])
                    slope, = torch.autograd.grad(losses[0], theta)
                    self.assertTrue(slope[0].isfinite().all())

    def test_what_has_no_tensor_operations_goes_through_the_core(self):
        for omega in ("renyi:beta=0.5", fenchel.SparseMap(fenchel.Birkhoff(2)), "pairwise_hinge"):
            with ft.backend("tensor"):
                found = ft.predict(double(2, 4), omega)
            self.assertTrue(torch.equal(found, ft.predict(double(2, 4), omega)))


if __name__ == "__main__":
    unittest.main()
