# SPDX-License-Identifier: Apache-2.0
"""Rankings of documents, and scores with weights."""
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

try:
    from fenchel.sklearn import DocumentRanker, FenchelYoungProportions, LabelRanker, load
    from scipy.sparse import csr_matrix
    from sklearn.base import clone
except ImportError as error:
    raise unittest.SkipTest(f"scikit-learn is missing: {error}")

import fenchel

TOOL = pathlib.Path(__file__).parents[2] / "build" / "fenchel"
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4)).round(3)
QID = np.repeat([7, 3, 9, 1, 5, 4], 10)
Y = np.digitize(X @ [1, -2, 0.5, 0] + 0.3 * RNG.normal(size=60), [-1, 1]).astype(float)


class Documents(unittest.TestCase):
    def test_learns_an_order(self):
        for omega in (None, "entropic", "hinge", "entropic:w=top1", "squared"):
            with self.subTest(omega=omega):
                ranker = DocumentRanker(omega, reg_lambda=0.1, max_iter=3000, tol=1e-4).fit(X, Y, QID)
                self.assertGreater(ranker.score(X, Y, QID), 0.9)
                self.assertLess(ranker.coef_[1], 0)
                np.testing.assert_allclose(ranker.predict(X), X @ ranker.coef_, atol=1e-12)

    def test_rows_in_any_order(self):
        ranker = DocumentRanker(reg_lambda=0.1).fit(X, Y, QID)
        # Queries apart from each other, but their documents and they themselves in the same order: the same bits.
        mixed = np.argsort(np.tile(np.arange(10), 6), kind="stable")
        again = DocumentRanker(reg_lambda=0.1).fit(X[mixed], Y[mixed], QID[mixed])
        np.testing.assert_array_equal(again.coef_, ranker.coef_)
        self.assertEqual(again.score(X[mixed], Y[mixed], QID[mixed]), ranker.score(X, Y, QID))
        np.testing.assert_array_equal(ranker.transform_queries(X[mixed], QID[mixed]), ranker.transform_queries(X, QID)[mixed])
        texts = DocumentRanker(reg_lambda=0.1).fit(csr_matrix(X), Y, [f"query {q}" for q in QID])
        np.testing.assert_allclose(texts.coef_, ranker.coef_, atol=1e-9)

    def test_outputs_are_projections(self):
        ranker = DocumentRanker(reg_lambda=0.01).fit(X, Y, QID)
        worths = np.arange(10, 0, -1) / 55.0
        for query in np.unique(QID):
            theta = ranker.predict(X[QID == query])
            expected = fenchel.sparsemap(theta, fenchel.Permutahedron(worths))
            np.testing.assert_allclose(ranker.transform_queries(X, QID)[QID == query], expected, atol=1e-9)

    @unittest.skipUnless(TOOL.exists(), "the tool is not built")
    def test_same_as_the_tool(self):
        with tempfile.TemporaryDirectory() as folder:
            data, model = pathlib.Path(folder) / "data.svm", pathlib.Path(folder) / "m.safetensors"
            numbers = {query: k + 1 for k, query in enumerate(dict.fromkeys(QID.tolist()))}
            data.write_text("".join(f"{int(y)} qid:{numbers[q]} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row.tolist()))
                                    + "\n" for row, y, q in zip(X, Y, QID.tolist())))
            subprocess.run([str(TOOL), "train", str(data), "--task", "ranking", "--lambda", "0.1", "--model", str(model),
                            "--quiet"], check=True, stdout=subprocess.DEVNULL)
            tool = load(model)
        self.assertIsInstance(tool, DocumentRanker)
        np.testing.assert_array_equal(tool.coef_, DocumentRanker(reg_lambda=0.1).fit(X, Y, QID).coef_)

    def test_files_and_copies(self):
        ranker = DocumentRanker("entropic", reg_lambda=0.5, scale="standard").fit(X, Y, QID)
        with tempfile.TemporaryDirectory() as folder:
            ranker.save(pathlib.Path(folder) / "m.safetensors")
            again = load(pathlib.Path(folder) / "m.safetensors")
        np.testing.assert_array_equal(again.predict(X), ranker.predict(X))
        self.assertEqual(again.get_params(), ranker.get_params())
        self.assertFalse(hasattr(clone(ranker), "model_"))

    def test_errors(self):
        for message, call in (("qid is None", lambda: DocumentRanker().fit(X, Y, None)),
                              ("inconsistent", lambda: DocumentRanker().fit(X, Y, QID[:5])),
                              ("qid has shape", lambda: DocumentRanker().fit(X, Y, QID[:, None])),
                              ("NaN", lambda: DocumentRanker().fit(X, np.full(60, np.nan), QID)),
                              ("NaN", lambda: DocumentRanker().fit(X, Y, QID).score(X, np.full(60, np.nan), QID)),
                              ("is over simplex", lambda: DocumentRanker("tsallis:alpha=3").fit(X, Y, QID))):
            with self.subTest(message=message), self.assertRaisesRegex(ValueError, message):
                call()
        with self.assertRaisesRegex(NotImplementedError, "certificates"):
            DocumentRanker().fit(X, Y, QID).verify(X, Y)


class WeightedScores(unittest.TestCase):
    def test_a_weight_of_two_is_two_rows(self):
        shares, ranks = RNG.dirichlet(np.ones(3), 60), np.argsort(RNG.random((60, 3)), 1) + 1
        weights = RNG.integers(0, 3, 60)
        twice = np.repeat(np.arange(60), weights)
        for estimator, y in ((FenchelYoungProportions().fit(X, shares), shares), (LabelRanker().fit(X, ranks), ranks)):
            with self.subTest(type(estimator).__name__):
                weighted = estimator.score(X, y, sample_weight=weights)
                self.assertAlmostEqual(weighted, estimator.score(X[twice], y[twice]), places=12)
                self.assertAlmostEqual(estimator.score(X, y, sample_weight=np.ones(60)), estimator.score(X, y), places=12)
                with self.assertRaisesRegex(ValueError, "at least one non-zero"):
                    estimator.score(X, y, sample_weight=np.zeros(60))

    def test_rows_of_ties_have_no_order(self):
        ranks = np.argsort(RNG.random((60, 3)), 1) + 1
        ranks[:10] = 1
        ranker = LabelRanker().fit(X, ranks)
        self.assertAlmostEqual(ranker.score(X, ranks, np.ones(60)), ranker.score(X, ranks), places=12)
        first = (np.arange(60) < 20).astype(float)
        self.assertAlmostEqual(ranker.score(X, ranks, first), ranker.score(X[:20], ranks[:20]), places=12)


if __name__ == "__main__":
    unittest.main()
