# SPDX-License-Identifier: Apache-2.0
"""Structures in short, as integers: which tensors are that rather than vectors, and the short form of each example."""
from __future__ import annotations

from typing import Iterator, List

import numpy as np
from torch import Tensor

from .. import _core
from ._tensors import labels_memory

_SETS = {entry["name"]: entry for entry in _core.polytopes()}


def _form(structure: str) -> str:
    """What the short form of a batch looks like, such as "[batch, n], the heads of words"; nothing where it has none.

    All its rows have one length, further entries are padding; those of paths are −1.
    """
    axes, parameters = _SETS[structure]["short_axes"], [one["name"] for one in _SETS[structure]["parameters"]]
    varies = bool(axes) and axes[0] not in parameters
    if not _SETS[structure]["short_form"] or (varies and len(axes) == 1):
        return ""
    return f"[{', '.join(['batch', *axes])}], {_SETS[structure]['short_form']}{', −1 after their ends' if varies else ''}"


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
    if len(_SETS[structure]["short_axes"]) == 2:  # a path: as a vector it begins with 1, as cells with (0, 0)
        return y.shape[2] == 2 and bool((y[:, 0, 0] == 0).all())
    if _SETS[structure]["binary"]:
        return False
    ranks = bool(((y == 0) & kept.to(y.device)).any(1).all())  # no vector of (n, …, 1) has a 0
    if ranks and 0 in weights:
        raise ValueError("y are integers that may be ranks or entries of w, which has a 0; expected vectors of real "
                         "numbers, such as those of Permutahedron(w).encode")
    return ranks


def short_rows(structure: str, labels: Tensor, shape: tuple, sizes: List[List[int]]) -> Iterator[np.ndarray]:
    """The short form of each example, without padding."""
    form, axes = _form(structure), _SETS[structure]["short_axes"]
    if not form:
        raise ValueError(f"y has dtype {labels.dtype} and shape {tuple(labels.shape)}; structures of {structure} have no "
                         f"short form of one length: expected vectors of shape {shape}, such as those of "
                         "Polytope.encode")
    per_size = bool(axes) and axes[0] in _SETS[structure]["axes"]
    longest = max((size[0] for size in sizes), default=0) if per_size else 0
    fits = labels.dim() == 1 + len(axes) and labels.shape[0] == shape[0]
    if fits and len(axes) == 2:
        fits = labels.shape[2] == 2
    elif fits and per_size:
        fits = longest <= labels.shape[1] <= shape[1]
    if not fits:
        raise ValueError(f"y has shape {tuple(labels.shape)}; expected {form}, or vectors of shape {shape}, "
                         "such as those of Polytope.encode")
    for row, size in zip(labels_memory(labels), sizes):
        if len(axes) == 2:
            row = row[(row >= 0).all(1)]
        yield np.ascontiguousarray(row[:size[0]] if per_size else row).reshape(-1)
