# SPDX-License-Identifier: Apache-2.0
"""Treebanks in CoNLL-U, the format of Universal Dependencies."""
from __future__ import annotations

import os
from typing import Any, List, Optional, Sequence, Union

import numpy as np

from . import _core

__all__ = ["Treebank", "read_conllu"]

Path = Union[str, "os.PathLike[str]"]


def _whole_numbers(name: str, values: Any, dtype: type) -> np.ndarray:
    """A vector of integers, none of them changed."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} has {array.ndim} axes; expected 1")
    if array.dtype.kind not in "iu" and array.size > 0:
        raise TypeError(f"{name} has dtype {array.dtype}; expected integers")
    kept: np.ndarray = array.astype(dtype)
    changed = array[kept != array]
    if changed.size > 0:
        raise ValueError(f"{name} has {changed[0]}; expected numbers of type {np.dtype(dtype)}")
    return np.ascontiguousarray(kept)


class Treebank:
    """Sentences of words with their trees, as `read_conllu` reads them; `len` is the number of sentences."""

    def __init__(self, core: _core.Treebank) -> None:
        self.core = core

    def __len__(self) -> int:
        return self.core.sentences

    def __repr__(self) -> str:
        return f"<Treebank: {len(self)} sentences, {self.core.words} words>"

    @property
    def offsets(self) -> np.ndarray:
        """Sentence s has the words offsets[s] to offsets[s + 1] − 1 (int64)."""
        return self.core.offsets

    @property
    def heads(self) -> np.ndarray:
        """For each word its head's number in the sentence, from 1; 0 for the root, −1 if unknown (int32)."""
        return self.core.heads

    @property
    def non_projective(self) -> np.ndarray:
        """Whether a sentence has a tree with crossing arcs, for each sentence (bool)."""
        return self.core.non_projective

    def column(self, name: str) -> List[str]:
        """A text for each word: "form", "lemma", "upos", "xpos", "feats", "deprel", "deps" or "misc"."""
        return self.core.column(name)

    def with_heads(self, heads: Any, deprels: Optional[Sequence[str]] = None) -> Treebank:
        """The treebank with other trees, such as predicted ones: a head, and maybe a relation, for each word.

        Without relations they are "root" and "dep". DEPS of words, which belong to the old trees, become _.
        """
        return Treebank(self.core.with_heads(_whole_numbers("heads", heads, np.int32), deprels))

    def select(self, sentences: Any) -> Treebank:
        """The sentences with these numbers, from 0, in this order."""
        return Treebank(self.core.select(_whole_numbers("sentences", sentences, np.uint64)))

    def text(self) -> str:
        """What `write` writes."""
        return self.core.text()

    def write(self, path: Path) -> None:
        """Writes a file in CoNLL-U, complete or not at all; what was read comes out byte for byte."""
        self.core.write(os.fspath(path))


def read_conllu(paths: Union[Path, Sequence[Path]]) -> Treebank:
    """Reads one or several files, gzip'd or not, as one treebank.

    A ValueError names file, line and column of what is wrong: words must be numbered 1, 2, …, and their heads a tree with
    one root, or all unknown (`_`).
    """
    files = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    return Treebank(_core.read_conllu([os.fspath(path) for path in files]))
