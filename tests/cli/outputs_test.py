# SPDX-License-Identifier: Apache-2.0
"""A file that is written is none that is read, or written under another name: refused before anything is done."""
import os
import pathlib
import subprocess
import unittest

import tool
from folder import Folder


class Outputs(Folder):
    def setUp(self):
        super().setUp()
        self.data = self.synth("d.svm", "classification", "--samples", "30", "--seed", "1")
        self.other = self.synth("other.svm", "classification", "--samples", "30", "--seed", "2")
        self.out = self.path("out")

    def refused(self, names, *arguments, stdin=""):
        """Exit status 2, a message with both names, and every file as it was."""
        before = {path: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}
        done = tool.run(*arguments, stdin=stdin)
        self.assertEqual(done.returncode, 2, (arguments, done.stderr))
        self.assertIn("the same file as", done.stderr)
        for name in names:
            self.assertIn(name, done.stderr)
        self.assertEqual({path: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}, before, arguments)

    def test_data(self):
        dotted = f"{self.folder}/./d.svm"
        hard, soft = self.path("hard"), self.path("soft")
        os.link(self.data, hard)
        os.symlink("d.svm", soft)
        for path in (self.data, dotted, os.path.relpath(self.data), hard, soft):
            for flag in ("--model", "--checkpoint", "--log"):
                self.refused((f"{flag} is '{path}'", "DATA"), "train", self.data, flag, path)
            self.refused(("--model", "DATA"), "tune", self.data, "--grid", "lambda=1,2", "--model", path)
            self.refused(("--out", "DATA"), "convert", self.data, "--out", path)
        self.refused(("--log", "DATA"), "train", self.path("*.svm"), "--log", self.other)

    def test_other_inputs(self):
        config = self.write("config", "lambda = 2\n")
        for flag in ("--valid", "--test"):
            self.refused(("--model", flag), "train", self.data, flag, self.other, "--model", self.other)
        self.refused(("--model", "--config"), "train", self.data, "--config", config, "--model", config)
        self.refused(("--model", "--test"), "tune", self.data, "--grid", "lambda=1,2", "--test", self.other,
                     "--model", self.other)
        model, _ = self.trained(self.data)
        self.refused(("--out", "--model"), "convert", self.data, "--model", model, "--out", model)
        sentences = self.synth("s.conll", "tagging", "--sentences", "5")
        templates = self.write("templates", "U00:%x[0,0]\nB\n")
        self.refused(("--log", "--template"), "train", sentences, "--template", templates, "--log", templates)

    def test_files_beside_the_data(self):
        labels = self.write("a.xml", '<labels><label name="y"/></labels>')
        arff = self.write("a.arff", "@relation r\n@attribute x numeric\n@attribute y {0,1}\n@data\n1,0\n2,1\n")
        self.refused(("--log", "the labels of DATA"), "train", arff, "--log", labels)
        named = self.write("names.xml", pathlib.Path(labels).read_text())
        self.refused(("--out", "--labels"), "convert", arff, "--labels", named, "--out", named)

    def test_outputs(self):
        same = f"{self.folder}/./out"
        os.symlink("loop", self.path("loop"))
        self.assertIn("Too many levels of symbolic links", self.bad("train", self.data, "--model", self.path("loop")))
        os.symlink("out", self.path("link"))  # to what is not there yet
        for other in (self.out, same, self.path("link")):
            self.refused(("--held-out", "--out"), "convert", self.data, "--out", self.out, "--held-out", other)
            for flag in ("--checkpoint", "--log"):
                self.refused(("--model", flag), "train", self.data, "--model", self.out, flag, other)
            self.refused(("--checkpoint", "--log"), "train", self.data, "--checkpoint", self.out, "--log", other)

    def test_stdin(self):
        with open(self.data, encoding="utf-8") as file:
            done = subprocess.run([tool.TOOL, "train", "-", "--log", self.data], stdin=file, capture_output=True,
                                       text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--log", done.stderr)
        self.assertIn("DATA '/dev/stdin'", done.stderr)
        self.assertGreater(os.path.getsize(self.data), 0)

    def test_a_checkpoint_is_resumed_and_written_again(self):
        checkpoint = self.path("checkpoint")
        flags = ["train", self.data, "--quiet", "--checkpoint", checkpoint]
        self.good(*flags, "--max-iterations", "2")
        self.good(*flags, "--resume", checkpoint, "--model", self.out)
        self.refused(("--model", "--resume"), "train", self.data, "--resume", checkpoint, "--model", checkpoint)

    def test_devices_and_files_of_one_name(self):
        self.good("train", self.data, "--model", "/dev/null", "--log", "/dev/null")
        done = tool.run("convert", self.data, "--to", "svmlight", "--out", "/dev/stdout", "--held-out", "/dev/stdout")
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 30), done.stderr)
        (self.folder / "folder").mkdir()
        self.good("train", self.data, "--model", self.path("folder/d.svm"), "--quiet")
        self.assertTrue(pathlib.Path(self.path("folder/d.svm")).exists())

    def test_a_dash_is_no_file_to_write(self):
        for arguments in (["train", self.data, "--model", "-"], ["train", self.data, "--log", "-"],
                          ["train", self.data, "--checkpoint", "-"], ["convert", self.data, "--out", "-"],
                          ["convert", self.data, "--out", self.out, "--held-out", "-"],
                          ["tune", self.data, "--grid", "lambda=1,2", "--model", "-"], ["solve-compare", "--csv", "-"]):
            message = self.bad(*arguments)
            self.assertIn(f"{arguments[-2]} is '-'; expected a file (/dev/stdout is the standard output)", message)


if __name__ == "__main__":
    unittest.main()
