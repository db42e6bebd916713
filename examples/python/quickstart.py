# SPDX-License-Identifier: Apache-2.0
"""Choose Ω; the prediction, the loss, its gradient and the rest follow."""
from __future__ import annotations

import fenchel
import numpy as np


def main() -> None:
    theta = np.array([[1.6, 1.1, 0.4, -2.0]])
    print(f"{'Ω':<26}{'ŷ(θ)':<34}{'loss, class 1':>14}{'margin':>8}")
    for omega in (fenchel.Shannon(), fenchel.Tsallis(alpha=1.5), fenchel.Tsallis(alpha=2), fenchel.Norm(q=np.inf)):
        prediction = fenchel.predict(theta, omega)[0]
        margin = fenchel.margin(omega, d=4)
        print(f"{omega!r:<26}{np.array2string(prediction, precision=3):<34}{fenchel.loss(theta, [1], omega)[0]:>14.4f}"
              f"{'none' if margin is None else format(margin, '.3g'):>8}")

    tree = fenchel.SparseMap(fenchel.Arborescence(3))
    scores = np.random.default_rng(0).normal(size=(3, 3))
    print("arcs of a soft dependency tree (head, modifier; the diagonal is the root):")
    print(fenchel.predict(scores, tree).round(3))


if __name__ == "__main__":
    main()
