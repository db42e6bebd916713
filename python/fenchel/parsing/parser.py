# SPDX-License-Identifier: Apache-2.0
"""A trained parser."""
from __future__ import annotations

import dataclasses
import os
import pathlib
from typing import Any, Dict, List, Sequence, Union, overload

from ..treebank import Treebank
from . import model_file
from .batches import Sentences
from .decoding import Trees, parse
from .network import Network
from .vocabulary import Vocabulary
from .words import PlainWords, Sentence, Words


@dataclasses.dataclass(frozen=True)
class Tree:
    """The tree of a sentence: for each word the number of its head, from 1, 0 for the root; and its relation."""

    heads: List[int]
    relations: List[str]


class Parser:
    """Trees of sentences, by a network that `fenchel.parsing.train` has trained.

    >>> parser = fenchel.parsing.Parser.load("parser.safetensors")                                   # doctest: +SKIP
    >>> parser.predict([(["Dogs", "bark"], ["NNS", "VBP"])])                                         # doctest: +SKIP
    [Tree(heads=[2, 0], relations=['nsubj', 'root'])]
    >>> parser.predict(fenchel.read_conllu("new.conllu")).write("parsed.conllu")                     # doctest: +SKIP
    """

    def __init__(self, network: Network, vocabulary: Vocabulary, training: Dict[str, Any]):
        self.network, self.vocabulary, self.training = network, vocabulary, training

    @classmethod
    def load(cls, path: Union[str, os.PathLike[str]]) -> Parser:
        """The parser in a file; a ValueError says what is wrong with it. Files of strangers are safe to load."""
        return cls(*model_file.load(pathlib.Path(path)))

    @property
    def labelled(self) -> bool:
        """Whether it predicts relations; if not they are "root" and "dep"."""
        return self.vocabulary.relations is not None

    @property
    def tags(self) -> str:
        """The column of tags that it reads, "xpos" or "upos"."""
        return self.vocabulary.column

    @overload
    def predict(self, sentences: Treebank) -> Treebank: ...

    @overload
    def predict(self, sentences: Sequence[Sentence]) -> List[Tree]: ...

    def predict(self, sentences: Union[Treebank, Sequence[Sentence]]) -> Union[Treebank, List[Tree]]:
        """The best tree with one root of each sentence.

        Of a treebank (heads may be unknown) the treebank with these trees; of a list of (words, tags), n texts each, a list of
        trees with n heads and n relations.
        """
        if isinstance(sentences, Treebank):
            heads, relations = self._parsed(sentences)
            return sentences.with_heads(heads, self.vocabulary.relation_texts(heads, relations))
        words = PlainWords(sentences)
        if not len(words.heads):
            return []
        heads, relations = self._parsed(words)
        texts = self.vocabulary.relation_texts(heads, relations)
        return [Tree(heads[start:end].tolist(), texts[start:end]) for start, end in zip(words.offsets, words.offsets[1:])]

    def _parsed(self, words: Words) -> Trees:
        return parse(self.network, Sentences(words, self.vocabulary))
