# SPDX-License-Identifier: Apache-2.0
"""Distributions over structures: batches, lengths, ragged lists, threads, bad input."""
import multiprocessing
import os
import pickle
import threading
import unittest

import fenchel
import numpy as np


class Batches(unittest.TestCase):
    def setUp(self):
        self.lengths = np.array([[4, 2], [1, 3]])
        self.rng = np.random.default_rng(5)

    def test_leading_axes(self):
        theta = self.rng.normal(size=(2, 3, 4, 4))
        polytope = fenchel.Arborescence(4)
        made = polytope.distribution(theta)
        for index in np.ndindex(2, 3):
            one = polytope.distribution(theta[index])
            np.testing.assert_array_equal(made.marginals[index], one.marginals)
            np.testing.assert_array_equal(made.map[index], one.map)
            self.assertEqual(made.log_partition[index], one.log_partition)
            np.testing.assert_array_equal(made.k_best(3).scores[index], one.k_best(3).scores)
            np.testing.assert_array_equal(made.sparsemap[index], one.sparsemap)
        self.assertEqual(made.decode(made.map).shape, (2, 3, 4))
        self.assertEqual(made.sample(7, seed=0).shape, (2, 3, 7, 4, 4))
        self.assertEqual(made.log_prob(made.sample(7, seed=0)).shape, (2, 3, 7))
        flat = polytope.distribution(theta.reshape(2, 3, 16))
        np.testing.assert_array_equal(flat.marginals, made.marginals.reshape(2, 3, 16))

    def test_lengths(self):
        for polytope in (fenchel.Sequence(4, 2), fenchel.Chain(4, 2), fenchel.Chain(4, 2, boundary=True),
                         fenchel.Arborescence(4), fenchel.ProjectiveTree(4)):
            theta = self.rng.normal(size=(2, 2, *polytope.shape))
            theta_padded = theta.copy().reshape(4, -1)
            for row, length in zip(theta_padded, self.lengths.ravel()):
                used = polytope.of_length(length)[1]
                row[np.setdiff1d(np.arange(polytope.dimension), used)] = np.nan  # the padding does not matter
            theta_padded = theta_padded.reshape(theta.shape)
            made = polytope.distribution(theta_padded, self.lengths)
            for index in np.ndindex(2, 2):
                small, used = polytope.of_length(self.lengths[index])
                one = small.distribution(theta[index].ravel()[used])
                for name in ("marginals", "map", "sparsemap"):
                    padded = getattr(made, name)[index].ravel()
                    np.testing.assert_array_equal(padded[used], getattr(one, name))
                    self.assertEqual(np.delete(padded, used).any(), False)
                self.assertEqual(made.log_partition[index], one.log_partition)
                self.assertEqual(made.entropy[index], one.entropy)
                np.testing.assert_array_equal(made.decode(made.map)[2 * index[0] + index[1]], small.decode(one.map))
            best = made.k_best(1).scores[..., 0] - made.log_partition
            np.testing.assert_allclose(made.log_prob(made.map), best, atol=1e-12)
            bad = np.array(made.map)
            bad[1, 0].ravel()[-1 if polytope.spec["name"] != "chain" else polytope.n * polytope.m - 1] = 1
            with self.assertRaisesRegex(ValueError, "example 2: y is not 0 in the padding"):
                made.log_prob(bad)

    def test_two_lengths_of_an_alignment(self):
        theta = self.rng.normal(size=(2, 3, 4))
        made = fenchel.Distribution(fenchel.Alignment(3, 4), theta, [[3, 4], [2, 1]])
        one = fenchel.Alignment(2, 1).distribution(theta[1, :2, :1])
        np.testing.assert_array_equal(made.marginals[1, :2, :1], one.marginals)
        self.assertEqual([path.tolist() for path in made.decode(made.map)][1], [[0, 0], [1, 0]])

    def test_ragged(self):
        theta = [self.rng.normal(size=(n, n)).astype(np.float32) for n in (2, 4, 1)]
        made = fenchel.Distribution(lambda scores: fenchel.Arborescence(len(scores)), theta)
        listed = fenchel.Distribution([fenchel.Arborescence(n) for n in (2, 4, 1)], theta)
        self.assertEqual([mu.dtype for mu in made.marginals], [np.dtype(np.float32)] * 3)
        for i, scores in enumerate(theta):
            one = fenchel.Arborescence(len(scores)).distribution(scores)
            for distribution in (made, listed):
                np.testing.assert_array_equal(distribution.marginals[i], one.marginals)
                self.assertEqual(distribution.log_partition[i], one.log_partition)
                np.testing.assert_array_equal(distribution.k_best(3).scores[i], np.ravel(one.k_best(3).scores))
        self.assertEqual([len(heads) for heads in made.decode(made.map)], [2, 4, 1])
        self.assertEqual([y.shape for y in made.sample(5, seed=1)], [(5, 2, 2), (5, 4, 4), (5, 1, 1)])
        self.assertEqual([p.shape for p in made.log_prob(made.sample(5, seed=1))], [(5,)] * 3)

    def test_any_number_of_threads_gives_the_same_bits(self):
        theta = self.rng.normal(size=(30, 6, 6))
        for polytope in (fenchel.Arborescence(6), fenchel.ProjectiveTree(6)):
            one, two = (polytope.distribution(theta, n_threads=threads) for threads in (1, 2))
            for name in ("map", "marginals", "log_partition", "entropy", "sparsemap"):
                np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
            np.testing.assert_array_equal(one.sample(3, 1), two.sample(3, 1))
            np.testing.assert_array_equal(one.k_best(4).structures, two.k_best(4).structures)

    def test_chain_scores_and_parts(self):
        chain = fenchel.Chain(3, 2, boundary=True)
        parts = (self.rng.normal(size=(5, 3, 2)), self.rng.normal(size=(2, 2)), [0.1, 0.2], [0.3, 0.4])
        theta = chain.scores(*parts)
        self.assertEqual(theta.shape, (5, chain.dimension))
        for given, part in zip(parts, chain.parts(theta)):
            np.testing.assert_array_equal(np.broadcast_to(given, part.shape), part)
        with self.assertRaisesRegex(ValueError, "transitions has shape"):
            chain.scores(parts[0], np.zeros((3, 3)), *parts[2:])
        with self.assertRaisesRegex(ValueError, "start and end"):
            chain.scores(*parts[:2])


