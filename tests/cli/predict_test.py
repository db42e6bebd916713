# SPDX-License-Identifier: Apache-2.0
"""The prediction of a row depends on the row and the model alone, to the last bit; on stdin too, in any format."""
import json
import pathlib
import subprocess
import unittest

import tool
from folder import Folder


class SameBits(Folder):
    def test_streams_files_and_parts(self):
        data = self.synth("train.svm", "classification", "--samples", "300", "--features", "13", "--seed", "4")
        rows = pathlib.Path(data).read_text().splitlines(keepends=True)
        for flags in (["--omega", "logistic"], ["--omega", "tsallis:alpha=1.5", "--scale", "standard"],
                      ["--omega", "sparsemax", "--scale", "maxabs"], ["--kernel", "rbf:gamma=0.1"]):
            model, _ = self.trained(data, *flags, "--lambda", "0.1")
            predict = ["predict", model, "--format", "jsonl"]
            wanted = self.good(*predict, data)
            self.assertEqual(self.good(*predict, "-", stdin="".join(rows)), wanted, flags)
            self.assertEqual(self.good(*predict, "-", "--threads", "1", stdin="".join(rows[:1])), wanted.splitlines(True)[0])
            some = self.good(*predict, self.write("some.svm", "".join(rows[100:107])))
            self.assertEqual(some, "".join(wanted.splitlines(True)[100:107]), flags)
            # A row of zeros more makes the others of the file sparse.
            zeros = "".join(rows[:5]) + "1\n" * 10
            self.assertEqual(self.good(*predict, self.write("zeros.svm", zeros)).splitlines()[:5],
                             wanted.splitlines()[:5], flags)


class WithoutLabels(Folder):
    def test_sentences(self):
        """Tokens need not have the column of labels: that was an error."""
        data = self.write("t.conll", "the D\ncat N\n\nsat V\n\n" * 5)
        words = self.write("w.conll", "the\ncat\n\nsat\n\n")
        model, _ = self.trained(data, "--task", "tagging", "--lambda", "0.1")
        self.assertEqual(self.good("predict", model, words), "D\nN\n\nV\n\n")
        self.assertIn("the sentences have no labels", self.bad("evaluate", model, words))


class RememberedFormat(Folder):
    """Lines of numbers may be rows or series: a model takes them as what it was trained on."""

    def lines(self, separator, labelled=True):
        lines = []
        for i in range(12):
            series = [f"{(1 if i % 2 else -1) * (t + 1) + i / 10:g}" for t in range(6)]
            lines.append(separator.join([str(i % 2 + 7)] * labelled + series))
        return "\n".join(lines) + "\n"

    def test_series(self):
        labels = "7\n8\n" * 6
        for ending, separator in (("tsv", "\t"), ("txt", "  "), ("data", ","), ("csv", ",")):
            with self.subTest(ending=ending):
                text, bare = self.lines(separator), self.lines(separator, labelled=False)
                data = self.write("train." + ending, text)
                model, summary = self.trained(data, "--data-format", "time_series", "--test", data)
                self.assertEqual((summary["features"], summary["test"]["accuracy"]), (6, 1))
                done = tool.run("predict", model, self.write("new." + ending, text))
                self.assertIn("6 features, dense (time_series as in training)", done.stderr)
                self.assertEqual(done.stdout, labels)
                self.assertEqual(json.loads(self.good("evaluate", model, data, "--json"))["accuracy"], 1)
                self.assertEqual(self.good("predict", model, "-", stdin=text), labels)
                done = tool.run("predict", model, self.write("bare." + ending, bare))
                self.assertIn("time_series as in training, without labels", done.stderr)
                self.assertEqual(done.stdout, labels)
                self.assertEqual(self.good("predict", model, "-", stdin=bare), labels)
        self.assertIn("time_series", self.good("inspect", model))

    def test_rows(self):
        text = self.lines("  ")
        data = self.write("train.txt", text)
        self.assertIn("the format is not certain", self.bad("train", data))
        model, _ = self.trained(data, "--data-format", "csv", "--target", "1")
        done = tool.run("predict", model, data)
        self.assertIn("(csv as in training", done.stderr)
        self.assertEqual(done.stdout, "7\n8\n" * 6)
        self.assertEqual(self.good("predict", model, "-", stdin=text), "7\n8\n" * 6)

    def test_what_is_asked_for_or_certain_stands(self):
        model, _ = self.trained(self.write("train.txt", self.lines(" ")), "--data-format", "time_series")
        rows = self.write("a.txt", self.lines(" "))
        self.assertIn("csv as asked", tool.run("predict", model, rows, "--data-format", "csv").stderr)
        sparse = self.write("b.svm", "7 1:-1 2:-2\n8 1:1 6:6\n")
        self.assertEqual(self.good("predict", model, sparse), "7\n8\n")
        named = self.write("c.csv", "a,b,c,d,e,f\n" + self.lines(",", labelled=False))
        self.assertEqual(self.good("predict", model, named), "7\n8\n" * 6)


