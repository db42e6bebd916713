# SPDX-License-Identifier: Apache-2.0
"""fenchel.torch: predictions, losses, conjugates of every Ω: gradients, equality with NumPy, shapes, types, masks."""
import gc
import math
import unittest

import fenchel
import numpy as np

from torch_tensors import torch  # isort: skip

import fenchel.torch as ft
from fenchel import _core
from fenchel._base import core_of
from fenchel.torch._specs import text_of
from fenchel.torch._structures import predict_by_tensors
from torch.autograd import gradcheck, gradgradcheck

CHAIN = {"name": "chain", "n": 2, "m": 2, "boundary": False}
TREE = {"name": "arborescence", "n": 3, "single_root": False}
# Every Ω of the list; those without parameters are added by name.
OMEGAS = {
    "tsallis": [{"alpha": a} for a in (0.7, 1.0, 1.2, 1.5, 2.0, 3.0)] + [{"alpha": 1.5, "temperature": 2.0}],
    "norm": [{"q": 1.5}, {"q": 2.0}, {"q": 3.0}, {"q": "inf"}],
    "squared_norm": [{"q": 1.3}, {"q": 2.0}],
    "renyi": [{"beta": 0.5}, {"beta": 0.9}, {"beta": 1.0}],
    "tsallis_sigmoid": [{"alpha": 1.5}, {"alpha": 1.2}],
    "one_vs_all": [{"entropy": {"name": "tsallis", "alpha": 1.5}}],
    "map": [{"polytope": CHAIN}],
    "marginal": [{"polytope": CHAIN}, {"polytope": TREE}],
    "sparsemap": [{"polytope": CHAIN}, {"polytope": TREE}, {"polytope": {"name": "k_subsets", "d": 5, "k": 2}}],
    "entropic": [{"polytope": {"name": "permutahedron", "w": [3, 2, 1]}}],
    "bregman": [{"polytope": {"name": "permutahedron", "w": [3, 2, 1]}},
                {"polytope": {"name": "birkhoff", "n": 2}, "alpha": 1.2}],
    "structured_sparsemax": [{"polytope": CHAIN}],
    "maximum_entropy": [{"polytope": CHAIN, "entropy": {"name": "tsallis", "alpha": 1.5}}],
    "smoothed_paths": [{"polytope": CHAIN, "entropy": {"name": name}} for name in ("shannon", "sparsemax")],
    "conic": [{"polytope": {"name": "simplex", "d": 4}}],
}
# A formula for the second derivative; others have one where predictions are piecewise linear, or say that they have none.
TWICE = {"shannon", "tsallis", "norm", "squared_norm", "renyi", "sigmoid", "poisson", "tsallis_sigmoid"}


def specs():
    for entry in _core.regularizers():
        for parameters in OMEGAS.get(entry["name"], [{}]):
            yield {"name": entry["name"], **parameters}


def scores(omega, rows=2, seed=0):
    d = fenchel.Regularizer.from_spec(omega).dimension or 5
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(rows, d, dtype=torch.float64, generator=generator).requires_grad_()


