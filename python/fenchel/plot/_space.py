# SPDX-License-Identifier: Apache-2.0
"""The part of a figure that axes and what belongs to them may take."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.transforms import Bbox

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GAP = 2 / 72  # inches to the border of the space


def _between(spec: Any, figure: Any, outer: Bbox) -> Bbox:
    """The part of a grid that one of its fields has: up to the middle of the gaps to its neighbours."""
    bottoms, tops, lefts, rights = spec.get_gridspec().get_grid_positions(figure)
    rows, columns = spec.rowspan, spec.colspan
    return Bbox.from_extents(
        outer.x0 if columns.start == 0 else (rights[columns.start - 1] + lefts[columns.start]) / 2,
        outer.y0 if rows.stop == len(tops) else (bottoms[rows.stop - 1] + tops[rows.stop]) / 2,
        outer.x1 if columns.stop == len(lefts) else (rights[columns.stop - 1] + lefts[columns.stop]) / 2,
        outer.y1 if rows.start == 0 else (bottoms[rows.start - 1] + tops[rows.start]) / 2)


def space_of(ax: Axes) -> Bbox:
    """The part of the figure that is for these axes and what belongs to them, in pixels."""
    figure, space, spec = ax.figure, Bbox.unit(), ax.get_subplotspec()
    if spec is not None:
        whole = spec.get_topmost_subplotspec()
        space = _between(whole, figure, space)
        space = space if whole is spec else _between(spec, figure, space)
        place = ax.get_position(original=True)
        if not (space.x0 <= place.x0 and place.x1 <= space.x1 and space.y0 <= place.y0 and place.y1 <= space.y1):
            space = Bbox.unit()  # they were moved elsewhere
    return space.transformed(figure.transSubfigure).padded(-_GAP * figure.dpi)
