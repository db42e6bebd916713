# SPDX-License-Identifier: Apache-2.0
"""The prediction of a row depends on the row and the model alone, to the last bit."""
import pathlib
import unittest

from folder import Folder


class SameBits(Folder):
    def test_streams_files_and_parts(self):
        data = self.synth("train.svm", "classification", "--samples", "300", "--features", "13", "--seed", "4")
        rows = pathlib.Path(data).read_text().splitlines(keepends=True)
        for flags in (["--omega", "logistic"], ["--omega", "tsallis:alpha=1.5", "--scale", "standard"],
                      ["--omega", "sparsemax", "--scale", "maxabs"], ["--kernel", "rbf:gamma=0.1"]):
            model, _ = self.trained(data, *flags, "--lambda", "0.1")
            predict = ["predict", model, "--format", "jsonl"]
            wanted = self.good(*predict, data)
            self.assertEqual(self.good(*predict, "-", stdin="".join(rows)), wanted, flags)
            self.assertEqual(self.good(*predict, "-", "--threads", "1", stdin="".join(rows[:1])), wanted.splitlines(True)[0])
            some = self.good(*predict, self.write("some.svm", "".join(rows[100:107])))
            self.assertEqual(some, "".join(wanted.splitlines(True)[100:107]), flags)
            # A row of zeros more makes the others of the file sparse.
            zeros = "".join(rows[:5]) + "1\n" * 10
            self.assertEqual(self.good(*predict, self.write("zeros.svm", zeros)).splitlines()[:5],
                             wanted.splitlines()[:5], flags)


if __name__ == "__main__":
    unittest.main()
