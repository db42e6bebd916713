# SPDX-License-Identifier: Apache-2.0
"""What an object shows can be pasted back after `from fenchel import *`, or stands between < and >."""
import math
import pathlib
import tempfile
import unittest

import fenchel
import numpy as np
from fenchel import _core, projections

try:
    import fenchel.sklearn as estimators
except ImportError:
    estimators = None
try:
    import fenchel.torch as ft
    import torch
except ImportError:
    ft = None

SETS = [fenchel.Simplex(3), fenchel.KSubsets(4, 2), fenchel.Cube(2), fenchel.Sequence(3, 2), fenchel.Chain(2, 2),
        fenchel.Chain(2, 3, boundary=True), fenchel.Alignment(3, 2), fenchel.Alignment(3, 3, band=1), fenchel.Arborescence(3),
        fenchel.Arborescence(2, single_root=True), fenchel.ProjectiveTree(3), fenchel.Permutahedron([3, 1.5, -1]),
        fenchel.Permutahedron(np.arange(3)), fenchel.Birkhoff(np.int64(3)), fenchel.Transport([0.5, 0.5], [0.25, 0.75])]
OF_NUMBERS = {"Tsallis": (0.5, 1, 1.5, 2, 1 / 3, math.inf), "Norm": (1.5, 2, math.inf), "SquaredNorm": (1.25, 2),
              "Renyi": (0, 0.5, 1, 3, math.inf), "TsallisSigmoid": (1, 1.7)}
COMMON = ({}, {"temperature": 0.1}, {"constant": -2.5}, {"cost": [0.0, 1.0, 0.25]}, {"temperature": 3, "cost": (1, 2, 3)})
NESTED = [fenchel.OneVsAll(fenchel.Tsallis(1.2)), fenchel.OneVsAll("shannon"), fenchel.OneVsAll("tsallis:alpha=1.2"),
          fenchel.OneVsAll({"name": "tsallis", "alpha": math.inf}), fenchel.OneVsAll(fenchel.Regularizer("sparsemax")),
          fenchel.SmoothedPaths(fenchel.Sequence(2, 2), fenchel.Tsallis(1.5, temperature=2.0)),
          fenchel.SmoothedPaths("alignment:m=2,n=3", "sparsemax", temperature=0.5),
          fenchel.MaximumEntropy(fenchel.KSubsets(4, 2), fenchel.Norm(math.inf), limit=10),
          fenchel.Bregman(fenchel.KSubsets(4, 2), "fermi_dirac"), fenchel.Bregman("birkhoff:n=2", alpha=0.5),
          fenchel.StructuredSparsemax(fenchel.Arborescence(3), k=4), fenchel.PairwiseHinge([[0, 1], [2, 0]]),
          fenchel.SparseMap({"name": "birkhoff", "n": 3})]


def restored(x):
    """What the text makes, as a session would after `from fenchel import *`."""
    names: dict = {}
    exec("from fenchel import *", names)
    return eval(repr(x), names)


def plain():
    """Every Ω with several parameters."""
    yield from NESTED
    for entry in _core.regularizers():
        made = getattr(fenchel, entry["class"])
        required = [one["type"] for one in entry["parameters"] if one["required"]]
        for common in COMMON if not required else ():
            yield from (made(value, **common) for value in OF_NUMBERS.get(entry["class"], ())) if entry["class"] in OF_NUMBERS \
                else [made(**common)]
        for polytope in SETS if required == ["polytope"] else ():
            try:
                yield made(polytope)
            except ValueError:  # an Ω that not every set has
                continue


