# SPDX-License-Identifier: Apache-2.0
"""Taggers (paper §7.3, sequences): CoNLL-2000 chunking and handwritten words, with five losses over sequences."""
from ..experiment import Experiment, Step
from . import corpora, training
from .report import draw, findings, report

#: λ is of the sum of losses. L-BFGS counts iterations, dual ascent (chunks, SparseMAP) rounds of passes over the sentences that
#: are far from their optimum, Frank-Wolfe (hinge) and the perceptron passes over the data.
STEPS = "sparsemap:polytope=sequence"
CHUNKING = {
    "crf": {"omega": "crf", "lambdas": [0.1, 0.3, 1, 3], "choosing": 60, "iterations": 300},
    "sparsemap": {"omega": "sparsemap", "lambdas": [0.1, 0.3, 1, 3], "choosing": 4, "iterations": 50},
    "sparsemap_steps": {"omega": STEPS, "lambdas": [0.1, 0.3, 1, 3], "choosing": 4, "iterations": 50},
    "hinge": {"omega": "hinge", "lambdas": [0.1, 0.3, 1, 3], "choosing": 20, "iterations": 30, "solver": "frank_wolfe"},
    "perceptron": {"omega": "perceptron", "lambdas": [], "choosing": 0, "iterations": 15},
}
OCR = {
    "crf": {"omega": "crf", "lambdas": [0.3, 1, 3, 10, 30], "iterations": 300},
    "sparsemap": {"omega": "sparsemap", "lambdas": [0.3, 1, 3, 10, 30], "iterations": 300, "solver": "lbfgs"},
    "hinge": {"omega": "hinge", "lambdas": [0.3, 1, 3, 10, 30], "iterations": 50, "solver": "frank_wolfe"},
    "perceptron": {"omega": "perceptron", "lambdas": [], "iterations": 20},
}
QUICK = {name: {**settings, "lambdas": settings["lambdas"][1:2], "iterations": 40} for name, settings in OCR.items()}


def steps(quick):
    if quick:
        return [*_pairs("made_up", QUICK), *_pairs("ocr", {"crf": {**QUICK["crf"], "iterations": 60}}, corpora.OCR)]
    return [*(Step(f"conll_{name}", training.chunking, settings, corpora.CONLL) for name, settings in CHUNKING.items()),
            *_pairs("ocr", OCR, corpora.OCR)]


def _pairs(corpus, losses, needs=()):
    return [Step(f"{corpus}_{name}", training.words_and_letters, {"corpus": corpus, **settings}, needs)
            for name, settings in losses.items()]


tagging = Experiment("tagging", steps, report, findings, draw)