class BadInput(unittest.TestCase):
    def test_messages(self):
        tree, zeros = fenchel.Arborescence(3), np.zeros((3, 3))
        bad = zeros.copy()
        bad[1, 1] = np.nan
        cases = (
            ("theta.*nan", lambda: tree.distribution(bad).marginals),
            ("example 1.*nan", lambda: tree.distribution([zeros, bad]).map),
            (r"theta has shape \(2, 2\); expected \(3, 3\)", lambda: tree.distribution(np.zeros((2, 2)))),
            ("masks every", lambda: tree.distribution(np.full((3, 3), -np.inf)).marginals),
            ("permanent", lambda: fenchel.Birkhoff(3).distribution(zeros).marginals),
            ("k is 0", lambda: tree.distribution(zeros).k_best(0)),
            ("k is 10000000", lambda: tree.distribution(zeros).k_best(10000000)),
            ("count is 0", lambda: tree.distribution(zeros).sample(0)),
            ("seed is -1", lambda: tree.distribution(zeros).sample(1, -1)),
            ("y", lambda: tree.distribution(zeros).log_prob(zeros)),
            ("y has shape", lambda: tree.distribution(zeros).log_prob(np.zeros((2, 2)))),
            ("v has one more axis", lambda: tree.distribution(zeros).covariance_product(np.zeros((2, 3, 3)))),
            ("a length is 4; expected 1 to 3", lambda: tree.distribution([zeros, zeros], [4, 1])),
            (r"lengths has shape \(1,\)", lambda: tree.distribution([zeros, zeros], [1])),
            ("have no length", lambda: fenchel.Permutahedron([1, 2]).distribution([0, 1], 1)),
            ("polytope has 1 entries", lambda: fenchel.Distribution([tree], [zeros, zeros])),
            (r"theta\[1\] has shape", lambda: fenchel.Distribution([tree, tree], [zeros, np.zeros((2, 2))])),
            ("several lengths", lambda: tree.distribution([[1.0], [2.0, 3.0]])),
            ("cycle", lambda: tree.encode([1, 2, 0])),
            ("structure 1: heads", lambda: tree.encode([[-1, 0, 0], [0, 1, 2]])),
            ("no shorter form", lambda: fenchel.Transport([1.0], [1.0]).decode([[1.0]])),
            ("y", lambda: tree.decode(np.full((3, 3), 1 / 3))),
            ("rank 1 is 0; expected a permutation", lambda: fenchel.Permutahedron([2, 1]).encode([0, 0])),
            ("a path has shape", lambda: fenchel.Alignment(2, 2).encode([0, 0, 1, 1])),
            ("labels has rows of several", lambda: tree.encode([[-1, 0, 0], [-1]])),
            ("twice", lambda: fenchel.Cube(3).encode([1, 1])),
            ("unknown polytope", lambda: fenchel.Distribution("arboresence:n=3", zeros)),
        )
        for pattern, function in cases:
            with self.subTest(pattern), self.assertRaisesRegex(ValueError, pattern):
                function()
        for function in (lambda: fenchel.Distribution(3, zeros), lambda: tree.distribution([["a"]]),
                         lambda: tree.distribution(zeros).k_best(2.5),
                         lambda: tree.encode([0.5, 1, 2]), lambda: tree.distribution([zeros], [1.5])):
            with self.assertRaises(TypeError):
                function()

    def test_empty(self):
        made = fenchel.Arborescence(3).distribution(np.zeros((0, 3, 3)))
        self.assertEqual((made.marginals.shape, made.log_partition.shape), ((0, 3, 3), (0,)))
        self.assertEqual(made.sample(2, 0).shape, (0, 2, 3, 3))
        made = fenchel.Distribution([], [])
        self.assertEqual((made.marginals, made.k_best(2).structures, made.log_partition.shape), ([], [], (0,)))

    def test_results_that_are_kept_are_read_only(self):
        with self.assertRaises(ValueError):
            fenchel.Cube(2).distribution([0.0, 1.0]).marginals[0] = 3


