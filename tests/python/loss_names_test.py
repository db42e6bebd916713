# SPDX-License-Identifier: Apache-2.0
"""Names of losses, such as "hinge" and "sparsemax+margin", wherever an Ω is taken: NumPy, torch, plots."""
import json
import pickle
import unittest
import warnings

import fenchel
import numpy as np
from fenchel import _core

try:
    import fenchel.torch as ft
    import torch
    from torch.autograd import gradcheck
except ImportError:
    torch = None
try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    plt = None

RNG = np.random.default_rng(18)
D = 3
LABELS = np.array([0, 2, 1, 1])
THETA = RNG.normal(size=(4, D))
NAMES = [name for entry in _core.losses() for name in (entry["name"], *entry["aliases"])]
MARGINS = ["sparsemax+margin", "logistic+margin", "tsallis+margin:alpha=1.5", "perceptron+margin", "sigmoid+margin"]
# What they are as an Ω and a cost, where it is said in other words.
ZERO_ONE, WRONG_LABELS = (lambda y: 1 - y), (lambda y: 1 - 2 * y)
EXPLICIT = {"hinge": ("argmax", ZERO_ONE), "svm": ("argmax", ZERO_ONE), "crammer_singer": ("argmax", ZERO_ONE),
            "softmax_margin": ("shannon", ZERO_ONE), "one_vs_all_hinge": (fenchel.Map(fenchel.Cube(D)), WRONG_LABELS),
            "smoothed_hinge": ("sparsemax:temperature=0.5", lambda y: (1 - y) / 2),
            "sparsemax+margin": ("sparsemax", ZERO_ONE), "logistic+margin": ("logistic", ZERO_ONE),
            "tsallis+margin:alpha=1.5": ("tsallis:alpha=1.5", ZERO_ONE), "perceptron+margin": ("argmax", ZERO_ONE),
            "sigmoid+margin": ("sigmoid", WRONG_LABELS)}
SMOOTH = ("softmax_margin", "smoothed_hinge", "sparsemax+margin", "logistic+margin", "tsallis+margin:alpha=1.5", "sigmoid+margin")
TREES = {"name": "arborescence", "n": 3}
STRUCTURED = {"hinge": ("map", True), "svm": ("map", True), "crf": ("marginal", False), "crf+margin": ("marginal", True),
              "sparsemap+margin": ("sparsemap", True), "perceptron+margin": ("map", True)}


def works(name):
    """Whether a name says enough for classes; those that do not have an error."""
    return name != "crf"


def over_trees(name):
    return {"name": name, "polytope": TREES}


