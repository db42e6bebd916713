# SPDX-License-Identifier: Apache-2.0
"""Axes and legends, the same for all plots."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, List, Mapping, Optional, Tuple

from .._base import Regularizer, as_regularizer

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def axes_or_new(ax: Optional[Axes]) -> Axes:
    """The axes to draw into."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained")[1]


def named(omegas: Any) -> List[Tuple[str, Regularizer]]:
    """Names for a legend: one Ω, several, or a mapping from names to them."""
    if isinstance(omegas, Mapping):
        return [(name, as_regularizer(omega)) for name, omega in omegas.items()]
    if isinstance(omegas, (str, Regularizer)) or not isinstance(omegas, Iterable):
        omegas = [omegas]
    return [(omega if isinstance(omega, str) else label_of(as_regularizer(omega)), as_regularizer(omega)) for omega in omegas]


def label_of(omega: Regularizer) -> str:
    """Such as "tsallis, alpha = 1.5"."""
    spec = omega.spec
    parameters = [f"{key} = {value}" for key, value in spec.items() if isinstance(value, (int, float, str)) and key != "name"]
    return ", ".join([str(spec["name"]), *parameters])


def shown(vector: Iterable[float], form: str = ".2f") -> str:
    """Such as "[0.65, 0.35, 0.00]"."""
    return "[" + ", ".join(format(float(entry), form) for entry in vector) + "]"


def beside(ax: Axes, title: Optional[str] = None) -> None:
    """A legend to the right of the axes."""
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize="small", title=title)
