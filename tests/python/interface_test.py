# SPDX-License-Identifier: Apache-2.0
"""The interface, as a snapshot: public names with their signatures, and the types of the extension module.

A change is meant to be seen: `python tests/python/interface_test.py --update` rewrites both files.
"""
import difflib
import importlib
import importlib.util
import inspect
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = ROOT / "tests/python/interface.txt"
TYPES = ROOT / "python/fenchel/_core.pyi"
MODULES = ("fenchel", "fenchel.parsing", "fenchel.plot", "fenchel.sklearn", "fenchel.tables", "fenchel.torch")


def signature(thing):
    try:
        return str(inspect.signature(thing))
    except (TypeError, ValueError):
        return ""


def names(modules=MODULES):
    """A line for each public name, and for each public method of a class."""
    lines = []
    for module_name in modules:
        module = importlib.import_module(module_name)
        for name in sorted(set(module.__all__) - {"__version__"}):
            thing = getattr(module, name)
            lines.append(f"{module_name}.{name}{signature(thing)}")
            if inspect.isclass(thing) and thing.__module__.startswith("fenchel"):
                methods = {key: value for base in thing.__mro__ if base.__module__.startswith("fenchel")
                           for key, value in vars(base).items() if not key.startswith("_")}
                lines += [f"    .{key}{signature(value) if callable(value) else ''}" for key, value in sorted(methods.items())]
    return "\n".join(lines) + "\n"


def types_of_core():
    """What nanobind says about the extension module."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "_core.pyi"
        subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "fenchel._core", "-o", path], check=True)
        return "# SPDX-License-Identifier: Apache-2.0\n" + path.read_text(encoding="utf-8")


class Interface(unittest.TestCase):
    def compare(self, path, made):
        kept = path.read_text(encoding="utf-8") if path.exists() else ""
        difference = "".join(difflib.unified_diff(kept.splitlines(True), made.splitlines(True), "kept", "made"))
        self.assertFalse(difference, f"{path.name} has changed; if that is meant: {sys.argv[0]} --update\n{difference}")

    def test_public_names(self):
        for package in ("matplotlib", "safetensors", "sklearn", "torch"):
            if importlib.util.find_spec(package) is None:
                self.skipTest(f"{package} is not installed")
        self.compare(NAMES, names())

    def test_types_of_the_extension_module(self):
        if importlib.util.find_spec("nanobind") is None:
            self.skipTest("nanobind is not installed")
        self.compare(TYPES, types_of_core())

    def test_mypy(self):
        if importlib.util.find_spec("mypy") is None:
            self.skipTest("mypy is not installed")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", folder, "python/fenchel", "examples/python"],
                                  cwd=ROOT, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    if "--update" in sys.argv:
        NAMES.write_text(names(), encoding="utf-8")
        TYPES.write_text(types_of_core(), encoding="utf-8")
    else:
        unittest.main()
