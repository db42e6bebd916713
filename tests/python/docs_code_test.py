# SPDX-License-Identifier: Apache-2.0
"""The code in Python of README.md and docs that is no session with `>>>`, and the commands of the package, run page by page.

Sessions are run by docs_test.py, the gallery by gallery_test.py, and the commands of `fenchel` by tests/cli/docs_test.py.
"""
import contextlib
import importlib.util
import io
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))

import pages  # noqa: E402
from parsing_sentences import toy  # noqa: E402

TOOL = os.environ.get("FENCHEL_TOOL", str(pathlib.Path(sys.executable).parent / "fenchel"))
OPTIONAL = {"matplotlib", "pyarrow", "safetensors", "scipy", "sklearn", "torch"}
COMMANDS = {"fenchel-parse": "fenchel.parsing.command_line", "fenchel-table": "fenchel.tables.command_line"}
ELSEWHERE = {"docs/gallery.md", "docs/deployment.md",  # tests/frameworks/deployment_docs_test.py
             "docs/python_triton.md"}  # needs a GPU


def treebanks(folder):
    names = ("train", "dev", "test", "new", "gold", "vi_vtb-ud-train", "vi_vtb-ud-dev", "vi_vtb-ud-test")
    for name in names:
        (folder / f"{name}.conllu").write_text(toy(), encoding="utf-8")


def tables(folder):
    import pyarrow
    import pyarrow.feather
    import pyarrow.parquet

    draw = np.random.default_rng(0)
    a, b = draw.normal(size=(2, 40)).round(3)
    table = pyarrow.table({"id": np.arange(40), "a": a, "b": b, "y": np.where(a + b > 0, "yes", "no")})
    pyarrow.parquet.write_table(table, folder / "train.parquet")
    pyarrow.feather.write_feather(table, folder / "test.arrow")


FILES = {"docs/data.md": tables, "docs/dependency_parsing.md": treebanks, "docs/faq.md": tables}
GIVEN = {  # what the reader of a page has already, for the blocks that hold a text
    "docs/python_torch.md": {
        "import torch": "import torch; theta = torch.randn(6, 5, requires_grad=True)\n"
                        "w = torch.ones(5); labels = torch.arange(6) % 5; num_tags = 4",
        "LearnableAlpha((heads": "heads = 2; scores = torch.randn(3, heads, 4, 4)",
        "arc_scores": "arc_scores = torch.randn(2, 3, 3); heads = torch.tensor([[-1, 0, 1], [1, -1, 0]]); lengths = [3, 2]",
    },
}


@contextlib.contextmanager
def inside(folder):
    """with inside(folder): relative paths begin there."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


class Code(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        with contextlib.suppress(ImportError):
            import torch
            torch.set_num_threads(1)
            torch.manual_seed(0)

    def prepared(self, page):
        folder = self.folder / page.replace("/", "-")
        folder.mkdir()
        FILES.get(page, lambda folder: None)(folder)
        return folder

    @contextlib.contextmanager
    def of(self, page, what):
        """A part of a page; left out where a package is missing that it needs."""
        with self.subTest(page=page, code=what):
            try:
                yield
            except ImportError as error:
                if not OPTIONAL & {(error.name or "").partition(".")[0], getattr(error.__cause__, "name", None)}:
                    raise
                self.skipTest(str(error))

    def test_blocks_run(self):
        count = 0
        for path in pages.PAGES:
            page = pages.name_of(path)
            blocks = [] if page in ELSEWHERE else list(pages.python_code(path))
            if not blocks:
                continue
            given = GIVEN.get(page, {}).items()
            with self.of(page, "all"):
                folder, variables = self.prepared(page), {"__name__": "page"}
                for line, code in blocks:
                    with self.of(page, f"line {line}"), inside(folder), contextlib.redirect_stdout(io.StringIO()), \
                            warnings.catch_warnings():
                        warnings.simplefilter("error")
                        exec("\n".join(setting for text, setting in given if text in code), variables)
                        exec(compile(code, f"{page} from line {line}", "exec"), variables)
                        count += 1
        if all(importlib.util.find_spec(name) for name in OPTIONAL):
            self.assertGreater(count, 14)

    def test_commands_run(self):
        for path in pages.PAGES:
            page = pages.name_of(path)
            commands = [command.text for command in pages.commands(path)]
            quoted = [text for text in pages.quoted(path) if re.match(rf"({'|'.join(COMMANDS)}) \w+ \S+ ", text)]
            if not any(command.startswith(tuple(COMMANDS)) for command in commands + quoted):
                continue
            with self.of(page, "all"):
                folder = self.prepared(page)
                for command in commands + quoted:
                    with self.of(page, command), inside(folder):
                        self.run_command(command)

    def run_command(self, command):
        program, *words = shlex.split(command, comments=True)
        if program == "fenchel" and os.path.exists(TOOL):
            done = subprocess.run([TOOL, *words], capture_output=True, text=True, timeout=300, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        elif program in COMMANDS:
            main = importlib.import_module(COMMANDS[program]).main
            out, err = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                status = main(words)
            self.assertEqual(status, 0, err.getvalue())


if __name__ == "__main__":
    unittest.main()
