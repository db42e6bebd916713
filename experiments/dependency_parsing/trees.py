# SPDX-License-Identifier: Apache-2.0
"""What the predictions mix: SparseMAP's few trees and the CRF's marginals, for all test sentences and for one of them."""
import collections
from typing import Any, Dict

import fenchel
import numpy as np
from fenchel.parsing import Parser, Settings
from fenchel.parsing.batches import Sentences
from fenchel.parsing.decoding import scored

from . import runs
from .treebanks import SOURCES

SHORTEST, LONGEST = 7, 11  # words of the sentence in the picture
TREES, LEAST_WEIGHT = (3, 4), 0.1


def mixtures(language: str, learning_rates: Dict[str, float], epochs: int, patience: int) -> Dict[str, Any]:
    """Counts of trees by SparseMAP on the test part; a sentence with its trees, and the marginals of the CRF for it."""
    bank = SOURCES[language].read()[2]
    scores = {}
    for loss in ("sparsemap", "crf"):
        settings = Settings(loss=loss, label_loss="none", learning_rate=learning_rates[loss], epochs=epochs, patience=patience)
        runs.one(language, settings)  # unless it is there
        scores[loss] = arc_scores(runs.model_path(language, settings), bank)
    mixed = [_trees(theta) for theta in scores["sparsemap"]]
    counts = collections.Counter(len(weights) for _, weights in mixed)
    total = sum(counts.values())
    chosen = next((i for i, (_, weights) in enumerate(mixed) if _fit_for_picture(scores["sparsemap"][i], weights)), None)
    return {"counts": [[number, counts[number]] for number in sorted(counts)],
            "mean": round(sum(number * count for number, count in counts.items()) / total, 3),
            "one": round(counts[1] / total, 4),
            "sentence": None if chosen is None else _sentence(bank, chosen, mixed[chosen], scores["crf"][chosen])}


def arc_scores(model, bank):
    """The scores of every sentence."""
    parser = Parser.load(model)
    found = [np.empty(0)] * len(bank)
    for batch, scores in scored(parser.network, Sentences(bank, parser.vocabulary)):
        for number, matrix, n in zip(batch.sentences, scores.double().numpy(), batch.lengths.tolist()):
            found[number] = np.ascontiguousarray(matrix[:n, :n])
    return found


def _distribution(theta):
    return fenchel.Distribution(fenchel.Arborescence(len(theta), single_root=True), theta)


def _trees(theta):
    """Heads, −1 for the root, and weights, largest first."""
    distribution = _distribution(theta)
    structures, weights = distribution.sparsemap_mixture()
    order = np.argsort(-weights)
    return distribution.decode(structures)[order], weights[order]


def _fit_for_picture(theta, weights):
    return SHORTEST <= len(theta) <= LONGEST and len(weights) in TREES and weights[-1] >= LEAST_WEIGHT


def _sentence(bank, number, mixture, crf_scores):
    trees, weights = mixture
    words = slice(bank.offsets[number], bank.offsets[number + 1])
    return {"number": number + 1, "words": bank.column("form")[words], "gold": (np.asarray(bank.heads[words]) - 1).tolist(),
            "trees": trees.tolist(), "weights": weights.round(4).tolist(),
            "marginals": _distribution(crf_scores).marginals.round(4).tolist()}