class ForTaggers(Folder):
    """What a tagger is given: words alone, tokens with labels of others, and rows, which are no sentences."""

    def setUp(self):
        super().setUp()
        self.model, _ = self.trained(self.write("train.conll", "the D\ncat N\nran V\n\na D\ndog N\nsat V\n"), "--quiet")

    def test_words_alone(self):
        for name in ("words.txt", "words.conll", "words"):
            for text in ("the\ncat\nran\n\na\ndog\nsat\n", "the\ncat\nran\n"):
                done = tool.run("predict", self.model, self.write(name, text))
                self.assertEqual(done.stdout.split(), ["D", "N", "V"] * (1 + text.count("\n\n")))
                self.assertIn("no labels", done.stderr)

    def test_rows_are_refused(self):
        for name, text, kind in (("r.svm", "1 1:2 2:3\n0 1:1 2:1\n", "svmlight"), ("r.csv", "a,b,c\n1,2,x\n", "csv"),
                                 ("r.arff", "@relation r\n@attribute a numeric\n@data\n1\n", "arff")):
            rows = self.write(name, text)
            self.assertIn(f"{rows}: {kind} is a format of rows, and the model is a tagger of sentences",
                          self.bad("predict", self.model, rows))

    def test_labels_of_others(self):
        told = "the tagger has none of the labels there, such as"
        self.assertIn(f"{told} 'ran'", tool.run("predict", self.model, "-", stdin="the cat ran\n").stderr)
        self.assertIn(f"{told} 'X'", tool.run("predict", self.model, self.write("x.conll", "the X\ncat X\n")).stderr)
        self.assertNotIn("labels there", tool.run("predict", self.model, self.write("y.conll", "the D\ncat X\n")).stderr)


