# SPDX-License-Identifier: Apache-2.0
"""fenchel.torch where the core cannot compute: on other devices, in every nesting of derivatives, under tracers, and in steps
that overflowed."""
import unittest
import warnings

import fenchel

from torch_tensors import double, torch  # isort: skip

import fenchel.torch as ft
from fenchel.torch import _backend
from remote_tensors import DEVICE, Remote, count
from torch.autograd import gradcheck
from torch.func import grad, hessian, jacfwd, jacrev, jvp, vmap

LABELS = torch.tensor([1, 0, -100, 4])
NATIVE = ("softmax", "sparsemax", "entmax15", "tsallis:alpha=1.3", "tsallis:alpha=3", "norm:q=3", "squared_norm:q=1.5", "argmax",
          "sigmoid", "sparse_sigmoid", "tsallis_sigmoid:alpha=1.5", "relu", "poisson", "squared", "softmax_margin", "hinge",
          {"name": "shannon", "temperature": 2, "cost": [1, 0, 2, 0, 1]}, fenchel.SparseMap(fenchel.KSubsets(5, 2)),
          {"name": "one_vs_all", "entropy": {"name": "tsallis", "alpha": 1.3}})
SMOOTH = ("softmax", "entmax15", "tsallis:alpha=1.3", "tsallis:alpha=3", "norm:q=3", "squared_norm:q=1.5", "sigmoid",
          "tsallis_sigmoid:alpha=1.5", "poisson", fenchel.SparseMap(fenchel.KSubsets(5, 2)))
INF = float("inf")


class Devices(unittest.TestCase):
    def test_rows_stay_on_the_device(self):
        theta = double(4, 5).detach()
        for omega in NATIVE:
            with self.subTest(omega=omega), count:
                remote = Remote(theta).requires_grad_()
                p = ft.predict(remote, omega)
                p.square().sum().backward()
                y = p.detach() if isinstance(omega, fenchel.SparseMap) else Remote(LABELS)
                slope, = torch.autograd.grad(ft.loss(remote, y, omega, weight=Remote(torch.ones(5))), remote)
                constants = 3 if isinstance(omega, dict) and "cost" in omega else 0  # which no device waits for
                self.assertEqual((p.device, slope.device), (DEVICE, DEVICE))
                self.assertEqual(dict(count), {"to host": 0, "to device": constants})
                torch.testing.assert_close(p.detach().entries, ft.predict(theta, omega))
                here = theta.clone().requires_grad_()
                expected, = torch.autograd.grad(ft.loss(here, y.entries, omega, weight=torch.ones(5)), here)
                torch.testing.assert_close(slope.entries, expected)

    def test_parameters_for_each_row_stay_on_the_device(self):
        theta, one = double(4, 5).detach(), torch.tensor([[1.5], [2.0], [3.0], [1.1]], dtype=torch.float64)
        for function in (ft.entmax, ft.budget_bisect, ft.normmax_bisect,
                         lambda t, a: ft.entmax_loss(t, LABELS.to(t.device), a, reduction="none"),
                         lambda t, a: ft.NormmaxBisectLoss(a, reduction="none")(t, LABELS.to(t.device))):
            with self.subTest(function=function):
                remote = Remote(theta).requires_grad_()
                with count:
                    result = function(remote, Remote(one))
                    slope, = torch.autograd.grad(result.square().sum(), remote)
                    self.assertEqual(count["to host"], 0)
                here = theta.clone().requires_grad_()
                expected = function(here, one)
                torch.testing.assert_close(result.detach().entries, expected.detach())
                torch.testing.assert_close(slope.entries, torch.autograd.grad(expected.square().sum(), here)[0])

    def test_structures_are_copied_once_and_say_so_once(self):
        omega = fenchel.SparseMap(fenchel.Birkhoff(2))
        _backend._said.clear()
        with warnings.catch_warnings(record=True) as caught, count:
            warnings.simplefilter("always")
            theta = Remote(double(3, 4).detach()).requires_grad_()
            for _ in range(2):
                p = ft.predict(theta, omega)
            self.assertEqual((p.device, dict(count)), (DEVICE, {"to host": 2, "to device": 2}))
        self.assertEqual([str(one.message) for one in caught],
                         ["sparsemap over birkhoff has no tensor operations: its tensors are copied from remote:0 to the "
                          "CPU, its results back, once in each call"])
        with count:
            p.sum().backward()
            self.assertEqual((theta.grad.device, count["to device"]), (DEVICE, 1))
        torch.testing.assert_close(p.detach().entries, ft.predict(theta.detach().entries, omega))

    def test_the_core_can_be_asked_for(self):
        with ft.backend("core"), warnings.catch_warnings(), count:
            warnings.simplefilter("ignore")
            self.assertEqual(ft.sparsemax(Remote(double(3, 4).detach())).device, DEVICE)
            self.assertEqual(dict(count), {"to host": 1, "to device": 1})

    def test_tensors_without_entries(self):
        from torch._subclasses.fake_tensor import FakeTensorMode
        with FakeTensorMode():
            theta = torch.empty(4, 5, requires_grad=True)
            for omega in NATIVE:
                p = ft.predict(theta, omega)
                p.sum().backward()
                self.assertEqual((p.shape, theta.grad.shape), ((4, 5), (4, 5)))


