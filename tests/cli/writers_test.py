# SPDX-License-Identifier: Apache-2.0
"""Every file that the tool writes is complete or not there: a full disk and a kill leave the old one."""
import os
import pathlib
import random
import resource
import signal
import subprocess
import time
import unittest

import tool
from folder import Folder


def few_bytes():
    """The limit that stands for a full disk, in the child process."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))


class Writers(Folder):
    def setUp(self):
        super().setUp()
        self.data = self.synth("train.svm", "classification", "--samples", "2000", "--seed", "1")
        self.out = self.path("out")
        self.commands = [
            ["convert", self.data, "--to", "svmlight", "--out", self.out],
            ["convert", self.data, "--out", self.out],
            ["convert", self.data, "--to", "svmlight", "--out", self.path("other"), "--held-out", self.out, "--share", "0.9"],
            ["solve-compare", "--dims", "3", "--draws", "200", "--repeats", "1", "--csv", self.out],
            ["train", self.data, "--model", self.out, "--kernel", "linear", "--max-iterations", "1"]]

    def test_a_full_disk(self):
        for command in self.commands:
            pathlib.Path(self.out).write_text("old")
            done = subprocess.run([tool.TOOL, *command], preexec_fn=few_bytes, capture_output=True, timeout=120, check=False)
            self.assertEqual(done.returncode, 2, command)
            self.assertIn(b"File too large", done.stderr)
            self.assertEqual(pathlib.Path(self.out).read_text(), "old", command)
            self.assertEqual([name for name in os.listdir(self.folder) if "tmp" in name], [], command)

    def test_kills(self):
        command = self.commands[0]
        begin = time.monotonic()
        self.good(*command)
        lasts = time.monotonic() - begin
        whole = pathlib.Path(self.out).read_bytes()
        moments = random.Random(1)
        for _ in range(25):
            process = subprocess.Popen([tool.TOOL, *command], stderr=subprocess.DEVNULL)
            time.sleep(lasts * moments.random())
            process.send_signal(signal.SIGKILL)
            process.wait()
            self.assertEqual(pathlib.Path(self.out).read_bytes(), whole)
        self.good(*command)
        self.assertEqual([name for name in os.listdir(self.folder) if "tmp" in name], [])


class Converted(Folder):
    def test_the_name_says_the_format(self):
        rows = self.write("rows.csv", "a,b,y\n1,2,p\n3,0.5,q\n")
        for name, text in (("out.svm", True), ("out.libsvm", True), ("out.cache", False), ("out", False)):
            out = self.path(name)
            self.good("convert", rows, "--out", out)
            found = pathlib.Path(out).read_bytes()
            self.assertEqual(found.startswith(b"p 1:1 2:2\n"), text, name)
        for name in ("out.csv", "out.arff", "out.npy", "out.svm.gz"):
            out = self.path(name)
            told = self.bad("convert", rows, "--out", out)
            self.assertIn("is not written; expected a name such as rows.cache or rows.svm", told)
            self.assertFalse(pathlib.Path(out).exists())
            self.good("convert", rows, "--out", out, "--to", "cache")


if __name__ == "__main__":
    unittest.main()
