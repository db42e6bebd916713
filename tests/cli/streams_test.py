# SPDX-License-Identifier: Apache-2.0
"""Streams that are closed, full or read by nobody, and files that cannot be written: training goes on."""
import json
import os
import pathlib
import subprocess
import unittest

import tool
from folder import Folder


class BrokenStreams(Folder):
    def setUp(self):
        super().setUp()
        self.data = self.synth("train.svm", "classification", "--samples", "60", "--seed", "1")
        self.model = self.path("m.safetensors")
        self.flags = ["train", self.data, "--model", self.model]
        self.good(*self.flags)
        self.wanted = pathlib.Path(self.model).read_bytes()
        os.remove(self.model)

    def shell(self, redirection, *flags):
        """The exit status of training under a redirection of the shell; the model has its usual bytes."""
        command = " ".join([tool.TOOL, *self.flags, *flags, redirection])
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(pathlib.Path(self.model).read_bytes(), self.wanted, redirection)
        os.remove(self.model)
        return done.returncode

    def test_stderr(self):
        self.assertEqual(self.shell("2>&-"), 0)
        self.assertEqual(self.shell("2>/dev/full"), 0)
        self.assertEqual(self.shell("2> >(true)"), 0)

    def test_a_dead_pipe(self):
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run([tool.TOOL, *self.flags], stdout=subprocess.PIPE, stderr=writing, timeout=120, check=False)
        os.close(writing)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(pathlib.Path(self.model).read_bytes(), self.wanted)

    def test_stdout_is_noticed(self):
        for redirection in (">&-", ">/dev/full"):
            self.assertEqual(self.shell(redirection), 2, redirection)

    def test_help_that_nobody_gets(self):
        for flags in ("--help", "train --help", "--version"):
            command = f"{tool.TOOL} {flags} >/dev/full"
            done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 2, flags)
            self.assertIn("the standard output could not be written", done.stderr)

    def test_a_reader_that_has_seen_enough(self):
        """fenchel … | head: not a success, but nothing to complain about either."""
        reading, writing = os.pipe()
        os.close(reading)
        for flags in (["train", "--help"], ["losses"], ["losses", "--json"]):
            done = subprocess.run([tool.TOOL, *flags], stdout=writing, stderr=subprocess.PIPE, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stderr), (2, b""), flags)
        os.close(writing)

    def test_closed_streams_do_not_lend_their_numbers_to_files(self):
        log = self.path("log")
        self.assertEqual(self.shell("2>&-", "--log", log), 0)
        for line in pathlib.Path(log).read_text().splitlines():
            self.assertTrue(line.startswith("{"), line)


class FilesOnTheWay(Folder):
    """Logs and checkpoints that cannot be written cost neither the run nor its model."""

    def setUp(self):
        super().setUp()
        self.data = self.synth("train.svm", "classification", "--samples", "60", "--seed", "1")
        self.model = self.path("m.safetensors")

    def finished(self, *flags):
        done = tool.run("train", self.data, "--model", self.model, *flags)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("accuracy", done.stdout)
        self.good("evaluate", self.model, self.data)
        return done.stderr

    def test_logs(self):
        for flag in ("--quiet", "--json"):
            self.assertIn("--log /dev/full: No space left", self.finished("--log", "/dev/full", flag))
        self.assertIn("--log", self.bad("train", self.data, "--log", self.path("no/such/folder")))

    def test_checkpoints(self):
        for file in ("/dev/full", self.path("no/such/folder/checkpoint")):
            message = self.finished("--checkpoint", file, "--every", "0s", "--quiet")
            self.assertEqual(message.count("no checkpoint was written"), 1, message)
            self.assertIn(file, message)

    def test_a_checkpoint_that_can_be_written_again(self):
        file = self.path("checkpoint")
        self.good("train", self.data, "--checkpoint", file)
        self.good("train", self.data, "--resume", file)


