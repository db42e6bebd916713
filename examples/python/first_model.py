# SPDX-License-Identifier: Apache-2.0
"""The first hour: a CSV file in, a model, its file, predictions by name, and how good they are."""
from __future__ import annotations

import pathlib
import tempfile

import numpy as np
from fenchel.sklearn import FenchelYoungClassifier, load

KINDS = np.array(["birch", "oak", "willow"])


def write_leaves(path: pathlib.Path, first: int, count: int) -> None:
    """Leaves of three kinds of trees, with a header; the kind is the last column."""
    i = np.arange(first, first + count)
    length, width = 4 + 3 * (i % 3) + np.sin(1.7 * i), 4 - 1.2 * (i % 3) + np.cos(2.3 * i)
    rows = [f"{a},{b},{kind}" for a, b, kind in zip(length, width, KINDS[i % 3])]
    path.write_text("\n".join(["length,width,kind", *rows]) + "\n", encoding="utf-8")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part, first, count in (("train", 0, 150), ("test", 150, 60)):
            write_leaves(folder / f"{part}.csv", first, count)
        data = {part: np.genfromtxt(folder / f"{part}.csv", delimiter=",", names=True, dtype=None, encoding="utf-8")
                for part in ("train", "test")}
        x = {part: np.stack([rows["length"], rows["width"]], 1) for part, rows in data.items()}

        model = FenchelYoungClassifier("sparsemax", reg_lambda=0.01).fit(x["train"], data["train"]["kind"])
        model.save(folder / "leaves.safetensors")

        again = load(folder / "leaves.safetensors")
        found, shares = again.predict(x["test"]), again.predict_proba(x["test"])
        for i in range(3):
            print(f"row {i}: {found[i]}, with probability {shares[i].max():.2f}")
        accuracy = again.score(x["test"], data["test"]["kind"])
        print(f"accuracy {accuracy:.4g}")
        assert accuracy > 0.9


if __name__ == "__main__":
    main()
