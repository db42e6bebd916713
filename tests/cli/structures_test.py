# SPDX-License-Identifier: Apache-2.0
"""fenchel eval and fenchel polytopes over structures: every oracle against enumeration, and bad input."""
import itertools
import math
import unittest

import tool

SEQUENCE = {"name": "sequence", "n": 3, "m": 2}
THETA = [0.6, 0.3, -0.2, -0.7, 0.4, -0.4, -0.1, 0.6, -0.2, -0.2, 0.3, -0.2]


def sequences():
    """All sequences of three steps and two states as vectors, in the layout (t, i, j)."""
    for tags in itertools.product(range(2), repeat=3):
        y = [0.0] * 12
        previous = 0
        for t, tag in enumerate(tags):
            y[t * 4 + tag * 2 + previous] = 1.0
            previous = tag
        yield y


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def ask(op, polytope=SEQUENCE, theta=THETA, **more):
    (reply,), status = tool.evaluate([{"op": op, "polytope": polytope, "theta": theta, **more}])
    return reply.get("error") or reply["result"], status


class Oracles(unittest.TestCase):
    def setUp(self):
        self.structures = sorted(sequences(), key=lambda y: -dot(THETA, y))
        scores = [dot(THETA, y) for y in self.structures]
        self.log_partition = math.log(sum(math.exp(s) for s in scores))
        self.p = [math.exp(s - self.log_partition) for s in scores]

    def assert_close(self, got, expected):
        self.assertEqual(len(got), len(expected))
        for g, e in zip(got, expected):
            self.assertAlmostEqual(g, e, places=11)

    def test_map_and_k_best(self):
        self.assertEqual(ask("map")[0], self.structures[0])
        best, _ = ask("k_best", k=20)
        self.assertEqual([b["y"] for b in best], self.structures)
        self.assertEqual(len(ask("k_best", k=3)[0]), 3)

    def test_distribution(self):
        mean = [sum(p * y[j] for p, y in zip(self.p, self.structures)) for j in range(12)]
        self.assert_close(ask("marginals")[0], mean)
        self.assertAlmostEqual(ask("log_partition")[0], self.log_partition, places=12)
        self.assertAlmostEqual(ask("entropy")[0], -sum(p * math.log(p) for p in self.p), places=12)
        self.assertAlmostEqual(ask("log_probability", y=self.structures[2])[0], math.log(self.p[2]), places=12)
        v = [((7 * j) % 5) - 2 for j in range(12)]
        centre = dot(v, mean)
        product = [sum(p * y[j] * (dot(v, y) - centre) for p, y in zip(self.p, self.structures)) for j in range(12)]
        self.assert_close(ask("covariance", v=v)[0], product)

    def test_the_probability_of_a_masked_structure(self):
        answer, status = ask("log_probability", polytope={"name": "simplex", "d": 3}, theta=[1, "-inf", 0], y=[0, 1, 0])
        self.assertEqual((status, answer), (0, "-inf"))

    def test_searches_report_how_they_ended(self):
        mean = [0.5, 0, 0.5, 0] + [0.25] * 8
        # A single structure never gives a mean of many.
        too_few = {"name": "structured_sparsemax", "k": 1, "polytope": SEQUENCE}
        enough = {"name": "structured_sparsemax", "polytope": SEQUENCE}
        tree = {"name": "arborescence", "n": 3}
        theta = [-1e300, 1e300] * 4 + [-1e300]
        replies, status = tool.evaluate([
            {"op": "value", "omega": too_few, "mu": mean},
            {"op": "value", "omega": enough, "mu": mean},
            {"op": "predict", "omega": {"name": "entropic", "polytope": tree}, "theta": theta},
            {"op": "project_kl", "polytope": tree, "theta": theta},
        ])
        self.assertEqual(status, 0)
        self.assertIn("status", replies[0])
        self.assertNotIn("status", replies[1])
        self.assertAlmostEqual(replies[1]["result"], -0.4375, places=12)  # all eight equally: (1/8 - 1)/2
        self.assertEqual(replies[2].get("status"), replies[3].get("status"))

    def test_sparsemap_is_the_projection(self):
        sparse, _ = ask("sparsemap")
        self.assert_close(sparse["mean"], ask("project")[0])
        self.assertLessEqual(sparse["gap"], 1e-10)
        weights = [part["weight"] for part in sparse["mixture"]]
        self.assertAlmostEqual(sum(weights), 1, places=12)
        mean = [dot(weights, [part["y"][j] for part in sparse["mixture"]]) for j in range(12)]
        self.assert_close(mean, sparse["mean"])
        gradient = [t - m for t, m in zip(THETA, sparse["mean"])]
        for y in self.structures:
            self.assertLessEqual(dot(gradient, y) - dot(gradient, sparse["mean"]), 1e-10)

    def test_smoothed_maximum(self):
        shannon, _ = ask("smoothed_maximum")
        self.assertAlmostEqual(shannon["value"], self.log_partition, places=12)
        self.assert_close(shannon["gradient"], ask("marginals")[0])
        gini, _ = ask("smoothed_maximum", smoothing="gini", temperature=0.5)
        self.assertGreater(sum(entry == 0 for entry in gini["gradient"]), 2)  # sparser than the entries never used
        self.assertAlmostEqual(sum(gini["gradient"]), 3, places=12)
        other, _ = ask("smoothed_maximum", smoothing={"name": "tsallis", "alpha": 1.5})
        self.assertAlmostEqual(sum(other["gradient"]), 3, places=12)
        self.assertIn("smoothing is 1", ask("smoothed_maximum", smoothing=1)[0])
        self.assertIn("unknown omega 'x'", ask("smoothed_maximum", smoothing="x")[0])
        self.assertIn("a set of paths", ask("smoothed_maximum", polytope={"name": "cube", "d": 2}, theta=[0, 1])[0])

    def test_samples_are_structures_and_repeat(self):
        draws, _ = ask("sample", count=50, seed=3)
        self.assertEqual(draws, ask("sample", count=50, seed=3)[0])
        for y in draws:
            self.assertIn(y, self.structures)

    def test_hamming_cost_and_margins(self):
        y = self.structures[5]
        omega = {"name": "map", "polytope": SEQUENCE}
        cases = [{"op": "loss", "omega": omega, "theta": THETA, "y": y, "hamming": 1},
                 {"op": "margin", "omega": omega, "hamming": 1},
                 {"op": "margin", "omega": omega, "hamming": 0.5},
                 {"op": "margin", "omega": {"name": "sparsemap", "polytope": SEQUENCE}},
                 {"op": "margin", "omega": {"name": "marginal", "polytope": SEQUENCE}}]
        replies, status = tool.evaluate(cases)
        self.assertEqual(status, 0, replies)
        distance = [sum((a - b) ** 2 for a, b in zip(y, z)) for z in self.structures]
        hinge = max(dot(THETA, z) + h for z, h in zip(self.structures, distance)) - dot(THETA, y)
        self.assertAlmostEqual(replies[0]["result"], hinge, places=12)
        self.assertAlmostEqual(replies[1]["result"], 2, places=6)
        self.assertAlmostEqual(replies[2]["result"], 1, places=6)
        self.assertEqual(replies[3]["result"], 1)
        self.assertIsNone(replies[4]["result"])


