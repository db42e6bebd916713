# SPDX-License-Identifier: Apache-2.0
"""The other commands: losses, demo, doctor, solve-compare, help and wrong usage."""
import csv
import json
import pathlib
import tempfile
import unittest

import tool


class Help(unittest.TestCase):
    def test_every_command_has_help_with_an_example(self):
        for command in ("losses", "eval", "demo", "doctor", "solve-compare"):
            done = tool.run(command, "--help")
            self.assertEqual(done.returncode, 0, command)
            self.assertIn("Example", done.stdout, command)
            self.assertIn(f"fenchel {command}", done.stdout)

    def test_wrong_usage(self):
        for arguments in ([], ["fly"], ["losses", "--fly"], ["solve-compare", "--draws", "x"]):
            done = tool.run(*arguments)
            self.assertNotEqual(done.returncode, 0, arguments)
            self.assertIn("error", done.stderr)
            self.assertIn("--help", done.stderr)

    def test_version(self):
        self.assertRegex(tool.run("--version").stdout, r"^fenchel \d+\.\d+\.\d+\n$")


class Losses(unittest.TestCase):
    def test_table_lists_every_name_of_the_vocabulary(self):
        text = tool.run("losses").stdout
        for name in ("squared", "argmax", "shannon", "tsallis", "norm", "squared_norm", "renyi", "pairwise_hinge",
                     "pairwise_smoothed_hinge", "pairwise_squared_hinge", "relu", "poisson", "sigmoid",
                     "sparse_sigmoid", "tsallis_sigmoid", "one_vs_all", "sparsemax"):
            self.assertIn(name, text)

    def test_json_table_agrees_with_margins(self):
        rows = [json.loads(line) for line in tool.run("losses", "--json").stdout.splitlines()]
        by_name = {row["name"]: row for row in rows}
        self.assertEqual(by_name["tsallis"]["margin"], 2.0)
        self.assertIsNone(by_name["shannon"]["margin"])
        self.assertEqual(by_name["pairwise_squared_hinge"]["margin"], 4.5)

    def test_each_can_be_explained(self):
        for line in tool.run("losses", "--json").stdout.splitlines():
            name = json.loads(line)["name"]
            done = tool.run("losses", name)
            self.assertEqual(done.returncode, 0, (name, done.stderr))
            self.assertIn("paper", done.stdout)
        self.assertIn('"alpha":2', tool.run("losses", "sparsemax").stdout)
        self.assertIn("also called   svm, crammer_singer", tool.run("losses", "svm").stdout)
        self.assertIn("conditional random field", tool.run("losses", "crf").stdout)
        self.assertIn("hinge (svm, crammer_singer)", tool.run("losses").stdout)

    def test_unknown_name_suggests_the_nearest(self):
        done = tool.run("losses", "sparsmax")
        self.assertEqual(done.returncode, 2)
        self.assertIn("unknown omega 'sparsmax'; did you mean 'sparsemax'", done.stderr)


class Others(unittest.TestCase):
    def test_demo_draws_bars(self):
        text = tool.run("demo").stdout
        for word in ("argmax", "softmax", "entmax", "sparsemax", "█"):
            self.assertIn(word, text)
        self.assertEqual(tool.run("demo", "--theta", "1,2,nan").returncode, 2)

    def test_doctor(self):
        text = tool.run("doctor").stdout
        for word in ("version", "SIMD target", "BLAS", "threads"):
            self.assertIn(word, text)

    def test_solve_compare(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "draws.csv"
            done = tool.run("solve-compare", "--dims", "5,20", "--draws", "4", "--csv", str(path))
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = list(csv.DictReader(path.read_text().splitlines()))
        self.assertEqual(len(rows), 2 * 4 * 4)
        self.assertEqual({row["solver"] for row in rows}, {"bisection", "brent", "newton", "fista"})
        for row in rows:
            if row["solver"] != "fista":
                self.assertGreater(int(row["iterations"]), 0, row)
        self.assertEqual(tool.run("solve-compare", "--csv", "/no/such/folder/x.csv").returncode, 2)
        self.assertEqual(tool.run("solve-compare", "--draws", "0").returncode, 2)


if __name__ == "__main__":
    unittest.main()
