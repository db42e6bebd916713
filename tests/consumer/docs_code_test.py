# SPDX-License-Identifier: Apache-2.0
"""The blocks of C++ of README.md and docs compile, with no header but the umbrella's.

All are one program, because the header takes most of the time: a page is a namespace, and a block a function of it, but for
types, which the blocks after them may name. Where a block leaves a brace open, the next indented one goes on with it.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

import pages

COMPILER = [os.environ["FENCHEL_COMPILER"], *(f"-I{folder}" for folder in os.environ["FENCHEL_INCLUDES"].split(os.pathsep))]
BLOCK = re.compile(r"^( *)```(?:cpp|c\+\+)\n((?:(?! *```).*\n)*) *```$", re.M)


def open_braces(code):
    return code.count("{") - code.count("}")


def blocks(page):
    """The blocks of the page, each a string that begins with its line, for the compiler's messages."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in BLOCK.finditer(text):
        line = text[:match.start()].count("\n") + 2
        code = re.sub(f"^{match[1]}", "", match[2], flags=re.M)
        code = f'#line {line} "{pages.name_of(page)}"\n' + re.sub(r"^#include <fenchel/fenchel\.hpp>$", "", code, flags=re.M)
        if found and open_braces(found[-1]) > 0 and match[2].startswith(match[1] + " "):
            found[-1] += code
        else:
            found.append(code)
    return [block + "};\n" * open_braces(block) for block in found]


def program(paths):
    parts = ["#include <fenchel/fenchel.hpp>\n"]
    for number, page in enumerate(paths):
        own = [block if re.match(r"#.*\n(?:struct|class|template) ", block) else f"void block_{place}() {{\n{block}}}\n"
               for place, block in enumerate(blocks(page))]
        parts.append(f"namespace page_{number} {{\n{''.join(own)}}}\n")
    return "".join(parts)


def errors_of(code):
    """What the compiler says of a program that it refuses, else nothing."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "blocks.cpp"
        source.write_text(code, encoding="utf-8")
        command = [*COMPILER, "-std=c++20", "-fsyntax-only", str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stderr if done.returncode else ""


class DocsCode(unittest.TestCase):
    def test_every_block_is_found(self):
        fences = sum(len(re.findall(r"^ *```(?:cpp|c\+\+)", page.read_text(encoding="utf-8"), re.M)) for page in pages.PAGES)
        found = sum(block.count("#line") for page in pages.PAGES for block in blocks(page))
        self.assertGreater(found, 10)
        self.assertEqual(found, fences)

    def test_blocks_compile(self):
        self.assertEqual(errors_of(program(pages.PAGES)), "")

    def test_a_wrong_block_is_named(self):
        wrong = {"README.md": ("alpha = 1.5", "alpa = 1.5"), "docs/models.md": ("found =", "found = 1 +"),
                 "docs/adding_an_omega.md": ("void predict(", "void predicts(")}
        code = program(pages.PAGES)
        for page, (right, mistaken) in wrong.items():
            with self.subTest(page=page):
                before, mark, after = code.partition(f'"{page}"\n')
                self.assertIn(right, after)
                told = errors_of(before + mark + after.replace(right, mistaken, 1))
                self.assertRegex(told, rf"{re.escape(page)}:\d+:\d+: ")
                self.assertIn("error: ", told)


if __name__ == "__main__":
    unittest.main()
