# SPDX-License-Identifier: Apache-2.0
"""Names at ticks and numbers in fields, which are as large as they can be where a figure is drawn."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple

from ._space import space_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.text import Text

SMALLEST = 4.0  # points of a text that can still be read
_LONGEST = 0.25  # of the space of the axes that a name takes
_KEPT = 12  # characters of a name that are never cut


class Names:
    """Names at the ticks of axes: level, aslant or upright, and as large as they can be without touching each other.

    Where they would be too small to be read, only some are there, at equal distances. Long ones are cut.
    """

    def __init__(self, of: Axes, x: Optional[Sequence[Any]] = None, y: Optional[Sequence[Any]] = None):
        self.of = of
        self.x, self.y = (None if names is None else _Ticks(axis, [str(name) for name in names])
                          for axis, names in ((of.xaxis, x), (of.yaxis, y)))
        self.size = float((of.get_xticklabels() or of.get_yticklabels())[0].get_fontsize())

    def __call__(self, ax: Axes, renderer: Any) -> None:
        space = space_of(ax)
        if self.x is not None:
            self._turn(self.x, self._step(0), _LONGEST * space.height, renderer)
        if self.y is not None:
            extents = self.y.extents(self.size, renderer)
            self.y.show(self.size, self._step(1), max(height for _, height in extents), _LONGEST * space.width, extents)

    def _step(self, axis: int) -> float:
        """Pixels from one name to the next."""
        ends = self.of.transData.transform([(0, 0), (1, 1)])
        return float(abs(ends[1] - ends[0])[axis])

    def _turn(self, ticks: _Ticks, step: float, longest: float, renderer: Any) -> None:
        extents = ticks.extents(self.size, renderer)
        height = max(height for _, height in extents)
        level = max(width for width, _ in extents) + height / 2 <= step
        slant = 0 if level else 45 if height * 1.6 <= step else 90
        for label in ticks.labels():
            label.set(rotation=slant, ha="right" if slant == 45 else "center")
            label.set_rotation_mode("anchor" if slant == 45 else "default")
        ticks.show(self.size, math.inf if level else step, height,
                   math.inf if level else longest * (math.sqrt(2) if slant == 45 else 1), extents)


class _Ticks:
    """The names along one axis."""

    def __init__(self, axis: Axis, names: List[str]):
        self.axis, self.names = axis, names
        self._set(names)

    def _set(self, texts: List[str]) -> None:
        self.axis.set_ticks(range(len(texts)), texts)
        self._texts, self._formatter = texts, self.axis.get_major_formatter()

    def labels(self) -> List[Text]:
        return self.axis.get_ticklabels()

    def extents(self, size: float, renderer: Any) -> List[Tuple[float, float]]:
        """The width and the height in pixels that each name has as a level text of this size."""
        font = self.labels()[0].get_fontproperties().copy()
        font.set_size(size)
        return [renderer.get_text_width_height_descent(name or " ", font, ismath=False)[:2] for name in self.names]

    def show(self, size: float, step: float, height: float, longest: float, extents: List[Tuple[float, float]]) -> None:
        """Names of a height (at this size) with `step` pixels between them, none of them longer than `longest`."""
        fitted = size * min(1.0, step / height)
        every = 1
        if fitted < (least := min(SMALLEST, size)):
            fitted, every = least, math.ceil(least / fitted)
        for label in self.labels():
            label.set_fontsize(fitted)
        if self.axis.get_major_formatter() is not self._formatter:  # the caller has put other names there
            return
        longest *= size / fitted
        texts = [_cut(name, longest / width) if i % every == 0 else ""
                 for i, (name, (width, _)) in enumerate(zip(self.names, extents))]
        if texts != self._texts:
            self._set(texts)


def _cut(name: str, share: float) -> str:
    """The beginning of a name, of which there is room for this share."""
    kept = max(int(share * len(name)) - 1, _KEPT) if share < 1 else len(name)
    return name if len(name) <= kept + 1 else name[:kept].rstrip() + "…"


class Numbers:
    """Texts in fields of axes, as large as they can be in them; none where they could not be read.

    A field is given by the data coordinates of two corners.
    """

    def __init__(self, of: Axes, texts: Sequence[Text], fields: Sequence[Tuple[float, float, float, float]]):
        self.of, self.texts, self.fields = of, list(texts), list(fields)
        self.size = max((float(text.get_fontsize()) for text in texts), default=0.0)

    def __call__(self, ax: Axes, renderer: Any) -> None:
        factor = 1.0
        for text, (x0, y0, x1, y1) in zip(self.texts, self.fields):
            text.set(visible=True, fontsize=self.size)
            (left, bottom), (right, top) = self.of.transData.transform([(x0, y0), (x1, y1)])
            extent = text.get_window_extent(renderer)
            factor = min(factor, 0.85 * abs(right - left) / max(extent.width, 1), 0.9 * abs(top - bottom) / max(extent.height, 1))
        for text in self.texts:
            text.set(visible=self.size * factor >= SMALLEST, fontsize=max(self.size * factor, 1.0))
