# SPDX-License-Identifier: Apache-2.0
"""The package as it is installed: what importing it pulls in, the tool, one version, and an sdist that has all it needs."""
import importlib.metadata
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest

import fenchel

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        raise AssertionError(f"{command} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


class Package(unittest.TestCase):
    def test_import_needs_numpy_only(self):
        code = ("import sys; before = set(sys.modules); import fenchel; "
                "print(*sorted({name.split('.')[0] for name in set(sys.modules) - before if 'site-packages' in "
                "(getattr(sys.modules[name], '__file__', None) or '')}))")
        self.assertEqual(run(sys.executable, "-c", code).split(), ["fenchel", "numpy"])

    def test_09_the_wheel_needs_nothing_but_numpy(self):
        self.assertEqual([one for one in importlib.metadata.requires("fenchel") if "extra" not in one], ["numpy>=1.21"])

    def test_one_version(self):
        project = (ROOT / "CMakeLists.txt").read_text()
        version = re.search(r"project\(fenchel VERSION ([0-9.]+)", project).group(1)
        self.assertEqual(fenchel.__version__, version)
        self.assertEqual(importlib.metadata.version("fenchel"), version)
        for name in ("fenchel", "fenchel-parse", "fenchel-table"):
            self.assertEqual(run(pathlib.Path(sys.executable).parent / name, "--version").split(), [name, version])

    def test_the_wheel_carries_its_libraries(self):
        wheel = importlib.metadata.distribution("fenchel").read_text("WHEEL")
        tag = re.search(r"^Tag: (.*)", wheel, re.MULTILINE).group(1)
        if not tag.endswith(("linux_x86_64", "linux_aarch64")) or "manylinux" in tag:
            libraries = {file.name for file in importlib.metadata.files("fenchel") if ".libs/" in str(file)}
            self.assertTrue(any("openblas" in name for name in libraries), libraries)
        else:
            self.skipTest(f"installed from source ({tag}), where the system's libraries are used")

    def test_stable_abi(self):
        wheel = importlib.metadata.distribution("fenchel").read_text("WHEEL")
        self.assertEqual("abi3" in wheel, sys.version_info >= (3, 12))

    def test_types_are_there(self):
        self.assertTrue((pathlib.Path(fenchel.__file__).parent / "py.typed").exists())

    def test_unknown_attributes(self):
        with self.assertRaisesRegex(AttributeError, "no attribute 'sparsemaxx'"):
            fenchel.sparsemaxx  # noqa: B018


class SourceDistribution(unittest.TestCase):
    def test_has_what_a_build_needs(self):
        backend = pathlib.Path(sys.executable).parent / "pyproject-build"
        if not backend.exists():
            self.skipTest("the package 'build' is not installed")
        with tempfile.TemporaryDirectory() as folder:
            run(backend, "--sdist", "--no-isolation", "--outdir", folder, ROOT)
            (archive,) = pathlib.Path(folder).glob("*.tar.gz")
            with tarfile.open(archive) as members:
                inside = {pathlib.PurePath(*pathlib.PurePath(name).parts[1:]) for name in members.getnames()}
        for part in ("include", "src", "cli", "cmake", "python"):
            for file in (ROOT / part).rglob("*"):
                if file.is_file() and "__pycache__" not in file.parts:
                    self.assertIn(file.relative_to(ROOT), inside)
        for name in ("CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml"):
            self.assertIn(pathlib.PurePath(name), inside)
        self.assertFalse([name for name in inside if name.parts[:1] == (".venv",) or "build" in name.parts[:1]])


if __name__ == "__main__":
    unittest.main()
