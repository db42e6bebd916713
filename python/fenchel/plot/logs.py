# SPDX-License-Identifier: Apache-2.0
"""How training went: the lines that `fenchel train --log FILE` writes."""
from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Union

from ._common import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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


def training_log(*paths: Union[str, PathLike[str]], ax: Optional[Axes] = None, y: str = "gap",
                 x: str = "iteration") -> Axes:
    """One or several logs: `y` ("gap", "objective", "residual") over `x` ("iteration" or "seconds")."""
    ax = axes_or_new(ax)
    if not paths:
        raise ValueError("no log was given; expected the paths of one or more")
    for path in map(Path, paths):
        entries = [entry for entry in _read(path) if entry.get(y) is not None]
        if not entries or x not in entries[0]:
            raise ValueError(f"{path} has no {y!r} by {x!r}")
        ax.plot([entry[x] for entry in entries], [entry[y] for entry in entries], label=path.stem)
    ax.set(xlabel=x, ylabel=y, yscale="linear" if y == "objective" else "log")
    ax.legend(fontsize="small")
    return ax
