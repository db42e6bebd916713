# SPDX-License-Identifier: Apache-2.0
"""fenchel eval: golden cases, masks, order, identifiers and every kind of bad line."""
import json
import math
import unittest

import tool

FILES = ["simplex", "measures", "cost_sensitive", "prox", "jvp", "margins", "structured"]


def load(name):
    return [json.loads(line) for line in (tool.GOLDEN / f"{name}.jsonl").read_text().splitlines()]


def largest_input(case):
    values = [v for key in ("theta", "eta", "mu", "v") for v in case.get(key, []) if not isinstance(v, str)]
    return max(map(abs, values), default=0)


def close(got, expect, tolerance):
    if expect is None or got is None:
        return got is expect
    if isinstance(expect, list):
        return len(got) == len(expect) and all(close(g, e, tolerance) for g, e in zip(got, expect))
    return abs(got - expect) <= tolerance + tolerance * abs(expect)


class Golden(unittest.TestCase):
    def check(self, flags, tolerance, limit):
        for name in FILES:
            cases = [case for case in load(name) if largest_input(case) < limit]
            replies, status = tool.evaluate(cases, *flags)
            self.assertEqual(len(replies), len(cases))
            self.assertEqual(status, 0)
            for case, reply in zip(cases, replies):
                self.assertEqual(reply["id"], case["id"])
                self.assertNotIn("error", reply)
                self.assertNotIn("status", reply)
                self.assertTrue(close(reply["result"], case["expect"], tolerance), (case, reply))

    def test_double(self):
        self.check([], 1e-9, math.inf)

    def test_float(self):
        self.check(["--float"], 2e-5, 200)


class Replies(unittest.TestCase):
    def test_numbers_read_back_to_the_same_bits(self):
        theta = [0.1, 1 / 3, 2e-308, -1.0000000000000002]
        (reply,), _ = tool.evaluate([{"op": "predict", "omega": {"name": "squared"}, "theta": theta}])
        self.assertEqual(reply["result"], theta)

    def test_any_json_value_is_an_id(self):
        ids = [None, 7, "x", [1, {"a": 2}], 1.5, True]
        replies, _ = tool.evaluate([{"id": i, "op": "margin", "omega": "shannon", "d": 3} for i in ids])
        self.assertEqual([reply["id"] for reply in replies], ids)
        self.assertEqual([reply["result"] for reply in replies], [None] * len(ids))

    def test_a_bad_line_does_not_stop_the_stream(self):
        good = {"id": 1, "op": "predict", "omega": "argmax", "theta": [0, 1]}
        replies, status = tool.evaluate([good, "{nonsense", good])
        self.assertEqual(status, 1)
        self.assertEqual([("result" in reply) for reply in replies], [True, False, True])

    def test_blank_lines_are_passed_over_and_empty_input_is_fine(self):
        self.assertEqual(tool.evaluate(["", "  "]), ([], 0))

    def test_masks(self):
        theta = [1.0, "-inf", 0.5]
        for omega in ("shannon", "sparsemax", "tsallis:alpha=0.5", "norm:q=3", "renyi:beta=0.5", "renyi:beta=2",
                      "squared_norm:q=1.3", "pairwise_squared_hinge", "sigmoid", "tsallis_sigmoid:alpha=1.3"):
            (reply,), _ = tool.evaluate([{"op": "predict", "omega": omega, "theta": theta}])
            self.assertEqual(reply["result"][1], 0, omega)

    def test_labels_and_one_hot_targets_agree(self):
        base = {"op": "gradient", "omega": "entmax15", "theta": [0.3, -0.2, 0.9]}
        (by_label, by_vector), _ = tool.evaluate([{**base, "y": 2}, {**base, "y": [0, 0, 1]}])
        self.assertEqual(by_label["result"], by_vector["result"])

    def test_temperature_and_constant(self):
        theta = [0.4, -1.0, 0.8]
        (plain, scaled, moved), _ = tool.evaluate([
            {"op": "conjugate", "omega": {"name": "shannon"}, "theta": [v / 0.5 for v in theta]},
            {"op": "conjugate", "omega": {"name": "shannon", "temperature": 0.5}, "theta": theta},
            {"op": "conjugate", "omega": {"name": "shannon", "temperature": 0.5, "constant": 2}, "theta": theta}])
        self.assertAlmostEqual(scaled["result"], 0.5 * plain["result"], 12)
        self.assertAlmostEqual(moved["result"], scaled["result"] - 2, 12)


