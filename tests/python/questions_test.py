# SPDX-License-Identifier: Apache-2.0
"""What users of such software complain about, by the numbers of docs/faq.md.

Those about tensors are in torch_*_test.py, that about the wheel in package_test.py.
"""
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import fenchel
import numpy as np

try:
    from fenchel.sklearn import FenchelYoungClassifier, FenchelYoungProportions, SequenceTagger
except ImportError:
    SequenceTagger = None


def sentences(count):
    random = np.random.default_rng(0)
    words = random.integers(8, size=(count, 6))
    return [[{"word": str(word)} for word in row] for row in words], [[str(word % 3) for word in row] for row in words]


class Questions(unittest.TestCase):
    def test_07_every_size_of_the_support(self):
        theta = np.random.default_rng(0).normal(size=(500, 7)) * np.logspace(-2, 1, 500)[:, None]
        for omega in (fenchel.Tsallis(2), fenchel.Tsallis(1.5), fenchel.Norm(np.inf)):
            p = fenchel.predict(theta, omega)
            self.assertEqual(set((p > 0).sum(axis=1)), set(range(1, 8)))
            np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-12)
            losses = fenchel.loss(theta, p, omega)
            np.testing.assert_allclose(losses, 0, atol=1e-12)
            worst = np.eye(7)[theta.argmin(axis=1)]
            # Ω*(θ) + Ω(y) − ⟨θ, y⟩, which nothing clamps at 0
            unclamped = fenchel.conjugate(theta, omega) + fenchel.value(worst, omega) - (theta * worst).sum(axis=1)
            self.assertGreaterEqual(unclamped.min(), -1e-12)
            np.testing.assert_allclose(fenchel.loss(theta, worst, omega), unclamped, atol=1e-12)

    def test_conjugates_are_those_of_half_the_squared_norm(self):
        """max ⟨θ, p⟩ − ½‖p‖², where peers' sparsemax semirings subtract ‖p‖: over classes, and over all sequences."""
        theta = np.random.default_rng(5).normal(size=(50, 6))
        p = fenchel.sparsemax(theta)
        expected = (theta * p).sum(axis=1) - 0.5 * (p**2).sum(axis=1) + 0.5  # Ω is 0 at the corners
        np.testing.assert_allclose(fenchel.conjugate(theta, fenchel.Tsallis(2)), expected, atol=1e-12)
        chain = fenchel.Sequence(3, 2)
        scores = np.random.default_rng(6).normal(size=chain.shape)
        tags = np.array(np.meshgrid(*[[0, 1]] * 3)).reshape(3, -1).T
        structures = chain.encode(tags).reshape(len(tags), -1)
        q = fenchel.sparsemax(structures @ scores.ravel())
        np.testing.assert_allclose(fenchel.predict(scores, fenchel.StructuredSparsemax(chain)).ravel(), q @ structures,
                                   atol=1e-9)

    def test_12_alignments_of_different_lengths(self):
        random = np.random.default_rng(1)
        costs = [random.random((m, n)) for m, n in ((3, 5), (6, 2), (4, 4))]
        expected = [fenchel.soft_dtw(cost, gamma=0.5) for cost in costs]
        padded = np.zeros((3, 6, 5))
        for i, cost in enumerate(costs):
            padded[i, :cost.shape[0], :cost.shape[1]] = -cost / 0.5
        lengths = [cost.shape for cost in costs]
        distribution = fenchel.Distribution(fenchel.Alignment(6, 5), padded, lengths=lengths, n_threads=2)
        np.testing.assert_allclose(-0.5 * distribution.log_partition, expected)
        ragged = fenchel.Distribution([fenchel.Alignment(*cost.shape) for cost in costs], [-cost / 0.5 for cost in costs])
        np.testing.assert_allclose(-0.5 * np.array(ragged.log_partition), expected)
        banded = fenchel.soft_dtw(random.random((30, 30)), gamma=1.0, band=3)
        self.assertTrue(np.isfinite(banded))

    def test_13_distributions(self):
        random = np.random.default_rng(2)
        for scale in (1, 1e3, 1e8):
            trees = fenchel.Distribution(fenchel.Arborescence(12, single_root=True), scale * random.normal(size=(4, 12, 12)))
            self.assertTrue((trees.log_prob(trees.map) <= 1e-9 * scale).all())
            self.assertTrue((trees.entropy >= -1e-9 * scale).all())
            self.assertEqual(trees.k_best(5).scores.shape, (4, 5))
        long = fenchel.Distribution(fenchel.Sequence(60, 5), random.normal(size=(60, 5, 5)))
        best = long.k_best(15)
        self.assertTrue((np.diff(best.scores) <= 0).all())
        self.assertEqual(len(np.unique(best.structures.reshape(15, -1), axis=0)), 15)

    @unittest.skipIf(SequenceTagger is None, "scikit-learn is not installed")
    def test_15_taggers_in_threads(self):
        x, y = sentences(60)
        fits = [SequenceTagger(n_jobs=jobs, max_iter=20, tol=1e-3).fit(x, y) for jobs in (1, 2)]
        self.assertEqual(fits[0].transition_features_, fits[1].transition_features_)
        done = []
        threads = [threading.Thread(target=lambda: done.append(SequenceTagger(tol=1e-3).fit(x, y).predict(x))) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(done, [fits[0].predict(x)] * 3)

    @unittest.skipIf(SequenceTagger is None, "scikit-learn is not installed")
    def test_16_soft_labels(self):
        random = np.random.default_rng(3)
        x, y = random.normal(size=(80, 4)), random.dirichlet(np.ones(3), size=80)
        soft = FenchelYoungProportions("logistic", tol=1e-9).fit(x, y)
        # The same as every class of a row with its share as weight.
        weighted = FenchelYoungClassifier("logistic", tol=1e-9).fit(
            np.repeat(x, 3, axis=0), np.tile(np.arange(3), 80), sample_weight=y.ravel())
        np.testing.assert_allclose(soft.coef_, weighted.coef_, atol=1e-5)

    @unittest.skipIf(SequenceTagger is None, "scikit-learn is not installed")
    def test_20_probabilities_of_any_omega(self):
        random = np.random.default_rng(4)
        x, y = random.normal(size=(60, 3)), random.integers(4, size=60)
        for name in ("shannon", "tsallis:alpha=1.3", "norm:q=3", "squared_norm:q=1.5", "renyi:beta=0.5"):
            p = FenchelYoungClassifier(name).fit(x, y).predict_proba(100 * x)
            self.assertTrue((p >= 0).all(), name)
            np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-12, err_msg=name)

    def test_fork_and_spawn(self):
        code = ("import multiprocessing, numpy, fenchel\n"
                "def work(seed):\n"
                "    return fenchel.sparsemax(numpy.random.default_rng(seed).normal(size=(50, 9)), n_threads=2).sum()\n"
                "if __name__ == '__main__':\n"
                "    work(0)\n"
                "    for way in ('fork', 'spawn'):\n"
                "        with multiprocessing.get_context(way).Pool(2) as pool:\n"
                "            print(way, round(sum(pool.map(work, range(4)))))\n")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "pools.py"
            path.write_text(code)
            done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.stdout.split(), ["fork", "200", "spawn", "200"], done.stderr)


if __name__ == "__main__":
    unittest.main()
