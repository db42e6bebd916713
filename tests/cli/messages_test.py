# SPDX-License-Identifier: Apache-2.0
"""What the tool says: what it understood, why it stopped, and what to type instead."""
import json
import subprocess
import unittest

import tool
from folder import Folder

TOKENS = "the DT O\ncat NN B-NP\nsat VB O\n\na DT O\ndog NN B-NP\nran VB O\n"


class Ends(Folder):
    def test_patience_is_no_failure(self):
        data = self.synth("rows.svm", "classification", "--samples", "80", "--seed", "1")
        flags = ["train", data, "--valid", ".25", "--patience", "1", "--metric", "accuracy", "--tolerance", "1e-12"]
        done = tool.run(*flags)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"stopped by --patience 1 after \d+ iterations")
        self.assertNotIn("warning", done.stderr)
        self.assertEqual(json.loads(self.good(*flags, "--json"))["status"], "patience")


class StandardInput(Folder):
    def test_sentences_and_series(self):
        self.assertIn("for tagging give --data-format conll", self.bad("train", "-", stdin=TOKENS))
        self.assertIn("tokens", tool.run("train", "-", "--data-format=conll", stdin=TOKENS).stderr)
        series = "@problemName x\n@timeStamps false\n@univariate true\n@classLabel true a b\n@data\n1,2,3:a\n2,3,4:b\n"
        self.assertIn("time_series by its first lines", tool.run("train", "-", stdin=series).stderr)
        self.good("train", "-", "--data-format=time_series", stdin=series)


class Expected(Folder):
    """Errors about a word list those that there are."""

    def setUp(self):
        super().setUp()
        self.rows = self.write("a.csv", "p,q,y\n" + "1,2,a\n2,1,b\n3,3,a\n1,1,b\n" * 3)

    def test_metrics(self):
        grid = ("--grid", "lambda=1,2", "--metric")
        self.assertRegex(self.bad("tune", self.rows, *grid, "r_squared"),
                         "--metric is 'r_squared', which is not one of this task and these predictions; expected accuracy, ")
        self.assertRegex(self.bad("tune", self.rows, *grid, "xyzzy"), "unknown --metric 'xyzzy'; expected .*accuracy,")

    def test_axes(self):
        self.assertIn("--grid lambda: given twice", self.bad("tune", self.rows, "--grid", "lambda=1", "--grid", "lambda=2"))
        self.assertIn("--grid max-iterations: there is no such axis; expected lambda, rho, temperature, kernel.NAME or a "
                      "parameter of --omega", self.bad("tune", self.rows, "--grid", "max-iterations=1,2"))
        self.assertIn("--grid alpha: needs --omega", self.bad("tune", self.rows, "--grid", "alpha=1,2"))

    def test_a_format_nobody_asked_for(self):
        told = tool.run("train", self.rows, "--task", "classification").stderr
        self.assertIn("csv by the ending of its name", told)

    def test_files_of_several_formats(self):
        rows = self.write("a.svm", "1 1:1\n0 1:2\n")
        self.assertIn(f"{self.rows}: this is csv by the ending of its name, and {rows} is svmlight; expected files of one format",
                      self.bad("train", rows, self.rows))
        self.good("train", rows, self.write("b.txt", "1 1:1\n0 1:2\n"), rows)

    def test_a_file_that_is_no_model(self):
        self.assertIn(f"{self.rows} is not a model; expected a file that", self.bad("inspect", self.rows))


