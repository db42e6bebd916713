# SPDX-License-Identifier: Apache-2.0
"""`fenchel-parse`: train, predict, evaluate, what goes wrong and its exit status, and what works without PyTorch."""
import importlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import unittest
from unittest import mock

from torch_tensors import torch  # skips the file where there is no PyTorch

try:
    import safetensors as _safetensors  # noqa: F401
except ImportError:
    print("skipped: safetensors is not installed")
    raise SystemExit(0)

import fenchel
from fenchel.parsing import failures, training
from parsing_sentences import Case, row, toy

torch.set_num_threads(1)
ROOT = pathlib.Path(__file__).resolve().parents[2]


class Commands(Case):
    def train(self, *options):
        model = self.folder / "parser.safetensors"
        return model, self.run_main("train", self.text, self.text, model, "--epochs", 2, "--test", self.text, *options)

    def test_train_and_predict(self):
        model, (status, out, err) = self.train()
        self.assertEqual(status, 0, err)
        self.assertRegex(out, r"parser.safetensors: CRF and logistic labels, epoch \d of 2, development UAS [\d.]+, LAS [\d.]+, "
                              r"test UAS [\d.]+, LAS [\d.]+\n")
        self.assertRegex(err, "16 sentences, .* trees not projective")
        self.assertRegex(err, "epoch 2: loss .* development UAS .*, LAS .* of them for the loss")
        bare = self.write("bare.conllu", "# text\n1-2\tau\t" + "\t".join("_" * 8) + "\n"
                          + row(1, "w1", xpos="t1") + row(2, "w2", xpos="t2") + "\n")
        parsed = self.folder / "parsed.conllu"
        status, _, err = self.run_main("predict", model, bare, parsed)
        self.assertEqual(status, 0, err)
        self.assertNotIn("UAS", err)
        self.assertIn("1-2\tau", parsed.read_text(encoding="utf-8"))
        found = fenchel.read_conllu(parsed)
        self.assertEqual([relation == "root" for relation in found.column("deprel")], (found.heads == 0).tolist())
        self.assertLessEqual(set(found.column("deprel")), set(self.bank.column("deprel")))
        status, out, err = self.run_main("predict", model, self.text, "-")
        self.assertRegex(err, r"16 sentences, \d+ words in [\d.]+ s, UAS [\d.]+, LAS [\d.]+")
        self.assertEqual(out.count("# sent_id"), 16)

    def test_evaluate_with_a_parser_is_predict_and_evaluate(self):
        model, _ = self.train()
        parsed = self.folder / "parsed.conllu"
        self.run_main("predict", model, self.text, parsed)
        results = [self.run_main("evaluate", self.text, *source, "--json") for source in ((parsed,), ("--model", model))]
        self.assertEqual(results[0], results[1])
        self.assertLess(json.loads(results[0][1])["las"], 100)

    def test_without_labels(self):
        model, (status, out, err) = self.train("--label-loss", "none")
        self.assertEqual(status, 0, err)
        self.assertRegex(out, r": CRF, epoch \d of 2, development UAS [\d.]+, test UAS [\d.]+\n")
        self.assertNotIn("LAS", out + err)
        _, out, err = self.run_main("predict", model, self.text)
        self.assertNotIn("LAS", err)
        self.assertEqual({line.split("\t")[7] for line in out.splitlines() if line[:1].isdigit()}, {"root", "dep"})
        _, out, _ = self.run_main("evaluate", self.text, "--model", model, "--json")
        self.assertEqual([json.loads(out)[name] for name in ("las", "las_universal", "label_accuracy")], [None] * 3)
        _, out, _ = self.run_main("evaluate", self.text, "--model", model)
        self.assertRegex(out, r"LAS +-\n")

    def test_wrong_files(self):
        model, _ = self.train()
        good = self.text
        broken = self.write("broken.conllu", row(1, "a", head=7, relation="dep"))
        bare = self.write("bare.conllu", row(1, "a"))
        unlabelled = self.write("unlabelled.conllu", row(1, "a", head=0))
        odd = self.write("odd.conllu", row(1, "a", head=0, relation="top", xpos="t"))
        other = self.folder / "m"
        for arguments, text in ((("train", broken, good, other), "broken.conllu:1:"),
                                (("predict", model, broken), "broken.conllu:1:"),
                                (("train", bare, good, other), "bare.conllu has 1 words without heads"),
                                (("train", good, unlabelled, other), "1 words without relations (see --label-loss none)"),
                                (("train", odd, good, other), "word 1 of training sentence 1 has head 0 and relation 'top'"),
                                (("predict", good, good), "is not a safetensors file"),
                                (("predict", "nowhere", good), "nowhere is not there"),
                                (("predict", model, self.folder / "none"), "none"),
                                (("predict", model, bare), "bare.conllu: the sentences have no xpos tags"),
                                (("evaluate", good, "--model", good), "is not a safetensors file"),
                                (("train", good, good, other, "--epochs", 0), "epochs is 0"),
                                (("train", good, good, other, "--threads", 0), "threads is 0"),
                                (("train", good, good, good, "--force"), "to be written and to be read"),
                                (("train", good, good, model, "--seed", 7), "--force"),
                                (("predict", model, good, good), "to be written and to be read"),
                                (("predict", model, good, self.folder / "out.conllu.gz"), "without .gz"),
                                (("predict", model, good, self.folder / "nowhere" / "out"), "nowhere"),
                                (("train", good), "usage:"), (("parse",), "usage:"), ((), "usage:"),
                                (("train", good, good, other, "--label-loss", "hunch"), "hunch")):
            status, out, err = self.run_main(*arguments)
            self.assertEqual((status, out), (2, ""), arguments)
            self.assertIn(text, err)
        self.assertFalse(other.exists())

    def test_statuses(self):
        for error, status, text in ((KeyboardInterrupt(), 130, "stopped; the same command goes on"),
                                    (failures.Diverged("training diverged"), 1, "training diverged"),
                                    (MemoryError(), 2, "MemoryError"), (OSError(28, "full"), 2, "full")):
            with mock.patch.object(training, "_train", side_effect=error):
                found, out, err = self.run_main("train", self.text, self.text, self.folder / "m")
            self.assertEqual((found, out), (status, ""))
            self.assertIn(text, err)

    def test_the_examples_of_the_help_work(self):
        for name in ("train", "dev", "new", "gold"):
            self.write(f"{name}.conllu", toy(6))
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)
        for command in ("train", "predict", "evaluate"):
            status, out, _ = self.run_main(command, "--help")
            self.assertEqual(status, 0)
            examples = re.findall(r"^  fenchel-parse (.*)$", out.partition("Example:")[2], re.M)
            self.assertTrue(examples)
            for example in examples:
                self.assertEqual(self.run_main(*shlex.split(example))[0], 0, example)