class Costs(unittest.TestCase):
    MATRIX = [[0, 1, 4], [1, 0, 2], [4, 2, 0]]

    def test_every_kind(self):
        scores = {"omega": "argmax", "theta": [0.5, 0.25, 0]}
        soft = {"omega": "sparsemax", "theta": [0.5, 0.25, 0], "y": [0.5, 0.5, 0]}
        replies, status = tool.evaluate([
            {"op": "margin", "omega": "argmax", "d": 3, "cost": self.MATRIX},
            {"op": "margin", "omega": "argmax", "d": 3, "cost": "zero_one"},
            {"op": "margin", "omega": "sparsemax", "d": 3, "cost": "zero_one"},
            {"op": "loss", **scores, "y": 1, "cost": self.MATRIX},
            {"op": "gradient", **scores, "y": 2, "cost": self.MATRIX},
            {"op": "loss", **scores, "y": 1, "cost": [1, 2, 3]},
            {"op": "loss", **soft, "cost": self.MATRIX},
            {"op": "loss", **{**soft, "theta": [1, 0.75, 3]}}])  # θ + (C_0 + C_1)/2
        results = [reply["result"] for reply in replies]
        self.assertEqual(status, 0)
        self.assertEqual(results[:6], [4, 1, 2, 1.75, [1, 0, -1], 0.75])
        self.assertAlmostEqual(results[6], results[7], places=12)

    def test_what_is_wrong(self):
        case = {"op": "loss", "omega": "argmax", "theta": [0, 0, 0], "y": 0}
        for changes, problem in (({"cost": [[0, 1], [1]]}, "a row of cost has 1 entry; expected 2"),
                                 ({"cost": [[0, 1], [1, 0]]}, "cost has 2 entries; expected 3"),
                                 ({"cost": "cheap"}, "cost is"), ({"cost": [0, "nan", 1]}, "cost[1]"),
                                 ({"cost": []}, "cost is empty"), ({"cost": [0, 1, 2], "hamming": 1}, "cost and hamming"),
                                 ({"cost": [0, 1, 2], "op": "predict"}, "cost is for loss, gradient and margin")):
            (reply,), status = tool.evaluate([{**case, **changes}])
            self.assertIn(problem, reply["error"])
            self.assertEqual(status, 1)


