# SPDX-License-Identifier: Apache-2.0
"""Treebanks in CoNLL-U, the format of Universal Dependencies."""
from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Union

import numpy as np

from . import _core
from ._arguments import shown

if TYPE_CHECKING:
    from ._types import ArrayLike

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
    """Sentences of words with their trees, as `read_conllu` reads them; `len` is the number of sentences.

    Parameters
    ----------
    core : _core.Treebank
        What `read_conllu` made: treebanks are made by it, and by the methods of another.

    Examples
    --------
    >>> import fenchel, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "one_word.conllu")
    >>> with open(path, "w") as file:
    ...     written = file.write("1 Hello _ _ _ _ 0 root _ _".replace(" ", chr(9)) + 2 * chr(10))
    >>> bank = fenchel.read_conllu(path)
    >>> bank, bank.column("form")
    (<Treebank: 1 sentences, 1 words>, ['Hello'])

    See Also
    --------
    read_conllu, fenchel.parsing
    """

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
        """A text for each word.

        Parameters
        ----------
        name : str
            "form", "lemma", "upos", "xpos", "feats", "deprel", "deps" or "misc".

        Returns
        -------
        list of str
            One text for each word.
        """
        return self.core.column(name)

    def with_heads(self, heads: ArrayLike, deprels: Optional[Sequence[str]] = None) -> Treebank:
        """The treebank with other trees, such as predicted ones.

        DEPS of words, which belong to the old trees, become _.

        Parameters
        ----------
        heads : array_like of int
            A head for each word: its number in the sentence from 1, 0 for the root.
        deprels : list of str, optional
            A relation for each word; without them they are "root" and "dep".

        Returns
        -------
        Treebank
            Another one.
        """
        return Treebank(self.core.with_heads(_whole_numbers("heads", heads, np.int32), deprels))

    def select(self, sentences: ArrayLike) -> Treebank:
        """Some sentences, in a given order.

        Parameters
        ----------
        sentences : array_like of int
            Their numbers, from 0.

        Returns
        -------
        Treebank
            Another one.
        """
        return Treebank(self.core.select(_whole_numbers("sentences", sentences, np.uint64)))

    def text(self) -> str:
        """What `write` writes.

        Returns
        -------
        str
            CoNLL-U.
        """
        return self.core.text()

    def write(self, path: Path) -> None:
        """Writes a file in CoNLL-U, complete or not at all; what was read comes out byte for byte.

        Parameters
        ----------
        path : str or path
            The file.
        """
        self.core.write(os.fspath(path))


def read_conllu(paths: Union[Path, Sequence[Path]]) -> Treebank:
    """Treebanks in CoNLL-U, the format of Universal Dependencies, from one or several files.

    Parameters
    ----------
    paths : str or path, or a list of them
        Files, gzip'd or not, which are read as one treebank.

    Returns
    -------
    Treebank
        The sentences of all files.

    Raises
    ------
    ValueError
        A file is wrong; the message names file, line and column. Words must be numbered 1, 2, …, and their
        heads a tree with one root, or all unknown (`_`).
    OSError
        A file cannot be read.

    Examples
    --------
    >>> import fenchel, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "two_words.conllu")
    >>> words = ["1 Hello _ _ _ _ 0 root _ _", "2 you _ _ _ _ 1 vocative _ _", "", ""]
    >>> with open(path, "w") as file:
    ...     written = file.write(chr(10).join(words).replace(" ", chr(9)))
    >>> bank = fenchel.read_conllu(path)
    >>> len(bank), bank.heads.tolist(), bank.column("form")
    (1, [0, 1], ['Hello', 'you'])

    See Also
    --------
    Treebank, fenchel.parsing
    """
    if not isinstance(paths, (str, os.PathLike, Iterable)):
        raise TypeError(f"paths is {shown(paths)}; expected a path or a list of them")
    files = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    for file in files:
        if not isinstance(file, (str, os.PathLike)):
            raise TypeError(f"paths has the entry {shown(file)}; expected a path")
    return Treebank(_core.read_conllu([os.fspath(path) for path in files]))
