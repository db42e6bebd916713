# SPDX-License-Identifier: Apache-2.0
"""fenchel.torch with backend("triton"), in Triton's interpreter: kernels compute, and only where they can."""
import unittest
from unittest import mock

from triton_interpreter import torch  # isort: skip

import fenchel.torch as ft
from fenchel.triton import _rows

LABELS = torch.tensor([1, 0, -100, 4])


def scores(seed=0, dtype=torch.float32):
    return torch.randn(4, 5, generator=torch.Generator().manual_seed(seed)).to(dtype)


def results(theta):
    """Predictions, losses and their gradients, for the α that have kernels."""
    theta = theta.detach().requires_grad_()
    v, found = scores(1).to(theta.dtype), []
    for omega in ("softmax", "sparsemax", "entmax15", "tsallis:alpha=1.3", "tsallis:alpha=1.5,temperature=0.5"):
        p = ft.predict(theta, omega)
        losses = ft.loss(theta, LABELS, omega, reduction="none")
        found += [p, losses, *torch.autograd.grad((p * v).sum(), theta), *torch.autograd.grad(losses.sum(), theta)]
    return found


class Backend(unittest.TestCase):
    def test_the_kernels_agree_and_are_called(self):
        for theta in (scores(), scores(dtype=torch.bfloat16), scores().t().contiguous().t()):
            expected = results(theta)
            with ft.backend("triton"), mock.patch.object(_rows, "predict", wraps=_rows.predict) as predicts, \
                    mock.patch.object(_rows, "product", wraps=_rows.product) as products:
                found = results(theta)
            self.assertEqual((predicts.call_count, products.call_count), (10, 5))
            bound = 2e-6 if theta.dtype == torch.float32 else 2e-2
            for one, other in zip(found, expected):
                self.assertEqual(one.dtype, other.dtype)
                torch.testing.assert_close(one, other, atol=bound, rtol=bound)

    def test_what_kernels_cannot_is_computed_by_tensors(self):
        never = AssertionError("a kernel is called")
        with ft.backend("triton"), mock.patch.object(_rows, "predict", side_effect=never), \
                mock.patch.object(_rows, "product", side_effect=never):
            for theta in (scores(dtype=torch.float64), scores()):
                for omega in ("tsallis:alpha=3", "tsallis:alpha=0.5", "norm:q=2", "tsallis:alpha=1.00001"):
                    ft.predict(theta, omega)
            ft.entmax(scores(), torch.tensor(1.5))
            torch._dynamo.reset()
            torch.compile(ft.sparsemax, fullgraph=True, backend="aot_eager")(scores())
            torch._dynamo.reset()
            layer = ft.StructuredPredict("sequence", "marginal")
            torch.compile(layer, fullgraph=True, backend="aot_eager")(torch.zeros(1, 3, 2, 2))
            torch.func.hessian(lambda t: ft.entmax15(t).square().sum())(scores(dtype=torch.float64))

    def test_derivatives(self):
        theta, v = scores(), scores(1)
        with ft.backend("triton"):
            def predict(t):
                return ft.entmax15(t)

            found = torch.func.jvp(predict, (theta,), (v,))[1], torch.func.vmap(predict)(theta)
            x = theta.clone().requires_grad_()
            slope, = torch.autograd.grad(predict(x).pow(3).sum(), x, create_graph=True)
            second, = torch.autograd.grad((slope * v).sum(), x)
        torch.testing.assert_close(found[0], torch.func.jvp(predict, (theta,), (v,))[1], atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(found[1], predict(theta), atol=1e-6, rtol=1e-6)
        x = theta.clone().requires_grad_()
        slope, = torch.autograd.grad(predict(x).pow(3).sum(), x, create_graph=True)
        torch.testing.assert_close(second, torch.autograd.grad((slope * v).sum(), x)[0], atol=1e-5, rtol=1e-5)

    def test_errors_are_those_of_the_core(self):
        wrong = torch.tensor([[0.0, float("nan")]])
        with ft.backend("triton"), self.assertRaisesRegex(ValueError, "is nan; scores must be finite"):
            ft.sparsemax(wrong)
        with ft.backend("triton", nan="propagate"):
            self.assertTrue(ft.sparsemax(wrong).isnan().all())


if __name__ == "__main__":
    unittest.main()
