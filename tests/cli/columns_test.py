# SPDX-License-Identifier: Apache-2.0
"""Missing values and columns of names: what training made of a column holds for prediction."""
import json
import unittest

import tool
from folder import Folder


class MissingValues(Folder):
    """Replacements for missing values are found in training and kept in the model."""

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
            metrics = {name: evaluated[name] for name in summary["test"]}
            self.assertEqual((summary["test"], summary["valid"]), (metrics, metrics))

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
        self.assertEqual(self.good("predict", model, own, "--proba"), wanted)  # it knows what was missing
        other, _ = self.trained(self.write("far.csv", "x,z,y\n100,2,a\n,400,b\n3,,a\n"), "--missing", "impute")
        self.assertIn("converted for the model", self.bad("predict", other, fitting))

    def test_held_out_rows_have_no_part_in_them(self):
        """A row that is held out changes nothing in the model, not even through what stands for gaps."""
        rows = [f"{i if i % 3 else ''},{i % 5},{'ab'[i % 2]}" for i in range(40)]
        gap = self.write("gap.csv", "x,z,y\n,1,a\n")

        def prediction(changed, *command):
            lines = [f"1000,{i % 5},{'ab'[i % 2]}" if i == changed else row for i, row in enumerate(rows)]
            data = self.write("data.csv", "x,z,y\n" + "\n".join(lines) + "\n")
            model = self.path("m.safetensors")
            self.good(*[data if word == "DATA" else word for word in command], "--missing", "impute", "--model", model)
            return self.good("predict", model, gap, "--format", "jsonl")

        for command in (["train", "DATA", "--valid", "0.5"],
                        ["tune", "DATA", "--valid", "0.5", "--grid", "lambda=1", "--refit", "train"]):
            wanted = prediction(None, *command)
            same = [prediction(row, *command) == wanted for row in range(1, 40, 5)]
            self.assertIn(True, same)   # held out
            self.assertIn(False, same)  # trained on


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
        metrics = {name: evaluated[name] for name in summary["test"]}
        self.assertEqual((summary["valid"], summary["test"]), (metrics, metrics))

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


