# SPDX-License-Identifier: Apache-2.0
"""Costs of losses, L(θ; y) = L_Ω(θ + c_y; y) (paper §3.4), in NumPy and, where it is there, in PyTorch."""
import math
import unittest

import fenchel
import numpy as np

try:
    import fenchel.torch as ft
    import torch
except ImportError:
    torch = None

RNG = np.random.default_rng(2)
THETA, LABELS = RNG.normal(size=(5, 3)), np.array([0, 1, 2, 2, 1])
MATRIX = np.array([[0.0, 1, 4], [1, 0, 2], [4, 2, 0]])
ONE_HOT = np.eye(3)[LABELS]
SOFT = RNG.dirichlet(np.ones(3), 5)
# What each kind of cost is at rows y of the simplex.
COSTS = {"zero_one": ("zero_one", lambda y: 1 - y), "vector": (MATRIX[2], lambda y: np.broadcast_to(MATRIX[2], y.shape)),
         "matrix": (MATRIX, lambda y: y @ MATRIX), "function": (lambda y: 2 * y ** 2, lambda y: 2 * y ** 2)}


class Costs(unittest.TestCase):
    def test_a_matrix_is_that_of_cpp(self):  # as tests/losses/cost_test.cpp has it
        cost = fenchel._core.Cost.by_label(np.array([[-0.0, 1, 2], [3, 0, 1], [1, 1, 0]]))
        np.testing.assert_array_equal(cost.at(np.array([[0.5, 0.25, 0.25], [0, 0, 0], [1, 0, 0]])),
                                      [[1, 0.75, 1.25], [0, 0, 0], [0, 1, 2]])
        with self.assertRaisesRegex(ValueError, "cost has 3 entries; expected 2"):
            cost.at(np.ones(2))

    def test_every_kind(self):
        for omega in ("argmax", "shannon", "sparsemax", "tsallis:alpha=1.3", "norm:q=2"):
            for name, (cost, at) in COSTS.items():
                for y in (LABELS, ONE_HOT, SOFT):
                    rows = ONE_HOT if y is LABELS else y
                    with self.subTest(omega=omega, cost=name, y=y.shape):
                        shifted = THETA + at(rows)
                        np.testing.assert_allclose(fenchel.loss(THETA, y, omega, cost=cost), fenchel.loss(shifted, rows, omega),
                                                   atol=1e-12)
                        losses, gradient = fenchel.value_and_gradient(THETA, y, omega, cost=cost)
                        np.testing.assert_allclose(gradient, fenchel.predict(shifted, omega) - rows, atol=1e-12)
                        np.testing.assert_array_equal(fenchel.gradient(THETA, y, omega, cost=cost), gradient)

    def test_hinge(self):
        expected = (THETA + 1 - ONE_HOT).max(1) - (THETA * ONE_HOT).sum(1)
        np.testing.assert_allclose(fenchel.loss(THETA, LABELS, "argmax", cost="zero_one"), expected)
        single = fenchel.loss(THETA.astype(np.float32), LABELS, "argmax", cost="zero_one")
        np.testing.assert_allclose(single, expected, rtol=1e-6)

    def test_structures(self):
        chain = fenchel.Sequence(3, 2)
        theta = RNG.normal(size=chain.shape)
        y = chain.encode([0, 1, 1])
        structures = [chain.encode(tags) for tags in np.ndindex(2, 2, 2)]
        best = max((theta * z).sum() + ((z - y) ** 2).sum() for z in structures)
        omega = fenchel.Map(chain)
        self.assertAlmostEqual(fenchel.loss(theta, y, omega, cost="hamming"), best - (theta * y).sum())
        shapes = []
        same = fenchel.loss(theta, y, omega, cost=lambda z: shapes.append(z.shape) or 1 - 2 * z)
        self.assertAlmostEqual(same, best - (theta * y).sum())
        self.assertEqual(set(shapes), {chain.shape})  # functions see structures in their natural shape

    def test_margins(self):
        self.assertAlmostEqual(fenchel.margin("argmax", 3, cost="zero_one"), 1)
        self.assertAlmostEqual(fenchel.margin("sparsemax", 3, cost="zero_one"), 2)
        self.assertAlmostEqual(fenchel.margin("argmax", 3, cost=MATRIX), 4)
        self.assertAlmostEqual(fenchel.margin(fenchel.Map(fenchel.Sequence(2, 2)), 8, cost="hamming"), 2)
        self.assertIsNone(fenchel.margin("shannon", 3, cost="zero_one"))

    def test_errors(self):
        for error, message, cost in ((ValueError, "cost is 'one'", "one"), (ValueError, "cost has shape", MATRIX[:2]),
                                     (ValueError, "expected an omega over structures", "hamming"),
                                     (ValueError, "the entry nan", [0, np.nan, 1]),
                                     (ValueError, "returned 2 numbers", lambda y: y[:2]),
                                     (ValueError, "finite", lambda y: y * np.inf),
                                     (TypeError, "the result of cost", lambda y: "much"),
                                     (ZeroDivisionError, "division", lambda y: 1 // 0), (TypeError, "cost", {1, 2})):
            with self.subTest(message=message), self.assertRaisesRegex(error, message), np.errstate(invalid="ignore"):
                fenchel.loss(THETA, LABELS, "argmax", cost=cost)
        with self.assertRaisesRegex(ValueError, "ragged"):
            fenchel.loss([[1.0, 2.0], [1.0]], [0, 0], "argmax", cost="zero_one")


@unittest.skipIf(torch is None, "PyTorch is not installed")
class Tensors(unittest.TestCase):
    def test_same_as_numpy(self):
        theta = torch.tensor(THETA, requires_grad=True)
        for omega in ("argmax", "shannon", "sparsemax"):
            for name, (cost, _) in COSTS.items():
                given = torch.tensor(cost) if isinstance(cost, np.ndarray) else cost
                for y in (LABELS, SOFT):
                    with self.subTest(omega=omega, cost=name, y=y.shape):
                        found = ft.loss(theta, torch.tensor(y), omega, reduction="none", cost=given)
                        losses, gradient = fenchel.value_and_gradient(THETA, y, omega, cost=cost)
                        np.testing.assert_allclose(found.detach(), losses, atol=1e-12)
                        np.testing.assert_allclose(torch.autograd.grad(found.sum(), theta)[0], gradient, atol=1e-12)
                        module = ft.FenchelYoungLoss(omega, cost=given)
                        np.testing.assert_allclose(module(theta, torch.tensor(y)).item(), losses.mean(), atol=1e-12)

    def test_costs_are_differentiated_in_the_targets(self):
        theta, y = torch.tensor(THETA), torch.tensor(SOFT, requires_grad=True)
        direction = torch.tensor([1.0, -1.0, 0.0], dtype=torch.float64)  # stays on the simplex
        for cost in ("zero_one", torch.tensor(MATRIX), lambda rows: 2 * rows**2):
            slopes, = torch.autograd.grad(ft.loss(theta, y, "shannon", cost=cost, reduction="sum"), y)
            step = 1e-6
            with torch.no_grad():
                up, down = (ft.loss(theta, y + change * direction, "shannon", cost=cost, reduction="none")
                            for change in (step, -step))
            torch.testing.assert_close((slopes * direction).sum(-1), (up - down) / (2 * step), rtol=1e-6, atol=1e-6)

    def test_autocast_and_wrong_numbers(self):
        large = torch.tensor([[0.0, 257, 1], [1, 0, 1], [1, 1, 0]])
        with torch.autocast("cpu", torch.bfloat16):
            self.assertEqual(ft.loss(torch.zeros(1, 3), torch.tensor([0]), "argmax", cost=large).item(), 257)
        for error, message, cost in ((TypeError, "complex", torch.ones(3, dtype=torch.complex64)),
                                     (ValueError, "the entry nan", [0.0, math.nan, 1.0]), (TypeError, "cost is", object())):
            with self.subTest(message=message), self.assertRaisesRegex(error, message):
                ft.loss(torch.zeros(1, 3), torch.tensor([0]), "argmax", cost=cost)

    def test_structures_and_axes(self):
        chain = fenchel.Sequence(3, 2)
        theta, y = torch.randn(chain.shape, dtype=torch.float64), chain.encode([0, 1, 1])
        expected = fenchel.loss(theta.numpy(), y, fenchel.Map(chain), cost="hamming")
        self.assertAlmostEqual(ft.loss(theta, torch.tensor(y), fenchel.Map(chain), cost="hamming").item(), expected)
        theta, labels = torch.randn(2, 3, 4, dtype=torch.float64), torch.randint(3, (2, 4))
        losses = ft.loss(theta, labels, "argmax", 1, reduction="none", cost=torch.tensor(MATRIX))
        expected = fenchel.loss(theta.movedim(1, -1).numpy(), labels.numpy(), "argmax", cost=MATRIX)
        np.testing.assert_allclose(losses, expected)

    def test_ignored_rows_and_errors(self):
        theta, labels = torch.tensor(THETA), torch.tensor([0, -100, 2, 2, -100])
        found = ft.loss(theta, labels, "argmax", reduction="none", cost=torch.tensor(MATRIX))
        self.assertEqual(found[1].item(), 0)
        np.testing.assert_allclose(found[labels >= 0], fenchel.loss(THETA[[0, 2, 3]], [0, 2, 2], "argmax", cost=MATRIX))
        for message, cost in (("cost is 'one'", "one"), ("cost has shape", torch.zeros(2)), ("omega over structures", "hamming"),
                              ("cost returned", lambda y: y[:, :1])):
            with self.subTest(message=message), self.assertRaisesRegex(ValueError, message):
                ft.loss(theta, labels, "argmax", cost=cost)


if __name__ == "__main__":
    unittest.main()
