# SPDX-License-Identifier: Apache-2.0
"""fenchel.torch among the rest of PyTorch: torch.compile, torch.library, DataLoader workers, pickles, state dicts."""
import copy
import io
import pickle
import subprocess
import sys
import unittest
import warnings

import fenchel

from torch_tensors import double, torch  # isort: skip

import fenchel.torch as ft

LABELS = torch.tensor([0, 2, -100, 4])
TSALLIS = fenchel.Tsallis(1.3)
SUBSETS, TREES = fenchel.KSubsets(5, 2), fenchel.Marginal(fenchel.Arborescence(4))


class Operators(unittest.TestCase):
    def test_registered_operators(self):
        theta, y, alpha = double(4, 5), LABELS, torch.tensor([1.0, 1.5, 1.5, 2.0], requires_grad=True)
        ops, fixed = torch.ops.fenchel, theta.detach()
        choice = '{"name": "marginal", "polytope": {"name": "simplex"}}'
        kept, sizes = torch.ones(4, 5, dtype=torch.bool), torch.full((4, 1), 5)
        for operator, inputs in ((ops.predict, (theta, "sparsemax")), (ops.predict, (theta, "norm:q=2")),
                                 (ops.conjugate, (theta, "entmax15")), (ops.loss, (theta, y, "entmax15", -100)),
                                 (ops.vjp, (fixed, fixed.softmax(-1), fixed, "shannon")),
                                 (ops.entmax, (theta, alpha)), (ops.entmax_loss, (theta, y, alpha, -100)),
                                 (ops.padded_predict, (theta, kept, sizes, choice)),
                                 (ops.padded_loss, (theta, fixed.softmax(-1), kept, sizes, choice)),
                                 (ops.soft, (theta, "soft_rank", 1.0, "l2", False)),
                                 (ops.soft_dtw, (double(2, 3, 4), 1.0, 0))):
            with self.subTest(operator=str(operator)):
                torch.library.opcheck(operator, inputs)

    def compiled(self, function, *inputs, backend):
        torch._dynamo.reset()
        results = []
        for call in (function, torch.compile(function, fullgraph=True, backend=backend)):
            copies = [x.detach().clone().requires_grad_(x.requires_grad) for x in inputs]
            result = call(*copies)
            result.square().sum().backward()
            results.append((result.detach(), [x.grad for x in copies if x.requires_grad]))
        torch.testing.assert_close(results[0], results[1])

    def test_compile(self):
        theta = torch.randn(4, 5, requires_grad=True)
        scores, heads = torch.randn(4, 2, 3, 5, requires_grad=True), ft.AdaptiveEntmax(2)
        crf, tags = ft.CRF(3, batch_first=True), torch.tensor([[0, 1], [2, 0]])
        mask = torch.tensor([[True, True], [True, False]])
        loss = ft.FenchelYoungLoss("entmax15", weight=torch.arange(1.0, 6.0))
        learned = ft.EntmaxLoss(ft.LearnableAlpha())
        modules = {"layer": ft.Sparsemax(), "object": lambda t: ft.predict(t, TSALLIS),
                   "half": lambda t: ft.entmax15(t.half()), "loss": lambda t: loss(t, LABELS),
                   "axis": lambda t: ft.entmax15(t, 0), "mask": lambda t: ft.softmax(t, mask=t.detach() > 0),
                   "learned": lambda t: learned(t, LABELS), "rank": ft.soft_rank,
                   "budget": lambda t: ft.budget_bisect(t, 2), "part": lambda t: ft.budget_bisect(t, 1.5),
                   "plan": lambda t: ft.sinkhorn(t, gamma=0.5), "sparsemap": lambda t: ft.sparsemap(t, SUBSETS),
                   "soft": lambda t: ft.loss(t, t.detach().softmax(-1).half(), "shannon"),
                   "natural": lambda t: ft.predict(t[:4, :4], TREES),
                   "structured": ft.Predict(fenchel.SparseMap(fenchel.KSubsets(5, 2)))}
        for name, function in modules.items():
            with self.subTest(name=name):
                self.compiled(function, theta, backend="aot_eager")
        with self.subTest(name="attention"):
            self.compiled(heads, scores, backend="eager")
        with self.subTest(name="crf"):
            self.compiled(lambda e: crf(e, tags, mask), torch.randn(2, 2, 3, requires_grad=True), backend="aot_eager")

    def test_jit_trace(self):
        """Traces call the registered operators: they compute, and do not keep what the call gave that was traced."""
        theta, other = torch.randn(3, 5), torch.randn(3, 5)
        loss, crf, tags = ft.FenchelYoungLoss("sparsemax"), ft.CRF(5, batch_first=True), torch.tensor([[0, 1, 2]])
        mask, shorter = torch.ones(1, 3, dtype=torch.bool), torch.tensor([[True, True, False]])
        calls = {"sparsemax": (ft.Sparsemax(), (theta,), (other,)), "entmax": (ft.Entmax(1.3), (theta,), (other,)),
                 "alpha": (ft.EntmaxBisect(torch.tensor(1.4)), (theta,), (other,)),
                 "budget": (ft.BudgetBisect(2), (theta,), (other,)), "rank": (ft.SoftRank(), (theta,), (other,)),
                 "plan": (ft.sinkhorn, (theta,), (other,)), "alignment": (ft.soft_dtw, (theta,), (other,)),
                 "loss": (lambda t: loss(t, torch.tensor([0, 1, 2])), (theta,), (other,)),
                 "crf": (crf, (theta[None], tags, mask), (other[None], tags, shorter))}
        for name, (function, first, second) in calls.items():
            for graph in (False, True):
                with self.subTest(name=name, graph=graph), torch.set_grad_enabled(graph), warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # torch.jit is deprecated; sizes become constants
                    traced = torch.jit.trace(function, first, check_trace=False)
                    torch.testing.assert_close(traced(*second), function(*second))

    def test_sizes_that_change_are_compiled_again(self):
        for function in (ft.sinkhorn, ft.budget_bisect):
            torch._dynamo.reset()
            compiled = torch.compile(function, fullgraph=True, backend="eager")
            for size in (2, 3, 4, 5):
                theta = torch.randn(size, size + 1)
                torch.testing.assert_close(compiled(theta), function(theta))

    def test_the_backward_graph_has_the_operator(self):
        seen = []

        def backend(module, inputs):
            from functorch.compile import make_boxed_func
            from torch._functorch.aot_autograd import aot_module_simplified

            def keep(graph, _):
                seen.extend(str(node.target) for node in graph.graph.nodes if "fenchel" in str(node.target))
                return make_boxed_func(graph.forward)

            return aot_module_simplified(module, inputs, fw_compiler=keep, bw_compiler=keep)

        torch._dynamo.reset()
        layer = torch.compile(ft.sparsemax, fullgraph=True, backend=backend)
        layer(torch.randn(3, 4, requires_grad=True)).sum().backward()
        self.assertEqual(seen, ["fenchel.predict.default", "fenchel.vjp.default"])


