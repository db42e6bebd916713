# SPDX-License-Identifier: Apache-2.0
"""The neural parser: batches, scores, labels, training that goes on where it stopped, and the interface in Python."""
import re
import unittest

from torch_tensors import torch  # skips the file where there is no PyTorch

try:
    import safetensors as _safetensors  # noqa: F401
except ImportError:
    print("skipped: safetensors is not installed")
    raise SystemExit(0)

import fenchel
import numpy as np
from fenchel.parsing import Parser, Settings, Tree, train
from fenchel.parsing.batches import Sentences
from fenchel.parsing.decoding import parse
from fenchel.parsing.failures import Diverged
from fenchel.parsing.network import GAIN, HIDDEN, LAYERS, STATE, TAG, WORD, Network
from fenchel.parsing.run import Run
from fenchel.parsing.vocabulary import UNKNOWN, Vocabulary
from parsing_sentences import Case, row, toy

torch.set_num_threads(1)
BY_HEART = {"epochs": 60, "patience": 60, "batch": 4, "word_dropout": 0, "learning_rate": 4e-3}


def few(**settings):
    return Settings(**{"epochs": 2, "patience": 9, "batch": 8, **settings})


class Numbers(Case):
    def setUp(self):
        super().setUp()
        self.vocabulary = Vocabulary.of(self.bank, labelled=True)
        self.sentences = Sentences(self.bank, self.vocabulary)

    def test_words_and_tags(self):
        text = row(1, "The", "DET", 2, "det") + row(2, "1,234.5", "NUM", 0, "root") + "\n"
        vocabulary = Vocabulary.of(self.read(text))
        self.assertEqual((vocabulary.words, vocabulary.tags, vocabulary.column), (["the", "<number>"], ["DET", "NUM"], "upos"))
        self.assertIsNone(vocabulary.relations)
        other = self.read(text.replace("The", "THE").replace("1,234.5", "Ω"))
        self.assertEqual(vocabulary.word_numbers(other).tolist(), [2, UNKNOWN])
        with self.assertRaisesRegex(ValueError, "have no upos tags"):
            vocabulary.tag_numbers(self.read(text.replace("DET", "_").replace("NUM", "_")))

    def test_relations(self):
        self.assertIn("r1:left", self.vocabulary.relations)
        self.assertNotIn("root", self.vocabulary.relations)
        numbers = self.sentences.relations
        self.assertEqual((numbers < 0).tolist(), (self.bank.heads == 0).tolist())
        self.assertEqual(self.vocabulary.relation_texts(self.bank.heads, numbers), self.bank.column("deprel"))
        batch = self.sentences.batch(np.array([0, 6]))
        self.assertEqual(batch.relations[0].tolist(), [-1] * 7)  # the root and padding
        alone = Vocabulary.of(self.read(row(1, "a", "X", 0, "root") + "\n"), labelled=True)
        self.assertEqual(alone.relations, ["dep"])

    def test_relations_of_training_are_checked(self):
        for head, relation in ((0, "obj"), (1, "root"), (1, "_"), (1, "a b")):
            other = row(2, "b", "X", 1, "obj") if head == 0 else row(2, "b", "X", head, relation)
            text = row(1, "a", "X", 0, relation if head == 0 else "root") + other + "\n"
            message = f"word {2 if head else 1} of training sentence 2 has head {head} and relation '{relation}'"
            with self.assertRaisesRegex(ValueError, message):
                Vocabulary.of(self.read(row(1, "a", "X", 0, "root") + "\n" + text), labelled=True)

    def test_every_sentence_once_an_epoch_among_its_like(self):
        batches = self.sentences.shuffled(4, np.random.default_rng(0))
        self.assertEqual(sorted(np.concatenate(batches)), list(range(len(self.bank))))
        for batch in batches:
            self.assertLessEqual(np.ptp(self.sentences.lengths[batch]), 4)

    def test_scores_do_not_depend_on_padding(self):
        network = Network(self.vocabulary).eval()
        together, alone = (self.sentences.batch(np.array(numbers)) for numbers in ([3, 6], [3]))
        n = int(self.sentences.lengths[3])
        self.assertLess(n, self.sentences.lengths[6])
        torch.testing.assert_close(network(together)[0, :n, :n], network(alone)[0])
        both = [network.labels(network.states(batch), batch.heads, batch.relations >= 0) for batch in (together, alone)]
        torch.testing.assert_close(both[0][:len(both[1])], both[1])
        self.assertEqual(both[1].shape, (n - 1, len(self.vocabulary.relations)))
        self.assertEqual(network(self.sentences.batch(np.array([0]))).shape, (1, 1, 1))  # one word

    def test_best_trees(self):
        heads, relations = parse(Network(self.vocabulary), self.sentences)
        again = self.bank.with_heads(heads)  # which checks that they are trees with one root
        self.assertEqual(again.heads.tolist(), heads.tolist())
        self.assertEqual((relations < 0).tolist(), (heads == 0).tolist())