class BadInput(unittest.TestCase):
    def assert_error(self, text, *args, **kwargs):
        answer, status = ask(*args, **kwargs)
        self.assertEqual(status, 1)
        self.assertIn(text, answer)

    def test_messages(self):
        self.assert_error("theta has 11 entries; expected 12", "map", theta=THETA[:11])
        self.assert_error("unknown op 'mapp'", "mapp")
        self.assert_error("did you mean 'sequence'?", "map", polytope={"name": "sequenze", "n": 3, "m": 2})
        self.assert_error("n is 0", "map", polytope={"name": "sequence", "n": 0, "m": 2})
        self.assert_error("theta[1] is inf", "map", theta=[0, "inf"] + [0] * 10)
        self.assert_error("masks every structure", "marginals", theta=["-inf"] * 12)
        self.assert_error("masks every structure", "map", theta=["-inf"] * 12)
        self.assert_error("masks every structure", "sparsemap", theta=["-inf"] * 12)
        self.assert_error("k is 0", "k_best", k=0)
        self.assert_error("#P", "marginals", polytope={"name": "birkhoff", "n": 2}, theta=[0] * 4)
        self.assert_error("y is not a structure", "log_probability", y=[0.5, 0, 0.5, 0] + [0.25] * 8)
        self.assert_error("polytope is 3", "map", polytope=3)
        self.assert_error("expected", "map", polytope={"name": "sequence", "n": 1e9, "m": 1e9})
        self.assert_error("sum", "map", polytope={"name": "transport", "a": [1, 1], "b": [1]}, theta=[0, 0])

    def test_targets_are_structures(self):
        tree = {"name": "arborescence", "n": 4}
        cycle = [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0]
        for name in ("map", "sparsemap", "marginal", "structured_sparsemax"):
            omega = {"name": name, "polytope": tree}
            replies, status = tool.evaluate([
                {"op": "loss", "omega": omega, "theta": [0] * 16, "y": cycle},
                {"op": "value", "omega": omega, "mu": cycle},
            ])
            self.assertEqual(status, 1)
            for argument, reply in zip(("y", "mu"), replies):
                self.assertEqual(reply["error"], argument + " is not an arborescence: words 2 and 3 form a cycle")

    def test_messages_name_the_field(self):
        omega = {"name": "map", "polytope": {"name": "simplex", "d": 2}}
        case = {"op": "loss", "omega": omega, "theta": [1, 2], "y": [1, 0]}
        for hamming, problem in ((-1, "hamming is -1"), ("inf", "hamming is inf"), ("x", "hamming is")):
            (reply,), _ = tool.evaluate([{**case, "hamming": hamming}])
            self.assertIn(problem, reply["error"])

    def test_answers_that_would_not_fit(self):
        self.assert_error("count gives 1000000 structures of 400 entries", "sample",
                          polytope={"name": "cube", "d": 400}, theta=[0] * 400, count=1000000)
        self.assert_error("k gives 1000000 structures of 160 entries", "k_best",
                          polytope={"name": "sequence", "n": 10, "m": 4}, theta=[0] * 160, k=1000000)
        for limit, problem in ((1e12, "limit is 1000000000000"), (1e7, "theta has 2 entries; expected 23")):
            omega = {"name": "maximum_entropy", "entropy": "shannon", "limit": limit, "polytope": {"name": "cube", "d": 23}}
            theta = [1, 2] if limit == 1e7 else [0] * 23
            (reply,), _ = tool.evaluate([{"op": "predict", "omega": omega, "theta": theta}])
            self.assertIn(problem, reply["error"])
        omega = {"name": "maximum_entropy", "entropy": "shannon", "limit": 10**7, "polytope": {"name": "cube", "d": 24}}
        (reply,), _ = tool.evaluate([{"op": "predict", "omega": omega, "theta": [0] * 24}])
        self.assertIn("cube has more than 10000000 structures", reply["error"])

    def test_few_structures_however_many_are_asked_for(self):
        answer, status = ask("k_best", polytope={"name": "arborescence", "n": 5}, theta=[0] * 25, k=1000000)
        self.assertEqual((status, len(answer)), (0, 6**4))

    def test_scores_that_overflow(self):
        self.assert_error("theta[0] is 1.7e+308: the scores of a structure of alignment overflow", "log_partition",
                          polytope={"name": "alignment", "m": 2, "n": 3}, theta=[1.7e308] * 6)
        answer, status = ask("log_partition", polytope={"name": "alignment", "m": 2, "n": 3}, theta=[1e300] * 6)
        self.assertEqual((status, answer), (0, 4e300))

    def test_masks_that_leave_one_matching(self):
        theta = ["-inf", 1, 2, "-inf"]
        for op in ("map", "project", "project_kl"):
            answer, status = ask(op, polytope={"name": "birkhoff", "n": 2}, theta=theta)
            self.assertEqual(status, 0, answer)
            for got, expected in zip(answer, [0, 1, 1, 0]):
                self.assertAlmostEqual(got, expected, places=9)
        for op in ("map", "project", "project_kl"):
            answer, status = ask(op, polytope={"name": "birkhoff", "n": 2}, theta=["-inf", "-inf", 2, 1])
            self.assertEqual(status, 1, (op, answer))


