# SPDX-License-Identifier: Apache-2.0
"""The interface of the parts that need other frameworks, as a snapshot, as tests/python/interface_test.py has that of the others.

A change is meant to be seen: `python tests/frameworks/public_names_test.py --update` rewrites interface.txt beside this file.
"""
import importlib.util
import pathlib
import sys
import unittest

for package in ("jax", "torch", "triton"):
    if importlib.util.find_spec(package) is None:
        print(f"skipped: {package} is not installed")
        raise SystemExit(0)

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))
from interface_test import Interface, names  # noqa: E402

KEPT = HERE / "interface.txt"
MODULES = ("fenchel.export", "fenchel.jax", "fenchel.jax.crf", "fenchel.jax.projections", "fenchel.triton")


class Frameworks(unittest.TestCase):
    compare = Interface.compare

    def test_public_names(self):
        self.compare(KEPT, names(MODULES))


del Interface  # its tests run elsewhere

if __name__ == "__main__":
    if "--update" in sys.argv:
        KEPT.write_text(names(MODULES), encoding="utf-8")
    else:
        unittest.main()