class Gradients(unittest.TestCase):
    def test_every_prediction(self):
        for omega in specs():
            with self.subTest(omega=omega):
                theta = scores(omega)
                self.assertTrue(gradcheck(lambda t: ft.predict(t, omega), theta))
                formulas = "polytope" in omega and predict_by_tensors(text_of(omega)) is not None
                if omega["name"] in TWICE or formulas or core_of(omega).piecewise_linear:
                    self.assertTrue(gradgradcheck(lambda t: ft.predict(t, omega), theta))
                else:
                    with self.assertRaisesRegex(RuntimeError, "second derivative"):
                        gradgradcheck(lambda t: ft.predict(t, omega), theta)

    def test_every_loss_and_conjugate(self):
        for omega in specs():
            with self.subTest(omega=omega):
                theta = scores(omega)
                y = fenchel.predict(scores(omega, seed=1).detach().numpy(), fenchel.Map(polytope(omega))
                                    if "polytope" in omega else omega)
                y = torch.from_numpy(np.ascontiguousarray(y))
                self.assertTrue(gradcheck(lambda t: ft.loss(t, y, omega, reduction="none"), theta))
                self.assertTrue(gradcheck(lambda t: ft.conjugate(t, omega), theta))
                self.assertTrue(gradgradcheck(lambda t: ft.loss(t, y, omega), theta))
                self.assertTrue(gradgradcheck(lambda t: ft.conjugate(t, omega), theta))

    def test_targets_that_are_differentiated(self):
        theta, z = scores("shannon"), scores("shannon", seed=2)
        for omega in ("shannon", "tsallis:alpha=1.5", "sparsemax", "norm:q=2", "sigmoid"):
            with self.subTest(omega=omega):
                self.assertTrue(gradcheck(lambda t, z: ft.loss(t, torch.softmax(z, -1), omega), (theta, z)))
        y = torch.tensor([[1.0, 0, 0, 0, 0]] * 2, dtype=torch.float64, requires_grad=True)
        with self.assertRaisesRegex(ValueError, "boundary"):
            ft.loss(theta, y, "shannon").backward()
        self.assertIsNotNone(torch.autograd.grad(ft.loss(theta, y, "sparsemax"), y)[0])

    def test_gradients_that_overflow_are_nan_and_no_error(self):
        for omega in ("sparsemax", "norm:q=2", "shannon"):
            theta = torch.randn(3, 4, requires_grad=True)
            v = torch.ones(3, 4)
            v[1, 2] = math.inf
            grad, = torch.autograd.grad(ft.predict(theta, omega), theta, v)
            self.assertTrue(torch.isfinite(grad[[0, 2]]).all())
            self.assertFalse(torch.isfinite(grad[1]).all())

    def test_transforms_of_torch_func(self):
        theta = scores("shannon").detach()
        for omega in ("sparsemax", "norm:q=2"):
            jacobians = torch.func.vmap(torch.func.jacrev(lambda t: ft.predict(t, omega)))(theta)
            for row, jacobian in zip(theta, jacobians):
                expected = torch.autograd.functional.jacobian(lambda t: ft.predict(t, omega), row)
                torch.testing.assert_close(jacobian, expected)
        labels = torch.tensor([1, 2])
        slopes = torch.func.vmap(torch.func.grad(lambda t, y: ft.loss(t, y, "sparsemax")))(theta, labels)
        torch.testing.assert_close(slopes, ft.sparsemax(theta) - torch.nn.functional.one_hot(labels, 5))


def polytope(omega):
    made = fenchel.Polytope.__new__(fenchel.Polytope)
    made._spec = omega["polytope"]
    return made


class Ridge(fenchel.CustomRegularizer):
    """½‖μ‖² on the simplex: sparsemax, in Python."""

    domain = "simplex"

    def value(self, mu):
        return 0.5 * (mu @ mu)

    def gradient(self, mu):
        return mu


class WrittenInPython(unittest.TestCase):
    def test_layer_and_loss(self):
        theta, y, omega = scores("sparsemax", rows=3), torch.tensor([0, 1, 2]), Ridge()
        for layer in (lambda t: ft.predict(t, omega), ft.Predict(omega), ft.Predict(Ridge())):
            torch.testing.assert_close(layer(theta), ft.sparsemax(theta), atol=1e-6, rtol=0)
        loss = ft.FenchelYoungLoss(omega)
        torch.testing.assert_close(loss(theta, y), ft.loss(theta, y, "sparsemax"), atol=1e-6, rtol=0)
        grad, = torch.autograd.grad(loss(theta, y), theta)
        expected, = torch.autograd.grad(ft.loss(theta, y, "sparsemax"), theta)
        torch.testing.assert_close(grad, expected, atol=1e-6, rtol=0)


    def test_the_graph_keeps_what_was_written_inline(self):
        theta, y, kept = scores("sparsemax", rows=3), torch.tensor([0, 1, 2]), Ridge()
        for call in (lambda omega: ft.predict(theta, omega).square(), lambda omega: ft.loss(theta, y, omega),
                     lambda omega: ft.loss(theta, y, omega, reduction="none"),
                     lambda omega: ft.conjugate(theta, omega)):
            inline, named = call(Ridge()), call(kept)
            gc.collect()
            torch.testing.assert_close(torch.autograd.grad(inline.sum(), theta), torch.autograd.grad(named.sum(), theta))