class Divergences(unittest.TestCase):
    def results(self, *cases):
        replies, status = tool.evaluate([{"id": i, **case} for i, case in enumerate(cases)])
        self.assertEqual(status, 0, replies)
        return [reply["result"] for reply in replies]

    def test_links_divergences_and_risks(self):
        p, mu, theta = [0.2, 0.5, 0.3], [0.6, 0.3, 0.1], [1.0, 0.5, -0.2]
        kl = sum(a * math.log(a / b) for a, b in zip(p, mu))
        entropy = -sum(a * math.log(a) for a in p)
        expected = math.log(sum(map(math.exp, theta))) - sum(a * t for a, t in zip(p, theta))
        link, divergence, generalized, information, expectation, regret, proper, brier = self.results(
            {"op": "link", "omega": "shannon", "mu": mu}, {"op": "bregman_divergence", "omega": "shannon", "y": p, "mu": mu},
            {"op": "kullback_leibler", "y": p, "mu": mu}, {"op": "bayes_risk", "omega": "shannon", "p": p},
            {"op": "expected_loss", "omega": "shannon", "theta": theta, "p": p},
            {"op": "regret", "omega": "shannon", "theta": theta, "p": p},
            {"op": "proper_loss", "omega": "shannon", "p": mu, "y": 1}, {"op": "brier_score", "p": mu, "y": 1})
        for a, b in zip(link[1:], mu[1:]):  # up to a constant
            self.assertAlmostEqual(a - link[0], math.log(b / mu[0]), places=12)
        for got, wanted in ((divergence, kl), (generalized, kl), (information, entropy), (expectation, expected),
                            (regret, expected - entropy), (proper, -math.log(0.3)), (brier, 0.36 + 0.49 + 0.01)):
            self.assertAlmostEqual(got, wanted, places=12)
        boundary, outcomes = self.results(
            {"op": "link", "omega": "shannon", "mu": [1, 0]},
            {"op": "bregman_information", "omega": "squared", "p": [0.5, 0.5], "outcomes": [[1, 0, 0], [0, 0, 2]]})
        self.assertEqual(boundary[1], "-inf")
        self.assertAlmostEqual(outcomes, 0.5 * (0.5 * 1 + 0.5 * 4) - 0.5 * (0.25 + 1))

    def test_names_of_losses(self):
        theta, trees = [0.5, 0.2, -1], {"name": "hinge", "polytope": {"name": "arborescence", "n": 2}}
        pairs = [("hinge", "argmax"), ({"name": "softmax-margin"}, "shannon"), ("sparsemax+margin", "sparsemax")]
        cases = [{"op": op, "omega": omega, "theta": theta, "y": 1, **cost} for op in ("loss", "gradient")
                 for named, plain in pairs for omega, cost in ((named, {}), (plain, {"cost": "zero_one"}))]
        replies, status = tool.evaluate(cases)
        self.assertEqual(status, 0)
        for named, plain in zip(replies[::2], replies[1::2]):
            self.assertEqual(named["result"], plain["result"])
        replies, _ = tool.evaluate([{"op": "predict", "omega": "hinge", "theta": theta},
                                    {"op": "margin", "omega": "hinge", "d": 3},
                                    {"op": "loss", "omega": trees, "theta": [1, 0.5, 0.2, 0.3], "y": [1, 1, 0, 0]},
                                    {"op": "loss", "omega": {**trees, "name": "map"}, "theta": [1, 0.5, 0.2, 0.3],
                                     "y": [1, 1, 0, 0], "hamming": 1}])
        self.assertEqual([reply["result"] for reply in replies[:2]], [[1, 0, 0], 1])
        self.assertEqual(replies[2]["result"], replies[3]["result"])
        wrong = [("crf", {}, "tagging and of structures"), ("hing", {}, "did you mean 'hinge'"),
                 ("hinge", {"cost": "zero_one"}, "has a cost already"), ("one_vs_all", {}, "one_vs_all needs entropy"),
                 ({"name": "sparsemap", "polytope": {"name": "k_subsets", "d": 3}}, {}, "k_subsets needs k")]
        for omega, cost, message in wrong:
            replies, status = tool.evaluate([{"op": "loss", "omega": omega, "theta": theta, "y": 1, **cost}])
            self.assertEqual(status, 1)
            self.assertIn(message, replies[0]["error"])
        replies, _ = tool.evaluate([{"op": "regret", "omega": "hinge", "theta": theta, "p": [1, 0, 0]}])
        self.assertIn("regret is of an omega without one", replies[0]["error"])

    def test_binary_losses_and_projections(self):
        named, of_omega, ball, box = self.results(
            {"op": "binary_loss", "loss": "smoothed_hinge", "s": 0.25, "y": -1},
            {"op": "binary_loss", "omega": "shannon", "s": 0.5, "y": 1},
            {"op": "project", "x": [3, 4], "set": {"name": "ball", "radius": 1}},
            {"op": "project", "x": [3, -4], "set": "box:lower=-1,upper=inf"})
        self.assertEqual(named, {"value": 0.75, "derivative": 1})
        self.assertAlmostEqual(of_omega["value"], math.log1p(math.exp(-0.5)), places=14)
        self.assertEqual([round(entry, 12) for entry in ball], [0.6, 0.8])
        self.assertEqual(box, [3, -1])

    def test_mistakes(self):
        cases = [({"op": "brier_score", "p": [0.5, 0.5], "y": 2}, "0..1"),
                 ({"op": "kullback_leibler", "y": [1], "mu": [1, 2]}, "mu"),
                 ({"op": "binary_loss", "loss": "x", "s": 1, "y": 1}, "expected logistic"),
                 ({"op": "binary_loss", "loss": "hinge", "s": 1, "y": 0}, "1 or -1"),
                 ({"op": "bayes_risk", "omega": "shannon", "p": [1, 0], "outcomes": [[1]]}, "outcomes"),
                 ({"op": "bayes_risk", "omega": "shannon", "p": [1, 0], "outcomes": 3}, "outcomes"),
                 ({"op": "project", "x": [1], "set": {"name": "bal"}}, "ball"),
                 ({"op": "link", "omega": "shannon", "mu": [2, 3]}, "mu")]
        replies, status = tool.evaluate([case for case, _ in cases])
        self.assertEqual(status, 1)
        for reply, (case, message) in zip(replies, cases):
            self.assertIn(message, reply.get("error", ""), case)


