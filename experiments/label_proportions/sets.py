# SPDX-License-Identifier: Apache-2.0
"""The data sets of the table and how each is read, and the grids of the two protocols."""
import dataclasses
import pathlib
from typing import List, Sequence, Tuple

from .. import data, tool

PAPER_ALPHAS = [1 + k / 10 for k in range(11)]
ALL_LAMBDAS = [10.0 ** k for k in range(-4, 5)]
MIDDLE_LAMBDAS = [10.0 ** k for k in range(-2, 3)]
SHARE = 0.25  # of the training file, for validation
#: Enough for the third digit of the metrics.
SOLVER = ("--tolerance", "1e-4", "--max-iterations", "200")


@dataclasses.dataclass(frozen=True)
class Protocol:
    """What is tried on the validation part, by Jensen-Shannon divergence."""

    intercept: str
    alphas: Sequence[float]
    lambdas: Sequence[float]
    seeds: int  # each another validation part, a quarter of the training file
    refit: bool  # whether the chosen model is fitted again on all of the training file


@dataclasses.dataclass(frozen=True)
class LabelledSet:
    """Files under the folder of data sets. With one file only, a fifth of it is held out for the test."""

    name: str
    title: str
    kind: str
    train: str
    test: str = ""
    reading: Tuple[str, ...] = ()
    scale: str = "standard"
    paper: Protocol = Protocol("none", PAPER_ALPHAS, ALL_LAMBDAS, 5, False)
    ours: Protocol = Protocol("free", [1, 1.25, 1.5, 1.75, 2, 2.5, 3], ALL_LAMBDAS[1:-1], 5, True)

    @property
    def files(self) -> List[str]:
        return [name for name in (self.train, self.test) if name]

    def flags(self, protocol: Protocol) -> List[str]:
        """How its models are fitted."""
        return ["--intercept", protocol.intercept, "--scale", self.scale, *SOLVER]

    def prepared(self, folder: pathlib.Path) -> Tuple[pathlib.Path, pathlib.Path]:
        """The training and the test file, as caches where rows without a label have to be left out."""
        if self.train.endswith(".svm.gz"):
            return data.path(self.train), data.path(self.test)
        train, test = folder / f"{self.name}-train.cache", folder / f"{self.name}-test.cache"
        for command in self.preparation(train, test):
            tool.run(*command)
        return train, test

    def preparation(self, train, test):
        options = ["--labelled", *self.reading]
        if not self.test:
            return [["convert", data.path(self.train), *options, "--out", train, "--held-out", test, "--share", 0.2]]
        return [["convert", data.path(self.train), *options, "--out", train],
                ["convert", data.path(self.test), *options, "--out", test]]


def mulan(name, title, kind, **options):
    folder = f"mulan/{name}/{name}"
    return LabelledSet(options.pop("short", name), title, kind, f"{folder}-train.arff", f"{folder}-test.arff", **options)


def sparse(name, title, scale="none"):
    """Wide text: not standardised, since that would fill it up. A smaller grid."""
    folder = f"sparse_multilabel/{name}/{name}"
    alphas = [1, 1.5, 2]
    return LabelledSet(name, title, "Text", f"{folder}-train.svm.gz", f"{folder}-test.svm.gz", scale=scale,
                       paper=Protocol("none", alphas, MIDDLE_LAMBDAS, 1, False),
                       ours=Protocol("penalised", alphas, MIDDLE_LAMBDAS, 1, True))


PAPER_SETS = [
    mulan("birds", "Birds", "Audio", reading=("--nominal", "ordinal")),
    LabelledSet("cal500", "Cal500", "Music", "mulan/cal500/cal500.arff",
                ours=Protocol("free", [1, 1.5, 2, 3], MIDDLE_LAMBDAS, 5, True)),
    mulan("emotions", "Emotions", "Music"),
    mulan("scene", "Scene", "Images"),
    mulan("tmc2007-500", "TMC (500 words)", "Text", short="tmc",
          paper=Protocol("none", PAPER_ALPHAS, ALL_LAMBDAS, 1, False),
          ours=Protocol("free", [1, 1.25, 1.5, 1.75, 2], MIDDLE_LAMBDAS, 5, True)),
    mulan("yeast", "Yeast", "Micro-array"),
]
SPARSE_SETS = [sparse("rcv1sub1", "RCV1 (subset 1)"), sparse("yahoo_arts", "Yahoo Arts", "maxabs"),
               sparse("ng20", "20 Newsgroups")]