class Choice(fenchel.CustomPolytope):
    """The unit vectors, in Python."""

    dimension = 5

    def map(self, theta):
        return np.eye(5)[np.argmax(theta)]


class StructuresInPython(unittest.TestCase):
    def test_the_set_keeps_what_the_backward_pass_needs(self):
        theta = scores("sparsemax", rows=3)
        choice = Choice()
        grads = [torch.autograd.grad(p.square().sum(), theta)[0]
                 for p in (ft.sparsemap(theta, choice), ft.sparsemax(theta))]
        torch.testing.assert_close(*grads)


class SameAsNumpy(unittest.TestCase):
    def test_values(self):
        for omega in specs():
            with self.subTest(omega=omega):
                theta = scores(omega, rows=3).detach()
                np.testing.assert_array_equal(ft.predict(theta, omega), fenchel.predict(theta.numpy(), omega))
                np.testing.assert_array_equal(ft.conjugate(theta, omega), fenchel.conjugate(theta.numpy(), omega))

    def test_losses(self):
        theta, y = torch.randn(6, 5), torch.tensor([0, 1, 2, 3, 4, 0])
        for omega in ("shannon", "sparsemax", "norm:q=2", "renyi:beta=0.5"):
            expected = fenchel.loss(theta.numpy(), y.numpy(), omega)
            np.testing.assert_allclose(ft.loss(theta, y, omega, reduction="none"), expected, rtol=1e-6)

    def test_logistic_is_cross_entropy(self):
        weight = torch.rand(5)
        theta, y = torch.randn(4, 5, 3), torch.randint(0, 5, (4, 3))
        y[0, 1], y[2, 2] = -100, -100
        for reduction in ("mean", "sum", "none"):
            for weights in (None, weight):
                expected = torch.nn.functional.cross_entropy(theta, y, weights, reduction=reduction)
                found = ft.FenchelYoungLoss("logistic", reduction, weight=weights, dim=1)(theta, y)
                torch.testing.assert_close(found, expected)
        y = y.where(y != -100, 0)
        torch.testing.assert_close(ft.loss(theta, y, "logistic", 1, ignore_index=0),
                                   torch.nn.functional.cross_entropy(theta, y, ignore_index=0))

    def test_rows_with_weights(self):
        theta, y, weight = torch.randn(4, 3), torch.softmax(torch.randn(4, 3), -1), torch.tensor([1.0, 2.0, 3.0])
        losses = ft.loss(theta, y, "sparsemax", reduction="none")
        weights = y @ weight
        expected = (losses * weights).sum() / weights.sum()
        torch.testing.assert_close(ft.loss(theta, y, "sparsemax", weight=weight), expected)