class Labels(Case):
    def test_every_label_loss_learns_them_by_heart(self):
        for label_loss in ("logistic", "sparsemax", "entmax15"):
            path = self.folder / f"{label_loss}.safetensors"
            result = train(self.bank, self.bank, path, Settings(label_loss=label_loss, **BY_HEART), test=self.bank)
            self.assertEqual([result[name] for name in ("dev", "dev_uas", "test", "test_uas")], [100] * 4, label_loss)
            self.assertEqual(Parser.load(path).predict(self.bank).text(), self.bank.text())

    def test_without_them_the_random_stream_is_that_of_the_arcs_alone(self):
        """So that the experiments, whose parsers have no labels, give the same parameters as before there were labels."""
        bare, labelled = (Run(self.bank, self.bank, few(label_loss=loss)) for loss in ("none", "logistic"))
        torch.manual_seed(1)
        words, tags = (torch.nn.Embedding(2 + len(texts), size)
                       for texts, size in ((bare.vocabulary.words, WORD), (bare.vocabulary.tags, TAG)))
        lstm = torch.nn.LSTM(WORD + TAG, STATE, LAYERS, bidirectional=True)
        layers = [torch.nn.Linear(2 * STATE, HIDDEN), torch.nn.Linear(2 * STATE, HIDDEN, bias=False),
                  torch.nn.Linear(HIDDEN, 1, bias=False)]
        for layer in layers:
            torch.nn.init.normal_(layer.weight, std=GAIN / layer.in_features ** 0.5)
        expected = [parameter for part in (words, tags, lstm, *layers) for parameter in part.parameters()]
        for run in (bare, labelled):
            found = list(run.network.parameters())[:len(expected)]
            self.assertTrue(all(map(torch.equal, expected, found)))
        self.assertEqual(len(list(bare.network.parameters())), len(expected))
        self.assertNotIn("label_loss", bare.settings.record())

    def test_early_stopping_is_by_las(self):
        run = Run(self.bank, self.bank, few())
        epoch = run.epoch()
        self.assertEqual(set(epoch), {"loss", "label_loss", "dev", "dev_uas", "seconds", "loss_seconds"})
        self.assertLess(epoch["dev"], epoch["dev_uas"])
        run.history += [{"dev": dev, "dev_uas": uas} for dev, uas in ((60.0, 70.0), (50.0, 90.0))]
        self.assertEqual(run.best_epoch, 2)


