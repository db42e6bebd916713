# SPDX-License-Identifier: Apache-2.0
"""Structures in short, as integers: which tensors are that rather than vectors, and the short form of each example."""
from __future__ import annotations

from typing import Iterator, List

import numpy as np
from torch import Tensor

from ._tensors import labels_memory

# What the short form of a batch looks like; all its rows have one length, further entries are padding.
FORMS = {"alignment": "[batch, steps, 2], the cells of paths, −1 after their ends",
         "arborescence": "[batch, n], the heads of words", "birkhoff": "[batch, n], the columns of rows",
         "k_subsets": "[batch, k], the entries that are chosen", "permutahedron": "[batch, d], ranks from 0",
         "projective_tree": "[batch, n], the heads of words", "sequence": "[batch, n], tags",
         "simplex": "[batch], classes"}
_AXES = {"alignment": 3, "simplex": 1}


def is_short(structure: str, y: Tensor, kept: Tensor, weights: List[float]) -> bool:
    """Whether integers y are structures in short. `kept` has the shape of the scores and is false in the padding.

    `weights` are those that were given for rankings.
    """
    if y.is_floating_point():
        return False
    if y.shape != kept.shape:
        return True
    if y.numel() == 0:
        return False
    if structure == "alignment":  # a path has its first cell: as a vector it begins with 1, as cells with (0, 0)
        return y.shape[2] == 2 and bool((y[:, 0, 0] == 0).all())
    if structure != "permutahedron":
        return False
    ranks = bool(((y == 0) & kept.to(y.device)).any(1).all())  # no vector of (n, …, 1) has a 0
    if ranks and 0 in weights:
        raise ValueError("y are integers that may be ranks or entries of w, which has a 0; expected vectors of real "
                         "numbers, such as those of Permutahedron(w).encode")
    return ranks


def short_rows(structure: str, labels: Tensor, shape: tuple, sizes: List[List[int]]) -> Iterator[np.ndarray]:
    """The short form of each example, without padding."""
    if structure not in FORMS:
        raise ValueError(f"y has dtype {labels.dtype} and shape {tuple(labels.shape)}; structures of {structure} have no "
                         f"short form of one length: expected vectors of shape {shape}, such as those of "
                         "Polytope.encode")
    per_size = structure not in ("alignment", "k_subsets", "simplex")
    longest = max((size[0] for size in sizes), default=0) if per_size else 0
    fits = labels.dim() == _AXES.get(structure, 2) and labels.shape[0] == shape[0]
    if fits and structure == "alignment":
        fits = labels.shape[2] == 2
    elif fits and per_size:
        fits = longest <= labels.shape[1] <= shape[1]
    if not fits:
        raise ValueError(f"y has shape {tuple(labels.shape)}; expected {FORMS[structure]}, or vectors of shape {shape}, "
                         "such as those of Polytope.encode")
    for row, size in zip(labels_memory(labels), sizes):
        if structure == "alignment":
            row = row[(row >= 0).all(1)]
        yield np.ascontiguousarray(row[:size[0]] if per_size else row).reshape(-1)
