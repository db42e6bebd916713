# SPDX-License-Identifier: Apache-2.0
"""fenchel.torch over structures: trees, matchings, alignments, rankings; padded and as lists."""
import math
import unittest
import warnings

import fenchel
import numpy as np

from torch_tensors import double, torch  # isort: skip

import fenchel.torch as ft
from torch.autograd import gradcheck, gradgradcheck

try:
    import torch_struct
except ImportError:
    torch_struct = None


SETS = [("arborescence", (4, 4), {}), ("arborescence", (4, 4), {"single_root": True}), ("projective_tree", (4, 4), {}),
        ("birkhoff", (4, 4), {}), ("alignment", (3, 4), {}), ("sequence", (4, 2, 2), {"m": 2}),
        ("permutahedron", (4,), {}),
        ("simplex", (4,), {}), ("k_subsets", (4,), {"k": 2})]


def lengths_of(structure, shape):
    return torch.tensor([[3, 4], [2, 3]]) if structure == "alignment" else torch.tensor([shape[0], shape[0] - 1])


class Structures(unittest.TestCase):
    def test_each_example_is_that_of_its_own_size(self):
        for structure, shape, parameters in SETS:
            scores, lengths = double(2, *shape), lengths_of(structure, shape)
            layer = ft.StructuredPredict(structure, "sparsemap", **parameters)
            with self.subTest(structure=structure, **parameters):
                found = layer(scores, lengths)
                inside = scores[1][tuple(slice(int(n)) for n in lengths[1].reshape(-1))]
                if structure in ("arborescence", "birkhoff", "projective_tree"):
                    inside = scores[1, :3, :3]
                omega = {"name": "sparsemap", "polytope": polytope_spec(structure, parameters, lengths[1])}
                expected = ft.predict(inside.reshape(-1), omega)
                whole = torch.zeros(shape, dtype=torch.float64)
                whole[tuple(slice(n) for n in inside.shape)] = expected.reshape(inside.shape)
                torch.testing.assert_close(found[1], whole)
                self.assertTrue(gradcheck(lambda s: layer(s, lengths), scores))
                self.assertTrue(gradgradcheck(lambda s: layer(s, lengths), scores))

    def test_half_precision(self):
        """Scores of half precision come back as such; under autocast losses are float32, and sums always are first."""
        scores, y = double(64, 3, 2, 2).detach(), torch.zeros(64, 3, dtype=torch.int64)
        half = scores.bfloat16()
        for omega in ("crf", "sparsemap", "hinge", "perceptron"):
            for reduction in ("none", "sum", "mean"):
                loss = ft.StructuredLoss("sequence", omega, reduction)
                wanted = loss(half.float(), y)
                self.assertEqual(loss(half, y).dtype, torch.bfloat16)
                torch.testing.assert_close(loss(half, y), wanted.bfloat16())
                with torch.autocast("cpu", torch.bfloat16):
                    torch.testing.assert_close(loss(half, y), wanted)

    def test_losses(self):
        for structure, shape, parameters in SETS:
            for omega in ("crf", "sparsemap", "hinge", "perceptron"):
                if omega == "crf" and structure in ("birkhoff", "permutahedron"):
                    continue  # no marginals: a permanent
                scores, lengths = double(2, *shape), lengths_of(structure, shape)
                loss = ft.StructuredLoss(structure, omega, "none", **parameters)
                y = loss.layer.map(double(2, *shape, seed=5), lengths)
                with self.subTest(structure=structure, omega=omega):
                    losses = loss(scores, y, lengths)
                    found = unclamped(structure, omega, parameters, scores[0].detach().numpy(), y[0].numpy())
                    self.assertGreaterEqual(found, -1e-9)
                    self.assertAlmostEqual(losses[0].item(), found, delta=1e-7)
                    self.assertTrue(gradcheck(lambda s: loss(s, y, lengths), scores))
                    at_truth = loss(50 * (2 * y - 1) if structure != "permutahedron" else 50 * y, y, lengths)
                    torch.testing.assert_close(at_truth, torch.zeros(2, dtype=torch.float64), atol=1e-8, rtol=0)

    def test_labels_and_decoding(self):
        heads = torch.tensor([[-1, 0, 0, 2], [1, -1, 1, 0]])
        scores, lengths = double(2, 4, 4), torch.tensor([4, 3])
        loss = ft.StructuredLoss("arborescence", "crf", "sum", single_root=True)
        y = loss.layer.encode(heads, (2, 4, 4), lengths)
        torch.testing.assert_close(loss(scores, heads, lengths), loss(scores, y, lengths))
        self.assertEqual(loss.decode(10 * y, lengths), [[-1, 0, 0, 2], [1, -1, 1]])
        matching = ft.StructuredPredict("birkhoff")
        self.assertEqual(matching.decode(torch.eye(3)[[2, 0, 1]][None]), [[2, 0, 1]])

    def test_every_short_form(self):
        cells = torch.tensor([[[0, 0], [1, 1], [1, 2], [2, 3]], [[0, 0], [1, 1], [1, 2], [-1, -1]]])
        cases = [("simplex", (4,), {}, torch.tensor([2, 0]), None),
                 ("k_subsets", (4,), {"k": 2}, torch.tensor([[0, 3], [2, 1]]), None),
                 ("permutahedron", (3,), {}, torch.tensor([[1, 0, 2], [1, 0, -9]]), [3, 2]),
                 ("permutahedron", (3,), {"w": [10, 5, 1]}, torch.tensor([[1, 0, 2], [2, 1, 0]]), None),
                 ("alignment", (3, 4), {}, cells, torch.tensor([[3, 4], [2, 3]])),
                 ("alignment", (2, 2), {}, cells[:, :2], None),
                 ("sequence", (4, 2, 2), {}, torch.tensor([[0, 1, 1, 0], [1, 1, 0, -100]]), [4, 3])]
        for structure, shape, parameters, short, lengths in cases:
            with self.subTest(structure=structure, **parameters):
                loss = ft.StructuredLoss(structure, "sparsemap", "none", **parameters)
                scores = double(2, *shape)
                y = loss.layer.encode(short, (2, *shape), lengths)
                torch.testing.assert_close(loss(scores, short, lengths), loss(scores, y, lengths))
                torch.testing.assert_close(loss.layer.map(50 * y, lengths), y)
        loss = ft.StructuredLoss("permutahedron", "sparsemap", "none")
        vectors = torch.tensor([[2, 1, 0], [1, 2, 0]])  # padded with 0: no ranks
        torch.testing.assert_close(loss(double(2, 3), vectors, [2, 2]), loss(double(2, 3), vectors.double(), [2, 2]))
        for structure, shape, parameters, y, message in (
                ("cube", (4,), {}, torch.tensor([[0, 2], [1, 3]]), "expected vectors of shape"),
                ("permutahedron", (3,), {"w": [2, 1, 0]}, torch.tensor([[0, 1, 2], [2, 1, 0]]), "vectors of real"),
                ("simplex", (4,), {}, torch.tensor([1, 2, 3]), "expected \\[batch\\], classes"),
                ("arborescence", (4, 4), {}, torch.tensor([[-1, 0, 0, 0]] * 3), "expected \\[batch, n\\]")):
            with self.subTest(message=message), self.assertRaisesRegex(ValueError, message):
                ft.StructuredLoss(structure, **parameters)(torch.randn(2, *shape), y)

    def test_scores_of_several_parts_are_refused(self):
        with self.assertRaisesRegex(ValueError, "structure is 'chain', .*the module CRF"):
            ft.StructuredPredict("chain", m=2)

    def test_weights_of_rankings(self):
        scores = torch.tensor([[0.0, 9.0, -9.0], [9.0, 0.0, -9.0]])
        for w in ([10, 5, 1], np.array([10.0, 5.0, 1.0]), torch.tensor([10, 5, 1])):
            layer = ft.StructuredPredict("permutahedron", "map", w=w)
            self.assertEqual(layer(scores).tolist(), [[5, 10, 1], [10, 5, 1]])
        self.assertEqual(layer.decode(scores), [[1, 0, 2], [0, 1, 2]])
        loss = ft.StructuredLoss("permutahedron", "perceptron", "none", w=[10, 5, 1])
        torch.testing.assert_close(loss(scores, torch.tensor([[10.0, 5, 1]] * 2)), torch.tensor([45.0, 0]))
        with self.assertRaisesRegex(ValueError, "has 2 entries; expected 3, as w"):
            layer(scores, torch.tensor([3, 2]))

    def test_no_examples(self):
        for structure, shape, parameters in SETS:
            with self.subTest(structure=structure):
                scores = torch.zeros(0, *shape, requires_grad=True)
                loss = ft.StructuredLoss(structure, "sparsemap", **parameters)
                value = loss(scores, torch.zeros(0, *shape))
                grad, = torch.autograd.grad(value, scores, create_graph=True)
                self.assertEqual((value.item(), grad.shape), (0, scores.shape))
                self.assertEqual((loss.predict(scores).shape, loss.decode(scores)), (scores.shape, []))

    def test_states_are_counted_from_the_scores(self):
        scores, tags = double(2, 4, 3, 3), torch.tensor([[0, 1, 2, 0], [2, 2, 1, 1]])
        torch.testing.assert_close(ft.StructuredLoss("sequence")(scores, tags),
                                   ft.StructuredLoss("sequence", m=3)(scores, tags))
        for loss in (ft.StructuredLoss("sequence", m=2), ft.StructuredLoss("sequence")):
            with self.assertRaisesRegex(ValueError, "n, m, m"):
                loss(scores if loss.layer.parameters_of_set else scores[..., :2], tags)

    def test_natural_shapes(self):
        trees = fenchel.Arborescence(3)
        theta, y = double(2, 3, 3), ft.predict(double(2, 3, 3, seed=1).detach(), fenchel.Map(trees))
        omega = fenchel.Marginal(trees)
        torch.testing.assert_close(ft.predict(theta, omega).flatten(1), ft.predict(theta.flatten(1), omega))
        torch.testing.assert_close(ft.predict(theta[0], omega), ft.predict(theta, omega)[0])
        torch.testing.assert_close(ft.conjugate(theta, omega), ft.conjugate(theta.flatten(1), omega))
        torch.testing.assert_close(ft.loss(theta, y, omega), ft.loss(theta.flatten(1), y.flatten(1), omega))
        np.testing.assert_allclose(ft.sparsemap(theta, trees).detach(), fenchel.sparsemap(theta.detach().numpy(), trees))
        self.assertTrue(gradcheck(lambda t: ft.sparsemap(t, trees), theta))
        with self.assertRaisesRegex(ValueError, "expected 9"):
            ft.predict(torch.randn(2, 4, 4), omega)

    def test_errors(self):
        loss = ft.StructuredLoss("arborescence")
        scores, heads = torch.randn(2, 4, 4), torch.tensor([[-1, 0, 0, 0]] * 2)
        for message, call in (("structure is", lambda: ft.StructuredLoss("forest")),
                              ("unknown omega .svn.; did you mean .svm.", lambda: ft.StructuredLoss("simplex", "svn")),
                              ("lengths", lambda: loss(scores, heads, torch.tensor([5, 4]))),
                              ("lengths", lambda: loss(scores, heads, torch.tensor([0, 4]))),
                              ("lengths", lambda: loss(scores, heads, torch.tensor([4]))),
                              ("lengths", lambda: loss(scores, heads, [4])),
                              ("lengths", lambda: loss(scores, heads, [4.0, 3.0])),
                              ("scores have shape", lambda: loss(torch.randn(2, 4), heads)),
                              (r"expected \[batch, n, n\]", lambda: loss(torch.randn(2, 4, 3), heads)),
                              ("y has shape", lambda: loss(scores, torch.randn(2, 3, 3))),
                              ("", lambda: loss(scores, torch.tensor([[1, 0, 0, 0]] * 2))),
                              ("nan", lambda: loss(scores * math.nan, heads))):
            with self.subTest(message=message), self.assertRaisesRegex(ValueError, message):
                call()

    @unittest.skipIf(torch_struct is None, "torch-struct is not installed")
    def test_same_as_torch_struct(self):
        warnings.simplefilter("ignore", UserWarning)
        scores = double(2, 5, 5).detach()
        for single_root in (True, False):
            peer = torch_struct.NonProjectiveDependencyCRF(scores, multiroot=not single_root)
            ours = ft.StructuredPredict("arborescence", "marginal", single_root=single_root)(scores)
            torch.testing.assert_close(ours, peer.marginals, atol=1e-3, rtol=1e-3)  # it adds 1e-5 to exp(scores)