class Specs(unittest.TestCase):
    def check(self, x):
        with self.subTest(repr(x)):
            again = restored(x)
            self.assertEqual(again, x)
            self.assertEqual(hash(again), hash(x))
            self.assertIs(type(again), type(x))
            self.assertEqual(repr(again), repr(x))

    def test_regularizers(self):
        seen = set()
        for omega in plain():
            seen.add(type(omega).__name__)
            self.check(omega)
            self.check(fenchel.Regularizer.from_spec(omega.spec))
        self.assertEqual(seen, {entry["class"] for entry in _core.regularizers()})

    def test_polytopes(self):
        self.assertEqual({type(one).__name__ for one in SETS}, {entry["class"] for entry in _core.polytopes()})
        for polytope in SETS:
            self.check(polytope)

    def test_names(self):
        for omega in (fenchel.Regularizer("sparsemax"), fenchel.Regularizer("tsallis", alpha=math.inf),
                      fenchel.Regularizer("sparsemap", polytope="birkhoff:n=3"), fenchel.Polytope("k_subsets", d=3, k=2),
                      fenchel.Regularizer.from_spec("tsallis:alpha=inf,temperature=0.5")):
            self.check(omega)
        self.assertEqual(repr(fenchel.Tsallis(math.inf)), "Tsallis(alpha=float('inf'))")
        self.assertEqual(repr(fenchel.SparseMap(fenchel.Birkhoff(3))), "SparseMap(polytope=Birkhoff(n=3))")
        self.assertEqual(repr(fenchel.OneVsAll(fenchel.Tsallis(1.2))), "OneVsAll(entropy=Tsallis(alpha=1.2))")

    def test_combinations(self):
        for omega in (fenchel.Sum("squared", fenchel.Shannon()), fenchel.Sum(fenchel.Squared(), fenchel.Tsallis(math.inf)),
                      fenchel.FenchelYoungized("pairwise_hinge"),
                      fenchel.FenchelYoungized("zero_one", sum_to_zero=True, convex=True, tolerance=1e-6)):
            self.check(omega)
        self.assertEqual(fenchel.Sum("squared", "shannon"), fenchel.Sum(fenchel.Squared(), fenchel.Shannon()))
        self.assertNotEqual(fenchel.Sum("squared", "shannon"), fenchel.Sum("squared", "sparsemax"))
        self.assertNotEqual(fenchel.FenchelYoungized("zero_one"), fenchel.FenchelYoungized("zero_one", tolerance=1e-6))
        # A function is shown by its name where it has one.
        self.assertEqual(repr(fenchel.Restriction("squared", plain, "cone")), "Restriction('squared', plain, 'cone')")
        self.assertEqual(fenchel.Restriction("squared", plain), fenchel.Restriction(fenchel.Squared(), plain))
        self.assertIn("<lambda>", repr(fenchel.Restriction("squared", lambda point: point)))

    def test_convex_sets(self):
        for convex in (projections.box(0, math.inf), projections.box([-math.inf, 1], 2), projections.ball(0.5, math.inf),
                       projections.half_space([1, 2], 3), projections.hyperplane(1, 0.5), projections.box_section(0, 1, c=2)):
            names: dict = {}
            exec("from fenchel.projections import *", names)
            self.assertEqual(eval(repr(convex), names), convex)

    def test_what_cannot_be_pasted(self):
        trees = fenchel.Distribution(fenchel.Arborescence(2), np.zeros((3, 2, 2)))
        self.assertEqual(repr(trees), "<Distribution over Arborescence(n=2, single_root=False), batch (3,)>")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "one_word.conllu"
            path.write_text("1\tHello\t_\t_\t_\t_\t0\troot\t_\t_\n\n", encoding="utf-8")
            self.assertEqual(repr(fenchel.read_conllu(path)), "<Treebank: 1 sentences, 1 words>")


@unittest.skipIf(estimators is None, "scikit-learn is not installed")
class Estimators(unittest.TestCase):
    def test_pasted_back(self):
        names: dict = {}
        exec("from fenchel import *\nfrom fenchel.sklearn import *", names)
        for name in sorted(set(estimators.__all__) - {"load"}):
            made = getattr(estimators, name)
            for given in ({}, {"reg_lambda": 0.5, "penalty": "l1"}, {"omega": fenchel.SparseMap(fenchel.KSubsets(3, 2))},
                          {"omega": fenchel.Tsallis(math.inf), "random_state": 3}):
                with self.subTest(name, **given):
                    estimator = made(**given)
                    self.assertEqual(eval(repr(estimator), names).get_params(), estimator.get_params())


