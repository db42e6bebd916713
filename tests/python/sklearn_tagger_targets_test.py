# SPDX-License-Identifier: Apache-2.0
"""Taggers with weights of sentences and distributions of labels, and the solvers that train them."""
import unittest

import numpy as np

try:
    from fenchel.sklearn import SequenceTagger
except ImportError as error:
    raise unittest.SkipTest(f"scikit-learn is missing: {error}")

WORDS = ["the cat sat", "a dog ran far", "dog sat", "the sat", "cat"]
TAGS = ["D N V", "D N V A", "N V", "D N", "V"]
X = [[{"word": word} for word in sentence.split()] for sentence in WORDS]
Y = [tags.split() for tags in TAGS]
WEIGHTS = [2, 1, 0, 3, 1]
LOSSES = ("crf", "sparsemap", "sparsemap:polytope=sequence", "hinge")


def tagger(omega="crf", **more):
    return SequenceTagger(omega, **{"all_states": True, "all_transitions": True, "tol": 1e-10, **more})


class Targets(unittest.TestCase):
    def test_weights_are_repetitions(self):
        many = [(x, y) for x, y, weight in zip(X, Y, WEIGHTS) for _ in range(weight)]
        for omega in LOSSES:
            weighted = tagger(omega).fit(X, Y, sample_weight=WEIGHTS)
            repeated = tagger(omega).fit([x for x, _ in many], [y for _, y in many])
            self.assertAlmostEqual(weighted.objective_, repeated.objective_, 6)
            self.assertAlmostEqual(weighted.score(X, Y, sample_weight=WEIGHTS),
                                   weighted.score([x for x, _ in many], [y for _, y in many]), 12)

    def test_distributions_of_labels(self):
        certain = [[{label: 1.0} for label in labels] for labels in Y]
        names = ["D", "N", "V", "A"]
        arrays = [np.array([[float(label == name) for name in names] for label in labels]) for labels in Y]
        for omega in LOSSES:
            hard = tagger(omega).fit(X, Y)
            for soft in (tagger(omega).fit(X, certain), tagger(omega).fit(X, arrays, classes=names)):
                self.assertEqual(soft.state_features_, hard.state_features_)
                self.assertEqual(soft.transition_features_, hard.transition_features_)
            mixed = tagger(omega).fit(X, [[{"D": 0.5, "N": 0.5}, *labels[1:]] for labels in Y])
            self.assertNotEqual(mixed.state_features_, hard.state_features_)

    def test_a_tagger_learns_what_another_says(self):
        teacher = tagger("crf", reg_lambda=0.1).fit(X, Y)
        student = tagger("crf", reg_lambda=1e-6, tol=1e-8).fit(X, teacher.predict_marginals(X))
        # Without a penalty, words have the labels that they were given, on average over the sentences they occur in.
        order = [teacher.classes_.tolist().index(name) for name in student.classes_]
        given = np.concatenate(teacher.predict_proba(X))[:, order]
        learned = np.concatenate(student.predict_proba(X))
        words = np.array(" ".join(WORDS).split())
        for word in set(words):
            np.testing.assert_allclose(learned[words == word].sum(axis=0), given[words == word].sum(axis=0), atol=1e-3)

    def test_solvers_agree(self):
        soft = [[{"D": 0.5, "N": 0.5}, *labels[1:]] for labels in Y]
        for omega in ("sparsemap", "sparsemap:polytope=sequence"):
            dual = tagger(omega, solver="dual_ascent").fit(X, soft, sample_weight=WEIGHTS)
            primal = tagger(omega, solver="lbfgs").fit(X, soft, sample_weight=WEIGHTS)
            self.assertEqual(dual.solver_, "dual_ascent")
            self.assertAlmostEqual(dual.objective_, primal.objective_, 7)
            self.assertLess(dual.dual_gap_, 1e-8)
        with self.assertRaisesRegex(ValueError, "not marginal; choose solver='lbfgs'"):
            tagger("crf", solver="dual_ascent").fit(X, Y)

    def test_score_of_distributions(self):
        fitted = tagger().fit(X, Y)
        probabilities = {"V": 0.25, "N": 0.75}
        self.assertEqual(fitted.score(X[4:], [[probabilities]]), probabilities[fitted.predict(X[4:])[0][0]])

    def test_bad_input(self):
        for weights in ([1, 2], [1, 1, -1, 1, 1], [1, 1, np.nan, 1, 1], [np.inf] * 5, [[1]] * 5):
            with self.assertRaisesRegex(ValueError, "sample_weight"):
                tagger().fit(X, Y, sample_weight=weights)
            with self.assertRaisesRegex(ValueError, "sample_weight"):
                tagger().fit(X, Y).score(X, Y, sample_weight=weights)
        for label in ({"D": 0.5}, {"D": 1.5, "N": -0.5}, {"D": float("nan")}, {}):
            with self.assertRaisesRegex(ValueError, r"y\[4\]\[0\]"):
                tagger().fit(X, [*Y[:4], [label]])
        for label in ({"D": "x"}, {1: 1.0}, 3):
            with self.assertRaisesRegex(TypeError, r"y\[4\]\[0\]"):
                tagger().fit(X, [*Y[:4], [label]])
        with self.assertRaisesRegex(ValueError, "classes"):
            tagger().fit(X, [np.ones((len(labels), 2)) / 2 for labels in Y], classes=["D", "D"])
        with self.assertRaisesRegex(ValueError, r"y\[0\] has shape"):
            tagger().fit(X, [np.ones((len(labels), 2)) / 2 for labels in Y], classes=["D", "N", "V"])
        with self.assertRaisesRegex(ValueError, r"y\[0\] has 1 labels"):
            tagger().fit(X, [[{"D": 1.0}], *Y[1:]])


if __name__ == "__main__":
    unittest.main()
