# SPDX-License-Identifier: Apache-2.0
"""`python -m fenchel.triton.doctor` where there is no GPU, the benchmark in small, and importing without Triton."""
import contextlib
import doctest
import importlib
import io
import itertools
import json
import os
import pathlib
import subprocess
import sys
import unittest
from unittest import mock

from triton_interpreter import PLACE, torch

from fenchel.triton import _benchmark, _checks, attention, doctor, functional  # isort: skip

RULES = pathlib.Path(__file__).resolve().parents[1] / "python"


def few(where):
    """Checks that take no time, of which one looks at kernels."""
    return itertools.chain(_checks.rows(where, 1.5, 3), _checks.half_precision(where, 2.0))


def run(*arguments):
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        status = doctor.main(arguments)
    return status, output.getvalue()


class Doctor(unittest.TestCase):
    def test_json(self):
        with mock.patch.object(_checks, "everything", few):
            status, output = run("--json")
        found = json.loads(output)
        self.assertEqual((status, found["passed"], found["where"], found["benchmark"]), (0, True, "interpreter", []))
        self.assertEqual(len(found["checks"]), 6)
        self.assertIn("interpreter alone", found["says"])

    def test_text(self):
        with mock.patch.object(_checks, "everything", few):
            status, output = run()
        self.assertEqual(status, 0)
        self.assertIn("ok   prediction, alpha = 1.5, 3 scores", output)
        self.assertTrue(output.endswith("no times.\npassed\n"))

    def test_a_wrong_result_fails(self):
        right = functional.entmax
        for spoil in (lambda p: p + 1e-3, lambda p: p * float("nan")):
            with mock.patch.object(_checks, "everything", few), \
                    mock.patch.object(functional, "entmax", lambda *args, spoil=spoil: spoil(right(*args))):
                status, output = run()
                self.assertEqual(status, 1)
                self.assertIn("FAIL prediction, alpha = 1.5, 3 scores", output)
                self.assertTrue(output.endswith("FAILED\n"))
                status, output = run("--json")
                self.assertEqual((status, json.loads(output)["passed"]), (1, False))

    def test_an_error_is_reported(self):
        with mock.patch.object(_checks, "everything", side_effect=RuntimeError("no driver")):
            status, output = run("--json")
        self.assertEqual((status, json.loads(output)["says"]), (1, "RuntimeError: no driver"))

    def test_without_a_gpu_other_processes_interpret_and_compile(self):
        asked = []

        def elsewhere(module, arguments, interpret):
            asked.append((module, tuple(arguments), interpret))
            if module == "_checks":
                return [{"check": "c", "error": 0.0, "bound": 1.0, "passed": True}]
            return [{"kernel": "k", "target": "sm_80", "spills": 1, "shared": 0, "problem": "1 vector registers spilled"}]

        with mock.patch.object(doctor, "interpreted", lambda: False), mock.patch.object(doctor, "_device", lambda: None), \
                mock.patch.object(doctor, "_elsewhere", elsewhere):
            status, output = run()
        self.assertEqual(asked, [("_checks", (), True), ("_compilation", (), False)])
        self.assertEqual(status, 1)
        self.assertIn("FAIL sm_80 k: 1 vector registers spilled", output)
        self.assertIn("No GPU is here", output)

    def test_a_process_that_fails_is_an_error(self):
        with self.assertRaisesRegex(RuntimeError, "_nothing ended with status 1: .*No module named"):
            doctor._elsewhere("_nothing", (), True)


class Benchmark(unittest.TestCase):
    def test_in_small(self):
        sizes = _benchmark.Sizes(rows=((2, 20),), attention=((1, 20, 16),))
        with mock.patch.object(_benchmark, "_ROUNDS", 1), mock.patch.object(_benchmark, "_ALPHAS", (1.5,)):
            rows = list(_benchmark.everything("cpu", _benchmark.seconds_of_cpu, sizes, 1000))
        self.assertEqual({row["by"] for row in rows}, {
            "torch", "torch.softmax", "fenchel.triton", "tensor operations", "bisection", "torch cross_entropy",
            "torch scaled_dot_product_attention"})
        for row in rows[1:]:
            self.assertGreater(row["forward"], 0)
        found = {"checks": [], "compilation": [], "benchmark": rows, "passed": True}
        found.update(dict.fromkeys(("says", "triton", "torch", "device"), ""))
        self.assertEqual(doctor.text_of(found).count("fenchel.triton  "), 5)

    def test_bisection_is_entmax(self):
        theta = torch.randn(3, 20)
        for alpha in (1.3, 2.0):
            torch.testing.assert_close(_benchmark.bisection(theta, alpha), functional.entmax(theta, alpha))


class Package(unittest.TestCase):
    def python(self, code, **environment):
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment})

    def test_without_triton(self):
        done = self.python("import sys; sys.modules['triton'] = None; import fenchel.torch; import fenchel.triton")
        self.assertIn("ImportError: fenchel.triton needs Triton: pip install 'fenchel[triton]'", done.stderr)

    def test_the_cpu_is_for_the_interpreter_alone(self):
        done = self.python("import torch, fenchel.triton; fenchel.triton.sparsemax(torch.zeros(3))", TRITON_INTERPRET="0")
        self.assertIn("ValueError: theta is on the CPU; expected a tensor on a GPU", done.stderr)

    def test_examples(self):
        for module in (functional, attention):
            with self.subTest(module.__name__):
                found = doctest.testmod(module, verbose=False)
                self.assertGreater(found.attempted, 0)
                self.assertEqual(found.failed, 0)

    def test_docstrings_follow_the_rules_of_the_others(self):
        with mock.patch.object(sys, "path", [str(RULES), *sys.path]):
            rules = importlib.import_module("docstrings_test")
        with mock.patch.object(rules, "MODULES", ("fenchel.triton",)):
            for name in ("test_parameters_are_those_of_the_signature", "test_sections", "test_related_names_exist"):
                result = rules.Docstrings(name).run()
                self.assertEqual([*result.failures, *result.errors], [])

    def test_place(self):
        self.assertIn(262144, _checks.place("cuda", False).sizes)  # on a GPU large vocabularies are looked at too
        self.assertLess(PLACE.slack, _checks.place("cuda", False).slack)


if __name__ == "__main__":
    unittest.main()
