# SPDX-License-Identifier: Apache-2.0
"""Keeps what belongs to axes inside of the figure: titles, labels, legends and color bars.

How large texts are is known when a figure is drawn, and matplotlib then asks axes where they lie. The answer given here leaves
room for all that is around them, so that it does not matter whether the figure has a layout engine or how it is saved.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, List, Optional, Sequence

from matplotlib.layout_engine import PlaceHolderLayoutEngine
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Bbox

from ._fitted import SMALLEST, Names, Numbers
from ._space import space_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROUNDS = 40  # at most: each halves what is left to do at least, or makes texts smaller
_LEAST = 0.3  # of the width and height of their space that axes keep: less, and texts become smaller
_WIDEST_LEGEND = 0.45  # of the space of the axes
_LEGEND_GAP = 0.08  # inches to the left of it

Adjust = Callable[["Axes", Any], None]


def _shrink(texts: Sequence[Text], factor: float) -> None:
    for text in texts if factor < 1 else ():
        size = float(text.get_fontsize())
        text.set_fontsize(max(size * factor, min(SMALLEST, size)))


def _shorten(ax: Axes, renderer: Any) -> None:
    """Titles and labels are no longer than there is room, and numbers at ticks do not touch each other."""
    space = space_of(ax)
    for one in (ax, *ax.child_axes):
        room = ((one.title, space.width), (one.xaxis.label, space.width))
        for text, width in room:
            if text.get_text():
                _shrink([text], width / text.get_window_extent(renderer).width)
        if one.yaxis.label.get_text():  # another one may be above or below it
            _shrink([one.yaxis.label], max(one.bbox.height, 1) / one.yaxis.label.get_window_extent(renderer).height)
        for axis, begin, end in ((one.xaxis, 0, 2), (one.yaxis, 1, 3)):
            labels = _level_labels(axis) if one.axison else []
            extents = sorted((label.get_window_extent(renderer).extents for label in labels), key=lambda extent: extent[begin])
            factors = [(after[begin] + after[end] - before[begin] - before[end]) / 2 /
                       ((after[end] - after[begin] + before[end] - before[begin]) / 2 + 2)
                       for before, after in zip(extents, extents[1:])]
            if min(factors, default=1.0) < 1:
                size = float(labels[0].get_fontsize()) * max(min(factors), 0.1)
                axis.set_tick_params(labelsize=max(size, SMALLEST))
                locator = axis.get_major_locator()
                if size < SMALLEST and isinstance(locator, MaxNLocator):  # fewer of them
                    locator.set_params(nbins=max(int((len(labels) - 1) * size / SMALLEST), 1))


def _level_labels(axis: Any) -> List[Text]:
    """Those at the ticks that are seen, unless they are turned."""
    low, high = sorted(axis.get_view_interval())
    return [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high and tick.label1.get_visible()
            and tick.label1.get_text() and tick.label1.get_rotation() == 0]


class Beside:
    """A legend to the right of its axes and of all that belongs to them, which leaves room for what it explains.

    Below them, if it is wide and there is no axis.
    """

    def __init__(self, ax: Axes, title: Optional[str] = None):
        self.legend = ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), borderaxespad=0, fontsize="small", title=title,
                                title_fontsize="small")
        self.below: Optional[bool] = None

    def __call__(self, ax: Axes, renderer: Any) -> None:
        legend = ax.get_legend()
        if legend is None or legend is not self.legend:  # the caller has another one
            return
        space, extent = space_of(ax), legend.get_window_extent(renderer)
        if self.below is None:
            self.below = not ax.axison and extent.width > _WIDEST_LEGEND * space.width
            legend.set_loc("upper center" if self.below else "center left")
        widest, tallest = (1.0, _WIDEST_LEGEND) if self.below else (_WIDEST_LEGEND, 1.0)
        _shrink([*legend.get_texts(), legend.get_title()], min(widest * space.width / extent.width,
                                                               tallest * space.height / extent.height))
        parts = [part.get_tightbbox(renderer) for part in (*(text for text in ax.texts if text.get_text()), *ax.child_axes)]
        around = Bbox.union([ax.bbox, *(part for part in parts if part is not None)])
        gap = _LEGEND_GAP * ax.figure.dpi
        anchor = ((ax.bbox.x0 + ax.bbox.x1) / 2, around.y0 - gap) if self.below else (around.x1 + gap, sum(ax.bbox.intervaly) / 2)
        x, y = ax.transAxes.inverted().transform(anchor).tolist()
        legend.set_bbox_to_anchor((x, y), ax.transAxes)


class SameTitles:
    """Titles of axes side by side are of one size, at which each has the room that it needs."""

    def __init__(self, axes: Sequence[Axes]):
        self.axes = list(axes)

    def __call__(self, ax: Axes, renderer: Any) -> None:
        sizes = [float(one.title.get_fontsize()) * min(space_of(one).width / one.title.get_window_extent(renderer).width, 1.0)
                 for one in self.axes if one.title.get_text()]
        for one in self.axes:
            one.title.set_fontsize(max(min(sizes, default=SMALLEST), SMALLEST))


class Keeper:
    """Where axes lie when they are drawn: so that all that belongs to them is inside of their part of the figure."""

    def __init__(self, ax: Axes):
        self.ax = ax
        self.adjust: List[Adjust] = [_shorten]
        self._tried: Optional[Bbox] = None

    def get_subplotspec(self) -> Any:
        """What tight_layout asks for."""
        return self.ax.get_subplotspec()

    def __call__(self, ax: Axes, renderer: Any) -> Bbox:
        if self._tried is not None:  # it is being measured
            return self._tried
        place = self._tried = ax.get_position(original=True)
        try:
            engine = ax.figure.get_layout_engine()
            if engine is None or isinstance(engine, PlaceHolderLayoutEngine) or ax.get_subplotspec() is None:
                return self._fit(place, renderer)
            self._measure(renderer)  # the engine makes room
            return place
        finally:
            self._tried = None

    def _measure(self, renderer: Any) -> Bbox:
        """What the axes with all that belongs to them take, in pixels."""
        self.ax.get_tightbbox(renderer)  # which moves everything to its place
        for adjust in self.adjust:
            adjust(self.ax, renderer)
        return self.ax.get_tightbbox(renderer) or self.ax.bbox  # those that are hidden take nothing more

    def _fit(self, place: Bbox, renderer: Any) -> Bbox:
        """The place without what others need around it; where too little is left, with smaller texts."""
        figure, space = self.ax.figure.transSubfigure, space_of(self.ax)
        now = start = place.transformed(figure)
        for _ in range(_ROUNDS):
            self._tried = Bbox(now.transformed(figure.inverted()))
            taken = self._measure(renderer)
            over = Bbox.from_extents(max(space.x0 - taken.x0, 0), max(space.y0 - taken.y0, 0), max(taken.x1 - space.x1, 0),
                                     max(taken.y1 - space.y1, 0))
            if max(over.x0, over.y0, over.x1, over.y1) < 0.5:
                break
            x0, y0, x1, y1 = now.x0 + over.x0, now.y0 + over.y0, now.x1 - over.x1, now.y1 - over.y1
            share = min((x1 - x0) / space.width, (y1 - y0) / space.height)
            if share < _LEAST and self._shrink_all():
                now = start
            elif share > 0:
                now = Bbox.from_extents(x0, y0, x1, y1)
            else:  # the figure is too small
                break
        return self._tried or place

    def _shrink_all(self) -> bool:
        """Makes every text a little smaller, if they can still be read then."""
        texts = [text for text in self.ax.findobj(Text) if isinstance(text, Text) and text.get_text()]
        if max((float(text.get_fontsize()) for text in texts), default=0.0) <= SMALLEST:
            return False
        _shrink(texts, 0.85)
        for adjust in self.adjust:
            if isinstance(adjust, (Names, Numbers)):
                adjust.size *= 0.85
        for one in (self.ax, *self.ax.child_axes):
            for axis, labels in ((one.xaxis, one.get_xticklabels()), (one.yaxis, one.get_yticklabels())):
                if labels:
                    axis.set_tick_params(labelsize=labels[0].get_fontsize())
        return True


def keep_inside(ax: Axes, *adjust: Adjust) -> Axes:
    """From now on, what belongs to the axes stays inside of the figure. `adjust` are asked before it is measured.

    Axes that something else places, such as those of a grid of axes_grid1, are left alone.
    """
    keeper = ax.get_axes_locator()
    if keeper is None:
        keeper = Keeper(ax)
        ax.set_axes_locator(keeper)
    if isinstance(keeper, Keeper):
        keeper.adjust += adjust
    return ax