def polytope_spec(structure, parameters, lengths):
    sizes = lengths.reshape(-1).tolist()
    names = {"alignment": ("m", "n"), "simplex": ("d",), "k_subsets": ("d",)}.get(structure, ("n",))
    if structure == "permutahedron":
        return {"name": structure, "w": list(range(sizes[0], 0, -1))}
    return {"name": structure, **parameters, **dict(zip(names, sizes))}


def unclamped(structure, omega, parameters, scores, y):
    """Ω*(θ) + Ω(y) − ⟨θ, y⟩ of an example that fills its padding, which nothing clamps at 0."""
    lengths = torch.tensor(scores.shape if structure == "alignment" else scores.shape[:1])
    spec = {"name": {"crf": "marginal", "sparsemap": "sparsemap"}.get(omega, "map"),
            "polytope": polytope_spec(structure, parameters, lengths)}
    theta = scores.ravel()
    if omega == "hinge":
        theta = theta + (0 if structure == "permutahedron" else 1) - 2 * y.ravel()
    return float(fenchel.conjugate(theta, spec) + fenchel.value(y.ravel(), spec) - theta @ y.ravel())


class Lists(unittest.TestCase):
    def test_examples_with_an_omega_each(self):
        theta = [double(3), double(2, 2), double(5, seed=1)]
        omegas = [fenchel.Tsallis(1.5), fenchel.SparseMap(fenchel.Birkhoff(2)), "shannon"]
        found = ft.predict(theta, omegas)
        torch.testing.assert_close(found[0], ft.predict(theta[0], omegas[0]))
        torch.testing.assert_close(found[1].flatten(), ft.predict(theta[1].flatten(), omegas[1]))
        y = [torch.tensor(2), torch.eye(2), torch.full((5,), 0.2)]
        self.assertTrue(gradcheck(lambda *t: tuple(ft.predict(list(t), omegas)), theta))
        self.assertTrue(gradcheck(lambda *t: ft.loss(list(t), y, omegas), theta))
        self.assertEqual(ft.predict([], "shannon"), [])
        scores = [double(3), double(4)]
        labels = torch.tensor([1, 3])
        torch.testing.assert_close(ft.loss(scores, labels, "sparsemax"), ft.loss(scores, list(labels), "sparsemax"))
        with self.assertRaisesRegex(ValueError, "y has 2 examples"):
            ft.loss(theta, labels, "sparsemax")
        with self.assertRaisesRegex(ValueError, "omega has 2"):
            ft.predict(theta, omegas[:2])
        with self.assertRaisesRegex(ValueError, "y\\[0\\] is 9"):
            ft.loss(theta, [torch.tensor(9), *y[1:]], omegas)


if __name__ == "__main__":
    unittest.main()
