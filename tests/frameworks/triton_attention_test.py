# SPDX-License-Identifier: Apache-2.0
"""fenchel.triton.entmax_attention in Triton's interpreter: against dense attention, and that blocks of keys are skipped."""
import inspect
import sys
import types
import unittest
from unittest import mock

from triton_interpreter import PLACE, failures, torch, triton

from fenchel.triton import _adasplash, _attention, _checks  # isort: skip

attend = triton.entmax_attention
NAN = float("nan")


def tensors(n, m, *, batch=1, heads=1, key_heads=1, width=8, scale=1.0, seed=0):
    generator = torch.Generator().manual_seed(seed)
    shapes = ((batch, heads, n, width), (batch, key_heads, m, width), (batch, key_heads, m, width))
    return [factor * torch.randn(shape, generator=generator) for factor, shape in zip((scale, 1, 1), shapes)]


class AgainstDense(unittest.TestCase):
    def check(self, alpha, causal, masked, n, m, **further):
        self.assertEqual(failures(_checks.attention_case(PLACE, alpha, causal, masked, n, m, **further)), [])

    def test_alphas_with_masks(self):
        for alpha in (1.0, 1.3, 1.5, 2.0):
            self.check(alpha, alpha != 1.3, alpha != 1.5, 20, 37)

    def test_sizes(self):
        for n, m, causal in ((1, 1, True), (1, 40, True), (40, 7, True), (70, 35, False), (33, 65, True)):
            self.check(1.5, causal, False, n, m)

    def test_types(self):
        for dtype in (torch.float16, torch.bfloat16):
            self.check(1.5, True, False, 20, 37, dtype=dtype)

    def test_widths(self):
        for width in (1, 3, 70, 130):
            self.check(1.5, False, False, 9, 20, width=width)

    def test_strides(self):
        query, key, value = tensors(20, 20, heads=2, key_heads=2)
        expected = attend(query, key, value, causal=True)
        shuffled = [tensor.transpose(1, 2).contiguous().transpose(1, 2) for tensor in (query, key, value)]
        turned = [tensor.mT.contiguous().mT for tensor in (query, key, value)]
        for given in (shuffled, turned):
            ours = [tensor.requires_grad_() for tensor in given]
            found = attend(*ours, causal=True)
            torch.testing.assert_close(found, expected)
            found.transpose(1, 2).contiguous().sum().backward()

    def test_what_a_query_may_not_see_changes_nothing(self):
        query, key, value = tensors(40, 40)
        before = attend(query, key, value, causal=True)
        key[:, :, 25:], value[:, :, 25:] = 100, 100
        self.assertTrue(torch.equal(attend(query, key, value, causal=True)[:, :, :25], before[:, :, :25]))
        mask = torch.arange(40)[None] < 25
        before = attend(query, key, value, key_mask=mask)
        key[:, :, 25:], value[:, :, 25:] = -100, 7
        self.assertTrue(torch.equal(attend(query, key, value, key_mask=mask), before))

    def test_a_query_that_sees_nothing_gets_zeros(self):
        query, key, value = [tensor.requires_grad_() for tensor in tensors(5, 3)]
        out = attend(query, key, value, causal=True)  # the first two come before all keys
        self.assertEqual(out[0, 0, :2].abs().max(), 0)
        self.assertGreater(out[0, 0, 2:].abs().min(), 0)
        out = attend(query, key, value, key_mask=torch.zeros(1, 3, dtype=torch.bool))
        gradients = torch.autograd.grad(out.sum(), (query, key, value))
        self.assertEqual([tensor.abs().max() for tensor in (out, *gradients)], [0] * 4)
        self.assertEqual(attend(query[:, :, :0], key, value).shape, (1, 1, 0, 8))
        self.assertEqual(attend(query, key[:, :, :0], value[:, :, :0]).abs().max(), 0)