class BadLines(unittest.TestCase):
    def fails_with(self, case, *words):
        (reply,), status = tool.evaluate([case])
        self.assertEqual(status, 1)
        self.assertIn("error", reply, case)
        for word in words:
            self.assertIn(word, reply["error"])

    def predict(self, omega, theta):
        return {"op": "predict", "omega": omega, "theta": theta}

    def test_scores(self):
        self.fails_with(self.predict("shannon", [1, "inf"]), "theta", "inf", "finite")
        self.fails_with(self.predict("shannon", ["-inf", "-inf"]), "theta", "-inf everywhere")
        self.fails_with(self.predict("squared", [1, "-inf"]), "theta[1] is -inf", "finite")
        self.fails_with(self.predict("shannon", []), "theta is empty")
        self.fails_with(self.predict("shannon", [1, None]), "theta[1]", "expected a number")
        self.fails_with(self.predict("shannon", "abc"), "theta", "list of numbers")
        self.fails_with('{"op": "predict", "omega": "shannon", "theta": [NaN]}', "the line is not JSON")
        self.fails_with('{"op": "predict", "omega": "shannon", "theta": [1e999]}', "number overflow")

    def test_targets(self):
        base = {"op": "loss", "omega": "shannon", "theta": [0, 1, 2]}
        self.fails_with({**base, "y": [0.5, 0.6, 0]}, "y sums to 1.1", "expected 1")
        self.fails_with({**base, "y": [1.5, -0.5, 0]}, "y[1] is -0.5", ">= 0")
        self.fails_with({**base, "y": [1, 0]}, "y has 2 entries", "expected 3")
        self.fails_with({**base, "y": 3}, "y is 3", "0..2")
        self.fails_with({**base, "y": -1}, "y is -1")
        self.fails_with({**base, "y": 1.5}, "expected an integer")
        self.fails_with(base, "y is missing")
        self.fails_with({**base, "theta": [0, "-inf", 2], "y": [0, 1, 0]}, "masked")
        self.fails_with({**base, "theta": [0, "-inf", 2], "y": 1}, "masked")

    def test_parameters(self):
        for omega, *words in [("tsallis:alpha=0", "alpha is 0", "> 0"), ("tsallis:alpha=-1", "alpha is -1"),
                              ("norm:q=1", "q is 1", "> 1"), ("squared_norm:q=3", "q is 3", "(1, 2]"),
                              ("renyi:beta=-0.1", "beta is -0.1"), ("tsallis:alpha=nan", "alpha", "nan"),
                              ("tsallis:alpha=abc", "alpha is 'abc'", "number"), ("tsallis:beta=1", "no parameter 'beta'"),
                              ("tsallis:alph=1", "did you mean 'alpha'"), ("tsalis", "did you mean 'tsallis'"),
                              ("shanon", "did you mean 'shannon'"), ("", "omega is empty"), ("tsallis:", "key=value"),
                              ({"name": 3}, "name is 3"), ({}, "no name"), ([], "expected an object"),
                              ({"name": "tsallis", "alpha": [1]}, "alpha is [1]", "number"),
                              ({"name": "shannon", "temperature": 0}, "temperature is 0"),
                              ({"name": "shannon", "cost": [1]}, "cost has 1 entry", "expected 2"),
                              ({"name": "one_vs_all", "entropy": {"name": "relu"}}, "entropy is relu", "simplex"),
                              ({"name": "one_vs_all", "entropy": 3}, "entropy is 3")]:
            self.fails_with(self.predict(omega, [0, 1]), *words)

    def test_other_ops(self):
        self.fails_with({"op": "prox", "omega": "shannon", "eta": [1, 2], "tau": -1}, "tau is -1")
        self.fails_with({"op": "prox", "omega": "renyi:beta=2", "eta": [1, 2], "tau": 1}, "not convex")
        self.fails_with({"op": "jvp", "omega": "shannon", "theta": [1, 2], "v": [1]}, "v has 1 entry", "expected 2")
        self.fails_with({"op": "value", "omega": "shannon", "mu": [0.5, 0.7]}, "mu sums to 1.2")
        self.fails_with({"op": "value", "omega": "sigmoid", "mu": [1.2]}, "mu[0] is 1.2", "[0, 1]")
        self.fails_with({"op": "margin", "omega": "shannon", "d": 0}, "d is 0")
        self.fails_with({"op": "margin", "omega": "shannon", "d": 2.5}, "d is 2.5", "integer")
        self.fails_with({"op": "fly", "omega": "shannon"}, "unknown op 'fly'")
        self.fails_with({"omega": "shannon"}, "op is missing")
        self.fails_with({"op": "predict", "theta": [1]}, "omega is missing")
        self.fails_with({"op": "predict", "omega": "poisson", "theta": [1000]}, "the result is inf")
        self.fails_with("[1, 2]", "not a JSON object")

    def test_hostile_text(self):
        deep = "[" * 100000 + "]" * 100000
        self.fails_with('{"id": ' + deep + "}", "nested")
        self.fails_with('{"op": "predict", "omega": ' + deep + ', "theta": [1]}', "nested")
        nested = {"name": "one_vs_all"}
        for _ in range(40):
            nested = {"name": "one_vs_all", "entropy": nested}
        self.fails_with(self.predict(nested, [0]), "deep")
        done = tool.run("eval", stdin=b'{"id": "\xff\xfe"}\n\x00\x01\n')
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(done.stdout.splitlines()), 2)


if __name__ == "__main__":
    unittest.main()
