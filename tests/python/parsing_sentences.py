# SPDX-License-Identifier: Apache-2.0
"""What the tests of fenchel.parsing share: made-up sentences whose trees and relations follow from the words, and files."""
import contextlib
import io
import pathlib
import random
import tempfile
import unittest

import fenchel
from fenchel.parsing.command_line import main

__all__ = ["Case", "row", "toy"]

RANKS = 4


def row(number, form, upos="_", head="_", relation="_", xpos="_"):
    """A line of CoNLL-U."""
    return f"{number}\t{form}\t_\t{upos}\t{xpos}\t_\t{head}\t{relation}\t_\t_\n"


def toy(sentences=16, seed=1):
    """CoNLL-U: the first word of the highest rank is the root, others hang on the word before, or on the second; the relation
    of a word is that of its rank, with a subtype to the left of its head."""
    draw = random.Random(seed)
    return "".join(_sentence([draw.randrange(10 * RANKS) for _ in range(1 + number % 7)], number) for number in range(sentences))


def _sentence(words, number):
    ranks = [word % RANKS for word in words]
    top = ranks.index(max(ranks))
    lines = [f"# sent_id = toy-{number}\n"]
    for m, (word, rank) in enumerate(zip(words, ranks)):
        head = -1 if m == top else top if m < top else m - 1
        relation = "root" if head < 0 else f"r{rank}" + (":left" if m < head else "")
        lines.append(row(m + 1, f"w{word}", "PUNCT" if rank == 0 else "X", head + 1, relation, f"t{rank}"))
    return "".join(lines) + "\n"


class Case(unittest.TestCase):
    """A folder for each test, with toy.conllu in it."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.text = self.write("toy.conllu", toy())
        self.bank = fenchel.read_conllu(self.text)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def read(self, text):
        return fenchel.read_conllu(self.write("read.conllu", text))

    def run_main(self, *arguments):
        """Exit status, standard output and standard error of a command."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = main([str(word) for word in arguments])
            except SystemExit as end:  # argparse
                status = end.code
        self.assertNotIn("Traceback", err.getvalue())
        return status, out.getvalue(), err.getvalue()
