# SPDX-License-Identifier: Apache-2.0
"""Distributions over structures against enumeration of all structures, and golden cases."""
import itertools
import json
import pathlib
import unittest

import numpy as np

import fenchel

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden" / "structured.jsonl"


def paths(m, n):
    """All monotone paths through a grid, as lists of cells."""
    def extend(path):
        i, j = path[-1]
        if (i, j) == (m - 1, n - 1):
            yield path
        for di, dj in ((1, 0), (0, 1), (1, 1)):
            if i + di < m and j + dj < n:
                yield from extend([*path, (i + di, j + dj)])
    return list(extend([(0, 0)]))


def is_tree(heads):
    """Whether every word reaches the root, −1."""
    for word in range(len(heads)):
        for _ in heads:
            word = heads[word] if word >= 0 else word
        if word >= 0:
            return False
    return True


def is_projective(heads):
    """Whether no two arcs cross, the root before the first word."""
    arcs = [tuple(sorted((head, word))) for word, head in enumerate(heads)]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


def all_labels(polytope):
    """Every structure in its short form, found without the library."""
    spec = polytope.spec
    name = spec["name"]
    if name in ("sequence", "chain"):
        return list(itertools.product(range(spec["m"]), repeat=spec["n"]))
    if name in ("arborescence", "projective_tree"):
        n = spec["n"]
        heads = [h for h in itertools.product(range(-1, n), repeat=n)
                 if all(h[m] != m for m in range(n)) and is_tree(h)]
        if spec.get("single_root"):
            heads = [h for h in heads if h.count(-1) == 1]
        return [h for h in heads if name == "arborescence" or is_projective(h)]
    if name in ("birkhoff", "permutahedron"):
        return list(itertools.permutations(range(polytope.shape[0])))
    if name == "alignment":
        return paths(spec["m"], spec["n"])
    if name == "k_subsets":
        return list(itertools.combinations(range(spec["d"]), spec["k"]))
    if name == "cube":
        return [c for k in range(spec["d"] + 1) for c in itertools.combinations(range(spec["d"]), k)]
    return list(range(spec["d"]))


WITH_MARGINALS = (fenchel.Simplex(4), fenchel.KSubsets(5, 2), fenchel.Cube(3), fenchel.Sequence(3, 2),
                  fenchel.Chain(3, 2), fenchel.Chain(3, 3, boundary=True), fenchel.Alignment(3, 4),
                  fenchel.Arborescence(3), fenchel.Arborescence(4, single_root=True), fenchel.ProjectiveTree(4))
WITHOUT = (fenchel.Birkhoff(3), fenchel.Permutahedron([4.0, 2.0, 1.0]))