class TooFew(Folder):
    """Splits of data that are too small for them."""
    GRID = ("--grid", "lambda=0.1,1")

    def setUp(self):
        super().setUp()
        rows = ["1,2,x\n", "2,1,y\n", "3,3,x\n"]
        self.rows = {count: self.write(f"{count}.csv", "a,b,class\n" + "".join(rows[:count])) for count in (1, 2, 3)}

    def test_a_share_of_one_example(self):
        query = self.write("q.svm", "1 qid:1 1:1 2:2\n0 qid:1 1:2\n")
        sentence = self.write("s.conll", "the DT O\ncat NN B-NP\n")
        for data, what in ((self.rows[1], "1 row"), (query, "1 query"), (sentence, "1 sentence")):
            for command in (["train", data, "--valid", "0.25"], ["tune", data, *self.GRID]):
                self.assertIn(f"error: --valid 0.25: {data} has {what}, which leaves nothing to train on; expected at least 2",
                              self.bad(*command))
            self.assertIn(f"error: --folds is 2; {data} has {what}, which cannot be split",
                          self.bad("tune", data, *self.GRID, "--folds", "2"))

    def test_more_than_there_are(self):
        data = self.rows[3]
        self.assertIn(f"--folds is 5; {data} has 3 rows; expected at most 3", self.bad("tune", data, *self.GRID, "--folds", "5"))
        self.assertIn(f"--valid 0.9: {data} has 3 rows, which leaves nothing to train on; expected a smaller share",
                      self.bad("train", data, "--valid", ".9"))
        for folds in ("1", "1001", "x", "2.5"):
            self.assertIn(f"error: --folds is {folds}; expected a whole number from 2 to 1000",
                          self.bad("tune", data, *self.GRID, "--folds", folds))

    def test_a_class_without_rows_to_train_on(self):
        for flags in (["--valid", "0.25"], ["--folds", "2"]):
            told = tool.run("tune", self.rows[2], *self.GRID, *flags, "--quiet").stderr
            self.assertRegex(told, f"warning: {' '.join(flags)}: (a row is|2 rows are) of a class that no row to train on has")
        self.assertIn("no row to train on has", tool.run("train", self.rows[2], "--valid", "0.5", "--quiet").stderr)
        other = self.write("other.csv", "a,b,class\n1,2,p\n2,1,x\n")
        self.assertIn(f"warning: {other}: a row is of a class that no row to train on has; it counts as an error",
                      tool.run("tune", self.rows[3], *self.GRID, "--valid", other).stderr)
        numbers = self.write("numbers.csv", "a,b,y\n1,2,1.5\n2,1,2.25\n3,3,9.5\n")
        for task in ([], ["--task", "regression"]):
            self.assertNotIn("no row to train on", tool.run("tune", numbers, *self.GRID, *task).stderr)

    def test_a_value_that_is_empty(self):
        for flag in ("--valid", "--model", "--log"):
            self.assertIn(f"error: {flag} is ''; expected a value", self.bad("train", self.rows[3], flag, ""))
        self.assertIn("--valid is 'no.csv'; expected a share between 0 and 1, or a file that exists",
                      self.bad("train", self.rows[3], "--valid", "no.csv"))


class Understood(Folder):
    def setUp(self):
        super().setUp()
        self.csv = self.write("rows.csv", "x,z,y\n" + "1,p,a\n2,q,b\n3,p,a\n4,q,b\n" * 4)

    def test_what_was_read(self):
        model, summary = self.trained(self.csv, "--lambda", "0.5")
        self.assertEqual([summary[key] for key in ("task", "target", "features", "loss", "lambda")],
                         ["classification", "y", 2, "logistic", 0.5])
        for command in ("predict", "evaluate"):
            told = tool.run(command, model, self.csv).stderr
            for part in ("16 rows", "2 features", "the target is column 'y'", "the model is for classification with 2 features"):
                self.assertIn(part, told)
            for flag in ("--quiet", "--json"):
                self.assertEqual(tool.run(command, model, self.csv, flag).stderr, "")
        kept = self.good("predict", model, self.csv, "--keep", "x,y", "--format", "csv").splitlines()
        self.assertEqual(kept[:2], ["x,y,prediction", "1,a,a"])
        self.assertIn("the target is column 'y'", tool.run("convert", self.csv, "--out", self.path("c")).stderr)

    def test_a_column_that_cannot_be_scaled(self):
        for value in ("1e300", "1e-300"):
            rows = self.write("r.csv", f"height,mass,class\n1,{value},a\n2,-{value},b\n3,{value},a\n4,0,b\n")
            self.assertIn("feature 'mass' has values that are too", self.bad("train", rows, "--scale", "standard"))

    def test_taggers(self):
        tokens = self.write("t.conll", TOKENS)
        model, summary = self.trained(tokens)
        self.assertEqual(summary["task"], "tagging")
        told = tool.run("evaluate", model, tokens).stderr
        self.assertIn("2 sentences, 6 tokens, labels in the last column (conll)", told)
        self.assertIn("the model is for tagging", told)