class Derivatives(unittest.TestCase):
    def test_nested_in_any_order(self):
        theta, labels = double(5).detach(), torch.tensor(2)
        for omega in SMOOTH:
            def predict(t, omega=omega):
                return ft.predict(t, omega).pow(3).sum()

            def loss(t, omega=omega):
                y = labels if not isinstance(omega, fenchel.SparseMap) else torch.ones(5, dtype=torch.float64) * 0.4
                return ft.loss(t, y, omega)

            for function in (predict, loss, lambda t, omega=omega: ft.conjugate(t, omega)):
                with self.subTest(omega=omega):
                    twice = jacrev(jacrev(function))(theta)
                    for outer, inner in ((jacfwd, jacfwd), (jacfwd, jacrev), (jacrev, jacfwd)):
                        torch.testing.assert_close(outer(inner(function))(theta), twice)
                    rows = torch.stack([theta, theta.flip(0)])
                    torch.testing.assert_close(vmap(jacfwd(jacfwd(function)))(rows)[0], twice)

    def test_third_ones(self):
        theta = double(5).detach()
        for alpha in (1.3, 3.0):
            def function(t, alpha=alpha):
                return ft.entmax(t, alpha).pow(3).sum()

            torch.testing.assert_close(jacfwd(jacfwd(jacfwd(function)))(theta), jacrev(jacrev(jacrev(function)))(theta))

    def test_in_alpha(self):
        theta = double(4, 5)
        alpha = torch.tensor([[1.2], [1.5], [1.8], [2.2]], dtype=torch.float64, requires_grad=True)

        def tangent(t, a):
            return jvp(lambda x, b: jvp(ft.entmax, (x, b), (x, b))[1], (t, a), (t, a))[1]

        step = 1e-5
        first = [jvp(ft.entmax, (theta * s, alpha * s), (theta * s, alpha * s))[1] for s in (1 - step, 1 + step)]
        torch.testing.assert_close(tangent(theta, alpha), (first[1] - first[0]) / (2 * step), atol=1e-6, rtol=1e-6)
        along = (theta.detach().clone(), alpha.detach().clone())
        self.assertTrue(gradcheck(lambda t, a: jvp(ft.entmax, (t, a), along)[1], (theta, alpha)))

    def test_second_ones_with_respect_to_targets(self):
        y, theta = double(3, 4).detach().softmax(-1).requires_grad_(), double(3, 4, seed=1)
        for omega, second in (("softmax", lambda y: 1 / y), ("sparsemax", torch.ones_like),
                              ("tsallis:alpha=1.5,temperature=2", lambda y: 2 * y**-0.5), ("poisson", lambda y: 1 / y),
                              ("sigmoid", lambda y: 1 / (y * (1 - y))), ("squared", torch.ones_like)):
            slope, = torch.autograd.grad(ft.loss(theta, y, omega, reduction="sum"), y, create_graph=True)
            torch.testing.assert_close(torch.autograd.grad(slope.sum(), y)[0], second(y.detach()))

    def test_torch_func_while_compiling(self):
        theta = double(5).detach()

        def function(t):
            return ft.entmax(t, 1.3).pow(3).sum() + ft.loss(t, torch.tensor(1), "sparsemax")

        for transform, start in ((lambda t: jvp(function, (t,), (t,))[1], theta), (hessian(function), theta),
                                 (jacfwd(jacfwd(function)), theta), (grad(function), theta),
                                 (vmap(function), theta.expand(2, 5))):
            torch._dynamo.reset()
            compiled = torch.compile(transform, fullgraph=True, backend="aot_eager")
            torch.testing.assert_close(compiled(start), transform(start))


class Overflow(unittest.TestCase):
    """A step of half precision that overflowed is skipped by gradient scaling."""

    def step(self, call, scale):
        model = torch.nn.Linear(3, 4, bias=False)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
        before = model.weight.detach().clone()
        with torch.autocast("cpu", torch.float16):
            scores = model(torch.full((2, 3), scale))
            loss = call(scores)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return bool((model.weight == before).all()), scaler.get_scale()

    def test_steps_are_skipped(self):
        labels = torch.tensor([0, 1])
        for call in (lambda s: ft.loss(s, labels, "sparsemax"), lambda s: ft.entmax15(s).square().sum(),
                     lambda s: ft.EntmaxLoss(torch.full((1,), 1.3))(s, labels), lambda s: ft.conjugate(s, "softmax").sum(),
                     lambda s: ft.normmax(s, 2).square().sum(), lambda s: ft.loss(s, labels, "renyi:beta=0.5")):
            self.assertEqual(self.step(call, 1.0), (False, 4.0))
            self.assertEqual(self.step(call, 1e30), (True, 2.0))

    def test_compiled_code_does_not_raise(self):
        theta = torch.tensor([[0.0, 1.0], [0.0, float("nan")], [-INF, -INF]], requires_grad=True)
        for call in (ft.sparsemax, lambda t: ft.loss(t, torch.tensor([1, 0, 0]), "softmax", reduction="none"),
                     lambda t: ft.predict(t, "renyi:beta=0.5")):
            torch._dynamo.reset()
            result = torch.compile(call, fullgraph=True, backend="aot_eager")(theta)
            self.assertEqual(result.reshape(3, -1).isnan().all(-1).tolist(), [False, True, True])
            slope, = torch.autograd.grad(result[0].sum(), theta)
            self.assertTrue(slope[0].isfinite().all())

    def test_what_has_no_tensor_operations_propagates_too(self):
        theta = torch.tensor([[0.0, 1.0, 0.0, 0.0], [0.0, float("nan"), 0.0, 0.0]])
        omega = fenchel.SparseMap(fenchel.Birkhoff(2))
        with ft.backend(nan="propagate"):
            self.assertEqual(ft.predict(theta, omega).isnan().all(-1).tolist(), [False, True])
            with self.assertRaisesRegex(ValueError, "y"):  # what is wrong elsewhere is an error still
                ft.loss(torch.zeros(1, 3), torch.tensor([5]), "softmax")


if __name__ == "__main__":
    unittest.main()