class Enumeration(unittest.TestCase):
    def structures(self, polytope):
        return np.array([polytope.encode(labels) for labels in all_labels(polytope)])

    def each(self, polytopes):
        for number, polytope in enumerate(polytopes):
            with self.subTest(polytope=polytope):
                theta = 1.5 * np.random.default_rng(number).normal(size=polytope.shape)
                structures = self.structures(polytope)
                scores = structures.reshape(len(structures), -1) @ theta.ravel()
                yield polytope, polytope.distribution(theta), theta, structures, scores

    def test_map_and_k_best(self):
        for polytope, made, theta, structures, scores in self.each((*WITH_MARGINALS, *WITHOUT)):
            order = np.argsort(-scores, kind="stable")
            np.testing.assert_array_equal(made.map, structures[order[0]])
            best = made.k_best(5)
            k = min(5, len(structures))
            np.testing.assert_array_equal(best.structures, structures[order[:k]])
            np.testing.assert_allclose(best.scores, scores[order[:k]], atol=1e-12)
            self.assertEqual(made.k_best(1000).structures.shape, (len(structures), *polytope.shape))

    def test_marginals_partition_entropy_covariance(self):
        for polytope, made, theta, structures, scores in self.each(WITH_MARGINALS):
            log_partition = np.logaddexp.reduce(scores)
            p = np.exp(scores - log_partition)
            flat = structures.reshape(len(p), -1)
            mean = p @ flat
            np.testing.assert_allclose(made.log_partition, log_partition, atol=1e-12)
            np.testing.assert_allclose(made.marginals, mean.reshape(polytope.shape), atol=1e-12)
            np.testing.assert_allclose(made.entropy, -(p @ np.log(p)), atol=1e-12)
            np.testing.assert_allclose(made.log_prob(structures), np.log(p), atol=1e-11)
            np.testing.assert_allclose(made.log_prob(structures[0]), np.log(p[0]), atol=1e-11)
            v = np.cos(theta)
            covariance = (flat - mean).T * p @ (flat - mean)
            np.testing.assert_allclose(made.covariance_product(v).ravel(), covariance @ v.ravel(), atol=1e-11)

    def test_samples_have_the_right_frequencies(self):
        count = 20000
        for polytope, made, theta, structures, scores in self.each(WITH_MARGINALS):
            p = np.exp(scores - np.logaddexp.reduce(scores))
            draws = made.sample(count, seed=3).reshape(count, -1)
            flat = structures.reshape(len(p), -1)
            which = (draws @ (rng := np.random.default_rng(9).normal(size=flat.shape[1])))[:, None]
            found = np.bincount(np.abs(which - flat @ rng).argmin(1), minlength=len(p))
            # Six standard deviations: the seed is fixed, so that this does not fail now and then.
            self.assertLess(np.abs((found - count * p) / np.sqrt(count * p * (1 - p) + 1)).max(), 6)
            np.testing.assert_array_equal(draws, made.sample(count, seed=3).reshape(count, -1))

    def test_sparsemap_is_optimal(self):
        for polytope, made, theta, structures, scores in self.each((*WITH_MARGINALS, *WITHOUT)):
            mu = made.sparsemap
            flat = structures.reshape(len(structures), -1)
            slope = (theta - mu).ravel()
            self.assertLess((flat @ slope).max() - mu.ravel() @ slope, 1e-8)  # the projection's optimality condition
            mixture = made.sparsemap_mixture()
            self.assertAlmostEqual(mixture.weights.sum(), 1, places=12)
            self.assertGreater(mixture.weights.min(), 0)
            np.testing.assert_allclose(np.tensordot(mixture.weights, mixture.structures, 1), mu, atol=1e-8)
            for structure in mixture.structures:
                self.assertLess(np.abs(structures - structure).reshape(len(structures), -1).sum(1).min(), 1e-12)

    def test_short_forms(self):
        for polytope in (*WITH_MARGINALS, *WITHOUT):
            labels = all_labels(polytope)
            for one in labels:
                np.testing.assert_array_equal(polytope.decode(polytope.encode(one)), one)
            self.assertEqual(len({polytope.encode(one).tobytes() for one in labels}), len(labels))


class GoldenCases(unittest.TestCase):
    def cases(self, op):
        lines = GOLDEN.read_text(encoding="utf-8").splitlines()
        return [case for case in map(json.loads, filter(str.strip, lines)) if case["op"] == op]

    def test_in_one_ragged_batch(self):
        for op in ("predict", "conjugate", "loss"):
            cases = self.cases(op)
            theta = [np.array([float(score) for score in case["theta"]]) for case in cases]
            omega = [case["omega"] for case in cases]
            y = [[np.array(case["y"], float) for case in cases]] if op == "loss" else []
            for threads in (1, 2):
                for case, result in zip(cases, getattr(fenchel, op)(theta, *y, omega, n_threads=threads)):
                    np.testing.assert_allclose(result, case["expect"], rtol=1e-6, atol=1e-8, err_msg=case["id"])

    def test_by_distributions(self):
        seen = set()
        asked = {("marginal", "predict"): "marginals", ("marginal", "conjugate"): "log_partition",
                 ("sparsemap", "predict"): "sparsemap", ("map", "predict"): "map"}
        for op in ("predict", "conjugate"):
            for case in self.cases(op):
                omega = case["omega"]
                name = asked.get((omega["name"], op))
                if name is None or {"temperature", "constant", "cost"} & set(omega):
                    continue
                made = fenchel.Distribution(omega["polytope"], [float(score) for score in case["theta"]])
                np.testing.assert_allclose(getattr(made, name), case["expect"], rtol=1e-6, atol=1e-8,
                                           err_msg=case["id"])
                seen.add(name)
        self.assertGreaterEqual(seen, {"marginals", "log_partition", "sparsemap"})


if __name__ == "__main__":
    unittest.main()
