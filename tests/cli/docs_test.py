# SPDX-License-Identifier: Apache-2.0
"""The commands of README.md and docs run in the order of their page, and print what the page shows.

Those of `fenchel` run here, in a folder with the files of page_files.py; those of `fenchel-parse` and `fenchel-table`, and the
code in Python, in tests/python/docs_code_test.py; those that need ONNX, in tests/frameworks/deployment_docs_test.py. What builds,
installs, takes an hour or needs a GPU is looked up instead.
"""
import json
import pathlib
import re
import shlex
import tempfile
import unittest

import pages
import tool
from page_files import FILES

OWN = r"fenchel |echo .*\| fenchel |zcat .*\| awk "  # commands that run here
TOO_LONG = r"fenchel solve-compare --dims"  # 15 seconds; tool_test.py runs it with fewer dimensions
BY_PACKAGE = r"fenchel (export|doctor --gpu)"  # run the Python package with what ONNX or Triton need
PLACEHOLDERS = {"DATA": "train.svm", "MODEL": "m.safetensors", "FILE": "new.cache", "OMEGA": "tsallis", "NAME": "birkhoff",
                "KIND": "tagging", "SHELL": "bash", "COMMAND": "train", "TRAIN": "train.svm", "TEST": "train.svm",
                "M": "m.safetensors"}
SETTINGS = {"docs/coming_from/crfsuite.md": "fenchel train train.crfsuite", "docs/coming_from/liblinear.md": "fenchel train data"}
BEFORE = ("fenchel synth proportions --classes 4 --samples 60 > train.svm",
          "fenchel train train.svm --certificate --model m.safetensors --quiet")  # on pages that do not start with their own
MADE_UP = r".*\barcsinh\b.*"  # the Ω that docs/adding_an_omega.md adds


def commands():
    """The names of all commands of the tool."""
    return re.findall(r"^  ([a-z-]+) ", tool.run("--help").stdout, re.M)


def options(command):
    """The flags that the help of a command names."""
    return set(re.findall(r"--[a-z][\w-]*", tool.run(command, "--help").stdout))


class Pages(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.programs = self.folder / "programs"
        self.programs.mkdir()
        (self.programs / "fenchel").symlink_to(pathlib.Path(tool.TOOL).resolve())

    def runs(self, page, command, shown=None):
        folder = self.folder / page.replace("/", "-")
        if not folder.exists():
            folder.mkdir()
            FILES.get(page, lambda folder: None)(folder)
        with self.subTest(page=page, command=command):
            done = pages.run(command, folder, self.programs, DATA=str(folder))
            self.assertEqual(done.returncode, 0, done.stderr)
            if shown is not None:
                self.assertEqual(done.stdout, shown)

    def test_commands_run(self):
        count = 0
        for path in pages.PAGES:
            for command in pages.commands(path):
                if re.match(OWN, command.text) and not re.match(f"{TOO_LONG}|{BY_PACKAGE}", command.text):
                    self.assertIn(pages.name_of(path), FILES, "a page with commands: its files are missing in page_files.py")
                    self.runs(pages.name_of(path), command.text, command.shown)
                    count += 1
        self.assertGreater(count, 25)

    def test_quoted_commands_run(self):
        """Those with all they need, with names in place of capitals; of `fenchel convert --model` the flags."""
        names = commands()
        for path in pages.PAGES:
            page = pages.name_of(path)
            ready = page in SETTINGS
            for text in pages.quoted(path):
                if not re.match(r"(source <\()?fenchel \w", text) or re.fullmatch(MADE_UP, text):
                    continue
                command = re.sub(r"\b[A-Z]+\b", lambda word: PLACEHOLDERS.get(word[0], word[0]), text)
                words = shlex.split(command)
                if "<(" in command or ">" in words or len(words) > 2 and not words[2].startswith("--") or words[2:] == ["--help"]:
                    if re.match(BY_PACKAGE, command):
                        continue
                    for first in () if ready else BEFORE:
                        self.runs(page, first)
                    ready = True
                    self.runs(page, command)
                else:
                    with self.subTest(page=page, command=text):
                        self.assertIn(words[1], names)
                        self.assertLessEqual({word for word in words[2:] if word.startswith("--")}, options(words[1]))

    def test_quoted_flags_exist(self):
        known = set().union(*map(options, commands()))
        for name in ("cli", "data", "metrics", "models", "training", "reliability", "faq", *(
                path.stem for path in (pages.ROOT / "docs" / "coming_from").glob("*.md"))):
            path = next(path for path in pages.PAGES if path.stem == name)
            for text in pages.quoted(path):
                with self.subTest(page=pages.name_of(path), text=text):
                    if text.startswith(("--", "fenchel ")):
                        self.assertLessEqual(set(re.findall(r"(?<!\S)--[a-z][\w-]*", text)), known)

    def test_settings_of_others_train(self):
        """The rows of the tables for those who come from elsewhere: flags with values, added to a plain `fenchel train`."""
        for page, command in SETTINGS.items():
            rows = [text for text in pages.quoted(pages.ROOT / page) if re.match(r"--[\w-]+ (?!\.)[^-]", text)]
            self.assertGreater(len(rows), 3)
            for flags in rows:
                self.runs(page, f"{command} {flags}")

    def test_other_commands_name_what_exists(self):
        """Targets of make, scripts, presets, extras and experiments."""
        makefile = (pages.ROOT / "Makefile").read_text(encoding="utf-8")
        project = (pages.ROOT / "pyproject.toml").read_text(encoding="utf-8")
        presets = json.loads((pages.ROOT / "CMakePresets.json").read_text(encoding="utf-8"))
        experiments = (pages.ROOT / "experiments" / "all.py").read_text(encoding="utf-8")
        names = {preset["name"] for kind in ("configurePresets", "buildPresets") for preset in presets[kind]}
        known = {
            r"make ([\w-]+)": lambda name: re.search(rf"^{name}:", makefile, re.M),
            r"(scripts/\w+)": lambda name: (pages.ROOT / name).stat().st_mode & 0o100,
            r"cmake (?:--build )?--preset (\w+)": names.__contains__,
            r"cmake (--install) build": bool,
            r"pip install '(?:fenchel|\.)\[(\w+)\]'": lambda name: re.search(rf"^{name} = \[", project, re.M),
            r"(?:\S+/)?python (benchmarks/\S+)": lambda name: (pages.ROOT / name).exists(),
            r"(?:\S+/)?python -m experiments (--quick|\w+)": lambda name: name == "--quick" or f"import {name}\n" in experiments,
            r"(?:\S+/)?python -m experiments\.(\w+)": lambda name: list((pages.ROOT / "experiments").glob(f"{name}*")),
            r"(?:\S+/)?python -m (fenchel[\w.]+)": lambda name: list((pages.ROOT / "python").glob(f"{name.replace('.', '/')}*")),
            r"(?:\S+/)?(pip) install [\w. -]+$": bool,
            r"(sudo) apt install |(export) PKG|(g\+\+) ": lambda name: True,
            r"(fenchel-parse|fenchel-table) ": lambda name: f"{name} = " in project,
        }
        for path in pages.PAGES:
            for command in pages.commands(path):
                if re.match(OWN, command.text):
                    continue
                with self.subTest(page=pages.name_of(path), command=command.text):
                    kind = next((kind for kind in known if re.match(kind, command.text)), None)
                    self.assertIsNotNone(kind, "a command of a kind that no test knows")
                    self.assertTrue(known[kind](re.match(kind, command.text)[1]))


if __name__ == "__main__":
    unittest.main()
