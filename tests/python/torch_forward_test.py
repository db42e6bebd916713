# SPDX-License-Identifier: Apache-2.0
"""fenchel.torch in forward mode: every public function and module has the right tangents, or says that it has none."""
import unittest

import fenchel

from torch_tensors import double, torch  # isort: skip

import fenchel.torch as ft
from torch.autograd import forward_ad, gradcheck
from torch.func import jacfwd, jvp

LABELS = torch.tensor([0, 2, -100, 4])
TREE, SUBSETS = fenchel.Arborescence(3), fenchel.KSubsets(5, 2)
Y = double(4, 5).detach().softmax(-1)
LISTS = (torch.tensor([1.0, 0, 0], dtype=torch.float64), torch.tensor([0.0, 1.0], dtype=torch.float64))


CRFS = [ft.CRF(3, batch_first=True, omega=omega).double() for omega in ("crf", "sparsemap")]
OUTSIDE = ("loss[4]", "predict[2]")  # lists of examples, which torch.func refuses
HEADS = ft.AdaptiveEntmax(2, torch.tensor([1.3, 1.7])).double()
ALPHA = ft.LearnableAlpha().double()


def crf(layer, theta):
    emissions = theta.reshape(-1)[:18].reshape(2, 3, 3)
    return layer(emissions, torch.tensor([[0, 1, 2], [2, 2, 0]]), torch.tensor([[1, 1, 1], [1, 1, 0]]).bool())


def parts(function):
    """A function of lists as one of rows: five scores are an example of three and one of two."""
    return lambda t: function([t[0, :3], t[0, 3:]])


def in_tensors(t):
    """A prediction in tensor operations."""
    with ft.backend("tensor"):
        return ft.entmax(t, 1.3)


