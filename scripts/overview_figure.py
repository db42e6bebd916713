#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/overview.svg, the README's picture, with the package and matplotlib: .venv/bin/python scripts/overview_figure.py."""
import pathlib
import sys

import fenchel
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from experiments.figures import figure  # noqa: E402

OMEGAS = {"softmax": fenchel.Tsallis(1), "1.5-entmax": fenchel.Tsallis(1.5), "sparsemax": fenchel.Tsallis(2)}
SCORES = np.array([1.6, 1.1, 0.5, -0.4, -1.5])


def main():
    with figure(ROOT / "docs", "overview", 1, 3, size=(3.9, 2.7)) as (_, (bars, curves, losses)):
        difference = np.linspace(-4, 4, 401)
        pairs = np.stack([difference, np.zeros_like(difference)], axis=1)
        for i, (name, omega) in enumerate(OMEGAS.items()):
            bars.bar(np.arange(len(SCORES)) + 0.27 * (i - 1), fenchel.predict(SCORES, omega), 0.25, label=name)
            curves.plot(difference, fenchel.predict(pairs, omega)[:, 0], label=name)
            losses.plot(difference, fenchel.loss(pairs, np.zeros(len(pairs), dtype=int), omega), label=name)
        bars.set(title="predictions ŷ(θ)", xlabel="scores θ of five classes", xticks=range(len(SCORES)),
                 xticklabels=[f"{score:g}".replace("-", "−") for score in SCORES])
        curves.set(title="predictions for two classes", xlabel="θ₁ − θ₂", ylabel="ŷ₁")
        losses.set(title="losses when the first is right", xlabel="θ₁ − θ₂", ylabel="L(θ; e₁)")
        bars.legend()


if __name__ == "__main__":
    main()
