# SPDX-License-Identifier: Apache-2.0
"""fenchel tune, as a user runs it."""
import json
import pathlib
import unittest

from folder import Folder


class Tuning(Folder):
    def test_grid(self):
        data = self.synth("p.svm", "proportions", "--classes", "4", "--samples", "200", "--seed", "3")
        model = self.path("best.safetensors")
        out = json.loads(self.good("tune", data, "--omega", "tsallis", "--grid", "alpha=1:2:0.5", "--grid",
                                   "lambda=1e-2:1e2:log", "--grid", "temperature=0.5,1", "--metric", "js", "--json",
                                   "--model", model, "--test", data))
        self.assertEqual(len(out["table"]), 3 * 5 * 2)
        best = min(out["table"], key=lambda row: row["js"])
        self.assertEqual(out["best"]["js"], best["js"])
        self.assertEqual({row["alpha"] for row in out["table"]}, {1, 1.5, 2})
        self.assertIn("js", out["test"])
        chosen = json.loads(self.good("inspect", model, "--json"))
        self.assertEqual(chosen["temperature"], out["best"]["temperature"])
        table = self.good("tune", data, "--omega", "tsallis", "--grid", "alpha=1,2", "--folds", "3", "--quiet")
        self.assertIn("<- best", table)

    def sentences(self):
        """CoNLL text with chunk labels, and the same as attributes of CRFsuite."""
        text = self.good("synth", "tagging", "--tags", "4", "--vocabulary", "30", "--sentences", "40", "--seed", "5")
        for tag, label in (("T1", "O"), ("T2", "B-X"), ("T3", "I-X"), ("T4", "B-Y")):
            text = text.replace(f" {tag}\n", f" {label}\n")
        tokens = (line.split() for line in text.splitlines())
        attributes = "".join(f"{token[1]}\tw={token[0]}\n" if token else "\n" for token in tokens)
        return self.write("t.conll", text), self.write("t.crfsuite", attributes)

    def test_tagging(self):
        conll, crfsuite = self.sentences()
        model, again = self.path("best.safetensors"), self.path("again.safetensors")
        for data, flags in ((conll, ["--task", "tagging", "--min-count", "2"]), (crfsuite, ["--all-states"])):
            with self.subTest(data):
                flags += ["--data-format", pathlib.Path(data).suffix[1:], "--threads", "1", "--tolerance", "1e-9"]
                out = json.loads(self.good("tune", data, *flags, "--grid", "lambda=0.1:10:log", "--folds", "2",
                                           "--metric", "chunk_f1", "--json", "--model", model, "--test", data))
                self.assertEqual(out["task"], "tagging")
                self.assertEqual([row["lambda"] for row in out["table"]], [0.1, 1, 10])
                self.assertEqual(out["best"]["chunk_f1"], max(row["chunk_f1"] for row in out["table"]))
                self.assertGreater(out["best"]["chunk_f1"], 0.3)
                self.good("train", data, *flags, "--lambda", str(out["best"]["lambda"]), "--model", again)
                self.assertEqual(pathlib.Path(model).read_bytes(), pathlib.Path(again).read_bytes())
                judged = json.loads(self.good("evaluate", model, data, "--json"))
                self.assertEqual(out["test"]["chunk_f1"], judged["chunk_f1"])

    def test_tagging_temperature_and_refit(self):
        conll, _ = self.sentences()
        model = self.path("best.safetensors")
        out = json.loads(self.good("tune", conll, "--task", "tagging", "--grid", "temperature=0.5,1,2", "--metric",
                                   "log_loss", "--valid", "0.2", "--refit", "train", "--threads", "1", "--json",
                                   "--model", model))
        inspected = json.loads(self.good("inspect", model, "--json"))
        self.assertEqual(inspected["temperature"], out["best"]["temperature"])
        self.assertEqual(inspected["provenance"]["sentences"], "32")
        self.assertEqual(len({row["log_loss"] for row in out["table"]}), 3)
        for flags, text in ((["--grid", "alpha=1,2"], "--grid alpha: taggers have no such parameter"),
                            (["--grid", "lambda=1", "--metric", "js"], "--metric is 'js'"),
                            (["--grid", "lambda=1", "--metric", "acuracy"], "unknown --metric 'acuracy'; did you mean"),
                            (["--grid", "lambda=1", "--task", "regression"], "for tagging")):
            self.assertIn(text, self.bad("tune", conll, *flags), flags)

    def test_kernels(self):
        data = self.synth("k.svm", "classification", "--samples", "80", "--seed", "1")
        model = self.path("best.safetensors")
        out = json.loads(self.good("tune", data, "--kernel", "rbf:gamma=0.5", "--grid", "kernel.gamma=0.01,1", "--grid",
                                   "lambda=0.1,1", "--threads", "1", "--json", "--model", model, "--test", data))
        self.assertEqual(out["best"]["kernel.gamma"], 0.01)
        self.assertGreater(out["test"]["accuracy"], 0.9)
        inspected = json.loads(self.good("inspect", model, "--json"))
        self.assertEqual((inspected["kind"], inspected["kernel"]["gamma"]), ("kernel", 0.01))
        for flags, text in ((["--grid", "kernel.gamma=1"], "--grid kernel.gamma: needs --kernel"),
                            (["--grid", "kernel.degree=1", "--kernel", "rbf"], "no parameter 'degree'"),
                            (["--grid", "lambda=1", "--kernel", "precomputed"], "--kernel is 'precomputed'")):
            self.assertIn(text, self.bad("tune", data, *flags), flags)

    def test_wrong_grids(self):
        data = self.write("d.svm", "1 1:1\n2 2:1\n1 1:2\n2 2:2\n")
        for grid, text in (("alpha", "expected name="), ("alpha=1:2", "not a range"), ("alpha=x", "not a number"),
                           ("lambda=0:1:log", "ends > 0"), ("alpha=2:1:0.1", "has no values"),
                           ("beta=1,2", "beta")):
            self.assertIn(text, self.bad("tune", data, "--omega", "tsallis", "--grid", grid), grid)


if __name__ == "__main__":
    unittest.main()