class Tensors(unittest.TestCase):
    def test_shapes_and_strides(self):
        theta = torch.randn(3, 4, 5, dtype=torch.float64)
        for dim in range(-3, 3):
            moved = ft.entmax15(theta.movedim(dim, -1)).movedim(-1, dim)
            torch.testing.assert_close(ft.entmax15(theta, dim), moved, rtol=0, atol=0)
        base = torch.randn(1, 5, requires_grad=True)
        ft.sparsemax(base.expand(4, 5)).square().sum().backward()
        single = base.detach().clone().requires_grad_()
        ft.sparsemax(single).square().sum().backward()
        torch.testing.assert_close(base.grad, 4 * single.grad)
        torch.testing.assert_close(ft.sparsemax(theta[0, 0]), ft.sparsemax(theta)[0, 0])
        self.assertEqual(ft.sparsemax(theta[::2, 1:, ::2]).shape, (2, 3, 3))
        self.assertEqual(ft.sparsemax(torch.zeros(0, 3)).shape, (0, 3))
        self.assertEqual(ft.loss(torch.zeros(0, 3), torch.zeros(0, dtype=torch.int64), "sparsemax").item(), 0)

    def test_one_vector(self):
        theta = torch.tensor([1.0, 2.0, 0.5], requires_grad=True)
        ft.loss(theta, torch.tensor(0), "sparsemax").backward()
        torch.testing.assert_close(theta.grad, ft.sparsemax(theta.detach()) - torch.tensor([1.0, 0, 0]))

    def test_half_precision(self):
        theta = torch.randn(8, 16)
        for dtype in (torch.float16, torch.bfloat16):
            half = (theta * 4).to(dtype).requires_grad_()
            p = ft.entmax15(half)
            self.assertEqual(p.dtype, dtype)
            torch.testing.assert_close(p.float(), ft.entmax15(half.float()), atol=1e-2, rtol=1e-2)
            loss = ft.loss(half, torch.zeros(8, dtype=torch.int64), "sparsemax")
            self.assertEqual(loss.dtype, dtype)
            loss.backward()
            self.assertTrue(torch.isfinite(half.grad).all())

    def test_targets_of_half_precision(self):
        y = torch.softmax(torch.randn(50, 20, generator=torch.Generator().manual_seed(0)), -1)
        theta = torch.randn(50, 20, generator=torch.Generator().manual_seed(1))
        for dtype, tolerance in ((torch.float16, 2e-3), (torch.bfloat16, 2e-2)):
            half = y.to(dtype)
            self.assertGreater((half.float().sum(-1) - 1).abs().max().item(), 1e-4)
            for scores in (theta, theta.to(dtype)):
                for omega in ("shannon", "sparsemax", "norm:q=2"):
                    expected = ft.loss(scores.float(), y, omega, reduction="none")
                    found = ft.loss(scores, half, omega, reduction="none")
                    self.assertEqual(found.dtype, scores.dtype)
                    torch.testing.assert_close(found.float(), expected, atol=tolerance, rtol=tolerance)
                expected = ft.entmax_loss(scores.float(), y, torch.tensor(1.5))
                torch.testing.assert_close(ft.entmax_loss(scores, half, torch.tensor(1.5)).float(), expected,
                                           atol=tolerance, rtol=tolerance)
                torch.testing.assert_close(ft.loss(list(scores), half, "sparsemax"),
                                           ft.loss(list(scores.float()), y, "sparsemax"), atol=tolerance, rtol=tolerance)
            with self.assertRaisesRegex(ValueError, "y sums to"):
                ft.loss(theta, half * 1.02, "shannon")
        with self.assertRaisesRegex(ValueError, "y sums to"):
            ft.loss(theta, y * 1.005, "shannon")

    def test_autocast(self):
        layer, x = torch.nn.Linear(6, 4), torch.randn(5, 6)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = ft.FenchelYoungLoss("sparsemax")(layer(x), torch.zeros(5, dtype=torch.int64))
        self.assertEqual(loss.dtype, torch.float32)
        loss.backward()
        self.assertTrue(torch.isfinite(layer.weight.grad).all())

    def test_modes_without_gradients(self):
        theta = torch.randn(3, 4, requires_grad=True)
        with torch.no_grad():
            self.assertFalse(ft.sparsemax(theta).requires_grad)
        with torch.inference_mode():
            self.assertTrue(ft.sparsemax(theta).is_inference())
        self.assertTrue(ft.sparsemax(theta).requires_grad)

    def test_meta_device(self):
        theta = torch.empty(3, 4, device="meta")
        self.assertEqual((ft.sparsemax(theta).shape, ft.sparsemax(theta).device.type), ((3, 4), "meta"))
        y = torch.empty(3, dtype=torch.int64, device="meta")
        self.assertEqual(ft.loss(theta, y, "sparsemax", reduction="none").shape, (3,))

    def test_threads_give_the_same_bits(self):
        theta, before = torch.randn(4000, 50), torch.get_num_threads()
        try:
            found = []
            for threads in (1, 2):
                torch.set_num_threads(threads)
                copy = theta.clone().requires_grad_()
                p = ft.entmax(copy, 1.3)
                p.square().sum().backward()
                found.append((p.detach(), copy.grad))
        finally:
            torch.set_num_threads(before)
        self.assertTrue(torch.equal(found[0][0], found[1][0]) and torch.equal(found[0][1], found[1][1]))


