# SPDX-License-Identifier: Apache-2.0
"""Missing values and names for values: what training made of a column holds for prediction."""
import json
import unittest

from folder import Folder


class MissingValues(Folder):
    """What stands for missing values is found in training and kept in the model."""

    def setUp(self):
        super().setUp()
        self.train = self.write("train.csv", "x,z,y\n1,2,a\n,4,b\n3,,a\n8,9,b\n0,1,a\n")  # means 3 and 4
        self.gaps = self.write("gaps.csv", "x,z,y\n,5,a\n7,NA,b\n")
        self.whole = self.write("whole.csv", "x,z,y\n3,5,a\n7,4,b\n")

    def test_the_training_means_stand_for_them(self):
        for flags in ([], ["--kernel", "rbf:gamma=0.1"], ["--scale", "standard"]):
            model, summary = self.trained(self.train, "--missing", "impute", "--valid", self.gaps, "--test", self.gaps,
                                          *flags)
            wanted = self.good("predict", model, self.whole, "--proba")
            self.assertEqual(self.good("predict", model, self.gaps, "--proba"), wanted)
            self.assertEqual(self.good("predict", model, self.gaps, "--proba", "--missing", "impute"), wanted)
            one = self.write("one.csv", "x,z,y\n,5,a\n")
            self.assertEqual(self.good("predict", model, one, "--proba"), wanted.splitlines(keepends=True)[0])
            evaluated = json.loads(self.good("evaluate", model, self.whole, "--json"))
            self.assertEqual(json.loads(self.good("evaluate", model, self.gaps, "--json")), evaluated)
            self.assertEqual(summary["test"], evaluated)
            self.assertEqual(summary["valid"], evaluated)

    def test_a_model_without_them(self):
        model, _ = self.trained(self.whole)
        self.assertIn("gaps.csv:2:1: a value of column 'x' is missing", self.bad("predict", model, self.gaps))
        self.assertIn("training kept nothing", self.bad("predict", model, self.gaps, "--missing", "impute"))

    def test_tuned_models(self):
        model = self.path("tuned.safetensors")
        self.good("tune", self.train, "--missing", "impute", "--grid", "lambda=0.1,1", "--valid", "0.4",
                  "--model", model)
        self.assertEqual(self.good("predict", model, self.gaps, "--proba"),
                         self.good("predict", model, self.whole, "--proba"))

    def test_caches(self):
        train, own, fitting = (self.path(name) for name in ("train.cache", "own.cache", "fitting.cache"))
        self.good("convert", self.train, "--out", train, "--missing", "impute")
        model, _ = self.trained(train)
        wanted = self.good("predict", model, self.whole, "--proba")
        self.assertEqual(self.good("predict", model, self.gaps, "--proba"), wanted)
        self.good("convert", self.gaps, "--out", fitting, "--model", model)
        self.assertEqual(self.good("predict", model, fitting, "--proba"), wanted)
        self.good("convert", self.gaps, "--out", own, "--missing", "impute")
        self.assertIn("converted for the model", self.bad("predict", model, own))


class NamesForValues(Folder):
    """The numbers that names became in training are kept in the model."""

    def setUp(self):
        super().setUp()
        self.train = self.write("train.csv", "x,c,d,y\n" + "1,r,p,a\n2,g,q,b\n1,b,p,a\n2,r,q,b\n3,g,q,b\n0,b,p,a\n")
        self.rows = ["2,r,q,a", "1,g,p,b", "2,b,q,b"]
        self.all = self.write("all.csv", "x,c,d,y\n" + "\n".join(self.rows) + "\n")

    def test_rows_alone_and_together(self):
        for flags in ([], ["--nominal", "ordinal"], ["--kernel", "rbf:gamma=0.1"], ["--scale", "standard"]):
            with self.subTest(flags):
                model, _ = self.trained(self.train, *flags)
                together = self.good("predict", model, self.all, "--proba").splitlines()
                self.assertEqual(len(set(together)), 3)
                for row, wanted in zip(self.rows, together):
                    one = self.write("one.csv", f"x,c,d,y\n{row}\n")
                    self.assertEqual(self.good("predict", model, one, "--proba").splitlines(), [wanted])

    def test_a_value_is_not_taken_for_another(self):
        train = self.write("two.csv", "x,d,y\n2,p,a\n2,q,b\n2,p,a\n2,q,b\n")
        one = self.write("one.csv", "x,d,y\n2,q,b\n")
        model, summary = self.trained(train, "--valid", one, "--test", one)
        self.assertEqual(self.good("predict", model, one), "b\n")
        evaluated = json.loads(self.good("evaluate", model, one, "--json"))
        self.assertEqual(evaluated["accuracy"], 1)
        self.assertEqual((summary["valid"], summary["test"]), (evaluated, evaluated))

    def test_unseen_values(self):
        unseen = self.write("unseen.csv", "x,c,d,y\n1,r,p,a\n2,r,z,a\n")
        wanted = "unseen.csv:3:5: 'z' is not a value of column 'd'; expected 'p' or 'q', as in training"
        model, _ = self.trained(self.train)
        for arguments in (["predict", model, unseen], ["evaluate", model, unseen],
                          ["train", self.train, "--valid", unseen], ["train", self.train, "--test", unseen]):
            self.assertIn(wanted, self.bad(*arguments), arguments)

    def test_tuned_models(self):
        model = self.path("tuned.safetensors")
        self.good("tune", self.train, "--grid", "lambda=0.1,1", "--valid", "0.4", "--model", model, "--test", self.all)
        one = self.write("one.csv", f"x,c,d,y\n{self.rows[0]}\n")
        self.assertEqual(self.good("predict", model, one, "--proba").splitlines(),
                         self.good("predict", model, self.all, "--proba").splitlines()[:1])

    def test_caches(self):
        train, own, fitting = (self.path(name) for name in ("train.cache", "own.cache", "fitting.cache"))
        self.good("convert", self.train, "--out", train)
        model, _ = self.trained(train)
        one = self.write("one.csv", f"x,c,d,y\n{self.rows[0]}\n")
        self.good("convert", one, "--out", fitting, "--model", model)
        self.assertEqual(self.good("predict", model, fitting, "--proba"), self.good("predict", model, one, "--proba"))
        other = self.write("other.csv", "x,c,d,y\n2,r,q,a\n2,g,p,a\n2,k,p,b\n")
        self.good("convert", other, "--out", own)
        self.assertIn("converted for the model", self.bad("predict", model, own))


if __name__ == "__main__":
    unittest.main()
