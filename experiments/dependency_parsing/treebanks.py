# SPDX-License-Identifier: Apache-2.0
"""The treebanks, by language, and what the paper's table says of them."""
import dataclasses
from typing import Sequence

import fenchel

from .. import data


@dataclasses.dataclass(frozen=True)
class Source:
    """The files of a treebank. `remark` says why a score is not comparable with the paper's, or how far it is."""

    name: str
    files: Sequence[str]  # train, dev, test, as for data.path
    remark: str = ""

    def read(self):
        """The three parts as Treebanks."""
        return [fenchel.read_conllu(data.path(file)) for file in self.files]


SOURCES = {
    "vi": Source("Vietnamese-VTB r2.2", [f"ud/vi_vtb/vi_vtb-ud-{part}.conllu" for part in ("train", "dev", "test")],
                 "the paper's files"),
    "en": Source("English-EWT r2.16", ["ud/en_ewt/en_ewt-ud-train.conllu.gz", "ud/en_ewt/en_ewt-ud-dev.conllu",
                                       "ud/en_ewt/en_ewt-ud-test.conllu"], "a newer release than the paper's"),
    "zh": Source("Chinese-GSD r1.4", ["ud/zh_gsd_r1.4/zh-ud-train.conllu.gz", "ud/zh_gsd_r1.4/zh-ud-dev.conllu",
                                      "ud/zh_gsd_r1.4/zh-ud-test.conllu"], "not comparable: another release and scheme"),
    "ro": Source("Romanian-Nonstandard", ["ud/ro_nonstandard_part/ro_nonstandard-ud-train.pop.conllu.gz",
                                          "ud/ro_nonstandard_part/ro_nonstandard-ud-dev.conllu",
                                          "ud/ro_nonstandard_part/ro_nonstandard-ud-test.conllu"],
                 "not comparable: another treebank, trained on its folklore alone"),
    "ja": Source("Japanese-GSD r1.4", ["ud/ja_gsd_r1.4/ja-ud-train.conllu.gz", "ud/ja_gsd_r1.4/ja-ud-dev.conllu",
                                       "ud/ja_gsd_r1.4/ja-ud-test.conllu"], "not comparable: another release and units"),
}

#: Unlabelled attachment scores printed in the paper, Table 5; the last row is the baseline that it quotes.
PAPER = {
    "hinge": {"en": 87.02, "zh": 81.94, "vi": 69.42, "ro": 87.58, "ja": 96.24},
    "crf": {"en": 86.74, "zh": 83.18, "vi": 69.10, "ro": 87.13, "ja": 96.09},
    "sparsemap": {"en": 86.90, "zh": 84.03, "vi": 69.71, "ro": 87.35, "ja": 96.04},
    "udpipe": {"en": 87.68, "zh": 82.14, "vi": 69.63, "ro": 87.36, "ja": 95.94},
}
