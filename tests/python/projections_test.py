# SPDX-License-Identifier: Apache-2.0
"""Projections onto simple convex sets, in NumPy and in PyTorch."""
import math
import unittest

import numpy as np
from fenchel import projections
from scipy.optimize import minimize

try:
    import torch
    from fenchel.torch.projections import project as torch_project
except ImportError:
    torch = None

RNG = np.random.default_rng(2)
X = 2 * RNG.normal(size=(7, 5))
W = np.array([1.0, -2.0, 0.0, 0.5, 3.0])
SETS = {"box": projections.box(-0.5, [0.1, 0.2, 0.3, math.inf, 1]), "ball 1": projections.ball(1.5, 1),
        "ball 2": projections.ball(0.7), "ball inf": projections.ball(0.4, math.inf),
        "half-space": projections.half_space(W, -0.3), "hyperplane": projections.hyperplane(1, 2),
        "section": projections.box_section(0, 1, W, 0.7), "simplex": projections.box_section(0, math.inf)}


class Numpy(unittest.TestCase):
    def test_they_are_the_nearest_points(self):
        for name, into in SETS.items():
            with self.subTest(name):
                p = projections.project(X, into)
                np.testing.assert_allclose(projections.project(p, into), p, atol=1e-12)
                z = projections.project(3 * RNG.normal(size=X.shape), into)
                self.assertLessEqual(((X - p) * (z - p)).sum(axis=1).max(), 1e-10)

    def test_against_a_general_method(self):
        for x in X[:3]:
            found = minimize(lambda p: 0.5 * ((p - x) ** 2).sum(), np.full(5, 0.2), jac=lambda p: p - x, bounds=[(0, 1)] * 5,
                             constraints={"type": "eq", "fun": lambda p: W @ p - 0.7, "jac": lambda p: W}, method="SLSQP",
                             options={"ftol": 1e-15, "maxiter": 500})
            np.testing.assert_allclose(projections.project_box_section(x, 0, 1, W, 0.7), found.x, atol=1e-6)

    def test_short_names(self):
        np.testing.assert_array_equal(projections.project_non_negative(X), np.maximum(X, 0))
        np.testing.assert_array_equal(projections.project_box(X, -1, 1), np.clip(X, -1, 1))
        np.testing.assert_allclose(projections.project_simplex(X, 2.0).sum(axis=1), 2)
        np.testing.assert_allclose(projections.project_ball(X, 1.0, 1), projections.project(X, projections.ball(1.0, 1)))
        np.testing.assert_allclose(projections.project_hyperplane(X, W, 1.0) @ W, 1)
        self.assertLessEqual((projections.project_half_space(X, W, 1.0) @ W).max(), 1 + 1e-12)

    def test_types_shapes_and_threads(self):
        single = projections.project(X.astype(np.float32), SETS["simplex"])
        self.assertEqual(single.dtype, np.float32)
        np.testing.assert_allclose(single, projections.project(X, SETS["simplex"]), atol=1e-6)
        cube = X.reshape(7, 1, 5)[:, [0, 0]]
        self.assertEqual(projections.project(cube, SETS["box"], n_threads=2).shape, cube.shape)
        self.assertEqual(projections.project(np.zeros((0, 5)), SETS["box"]).shape, (0, 5))

    def test_mistakes(self):
        for call, message in ((lambda: projections.project(X, projections.ball(norm=3)), "norm is 3"),
                              (lambda: projections.project(X, projections.box([0, 1], 2)), "lower"),
                              (lambda: projections.project(X, projections.box(2, 1)), "lower"),
                              (lambda: projections.project(X, projections.box_section(0, 1, c=9)), "c is 9"),
                              (lambda: projections.project([[np.nan]], projections.box(0, 1)), "nan"),
                              (lambda: projections.project(X, "bal"), "did you mean 'ball'"),
                              (lambda: projections.box(float("nan"), 1), "nan"),
                              (lambda: projections.jvp(X, X[:2], SETS["box"]), "v has shape")):
            with self.assertRaisesRegex(ValueError, message):
                call()
        with self.assertRaisesRegex(TypeError, "into is 3"):
            projections.project(X, 3)
        with self.assertRaisesRegex(TypeError, "lower is 'a'"):
            projections.box("a", 1)


@unittest.skipIf(torch is None, "PyTorch is missing")
class Tensors(unittest.TestCase):
    def test_same_as_numpy_and_differentiable(self):
        for name, into in SETS.items():
            with self.subTest(name):
                x = torch.tensor(X, requires_grad=True)
                np.testing.assert_array_equal(torch_project(x, into).detach().numpy(), projections.project(X, into))
                self.assertTrue(torch.autograd.gradcheck(lambda t, into=into: torch_project(t, into), x))
                v = torch.randn(x.shape, dtype=x.dtype)
                _, tangent = torch.func.jvp(lambda t, into=into: torch_project(t, into), (x.detach(),), (v,))
                np.testing.assert_allclose(tangent.numpy(), projections.jvp(X, v.numpy(), into), atol=1e-12)

    def test_other_dimensions_and_compilers(self):
        x = torch.tensor(X)
        torch.testing.assert_close(torch_project(x.T, SETS["simplex"], dim=0), torch_project(x, SETS["simplex"]).T)
        compiled = torch.compile(lambda t: torch_project(t, SETS["simplex"]) * 2, backend="eager", fullgraph=True)
        torch.testing.assert_close(compiled(x), 2 * torch_project(x, SETS["simplex"]))


if __name__ == "__main__":
    unittest.main()
