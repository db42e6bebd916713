# SPDX-License-Identifier: Apache-2.0
"""Clusters of words from a file in templates of taggers: trained with, kept in the model, refused where damaged."""
import gzip
import json
import pathlib
import unittest

import tool
from folder import Folder

# Words of the test never occur in training: only their clusters tell.
PAIRS = (("red", "fish"), ("blue", "cat"), ("green", "dog"), ("red", "dog"))
TRAIN = "".join(f"{a} B\n{b} I\n. O\n\n" for a, b in PAIRS * 5) + "".join(f"{b} I\n{a} B\n. O\n\n" for a, b in PAIRS * 5)
TEST = "pink B\nbird I\n. O\n\nbird I\npink B\n. O\n\n"
COLOURS, ANIMALS = ("red", "blue", "green", "pink"), ("fish", "cat", "dog", "bird")
BROWN = "".join([f"0110\t{word}\t12\n" for word in COLOURS] + [f"01110\t{word}\t3\n" for word in ANIMALS])
TWO = "".join([f"{word} 7\n" for word in COLOURS] + [f"{word}  12\n" for word in ANIMALS])


class Clusters(Folder):
    def setUp(self):
        super().setUp()
        self.train = self.write("train.conll", TRAIN)
        self.test = self.write("test.conll", TEST)
        self.brown = self.write("paths", BROWN)
        self.two = self.write("words.txt", TWO)

    def accuracy(self, *flags):
        model, _ = self.trained(self.train, "--task", "tagging", "--lambda", "0.1", *flags)
        return json.loads(self.good("evaluate", model, self.test, "--json"))["accuracy"]

    def test_presets_use_them(self):
        self.assertLess(self.accuracy(), 1)
        for preset in ("default", "ner", "pos", "chunking"):
            for file in (self.brown, self.two):
                self.assertEqual(self.accuracy("--template", preset, "--clusters", file), 1, (preset, file))
        self.assertEqual(self.accuracy("--clusters", self.brown), 1)

    def test_templates_use_them(self):
        for cell, right in (("%cluster[0,0]", True), ("%cluster[0,0,4]", True), ("%cluster[0,0,2]", False)):
            template = self.write("t", f"U1:{cell}\nB\n")
            self.assertEqual(self.accuracy("--template", template, "--clusters", self.brown) == 1, right, cell)
        self.good("train", self.train, "--clusters", self.write("p.gz", gzip.compress(BROWN.encode())))

    def test_the_model_keeps_them(self):
        model, _ = self.trained(self.train, "--task", "tagging", "--clusters", self.brown)
        words = self.write("words.conll", "pink\nbird\n.\n")
        pathlib.Path(self.brown).unlink()
        self.assertEqual(self.good("predict", model, words), "B\nI\nO\n\n")
        self.assertEqual(json.loads(self.good("inspect", model, "--json"))["clusters"], {"words": 8, "clusters": 2})
        # A byte of a word: the checksum does not fit.
        content = pathlib.Path(model).read_bytes()
        self.assertEqual(content.count(b"greenpink"), 1)
        damaged = self.write("damaged", content.replace(b"greenpink", b"greenpinl"))
        self.assertIn(damaged, self.bad("predict", damaged, words))

    def test_what_is_said(self):
        done = tool.run("train", self.train, "--clusters", self.brown)
        self.assertIn(f"{self.brown}: 8 words in 2 clusters (paths); 66.7 % of the tokens have one", done.stderr)
        other = self.write("other", "Rot 1\nBlau 2\n")
        for flags in ([], ["--quiet"]):
            done = tool.run("train", self.train, "--clusters", other, *flags)
            self.assertEqual(done.returncode, 0)
            self.assertIn("warning: " + other + ": none of the words has a cluster", done.stderr)

    def test_tuning_and_validation(self):
        found = json.loads(self.good("tune", self.train, "--task", "tagging", "--clusters", self.brown, "--grid", "lambda=1,0.1",
                                     "--test", self.test, "--json"))
        self.assertEqual(found["test"]["accuracy"], 1)
        found = json.loads(self.good("train", self.train, "--clusters", self.brown, "--valid", self.test, "--json"))
        self.assertEqual(found["valid"]["accuracy"], 1)

    def test_a_run_goes_on_with_the_same_ones(self):
        checkpoint = self.path("checkpoint")
        flags = ["train", self.train, "--task", "tagging", "--tolerance", "1e-9", "--max-iterations"]
        self.good(*flags, "3", "--clusters", self.brown, "--checkpoint", checkpoint)
        self.good(*flags, "6", "--clusters", self.brown, "--resume", checkpoint)
        other = self.write("other", BROWN + "1\tanother\t1\n")
        self.assertIn("clusters", self.bad(*flags, "6", "--clusters", other, "--resume", checkpoint))
        self.assertIn("template", self.bad(*flags, "6", "--resume", checkpoint))

    def test_they_are_needed_and_needs(self):
        template = self.write("t", "U1:%x[0,0]\nU2:%cluster[0,0]\nB\n")
        self.assertIn(f"{template}:2:4: %cluster needs --clusters, a file", self.bad("train", self.train, "--template", template))
        plain = self.write("plain", "U1:%x[0,0]\nB\n")
        self.assertIn(f"{plain}: no template reads the --clusters",
                      self.bad("train", self.train, "--template", plain, "--clusters", self.brown))
        tagged = self.write("tagged.conll", "a D B\nb N I\n\n" * 5)
        self.assertIn("no template reads the --clusters",
                      self.bad("train", tagged, "--template", "crfsuite-chunking", "--clusters", self.brown))
        rows = self.synth("rows.svm", "classification", "--samples", "20")
        self.assertIn("--clusters is for tagging", self.bad("train", rows, "--clusters", self.brown))
        attributes = self.write("s.crfsuite", "A\tx=1\nB\tx=2\n\nB\tx=1\nA\tx=2\n\n")
        self.assertIn("--clusters is for tokens in columns", self.bad("train", attributes, "--clusters", self.brown))
        self.assertIn("--clusters", self.bad("train", self.train, "--clusters", self.brown, "--model", self.brown))

    def test_damaged_files(self):
        for content, message in ((b"", ": the file is empty"), (b"red 1\n\0 2\n", ":2:1: a byte 0"),
                                 (b"red 1\nblue 2\nred 2\n", ":3:1: the word 'red' has the cluster 1 already"),
                                 (b"01\tred\t1\n02\tblue\t1\n", ":2:1: '02' is no path"),
                                 (b"red\n", ":1:1: expected two columns"),
                                 (b"0110 red\n10 blue\n", ":1: the words in the first column are all made of 0 and 1"),
                                 (b"x" * 3000000 + b" 1\n", ":1:1: the word 'xxx"),
                                 (b"red " + b"7" * 3000000, ":1:1: the cluster '777")):
            file = self.write("bad", content)
            done = tool.run("train", self.train, "--clusters", file, "--model", self.path("none"))
            self.assertEqual(done.returncode, 2, content[:20])
            self.assertIn(f"error: {file}{message}", done.stderr)
            self.assertLess(len(done.stderr), 1000)
            self.assertFalse((self.folder / "none").exists())
        self.assertIn("cannot", self.bad("train", self.train, "--clusters", self.path("missing")))


if __name__ == "__main__":
    unittest.main()
