# SPDX-License-Identifier: Apache-2.0
"""Scores of trees against counts by hand; files with other words. Needs no PyTorch."""
import json
import unittest

import fenchel
from fenchel.parsing import Scores, evaluate
from fenchel.parsing.evaluation import score
from parsing_sentences import Case, row

GOLD = (row(1, "Kim", "PROPN", 2, "nsubj") + row(2, "sees", "VERB", 0, "root") + row(3, "her", "PRON", 4, "nmod:poss")
        + row(4, "dog", "NOUN", 2, "obj") + row(5, "today", "NOUN", 2, "obl:tmod") + row(6, ".", "PUNCT", 2, "punct") + "\n"
        + row(1, "Yes", "INTJ", 0, "root") + row(2, "!", "PUNCT", 1, "punct") + "\n")
# Wrong here: the head of Kim; the subtype of her; the relation of dog; head and subtype of today; head of the full stop.
PARSED = (row(1, "Kim", "PROPN", 4, "nsubj") + row(2, "sees", "VERB", 0, "root") + row(3, "her", "PRON", 4, "nmod")
          + row(4, "dog", "NOUN", 2, "nsubj") + row(5, "today", "NOUN", 4, "obl") + row(6, ".", "PUNCT", 5, "punct") + "\n"
          + row(1, "Yes", "INTJ", 0, "root") + row(2, "!", "PUNCT", 1, "punct") + "\n")


class ByHand(Case):
    def setUp(self):
        super().setUp()
        self.gold, self.parsed = (self.write(name, text) for name, text in (("gold.conllu", GOLD), ("parsed.conllu", PARSED)))

    def banks(self):
        return fenchel.read_conllu(self.gold), fenchel.read_conllu(self.parsed)

    def test_all_words(self):
        # Heads: sees her dog Yes !; with relations: sees Yes !; without subtypes also her; relations: Kim sees . Yes !
        self.assertEqual(evaluate(*self.banks()), Scores(8, 100 * 5 / 8, 100 * 3 / 8, 100 * 4 / 8, 100 * 5 / 8))

    def test_without_punctuation(self):
        # Of six words, heads: sees her dog Yes; with relations: sees Yes; without subtypes also her; relations: Kim sees Yes.
        found = evaluate(*self.banks(), punctuation=False)
        for name, share in (("words", 6), ("uas", 400 / 6), ("las", 200 / 6), ("las_universal", 50), ("label_accuracy", 50)):
            self.assertAlmostEqual(getattr(found, name), share, places=12)

    def test_perfect_and_wrong(self):
        gold, _ = self.banks()
        self.assertEqual(evaluate(gold, gold), Scores(8, 100, 100, 100, 100))
        chain = gold.with_heads([2, 3, 4, 5, 6, 0, 2, 0], ["x"] * 8)
        self.assertEqual(evaluate(gold, chain), Scores(8, 100 * 2 / 8, 0, 0, 0))  # heads of Kim and her

    def test_sentences_without_trees_and_without_relations(self):
        bank = self.read(row(1, "a", "X") + "\n" + row(1, "b", "X", 0) + row(2, "c", "X", 1) + "\n")
        self.assertEqual(score(bank, [0, 0, 1], ["root", "root", "obj"]), Scores(2, 100))
        with self.assertRaisesRegex(ValueError, "gold treebank has 1 words without heads"):
            evaluate(bank, bank)
        with self.assertRaisesRegex(ValueError, "parsed treebank has 8 words without heads"):
            evaluate(self.banks()[0], self.read(GOLD.replace("\t2\t", "\t_\t").replace("\t0\t", "\t_\t").replace("\t4\t", "\t_\t")
                                                .replace("\t1\tpunct", "\t_\tpunct")))
        with self.assertRaisesRegex(ValueError, "no UPOS"):
            score(self.read(row(1, "a", "_", 0, "root") + "\n"), [0], ["root"], punctuation=False)
        with self.assertRaisesRegex(ValueError, "no word is left to count"):
            score(self.read(row(1, ".", "PUNCT", 0, "root") + "\n"), [0], ["root"], punctuation=False)

    def test_table(self):
        status, out, err = self.run_main("evaluate", self.gold, self.parsed)
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(out.splitlines(), ["8 words of 2 sentences", "UAS              62.50", "LAS              37.50",
                                            "universal LAS    50.00", "label accuracy   62.50"])
        _, out, _ = self.run_main("evaluate", self.gold, self.parsed, "--no-punctuation")
        self.assertIn("6 words of 2 sentences, without punctuation", out)

    def test_json(self):
        status, out, _ = self.run_main("evaluate", self.gold, self.parsed, "--json")
        self.assertEqual(status, 0)
        self.assertEqual(json.loads(out), {"sentences": 2, "words": 8, "uas": 62.5, "las": 37.5, "las_universal": 50.0,
                                           "label_accuracy": 62.5})


class OtherWords(Case):
    def check(self, parsed, message):
        gold = self.write("gold.conllu", GOLD)
        status, out, err = self.run_main("evaluate", gold, self.write("parsed.conllu", parsed))
        self.assertEqual((status, out), (2, ""))
        self.assertRegex(err, r"error: .*gold.conllu \(gold\) and .*parsed.conllu \(parsed\): " + message)

    def test_the_first_place_is_named(self):
        self.check(PARSED.replace("today", "now").replace("Yes", "No"), "word 5 of sentence 1 is 'today' in the gold .* 'now' in")
        self.check(PARSED.replace(row(6, ".", "PUNCT", 5, "punct"), ""), "sentence 1 has 6 words in the gold .* and 5 in")
        self.check(PARSED.partition("\n\n")[0] + "\n\n", "the gold treebank has 2 sentences and the parsed one 1")

    def test_wrong_use(self):
        gold = self.write("gold.conllu", GOLD)
        bare = self.write("bare.conllu", row(1, "a") + "\n")
        for arguments, text in (((gold,), "expected PARSED or --model"), ((gold, gold, "--model", "m"), "and not both"),
                                ((gold, self.folder / "none"), "none"), ((self.folder / "none", gold), "none"),
                                ((bare, gold), "bare.conllu has 1 words without heads"), ((gold, gold, "--jsn"), "--jsn")):
            status, out, err = self.run_main("evaluate", *arguments)
            self.assertEqual((status, out), (2, ""), arguments)
            self.assertIn(text, err)


if __name__ == "__main__":
    unittest.main()