class Table(unittest.TestCase):
    def test_explains_parameters(self):
        self.assertIn("|i - j| <= band", tool.run("polytopes", "alignment").stdout)

    def test_lists_and_explains(self):
        table = tool.run("polytopes")
        self.assertEqual(table.returncode, 0)
        names = [line.split()[0] for line in table.stdout.splitlines()[1:12]]
        self.assertEqual(len(set(names)), 11)
        self.assertIn("arborescence", names)
        for name in names:
            page = tool.run("polytopes", name)
            self.assertEqual(page.returncode, 0, page.stderr)
            self.assertIn("layout", page.stdout)
        wrong = tool.run("polytopes", "birkhof")
        self.assertNotEqual(wrong.returncode, 0)
        self.assertIn("did you mean 'birkhoff'?", wrong.stderr)


class Bregman(unittest.TestCase):
    """Σ φ(μ) over permutahedra and plans."""

    def test_predictions(self):
        plans = {"name": "transport", "a": [0.4, 0.6], "b": [0.3, 0.3, 0.4]}
        theta = [0.5, -1.0, 0.2, 0.0, 0.3, 2.0]
        cases = [{"op": "predict", "theta": theta, "omega": {"name": name, "polytope": plans, **parameters}}
                 for name, parameters in (("entropic", {}), ("bregman", {"alpha": 1}), ("bregman", {"alpha": 1.5}),
                                          ("sparsemap", {}), ("bregman", {"alpha": 2}),
                                          ("bregman", {"generator": "fermi_dirac"}))]
        replies, status = tool.evaluate(cases)
        self.assertEqual(status, 0)
        found = [reply["result"] for reply in replies]
        self.assertEqual(found[0], found[1])
        self.assertEqual(found[3], found[4])
        for plan in found:
            for row, total in zip((plan[:3], plan[3:]), plans["a"]):
                self.assertAlmostEqual(sum(row), total, places=11)
        self.assertTrue(all(entry > 0 for entry in found[5]))

    def test_bad_input(self):
        wide = {"name": "permutahedron", "w": [3, 2, 1]}
        cases = [{"op": "predict", "theta": [1, 2, 3], "omega": {"name": "bregman", "polytope": wide, **parameters}}
                 for parameters in ({"generator": "fermi_dirac"}, {"generator": "fermi_dirak"}, {"alpha": 0}, {"order": 2})]
        replies, status = tool.evaluate(cases)
        self.assertEqual(status, 1)
        for reply, part in zip(replies, ("entries from 1 to 3", "did you mean 'fermi_dirac'?", "alpha is 0", "no parameter")):
            self.assertIn(part, reply["error"])


if __name__ == "__main__":
    unittest.main()
