# SPDX-License-Identifier: Apache-2.0
"""A flag that nothing would look at is an error that names it, never passed over."""
import unittest

import tool
from folder import Folder


class Unused(Folder):
    def setUp(self):
        super().setUp()
        self.rows = self.synth("rows.svm", "classification", "--samples", "30", "--seed", "1")
        self.csv = self.write("rows.csv", "x,z,y\n1,p,a\n2,q,b\n3,p,a\n4,q,b\n")
        self.out = self.path("out")

    def refused(self, message, *arguments):
        done = tool.run(*arguments)
        self.assertEqual(done.returncode, 2, arguments)
        self.assertIn(f"error: {message}", done.stderr)
        self.assertFalse((self.folder / "out").exists(), arguments)

    def test_training(self):
        train = ["train", self.rows, "--model", self.out]
        for flags, message in ((["--metric", "nonsense"], "--metric needs --valid"),
                               (["--patience", "3"], "--patience needs --valid"),
                               (["--every", "1s"], "--every needs --checkpoint"),
                               (["--rho", "1"], "--rho needs --penalty elastic_net"),
                               (["--rho", "5", "--penalty", "l2"], "--rho needs --penalty elastic_net"),
                               (["--lambda", "1", "--penalty", "none"], "--lambda is the strength of the penalty"),
                               (["--template", "default"], "--template is for tagging; "),
                               (["--min-count", "3"], "--min-count is for tagging; "),
                               (["--all-states"], "--all-states is for tagging; ")):
            self.refused(message, *train, *flags)
        self.refused("unknown --metric 'nonsense'", *train, "--valid", "0.3", "--metric", "nonsense")
        # The same in a file of flags.
        self.refused("--rho needs --penalty elastic_net", *train, "--config", self.write("flags", "rho = 1\n"))

    def test_reading(self):
        model, _ = self.trained(self.rows)
        for command in (["train", self.rows, "--model", self.out], ["evaluate", model, self.rows],
                        ["predict", model, self.rows], ["describe", self.rows], ["convert", self.rows, "--out", self.out],
                        ["tune", self.rows, "--grid", "lambda=1,2", "--model", self.out]):
            for flag, value, formats in (("--labels", "nofile.xml", "arff"), ("--target", "foo", "csv, arff, npy"),
                                         ("--nominal", "ordinal", "csv, arff"),
                                         ("--missing", "impute", "csv, arff, time_series")):
                self.refused(f"{flag} has no meaning for data in the format svmlight; it is for {formats}", *command, flag, value)
        self.refused("--indices has no meaning for data in the format csv; it is for svmlight",
                     "train", self.csv, "--model", self.out, "--indices", "1")
        done = tool.run("predict", model, "-", "--target", "foo", stdin="1:2\n")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--target has no meaning", done.stderr)
        sentences = self.synth("s.conll", "tagging", "--sentences", "5")
        self.refused("--precision has no meaning for data in the format conll", "train", sentences, "--precision", "single")
        self.good("train", self.csv, "--target", "y", "--nominal", "ordinal", "--missing", "impute", "--precision", "single")

    def test_files_of_several_formats(self):
        """A flag is of use if one of the files has a use for it."""
        data = self.write("n.svm", "a 1:1\nb 1:2\na 1:3\nb 1:4\n")
        test = self.write("n.csv", "y,x\na,1\nb,2\n")
        for flag in ("--test", "--valid"):
            self.good("train", data, flag, test, "--target", "y")

    def test_attributes_that_are_written_out(self):
        data = self.write("s.crfsuite", "A\tx=1\nB\tx=2\n\nB\tx=1\nA\tx=2\n\n")
        self.refused("--template is for tokens in columns", "train", data, "--template", "default")
        self.good("train", data, "--min-count", "2", "--all-states")

    def test_splits(self):
        for flag, value in (("--share", "0.5"), ("--seed", "0")):
            self.refused(f"{flag} needs --held-out", "convert", self.rows, "--out", self.out, flag, value)
        tune = ["tune", self.rows, "--model", self.out, "--grid"]
        for flag, value in (("--valid", "0.3"), ("--repeats", "1")):
            self.refused(f"{flag} has no meaning with --folds", *tune, "lambda=1,2", "--folds", "3", flag, value)
        self.refused("--grid rho: needs --penalty elastic_net", *tune, "rho=1,2")
        self.good("tune", self.rows, "--penalty", "elastic_net", "--grid", "rho=1,2")

    def test_predictions(self):
        ranking, _ = self.trained(self.synth("r.svm", "ranking", "--queries", "5"))
        for flags in (["--proba"], ["--top", "3"]):
            self.refused(f"{flags[0]} needs a model with classes; {ranking} is for ranking",
                         "predict", ranking, self.path("r.svm"), *flags)
        numbers = self.write("v.svm", "0.5 1:1\n1.5 1:2\n2.5 1:3\n")
        regression, _ = self.trained(numbers)
        self.refused("--proba needs a model with classes", "predict", regression, numbers, "--proba")
        model, _ = self.trained(self.rows)
        self.refused("--top has no meaning with --format npy", "predict", model, self.rows, "--top", "3", "--format", "npy")
        self.good("predict", model, self.rows, "--top", "3", "--format", "jsonl")


