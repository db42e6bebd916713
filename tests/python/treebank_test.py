# SPDX-License-Identifier: Apache-2.0
"""Treebanks: reading, other trees, selections, writing."""
import gzip
import pathlib
import tempfile
import unittest

import fenchel
import numpy as np


def word(number, form, head, relation="_"):
    return f"{number}\t{form}\t{form.lower()}\tNOUN\tNN\t_\t{head}\t{relation}\t_\tMisc=Yes\n"


EMPTY = "2.1\tx\t_\t_\t_\t_\t_\t_\t1:dep\t_\n"
FIRST = "# sent_id = 1\n" + word(1, "Ộ b", 2, "det") + word(2, "C", 0, "root") + EMPTY + "\n"
SECOND = word(1, "A", "_") + "\n"
CROSSING = "".join(word(i + 1, "w", head, "x") for i, head in enumerate((3, 0, 2, 1))) + "\n"


class Treebanks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = self.folder / "a.conllu"
        self.path.write_bytes((FIRST + SECOND + CROSSING).encode())
        self.bank = fenchel.read_conllu(self.path)

    def test_reading(self):
        self.assertIsInstance(self.bank, fenchel.Treebank)
        self.assertEqual(len(self.bank), 3)
        self.assertEqual(repr(self.bank), "<Treebank: 3 sentences, 7 words>")
        self.assertEqual(self.bank.offsets.tolist(), [0, 2, 3, 7])
        self.assertEqual(self.bank.offsets.dtype, np.int64)
        self.assertEqual(self.bank.heads.tolist(), [2, 0, -1, 3, 0, 2, 1])
        self.assertEqual(self.bank.heads.dtype, np.int32)
        self.assertEqual(self.bank.non_projective.tolist(), [False, False, True])
        self.assertEqual(self.bank.non_projective.dtype, np.bool_)

    def test_columns(self):
        self.assertEqual(self.bank.column("form"), ["Ộ b", "C", "A", "w", "w", "w", "w"])
        self.assertEqual(self.bank.column("lemma")[:3], ["ộ b", "c", "a"])
        self.assertEqual(self.bank.column("deprel")[:3], ["det", "root", "_"])
        for name, text in (("upos", "NOUN"), ("xpos", "NN"), ("feats", "_"), ("deps", "_"), ("misc", "Misc=Yes")):
            self.assertEqual(self.bank.column(name), [text] * 7)
        with self.assertRaisesRegex(ValueError, "column is 'head'; expected one of form, lemma"):
            self.bank.column("head")

    def test_paths(self):
        packed = self.folder / "b.conllu.gz"
        packed.write_bytes(gzip.compress(SECOND.encode()))
        self.assertEqual(len(fenchel.read_conllu(str(self.path))), 3)
        both = fenchel.read_conllu([self.path, str(packed)])
        self.assertEqual(both.text(), FIRST + SECOND + CROSSING + SECOND)
        with self.assertRaisesRegex(ValueError, "no files|no paths|paths"):
            fenchel.read_conllu([])

    def test_wrong_files(self):
        with self.assertRaisesRegex(FileNotFoundError, "nothing"):
            fenchel.read_conllu(self.folder / "nothing")
        wrong = self.folder / "wrong.conllu"
        wrong.write_text(word(1, "a", 1))
        with self.assertRaisesRegex(ValueError, r"wrong.conllu:1:17: word 1 is its own head"):
            fenchel.read_conllu(wrong)

    def test_writing(self):
        self.assertEqual(self.bank.text(), FIRST + SECOND + CROSSING)
        other = self.folder / "other.conllu"
        self.bank.write(other)
        self.assertEqual(other.read_bytes(), self.path.read_bytes())
        with self.assertRaises(FileNotFoundError):
            self.bank.write(self.folder / "no folder" / "a.conllu")

    def test_other_heads(self):
        heads = [0, 1, 0, 0, 1, 2, 3]
        plain = self.bank.with_heads(heads)
        self.assertEqual(plain.heads.tolist(), heads)
        self.assertEqual(plain.column("deprel"), ["root" if head == 0 else "dep" for head in heads])
        self.assertIn(EMPTY, plain.text())
        self.assertEqual(self.bank.heads[0], 2)
        relations = [f"r{i}" for i in range(7)]
        named = self.bank.with_heads(np.array(heads), relations)
        self.assertEqual(named.column("deprel"), relations)
        for wrong, kind, message in (([0], ValueError, "heads has 1 entries; expected 7"),
                                     ([2, 1, 0, 0, 1, 1, 1], ValueError, "words 1, 2 form a cycle"),
                                     ([2**32, 1, 0, 0, 1, 1, 1], ValueError, "heads has 4294967296; expected"),
                                     ([0.0, 1, 0, 0, 1, 1, 1], TypeError, "dtype float64; expected integers"),
                                     ([heads], ValueError, "heads has 2 axes")):
            with self.subTest(wrong), self.assertRaisesRegex(kind, message):
                self.bank.with_heads(wrong)
        with self.assertRaisesRegex(ValueError, "deprels has 0 entries; expected 7"):
            self.bank.with_heads(heads, [])

    def test_selections(self):
        self.assertEqual(self.bank.select([2, 0]).text(), CROSSING + FIRST)
        self.assertEqual(self.bank.select(np.flatnonzero(~self.bank.non_projective)).text(), FIRST + SECOND)
        self.assertEqual(len(self.bank.select([])), 0)
        with self.assertRaisesRegex(ValueError, "sentences has 3; the treebank has 3"):
            self.bank.select([3])
        with self.assertRaisesRegex(ValueError, "sentences has -1"):
            self.bank.select([-1])
        with self.assertRaisesRegex(TypeError, "dtype bool"):
            self.bank.select(self.bank.non_projective)


if __name__ == "__main__":
    unittest.main()
