# SPDX-License-Identifier: Apache-2.0
"""Names at ticks and numbers in fields, which are as large as they can be where a figure is drawn."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Sequence, Tuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

SMALLEST = 4.0  # points of a text that can still be read


class Names:
    """Names at the ticks of axes: level, aslant or upright, and as large as they can be without touching each other."""

    def __init__(self, of: Axes, x: Optional[Sequence[Any]] = None, y: Optional[Sequence[Any]] = None):
        self.of = of
        for axis, names in ((of.xaxis, x), (of.yaxis, y)):
            if names is not None:
                axis.set_ticks(range(len(names)), [str(name) for name in names])
        self.size = float((of.get_xticklabels() or of.get_yticklabels())[0].get_fontsize())
        self.x, self.y = x is not None, y is not None

    def __call__(self, ax: Axes, renderer: Any) -> None:
        if self.x:
            labels = self.of.get_xticklabels()
            self._turn(labels, self._step(0), renderer)
        if self.y:
            labels = self.of.get_yticklabels()
            for label in labels:
                label.set_fontsize(self.size)
            tallest = max(label.get_window_extent(renderer).height for label in labels)
            self._resize(labels, self._step(1), tallest)

    def _step(self, axis: int) -> float:
        """Pixels from one name to the next."""
        ends = self.of.transData.transform([(0, 0), (1, 1)])
        return float(abs(ends[1] - ends[0])[axis])

    def _turn(self, labels: Sequence[Text], step: float, renderer: Any) -> None:
        for label in labels:
            label.set(rotation=0, ha="center", rotation_mode="default", fontsize=self.size)
        extents = [label.get_window_extent(renderer) for label in labels]
        height = max(extent.height for extent in extents)
        if max(extent.width for extent in extents) + height / 2 <= step:
            return
        slant = 45 if height * 1.6 <= step else 90
        for label in labels:
            label.set(rotation=slant, ha="right" if slant == 45 else "center")
            label.set_rotation_mode("anchor" if slant == 45 else "default")
        self._resize(labels, step, height)

    def _resize(self, labels: Sequence[Text], step: float, height: float) -> None:
        for label in labels:
            label.set_fontsize(max(self.size * min(1.0, step / height), 1.0))


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