class Quiet(Folder):
    def test_warnings_are_said(self):
        data = self.synth("train.svm", "classification", "--samples", "60", "--seed", "1")
        other = self.write("other.svm", "never-seen 1:2\n" + pathlib.Path(data).read_text())
        for flag in ("--quiet", "--json"):
            done = tool.run("train", data, "--max-iterations", "2", "--test", other, flag)
            self.assertEqual(done.returncode, 0)
            self.assertIn("warning: not converged", done.stderr)
            self.assertIn("warning: test: 1 rows have labels that training did not see", done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 2, done.stderr)


class ExitStatus(Folder):
    """0, 1, 2, and those of signals (signals_test.py); nothing else."""

    def test_done(self):
        data = self.synth("train.svm", "classification", "--samples", "20")
        done = tool.run("train", data, "--max-iterations", "1", "--model", self.path("m"), "--json")
        self.assertEqual(done.returncode, 0)  # not converged: a warning, and a model
        self.assertIn("warning: not converged", done.stderr)
        self.assertEqual(json.loads(done.stdout)["status"], "max_iterations")
        self.good("evaluate", self.path("m"), data)

    def test_finished_but_not_well(self):
        self.assertEqual(tool.run("eval", stdin="{}\n").returncode, 1)
        data = self.synth("train.svm", "classification", "--samples", "20")
        self.assertEqual(tool.run("train", data, "--log", "/dev/full").returncode, 1)
        model, _ = self.trained(data, "--certificate")
        other = self.synth("other.svm", "classification", "--samples", "20", "--seed", "9")
        self.assertEqual(tool.run("verify", model, other).returncode, 1)

    def test_wrong_input(self):
        data = self.synth("train.svm", "classification", "--samples", "20")
        model, _ = self.trained(data)
        for name, content in (("nul.svm", b"1 1:2\n\0\n"), ("empty.svm", b""), ("cut.svm", b"1 1:\n"),
                              ("nan.svm", b"1 1:nan\n")):
            file = self.write(name, content)
            for arguments in (["train", file], ["evaluate", model, file], ["describe", file],
                              ["convert", file, "--out", self.path("x")]):
                self.assertEqual(tool.run(*arguments).returncode, 2, arguments)
        for arguments in (["inspect", data], ["predict", data, data], ["losses", "fly"],
                          ["polytopes", "fly"], ["demo", "--theta", "nan"]):
            self.assertEqual(tool.run(*arguments).returncode, 2, arguments)

    def test_the_manual_and_the_docs_say_the_same(self):
        manual = tool.run("manual").stdout.split(".SH EXIT STATUS\n")[1].replace("\\", "")
        told = dict(entry.split("\n")[:2] for entry in manual.split(".TP\n") if entry)
        table = (tool.ROOT / "docs" / "cli.md").read_text(encoding="utf-8").split("| status | meaning |")[1].split("\n\n")[0]
        rows = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
        self.assertEqual(list(told), [status for status, _ in rows])
        for status, meaning in rows:
            self.assertEqual(told[status], meaning.replace("`", "").replace(" (--json has its status)", ""))

    def test_wrong_use(self):
        data = self.synth("train.svm", "classification", "--samples", "20")
        for arguments in ([], ["fly"], ["train"], ["train", data, "--lambda"], ["train", data, "--lambda", "x"],
                          ["train", data, "--patience", "-1"], ["train", data, "--fly", "1"], ["synth"],
                          ["convert", data, "--out", self.path("x"), "--to", "fly"], ["predict", data],
                          ["train", data, "--config", self.path("missing")], ["train", self.path("missing")]):
            self.assertEqual(tool.run(*arguments).returncode, 2, arguments)
        self.assertEqual(tool.run("--help").returncode, 0)

    def test_flags_in_a_file_that_cannot_be_read(self):
        data = self.synth("train.svm", "classification", "--samples", "20")
        done = tool.run("train", data, "--config", "/proc/self/mem")  # opens, but reading its first page fails
        self.assertEqual(done.returncode, 2)
        self.assertIn("--config /proc/self/mem: cannot read", done.stderr)
        self.good("train", data, "--config", self.write("flags", "lambda = 2\n"))


if __name__ == "__main__":
    unittest.main()
