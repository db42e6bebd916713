# SPDX-License-Identifier: Apache-2.0
"""The commands and the code of docs/deployment.md, in its order: with ONNX, and with a tiny model of transformers."""
import contextlib
import io
import os
import pathlib
import sys
import tempfile
import unittest
import warnings

try:
    import onnx  # noqa: F401
    import onnxruntime  # noqa: F401
    import onnxscript  # noqa: F401
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM
except ImportError as error:
    print(f"skipped: {error.name} is not installed")
    raise SystemExit(0) from None

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))

import page_files  # noqa: E402
import pages  # noqa: E402

PAGE = ROOT / "docs" / "deployment.md"
TOOL = pathlib.Path(os.environ.get("FENCHEL_TOOL", str(ROOT / "build" / "fenchel"))).resolve()


class Page(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        torch.set_num_threads(1)

    @unittest.skipUnless(TOOL.exists(), f"there is no tool {TOOL}")
    def test_it_runs(self):
        page_files.FILES[pages.name_of(PAGE)](self.folder)
        programs = self.folder / "programs"
        programs.mkdir()
        (programs / "fenchel").symlink_to(TOOL)
        (programs / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        (programs / "python").chmod(0o755)
        commands = [command.text for command in pages.commands(PAGE)]
        self.assertGreater(len(commands), 2)
        for command in commands:
            with self.subTest(command):
                done = pages.run(command, self.folder, programs, FENCHEL_PYTHON=sys.executable)
                self.assertEqual(done.returncode, 0, done.stderr)
        config = LlamaConfig(vocab_size=32, hidden_size=32, intermediate_size=32, num_hidden_layers=2, num_attention_heads=4)
        LlamaForCausalLM(config).save_pretrained(self.folder / "my-model")
        blocks, variables = list(pages.python_code(PAGE)), {"__name__": "page"}
        self.assertGreater(len(blocks), 3)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        for line, code in blocks:
            with self.subTest(line=line), contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(compile(code, f"{PAGE.name} from line {line}", "exec"), variables)


if __name__ == "__main__":
    unittest.main()