class Tags(Folder):
    def test_labels_and_chunks(self):
        tokens = self.write("t.conll", TOKENS * 10)
        model, _ = self.trained(tokens)
        truth = self.write("v.conll", "the DT O\ncat NN I-VP\nsat VB O\n\na DT O\ndog NN B-NP\nran VB O\n")
        found = json.loads(self.good("evaluate", model, truth, "--json"))
        self.assertEqual([(one["name"], one["support"]) for one in found["classes"]], [("B-NP", 1), ("I-VP", 1), ("O", 4)])
        noun = {"name": "NP", "precision": 0.5, "recall": 1.0, "f1": 2 / 3, "support": 1}
        self.assertEqual(found["chunks"], [noun, {"name": "VP", "precision": 0, "recall": 0, "f1": 0, "support": 1}])
        self.assertEqual(found["confusion"], [[1, 0, 0], [1, 0, 0], [0, 0, 4]])
        table = self.good("evaluate", model, truth, "--confusion")
        for line in (r"B-NP +0.5000 +1.0000 +0.6667 +1", r"chunk +precision", r"VP +0.0000 +0.0000 +0.0000 +1", r"O +0 +0 +4"):
            self.assertRegex(table, line)


class Advice(Folder):
    def test_templates_with_unknown_cells(self):
        tokens = self.write("t.conll", TOKENS)
        message = self.bad("train", tokens, "--template", self.write("a", "U01:%foo[0,0]\n"))
        self.assertIn(":1:5: '%foo' is no cell; expected one of %x, %low,", message)
        self.good("train", tokens, "--template", self.write("b", "U01:%x[0,0]/%%foo[0,0] 5%of [x] 7%\n"))

    def test_a_target_that_leaves_no_words(self):
        row = "{}\tthe\tthe\t{}\t_\t_\t0\troot\t_\t_\n"
        tokens = self.write("t.conllu", row.format(1, "DET") + "\n" + row.format(1, "NOUN") + "\n")
        self.assertIn("--target FORM leaves no column to read words from", self.bad("train", tokens, "--target", "FORM"))

    def test_what_helps_where_training_does_not_converge(self):
        longer = "more --max-iterations train longer, a larger --lambda or --tolerance ends sooner"
        flags = ["--max-iterations", "1", "--tolerance", "1e-9", "--quiet"]
        sizes = self.write("a.csv", "rate,income,class\n1,1e4,a\n2,1e4,b\n3,1.1e4,a\n4,1e4,b\n")
        told = tool.run("train", sizes, *flags).stderr
        sizes_told = "features differ in size (income is up to 1.1e+04, rate varies by 3): --scale standard helps"
        self.assertIn(f"{longer}; {sizes_told}", told)
        self.assertNotIn("--scale", tool.run("train", sizes, *flags, "--scale", "standard").stderr)
        self.assertNotIn("--lambda", tool.run("train", sizes, *flags, "--penalty", "none").stderr)
        alike = self.write("b.csv", "p,q,r,class\n1,0,1,a\n0,1,1,b\n1,1,1,a\n0,0,1,b\n1,1,1,b\n")
        counts = self.write("c.svm", "".join(f"{'ab'[i % 2]} {i + 1}:{10 ** (i % 4)} {i + 20}:1\n" for i in range(12)))
        for data in (alike, counts):
            told = tool.run("train", data, *flags).stderr
            self.assertIn(longer, told)
            self.assertNotIn("--scale", told)

    def test_lines_that_are_not_json(self):
        done = tool.run("eval", stdin="not json\n")
        self.assertEqual(json.loads(done.stdout)["error"], "the line is not JSON, as its byte 2 shows")

    def test_ties_at_the_edge_of_a_grid(self):
        rows = "".join(f"{'ab'[i % 2]} 1:{(-1) ** i * 5} 2:{i % 7}\n" for i in range(60))
        found = json.loads(self.good("tune", self.write("a.svm", rows), "--grid", "lambda=0.1,1,10", "--json"))
        self.assertEqual({row["accuracy"] for row in found["table"]}, {1.0})
        self.assertEqual(found["best"]["lambda"], 1)