def child(theta, queue):
    queue.put(fenchel.Arborescence(5).distribution(theta, n_threads=2).marginals.tolist())


class Processes(unittest.TestCase):
    def test_threads_fork_and_pickles(self):
        theta = np.random.default_rng(7).normal(size=(40, 5, 5))
        expected = fenchel.Arborescence(5).distribution(theta, n_threads=2).marginals
        wrong = []

        def work():
            if not np.array_equal(fenchel.Arborescence(5).distribution(theta, n_threads=2).marginals, expected):
                wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        process = context.Process(target=child, args=(theta, queue))
        process.start()
        self.assertEqual(queue.get(timeout=60), expected.tolist())
        process.join(timeout=60)
        for polytope in (fenchel.Sequence(3, 2), fenchel.Chain(3, 2, boundary=True), fenchel.Permutahedron([2.0, 1.0]),
                         fenchel.Transport([1.0], [0.5, 0.5])):
            made = pickle.loads(pickle.dumps(polytope.distribution(np.zeros(polytope.dimension))))
            np.testing.assert_array_equal(made.map, polytope.distribution(np.zeros(polytope.dimension)).map)
            again = pickle.loads(pickle.dumps(polytope))
            self.assertEqual((again, type(again), again.shape), (polytope, type(polytope), polytope.shape))


if __name__ == "__main__":
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    unittest.main()
