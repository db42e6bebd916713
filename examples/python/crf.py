# SPDX-License-Identifier: Apache-2.0
"""A conditional random field, SparseMAP and the structured hinge as taggers of the same sentences.

All three find the best sequence of labels; the first gives every sequence some probability, SparseMAP names the few that
are left.
"""
from __future__ import annotations

from typing import Dict, List, Tuple

import numpy as np
from fenchel.sklearn import SequenceTagger

WORDS = {
    "D": "the a this every".split(),
    "N": "plane time cook run walk record light saw".split(),
    "V": "time cook run walk record light saw find".split(),
    "A": "light long good old".split(),
}
FOLLOWS = {"": "DNA", "D": "NNA", "A": "NNA", "N": "VVN", "V": "DDAN"}


def sentences(count: int, seed: int) -> Tuple[List[List[Dict[str, str]]], List[List[str]]]:
    """Words with attributes and their tags: many words have two tags, which only the neighbours tell apart."""
    random = np.random.default_rng(seed)
    x, y = [], []
    for _ in range(count):
        tags: List[str] = []
        for _ in range(random.integers(4, 9)):
            tags.append(str(random.choice(list(FOLLOWS[tags[-1] if tags else ""]))))
        words = [str(random.choice(WORDS[tag])) for tag in tags]
        x.append([{"word": word, "ending": word[-2:]} for word in words])
        y.append(tags)
    return x, y


def main() -> None:
    x, y = sentences(150, seed=1)
    x_test, y_test = sentences(300, seed=2)
    print(f"{'Ω':<12}{'tokens right':>13}{'iterations':>12}")
    for omega in ("crf", "sparsemap", "hinge"):
        tagger = SequenceTagger(omega, reg_lambda=0.5, tol=1e-3).fit(x, y)
        print(f"{omega:<12}{tagger.score(x_test, y_test):>13.3f}{tagger.n_iter_:>12}")
    crf = SequenceTagger("crf", reg_lambda=0.5).fit(x, y)
    sentence = [{"word": word, "ending": word[-2:]} for word in "the cook time light record".split()]
    print("the cook time light record:")
    for tags, probability in crf.k_best([sentence], 3)[0]:
        print(f"  {' '.join(tags)}  {probability:.3f}")


if __name__ == "__main__":
    main()
