# SPDX-License-Identifier: Apache-2.0
"""--json: every command that has results gives them as JSON on stdout, and says everything else on stderr."""
import json
import math
import unittest

import tool
from folder import Folder

# What they write to stdout is data, JSON already, or a text for one reader: docs/cli.md says so.
WITHOUT = {"synth", "eval", "help", "completion", "manual"}
# Its object comes from the Python package: tests/frameworks/export_test.py looks at it.
BY_PYTHON = {"export"}


def strict(text):
    """JSON without the words NaN and Infinity, which are none."""
    def refuse(word):
        raise AssertionError(word)
    return json.loads(text, parse_constant=refuse)


class EveryCommand(Folder):
    def setUp(self):
        super().setUp()
        self.rows = self.synth("rows.svm", "classification", "--samples", "40", "--seed", "1")
        self.model, _ = self.trained(self.rows, "--certificate")

    def test_commands_without_it_are_these(self):
        commands = {line.split()[0] for line in tool.run("--help").stdout.split("Subcommands:")[1].splitlines() if line.strip()}
        with_json = {command for command in commands if "--json" in tool.run(command, "--help").stdout}
        self.assertEqual(commands - with_json, WITHOUT)
        self.assertEqual(with_json - BY_PYTHON, {call[0] for call, _ in self.examples()})

    def examples(self):
        """A call of each command, and a key that its object has."""
        data, model = self.rows, self.model
        return [(["train", data], "train"), (["evaluate", model, data], "accuracy"), (["verify", model, data], "verified"),
                (["tune", data, "--grid", "lambda=1,2"], "best"), (["inspect", model], "kind"),
                (["describe", data], "rows"), (["convert", data, "--out", self.path("out.cache")], "written"),
                (["predict", model, data], "label"), (["losses"], "formula"), (["losses", "sparsemax"], "formula"),
                (["polytopes"], "structures"), (["polytopes", "sequence"], "structures"), (["demo"], "predictions"),
                (["doctor"], "simd_target"),
                (["solve-compare", "--dims", "5,9", "--draws", "2", "--repeats", "1"], "table")]

    def test_one_object_or_lines(self):
        for call, key in self.examples():
            with self.subTest(call):
                out = self.good(*call, "--json")
                self.assertTrue(out.endswith("\n"))
                objects = [strict(line) for line in out.splitlines()]
                for each in objects:
                    self.assertIn(key, each)
                several = len(call) == 1 and call[0] in ("losses", "polytopes") or call[0] == "predict"
                self.assertEqual(len(objects) > 1, several, call)

    def test_nothing_else_is_on_stdout_when_something_is_wrong(self):
        done = tool.run("losses", "sparsmax", "--json")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("did you mean 'sparsemax'", done.stderr)


class Contents(Folder):
    def test_an_omega(self):
        found = strict(self.good("losses", "tsallis:alpha=1.5", "--json"))
        self.assertEqual(found["omega"], {"name": "tsallis", "alpha": 1.5})
        self.assertEqual(found["name"], "tsallis")
        self.assertIn("alpha", found["parameters"])
        self.assertEqual((found["sparse"], found["symmetric"], found["legendre"]), (True, True, False))
        self.assertAlmostEqual(found["margin"], 2)
        self.assertIn("§", found["paper"])
        self.assertIsNone(strict(self.good("losses", "shannon", "--json"))["margin"])

    def test_each_omega_and_set_by_name(self):
        """The page of one has what the table has of it."""
        for command in ("losses", "polytopes"):
            for line in self.good(command, "--json").splitlines():
                row = strict(line)
                page = strict(self.good(command, row["name"], "--json"))
                for key in set(row) - {"margin"}:
                    self.assertEqual(page[key], row[key], (row["name"], key))
                self.assertGreater(len(page), len(row))

    def test_a_set(self):
        found = strict(self.good("polytopes", "sequence:n=5,m=3", "--json"))
        self.assertEqual(found["polytope"], {"name": "sequence", "n": 5, "m": 3})
        self.assertEqual(math.prod(found["shape"]), found["dimension"])
        self.assertEqual(set(found["parameters"]), {"n", "m"})
        self.assertTrue(found["marginals"])

    def test_demo_and_doctor(self):
        found = strict(self.good("demo", "--theta", "1,0,-1", "--json"))
        self.assertEqual(found["theta"], [1, 0, -1])
        for each in found["predictions"]:
            self.assertAlmostEqual(sum(each["prediction"]), 1)
        self.assertEqual(strict(self.good("doctor", "--json"))["version"], tool.run("--version").stdout.split()[1])

    def test_convert(self):
        data = self.write("a.svm", "a 1:1\nb 2:1\n3:1\na 1:2\n")
        out, held_out = self.path("out.svm"), self.path("held-out.svm")
        done = tool.run("convert", data, "--out", out, "--held-out", held_out, "--share", "0.34", "--to", "svmlight",
                        "--labelled", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found = strict(done.stdout)
        self.assertEqual((found["rows"], found["rows_without_label"], found["features"]), (4, 1, 3))
        self.assertEqual([each["file"] for each in found["written"]], [out, held_out])
        for each in found["written"]:
            with open(each["file"], encoding="utf-8") as file:
                self.assertEqual(len(file.read().splitlines()), each["rows"])

    def test_solve_compare(self):
        done = tool.run("solve-compare", "--dims", "5", "--draws", "25", "--repeats", "1", "--solvers", "bisection,fista",
                        "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        table = strict(done.stdout)["table"]
        self.assertEqual([(line["d"], line["solver"]) for line in table], [(5, "bisection"), (5, "fista")])
        self.assertIsNone(table[0]["times_newton"])  # newton was not run

    def test_predictions(self):
        rows = self.synth("rows.svm", "classification", "--samples", "20", "--seed", "1")
        model, _ = self.trained(rows)
        self.assertEqual(self.good("predict", model, rows, "--json", "--top", "2"),
                         self.good("predict", model, rows, "--format", "jsonl", "--top", "2"))
        self.good("predict", model, rows, "--json", "--format", "jsonl")
        self.assertIn("--json has no meaning with another --format",
                      self.bad("predict", model, rows, "--json", "--format", "csv"))

    def test_weights_of_models(self):
        rows = self.synth("rows.svm", "classification", "--samples", "40", "--features", "6", "--classes", "3", "--seed", "1")
        model, _ = self.trained(rows)
        found = strict(self.good("inspect", model, "--top", "2", "--json"))["largest_weights"]
        self.assertEqual(len(found), 3)
        for weights in found.values():
            sizes = [abs(each["weight"]) for each in weights]
            self.assertEqual(len(sizes), 2)
            self.assertEqual(sizes, sorted(sizes, reverse=True))
        kernel, _ = self.trained(rows, "--kernel", "rbf")
        for flags in ([], ["--json"]):
            self.assertIn("--top has no meaning for", self.bad("inspect", kernel, "--top", "2", *flags))
            self.good("inspect", kernel, *flags)


if __name__ == "__main__":
    unittest.main()