class NumPy(unittest.TestCase):
    def test_every_name_has_a_gradient_or_says_what_it_lacks(self):
        for name in NAMES + MARGINS:
            with self.subTest(name=name):
                if not works(name):
                    with self.assertRaisesRegex(ValueError, f"'{name}' .Gibbs .*tagging and of structures; name the set"):
                        fenchel.loss(THETA, LABELS, name)
                    continue
                losses, slopes = fenchel.value_and_gradient(THETA, LABELS, name)
                np.testing.assert_array_equal(losses, fenchel.loss(THETA, LABELS, name))
                np.testing.assert_array_equal(slopes, fenchel.gradient(THETA, LABELS, name))
                for k in range(D):
                    step = 1e-6 * np.eye(D)[k]
                    found = (fenchel.loss(THETA + step, LABELS, name) - fenchel.loss(THETA - step, LABELS, name)) / 2e-6
                    np.testing.assert_allclose(slopes[:, k], found, atol=1e-8)

    def test_they_are_an_omega_and_a_cost(self):
        for name, (omega, cost) in EXPLICIT.items():
            with self.subTest(name=name):
                for y in (LABELS, np.eye(D)[LABELS]):
                    expected = fenchel.loss(THETA, np.eye(D)[LABELS], omega, cost=cost)
                    np.testing.assert_allclose(fenchel.loss(THETA, y, name), expected, atol=1e-14)
                np.testing.assert_allclose(fenchel.predict(THETA, name), fenchel.predict(THETA, omega), atol=1e-15)
                np.testing.assert_allclose(fenchel.loss(THETA.astype(np.float32), LABELS, name), expected, rtol=1e-5)
                np.testing.assert_allclose(fenchel.loss(THETA.T, LABELS, name, axis=0), expected, atol=1e-14)

    def test_spellings_objects_and_dictionaries(self):
        expected = fenchel.loss(THETA, LABELS, "softmax_margin")
        made = fenchel.Regularizer("softmax_margin")
        for omega in ("softmax-margin", {"name": "softmax-margin"}, made, fenchel.Regularizer.from_spec("softmax-margin"),
                      pickle.loads(pickle.dumps(made)), eval(repr(made), vars(fenchel))):
            np.testing.assert_array_equal(fenchel.loss(THETA, LABELS, omega), expected)
        self.assertEqual(fenchel.Regularizer.from_spec("svm"), fenchel.Regularizer("hinge"))
        self.assertNotEqual(fenchel.Regularizer("hinge"), fenchel.Argmax())
        self.assertEqual(fenchel.Regularizer.from_spec(over_trees("crf")), fenchel.Marginal(fenchel.Arborescence(3)))
        self.assertEqual(fenchel.margin("hinge", 3), 1)

    def test_structures(self):
        theta, y = RNG.normal(size=(3, 3)), fenchel.Arborescence(3).encode([-1, 0, 1])
        for name, (omega, cost) in STRUCTURED.items():
            with self.subTest(name=name):
                explicit = {"omega": {"name": omega, "polytope": TREES}, "cost": "hamming" if cost else None}
                given = [over_trees(name), fenchel.Regularizer(name, polytope=fenchel.Arborescence(3))]
                for one in (*given, f"{name}:polytope=arborescence:n=3"):
                    self.assertAlmostEqual(fenchel.loss(theta, y, one), fenchel.loss(theta, y, **explicit), delta=1e-12)
                np.testing.assert_array_equal(fenchel.predict(theta, given[0]), fenchel.predict(theta, explicit["omega"]))
        with self.assertRaisesRegex(ValueError, "'softmax_margin' .logistic with the 0/1 cost., a loss of classification"):
            fenchel.loss(theta, y, over_trees("softmax_margin"))

    def test_a_set_written_in_python(self):
        class Two(fenchel.CustomPolytope):
            shape = (2,)

            def map(self, theta):
                return np.eye(2)[np.argmax(theta)]

        for omega in (fenchel.Regularizer("hinge", polytope=Two()), {"name": "hinge", "polytope": Two()}):
            np.testing.assert_array_equal(fenchel.predict([0.5, 0.2], omega), [1, 0])
            with self.assertRaisesRegex(ValueError, "custom has no Hamming cost"):  # as with cost="hamming"
                fenchel.loss([0.5, 0.2], [0, 1], omega)

    def test_ragged_batches(self):
        theta, y = [THETA[0], THETA[1][:2], THETA[2:]], [0, 1, LABELS[2:]]
        for omega in ("hinge", ["hinge", "sparsemax", "softmax-margin"]):
            losses, slopes = fenchel.value_and_gradient(theta, y, omega)
            for i, (scores, target) in enumerate(zip(theta, y)):
                one = omega if isinstance(omega, str) else omega[i]
                np.testing.assert_allclose(losses[i], fenchel.loss(scores, target, one), atol=1e-15)
                np.testing.assert_allclose(slopes[i], fenchel.gradient(scores, target, one), atol=1e-15)
            np.testing.assert_allclose(np.concatenate([np.ravel(x) for x in fenchel.loss(theta, y, omega)]),
                                       np.concatenate([np.ravel(x) for x in losses]))

    def test_what_is_wrong_is_said(self):
        for omega, message in [("hing", "did you mean 'hinge'"), ("sofmax-margin", "did you mean 'softmax_margin'"),
                               ("relu+margin", "no prediction is simply wrong"), ("hinge+margin", "has a cost already"),
                               ("hinge:temperature=2", "hinge has no parameter 'temperature'"),
                               ("hinge:polytope=arborescence", "arborescence needs n: number of words")]:
            with self.subTest(omega=omega), self.assertRaisesRegex(ValueError, message):
                fenchel.loss(THETA, LABELS, omega)
        with self.assertRaisesRegex(ValueError, "cost is given, and omega is 'hinge'"):
            fenchel.loss(THETA, LABELS, "hinge", cost="zero_one")
        with self.assertRaisesRegex(ValueError, "omega is 'hinge', which has a cost"):
            fenchel.expected_loss(THETA[0], [0.2, 0.3, 0.5], "hinge")
        with self.assertRaisesRegex(ValueError, "psi is 'hinge', which has a cost"):
            fenchel.Sum("hinge", "shannon")

    def test_explained(self):
        for name in NAMES:
            self.assertIn(next(entry["meaning"] for entry in _core.losses() if name in (entry["name"], *entry["aliases"])),
                          fenchel.explain(name))
        self.assertIn("with the 0/1 cost in training", fenchel.explain("sparsemax+margin"))


