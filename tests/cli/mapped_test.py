# SPDX-License-Identifier: Apache-2.0
"""A cache that somebody cuts off while it is mapped is an error, not a crash."""
import os
import pathlib
import subprocess
import time
import unittest

import tool
from folder import Folder


class CutOff(Folder):
    def setUp(self):
        super().setUp()
        data = self.synth("train.svm", "classification", "--samples", "4000", "--features", "60", "--seed", "1")
        self.cache = self.path("train.cache")
        self.good("convert", data, "--out", self.cache)
        lines = pathlib.Path(data).read_text().splitlines()
        sparse = "\n".join(" ".join(line.split()[:1] + line.split()[1 + i % 7::7]) for i, line in enumerate(lines))
        self.sparse = self.path("sparse.cache")
        self.good("convert", self.write("sparse.svm", sparse + "\n"), "--out", self.sparse)

    def test_training(self):
        for cache, solver in ((self.cache, "lbfgs"), (self.cache, "saga"), (self.sparse, "saga"), (self.sparse, "lbfgs")):
            for keep in (0, 1000, os.path.getsize(cache) // 2, os.path.getsize(cache) - 1):
                data = self.write("data.cache", pathlib.Path(cache).read_bytes())
                log = self.write("log", "")
                model = self.path("m")
                process = subprocess.Popen(
                    [tool.TOOL, "train", data, "--solver", solver, "--tolerance", "0", "--max-iterations", "1000000",
                     "--lambda", "1e-9", "--penalty", "l2", "--log", log, "--model", model],
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                while process.poll() is None and not (os.path.exists(log) and os.path.getsize(log) > 0):
                    time.sleep(0.01)
                os.truncate(data, keep)
                _, message = process.communicate(timeout=120)
                self.assertEqual(process.returncode, 2, (solver, keep, message))
                self.assertIn(b"data.cache: the file was cut off while it was in use", message)
                self.assertFalse(os.path.exists(model))


if __name__ == "__main__":
    unittest.main()