class Masks(unittest.TestCase):
    def test_minus_infinity(self):
        theta = torch.tensor([[1.0, -math.inf, 0.5]], requires_grad=True)
        for omega in ("shannon", "sparsemax", "tsallis:alpha=1.5", "norm:q=2"):
            p = ft.predict(theta, omega)
            self.assertEqual(p[0, 1].item(), 0)
            grad, = torch.autograd.grad(p[0, 0], theta)
            self.assertEqual(grad[0, 1].item(), 0)
            self.assertTrue(torch.isfinite(grad).all())
        with self.assertRaisesRegex(ValueError, "-inf"):
            ft.sparsemax(torch.full((2, 3), -math.inf))
        with self.assertRaisesRegex(ValueError, "masked"):
            ft.loss(theta, torch.tensor([1]), "sparsemax")

    def test_mask_argument(self):
        theta = torch.randn(3, 4, requires_grad=True)
        mask = torch.tensor([[True, True, False, True], [False] * 4, [True] * 4])
        p = ft.entmax15(theta, mask=mask)
        torch.testing.assert_close(p.sum(-1), torch.tensor([1.0, 0, 1]))
        self.assertEqual(p[0, 2].item(), 0)
        p.square().sum().backward()
        self.assertTrue(torch.isfinite(theta.grad).all() and (theta.grad[1] == 0).all())
        with self.assertRaisesRegex(TypeError, "bool"):
            ft.softmax(theta, mask=torch.ones(3, 4))
        with self.assertRaisesRegex(ValueError, "mask has shape"):
            ft.softmax(theta, mask=torch.ones(2, 4, dtype=torch.bool))


class Errors(unittest.TestCase):
    def test_messages(self):
        theta = torch.randn(3, 4)
        cases = [(ValueError, "nan", lambda: ft.sparsemax(torch.tensor([1.0, math.nan]))),
                 (ValueError, "dim is 2", lambda: ft.sparsemax(theta, 2)),
                 (TypeError, "dim is None", lambda: ft.sparsemax(theta, None)),
                 (TypeError, "dim is None", lambda: ft.softmax(theta, None, mask=theta > 0)),
                 (TypeError, "both of X and theta", lambda: ft.sparsemax(theta, theta=theta)),
                 (TypeError, "none of X and theta", lambda: ft.entmax15()),
                 (TypeError, "dtype", lambda: ft.sparsemax(torch.ones(3, dtype=torch.int64))),
                 (TypeError, "expected a tensor", lambda: ft.sparsemax(np.ones(3))),
                 (ValueError, "single number", lambda: ft.sparsemax(torch.tensor(1.0))),
                 (ValueError, "sparsemax", lambda: ft.Predict("sparsmax")),
                 (TypeError, "omega is 3", lambda: ft.predict(theta, 3)),
                 (ValueError, "y has shape", lambda: ft.loss(theta, torch.zeros(2, dtype=torch.int64), "sparsemax")),
                 (ValueError, "7", lambda: ft.loss(theta, torch.tensor([0, 7, 1]), "sparsemax")),
                 (ValueError, "reduction", lambda: ft.FenchelYoungLoss("sparsemax", "average")),
                 (ValueError, "weight has shape", lambda: ft.loss(theta, torch.zeros(3, dtype=torch.int64), "sparsemax",
                                                                  weight=torch.ones(3))),
                 (ValueError, "y", lambda: ft.loss(theta, torch.full((3, 4), 0.9), "sparsemax"))]
        for error, message, call in cases:
            with self.subTest(message=message), self.assertRaisesRegex(error, message):
                call()


if __name__ == "__main__":
    unittest.main()