# What is called with scores [4, 5], for each name; several under one name make a list.
ROWS = {
    "AdaptiveEntmax": lambda t: HEADS(t.reshape(2, 2, 5)),
    "backend": in_tensors, "BudgetBisect": ft.BudgetBisect(2), "Entmax": ft.Entmax(1.3), "Entmax15": ft.Entmax15(0),
    "Entmax15Loss": lambda t: ft.Entmax15Loss()(t, LABELS), "EntmaxBisect": ft.EntmaxBisect(torch.tensor(1.3)),
    "EntmaxBisectLoss": lambda t: ft.EntmaxBisectLoss(torch.tensor(1.3).double())(t, LABELS),
    "EntmaxLoss": [lambda t: ft.EntmaxLoss(ALPHA)(t, LABELS),
                   lambda t: ft.EntmaxLoss(1.2, weight=torch.arange(5.0))(t, LABELS)],
    "FenchelYoungLoss": [lambda t: ft.FenchelYoungLoss("sparsemax", reduction="sum")(t, LABELS),
                         lambda t: ft.FenchelYoungLoss("norm:q=2").predict(t)],
    "Normmax": ft.Normmax(2), "NormmaxBisect": ft.NormmaxBisect(2), "Predict": ft.Predict("renyi:beta=0.5"),
    "NormmaxBisectLoss": lambda t: ft.NormmaxBisectLoss()(t, LABELS), "Softmax": ft.Softmax(),
    "SoftDTW": lambda t: ft.SoftDTW()(t.reshape(2, 5, 2), Y.reshape(2, 5, 2)),
    "SoftRank": [ft.SoftRank(), ft.SoftRank("kl", 0.5, "descending", 0)],
    "SoftSort": [ft.SoftSort(), ft.SoftSort("kl", 0.5, "descending"), ft.SoftSort("kl", 2.0, dim=0),
                 ft.SoftSort(regularization_strength=3.0, direction="descending")],
    "SparseMAP": ft.SparseMAP(SUBSETS), "SparseSigmoid": ft.SparseSigmoid(), "Sparsemax": ft.Sparsemax(),
    "SparsemaxBisect": ft.SparsemaxBisect(), "SparsemaxBisectLoss": lambda t: ft.SparsemaxBisectLoss()(t, LABELS),
    "SparsemaxLoss": lambda t: ft.SparsemaxLoss()(t, LABELS),
    "StructuredLoss": [lambda t: ft.StructuredLoss("permutahedron", "entropic")(t, torch.arange(5.0).expand(4, 5) + 1),
                       lambda t: ft.StructuredLoss("permutahedron", "sparsemap").predict(t, [5, 4, 5, 3])],
    "StructuredPredict": [ft.StructuredPredict("permutahedron", "entropic"),
                          lambda t: ft.StructuredPredict("k_subsets", "marginal", k=2)(t, [5, 4, 5, 3])],
    "budget_bisect": [ft.budget_bisect, lambda t: ft.budget_bisect(t, torch.tensor([[1.0], [1.5], [2.0], [1.0]]))],
    "conjugate": [lambda t: ft.conjugate(t, "tsallis:alpha=1.5"), lambda t: ft.conjugate(t, "renyi:beta=0.5", 0)],
    "entmax": [ft.entmax, lambda t: ft.entmax(t, t.detach()[:, :1].sigmoid() + 1),
               lambda t: ft.entmax(t, t[:, :1].sigmoid() + 1)],
    "entmax15": [ft.entmax15, lambda t: ft.entmax15(t, mask=torch.arange(5) > 1)],
    "entmax15_loss": lambda t: ft.entmax15_loss(t, Y), "entmax_bisect": ft.entmax_bisect,
    "entmax_bisect_loss": lambda t: ft.entmax_bisect_loss(t, LABELS),
    "entmax_loss": [lambda t: ft.entmax_loss(t, LABELS, t[:, :1].sigmoid() + 1, reduction="none"),
                    lambda t: ft.entmax_loss(t, Y, t[:, :1].sigmoid() + 1),
                    lambda t: ft.entmax_loss(t.detach(), t.softmax(-1), torch.tensor(1.4).double())],
    "loss": [lambda t: ft.loss(t, LABELS, "shannon"), lambda t: ft.loss(t, Y, "norm:q=2", reduction="none"),
             lambda t: ft.loss(t, t.flip(0).softmax(-1), "shannon"), lambda t: ft.loss(t, t.detach().argmax(0), "sparsemax", 0),
             parts(lambda t: ft.loss(t, LISTS, ["sparsemax", "shannon"], reduction="none"))],
    "normmax": ft.normmax, "normmax_bisect": [lambda t: ft.normmax_bisect(t, torch.tensor([[2.0], [3.0], [2.0], [1.5]]))],
    "normmax_bisect_loss": lambda t: ft.normmax_bisect_loss(t, LABELS),
    "predict": [lambda t: ft.predict(t, fenchel.Tsallis(1.5)), lambda t: ft.predict(t, "sigmoid", 0),
                parts(lambda t: torch.cat(ft.predict(t, ["sparsemax", "shannon"])))],
    "sigmoid": ft.sigmoid, "sinkhorn": lambda t: ft.sinkhorn(t, gamma=0.5), "soft_dtw": ft.soft_dtw,
    "soft_rank": ft.soft_rank, "soft_sort": ft.soft_sort, "softmax": ft.softmax, "sparse_sigmoid": ft.sparse_sigmoid,
    "sparsemap": [lambda t: ft.sparsemap(t, SUBSETS), lambda t: ft.sparsemap(t[:3, :3], TREE)],
    "sparsemax": ft.sparsemax, "sparsemax_bisect": ft.sparsemax_bisect,
    "sparsemax_bisect_loss": lambda t: ft.sparsemax_bisect_loss(t, LABELS),
    "sparsemax_loss": lambda t: ft.sparsemax_loss(t, LABELS),
    "CRF": [lambda t: crf(CRFS[0], t), lambda t: crf(CRFS[1], t)],
    # Its only input is its parameter.
    "LearnableAlpha": lambda t: torch.func.functional_call(ft.LearnableAlpha(5), {"z": t[0]}, ()),
}


