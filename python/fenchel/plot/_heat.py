# SPDX-License-Identifier: Apache-2.0
"""Matrices as heat maps, with names of rows and columns, numbers in the fields, and color bars."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy as np

from ._fitted import Names, Numbers
from ._layout import keep_inside

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_NUMBERS = 900  # in a heat map: more cannot be read


def color_bar(ax: Axes, shown: Any, label: str = "") -> Any:
    """A color bar to the right of the axes that moves with them."""
    from matplotlib.ticker import MaxNLocator

    return ax.figure.colorbar(shown, cax=ax.inset_axes((1.04, 0.1, 0.05, 0.8)), label=label, ticks=MaxNLocator(5))


def ink(image: Any, values: np.ndarray) -> list:
    """Black or white for each value: what can be read on its color."""
    colors = image.cmap(image.norm(np.asarray(values, dtype=np.float64)))
    return ["white" if light < 0.5 else "black" for light in (colors[..., :3] @ [0.299, 0.587, 0.114]).ravel()]


def heat_map(ax: Axes, values: np.ndarray, *, rows: Optional[Sequence[Any]] = None, columns: Optional[Sequence[Any]] = None,
             texts: Optional[Sequence[str]] = None, keeper: Optional[Axes] = None, **options: Any) -> Any:
    """A matrix as an image; `texts` are one for each entry, row by row. `keeper` are the axes that these belong to.

    Without names, rows and columns are counted from 0.
    """
    from matplotlib.ticker import MaxNLocator

    image = ax.imshow(values, interpolation="nearest", **options)
    ax.grid(False)
    for axis, names in ((ax.xaxis, columns), (ax.yaxis, rows)):
        if names is None:
            axis.set_major_locator(MaxNLocator("auto", integer=True, min_n_ticks=1))
    adjust: list = [Names(ax, columns, rows)] if rows is not None or columns is not None else []
    if texts is not None and values.size <= _MOST_NUMBERS:
        places = [(column, row) for row in range(values.shape[0]) for column in range(values.shape[1])]
        written = [ax.text(*place, text, ha="center", va="center", color=color, fontsize="medium")
                   for place, text, color in zip(places, texts, ink(image, values))]
        adjust.append(Numbers(ax, written, [(x - 0.5, y - 0.5, x + 0.5, y + 0.5) for x, y in places]))
    keep_inside(ax if keeper is None else keeper, *adjust)
    return image