class Values(Folder):
    """A flag that needs a value does not take the next flag for it."""

    def setUp(self):
        super().setUp()
        self.rows = self.synth("rows.svm", "classification", "--samples", "30", "--seed", "1")

    def refused(self, flag, next_word, *arguments):
        done = tool.run(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
        self.assertIn(f"error: {flag} needs a value, and '{next_word}' is a flag", done.stderr)
        self.assertIn(f"Try 'fenchel {arguments[0]}", done.stderr)

    def test_the_next_flag_is_none(self):
        train = ["train", self.rows]
        self.refused("--resume", "--tolerance", *train, "--resume", "--tolerance", "1e-7")
        self.refused("--model", "--quiet", *train, "--model", "--quiet")
        self.refused("--lambda", "--omega=shannon", *train, "--lambda", "--omega=shannon")
        self.refused("--lambda", "-h", *train, "--lambda", "-h")
        self.refused("--test", "--json", *train, "--test", "--json")  # takes several files
        self.refused("--task", "--fly", *train, "--task", "--fly")
        self.refused("-o", "--to", "convert", self.rows, "-o", "--to", "svmlight")
        self.refused("--out", "-o", "convert", self.rows, "--out", "-o", "x")
        self.refused("--theta", "--json", "demo", "--theta", "--json")
        self.refused("--samples", "--seed", "synth", "classification", "--samples", "--seed", "1")
        self.refused("--config", "--", *train, "--config", "--", "x")

    def test_values_that_begin_with_a_dash(self):
        self.good("demo", "--theta", "-1,2")
        self.good("demo", "--theta=-1,2")
        self.assertIn("--x", self.bad("train", self.rows, "--resume=--x"))  # a file of that name
        data = self.write("a.csv", "--x,y\n1,a\n2,b\n3,a\n")
        self.assertRegex(self.good("describe", data, "--target=--x"), "target +--x")
        self.good("train", self.rows, "--test", self.rows, self.rows, "--quiet")
        self.good("evaluate", "--json", self.trained(self.rows)[0], "-", stdin="1 1:2\n")
        self.good("describe", "--", self.rows)


class Numbers(Folder):
    def test_seeds_are_not_negative(self):
        data = self.write("a.svm", "1 1:3\n2 1:-1\n")
        self.assertIn("--seed is -1; expected a whole number >= 0", self.bad("train", data, "--seed", "-1"))

    def test_refusals_do_not_name_the_solver_that_refuses(self):
        data = self.write("a.svm", "1 1:3\n2 1:-1\n")
        refusal = self.bad("train", data, "--kernel", "rbf", "--penalty", "l1")
        self.assertIn("choose --penalty l2", refusal)
        self.assertNotIn("--solver dual_ascent", refusal)

    def test_gaps_of_tiny_penalties_do_not_underflow(self):
        data = self.write("a.svm", "1 1:3 2:1\n2 1:-1 2:2\n1 1:2 2:-1\n2 1:-3 2:0.5\n")
        for strength in ("1e-170", "1e-300"):
            found = {}
            for solver in ("lbfgs", "fista", "owlqn"):
                _, found[solver] = self.trained(data, "--omega", "sparsemax", "--intercept", "none", "--lambda", strength,
                                                "--solver", solver, "--tolerance", "1e-6")
            best = min(summary["objective"] for summary in found.values())
            for solver, summary in found.items():
                far = summary["objective"] > 1.01 * best
                self.assertFalse(far and summary["status"] == "converged", (solver, strength, summary))


if __name__ == "__main__":
    unittest.main()
