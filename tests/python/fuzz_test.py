# SPDX-License-Identifier: Apache-2.0
"""A short run of the fuzzer (fuzz/python), what it found, and that it finds what it is to find."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import fenchel
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

try:
    import hypothesis  # noqa: F401
except ImportError as error:
    raise unittest.SkipTest(f"hypothesis is missing: {error}")

from fuzz.python import arguments, arrays, oracle, run, targets  # noqa: E402


class Fuzzer(unittest.TestCase):
    def test_a_short_run(self):
        done = subprocess.run([sys.executable, "-m", "fuzz.python", "--rounds", "2", "--seconds", "300", "--seed", "1"],
                              cwd=ROOT, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_every_name_has_a_target(self):
        self.assertEqual({name for name, _ in targets.array_targets()} | targets.WITHOUT,
                         set(fenchel.__all__))
        self.assertEqual(arguments.missing(lambda theta, unheard_of: None), ["unheard_of"])

    def test_a_crash_names_its_call(self):
        with tempfile.TemporaryDirectory() as folder:
            notes = pathlib.Path(folder) / "call"
            notes.write_text("fenchel.predict(theta=…)")
            code = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"
            found = run.watch([sys.executable, "-c", code], notes, 60)
            self.assertEqual(found, "FINDING SIGSEGV in: fenchel.predict(theta=…)")
            self.assertIsNone(run.watch([sys.executable, "-c", ""], notes, 60))

    def found(self, message, function, values=(1.0, 2.0, 3.0), layout="plain", dtype="float64", **more):
        theta = arrays.form(np.array(values), dtype, layout)
        with self.assertRaisesRegex(oracle.Finding, message):
            oracle.check(function, {"theta": theta, **more}, [theta])

    def test_what_the_oracle_sees(self):
        def changes(theta):
            theta[0] = 7
            return theta.sum()

        def raises(theta):
            raise IndexError("no")

        def ignores(theta, out):
            return np.array(theta)

        self.found("was changed", changes)
        self.found("IndexError: no", raises)
        self.found("is not out", ignores, out=np.zeros(3))
        self.found("not finite", lambda theta: np.inf)
        self.found("no real numbers", lambda theta: 0.0, dtype="complex128")
        self.found("of plain copies", lambda theta: float(theta.strides[0]), layout="strided")
        self.found("shapes", lambda theta: np.zeros(theta.strides[0]), layout="strided")
        self.found("plain copies give a result", self._only_aligned, layout="unaligned")

    @staticmethod
    def _only_aligned(theta):
        if not theta.flags.aligned:
            raise ValueError("not aligned")
        return 0.0

    def test_all_forms_have_the_same_content(self):
        for layout in arrays.LAYOUTS:
            made = arrays.form(np.arange(6.0).reshape(2, 3), "float64", layout)
            if layout != "overlapping":
                np.testing.assert_array_equal(np.array(made.given), np.arange(6.0).reshape(2, 3))
        self.assertFalse(arrays.form(np.zeros(3), "float64", "unaligned").given.flags.aligned)


class Found(unittest.TestCase):
    def test_an_axis_that_a_budget_does_not_have(self):
        with self.assertRaisesRegex(ValueError, "axis is 1; theta has 1 axes"):
            fenchel.budget(np.zeros(3), 2, axis=1)
        with self.assertRaisesRegex(ValueError, "single number"):
            fenchel.budget(1.0, 1)

    def test_costs_of_another_byte_order(self):
        cost = np.array([[1.0, 2.0], [0.5, 1.0]])
        for dtype in (">f8", ">f4", "int64", "longdouble"):
            np.testing.assert_allclose(fenchel.sinkhorn(cost.astype(dtype)),
                                       fenchel.sinkhorn(cost.astype(dtype).astype(np.float64)))

    def test_labels_of_small_integers_with_weights(self):
        try:
            import torch
        except ImportError:
            self.skipTest("torch is not installed")
        import fenchel.torch as ft

        theta, weight = torch.tensor([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]]), torch.tensor([1.0, 2.0, 4.0])
        labels = torch.tensor([1, 0])
        for omega in ("shannon", "sparsemax"):
            expected = ft.loss(theta, labels, omega, weight=weight)
            for dtype in (torch.uint8, torch.int8, torch.int32):
                torch.testing.assert_close(ft.loss(theta, labels.to(dtype), omega, weight=weight), expected)
        with self.assertRaisesRegex(TypeError, "a has dtype"):
            ft.SoftDTW()(torch.zeros(1, 2, 2, dtype=torch.int64), torch.zeros(1, 2, 2))


if __name__ == "__main__":
    unittest.main()
