# SPDX-License-Identifier: Apache-2.0
"""Learning from label proportions (paper §9.1): targets are the shares of topics in a document, most of them 0.

Between the logistic loss (α = 1) and the sparsemax loss (α = 2), α is chosen on held-out documents.
"""
from __future__ import annotations

from typing import Tuple

import numpy as np
from fenchel.sklearn import FenchelYoungProportions


def documents(count: int, seed: int, classes: int = 8, words: int = 60) -> Tuple[np.ndarray, np.ndarray]:
    """Counts of words in documents about one to three of the topics, and the topics' shares."""
    topics = np.random.default_rng(0).dirichlet(np.full(words, 0.15), size=classes)
    random = np.random.default_rng(seed)
    shares = np.zeros((count, classes))
    for row in shares:
        chosen = random.choice(classes, random.integers(1, 4), replace=False)
        row[chosen] = random.dirichlet(np.ones(chosen.size))
    counts = np.array([random.multinomial(80, row @ topics) for row in shares])
    return counts.astype(np.float64), shares


def js(p: np.ndarray, q: np.ndarray) -> float:
    """The mean Jensen-Shannon divergence of rows."""
    def half(a: np.ndarray) -> np.ndarray:
        ratio = np.divide(2 * a, p + q, out=np.ones_like(a), where=a > 0)
        return (a * np.log(ratio)).sum(axis=1)

    return float((0.5 * half(p) + 0.5 * half(q)).mean())


def main() -> None:
    x, y = documents(500, seed=1)
    x_valid, y_valid = documents(250, seed=2)
    x_test, y_test = documents(500, seed=3)
    print(f"{'α':<6}{'best λ':>8}{'JS, held out':>14}{'JS, test':>10}{'topics > 0':>12}")
    for alpha in (1.0, 1.25, 1.5, 1.75, 2.0):
        models = [FenchelYoungProportions(f"tsallis:alpha={alpha}", reg_lambda=strength, scale="standard").fit(x, y)
                  for strength in (0.1, 1.0, 10.0, 100.0)]
        best = min(models, key=lambda model: js(model.predict_proba(x_valid), y_valid))
        predicted = best.predict_proba(x_test)
        print(f"{alpha:<6}{best.reg_lambda:>8}{js(best.predict_proba(x_valid), y_valid):>14.4f}"
              f"{js(predicted, y_test):>10.4f}{(predicted > 0).sum(axis=1).mean():>12.2f}")
    print(f"true topics per document: {(y_test > 0).sum(axis=1).mean():.2f}")


if __name__ == "__main__":
    main()