class Blocks(unittest.TestCase):
    def test_blocks_without_mass_are_skipped(self):
        self.assertEqual(failures(_checks.skipping(PLACE)), [])
        query, key, value = tensors(64, 70, scale=0.1)
        for alpha in (1.0, 2.0):  # nearly equal scores
            setting = _attention.Setting(alpha, False, 0.1)
            self.assertEqual(_attention.forward(query, key, value, None, setting, False)[3].min(), 1)

    def test_skipped_blocks_are_not_read(self):
        query = 40 * torch.nn.functional.one_hot(torch.arange(64) // 32, 16).float()[None, None]
        key, value = query.clone(), torch.randn(1, 1, 64, 16)
        setting = _attention.Setting(1.5, False, 1.0)
        _, state, means, mass = _attention.forward(query, key, value, None, setting, True)
        self.assertEqual(mass.tolist(), [[[1, 0], [0, 1]]])
        value[:, :, 32:] = NAN  # the values of the second block concern the queries of the second alone
        out = _attention.forward(query, key, value, None, setting, True)[0]
        self.assertEqual(out.isnan().any(-1).flatten().tolist(), [False] * 32 + [True] * 32)

    def test_skipped_blocks_are_not_read_backward(self):
        query = 40 * torch.nn.functional.one_hot(torch.arange(64) // 32, 16).float()[None, None]
        query, key, value = (tensor.requires_grad_() for tensor in (query, query.clone(), torch.randn(1, 1, 64, 16)))
        out = attend(query, key, value, scale=1.0)
        value.data[:, :, 32:] = NAN
        gradients = torch.autograd.grad(out.sum(), (query, key))
        for gradient in gradients:
            self.assertEqual(gradient.isnan().any(-1).flatten().tolist(), [False] * 32 + [True] * 32)

    def test_memory(self):
        n, largest = 256, 0

        class Sizes(torch.utils._python_dispatch.TorchDispatchMode):
            def __torch_dispatch__(self, function, types, args=(), kwargs=None):
                nonlocal largest
                out = function(*args, **(kwargs or {}))
                made = [one for one in torch.utils._pytree.tree_leaves(out) if isinstance(one, torch.Tensor)]
                largest = max([largest, *(one.numel() for one in made)])
                return out

        query, key, value = [tensor.requires_grad_() for tensor in tensors(n, n)]
        kernels = {name: mock.MagicMock() for name in ("bounds", "occupied", "attend")}  # which allocate nothing
        with Sizes(), mock.patch.multiple(_attention, **kernels):
            attend(query, key, value)
        self.assertLessEqual(largest, n * 8)


class BadInput(unittest.TestCase):
    def test_nan_stays_in_its_row(self):
        query, key, value = tensors(20, 20)
        query[0, 0, 3] = NAN
        query.requires_grad_()
        out = attend(query, key, value)
        self.assertEqual(out.isnan().any(-1).flatten().nonzero().tolist(), [[3]])
        out.sum().backward()
        self.assertEqual(query.grad.isnan().all(-1).flatten().nonzero().tolist(), [[3]])

    def test_second_derivatives_are_refused(self):
        query, key, value = [tensor.requires_grad_() for tensor in tensors(3, 3)]
        with self.assertRaisesRegex(RuntimeError, "second derivatives of entmax_attention are not available"):
            torch.autograd.grad(attend(query, key, value).sum(), query, create_graph=True)

    def test_errors(self):
        query, key, value = tensors(3, 4, heads=2, key_heads=2)
        for error, text, call in (
                (ValueError, r"query has shape \(2, 3, 8\); expected \[batch", lambda: attend(query[0], key, value)),
                (TypeError, "query has dtype torch.float64", lambda: attend(query.double(), key, value)),
                (ValueError, "key is torch.float16 on cpu; expected torch.float32", lambda: attend(query, key.half(), value)),
                (ValueError, "key has shape", lambda: attend(query, key[..., :5], value)),
                (ValueError, "key has shape .* divide 2", lambda: attend(query, *tensors(3, 4, heads=3, key_heads=3)[1:])),
                (ValueError, "value has shape", lambda: attend(query, key, value[:, :, :2])),
                (ValueError, "a last axis from 1 to 256", lambda: attend(*tensors(2, 2, width=300))),
                (TypeError, "key_mask is torch.float32; expected a tensor of bool",
                 lambda: attend(query, key, value, key_mask=torch.ones(1, 4))),
                (ValueError, r"key_mask has shape \(4,\); expected \(1, 4\)",
                 lambda: attend(query, key, value, key_mask=torch.ones(4, dtype=torch.bool))),
                (ValueError, "alpha is 3", lambda: attend(query, key, value, 3)),
                (ValueError, "scale is nan", lambda: attend(query, key, value, scale=NAN)),
                (ValueError, "implementation is 'flash'", lambda: attend(query, key, value, implementation="flash"))):
            with self.subTest(text), self.assertRaisesRegex(error, text):
                call()


class Cuda(torch.Tensor):
    """A tensor that says that it is on a CUDA device."""

    @property
    def is_cuda(self):
        return True


class Adasplash(unittest.TestCase):
    """adasplash needs CUDA: its own signature, and what is passed to it."""

    def stand_in(self):
        given = {}

        def adasplash(q, k, v, alpha=1.5, is_causal=True, varlen=None, niter=None):
            given.update(alpha=alpha, is_causal=is_causal, varlen=None if varlen is None else varlen.tolist())
            mask = None if varlen is None else torch.arange(k.shape[2])[None] < varlen[:, None]
            return _checks.dense_attention(*(tensor.as_subclass(torch.Tensor) for tensor in (q, k, v)), alpha, is_causal, mask)

        module = types.ModuleType("adasplash")
        module.adasplash = adasplash
        return mock.patch.dict(sys.modules, {"adasplash": module}), given

    def test_what_it_is_given(self):
        query, key, value = (tensor.as_subclass(Cuda) for tensor in tensors(12, 12, batch=2, width=16))
        context, given = self.stand_in()
        mask = torch.arange(12)[None] < torch.tensor([[12], [5]])
        with context:
            for alpha, causal, key_mask, lengths in ((1.5, False, None, [12, 12]), (1.3, True, mask, [12, 5])):
                found = attend(query, key, value, alpha, causal=causal, key_mask=key_mask, implementation="adasplash")
                self.assertEqual(given, {"alpha": alpha, "is_causal": causal, "varlen": lengths})
                torch.testing.assert_close(found, attend(*(one.as_subclass(torch.Tensor) for one in (query, key, value)), alpha,
                                                         causal=causal, key_mask=key_mask))
            attend(query[:, :, :8], key[:, :, :8], value[:, :, :8], implementation="adasplash")
            self.assertIsNone(given["varlen"])

    def test_what_it_cannot_do(self):
        query, key, value = (tensor.as_subclass(Cuda) for tensor in tensors(12, 12, width=16))
        context, _ = self.stand_in()
        with context:
            for text, call in (
                    ("expected more than 1", {"alpha": 1.0}), ("scale is 0.3", {"scale": 0.3}),
                    ("padding that is not at the end", {"key_mask": torch.arange(12)[None] > 3})):
                with self.subTest(text), self.assertRaisesRegex(ValueError, text):
                    attend(query, key, value, **{"implementation": "adasplash", **call})
            with self.assertRaisesRegex(ValueError, "key has 5 places; expected 12"):
                attend(query, key[:, :, :5], value[:, :, :5], implementation="adasplash")
            with self.assertRaisesRegex(ValueError, "query is on cpu; expected a CUDA device"):
                attend(*tensors(4, 4, width=16), implementation="adasplash")

    def test_missing(self):
        with mock.patch.dict(sys.modules, {"adasplash": None}), self.assertRaisesRegex(ImportError, "pip install adasplash"):
            attend(*tensors(4, 4, width=16), implementation="adasplash")

    def test_signature(self):
        try:
            package = _adasplash._package()
        except ImportError as error:
            self.skipTest(str(error))
        inspect.signature(package.adasplash).bind(None, None, None, alpha=1.5, is_causal=True, varlen=None)


if __name__ == "__main__":
    unittest.main()