class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return ft.sparsemax(torch.arange(40000.0).reshape(-1, 4).sin() + index)


class Processes(unittest.TestCase):
    def test_workers(self):
        expected = [Data()[i] for i in range(8)]  # threads of this process are in use before the fork
        for method in ("fork", "spawn"):
            loader = torch.utils.data.DataLoader(Data(), num_workers=1, multiprocessing_context=method, timeout=120)
            for found, right in zip(loader, expected):
                self.assertTrue(torch.equal(found[0], right))

    def test_import_is_lazy(self):
        code = "import sys, fenchel; assert 'torch' not in sys.modules; import fenchel.torch"
        subprocess.run([sys.executable, "-c", code], check=True)


class Modules(unittest.TestCase):
    def test_copies_and_pickles(self):
        theta, y = torch.randn(4, 5), torch.tensor([0, 1, 2, 3])
        modules = [ft.Sparsemax(0), ft.Predict(TSALLIS), ft.Entmax(1.2), ft.Entmax(torch.full((4, 1), 1.3)),
                   ft.Normmax(2), ft.EntmaxBisect(1.4), ft.BudgetBisect(2), ft.SparseMAP(fenchel.KSubsets(5, 2)),
                   ft.SoftRank()]
        losses = [ft.FenchelYoungLoss("sparsemax", weight=torch.rand(5)), ft.EntmaxLoss(ft.LearnableAlpha()),
                  ft.Entmax15Loss()]
        for module in modules + losses:
            inputs = (theta, y) if module in losses else (theta,)
            file = io.BytesIO()
            torch.save(module, file)
            file.seek(0)
            loaded = torch.load(file, weights_only=False)
            for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module)), loaded):
                self.assertTrue(torch.equal(other(*inputs), module(*inputs)))
            self.assertIn(type(module).__name__, repr(module))

    def test_state_dictionaries(self):
        loss = ft.FenchelYoungLoss("sparsemax", weight=torch.rand(5))
        other = ft.FenchelYoungLoss("sparsemax", weight=torch.zeros(5))
        other.load_state_dict(loss.state_dict())
        self.assertTrue(torch.equal(other.weight, loss.weight))
        self.assertEqual(list(ft.CRF(3).state_dict()), ["start_transitions", "end_transitions", "transitions"])

    def test_every_exported_name(self):
        for name in ft.__all__:
            self.assertTrue(getattr(ft, name).__doc__, name)


if __name__ == "__main__":
    unittest.main()
