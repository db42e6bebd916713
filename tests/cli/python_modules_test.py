# SPDX-License-Identifier: Apache-2.0
"""Commands that the Python package does: which interpreter, what it gets, and what is said where it lacks something."""
import json
import os
import pathlib
import subprocess
import unittest

import tool
from folder import Folder

# An interpreter for tests: says what it was given, and exits as told.
SHOW = """#!/bin/sh
shift 2
printf '%s\\n' "$@"
echo 'on stderr' >&2
exit 7
"""


class PythonModules(Folder):
    def setUp(self):
        super().setUp()
        self.model = self.path("model.safetensors")
        self.good("train", self.write("rows.svm", "a 1:1\nb 1:2\na 1:1\nb 1:3\n"), "--model", self.model)

    def run_with(self, python, *arguments, path=None, folder=None):
        environment = {key: value for key, value in os.environ.items() if key not in ("FENCHEL_PYTHON", "PYTHONPATH")}
        if python is not None:
            environment["FENCHEL_PYTHON"] = str(python)
        if path is not None:
            environment["PATH"] = str(path)
        return subprocess.run([os.path.abspath(tool.TOOL), *arguments], env=environment, capture_output=True, text=True,
                              timeout=120, check=False, cwd=folder)

    def script(self, text, name="interpreter"):
        path = pathlib.Path(self.write(name, text))
        path.chmod(0o755)
        return path

    def test_what_the_module_gets(self):
        python = self.script(SHOW)
        done = self.run_with(python, "export", self.model, "--to", "onnx", "--out", self.path("m.onnx"), "--json")
        self.assertEqual(done.stdout.splitlines(), ["fenchel.export", "onnx", "--to=onnx", "--precision=double",
                                                    f"--out={self.path('m.onnx')}", "--json", "--", self.model])
        self.assertEqual((done.returncode, done.stderr), (7, "on stderr\n"))
        done = self.run_with(python, "export", "--precision", "single", self.model)
        self.assertEqual(done.stdout.splitlines()[2:], ["--to=onnx", "--precision=single", "--", self.model])
        for flags, said in (([], []), (["--json"], ["--json"])):
            done = self.run_with(python, "doctor", "--gpu", *flags)
            self.assertEqual(done.stdout.splitlines(), ["fenchel.triton.doctor", "triton", *said])
            self.assertEqual(done.returncode, 7)

    def test_the_first_python_on_the_path(self):
        self.script(SHOW, "python3")
        for unset in (None, ""):
            done = self.run_with(unset, "doctor", "--gpu", path=f"{self.folder}:/usr/bin:/bin")
            self.assertEqual(done.stdout.splitlines(), ["fenchel.triton.doctor", "triton"])

    def test_no_interpreter(self):
        for command in (["export", self.model], ["doctor", "--gpu"]):
            done = self.run_with(self.path("nowhere"), *command)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, "error: FENCHEL_PYTHON is '.*nowhere', which cannot be run: No such file or directory")
            empty = self.folder / "empty"
            empty.mkdir(exist_ok=True)
            done = self.run_with(None, *command, path=empty)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, "error: this command needs Python .* python3 cannot be run.*FENCHEL_PYTHON")

    def test_an_interpreter_without_the_package(self):
        bare = self.script("#!/bin/sh\nexec python3 -S -s -E \"$@\"\n")  # which sees no packages but Python's own
        for command, extra in ((["export", self.model], "onnx"), (["doctor", "--gpu"], "triton")):
            done = self.run_with(bare, *command)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, rf"^error: \S+ has no package fenchel; type: \S+ -m pip install --upgrade "
                                          rf"'fenchel\[{extra}\]', or set FENCHEL_PYTHON")

    def test_a_package_without_the_part(self):
        """Of the folder in which the tool runs nothing is imported."""
        places = self.folder / "places"
        (places / "fenchel").mkdir(parents=True)
        (places / "fenchel" / "__init__.py").write_text("")
        python = self.script(f"#!/bin/sh\nPYTHONPATH='{places}' exec python3 -S -s \"$@\"\n")
        done = self.run_with(python, "export", self.model)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "^error: .* has the package fenchel, but not its part fenchel.export; type:")
        bare = self.script("#!/bin/sh\nexec python3 -S -s -E \"$@\"\n", "bare")
        done = self.run_with(bare, "export", self.model, folder=places)
        self.assertIn("has no package fenchel", done.stderr)
        (places / "fenchel" / "export.py").write_text("import sys\nprint(sys.argv, __name__)\nsys.exit(3)\n")
        done = self.run_with(python, "export", self.model)
        self.assertEqual(done.stdout, f"['{places}/fenchel/export.py', '--to=onnx', '--precision=double', '--', '{self.model}'] "
                                      "__main__\n")
        self.assertEqual(done.returncode, 3)

    def test_wrong_use(self):
        python = self.script(SHOW)
        for arguments, message in ((["export"], "MODEL is required"), (["export", self.model, "--to", "pmml"], "pmml"),
                                   (["export", self.model, "--precision", "half"], "half"),
                                   (["export", self.model, "--out", self.model], "--out"),
                                   (["export", self.model, "--out"], "--out")):
            with self.subTest(arguments):
                done = self.run_with(python, *arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(message, done.stderr)

    def test_it_is_known_to_help_shells_and_man(self):
        self.assertIn("fenchel export m.safetensors --to onnx", self.good("export", "--help"))
        self.assertIn("--gpu", self.good("doctor", "--help"))
        for command in (["completion", "bash"], ["manual"]):
            self.assertIn("export", self.good(*command))
        self.assertEqual(json.loads(self.good("doctor", "--json"))["version"], tool.run("--version").stdout.split()[1])


if __name__ == "__main__":
    unittest.main()