class Misspelt(Folder):
    def test_the_nearest_is_named(self):
        rows = self.synth("rows.svm", "classification", "--samples", "40", "--seed", "1")
        config = self.write("flags.toml", "lamda = 1\n")
        for wanted, *arguments in (("lambda", "tune", rows, "--grid", "lamda=1,2"),
                                   ("lambda", "tune", rows, "--omega", "tsallis", "--grid", "lamda=1,2"),
                                   ("alpha", "tune", rows, "--omega", "tsallis", "--grid", "alpah=1,2"),
                                   ("proportions", "synth", "propotions"),
                                   ("csv", "train", rows, "--data-format", "cvs"),
                                   ("lambda", "train", rows, "--config", config),
                                   ("impute", "train", rows, "--missing", "imptue"),
                                   ("jsonl", "predict", rows, rows, "--format", "jsnol"),
                                   ("train", "trian", "--help"),
                                   ("train", "help", "trian"), ("ranking", "help", "synth", "rankign")):
            self.assertIn(f"did you mean '{wanted}'?", self.bad(*arguments), arguments)
        self.assertIn("A subcommand is required", self.bad("synth"))

    def test_help_of_a_command(self):
        for command in ([], ["train"], ["synth", "ranking"], ["help"]):
            self.assertEqual(self.good("help", *command), self.good(*command, "--help"))


class Completion(Folder):
    def completed(self, *words):
        script = ('source <("$0" completion bash); COMP_WORDS=(fenchel "$@"); COMP_CWORD=$#; _fenchel; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script, tool.TOOL, *words], capture_output=True, text=True, timeout=60, check=True)
        return done.stdout.split()

    def test_words_of_lists(self):
        for wanted, *words in (("classification", "train", "--task", "cl"), ("sparsemax", "train", "--omega", "=", "sparsemax"),
                               ("ner", "train", "--template", "n"), ("fista", "train", "--solver", "fi"),
                               ("l1", "train", "--penalty", "l1"), ("rbf", "train", "--kernel", "r"),
                               ("accuracy", "tune", "--metric", "acc"), ("conllu", "predict", "--data-format", "conllu"),
                               ("hinge", "losses", "hin"), ("birkhoff", "polytopes", "bi"), ("ranking", "synth", "ra"),
                               ("--queries", "synth", "ranking", "--q"), ("train", "help", "tr")):
            self.assertEqual(self.completed(*words), [wanted], words)

    def test_a_shell_without_one(self):
        for shell in ("csh", "powershell"):
            message = self.bad("completion", shell)
            self.assertIn(f"SHELL is '{shell}'; there are completions for bash, zsh and fish", message)
            self.assertNotIn("did you mean", message)
        self.assertEqual(self.completed("completion", "z"), ["zsh"])

    def test_other_shells_have_the_same_lists(self):
        for shell in ("zsh", "fish"):
            script = self.good("completion", shell)
            for word in ("crfsuite-chunking", "smoothed_hinge", "birkhoff", "elastic_net", "queries"):
                self.assertIn(word, script, shell)


if __name__ == "__main__":
    unittest.main()
