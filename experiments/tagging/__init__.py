# SPDX-License-Identifier: Apache-2.0
"""Taggers (paper §7.3, sequences): CoNLL-2000 chunking and handwritten words, with four losses over chains."""
from ..experiment import Experiment, Step
from . import corpora, training
from .report import draw, findings, report

#: λ is of the sum of losses. L-BFGS counts iterations, Frank-Wolfe (hinge) and the perceptron passes over the data.
CHUNKING = {
    "crf": {"lambdas": [0.1, 0.3, 1, 3], "choosing": 60, "iterations": 300},
    "sparsemap": {"lambdas": [0.1, 0.3, 1, 3], "choosing": 60, "iterations": 150},
    "hinge": {"lambdas": [0.1, 0.3, 1, 3], "choosing": 20, "iterations": 30},
    "perceptron": {"lambdas": [], "choosing": 0, "iterations": 15},
}
OCR = {
    "crf": {"lambdas": [0.3, 1, 3, 10, 30], "iterations": 300},
    "sparsemap": {"lambdas": [0.3, 1, 3, 10, 30], "iterations": 300},
    "hinge": {"lambdas": [0.3, 1, 3, 10, 30], "iterations": 50},
    "perceptron": {"lambdas": [], "iterations": 20},
}
QUICK_LAMBDAS = {"crf": [1], "sparsemap": [1], "hinge": [1], "perceptron": []}


def steps(quick):
    if quick:
        return [*_pairs("made_up", {omega: {"lambdas": QUICK_LAMBDAS[omega], "iterations": 40} for omega in OCR}),
                *_pairs("ocr", {"crf": {"lambdas": QUICK_LAMBDAS["crf"], "iterations": 60}}, corpora.OCR)]
    return [*(Step(f"conll_{omega}", training.chunking, {"omega": omega, **settings}, corpora.CONLL)
              for omega, settings in CHUNKING.items()),
            *_pairs("ocr", OCR, corpora.OCR)]


def _pairs(corpus, losses, needs=()):
    return [Step(f"{corpus}_{omega}", training.words_and_letters, {"corpus": corpus, "omega": omega, **settings}, needs)
            for omega, settings in losses.items()]


tagging = Experiment("tagging", steps, report, findings, draw)