@unittest.skipIf(ft is None, "torch is not installed")
class Modules(unittest.TestCase):
    def test_pasted_back(self):
        names: dict = {}
        exec("from fenchel import *\nfrom fenchel.torch import *", names)
        birkhoff = fenchel.Birkhoff(2)
        for module in (ft.Predict("tsallis:alpha=1.3"), ft.Predict(fenchel.Tsallis(math.inf), 1), ft.Softmax(0), ft.Sparsemax(),
                       ft.Sparsemax(1, return_support_size=True), ft.Entmax15(dim=-2, k=3), ft.Normmax(2.0), ft.Normmax(),
                       ft.SparseSigmoid(), ft.SparseMAP(birkhoff), ft.Entmax(1.2, dim=1), ft.SoftRank("kl", 0.5), ft.SoftSort(),
                       ft.SoftDTW(0.5, 3), ft.SparsemaxBisect(), ft.EntmaxBisect(1.3, 0), ft.NormmaxBisect(3), ft.BudgetBisect(2),
                       ft.FenchelYoungLoss("sparsemax", "sum"), ft.FenchelYoungLoss(fenchel.SparseMap(birkhoff), ignore_index=-1),
                       ft.FenchelYoungLoss("argmax", cost="zero_one", dim=1), ft.EntmaxLoss(1.2, "none"), ft.SparsemaxLoss(),
                       ft.SparsemaxBisectLoss(reduction="sum"), ft.Entmax15Loss(5), ft.EntmaxBisectLoss(1.7),
                       ft.NormmaxBisectLoss(3.0), ft.StructuredPredict("arborescence", "marginal", single_root=True),
                       ft.StructuredPredict("permutahedron", "bregman:alpha=1.3", temperature=0.5, w=[2.0, 1.0, 0.0])):
            with self.subTest(repr(module)):
                again = eval(repr(module), names)
                self.assertIs(type(again), type(module))
                self.assertEqual(repr(again), repr(module))
                self.assertEqual({key: value for key, value in vars(again).items() if not key.startswith("_")},
                                 {key: value for key, value in vars(module).items() if not key.startswith("_")})

    def test_tensors(self):
        names: dict = {"torch": torch}
        exec("from fenchel import *\nfrom fenchel.torch import *", names)
        for module in (ft.FenchelYoungLoss("softmax", cost=torch.ones(3)), ft.Entmax(torch.tensor([[1.2], [1.7]])),
                       ft.FenchelYoungLoss("softmax", weight=torch.tensor([0.1, 2.0], dtype=torch.float64)),
                       ft.LearnableAlpha((2,), init=torch.tensor([1.2, 1.3])), ft.LearnableAlpha(init=1.3)):
            with self.subTest(repr(module)):
                again = eval(repr(module), names)
                self.assertEqual(repr(again), repr(module))
                for (_, one), (_, other) in zip(again.state_dict().items(), module.state_dict().items()):
                    self.assertTrue(torch.equal(one, other))
        self.assertIn("cost=torch.tensor([1.0, 1.0, 1.0])", repr(ft.FenchelYoungLoss("softmax", cost=torch.ones(3))))
        self.assertIn("cost=<tensor of shape (9, 9)>", repr(ft.FenchelYoungLoss("softmax", cost=torch.eye(9))))

    def test_modules_with_parts_are_trees(self):
        self.assertIn("(alpha): LearnableAlpha(", repr(ft.Entmax(ft.LearnableAlpha())))
        self.assertIn("(layer): StructuredPredict('arborescence'", repr(ft.StructuredLoss("arborescence")))
        self.assertIn("tensor", repr(ft.Entmax(torch.tensor([1.2]))))


if __name__ == "__main__":
    unittest.main()
