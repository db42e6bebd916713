# SPDX-License-Identifier: Apache-2.0
"""The examples of the pages about JAX and of fenchel.jax's docstrings, which are held to what all docstrings are held to."""
import doctest
import importlib
import pathlib
import sys
import unittest

from jax_cases import fj  # isort: skip

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ("docs/python_jax.md", "docs/coming_from/jaxopt.md")
sys.path.insert(0, str(ROOT / "tests" / "python"))
docstrings_test = importlib.import_module("docstrings_test")


class Docstrings(docstrings_test.Docstrings):
    """Without what looks at words that modules share, and what looks at the package as a whole."""

    test_what_is_shared_has_the_same_words = None
    test_types_are_for_checkers_alone = None

    def every(self):
        for name in ("fenchel.jax", "fenchel.jax.projections", "fenchel.jax.crf"):
            things = docstrings_test.public(name)
            yield name, {full: thing for full, thing in things.items() if callable(thing)}

    def test_omega_has_the_same_words(self):
        said = {docstrings_test.entries(docstrings_test.sections(thing)["Parameters"])["omega"] for _, things in self.every()
                for name, thing in things.items() if "omega" in docstrings_test.arguments(thing) and "make_" not in name}
        self.assertEqual(said, {"Regularizer, str or dict Ω: an object such as fenchel.Tsallis(1.5), a text such as "
                                '"tsallis:alpha=1.5", or a dictionary.'})


class Pages(unittest.TestCase):
    def test_pages(self):
        for page in PAGES:
            with self.subTest(page):
                failed, count = doctest.testfile(str(ROOT / page), module_relative=False, encoding="utf-8")
                self.assertEqual(failed, 0)
                self.assertGreater(count, 5)

    def test_modules(self):
        for module in (fj, fj.crf, fj.projections):
            self.assertEqual(doctest.testmod(module).failed, 0)


if __name__ == "__main__":
    unittest.main()
