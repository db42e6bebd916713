# SPDX-License-Identifier: Apache-2.0
"""Tagging sentences: a toy corpus, and a slice of CoNLL-2000 where the data are there."""
import gzip
import os
import pathlib
import pickle
import tempfile
import unittest
import warnings

import numpy as np

try:
    import fenchel
    from fenchel import _core
    from fenchel.sklearn import SequenceTagger, load
    from sklearn.base import clone
    from sklearn.exceptions import ConvergenceWarning, NotFittedError
    from sklearn.model_selection import GridSearchCV
except ImportError as error:
    raise unittest.SkipTest(f"scikit-learn is missing: {error}")

WORDS = ["the cat sat", "a dog ran far", "the dog sat", "a cat ran", "cat sat"]
TAGS = ["D N V", "D N V A", "D N V", "D N V", "N V"]
X = [[{"word": word, "before": {"word": before}, "short": len(word) < 4, "length": len(word) / 4}
      for before, word in zip(["^", *sentence.split()], sentence.split())] for sentence in WORDS]
Y = [tags.split() for tags in TAGS]

DATA = pathlib.Path(os.environ.get("FENCHEL_DATA", pathlib.Path(__file__).parents[3] / "shared" / "data")) / "conll2000"


def _value(token, attribute):
    """What a token has of an attribute."""
    names = {f"word:{token['word']}": 1, f"before:word:{token['before']['word']}": 1, "short": float(token["short"]),
             "length": token["length"]}
    return names.get(attribute, 0)


