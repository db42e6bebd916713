# SPDX-License-Identifier: Apache-2.0
"""Axes, legends and arguments, the same for all plots."""
from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from .._arrays import real_array
from .._base import Regularizer, as_regularizer
from ._layout import Beside, keep_inside

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def axes_or_new(ax: Optional[Axes]) -> Axes:
    """The axes to draw into. All that belongs to them stays inside of the figure."""
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots(layout="constrained")[1]
    elif not hasattr(ax, "get_axes_locator"):
        raise TypeError(f"ax is {type(ax).__name__}; expected axes of matplotlib, as plt.subplots() makes them")
    return keep_inside(ax)


def several_axes(axes: Any, count: int) -> List[Axes]:
    """The given axes to draw into, as many as there are pictures."""
    found = list(axes)
    if len(found) != count:
        raise ValueError(f"axes has {len(found)} entries; expected {count}")
    return [axes_or_new(ax) for ax in found]


def named(omegas: Any, make: Callable[[Any], Regularizer] = as_regularizer) -> List[Tuple[str, Regularizer]]:
    """Names for a legend: one Ω, several, or a mapping from names to them."""
    if isinstance(omegas, Mapping):
        pairs = [(name, make(omega)) for name, omega in omegas.items()]
    else:
        if isinstance(omegas, (str, Regularizer)) or not isinstance(omegas, Iterable):
            omegas = [omegas]
        pairs = [(omega if isinstance(omega, str) else label_of(made), made) for omega in omegas for made in (make(omega),)]
    if not pairs:
        raise ValueError("omegas is empty; expected one Ω or more")
    return pairs


def label_of(omega: Regularizer) -> str:
    """Such as "tsallis, alpha = 1.5"; the name of the class of an Ω that is written in Python."""
    try:
        spec = omega.spec
    except TypeError:
        return type(omega).__name__
    parameters = [f"{key} = {value}" for key, value in spec.items() if isinstance(value, (int, float, str)) and key != "name"]
    return ", ".join([str(spec["name"]), *parameters])


def shown(vector: Iterable[float], form: str = ".2f") -> str:
    """Such as "[0.65, 0.35, 0.00]"."""
    return "[" + ", ".join(format(float(entry), form) for entry in vector) + "]"


def beside(ax: Axes, title: Optional[str] = None) -> None:
    """A legend to the right of the axes, where it hides nothing."""
    keep_inside(ax, Beside(ax, title))


def finite_array(name: str, value: Any) -> np.ndarray:
    """What a caller gives as an array of finite doubles that is not empty."""
    array = real_array(name, value).astype(np.float64)
    if array.size == 0:
        raise ValueError(f"{name} has shape {array.shape}; expected at least one number")
    if not np.isfinite(array).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name}[{', '.join(map(str, place))}] is {array[place]}; expected finite numbers")
    return array


def names_of(name: str, names: Optional[Sequence[Any]], count: int, of: str) -> Optional[List[str]]:
    """Texts, one for each of `count` things."""
    if names is None:
        return None
    if isinstance(names, str):
        raise TypeError(f"{name} is {names!r}; expected a list of texts")
    texts = [str(one) for one in names]
    if len(texts) != count:
        raise ValueError(f"{name} has {len(texts)} entries; expected {count}, one for each {of}")
    return texts


def result_of(command: str, result: Any) -> Dict[str, Any]:
    """What a command of the tool wrote with --json: the dictionary, or the file that has it."""
    if isinstance(result, (str, PathLike)):
        path = Path(result)
        try:
            result = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            raise ValueError(f"{path} is not JSON; expected what `fenchel {command} --json` writes") from None
    if not isinstance(result, Mapping):
        raise TypeError(f"the result is {type(result).__name__}; expected what `fenchel {command} --json` writes")
    return dict(result)