class Training(Case):
    def test_goes_on_as_if_it_had_not_stopped(self):
        for label_loss in ("none", "entmax15"):
            settings = few(epochs=3, loss="sparsemap", label_loss=label_loss)
            whole, first, second = (Run(self.bank, self.bank, settings) for _ in range(3))
            for _ in range(3):
                whole.epoch()
            first.epoch()
            first.keep(self.folder / "unfinished", {"seed": 1})
            self.assertTrue(second.go_on(self.folder / "unfinished", {"seed": 1}))
            second.epoch()
            second.epoch()
            self.assertEqual([(epoch["dev"], epoch["loss"]) for epoch in second.history],
                             [(epoch["dev"], epoch["loss"]) for epoch in whole.history])
            for name, tensor in whole.network.state_dict().items():
                self.assertTrue(torch.equal(tensor, second.network.state_dict()[name]), name)
            self.assertFalse(second.go_on(self.folder / "unfinished", {"seed": 2}))
            self.write("unfinished", "cut off")
            self.assertFalse(second.go_on(self.folder / "unfinished", {"seed": 1}))

    def test_the_file_of_a_run_that_was_cut_short_has_the_same_bits(self):
        whole, halves = self.folder / "whole", self.folder / "halves"
        train(self.bank, self.bank, whole, few())

        def stop_after_one(text):
            if text.startswith("epoch 1"):
                raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            train(self.bank, self.bank, halves, few(), say=stop_after_one)
        said = []
        train(self.bank, self.bank, halves, few(), say=said.append)
        self.assertIn("going on after epoch 1", said[0])
        tensors = [Parser.load(path).network.state_dict() for path in (whole, halves)]
        for name, tensor in tensors[0].items():
            self.assertTrue(torch.equal(tensor, tensors[1][name]), name)

    def test_file_gives_the_parser_back(self):
        path = self.folder / "parser.safetensors"
        torch.manual_seed(5)
        result = train(self.bank, self.bank, str(path), few(), test=self.bank)
        parser = Parser.load(str(path))
        drawn = torch.rand(3)
        torch.manual_seed(5)
        self.assertTrue(torch.equal(drawn, torch.rand(3)))  # the caller's random numbers are as they were
        self.assertEqual({**parser.training, "test": result["test"], "test_uas": result["test_uas"]}, result)
        self.assertEqual((parser.labelled, parser.tags), (True, "xpos"))
        self.assertAlmostEqual(fenchel.parsing.evaluate(self.bank, parser.predict(self.bank)).las, result["test"], places=3)
        said = []
        self.assertEqual(train(self.bank, self.bank, path, few(), test=self.bank, say=said.append), result)
        self.assertIn("done before: development LAS", said[0])
        self.assertEqual([file.name for file in self.folder.iterdir() if "safetensors." in file.name], [])

    def test_lists_of_words_and_tags(self):
        path = self.folder / "parser.safetensors"
        train(self.bank, self.bank, path, few(epochs=1))
        parser = Parser.load(path)
        parsed = parser.predict(self.bank)
        words, tags, relations = (parsed.column(name) for name in ("form", "xpos", "deprel"))
        places = [slice(*pair) for pair in zip(parsed.offsets, parsed.offsets[1:])]
        trees = parser.predict([(words[place], tags[place]) for place in places])
        self.assertEqual(trees, [Tree(parsed.heads[place].tolist(), relations[place]) for place in places])
        self.assertEqual(parser.predict([]), [])
        for wrong, error, text in (([("ab", "cd")], TypeError, r"sentences\[0\] is"),
                                   ([(["a"], ["b", "c"])], ValueError, "1 words and 2 tags"),
                                   ([([], [])], ValueError, "at least one"), ([([1], ["t"])], TypeError, "expected texts"),
                                   ([(["a"], ["_"])], ValueError, "have no xpos tags")):
            with self.assertRaisesRegex(error, text):
                parser.predict(wrong)

    def test_what_is_there_is_not_replaced_unasked(self):
        path = self.folder / "parser.safetensors"
        once = few(epochs=1)
        first = train(self.bank, self.bank, path, once)
        half = self.bank.select(range(9))
        for data, dev, settings in ((half, self.bank, once), (self.bank, half, once), (self.bank, self.bank, few(seed=2)),
                                    (self.bank, self.bank, few(epochs=1, label_loss="none"))):
            with self.assertRaisesRegex(ValueError, "is there, and a parser of other settings or data"):
                train(data, dev, path, settings)
        self.assertEqual(train(self.bank, self.bank, path, once), first)
        self.assertNotEqual(train(half, self.bank, path, once, replace=True), first)
        scores = [train(half, self.bank, path, once, test=test)["test_uas"] for test in (half, self.bank)]
        self.assertNotEqual(*scores)  # of the file asked for, not of the first
        for wrong, text in ((self.text, "toy.conllu is there, and no parser"), (self.folder, "is a folder"),
                            (self.folder / "nowhere" / "m", "nowhere is not there")):
            with self.assertRaisesRegex(ValueError, text):
                train(self.bank, self.bank, wrong, once)

    def test_an_unfinished_run_of_other_data_is_begun_anew(self):
        run = Run(self.bank, self.bank, few())
        run.epoch()
        run.keep(self.folder / "parser.safetensors.unfinished", {"train": "other"})
        said = []
        train(self.bank, self.bank, self.folder / "parser.safetensors", few(epochs=1), say=said.append)
        self.assertIn("starting anew", said[0])

    def test_treebanks_are_checked(self):
        bare = self.read(row(1, "a") + "\n")
        unlabelled = self.read(toy().replace("\troot\t", "\t_\t"))
        for banks, text in (((bare, self.bank), "train has 1 words without heads"),
                            ((self.bank, bare), "dev has 1 words without heads"),
                            ((self.bank, unlabelled), "dev has 16 words without relations")):
            with self.assertRaisesRegex(ValueError, text):
                train(*banks, self.folder / "m")
        untagged = self.read(re.sub(r"\tt\d\t", "\t_\t", toy()))
        for dev, test in ((untagged, None), (self.bank, untagged)):
            with self.assertRaisesRegex(ValueError, "have no xpos tags"):
                train(self.bank, dev, self.folder / "m", test=test)

    def test_stops_early(self):
        run = Run(self.bank, self.bank, few(epochs=50, patience=2))
        run.history = [{"dev": dev} for dev in (50.0, 60.0, 55.0)]
        self.assertFalse(run.finished)
        run.history.append({"dev": 60.0})
        self.assertTrue(run.finished)
        self.assertEqual(run.best_epoch, 2)

    def test_divergence_is_said(self):
        run = Run(self.bank, self.bank, few())
        with torch.no_grad():
            run.network.labels.output.bias.fill_(float("inf"))
        with self.assertRaisesRegex(Diverged, "the scores are not finite; the learning rate 0.002 may be too large"):
            run.epoch()

    def test_settings_are_checked(self):
        for wrong in ({"loss": "hunch"}, {"epochs": 0}, {"learning_rate": float("nan")}, {"word_dropout": -1}, {"batch": 0},
                      {"seed": -1}, {"tags": "pos"}, {"label_loss": "crf"}):
            with self.assertRaisesRegex(ValueError, next(iter(wrong))):
                Settings(**wrong)


if __name__ == "__main__":
    unittest.main()