class Toy(unittest.TestCase):
    def test_every_omega(self):
        for omega in ("crf", "sparsemap", "hinge", "perceptron"):
            with self.subTest(omega), warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                tagger = SequenceTagger(omega, reg_lambda=0.1).fit(X, Y)
                self.assertEqual(tagger.predict(X), Y)
                self.assertEqual(tagger.score(X, Y), 1)
                self.assertEqual(tagger.classes_.tolist(), ["D", "N", "V", "A"])
                self.assertEqual(hasattr(tagger, "predict_proba"), omega in ("crf", "sparsemap"))

    def test_probabilities(self):
        for omega in ("crf", "sparsemap"):
            tagger = SequenceTagger(omega, reg_lambda=0.1).fit(X, Y)
            proba = tagger.predict_proba([*X, []])
            self.assertEqual([rows.shape for rows in proba], [(len(row), 4) for row in [*X, []]])
            for rows in proba:
                np.testing.assert_allclose(rows.sum(axis=1), 1, atol=1e-9)
            if omega == "sparsemap":
                self.assertGreater(sum((rows == 0).sum() for rows in proba), 10)
            marginals = tagger.predict_marginals(X[:1])
            self.assertEqual(marginals[0][0], dict(zip("DNVA", proba[0][0])))
        self.assertEqual(tagger.predict_proba([]), [])

    def test_probabilities_are_those_of_omega(self):
        for omega in ("crf", "crf:temperature=5", "sparsemap", "sparsemap:temperature=0.5", "structured_sparsemax",
                      "entropic", "entropic:temperature=2"):
            with self.subTest(omega), warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                tagger = SequenceTagger(omega, reg_lambda=0.1, max_iter=20).fit(X, Y)
                labels = tagger.classes_.tolist()
                theta = np.zeros(3 * 4 + 4 * 4)
                states, edges = theta[:12].reshape(3, 4), theta[12:].reshape(4, 4)
                for t, token in enumerate(X[0]):
                    for (attribute, label), weight in tagger.state_features_.items():
                        states[t, labels.index(label)] += weight * _value(token, attribute)
                for (before, after), weight in tagger.transition_features_.items():
                    edges[labels.index(before), labels.index(after)] = weight
                name, _, rest = omega.partition(":")
                parameters = {key: float(value) for key, value in (pair.split("=") for pair in rest.split(",") if pair)}
                spec = {"name": {"crf": "marginal"}.get(name, name), **parameters,
                        "polytope": {"name": "chain", "n": 3, "m": 4}}
                expected = fenchel.predict(theta, spec)[:12].reshape(3, 4)
                np.testing.assert_allclose(tagger.predict_proba(X[:1])[0], expected, atol=1e-9)

    def test_which_omegas_have_probabilities(self):
        for omega, available in (("crf", True), ("sparsemap", True), ("entropic", True), ("hinge", False),
                                 ("svm", False), ("perceptron", False), ("map", False), ("argmax", False)):
            with self.subTest(omega):
                self.assertEqual(hasattr(SequenceTagger(omega), "predict_proba"), available)

    def test_marginals_are_sums_over_sequences(self):
        tagger = SequenceTagger(reg_lambda=0.1).fit(X, Y)
        best = tagger.k_best(X[:1], 4**3)[0]
        self.assertEqual(best[0][0], tagger.predict(X[:1])[0])
        self.assertAlmostEqual(sum(weight for _, weight in best), 1)
        first = sum(weight for tags, weight in best if tags[1] == "N")
        self.assertAlmostEqual(first, tagger.predict_marginals(X[:1])[0][1]["N"])

    def test_probabilities_of_sequences(self):
        for options in ({}, {"boundary": True, "all_transitions": True}):
            tagger = SequenceTagger(reg_lambda=0.3, **options).fit(X, Y)
            best = tagger.k_best(X[1:2], 4**4)[0]
            found = tagger.sequence_log_proba([X[1]] * len(best), [tags for tags, _ in best])
            np.testing.assert_allclose(np.exp(found), [weight for _, weight in best], rtol=1e-10)
            self.assertAlmostEqual(np.exp(found).sum(), 1)
        np.testing.assert_array_equal(tagger.sequence_log_proba([X[0], []], [["D", "N", "unseen"], []]), [-np.inf, 0])
        self.assertEqual(tagger.sequence_log_proba([], []).shape, (0,))
        for y, message in ((None, "y is None"), (Y[:2], "y has 2 sentences; X has 5"), ([["D"]] + Y[1:], r"y\[0\] has 1 labels")):
            with self.assertRaisesRegex(ValueError, message):
                tagger.sequence_log_proba(X, y)
        with self.assertRaises(NotFittedError):
            SequenceTagger().sequence_log_proba(X, Y)

    def test_sequences_without_labels(self):
        class Empty(list):
            def __len__(self):
                return len(Y)

            def __iter__(self):
                return iter([])

        tagger = SequenceTagger().fit(X, Y)
        with self.assertRaisesRegex(ValueError, "y says that it has 5 sentences, and gives 0"):
            tagger.sequence_log_proba(X, Empty())
        with self.assertRaisesRegex(ValueError, "not a distribution of labels"):
            tagger.sequence_log_proba(X, [[{"D": 0.5, "N": 0.5}, *Y[0][1:]], *Y[1:]])
        with self.assertRaisesRegex(ValueError, "a label.*for every token"):
            _core.tag_log_probabilities(tagger.model_, _core.tagger_data(X))

    def test_names_of_attributes(self):
        tagger = SequenceTagger().fit(X, Y)
        attributes = {attribute for attribute, _ in tagger.state_features_}
        self.assertLessEqual({"word:cat", "before:word:^", "short", "length"}, attributes)
        self.assertIn(("D", "N"), tagger.transition_features_)
        lists = SequenceTagger().fit([["a", "b"], ["c"]], [["X", "Y"], ["X"]])
        self.assertEqual({attribute for attribute, _ in lists.state_features_}, {"a", "b", "c"})
        grouped = SequenceTagger().fit([[{"suffix": ["t", "at"]}]], [["X"]])
        self.assertEqual({attribute for attribute, _ in grouped.state_features_}, {"suffix:t", "suffix:at"})

    def test_bytes_are_texts(self):
        texts = SequenceTagger().fit([[{"wörd": "süß", "next": {"a": "b"}}, ["x", "y"]]], [["A", "B"]])
        encoded = [[{"wörd".encode(): "süß".encode(), "next": {"a": b"b"}}, [b"x", "y"]]]
        self.assertEqual(SequenceTagger().fit(encoded, [["A", "B"]]).state_features_, texts.state_features_)
        self.assertEqual(texts.predict(encoded), [["A", "B"]])
        with self.assertRaises(UnicodeDecodeError):
            texts.predict([[{"a": b"\xff"}]])
        with self.assertRaisesRegex(TypeError, r"X\[0\]\[0\]"):
            texts.predict([[{"a": b"a", "b": None}]])

    def test_false_is_a_value_of_zero(self):
        """As in CRFsuite: it has weights with the labels beside it, which count where it is true."""
        flags = [[{"f": True}, {"f": False}, {"f": False}], [{"f": False}, {"f": True}]]
        labels = [["A", "B", "B"], ["B", "A"]]
        tagger = SequenceTagger(c1=0, c2=0.5, tol=1e-10).fit(flags, labels)
        self.assertEqual(tagger.attributes_, ["f"])
        for weights, expected in ((tagger.state_features_, {("f", "A"): 0.560803, ("f", "B"): -0.560803}),
                                  (tagger.transition_features_, {("A", "B"): 0.21485, ("B", "A"): 0.212001,
                                                                 ("B", "B"): 0.36644})):  # those of CRFsuite
            self.assertEqual(weights.keys(), expected.keys())
            for key, weight in expected.items():
                self.assertAlmostEqual(weights[key], weight, delta=1e-3)

    def test_penalties_of_crfsuite(self):
        for c, penalty in (({"c2": 0.25}, {"reg_lambda": 0.5}), ({"c1": 0.3, "c2": 0}, {"penalty": "l1", "reg_lambda": 0.3}),
                           ({"c1": 0.25, "c2": 0.25}, {"penalty": "elastic_net", "reg_lambda": 0.5, "rho": 0.5}),
                           ({"c1": 0.3}, {"penalty": "l1", "reg_lambda": 0.3})):
            with self.subTest(c=c):
                ours, same = SequenceTagger(**penalty).fit(X, Y), SequenceTagger(**c).fit(X, Y)
                self.assertEqual(same.objective_, ours.objective_)
                self.assertEqual(same.state_features_, ours.state_features_)
        for wrong in ({"c1": -1}, {"c2": "much"}, {"c1": 1, "reg_lambda": 2.0}, {"c2": 1, "penalty": "l2"}):
            with self.subTest(wrong=wrong), self.assertRaisesRegex(ValueError, "c1|c2"):
                SequenceTagger(**wrong).fit(X, Y)

    def test_an_omega_written_in_python_is_refused(self):
        class Own(fenchel.CustomRegularizer):
            domain = "simplex"

        with self.assertRaisesRegex(TypeError, "written in Python"):
            SequenceTagger(Own()).fit(X, Y)

    def test_one_sentence_and_other_sentences(self):
        tagger = SequenceTagger().fit(X, Y, X_dev=X[:2], y_dev=Y[:2])
        self.assertEqual(tagger.dev_score_, tagger.score(X[:2], Y[:2]))
        self.assertEqual(tagger.predict_single(X[1]), tagger.predict(X)[1])
        self.assertEqual(tagger.predict_marginals_single(X[1]), tagger.predict_marginals(X[1:2])[0])
        self.assertFalse(hasattr(tagger.fit(X, Y), "dev_score_"))
        with self.assertRaisesRegex(ValueError, "X_dev or y_dev"):
            tagger.fit(X, Y, X_dev=X)

    def test_models_whose_attributes_are_joined_by_an_equals_sign(self):
        """Those of the tool's templates, and of earlier versions."""
        tagger = SequenceTagger().fit(X, Y)
        named = [[[f"word={token['word']}"] for token in sentence] for sentence in X]
        older = SequenceTagger().fit(named, Y)
        _core.set_tagger_joined_by(older.model_, "=")
        words = [[{"word": token["word"]} for token in sentence] for sentence in X]
        self.assertEqual(older.predict_marginals(words), older.predict_marginals(named))
        with tempfile.TemporaryDirectory() as folder:
            for one, sentences in ((tagger, X), (older, words)):
                one.save(pathlib.Path(folder) / "tagger.safetensors")
                again = load(pathlib.Path(folder) / "tagger.safetensors")
                self.assertEqual(again.predict_marginals(sentences), one.predict_marginals(sentences))

    def test_templates(self):
        words = [sentence.split() for sentence in WORDS]
        tagger = SequenceTagger(template="pos", reg_lambda=0.1).fit(words, Y)
        self.assertEqual(tagger.predict(words), Y)
        self.assertEqual(tagger.predict([[], *words, []]), [[], *Y, []])
        self.assertEqual(tagger.predict([[word.encode() for word in row] for row in words]), Y)
        self.assertEqual(tagger.predict([[(word,) for word in row] for row in words]), Y)
        self.assertIn("U02:cat", tagger.attributes_)
        self.assertEqual(tagger.predict([[{"U02:cat": 1}]]), [["N"]])  # attributes as they are
        self.assertEqual(pickle.loads(pickle.dumps(tagger)).predict(words), Y)
        again = SequenceTagger(template="pos", reg_lambda=0.1).fit([[], *words], [[], *Y])
        self.assertEqual(again.attributes_, tagger.attributes_)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "template"
            file.write_text("U1:%suf[0,0,1]\nU2:%x[0,1]\nB\n")
            pairs = [[[word, word[0]] for word in row] for row in words]
            own = SequenceTagger(template=file).fit(pairs, Y)
            self.assertEqual({name[:2] for name in own.attributes_}, {"U1", "U2"})
            with self.assertRaisesRegex(ValueError, "the tokens have 1 columns; the templates read 2"):
                own.predict(words)
        for X_, expected in ((["a b"], r"X\[0\] is 'a b'"), ([["a", 3]], r"X\[0\]\[1\] is 3; expected a word"),
                             ([["a", ("b", None)]], r"a column of X\[0\]\[1\] is None")):
            with self.assertRaisesRegex(TypeError, expected):
                SequenceTagger(template="pos").fit(X_, Y[:1])
        for X_, expected in (([["a", ("b", "c")]], r"X\[0\]\[1\] has 2 columns; expected 1"),
                             ([[()]], r"X\[0\]\[0\] has 0 columns")):
            with self.assertRaisesRegex(ValueError, expected):
                SequenceTagger(template="pos").fit(X_, Y[:1])
        with self.assertRaisesRegex(ValueError, "no templates are called 'nothing'"):
            SequenceTagger(template="nothing").fit(words, Y)

    def test_clusters(self):
        words = [sentence.split() for sentence in WORDS]
        clusters = {**dict.fromkeys(["cat", "dog", "bird"], "01"), **dict.fromkeys(["a", "the", "this"], "00")}
        tagger = SequenceTagger(template="ner", clusters=clusters, reg_lambda=0.01).fit(words, Y)
        self.assertEqual(tagger.predict([["this", "bird", "sat"]]), [["D", "N", "V"]])
        self.assertEqual(clone(tagger).clusters, clusters)
        self.assertEqual(pickle.loads(pickle.dumps(tagger)).predict([["this", "bird"]]), [["D", "N"]])
        for given, error, expected in (({}, ValueError, "clusters is empty"), ({"a": 1}, TypeError, r"clusters\['a'\] is 1"),
                                       ({"a": ""}, ValueError, "a cluster is empty"), (3, TypeError, "clusters is 3"),
                                       ("/no/such/file", FileNotFoundError, "file")):
            with self.subTest(given), self.assertRaisesRegex(error, expected):
                SequenceTagger(template="ner", clusters=given).fit(words, Y)
        with self.assertRaisesRegex(ValueError, "template is None"):
            SequenceTagger(clusters=clusters).fit(X, Y)
        with self.assertRaisesRegex(ValueError, "no template reads the clusters"):
            SequenceTagger(template="crfsuite-chunking", clusters=clusters).fit([[("a", "b")]], [["D"]])
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "clusters"
            file.write_text("a 1\nb 2\na 2\n")
            with self.assertRaisesRegex(Exception, "clusters:3:1: the word 'a' has the cluster 1 already"):
                SequenceTagger(template="ner", clusters=file).fit(words, Y)

    def test_options(self):
        self.assertEqual(len(SequenceTagger(all_transitions=True).fit(X, Y).transition_features_), 16)
        few = SequenceTagger(min_count=3).fit(X, Y).state_features_
        self.assertLess(len(few), len(SequenceTagger().fit(X, Y).state_features_))
        self.assertLess(len(few), len(SequenceTagger(all_states=True, min_count=3).fit(X, Y).state_features_))
        SequenceTagger(boundary=True).fit(X, Y)

    def test_warm_start_and_copies(self):
        tagger = SequenceTagger(warm_start=True, tol=1e-9, boundary=True, min_count=2).fit(X, Y)
        cold = tagger.n_iter_
        self.assertLess(tagger.fit(X, Y).n_iter_, cold / 2)
        tagger.fit(X[:2], Y[:2])  # other attributes: weights that both have are kept
        self.assertFalse(hasattr(clone(tagger), "model_"))
        self.assertEqual(pickle.loads(pickle.dumps(tagger)).predict(X), tagger.predict(X))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "tagger.safetensors"
            tagger.save(path)
            again = load(path)
        self.assertEqual(again.predict(X), tagger.predict(X))
        self.assertEqual(again.get_params(), tagger.get_params())
        np.testing.assert_array_equal(again.predict_proba(X)[0], tagger.predict_proba(X)[0])

    def test_grid_search(self):
        grid = {"reg_lambda": [0.01, 1.0], "omega": ["crf", "sparsemap"]}
        search = GridSearchCV(SequenceTagger(), grid, cv=2).fit(X, Y)
        self.assertGreater(search.best_score_, 0.5)

    def test_errors(self):
        with self.assertRaises(NotFittedError):
            SequenceTagger().predict(X)
        loop = {}
        loop["x"] = loop
        for wrong, kind, message in (
                ([[{"a": float("nan")}]], ValueError, r"X\[0\]\[0\]\['a'\] is nan"),
                ([[{"a": None}]], TypeError, r"\['a'\] is None"), ([[{1: "b"}]], TypeError, r"X\[0\]\[0\] is 1"),
                ([[3]], TypeError, r"X\[0\]\[0\] is 3"), ("text", TypeError, "X is str"),
                (["text"], TypeError, r"X\[0\] is 'text'"), ([3], TypeError, r"X\[0\] is 3"),
                ([[["a", 2]]], TypeError, "is 2"), ([[loop]], TypeError, "nested")):
            with self.subTest(message), self.assertRaisesRegex(kind, message):
                SequenceTagger().fit(wrong, [["T"]])
        for wrong, kind, message in (
                (Y[:2], ValueError, "y has 2 sentences; X has 5"), (None, ValueError, "requires y"),
                ([["T"]] * 5, ValueError, r"y\[0\] has 1 labels; X\[0\] has 3"),
                ([[1, 2, 3]] * 5, TypeError, "is 1"), (TAGS, TypeError, r"y\[0\] is 'D N V'")):
            with self.subTest(message), self.assertRaisesRegex(kind, message):
                SequenceTagger().fit(X, wrong)
        with self.assertRaisesRegex(ValueError, "no tokens"):
            SequenceTagger().fit([], [])
        with self.assertRaisesRegex(ValueError, "crff"):
            SequenceTagger("crff").fit(X, Y)


@unittest.skipUnless((DATA / "train.txt.gz").exists(), "CoNLL-2000 is not there")
class Chunks(unittest.TestCase):
    def read(self, name, count):
        sentences, current = [], []
        with gzip.open(DATA / name, "rt") as lines:
            for line in lines:
                if line.split():
                    current.append(line.split())
                elif current:
                    sentences.append(current)
                    current = []
                if len(sentences) == count:
                    break
        X = [[{"word": word, "pos": pos, "before": sentence[t - 1][1] if t else "^",
               "after": sentence[t + 1][1] if t + 1 < len(sentence) else "$"}
              for t, (word, pos, _) in enumerate(sentence)]
             for sentence in sentences]
        return X, [[tag for _, _, tag in sentence] for sentence in sentences]

    def test_a_slice(self):
        train, test = self.read("train.txt.gz", 500), self.read("test.txt.gz", 200)
        tagger = SequenceTagger(tol=1e-4).fit(*train)
        self.assertGreater(tagger.score(*test), 0.9)


if __name__ == "__main__":
    unittest.main()
