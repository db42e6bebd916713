# SPDX-License-Identifier: Apache-2.0
"""The kernels of fenchel.triton compile for GPUs that are not here, spill no registers and keep within shared memory."""
import importlib.util
import json
import os
import subprocess
import sys
import unittest

for package in ("torch", "triton"):
    if importlib.util.find_spec(package) is None:
        print(f"skipped: {package} is not installed")
        raise SystemExit(0)

ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}


def python(*arguments):
    return subprocess.run([sys.executable, "-W", "ignore", *arguments], capture_output=True, text=True, env=ENVIRONMENT)


class Compilation(unittest.TestCase):
    def check(self, target):
        done = python("-m", "fenchel.triton._compilation", target)
        self.assertTrue(done.stdout, done.stderr)
        rows = json.loads(done.stdout)
        self.assertEqual([row for row in rows if row["problem"]], [])
        self.assertEqual({row["target"] for row in rows}, {target})
        self.assertEqual(len({row["kernel"].split()[0] for row in rows}), 11)  # all kernels
        self.assertLess(max(row["spills"] for row in rows), 32)
        self.assertEqual(done.returncode, 0)

    def test_sm_80(self):
        self.check("sm_80")

    def test_sm_90(self):
        self.check("sm_90")

    def test_sm_100(self):
        self.check("sm_100")

    def test_gfx942(self):
        self.check("gfx942")

    def test_problems_are_seen(self):
        code = """if True:
            import json
            import torch
            from fenchel.triton import _compilation as c
            attend = list(c._attention_programs(1.3, torch.bfloat16, 64, False))[2]
            crowded = attend._replace(constants={**attend.constants, "KEYS": 64})
            gradient = list(c._attention_programs(1.3, torch.bfloat16, 128, True))[3]
            wide = gradient._replace(options={**gradient.options, "num_warps": 8})
            wrong = attend._replace(constants={**attend.constants, "KEYS": 100})
            rows = [c.compiled(crowded, "sm_80"), c.compiled(wide, "gfx942"), c.compiled(wrong, "sm_90")]
            c.TARGETS["sm_80"] = c.TARGETS["sm_80"]._replace(shared=0)
            print(json.dumps([row["problem"] for row in [*rows, c.compiled(next(c.few_programs("sm_80")), "sm_80")]]))
        """
        done = python("-c", code)
        self.assertTrue(done.stdout, done.stderr)
        expected = ("bytes of registers spilled; expected at most 64", "vector registers spilled",
                    "power of 2", "bytes of shared memory; expected at most 0")
        problems = json.loads(done.stdout)
        self.assertEqual(len(problems), len(expected))
        for problem, text in zip(problems, expected):
            with self.subTest(problem):
                self.assertIn(text, problem)


if __name__ == "__main__":
    unittest.main()
