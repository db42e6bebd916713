# SPDX-License-Identifier: Apache-2.0
"""How much of some trees is right, in percent of the words.

UAS: the right head. LAS: the right head and the right relation, subtypes (`nmod:poss`) included. Universal LAS: the same for
what stands before the colon, as the CoNLL 2018 shared task counts. Label accuracy: the right relation, whatever the head.
"""
from __future__ import annotations

import dataclasses
from typing import List, Optional, Sequence

import numpy as np

from ..treebank import Treebank
from .words import Words

PUNCTUATION = "PUNCT"  # in UPOS


@dataclasses.dataclass(frozen=True)
class Scores:
    """How much of some trees is right, as `evaluate` counts it; `str` has UAS and LAS.

    Parameters
    ----------
    words : int
        How many words count.
    uas : float
        The share of words with the right head, in percent like the others.
    las : float, optional
        With the right head and the right relation, subtypes included; None, like the next, without relations.
    las_universal : float, optional
        With the right head and the right relation up to the colon.
    label_accuracy : float, optional
        With the right relation, whatever the head.

    Examples
    --------
    >>> from fenchel.parsing import Scores
    >>> scores = Scores(200, 91.5, 88.0, 89.5, 94.0)
    >>> str(scores), scores.main
    ('UAS 91.50, LAS 88.00', 88.0)

    See Also
    --------
    evaluate
    """

    words: int
    uas: float
    las: Optional[float] = None
    las_universal: Optional[float] = None
    label_accuracy: Optional[float] = None

    @property
    def main(self) -> float:
        """LAS if there are relations, else UAS."""
        return self.uas if self.las is None else self.las

    def __str__(self) -> str:
        return f"UAS {self.uas:.2f}" + ("" if self.las is None else f", LAS {self.las:.2f}")


def score(gold: Words, heads: np.ndarray, relations: Optional[Sequence[str]] = None, punctuation: bool = True) -> Scores:
    """Scores of heads (and relations), one for each word of `gold`; words without a head there do not count, and without
    `punctuation` neither do those that are PUNCT there. Without relations in `gold` there are scores of heads alone."""
    counted = gold.heads >= 0
    if not punctuation:
        counted &= _no_punctuation(gold)
    if not counted.any():
        raise ValueError("no word is left to count; expected some beside punctuation")
    right_head = (np.asarray(heads) == gold.heads)[counted]
    count = len(right_head)
    expected = gold.column("deprel")
    if relations is None or set(expected) == {"_"}:
        return Scores(count, _percent(right_head))
    right = _equal(expected, relations)[counted]
    right_universal = _equal(_universal(expected), _universal(relations))[counted]
    return Scores(count, _percent(right_head), _percent(right_head & right), _percent(right_head & right_universal),
                  _percent(right))


def evaluate(gold: Treebank, parsed: Treebank, punctuation: bool = True) -> Scores:
    r"""The scores of trees beside the right ones.

    Parameters
    ----------
    gold : Treebank
        The right trees.
    parsed : Treebank
        Trees over the same words.
    punctuation : bool
        Whether words count whose UPOS in `gold` is PUNCT.

    Returns
    -------
    Scores
        Percentages of the words.

    Raises
    ------
    ValueError
        The words are not the same (the message names the first place), or one has no heads.

    Examples
    --------
    >>> import fenchel, os, tempfile
    >>> from fenchel.parsing import evaluate
    >>> path = os.path.join(tempfile.mkdtemp(), "gold.conllu")
    >>> words = ("1 Dogs _ NOUN NNS _ 2 nsubj _ _", "2 bark _ VERB VBP _ 0 root _ _")
    >>> with open(path, "w") as file:
    ...     written = file.write("\n".join(words).replace(" ", "\t") + "\n\n")
    >>> gold = fenchel.read_conllu(path)
    >>> evaluate(gold, gold.with_heads([2, 0], ["obj", "root"]))
    Scores(words=2, uas=100.0, las=50.0, las_universal=50.0, label_accuracy=50.0)

    See Also
    --------
    Scores, Parser.predict, fenchel.read_conllu
    """
    _check_words(gold, parsed)
    for name, bank in (("gold", gold), ("parsed", parsed)):
        missing = int((bank.heads < 0).sum())
        if missing:
            raise ValueError(f"the {name} treebank has {missing} words without heads; expected trees")
    return score(gold, parsed.heads, parsed.column("deprel"), punctuation)


def _check_words(gold: Treebank, parsed: Treebank) -> None:
    ours, theirs = gold.column("form"), parsed.column("form")
    for number in range(min(len(gold), len(parsed))):
        first, second = (words[bank.offsets[number]:bank.offsets[number + 1]]
                         for bank, words in ((gold, ours), (parsed, theirs)))
        for place, (one, other) in enumerate(zip(first, second), 1):
            if one != other:
                raise ValueError(f"word {place} of sentence {number + 1} is {one!r} in the gold treebank and {other!r} in the "
                                 "parsed one; expected the same words")
        if len(first) != len(second):
            raise ValueError(f"sentence {number + 1} has {len(first)} words in the gold treebank and {len(second)} in the parsed "
                             "one; expected the same words")
    if len(gold) != len(parsed):
        raise ValueError(f"the gold treebank has {len(gold)} sentences and the parsed one {len(parsed)}; expected the same")


def _no_punctuation(gold: Words) -> np.ndarray:
    tags = gold.column("upos")
    if set(tags) == {"_"}:
        raise ValueError("the gold treebank has no UPOS; expected them, to leave out punctuation")
    return np.array([tag != PUNCTUATION for tag in tags])


def _universal(relations: Sequence[str]) -> List[str]:
    return [relation.split(":", 1)[0] for relation in relations]


def _equal(ones: Sequence[str], others: Sequence[str]) -> np.ndarray:
    return np.array([one == other for one, other in zip(ones, others)], dtype=bool)


def _percent(right: np.ndarray) -> float:
    return 100 * float(np.mean(right))
