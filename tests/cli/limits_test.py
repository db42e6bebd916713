# SPDX-License-Identifier: Apache-2.0
"""Data that take more memory than there is, or than they should."""
import resource
import subprocess
import unittest

import tool
from folder import Folder


def limited(megabytes):
    """What a child process does first: it gets that much address space."""
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


class Memory(Folder):
    def run_within(self, megabytes, *arguments):
        return subprocess.run([tool.TOOL, *arguments], capture_output=True, text=True, timeout=300, check=False,
                              preexec_fn=limited(megabytes), env={"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"})

    def test_many_words(self):
        """One-hot columns are sparse: dense ones would take 3 GB here."""
        rows = "".join(f"w{i},{i % 7},{'ab'[i % 2]}\n" for i in range(20000))
        data = self.write("words.csv", "word,x,y\n" + rows)
        done = self.run_within(1000, "train", data, "--max-iterations", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("20001 features (columns: 1 of numbers, 1 of words), sparse", done.stderr)

    def test_a_file_that_does_not_fit(self):
        header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (100000, 2000), }"
        path = self.folder / "X.npy"
        with open(path, "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + bytes([len(header), 0]) + header)
            file.truncate(10 + len(header) + 200_000_000)  # zeros that take no place on the disk
        done = self.run_within(1000, "describe", str(path))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("X.npy: there is not enough memory for its content", done.stderr)
        self.assertIn("single precision", done.stderr)

    def test_a_model_that_does_not_fit(self):
        data = self.write("wide.svm", "1 1:1\n2 2147483646:1\n")
        for command in (["train", data], ["tune", data, "--grid", "lambda=1,2", "--valid", "0.5"]):
            done = self.run_within(3000, *command)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("wide.svm: there are 2147483646 features", done.stderr)
        # With so many entries that its weights are no mistake.
        rows = "".join(f"{i % 2} " + " ".join(f"{j}:1" for j in range(1, 60)) + "\n" for i in range(300))
        data = self.write("long.svm", rows + "1 16000000:1\n")
        done = self.run_within(600, "train", data)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("long.svm: there is not enough memory to train on its 301 rows and 16000000 features", done.stderr)


if __name__ == "__main__":
    unittest.main()
