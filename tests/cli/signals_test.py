# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C and SIGTERM where the tool waits for others: it ends at once, and nothing is lost that was there."""
import json
import os
import signal
import subprocess
import time
import unittest

import tool
from folder import Folder

SIGNALS = ((signal.SIGINT, 130), (signal.SIGTERM, 143))


class Waiting(Folder):
    def setUp(self):
        super().setUp()
        self.data = self.synth("train.svm", "classification", "--samples", "30", "--seed", "1")
        self.model = self.path("m.safetensors")
        self.pipe = self.path("pipe")
        os.mkfifo(self.pipe)

    def ends(self, number, status, *arguments):
        """One signal ends a command that waits, with the status that a shell shows; what it said on stdout."""
        with subprocess.Popen([tool.TOOL, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            self.wait_for_sleep(process)
            process.send_signal(number)
            try:
                # Not communicate(): it would close stdin, which the command waits for.
                code = process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                self.fail(f"signal {number} is ignored: {arguments}")
            self.assertEqual(128 - code if code < 0 else code, status, arguments)
            self.assertNotIn("Interrupted system call", process.stderr.read())
            return process.stdout.read()

    def wait_for_sleep(self, process):
        """Until a process has used no processor time for a while."""
        def used():
            with open(f"/proc/{process.pid}/stat", encoding="utf-8") as file:
                return file.read().rsplit(")", 1)[1].split()[11:13]
        before = None
        for _ in range(100):
            time.sleep(0.3)
            now = used()
            if now == before:
                return
            before = now
        self.fail("the command does not wait")

    def test_reading_ends(self):
        for number, status in SIGNALS:
            for command in (["train", "-"], ["train", "-", "--data-format", "svmlight"], ["train", self.pipe],
                            ["tune", "-", "--grid", "lambda=1,2"]):
                self.ends(number, status, *command, "--model", self.model, "--quiet")
                self.assertFalse(os.path.exists(self.model))

    def test_a_model_that_nobody_reads(self):
        for number, status in SIGNALS:
            self.ends(number, status, "train", self.data, "--model", self.pipe)
            self.ends(number, status, "tune", self.data, "--grid", "lambda=1,2", "--model", self.pipe)
        # The same where somebody does.
        with subprocess.Popen(["cat", self.pipe], stdout=subprocess.PIPE) as reader:
            self.good("train", self.data, "--model", self.pipe)
            content = reader.communicate()[0]
        self.assertEqual(json.loads(self.good("inspect", self.write("copy", content), "--json"))["kind"], "linear")

    def test_results_survive_what_comes_after_them(self):
        for number, status in SIGNALS:
            self.ends(number, status, "train", self.data, "--model", self.model, "--test", self.pipe)
            self.good("inspect", self.model)
            os.remove(self.model)
            said = self.ends(number, status, "tune", self.data, "--grid", "lambda=1,2", "--model", self.model,
                             "--test", self.pipe)
            self.assertIn("best: lambda=", said)
            self.good("inspect", self.model)
            os.remove(self.model)

    def test_models_and_checkpoints_are_files(self):
        self.assertIn("cannot read", self.bad("predict", self.pipe, self.data))
        self.assertIn("cannot read", self.bad("train", self.data, "--resume", self.pipe))


if __name__ == "__main__":
    unittest.main()
