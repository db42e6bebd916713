# SPDX-License-Identifier: Apache-2.0
"""The examples in the documentation and in docstrings give what they say."""
import doctest
import importlib.util
import pathlib
import pkgutil
import unittest

import fenchel

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPTIONAL = {"jax", "matplotlib", "onnx", "pyarrow", "safetensors", "scipy", "sklearn", "torch", "triton"}
ELSEWHERE = "fenchel.triton."  # needs a GPU or Triton's interpreter: tests/frameworks/triton_doctor_test.py runs its examples
LATER = {"fenchel.tables": ("pyarrow",), "fenchel.parsing": ("torch", "safetensors")}  # what they import when first used


def modules():
    """Every module of the package whose requirements are installed."""
    for info in pkgutil.walk_packages(fenchel.__path__, "fenchel.", onerror=lambda name: None):
        if info.name.startswith(ELSEWHERE):
            continue
        try:
            for package in LATER:
                for needed in LATER[package] if info.name.startswith(package) else ():
                    importlib.import_module(needed)
            yield importlib.import_module(info.name)
        except ImportError as error:
            if not OPTIONAL & {error.name, getattr(error.__cause__, "name", None)}:
                raise


def load_tests(loader, tests, pattern):
    for module in [fenchel, *modules()]:
        if module.__name__ != "fenchel._core":
            tests.addTests(doctest.DocTestSuite(module))
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        if ">>>" in text and (">>> import jax" not in text or importlib.util.find_spec("jax")):  # else tests/frameworks has it
            tests.addTests(doctest.DocFileSuite(str(page), module_relative=False, encoding="utf-8"))
    return tests


if __name__ == "__main__":
    unittest.main()