def cases():
    for name, functions in ROWS.items():
        for i, function in enumerate(functions if isinstance(functions, list) else [functions]):
            yield f"{name}[{i}]", function


def tangent(function, *duals):
    with forward_ad.dual_level():
        return forward_ad.unpack_dual(function(*[forward_ad.make_dual(*dual) for dual in duals])).tangent


class Tangents(unittest.TestCase):
    def test_every_public_name_has_a_case(self):
        models = {"AttentionWeights", "LengthScale", "check_attention", "learn_attention", "load_attention",
                  "register_attention"}  # of transformers: tests/frameworks/transformers_test.py
        self.assertEqual(sorted({*ROWS, *models}), sorted(ft.__all__))

    def test_they_are_those_of_reverse_mode(self):
        theta, v = double(4, 5).detach(), double(4, 5, seed=1).detach()
        for name, function in cases():
            with self.subTest(name=name):
                jacobian = torch.autograd.functional.jacobian(function, theta)
                expected = (jacobian * v).sum((-2, -1))
                for start in (theta, theta.clone().requires_grad_()):
                    found = tangent(function, (start, v))
                    self.assertIsNotNone(found)
                    torch.testing.assert_close(found, expected)
                with torch.no_grad():
                    torch.testing.assert_close(tangent(function, (theta, v)), expected)
                if name not in OUTSIDE:
                    torch.testing.assert_close(jvp(function, (theta,), (v,))[1], expected)
                    torch.testing.assert_close(jacfwd(function)(theta), jacobian)

    def test_half_precision_and_parameters(self):
        theta, v = double(4, 5).detach().half(), double(4, 5, seed=1).detach().half()
        found = tangent(lambda t: ft.loss(t, LABELS, "entmax15"), (theta, v))
        self.assertEqual(found.dtype, torch.float16)
        alpha = torch.tensor(1.4, dtype=torch.float64)
        self.assertTrue(gradcheck(lambda a: ft.entmax(double(4, 5).detach(), a), alpha.requires_grad_(),
                                  check_forward_ad=True))

    def test_subclasses_of_tensors(self):
        class Own(torch.Tensor):
            pass

        theta, v = double(4, 5).detach(), double(4, 5, seed=1).detach()
        found = tangent(ft.softmax, (theta.as_subclass(Own), v.as_subclass(Own)))
        torch.testing.assert_close(found.as_subclass(torch.Tensor), tangent(ft.softmax, (theta, v)))

    def test_second_derivatives(self):
        theta, v = double(4, 5).detach(), double(4, 5, seed=1).detach()
        functions = {"prediction": lambda t: ft.entmax15(t).square().sum(), "loss": lambda t: ft.loss(t, LABELS, "norm:q=2"),
                     "conjugate": lambda t: ft.conjugate(t, "shannon").sum(),
                     "map": lambda t: ft.sparsemap(t, SUBSETS).square().sum(),
                     "alpha": lambda t: ft.entmax_loss(t, LABELS, t[:, :1].sigmoid() + 1),
                     "structured": lambda t: ft.StructuredPredict("permutahedron")(t).square().sum(),
                     "ranks": lambda t: ft.soft_rank(t, "kl").square().sum(),
                     "sorted": lambda t: ft.soft_sort(t, "kl").square().sum(),
                     "alignment": lambda t: ft.soft_dtw(t, 0.5).square(),
                     "plan": lambda t: ft.sinkhorn(t).square().sum(),
                     "marginals": lambda t: ft.StructuredPredict("alignment", "marginal")(t[None]).square().sum()}
        for name, function in functions.items():
            with self.subTest(name=name):
                expected = torch.autograd.functional.hvp(function, theta, v)[1]
                torch.testing.assert_close(jvp(torch.func.grad(function), (theta,), (v,))[1], expected)
                along = torch.func.grad(lambda t, f=function: jvp(f, (t,), (v,))[1])(theta)
                torch.testing.assert_close(along, expected)

                def slope(start, f=function):  # reverse mode without a graph, at a point that has a tangent
                    return torch.autograd.grad(f(start), start)[0]

                torch.testing.assert_close(tangent(slope, (theta.clone().requires_grad_(), v)), expected)