class Stdin(Folder):
    """Rows on stdin are read in the format that their first lines show, as those of files are."""

    def test_csv(self):
        text = "x,z,y\n1,1,a\n2,5,b\n3,2,c\n1,3,a\n2,3,b\n"
        data = self.write("n.csv", text)
        model, _ = self.trained(data)
        wanted = self.good("predict", model, data, "--proba")
        self.assertEqual(len(wanted.splitlines()), 5)
        for stdin in (text, "\n" + text, text.replace("\n", "\r\n")):
            self.assertEqual(self.good("predict", model, "-", "--proba", stdin=stdin), wanted)
        self.assertEqual(self.good("predict", model, "-", "--proba", "--data-format", "csv", stdin=text), wanted)
        self.assertEqual(self.good("predict", model, "-", "--proba", stdin="z,x\n1,1\n5,2\n2,3\n3,1\n3,2\n"), wanted)
        done = tool.run("predict", model, "-", "--proba", stdin="x,w,z,y\n1,0,1,a\n")
        self.assertEqual(done.stdout, wanted.splitlines(True)[0])
        self.assertIn("a column is not of the model and left out: w", done.stderr)
        # Rows of svmlight are rows of the same features, if they look like it.
        self.assertEqual(self.good("predict", model, "-", "--proba", stdin="1:1 2:1\n"), wanted.splitlines(True)[0])

    def test_other_formats(self):
        rows = "1,1,a\n2,5,b\n3,2,a\n"
        header = "@relation r\n@attribute x numeric\n@attribute z numeric\n@attribute y {a,b}\n@data\n"
        model, _ = self.trained(self.write("n.arff", header + rows))
        self.assertEqual(self.good("predict", model, "-", stdin=header + rows), self.good("predict", model, self.path("n.arff")))
        for text, problem in (("1 2 3\n4 5 6\n", "the format is not certain; give --data-format csv"),
                              ("the cat sat\n", "'x' and 'z' are missing"),
                              ("x\n1\n", "the format cannot be told")):
            done = tool.run("predict", model, "-", stdin=text)
            self.assertEqual((done.returncode, done.stdout), (2, ""), text)
            self.assertIn("standard input:", done.stderr)
            self.assertIn(problem, done.stderr)

    def test_labels_without_features(self):
        model, _ = self.trained(self.synth("train.svm", "classification", "--samples", "60", "--classes", "3"))
        for line in ("1,1,a", "[1,2]"):
            for text in (line + "\n", "1:1 2:3\n# a comment\n" + line + "\n"):
                done = tool.run("predict", model, "-", stdin=text)
                self.assertEqual(done.returncode, 2, text)
            self.assertIn(f"standard input: row 2 has {line.count(',') + 1} labels and no features", done.stderr)
            self.assertIn("row 1 has", self.bad("predict", model, self.write("x.svm", line + "\n")))
        # A row of zeros has a label and nothing else; its label may be new, but a word that is none is odd.
        for text in ("1\n", "1 # a comment\n1:2\n", "17\n", "1:0\n"):
            self.assertEqual(tool.run("predict", model, "-", stdin=text).stderr, "", text)
        self.assertIn("1 rows have no features, and a label that the model does not know",
                      tool.run("predict", model, "-", stdin="1:2\nhello\n").stderr)
        several, _ = self.trained(self.write("m.svm", "1,2 1:1\n2 2:1\n1 1:2\n1,2 2:2\n"))
        self.assertEqual(tool.run("predict", several, "-", stdin="1 1:1\n1,2\n").stderr, "")

    def test_scores_beyond_the_range_of_numbers(self):
        data = self.synth("train.svm", "classification", "--samples", "60", "--classes", "3")
        large = "1:1e308 2:-1e308\n"
        near, _ = self.trained(data, "--kernel", "rbf:gamma=0.1")
        self.assertEqual(len(self.good("predict", near, "-", stdin=large + "1:1\n").split()), 2)
        cubic, _ = self.trained(data, "--kernel", "polynomial:degree=3")
        rows = self.write("rows.svm", "1 1:1\n1 " + large)
        for command in ("predict", "evaluate"):
            message = self.bad(command, cubic, rows)
            self.assertRegex(message, "rows.svm: row 2 has the score -?(nan|inf); its features are too large for the model")
        steep, _ = self.trained(self.write("steep.svm", "1e3 1:1e-3\n-1e3 1:-1e-3\n2e3 1:2e-3\n"), "--task", "regression",
                                "--lambda", "1e-9")
        self.assertIn("standard input: row 3 has the score inf", self.bad("predict", steep, "-", stdin="1:1\n\n1:2\n1:1e308\n"))

    def test_lines_are_answered_as_they_come(self):
        model, _ = self.trained(self.synth("train.svm", "classification", "--samples", "60"))
        with subprocess.Popen([tool.TOOL, "predict", model, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as process:
            # What comes before the first row says nothing about the format.
            for line in ("# a comment\n\n1:2 3:-1\n", "0 2:1\n", "1\n"):
                process.stdin.write(line)
                process.stdin.flush()
                self.assertRegex(process.stdout.readline(), r"^\S+\n$")
            process.stdin.close()
            self.assertEqual(process.wait(timeout=20), 0)


if __name__ == "__main__":
    unittest.main()