class Installed(Case):
    def python(self, *arguments, **options):
        return subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True, **options)

    def test_entry_points(self):
        project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        module, _, name = re.search(r'^fenchel-parse = "(.*)"$', project, re.M)[1].partition(":")
        self.assertTrue(callable(getattr(importlib.import_module(module), name)))
        done = self.python("-m", "fenchel.parsing", "--version")
        self.assertEqual((done.returncode, done.stdout), (0, f"fenchel-parse {fenchel.__version__}\n"), done.stderr)
        done = self.python("-m", "fenchel.parsing", "evaluate", self.text, self.text)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("LAS             100.00", done.stdout)

    def test_a_pipe_that_nobody_reads(self):
        read, write = os.pipe()
        os.close(read)
        with os.fdopen(write, "w") as pipe:
            done = subprocess.run([sys.executable, "-m", "fenchel.parsing", "evaluate", self.text, self.text], stdout=pipe,
                                  stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr), (2, "error: the standard output could not be written\n"))

    def test_without_pytorch(self):
        """`import fenchel`, help and scores of files work; what needs PyTorch says which extra has it."""
        blocked = ("import sys; sys.modules['torch'] = sys.modules['safetensors'] = None\n"  # importing them raises ImportError
                   "import fenchel, fenchel.parsing\n"
                   "from fenchel.parsing.command_line import main\n")
        calls = {"help": (["train", "--help"], 0), "scores": (["evaluate", str(self.text), str(self.text)], 0),
                 "train": (["train", str(self.text), str(self.text), str(self.folder / "m")], 2),
                 "model": (["evaluate", str(self.text), "--model", "m"], 2)}
        for name, (arguments, status) in calls.items():
            done = self.python("-c", f"{blocked}sys.exit(main({arguments!r}))")
            self.assertEqual(done.returncode, status, name + done.stderr)
            self.assertNotIn("Traceback", done.stderr)
            self.assertEqual("pip install 'fenchel[parsing]'" in done.stderr, status == 2, name)
        done = self.python("-c", f"{blocked}fenchel.parsing.Parser")
        self.assertIn("ImportError: fenchel.parsing needs PyTorch and safetensors: pip install 'fenchel[parsing]'", done.stderr)
        done = self.python("-c", "import sys, fenchel, fenchel.parsing, fenchel.parsing.command_line\n"
                                 "assert 'torch' not in sys.modules and 'safetensors' not in sys.modules")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