class Refusals(unittest.TestCase):
    def test_second_derivatives_that_are_not_known(self):
        theta = double(4, 5).detach()
        for function in (lambda t: ft.soft_rank(t, "burg"), lambda t: ft.predict(t, fenchel.Marginal(SUBSETS)),
                         ft.StructuredPredict("k_subsets", "marginal", k=2)):
            for twice in (torch.func.grad(lambda t, f=function: jvp(f, (t,), (theta,))[1].sum()),
                          lambda t, f=function: jvp(torch.func.grad(lambda s: f(s).sum()), (t,), (theta,)),
                          lambda t, f=function: torch.autograd.functional.hvp(lambda s: f(s).square().sum(), t, theta)):
                with self.assertRaisesRegex(RuntimeError, "second derivative"):
                    twice(theta)
        with self.assertRaisesRegex(RuntimeError, "second derivative"):
            start = theta.clone().requires_grad_()
            tangent(parts(lambda t: torch.cat(ft.predict(t, "shannon"))), (start, theta)).sum().backward()

    def test_tangents_of_tangents(self):
        theta = double(4, 5).detach()
        for name, function in cases():
            if name not in OUTSIDE and not name.startswith(("backend", "sigmoid", "LearnableAlpha")):  # operators of torch itself
                with self.subTest(name=name), ft.backend("core"), self.assertRaisesRegex(RuntimeError, "tangents of"):
                    jvp(lambda t, f=function: jvp(f, (t,), (theta,))[1], (theta,), (theta,))

    def test_arguments_that_are_constants(self):
        theta, ones = double(4, 5).detach(), torch.ones(5, dtype=torch.float64)
        masses = torch.full((5,), 0.2, dtype=torch.float64)
        alpha = torch.tensor(2.0, dtype=torch.float64)
        y = torch.eye(5, dtype=torch.float64)[:2]
        for name, function, dual in (
                ("b", lambda b: ft.sinkhorn(theta, b=b), (masses, ones)),
                ("alpha", lambda a: ft.normmax_bisect(theta, a), (alpha, alpha)),
                ("budget", lambda b: ft.budget_bisect(theta, b), (alpha, alpha)),
                ("y", lambda y: ft.StructuredLoss("simplex")(theta[:2], y), (y, y)),
                (r"y\[0\]", lambda y: ft.loss([theta[0], theta[1]], [y[0], y[1]], "shannon"), (y, y))):
            with self.subTest(name=name), self.assertRaisesRegex(RuntimeError, f"{name} has a tangent"):
                tangent(function, dual)

    def test_traced_operators(self):
        theta = double(4, 5).detach()
        for function in (lambda t: jvp(ft.sparsemax, (t,), (t,))[1],
                         lambda t: tangent(ft.sparsemax, (t, torch.ones_like(t)))):
            torch._dynamo.reset()
            with ft.backend("core"), self.assertRaisesRegex(RuntimeError, "forward-mode"):
                torch.compile(function, backend="eager")(theta)
        torch._dynamo.reset()
        compiled = torch.compile(ft.sparsemax, backend="aot_eager")
        torch.testing.assert_close(compiled(theta), ft.sparsemax(theta))
        # Not the graph that was made before, but tensor operations.
        torch.testing.assert_close(tangent(compiled, (theta, theta)), tangent(ft.sparsemax, (theta, theta)))
        with self.assertRaisesRegex(RuntimeError, "forward-mode"):
            tangent(lambda t: torch.ops.fenchel.predict(t, "sparsemax"), (theta, theta))


if __name__ == "__main__":
    unittest.main()
