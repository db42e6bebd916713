# SPDX-License-Identifier: Apache-2.0
"""The treebanks, by language, and what the paper's table says of them."""
import dataclasses
from typing import Sequence

import fenchel

from .. import data


@dataclasses.dataclass(frozen=True)
class Source:
    """The files of a treebank, and how they relate to the paper's; `other` ones have scores that are not comparable."""

    name: str
    files: Sequence[str]  # train, dev, test, as for data.path
    remark: str
    other: bool = False

    def read(self):
        """The three parts as Treebanks."""
        return [fenchel.read_conllu(data.path(file)) for file in self.files]


def _files(folder, prefix, train="train.conllu.gz"):
    return [f"ud/{folder}/{prefix}-ud-{part}" for part in (train, "dev.conllu", "test.conllu")]


SOURCES = {
    "vi": Source("Vietnamese-VTB r2.2", _files("vi_vtb", "vi_vtb", "train.conllu"), "the paper's files"),
    "en": Source("English-EWT r2.16", _files("en_ewt", "en_ewt"), "a newer release than the paper's, with a reduced budget"),
    "zh": Source("Chinese-GSD r1.4", _files("zh_gsd_r1.4", "zh"), "another release and scheme than the paper's", True),
    "ro": Source("Romanian-Nonstandard", _files("ro_nonstandard_part", "ro_nonstandard", "train.pop.conllu.gz"),
                 "another treebank than the paper's, trained on its folklore alone", True),
    "ja": Source("Japanese-GSD r1.4", _files("ja_gsd_r1.4", "ja"), "another release and other units than the paper's", True),
}

#: Unlabelled attachment scores printed in the paper, Table 5; the last row is the baseline that it quotes.
PAPER = {
    "hinge": {"en": 87.02, "zh": 81.94, "vi": 69.42, "ro": 87.58, "ja": 96.24},
    "crf": {"en": 86.74, "zh": 83.18, "vi": 69.10, "ro": 87.13, "ja": 96.09},
    "sparsemap": {"en": 86.90, "zh": 84.03, "vi": 69.71, "ro": 87.35, "ja": 96.04},
    "udpipe": {"en": 87.68, "zh": 82.14, "vi": 69.63, "ro": 87.36, "ja": 95.94},
}