@unittest.skipIf(torch is None, "torch is not installed")
class Torch(unittest.TestCase):
    def setUp(self):
        self.theta, self.y = torch.tensor(THETA, requires_grad=True), torch.tensor(LABELS)

    def test_every_name(self):
        for name in [*NAMES, *MARGINS, "modified-huber", "softmax_margin"]:
            with self.subTest(name=name):
                if not works(name):
                    with self.assertRaisesRegex(ValueError, "tagging and of structures; name the set"):
                        ft.loss(self.theta, self.y, name)
                    with self.assertRaisesRegex(ValueError, "tagging and of structures; name the set"):
                        ft.FenchelYoungLoss(name)
                    continue
                for y in (self.y, torch.nn.functional.one_hot(self.y, D).to(torch.float64)):
                    for omega in (name, fenchel.Regularizer.from_spec(name)):
                        module = ft.FenchelYoungLoss(omega, "sum")
                        total = module(self.theta, y)
                        slope, = torch.autograd.grad(total, self.theta)
                        losses, expected = fenchel.value_and_gradient(THETA, LABELS, name)
                        self.assertAlmostEqual(total.item(), losses.sum(), places=12)
                        np.testing.assert_allclose(slope.numpy(), expected, atol=1e-14)
                        np.testing.assert_allclose(module.predict(self.theta).detach(), fenchel.predict(THETA, name))
                np.testing.assert_allclose(ft.Predict(name)(self.theta).detach(), fenchel.predict(THETA, name))

    def test_gradcheck(self):
        for name in SMOOTH:
            with self.subTest(name=name):
                self.assertTrue(gradcheck(lambda theta, name=name: ft.loss(theta, self.y, name, reduction="none"), self.theta))

    def test_modules_show_their_name(self):
        self.assertIn("omega='hinge'", repr(ft.FenchelYoungLoss("hinge")))
        self.assertIn("hinge", repr(ft.FenchelYoungLoss({"name": "hinge"})))
        with self.assertRaisesRegex(ValueError, "cost is given, and omega is 'hinge'"):
            ft.FenchelYoungLoss("hinge", cost="zero_one")(self.theta, self.y)

    def test_ignored_rows_and_lists(self):
        y = self.y.clone()
        y[1] = -100
        kept = [0, 2, 3]
        self.assertAlmostEqual(ft.loss(self.theta, y, "hinge").item(), fenchel.loss(THETA[kept], LABELS[kept], "hinge").mean())
        examples = [self.theta[0], self.theta[1, :2]]
        found = ft.loss(examples, [0, 1], ["hinge", "sparsemax"], reduction="none")
        expected = [fenchel.loss(THETA[0], 0, "hinge"), fenchel.loss(THETA[1, :2], 1, "sparsemax")]
        np.testing.assert_allclose(found.detach(), expected)
        found.sum().backward()
        np.testing.assert_allclose(self.theta.grad[0], fenchel.gradient(THETA[0], 0, "hinge"))

    def test_structures(self):
        scores, y = RNG.normal(size=(3, 3)), fenchel.Arborescence(3).encode([-1, 0, 1])
        for name in STRUCTURED:
            with self.subTest(name=name):
                expected = fenchel.loss(scores, y, over_trees(name))
                found = ft.loss(torch.tensor(scores), torch.tensor(y), over_trees(name))
                self.assertAlmostEqual(found.item(), expected, places=12)
                padded = ft.StructuredLoss("arborescence", name)(torch.tensor(scores)[None], torch.tensor([[-1, 0, 1]]))
                self.assertAlmostEqual(padded.item(), expected, places=12)
                self.assertEqual(ft.StructuredPredict("arborescence", name)(torch.tensor(scores)[None]).shape, (1, 3, 3))
        for wrong, message in [("softmax_margin", "a loss for another kind of target"), ("hing", "did you mean 'hinge'")]:
            with self.assertRaisesRegex(ValueError, message):
                ft.StructuredLoss("arborescence", wrong)

    def test_taggers(self):
        emissions, tags = torch.randn(3, 2, 4, dtype=torch.float64), torch.tensor([[0, 1], [2, 3], [1, 1]])
        torch.manual_seed(0)
        losses = {}
        for name in ("crf", "crf+margin", "hinge", "svm", "perceptron"):
            torch.manual_seed(0)
            losses[name] = -ft.CRF(4, omega=name).double()(emissions, tags).item()
        self.assertEqual(losses["svm"], losses["hinge"])
        self.assertGreater(losses["crf+margin"], losses["crf"])
        self.assertGreater(losses["hinge"], losses["perceptron"])

    def test_compiled(self):
        torch._dynamo.reset()
        module = ft.FenchelYoungLoss("hinge")
        compiled = torch.compile(module, backend="eager", fullgraph=True)
        self.assertAlmostEqual(compiled(self.theta, self.y).item(), module(self.theta, self.y).item())


@unittest.skipIf(plt is None, "matplotlib is not installed")
class Plots(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("error")
        self.addCleanup(plt.close, "all")

    def test_every_name(self):
        for name in [*NAMES, *MARGINS, "modified-huber", "softmax_margin"]:
            with self.subTest(name=name):
                if not works(name):
                    with self.assertRaisesRegex(ValueError, "tagging and of structures; name the set"):
                        fenchel.plot.two_class([name])
                    continue
                axes = fenchel.plot.two_class([name])
                for number in plt.get_fignums():
                    plt.figure(number).canvas.draw()
                if fenchel.Regularizer.from_spec(name).domain == "simplex":
                    s, losses = axes[2].lines[0].get_data()
                    scores = np.stack([s, np.zeros_like(s)], -1)
                    np.testing.assert_allclose(losses, fenchel.loss(scores, np.zeros(len(s), int), name), atol=1e-12)
                plt.close("all")


class Lists(unittest.TestCase):
    def test_the_test_has_all_names(self):
        self.assertEqual({name for name in NAMES if works(name)}, set(EXPLICIT) - set(MARGINS))
        for name in NAMES:
            self.assertEqual(_core.loss_has_cost(name), name != "crf")
            if works(name):
                self.assertEqual(json.loads(_core.resolve_loss(name)[2])["name"] in NAMES, True)


if __name__ == "__main__":
    unittest.main()
