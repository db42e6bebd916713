# SPDX-License-Identifier: Apache-2.0
"""Real data sets through the tool. They lie in $FENCHEL_DATA, else in ../shared/data; skipped where there is none.

With FENCHEL_ALL_DATA=1 (`make test-data`) all of them, otherwise those that take a second or two.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import tool

DATA = pathlib.Path(os.environ.get("FENCHEL_DATA", tool.ROOT.parent / "shared" / "data"))
ALL = os.environ.get("FENCHEL_ALL_DATA") == "1"
slow = unittest.skipUnless(ALL, "takes long: make test-data")


def train(*arguments):
    done = subprocess.run([tool.TOOL, "train", *map(str, arguments), "--json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{arguments}\n{done.stderr}")
    return json.loads(done.stdout)


@unittest.skipUnless(DATA.is_dir(), "skipped: no data")
class RealData(unittest.TestCase):
    def proportions(self, name, *flags):
        folder = DATA / "mulan" / name
        return train(folder / f"{name}-train.arff", "--test", folder / f"{name}-test.arff", "--task", "proportions",
                     "--scale", "standard", *flags)["test"]

    def test_emotions(self):
        self.assertLessEqual(self.proportions("emotions", "--omega", "tsallis:alpha=1.5", "--lambda", "10")["js"], 0.22)

    def test_other_proportions(self):
        for name in ("birds", "yeast", "scene", *(["tmc2007-500"] if ALL else [])):
            with self.subTest(name):
                self.assertLess(self.proportions(name, "--omega", "sparsemax", "--lambda", "10")["js"], 0.45)

    def test_multilabel(self):
        folder = DATA / "mulan" / "yeast"
        result = train(folder / "yeast-train.arff", "--test", folder / "yeast-test.arff", "--task", "multilabel",
                       "--scale", "standard")["test"]
        self.assertGreater(result["f1_micro"], 0.6)

    def test_classification(self):
        result = train(DATA / "libsvm/dna.scale", "--test", DATA / "libsvm/dna.scale.t", "--omega", "sparsemax")
        self.assertEqual(result["status"], "converged")
        self.assertGreater(result["test"]["accuracy"], 0.92)

    def test_ranking_with_every_preset(self):
        folder = DATA / "rank/mq2008_fold1"
        for preset in ("top1", "k-subsets", "full", "partial", "ranking"):
            with self.subTest(preset):
                result = train(folder / "train.txt.gz", "--test", folder / "test.txt.gz", "--omega", f"sparsemap:w={preset}")
                self.assertGreater(result["test"]["ndcg_10"], 0.65)

    def test_label_ranking_with_every_preset(self):
        for name in ("iris", "vehicle", "vowel", "authorship"):
            for preset in ("top1", "k-subsets", "full", "partial", "ranking"):
                with self.subTest(f"{name} {preset}"):
                    result = train(DATA / "label_ranking" / f"{name}.txt", "--omega", f"sparsemap:w={preset}")
                    self.assertGreater(result["train"]["kendall_tau"], 0.3)

    @slow
    def test_chunking(self):
        folder = DATA / "conll2000"
        for omega, floor, flags in (("crf", 0.9343, ["--tolerance", "1e-5"]), ("hinge", 0.925, ["--max-iterations", "20"]),
                                    ("perceptron", 0.92, ["--max-iterations", "15"]),
                                    ("sparsemap", 0.8, ["--max-iterations", "15"])):
            with self.subTest(omega):
                result = train(folder / "train.txt.gz", "--test", folder / "test.txt.gz", "--task", "tagging", "--omega",
                               omega, "--template", "crfsuite-chunking", "--lambda", "2", *flags)
                self.assertGreater(result["test"]["chunk_f1"], floor)

    @slow
    def test_wide_sparse_text(self):
        for name in ("ng20", "rcv1sub1"):
            folder = DATA / "sparse_multilabel" / name
            result = train(folder / f"{name}-train.svm.gz", "--test", folder / f"{name}-test.svm.gz", "--task", "proportions",
                           "--omega", "sparsemax", "--lambda", "0.1", "--intercept", "penalised")
            self.assertEqual(result["status"], "converged", name)


@unittest.skipUnless(DATA.is_dir(), "skipped: no data")
class AgainstScikitLearn(unittest.TestCase):
    """Every coefficient, where scikit-learn is at hand (make test-data installs it into .venv)."""

    def test_coefficients(self):
        try:
            import numpy
            from sklearn.datasets import load_svmlight_file
            from sklearn.linear_model import LogisticRegression
        except ImportError:
            self.skipTest("scikit-learn is not installed")
        for name in ("dna.scale", "letter.scale.svm.gz"):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                model = pathlib.Path(folder) / "m.safetensors"
                train(DATA / "libsvm" / name, "--model", model, "--tolerance", "1e-12", "--max-iterations", "5000")
                raw = model.read_bytes()
                length = int.from_bytes(raw[:8], "little")
                header = json.loads(raw[8:8 + length])

                def tensor(key):
                    begin, end = header[key]["data_offsets"]
                    return numpy.frombuffer(raw[8 + length + begin:8 + length + end]).reshape(header[key]["shape"])

                x, y = load_svmlight_file(str(DATA / "libsvm" / name))
                reference = LogisticRegression(C=1, tol=1e-9, max_iter=20000).fit(x, y)
                self.assertLess(abs(tensor("weights").T - reference.coef_).max(), 1e-4)
                ours = tensor("intercept") - tensor("intercept").mean()
                self.assertLess(abs(ours - (reference.intercept_ - reference.intercept_.mean())).max(), 1e-4)


if __name__ == "__main__":
    unittest.main()
