# SPDX-License-Identifier: Apache-2.0
"""How training went: the lines that `fenchel train --log FILE` writes."""
from __future__ import annotations

import json
import math
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Union

import numpy as np

from ._common import axes_or_new, beside

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FEW = 30  # points that are marked, as there may be one alone
_FALLING = ("gap", "residual")  # geometrically, towards 0; all else has values of one size


def _read(path: Path) -> List[Dict[str, Any]]:
    entries = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                entry = json.loads(line)
                entry["iteration"], entry["seconds"]
            except (json.JSONDecodeError, KeyError, TypeError):
                raise ValueError(f"{path}:{number} is not a line of a training log; expected what `fenchel train --log` "
                                 "writes") from None
            entries.append(entry)
    if not entries:
        raise ValueError(f"{path} is empty; expected a line per iteration")
    return entries


def _column(path: Path, entries: List[Dict[str, Any]], name: str) -> List[float]:
    """Numbers of the entries; NaN where there was none to write."""
    values = [math.nan if entry.get(name) is None else entry[name] for entry in entries]
    if not all(isinstance(value, (int, float)) for value in values):
        raise ValueError(f"{name!r} of {path} is not a number in every line; expected a metric such as 'gap'")
    return [float(value) for value in values]


def _scale(ax: Axes, y: str) -> None:
    """Logarithmic for what falls towards 0; values that are no larger than 0 are shown below all others."""
    values = np.concatenate([np.asarray(line.get_ydata(), dtype=np.float64) for line in ax.lines])
    finite = values[np.isfinite(values)].tolist()
    positive = [value for value in finite if value > 0]
    if y not in _FALLING or not positive:
        ax.set_yscale("linear")
    elif len(positive) == len(finite):
        ax.set_yscale("log")
    else:
        ax.set_yscale("symlog", linthresh=10.0 ** math.floor(math.log10(min(positive))))


def training_log(*paths: Union[str, PathLike[str]], ax: Optional[Axes] = None, y: str = "gap",
                 x: str = "iteration") -> Axes:
    """One or several logs of training.

    The axis is logarithmic for "gap" and "residual", which fall towards 0, and linear for everything else, such as
    accuracies. Where a gap or residual is 0 or negative, as rounding may have it, the axis is linear below the
    smallest positive one, so that every value is seen.

    Parameters
    ----------
    *paths : str or path
        Files that ``fenchel train --log`` wrote.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes if it is left out.
    y : str
        "gap", "objective", "residual", "dual", or the metric of ``--valid`` such as "valid_accuracy".
    x : str
        "iteration" or "seconds".

    Returns
    -------
    matplotlib.axes.Axes
        `ax`, or the new axes.

    Examples
    --------
    >>> import fenchel.plot
    >>> ax = fenchel.plot.training_log("lbfgs.jsonl", "saga.jsonl", x="seconds")  # doctest: +SKIP

    See Also
    --------
    tuning_grid
    """
    from matplotlib.ticker import MaxNLocator

    if not paths:
        raise ValueError("no log was given; expected the paths of one or more")
    ax = axes_or_new(ax)
    files = [Path(path) for path in paths]
    stems = [path.stem for path in files]
    for path in files:
        every = _read(path)
        entries = [entry for entry in every if y in entry and x in entry]
        if all(entry[y] is None for entry in entries):
            raise ValueError(f"{path} has no {y!r} by {x!r}; its lines have {', '.join(every[-1])}")
        ax.plot(_column(path, entries, x), _column(path, entries, y), marker="." if len(entries) <= _FEW else "",
                label=path.stem if stems.count(path.stem) == 1 else str(path))
    ax.set(xlabel=x, ylabel=y)
    if x == "iteration":
        ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True, min_n_ticks=1))
    _scale(ax, y)
    beside(ax)
    return ax
