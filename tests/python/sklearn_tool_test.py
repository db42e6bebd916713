# SPDX-License-Identifier: Apache-2.0
"""Estimators and the tool train the same models from the same data, bit for bit, and read each other's files."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np

try:
    import fenchel.sklearn as estimators
    import scipy.sparse
    from sklearn.datasets import dump_svmlight_file
except ImportError as error:
    raise unittest.SkipTest(f"scikit-learn is missing: {error}")

TOOL = os.environ.get("FENCHEL_TOOL", str(pathlib.Path(sys.executable).parent / "fenchel"))


def features(rows=60, columns=4, seed=0):
    # Sixteenths: what is written as a decimal number is read as the same bits.
    return np.random.default_rng(seed).integers(-20, 21, size=(rows, columns)) / 16


class Tool(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(TOOL):
            self.skipTest("the tool is not installed")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_tool(self, *arguments):
        environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}  # other processes may have the cores
        done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def train(self, content, *flags, name="data.svm"):
        data, model = self.folder / name, self.folder / "tool.safetensors"
        data.write_text(content)
        self.run_tool("train", data, "--model", model, "--json", *flags)
        return estimators.load(model)

    def rows(self, X, targets):
        return "".join(f"{target} {' '.join(f'{j + 1}:{value!r}' for j, value in enumerate(row) if value)}\n"
                       for target, row in zip(targets, X.tolist()))

    def same(self, ours, theirs):
        self.assertIs(type(theirs), type(ours))
        np.testing.assert_array_equal(ours.coef_, theirs.coef_)
        np.testing.assert_array_equal(ours.intercept_, theirs.intercept_)
        self.assertEqual((ours.n_iter_, ours.solver_), (theirs.n_iter_, theirs.solver_))

    def round_trip(self, estimator, X):
        """save and load; the tool's predictions for the same rows."""
        path = self.folder / "ours.safetensors"
        estimator.save(path)
        np.testing.assert_array_equal(estimators.load(path).predict(X), estimator.predict(X))
        dump_svmlight_file(X, np.zeros(len(X)), str(self.folder / "x.svm"), zero_based=False)
        return self.run_tool("predict", path, self.folder / "x.svm", "--format", "jsonl").splitlines()

    def test_classification(self):
        X = features()
        y = np.array(["low", "high", "middle"])[np.digitize(X[:, 0] + X[:, 1] / 2, [-0.3, 0.3])]
        for omega, flags in (("logistic", {}), ("sparsemax", {}), ("hinge", {}), ("one_vs_all_hinge", {}),
                             ("tsallis:alpha=1.5", {"scale": "standard"}),
                             ("logistic", {"solver": "saga", "random_state": 3})):
            with self.subTest(omega):
                ours = estimators.FenchelYoungClassifier(omega, reg_lambda=0.5, **flags).fit(X, y)
                words = {"random_state": "seed"}
                more = [word for key, value in flags.items() for word in (f"--{words.get(key, key)}", value)]
                theirs = self.train(self.rows(X, y), "--omega", omega, "--lambda", 0.5, *more)
                self.same(ours, theirs)
                self.assertEqual(theirs.classes_.tolist(), ["high", "low", "middle"])
        lines = self.round_trip(ours, X)
        self.assertEqual([json.loads(line)["label"] for line in lines], ours.predict(X).tolist())

    def test_integer_classes(self):
        X = features()
        y = np.digitize(X[:, 0], [-0.3, 0.3]) * 5 + 1
        ours = estimators.FenchelYoungClassifier(class_weight="balanced").fit(X, y.astype(float))
        theirs = self.train(self.rows(X, y), "--class-weight", "balanced")
        self.same(ours, theirs)
        self.assertEqual((ours.classes_.dtype, theirs.classes_.dtype), (np.float64, np.int64))
        self.assertEqual((theirs.class_weight, theirs.fit_intercept), ("balanced", True))
        weighted = self.train(self.rows(X, y), "--class-weight", "1=2,11=0.5", "--intercept", "none")
        self.assertEqual((weighted.class_weight, weighted.fit_intercept), ({1: 2.0, 11: 0.5}, False))
        self.round_trip(ours, X)
        self.assertEqual(estimators.load(self.folder / "ours.safetensors").classes_.dtype, np.float64)

    def test_sparse(self):
        X = features(columns=12, seed=1)
        X[np.random.default_rng(2).random(X.shape) < 0.7] = 0
        y = (X[:, 0] > 0).astype(int)
        ours = estimators.FenchelYoungClassifier("sparsemax").fit(scipy.sparse.csr_array(X), y)
        self.same(ours, self.train(self.rows(X, y), "--omega", "sparsemax"))

    def test_proportions(self):
        X = features()
        y = np.array([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.125, 0.375, 0.5]])[np.digitize(X[:, 0], [-0.3, 0.3])]
        ours = estimators.FenchelYoungProportions("sparsemax").fit(X, y)
        texts = [",".join(f"{k}:{share!r}" for k, share in enumerate(row)) for row in y.tolist()]
        self.same(ours, self.train(self.rows(X, texts), "--task", "proportions", "--omega", "sparsemax"))
        self.round_trip(ours, X)

    def test_multilabel(self):
        X = features()
        y = (X[:, :3] + X[:, [3]] > 0).astype(int)
        ours = estimators.FenchelYoungMultilabel("sparsemax").fit(X, y)
        texts = [",".join(str(k) for k in np.flatnonzero(row)) for row in y]
        self.same(ours, self.train(self.rows(X, texts), "--task", "multilabel", "--omega", "sparsemax"))
        lines = self.round_trip(ours, X)
        self.assertEqual([[int(label) for label in json.loads(line)["labels"]] for line in lines],
                         [np.flatnonzero(row).tolist() for row in ours.predict(X)])

    def test_regression(self):
        X = features()
        for omega, y in (("squared", X[:, 0] - X[:, 1] / 4), ("poisson", np.round(np.exp(X[:, 0])) + 0.5)):
            with self.subTest(omega):
                ours = estimators.FenchelYoungRegressor(omega).fit(X, y)
                self.same(ours, self.train(self.rows(X, y.tolist()), "--task", "regression", "--omega", omega))
        self.assertEqual(len(self.round_trip(ours, X)), len(X))

    def test_label_ranking(self):
        X = features()
        labels = np.array(["a", "b", "c"])
        orders = labels[np.argsort(-X[:, :3], axis=1, kind="stable")]
        header = ",".join(f"x{j}" for j in range(X.shape[1])) + ",ranking\n"
        content = header + "".join(",".join(map(repr, row)) + "," + ">".join(order) + "\n"
                                   for row, order in zip(X.tolist(), orders))
        theirs = self.train(content, "--task", "label-ranking", name="data.csv")
        ours = estimators.LabelRanker(targets="orders").fit(X, orders)
        self.same(ours, theirs)
        ranks = np.argsort(np.argsort(-X[:, :3], axis=1, kind="stable"), axis=1) + 1
        self.same(estimators.LabelRanker().fit(X, ranks), theirs)

    def test_kernel(self):
        X = features(40)
        y = (X[:, 0] * X[:, 1] > 0).astype(int)
        ours = estimators.FenchelYoungClassifier("sparsemax", kernel="rbf:gamma=0.5").fit(X, y)
        theirs = self.train(self.rows(X, y), "--omega", "sparsemax", "--kernel", "rbf:gamma=0.5")
        np.testing.assert_array_equal(ours.decision_function(X), theirs.decision_function(X))
        self.assertFalse(hasattr(ours, "coef_"))
        self.assertEqual((theirs.kernel, theirs.fit_intercept), ("rbf:gamma=0.5", "penalised"))
        again = theirs.fit(X, y)
        np.testing.assert_array_equal(ours.decision_function(X), again.decision_function(X))

    def test_tagging(self):
        words = ["the cat sat".split(), "a dog".split(), "the dog ran far".split()]
        tags = ["D N V".split(), "D N".split(), "D N V A".split()]
        X = [[{"word": word, "first": t == 0, "length": len(word) / 4} for t, word in enumerate(sentence)]
             for sentence in words]

        def line(t, word, tag):
            return "\t".join([tag, f"word\\:{word}", f"first:{int(t == 0)}", f"length:{len(word) / 4!r}"]) + "\n"

        named = [[{f"word:{token['word']}": 1, **{key: token[key] for key in ("first", "length")}} for token in sentence]
                 for sentence in X]  # models of the tool join names and texts by "="
        content = "\n".join("".join(line(t, *pair) for t, pair in enumerate(zip(sentence, row)))
                            for sentence, row in zip(words, tags))
        for omega in ("crf", "sparsemap", "hinge", "perceptron"):
            with self.subTest(omega):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # the perceptron has no need to converge
                    ours = estimators.SequenceTagger(omega, max_iter=200).fit(X, tags)
                theirs = self.train(content, "--omega", omega, "--max-iterations", 200, name="data.crfsuite")
                self.assertEqual(ours.state_features_, theirs.state_features_)
                self.assertEqual(ours.transition_features_, theirs.transition_features_)
                self.assertEqual(theirs.predict(named), ours.predict(X))
        ours.save(self.folder / "ours.safetensors")
        printed = self.run_tool("predict", self.folder / "ours.safetensors", self.folder / "data.crfsuite")
        self.assertEqual([block.split() for block in printed.strip().split("\n\n")], ours.predict(X))

    def test_templates_and_clusters(self):
        """The same attributes as the tool's, from words, and from words and a column beside them."""
        words = [["the", "cat", "sat"], ["a", "dog"], ["the", "dog", "ran", "far"]]
        tags = ["D N V".split(), "D N".split(), "D N V A".split()]
        paths = "".join(f"{path}\t{word}\t1\n" for path, word in
                        (("010110", "the"), ("010111", "a"), ("10", "cat"), ("10", "dog")))
        file = self.folder / "paths"
        file.write_text(paths)
        for template in ("default", "pos", "chunking", "ner"):
            for columns in (1, 2):
                X = words if columns == 1 else [[(word, word[0]) for word in sentence] for sentence in words]
                rows = [[" ".join([*([token] if columns == 1 else token), tag]) for token, tag in zip(sentence, row)]
                        for sentence, row in zip(X, tags)]
                content = "\n".join("".join(line + "\n" for line in sentence) for sentence in rows)
                with self.subTest(template, columns=columns):
                    ours = estimators.SequenceTagger(template=template, clusters=file).fit(X, tags)
                    theirs = self.train(content, "--task", "tagging", "--template", template, "--clusters", file,
                                        name="data.conll")
                    self.assertEqual(ours.state_features_, theirs.state_features_)
                    self.assertEqual(theirs.predict(X), ours.predict(X))
                    self.assertIn("U84:010111", {attribute for attribute, _ in ours.state_features_})
        ours.save(self.folder / "ours.safetensors")
        file.unlink()  # the models have them
        printed = self.run_tool("predict", self.folder / "ours.safetensors", self.folder / "data.conll")
        self.assertEqual([block.split() for block in printed.strip().split("\n\n")], ours.predict(X))
        again = estimators.load(self.folder / "ours.safetensors")
        self.assertEqual((again.template, again.clusters), ("ner", None))
        self.assertEqual(again.predict_marginals(X), ours.predict_marginals(X))


if __name__ == "__main__":
    unittest.main()
