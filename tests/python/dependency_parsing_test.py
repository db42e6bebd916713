# SPDX-License-Identifier: Apache-2.0
"""The neural parser of the experiments: batches, scores, training that goes on where it stopped, files, commands."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

from torch_tensors import torch  # skips the file where there is no PyTorch

try:
    import safetensors as _safetensors  # noqa: F401
except ImportError:
    print("skipped: safetensors is not installed")
    raise SystemExit(0)

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import fenchel  # noqa: E402

from experiments.dependency_parsing import model_file  # noqa: E402
from experiments.dependency_parsing.__main__ import main  # noqa: E402
from experiments.dependency_parsing.batches import Sentences  # noqa: E402
from experiments.dependency_parsing.model import Parser  # noqa: E402
from experiments.dependency_parsing.overfit import made_up  # noqa: E402
from experiments.dependency_parsing.parsing import attachment_score, parse  # noqa: E402
from experiments.dependency_parsing.training import Run, Settings, fit  # noqa: E402
from experiments.dependency_parsing.vocabulary import UNKNOWN, Vocabulary  # noqa: E402

torch.set_num_threads(1)


class Case(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.bank = fenchel.read_conllu(self.write("made-up.conllu", made_up(1)))
        self.vocabulary = Vocabulary.of(self.bank)
        self.sentences = Sentences(self.bank, self.vocabulary)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def few(self, **settings):
        return Settings(**{"epochs": 2, "patience": 9, "batch": 8, **settings})


class Numbers(Case):
    def test_words_and_tags(self):
        text = "1\tThe\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\t1,234.5\t_\tNUM\t_\t_\t0\troot\t_\t_\n\n"
        vocabulary = Vocabulary.of(fenchel.read_conllu(self.write("a.conllu", text)))
        self.assertEqual((vocabulary.words, vocabulary.tags, vocabulary.column), (["the", "<number>"], ["DET", "NUM"], "upos"))
        other = fenchel.read_conllu(self.write("b.conllu", text.replace("The", "THE").replace("1,234.5", "Ω")))
        self.assertEqual(vocabulary.word_numbers(other).tolist(), [2, UNKNOWN])

    def test_every_sentence_once_an_epoch_among_its_like(self):
        batches = self.sentences.shuffled(4, np.random.default_rng(0))
        self.assertEqual(sorted(np.concatenate(batches)), list(range(len(self.bank))))
        for batch in batches:
            inside = self.sentences.lengths[batch]
            self.assertLessEqual(np.sort(inside)[-2] - inside.min(), 4)  # no other one is near 60 words

    def test_scores_do_not_depend_on_padding(self):
        parser = Parser(self.vocabulary).eval()
        together = parser(self.sentences.batch(np.array([5, 1])))
        alone = parser(self.sentences.batch(np.array([5])))
        n = int(self.sentences.lengths[5])
        torch.testing.assert_close(together[0, :n, :n], alone[0])
        self.assertEqual(self.sentences.lengths[1], 60)
        self.assertEqual(parser(self.sentences.batch(np.array([0]))).shape, (1, 1, 1))  # one word

    def test_best_trees(self):
        heads = parse(Parser(self.vocabulary), self.sentences)
        again = self.bank.with_heads(heads)  # which checks that they are trees with one root
        self.assertEqual(again.heads.tolist(), heads.tolist())


class Training(Case):
    def test_goes_on_as_if_it_had_not_stopped(self):
        settings = self.few(epochs=3, loss="sparsemap")
        whole, first, second = (Run(self.sentences, self.sentences, self.vocabulary, settings) for _ in range(3))
        for _ in range(3):
            whole.epoch()
        first.epoch()
        first.keep(self.folder / "unfinished", {"seed": 1})
        self.assertTrue(second.go_on(self.folder / "unfinished", {"seed": 1}))
        second.epoch()
        second.epoch()
        self.assertEqual([epoch["dev"] for epoch in second.history], [epoch["dev"] for epoch in whole.history])
        for name, tensor in whole.parser.state_dict().items():
            self.assertTrue(torch.equal(tensor, second.parser.state_dict()[name]), name)
        self.assertFalse(second.go_on(self.folder / "unfinished", {"seed": 2}))
        self.write("unfinished", "cut off")
        self.assertFalse(second.go_on(self.folder / "unfinished", {"seed": 1}))

    def test_file_gives_the_parser_back(self):
        path = self.folder / "parser.safetensors"
        result = fit(self.bank, self.bank, self.few(), path, self.bank)
        parser, vocabulary, run = model_file.load_parser(path)
        self.assertEqual({**run, "test": result["test"]}, result)
        self.assertAlmostEqual(attachment_score(parser, Sentences(self.bank, vocabulary)), result["test"], places=3)
        said = []
        self.assertEqual(fit(self.bank, self.bank, self.few(), path, self.bank, said.append), result)
        self.assertIn("done before", said[0])
        self.assertEqual([file.name for file in self.folder.iterdir() if "safetensors." in file.name], [])

    def test_what_is_there_is_not_replaced_unasked(self):
        path = self.folder / "parser.safetensors"
        once = self.few(epochs=1)
        first = fit(self.bank, self.bank, once, path)
        half = self.bank.select(range(19))
        for train, dev, settings in ((half, self.bank, once), (self.bank, half, once), (self.bank, self.bank, self.few(seed=2))):
            with self.assertRaisesRegex(ValueError, "is there, and a parser of other settings or data"):
                fit(train, dev, settings, path)
        self.assertEqual(fit(self.bank, self.bank, once, path), first)
        self.assertNotEqual(fit(half, self.bank, once, path, replace=True), first)
        scores = [fit(half, self.bank, once, path, test)["test"] for test in (half, self.bank)]
        self.assertNotEqual(*scores)  # of the file asked for, not of the first
        with self.assertRaisesRegex(ValueError, "made-up.conllu is there, and no parser"):
            fit(self.bank, self.bank, once, self.folder / "made-up.conllu")
        with self.assertRaisesRegex(ValueError, "is a folder"):
            fit(self.bank, self.bank, once, self.folder)
        with self.assertRaisesRegex(ValueError, "nowhere is not there"):
            fit(self.bank, self.bank, once, self.folder / "nowhere" / "m")

    def test_an_unfinished_run_of_other_data_is_begun_anew(self):
        path = self.folder / "parser.safetensors"
        run = Run(self.sentences, self.sentences, self.vocabulary, self.few())
        run.epoch()
        run.keep(self.folder / "parser.safetensors.unfinished", {"train": "other"})
        said = []
        fit(self.bank, self.bank, self.few(epochs=1), path, say=said.append)
        self.assertIn("starting anew", said[0])

    def test_damaged_records(self):
        path = self.folder / "parser.safetensors"
        fit(self.bank, self.bank, self.few(epochs=1), path)
        tensors, record = model_file.read(path)
        vocabulary = record["vocabulary"]
        for wrong in ({}, {**record, "vocabulary": {"words": []}}, {**record, "vocabulary": {**vocabulary, "words": ["a"]}}):
            model_file.write(path, tensors, wrong)
            with self.assertRaisesRegex(ValueError, "unfinished training run|does not fit the parser"):
                model_file.load_parser(path)

    def test_stops_early(self):
        run = Run(self.sentences, self.sentences, self.vocabulary, self.few(epochs=50, patience=2))
        run.history = [{"dev": dev} for dev in (50.0, 60.0, 55.0)]
        self.assertFalse(run.finished)
        run.history.append({"dev": 60.0})
        self.assertTrue(run.finished)
        self.assertEqual(run.best_epoch, 2)

    def test_settings_are_checked(self):
        for wrong in ({"loss": "hunch"}, {"epochs": 0}, {"learning_rate": float("nan")}, {"word_dropout": -1}, {"batch": 0},
                      {"seed": -1}, {"tags": "pos"}):
            with self.assertRaisesRegex(ValueError, next(iter(wrong))):
                Settings(**wrong)


class Commands(Case):
    def run_main(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main([str(word) for word in arguments])
        return status, out.getvalue(), err.getvalue()

    def train(self):
        model, text = self.folder / "parser.safetensors", self.folder / "made-up.conllu"
        return model, self.run_main("train", text, text, model, "--epochs", 2, "--test", text)

    def test_train_and_predict(self):
        model, (status, out, err) = self.train()
        self.assertEqual(status, 0, err)
        self.assertRegex(out, r"parser.safetensors: CRF, epoch \d of 2, development UAS [\d.]+, test UAS")
        self.assertRegex(err, "38 sentences, .* trees not projective")
        self.assertRegex(err, "epoch 2: loss .* of them for the loss")
        bare = self.write("bare.conllu", "# text\n1-2\tau\t" + "\t".join("_" * 8) + "\n"
                          + "".join(f"{m}\tw{m}\t_\t_\tt{m}\t_\t_\t_\t_\t_\n" for m in (1, 2)) + "\n")
        parsed = self.folder / "parsed.conllu"
        status, _, err = self.run_main("predict", model, bare, parsed)
        self.assertEqual(status, 0, err)
        self.assertNotIn("UAS", err)
        self.assertIn("1-2\tau", parsed.read_text(encoding="utf-8"))
        self.assertEqual(sorted(fenchel.read_conllu(parsed).column("deprel")), ["dep", "root"])
        status, out, err = self.run_main("predict", model, self.folder / "made-up.conllu", "-")
        self.assertRegex(err, r"38 sentences, \d+ words in [\d.]+ s, UAS [\d.]+")
        self.assertEqual(out.count("# sent_id"), 38)

    def test_wrong_files(self):
        model, _ = self.train()
        good = self.folder / "made-up.conllu"
        broken = self.write("broken.conllu", "1\ta\t_\t_\t_\t_\t7\tdep\t_\t_\n")
        bare = self.write("bare.conllu", "1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n")
        for arguments, text in ((("train", broken, good, "m"), "broken.conllu:1:"),
                                (("predict", model, broken), "broken.conllu:1:"),
                                (("train", bare, good, "m"), "bare.conllu has 1 words without heads"),
                                (("predict", good, good), "is not a safetensors file"),
                                (("predict", "nowhere", good), "nowhere is not there"),
                                (("predict", model, self.folder / "none"), "none"), (("table", "xx"), "language is 'xx'"),
                                (("train", good, good, "m", "--epochs", 0), "epochs is 0"),
                                (("train", good, good, "m", "--threads", 0), "threads is 0"),
                                (("train", good, good, model, "--seed", 7), "--force"),
                                (("predict", model, good, self.folder / "out.conllu.gz"), "without .gz")):
            status, _, err = self.run_main(*arguments)
            self.assertEqual(status, 1, arguments)
            self.assertIn(text, err)
            self.assertNotIn("Traceback", err)


if __name__ == "__main__":
    unittest.main()
