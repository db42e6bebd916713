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
    """The tree of a sentence, as `Parser.predict` returns it.

    Parameters
    ----------
    heads : list of int
        For each word the number of its head, from 1; 0 for the root.
    relations : list of str
        The relation of each word to its head.

    Examples
    --------
    >>> from fenchel.parsing import Tree
    >>> Tree([2, 0], ["nsubj", "root"])  # of "Dogs bark"
    Tree(heads=[2, 0], relations=['nsubj', 'root'])

    See Also
    --------
    Parser
    """

    heads: List[int]
    relations: List[str]


class Parser:
    r"""Trees of sentences, by a network that `fenchel.parsing.train` has trained; `Parser.load` makes one of a file.

    Parameters
    ----------
    network : Network
        The scores of arcs and relations.
    vocabulary : Vocabulary
        Words, tags and relations as numbers.
    training : dict
        How it was trained: what the file says of it.

    Examples
    --------
    >>> import fenchel, os, tempfile
    >>> from fenchel.parsing import Parser, Settings, train
    >>> folder = tempfile.mkdtemp()
    >>> path, model = os.path.join(folder, "train.conllu"), os.path.join(folder, "parser.safetensors")
    >>> words = ("1 Dogs _ NOUN NNS _ 2 nsubj _ _", "2 bark _ VERB VBP _ 0 root _ _")
    >>> with open(path, "w") as file:
    ...     written = file.write(("\n".join(words).replace(" ", "\t") + "\n\n") * 4)
    >>> bank = fenchel.read_conllu(path)
    >>> result = train(bank, bank, model, Settings(epochs=1))
    >>> parser = Parser.load(model)
    >>> [len(tree.heads) for tree in parser.predict([(["Dogs", "bark"], ["NNS", "VBP"])])]
    [2]
    >>> parser.predict(bank), parser.labelled, parser.tags
    (<Treebank: 4 sentences, 8 words>, True, 'xpos')

    See Also
    --------
    train, evaluate, Tree, fenchel.read_conllu
    """

    def __init__(self, network: Network, vocabulary: Vocabulary, training: Dict[str, Any]):
        self.network, self.vocabulary, self.training = network, vocabulary, training

    @classmethod
    def load(cls, path: Union[str, os.PathLike[str]]) -> Parser:
        """The parser in a file. Files of strangers are safe to load.

        Parameters
        ----------
        path : str or path
            A file that `train` wrote.

        Returns
        -------
        Parser
            The parser.

        Raises
        ------
        ValueError
            The file holds no parser, or is damaged; the message says what is wrong.
        """
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

        Parameters
        ----------
        sentences : Treebank or list of (list of str, list of str)
            A treebank, whose heads may be unknown, or for each sentence its words and their tags.

        Returns
        -------
        Treebank or list of Tree
            The treebank with these trees; of a list, a tree for each sentence.

        Raises
        ------
        ValueError
            A sentence has no tags, or not one for each word.
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
