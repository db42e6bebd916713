# SPDX-License-Identifier: Apache-2.0
"""What tests of the tool with files share."""
import json
import pathlib
import tempfile
import unittest

import tool


class Folder(unittest.TestCase):
    """Tests with an empty folder of their own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def path(self, name):
        return str(self.folder / name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def good(self, *arguments, stdin=""):
        done = tool.run(*arguments, stdin=stdin)
        self.assertEqual(done.returncode, 0, f"{arguments}\n{done.stderr}")
        return done.stdout

    def bad(self, *arguments, stdin=""):
        done = tool.run(*arguments, stdin=stdin)
        self.assertNotEqual(done.returncode, 0, arguments)
        self.assertIn("error", done.stderr)
        return done.stderr

    def synth(self, name, *arguments):
        return self.write(name, self.good("synth", *arguments))

    def trained(self, data, *flags):
        """The model file and the JSON summary of a training run."""
        model = self.path("model.safetensors")
        return model, json.loads(self.good("train", data, "--model", model, "--json", *flags))
