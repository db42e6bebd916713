# SPDX-License-Identifier: Apache-2.0
"""The corpora as (training, test) files: sentences, words as images of letters, and those letters alone."""
import gzip
import pathlib

import numpy as np

from .. import data

CONLL = ("conll2000/train.txt.gz", "conll2000/test.txt.gz")
OCR = ("ocr/ocr-train.txt.gz", "ocr/ocr-test.txt.gz")
PARTS = ("train", "test")


def sentences():
    """The sentences of CoNLL-2000."""
    return tuple(map(data.path, CONLL))


def third_of_sentences(folder: pathlib.Path) -> pathlib.Path:
    """Every third training sentence of them, to choose λ with."""
    every = gzip.decompress(data.path(CONLL[0]).read_bytes()).decode().strip().split("\n\n")
    return _write(folder / "third.conll", (sentence + "\n\n" for sentence in every[::3]))


def handwritten(folder: pathlib.Path):
    """Taskar's handwritten words, and their letters alone."""
    texts = [gzip.decompress(data.path(name).read_bytes()).decode() for name in OCR]
    return {"words": tuple(map(data.path, OCR)), "letters": _letters(folder, texts)}


def made_up(folder: pathlib.Path):
    """Words from a list of 20 in 8 letters, whose 32 pixels are wrong one time in four; and their letters alone."""
    random = np.random.default_rng(1)
    shapes = random.random((8, 32)) < 0.5
    vocabulary = [random.integers(8, size=length) for length in random.integers(3, 8, size=20)]
    texts = []
    for _ in PARTS:
        chosen = (vocabulary[i] for i in random.integers(20, size=200))
        texts.append("".join(f"{word}\t{position}\t{'abcdefgh'[letter]}\t{_pixels(shapes[letter], random)}\n"
                             for word, letters in enumerate(chosen) for position, letter in enumerate(letters)))
    words = tuple(_write(folder / f"words-{part}.txt", text) for part, text in zip(PARTS, texts))
    return {"words": words, "letters": _letters(folder, texts)}


def _pixels(shape, random):
    return "".join("1" if pixel else "0" for pixel in shape ^ (random.random(len(shape)) < 0.25))


def _letters(folder, texts):
    """Every letter as a word of its own."""
    files = []
    for part, text in zip(PARTS, texts):
        letters = (line.split("\t")[2:] for line in text.splitlines())
        lines = (f"{i}\t0\t{letter}\t{pixels}\n" for i, (letter, pixels) in enumerate(letters))
        files.append(_write(folder / f"letters-{part}.txt", lines))
    return tuple(files)


def _write(path, lines):
    path.write_text("".join(lines), encoding="utf-8")
    return path
