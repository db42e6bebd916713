# SPDX-License-Identifier: Apache-2.0
"""The experiment of dependency parsing: its parsers are those of the package without labels, its table has five languages."""
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
from fenchel.parsing import Parser, Settings, train  # noqa: E402
from fenchel.parsing.batches import Sentences  # noqa: E402
from fenchel.parsing.decoding import parse  # noqa: E402
from fenchel.parsing.network import Network  # noqa: E402
from fenchel.parsing.vocabulary import Vocabulary  # noqa: E402

from experiments.dependency_parsing import trees  # noqa: E402
from experiments.dependency_parsing.__main__ import main  # noqa: E402
from experiments.dependency_parsing.overfit import LENGTHS, made_up, overfit  # noqa: E402
from experiments.dependency_parsing.runs import model_path  # noqa: E402

torch.set_num_threads(1)


class Experiment(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        text = self.folder / "made-up.conllu"
        text.write_text(made_up(1), encoding="utf-8")
        self.bank = fenchel.read_conllu(text)

    def test_long_sentences_among_short_ones(self):
        vocabulary = Vocabulary.of(self.bank)
        sentences = Sentences(self.bank, vocabulary)
        for batch in sentences.shuffled(4, np.random.default_rng(0)):
            inside = sentences.lengths[batch]
            self.assertLessEqual(np.sort(inside)[-2] - inside.min(), 4)  # no other one is near 60 words
        heads = parse(Network(vocabulary), sentences).heads
        self.assertEqual(self.bank.with_heads(heads).heads.tolist(), heads.tolist())  # trees with one root, which is checked

    def test_parsers_have_no_labels(self):
        result = overfit("crf", 0.002, 1)
        self.assertEqual((result["sentences"], result["epochs"]), (len(LENGTHS), 1))
        settings = Settings(loss="crf", label_loss="none", epochs=1)
        self.assertEqual(model_path("vi", settings).name, "vi-xpos-crf-0.002-1-1.safetensors")
        path = self.folder / "parser.safetensors"
        train(self.bank, self.bank, path, settings)
        self.assertFalse(Parser.load(path).labelled)
        scores = trees.arc_scores(path, self.bank)
        self.assertEqual([len(theta) for theta in scores], LENGTHS)

    def test_languages_are_checked(self):
        err = io.StringIO()
        with contextlib.redirect_stderr(err):
            self.assertEqual(main(["table", "xx"]), 1)
        self.assertIn("language is 'xx'; expected one of en, zh, vi, ro, ja", err.getvalue())


if __name__ == "__main__":
    unittest.main()
