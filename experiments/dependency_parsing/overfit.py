# SPDX-License-Identifier: Apache-2.0
"""A few dozen made-up sentences that a parser should learn by heart, with any of the losses."""
import pathlib
import tempfile
from typing import Any, Dict

import fenchel
import numpy as np
from fenchel.parsing import Settings, train

LENGTHS = [1, 60, *range(2, 14), *range(2, 14), *range(2, 14)]  # words
VOCABULARY, LEVELS = 120, 5


def made_up(seed: int) -> str:
    """CoNLL-U of sentences with words drawn at random, each of a level, that is its tag."""
    random = np.random.default_rng(seed)
    sentences = ([random.integers(VOCABULARY) for _ in range(length)] for length in LENGTHS)
    return "".join(f"# sent_id = made-up-{number}\n{_lines(words)}\n" for number, words in enumerate(sentences, 1))


def _lines(words):
    levels = [word % LEVELS for word in words]
    heads = [_head(m, levels) for m in range(len(words))]
    return "".join(f"{m}\tw{word}\t_\t_\tt{level}\t_\t{head}\t{'dep' if head else 'root'}\t_\t_\n"
                   for m, (word, level, head) in enumerate(zip(words, levels, heads), 1))


def _head(m, levels):
    """The first of the highest words hangs on the root, the lowest words and other highest ones hang on it; any other word
    hangs on the closest one that is higher. Lowest words hang far away, so that many trees are not projective."""
    top = levels.index(max(levels))
    if m == top:
        return 0
    if levels[m] in (0, levels[top]):
        return top + 1
    higher = [h for h, level in enumerate(levels) if level > levels[m]]
    return min(higher, key=lambda h: (abs(h - m), h)) + 1


def overfit(loss: str, learning_rate: float, epochs: int) -> Dict[str, Any]:
    """The score on the very sentences that a parser was trained on."""
    with tempfile.TemporaryDirectory() as folder:
        text = pathlib.Path(folder) / "made-up.conllu"
        text.write_text(made_up(1), encoding="utf-8")
        bank = fenchel.read_conllu(text)
        settings = Settings(loss=loss, label_loss="none", learning_rate=learning_rate, epochs=epochs, patience=epochs, batch=4,
                            word_dropout=0)
        run = train(bank, bank, pathlib.Path(folder) / "parser.safetensors", settings)
    return {"sentences": len(bank), "not_projective": int(sum(bank.non_projective)), "epochs": len(run["history"]),
            "uas": run["dev"]}
