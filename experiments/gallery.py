# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of docs/gallery.md by the code that stands below each: python -m experiments.gallery [NAME …]

A picture `gallery/NAME.svg` is the first figure of the next block of Python. Blocks are run in docs/gallery, where the files
are that they read.
"""
import contextlib
import os
import re
import sys

from .data import ROOT
from .figures import STYLE, save

PAGE = ROOT / "docs" / "gallery.md"
FILES = ROOT / "docs" / "gallery"
PART = re.compile(r"!\[[^\]]*\]\(gallery/([\w.]+)\)|^```python\n(.*?)^```", re.M | re.S)


def parts(page):
    """The blocks of Python of the page, each with the file name of its picture or None."""
    name = None
    for match in PART.finditer(page):
        if match[1]:
            name = match[1]
        else:
            yield match[2], name
            name = None


@contextlib.contextmanager
def inside(folder):
    """with inside(folder): relative paths begin there."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def draw(folder, names=()):
    """Runs the blocks of the page and saves their pictures: those of these names, or all."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    variables = {}
    with plt.rc_context(STYLE), inside(FILES):
        for code, name in parts(PAGE.read_text(encoding="utf-8")):
            exec(code, variables)
            if name and (not names or name.partition(".")[0] in names):
                save(plt.figure(plt.get_fignums()[0]), folder / name)
            plt.close("all")


if __name__ == "__main__":
    draw(FILES, sys.argv[1:])
