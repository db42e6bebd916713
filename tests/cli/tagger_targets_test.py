# SPDX-License-Identifier: Apache-2.0
"""Taggers with weights of sentences and distributions of labels, and the solvers that train them."""
import json
import unittest

from folder import Folder

SENTENCES = ["the D\ncat N\nsat V\n", "a D\ndog N\nran V\nfar A\n", "dog N\nsat V\n", "the D\nsat N\n", "cat V\n"]


class Targets(Folder):
    def corpus(self, name, sentences):
        return self.write(name, "\n".join(sentences) + "\n")

    def objective(self, data, *flags):
        done = json.loads(self.good("train", data, "--task", "tagging", "--json", "--all-states", "--all-transitions",
                                    "--tolerance", "1e-9", *flags))
        self.assertEqual(done["status"], "converged")
        return done["objective"]

    def test_weights_are_repetitions(self):
        counts = (2, 1, 0, 3, 1)
        weights = self.write("weights.txt", "".join(f"{count}\n" for count in counts))
        data = self.corpus("data.conll", SENTENCES)
        many = self.corpus("many.conll", [sentence for sentence, count in zip(SENTENCES, counts) for _ in range(count)])
        for omega in ("crf", "sparsemap", "hinge"):
            with self.subTest(omega):
                # The word of the sentence left out is elsewhere too: both have the same weights.
                self.assertAlmostEqual(self.objective(data, "--omega", omega, "--sentence-weights", weights),
                                       self.objective(many, "--omega", omega), 6)

    def test_distributions(self):
        soft = self.corpus("soft.conll", ["the D:1\ncat N:0.75,V:0.25\n", "sat V\n"])
        spelt = self.corpus("spelt.conll", ["the D\ncat N\n", "the D\ncat V\n", "sat V\n"])
        weights = self.write("weights.txt", "0.75\n0.25\n1\n")
        certain = self.corpus("certain.conll", ["the D:1\ncat N:1,V:0\n", "sat V\n"])
        hard = self.corpus("hard.conll", ["the D\ncat N\n", "sat V\n"])
        # KL(q ‖ p) is the weighted sum less the entropy of q.
        entropy = 0.5623351446188083
        self.assertAlmostEqual(self.objective(soft, "--soft-labels"),
                               self.objective(spelt, "--sentence-weights", weights) - entropy, 6)
        self.assertEqual(self.objective(certain, "--soft-labels"), self.objective(hard))

    def test_solvers_agree(self):
        data = self.corpus("data.conll", SENTENCES)
        for omega in ("sparsemap", "sparsemap:polytope=sequence"):
            objectives = [self.objective(data, "--omega", omega, "--solver", solver) for solver in ("dual_ascent", "lbfgs")]
            self.assertAlmostEqual(objectives[0], objectives[1], 6)
        self.assertIn("choose --solver lbfgs", self.bad("train", data, "--task", "tagging", "--solver", "dual_ascent"))

    def test_resumes_with_the_same_bits(self):
        data = self.corpus("data.conll", SENTENCES)
        weights = self.write("weights.txt", "1\n2\n3\n4\n5\n")
        flags = ("train", data, "--task", "tagging", "--omega", "sparsemap", "--solver", "dual_ascent", "--lambda", "0.1",
                 "--tolerance", "1e-12", "--sentence-weights", weights)
        whole, resumed, checkpoint = self.path("whole"), self.path("resumed"), self.path("checkpoint")
        self.good(*flags, "--model", whole)
        self.good(*flags, "--max-iterations", "1", "--checkpoint", checkpoint)
        self.good(*flags, "--resume", checkpoint, "--model", resumed)
        with open(whole, "rb") as one, open(resumed, "rb") as other:
            self.assertEqual(one.read(), other.read())
        others = self.write("others.txt", "1\n2\n3\n4\n6\n")
        self.bad(*flags[:-1], others, "--resume", checkpoint)

    def test_bad_input(self):
        data = self.corpus("data.conll", SENTENCES)
        flags = ("train", data, "--task", "tagging", "--sentence-weights")
        for content, said in (("1\n2\n", "2 numbers"), ("1\n-2\n1\n1\n1\n", "weights[1] is -2"), ("x\n", "not a number"),
                              ("1\n1e999\n1\n1\n1\n", "weights[1] is inf")):
            self.assertIn(said, self.bad(*flags, self.write("weights.txt", content)))
        for label in ("D:0.5", "D:0.5,N:0.6", "D:x", "D:1.5,N:-0.5"):
            wrong = self.corpus("wrong.conll", [f"the {label}\n"])
            self.assertIn(f"'{label}'", self.bad("train", wrong, "--task", "tagging", "--soft-labels"))
        rows = self.synth("rows.svm", "classification", "--classes", "3", "--samples", "20")
        self.assertIn("is for tagging", self.bad("train", rows, "--soft-labels"))


if __name__ == "__main__":
    unittest.main()
