# SPDX-License-Identifier: Apache-2.0
"""Targets that are rows of numbers."""
from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np
from scipy.sparse import issparse

from ._features import check_sparse

_SETS = (list, tuple, set, frozenset)


def column_names(y: Any) -> Optional[np.ndarray]:
    """The names of the columns of a data frame; None for anything else."""
    return np.asarray(y.columns) if hasattr(y, "columns") else None


def listed(y: Any) -> Optional[list]:
    """The rows of a list, a series or an array of objects that are themselves lists, sets or arrays; None where y is
    anything else. Rows of an array of texts are such rows as well."""
    kind = getattr(getattr(y, "dtype", None), "kind", "")
    if isinstance(y, np.ndarray) and kind == "U" and y.ndim == 2:
        return y.tolist()
    rows = y.tolist() if kind == "O" and np.ndim(y) == 1 and hasattr(y, "tolist") else y
    if not isinstance(rows, (list, tuple)) or not all(isinstance(row, (*_SETS, np.ndarray)) for row in rows):
        return None
    return [row.tolist() if isinstance(row, np.ndarray) else row for row in rows]


def sets_of_names(y: Any, classes: Optional[np.ndarray] = None) -> Optional[tuple[np.ndarray, np.ndarray]]:
    """The labels of sets ([["a"], ["a", "b"], []], [{1}, {1, 3}]) and their indicators; None where y is anything else.

    Numbers in lists are labels where the lists differ in length, else indicators. `classes`: those that are known;
    the others follow them.
    """
    rows = listed(y)
    if rows is None:
        return None
    entries = [entry for row in rows for entry in row]
    kinds = (str,) if any(isinstance(entry, str) for entry in entries) else (int, np.integer)
    sets = kinds == (str,) or any(isinstance(row, (set, frozenset)) for row in rows) or len({len(row) for row in rows}) > 1
    if not entries or not sets:
        return None
    for i, row in enumerate(rows):
        for entry in row:
            if not isinstance(entry, kinds):
                expected = "names alone" if kinds == (str,) else "labels that are names or whole numbers"
                raise ValueError(f"y[{i}] has {entry!r} among its labels; expected {expected}")
    known = [] if classes is None else classes.tolist()
    names = known + sorted(set(entries) - set(known))
    place = {name: k for k, name in enumerate(names)}
    indicators = np.zeros((len(rows), len(names)))
    for i, row in enumerate(rows):
        indicators[i, [place[entry] for entry in row]] = 1
    return np.array(names), indicators


def refuse_sets(y: Any) -> None:
    """ValueError where the first entry of a list that is itself a list or a set has other than one label."""
    for i, row in enumerate(y if isinstance(y, (list, tuple)) else ()):
        if isinstance(row, _SETS) and len(row) != 1:
            raise ValueError(f"y[{i}] is {row!r}; expected a class for each row: FenchelYoungMultilabel learns sets of labels")


def warn_of_lists(classes: np.ndarray) -> None:
    """UserWarning where names of labels look like sets of them: "a,b" beside "a"."""
    names = {str(name) for name in classes}
    for mark in ",;|":
        for name in sorted(names):
            parts = [part.strip() for part in name.split(mark)]
            if len(parts) > 1 and names & set(parts):
                warnings.warn(f"y has the label {name!r}, which is taken for one; sets are lists of names, such as {parts!r}",
                              UserWarning, stacklevel=3)
                return


def order_of(text: str) -> list[list[str]]:
    """The groups of tied labels of an order such as "b>a=c" or "b>{a,c}", the best first."""
    groups = [_tied(group.strip()) for group in text.replace("≻", ">").replace(">>", ">").split(">")]
    if not all(label for group in groups for label in group):
        raise ValueError(f"the order {text!r} has an empty label; expected labels between > and =")
    return groups


def _tied(group: str) -> list[str]:
    if _is_bracketed(group):
        marks = r"[,;=~∼≈]" if re.search(r"[,;=~∼≈]", group) else r"\s"
        return [label.strip() for label in re.split(marks, group[1:-1]) if label.strip()] or [""]
    return [label.strip() for label in re.split("[=~∼≈]", group)]


def _is_bracketed(text: str) -> bool:
    """Whether the bracket that a text begins with closes at its end: {a (raw),b}, but not (a)=(b)."""
    closing, opened = {"{": "}", "[": "]", "(": ")"}, ""
    for place, letter in enumerate(text):
        if letter in closing:
            opened += closing[letter]
        elif opened.endswith(letter):
            opened = opened[:-1]
        if not opened:
            return place > 0 and place == len(text) - 1
    return False


def orders_of(texts: Sequence[str]) -> list[list[list[str]]]:
    """Orders as in `order_of`. Where labels are single letters, words are groups of tied ones: "b>acd"."""
    if not any(">" in text or "≻" in text for text in texts):
        raise ValueError(f"y[0] is {texts[0]!r}; expected orders such as 'a>b=c', the best label first")
    orders = [order_of(text) for text in texts]
    words = {label for order in orders for group in order for label in group}
    letters = ["".join(label for group in order for label in group) for order in orders]
    grouped = min(map(len, words)) == 1 < max(map(len, words)) and all(
        len(set(row)) == len(row) and row.isascii() and row.isalpha() and (row.islower() or row.isupper()) for row in letters)
    return [[list("".join(group)) for group in order] for order in orders] if grouped else orders


def listed_orders(y: Any) -> list[list[list]]:
    """Orders as lists of labels, the best first, where a list or a set in a list holds tied ones: ["b", ["a", "c"]]."""
    orders = []
    for i, row in enumerate(y):
        if not isinstance(row, (*_SETS, np.ndarray)):
            raise ValueError(f"y[{i}] is {row!r}; expected a list of labels, the best first, such as ['b', ['a', 'c']]")
        row = row.tolist() if isinstance(row, np.ndarray) else row
        orders.append([list(entry) if isinstance(entry, _SETS) else [entry] for entry in row])
    labels = [(i, label) for i, order in enumerate(orders) for group in order for label in group]
    for i, label in labels:
        if isinstance(label, str) != isinstance(labels[0][1], str):
            raise ValueError(f"y[{i}] has the label {label!r} and y[0] {labels[0][1]!r}; expected labels of one kind")
    return orders


def require_targets(y: Any) -> None:
    """ValueError for the first entry of a list or an array of objects that is no target: None, NaN."""
    objects = getattr(getattr(y, "dtype", None), "kind", "") == "O" and hasattr(y, "tolist")
    entries = y if isinstance(y, (list, tuple)) else y.tolist() if objects else ()
    for i, entry in enumerate(entries):
        if entry is None or (isinstance(entry, float) and entry != entry):
            raise ValueError(f"y[{i}] is {entry}; expected a target in every row. Input y contains NaN.")


def matrix(name: str, y: Any) -> np.ndarray:
    """A C-contiguous float64 matrix without NaN and infinities."""
    if issparse(y):
        check_sparse(name, y)
        y = y.toarray()
    try:
        rows = np.ascontiguousarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} is not a matrix of numbers: {error}") from None
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise ValueError(f"{name} has shape {rows.shape}; expected a matrix, one row per example")
    wrong = np.argwhere(~np.isfinite(rows))
    if len(wrong):
        i, k = wrong[0]
        raise ValueError(f"{name}[{i}, {k}] is {rows[i, k]}; Input {name} contains NaN or infinity")
    return rows
