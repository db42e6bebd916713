# SPDX-License-Identifier: Apache-2.0
"""docs/gallery.md: its code runs and draws something, every function of fenchel.plot is in it, and its files are small.

And what these functions say of themselves: types of all arguments, and docstrings with their parts.
"""
import inspect
import pathlib
import re
import sys
import unittest
import warnings

import fenchel

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError as error:
    raise unittest.SkipTest("matplotlib is not installed") from error

from experiments import gallery  # noqa: E402

PAGE = gallery.PAGE.read_text(encoding="utf-8")
LARGEST = 100_000  # bytes of a figure


class Gallery(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("error")
        self.addCleanup(plt.close, "all")

    def test_code_draws(self):
        parts = list(gallery.parts(PAGE))
        self.assertEqual([code for code, _ in parts], [block.split("```")[0] for block in PAGE.split("```python\n")[1:]])
        variables = {}
        with gallery.inside(gallery.FILES):
            for code, name in parts:
                exec(code, variables)
                self.assertTrue(name is None or plt.get_fignums(), code)
                plt.close("all")

    def test_pictures_are_those_of_the_page(self):
        named = [name for _, name in gallery.parts(PAGE) if name]
        self.assertCountEqual(named, re.findall(r"\(gallery/([^)]+)\)", PAGE))  # each has a block of code
        kept = [path.name for path in gallery.FILES.iterdir() if path.suffix in (".svg", ".png")]
        self.assertCountEqual(named, kept, "python -m experiments.gallery")

    def test_every_function_is_shown(self):
        code = "".join(part for part, _ in gallery.parts(PAGE))
        shown = set(re.findall(r"fenchel\.plot\.(\w+)", code))
        self.assertEqual(set(fenchel.plot.__all__) - shown, {"entropies", "predictions", "losses"})  # parts of two_class

    def test_figures_are_small(self):
        for folder in (gallery.FILES, ROOT / "docs" / "reproduction" / "figures"):
            for path in folder.iterdir():
                self.assertLess(path.stat().st_size, LARGEST, path.name)


class Descriptions(unittest.TestCase):
    def test_types_and_parts(self):
        for name in fenchel.plot.__all__:
            function = getattr(fenchel.plot, name)
            signature = inspect.signature(function)
            with self.subTest(name=name):
                self.assertNotIn(inspect.Signature.empty, [signature.return_annotation,
                                                           *(one.annotation for one in signature.parameters.values())])
                text = inspect.getdoc(function)
                for part in ("Parameters", "Returns", "Examples"):
                    self.assertIn(f"\n{part}\n{'-' * len(part)}\n", text)
                described = re.search(r"Parameters\n-+\n(.*?)\nReturns", text, re.S)[1]
                listed = [one.strip(" *") for line in re.findall(r"^(\S[^:]*) :", described, re.M) for one in line.split(",")]
                self.assertEqual(listed, list(signature.parameters))


if __name__ == "__main__":
    unittest.main()