class ColumnNames(Folder):
    """Columns are found by their names, whatever their order."""

    def setUp(self):
        super().setUp()
        rows = [("1", "r", "2", "a"), ("2", "g", "7", "b"), ("1", "b", "3", "a"), ("2", "r", "8", "b"),
                ("3", "g", "9", "b"), ("0", "b", "1", "a")]
        self.rows = rows
        self.train = self.csv("train.csv", "x,c,z,y", [0, 1, 2, 3])
        self.model, _ = self.trained(self.train)
        self.wanted = self.good("predict", self.model, self.train, "--proba")

    def csv(self, name, header, order):
        """The rows with their columns in another order; a text is a column of its own."""
        lines = [",".join(place if isinstance(place, str) else row[place] for place in order) for row in self.rows]
        return self.write(name, "\n".join([header, *lines]) + "\n")

    def test_order(self):
        for header, order in (("z,x,c,y", [2, 0, 1, 3]), ("y,z,c,x", [3, 2, 1, 0]), ("z,y,c,x", [2, 3, 1, 0]),
                              ("c,x,z", [1, 0, 2])):
            other = self.csv("other.csv", header, order)
            self.assertEqual(self.good("predict", self.model, other, "--proba"), self.wanted, header)
        other = self.csv("other.csv", "y,z,c,x", [3, 2, 1, 0])
        self.assertEqual(self.good("evaluate", self.model, other, "--json"),
                         self.good("evaluate", self.model, self.train, "--json"))
        cache = self.path("other.cache")
        self.good("convert", other, "--out", cache, "--model", self.model)
        self.assertEqual(self.good("predict", self.model, cache, "--proba"), self.wanted)
        self.good("convert", other, "--out", cache)
        self.assertIn("expected 'x', as in training", self.bad("predict", self.model, cache))
        _, summary = self.trained(self.train, "--valid", other, "--test", other)
        self.assertEqual(summary["valid"], summary["train"])

    def test_what_is_missing_or_renamed_is_named(self):
        self.assertIn("'z' is missing; training had it",
                      self.bad("predict", self.model, self.csv("other.csv", "x,c,y", [0, 1, 3])))
        message = self.bad("predict", self.model, self.csv("other.csv", "xx,c,z,y", [0, 1, 2, 3]))
        self.assertIn("'x' is missing; training had it ('y' is the target here), but not 'xx'", message)
        self.assertIn("column 'x' appears twice",
                      self.bad("predict", self.model, self.csv("other.csv", "x,c,z,x,y", [0, 1, 2, 0, 3])))
        other = tool.run("predict", self.model, self.csv("other.csv", "y,u,c,z,x", [3, 0, 1, 2, 0]), "--proba")
        self.assertEqual(other.stdout, self.wanted)
        self.assertIn("left out: u", other.stderr)
        self.assertIn("two columns are called 'x'", self.bad("train", self.csv("other.csv", "x,c,x,y", [0, 1, 2, 3])))

    def test_others_are_left_out_and_said(self):
        other = self.csv("other.csv", "id,z,x,c,y", ["n", 2, 0, 1, 3])
        done = tool.run("predict", self.model, other, "--proba")
        self.assertEqual((done.returncode, done.stdout), (0, self.wanted), done.stderr)
        self.assertIn("a column is not of the model and left out: id", done.stderr)

    def test_files_without_names_go_by_position(self):
        numbers = self.write("numbers.csv", "x,z,y\n1,2,0\n2,7,1\n1,3,0\n2,8,1\n")
        model, _ = self.trained(numbers)
        wanted = self.good("predict", model, numbers, "--proba")
        plain = self.write("plain.csv", "1,2,0\n2,7,1\n1,3,0\n2,8,1\n")
        self.assertEqual(self.good("predict", model, plain, "--proba"), wanted)
        model, _ = self.trained(plain)
        self.assertEqual(self.good("predict", model, numbers, "--proba"), wanted)

    def test_arff(self):
        attributes = {"x": "@attribute x real", "c": "@attribute c {r,g,b}", "z": "@attribute z real",
                      "y": "@attribute y {a,b}", "u": "@attribute u {p,q}"}

        def arff(name, order, text):
            return self.write(name, "@relation r\n" + "\n".join(attributes[a] for a in order) + "\n@data\n" + text)

        train = arff("train.arff", "xczy", "".join(",".join(row) + "\n" for row in self.rows))
        model, _ = self.trained(train)
        wanted = self.good("predict", model, train, "--proba")
        for order in ("zycx", "yxzc"):
            rows = "".join(",".join(row["xczy".index(a)] for a in order) + "\n" for row in self.rows)
            self.assertEqual(self.good("predict", model, arff("other.arff", order, rows), "--proba"), wanted)
        rows = "".join("{" + f"0 {row[2]}, 1 q, 2 {row[1]}, 3 {row[0]}" + "}\n" for row in self.rows)
        self.assertEqual(self.good("predict", model, arff("other.arff", "zucx", rows), "--proba", "--target", "-"), wanted)
        self.assertIn("'c' is missing", self.bad("predict", model, arff("other.arff", "zxy", "1,2,a\n")))


class TargetLeftOut(Folder):
    def test_a_column_cannot_be_both(self):
        table = self.write("a.csv", "p,q,y\n1,2,a\n2,1,b\n3,3,a\n")
        arff = self.write("a.arff", "@relation r\n@attribute p numeric\n@attribute q numeric\n@attribute y {a,b}\n@data\n"
                                    "1,2,a\n2,1,b\n")
        for data in (table, arff):
            self.assertIn(f"{data}: column 'y' is --target and in --ignore; expected it in one of them",
                          self.bad("train", data, "--target", "y", "--ignore", "p,y"))


if __name__ == "__main__":
    unittest.main()
