# SPDX-License-Identifier: Apache-2.0
"""Reliability diagrams: how often predictions of a certain probability are right."""
from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from .._arguments import whole_number
from .._arrays import any_array
from ._common import axes_or_new, finite_array, result_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

_SLACK = 1e-6  # of probabilities beyond 0 and 1, from rounding
_MOST_BINS = 1000
_TOOL_BINS = 15  # of `fenchel evaluate`


class _Bins(NamedTuple):
    """Of the bins that are not empty: which it is, its rows, the mean of what was predicted, and the share that came true."""

    place: np.ndarray
    rows: np.ndarray
    predicted: np.ndarray
    observed: np.ndarray
    bins: int  # that there are


def _counted(predicted: np.ndarray, hit: np.ndarray, count: int) -> _Bins:
    """Equal parts of (0, 1], each with its upper end, as metrics::calibration_bins has them."""
    place = np.maximum(np.ceil(predicted.clip(0, 1) * count), 1).astype(np.int64) - 1
    rows = np.bincount(place, minlength=count)
    used = np.flatnonzero(rows)
    sums = [np.bincount(place, weights=values, minlength=count)[used] for values in (predicted, hit.astype(np.float64))]
    return _Bins(used, rows[used], sums[0] / rows[used], sums[1] / rows[used], count)


def _labels(y: Any, rows: int, classes: Optional[Sequence[Any]], columns: int) -> np.ndarray:
    """The column of the true class per row."""
    given = any_array("y", y)
    if given.shape != (rows,):
        raise ValueError(f"y has shape {given.shape}; expected {(rows,)}, a class for each row of probabilities")
    if classes is not None:
        names = any_array("classes", classes).tolist()
        if len(names) != columns:
            raise ValueError(f"classes has {len(names)} entries; expected {columns}, one for each column of probabilities")
        places = {name: k for k, name in enumerate(names)}
        for i, label in enumerate(given.tolist()):
            if label not in places:
                raise ValueError(f"y[{i}] is {label!r}; expected one of classes, {names}")
        return np.array([places[label] for label in given.tolist()])
    if given.dtype.kind not in "iub":
        raise TypeError(f"y has dtype {given.dtype}; expected the numbers of columns, or classes with the name of each column")
    if given.min() < 0 or given.max() >= columns:
        raise ValueError(f"y has classes from {given.min()} to {given.max()}; expected 0 to {columns - 1}")
    return given.astype(np.int64)


def _of_rows(probabilities: Any, y: Any, classes: Optional[Sequence[Any]], count: int) -> Tuple[_Bins, str, str]:
    """The bins, and what the axes are."""
    p = finite_array("probabilities", probabilities)
    if p.ndim > 2 or p.min() < -_SLACK or p.max() > 1 + _SLACK:
        raise ValueError(f"probabilities has shape {p.shape} and entries from {p.min():g} to {p.max():g}; expected "
                         "[rows, classes], or [rows] for the second of two classes, from 0 to 1")
    if p.ndim == 1:
        return _counted(p, _labels(y, len(p), classes, 2) == 1, count), "predicted probability", "share of the class"
    truth = _labels(y, len(p), classes, p.shape[1])
    return _counted(p.max(axis=1), p.argmax(axis=1) == truth, count), "confidence", "accuracy"


def _of_result(given: Any) -> _Bins:
    result = result_of("evaluate", given)
    if not result.get("calibration"):
        raise ValueError("the result has no 'calibration'; expected that of `fenchel evaluate --json` for a model of classes "
                         "that predicts probabilities")
    rows, predicted, observed = (np.array([entry[name] for entry in result["calibration"]])
                                 for name in ("rows", "confidence", "accuracy"))
    place = np.maximum(np.ceil(predicted * _TOOL_BINS - 1e-9), 1).astype(np.int64) - 1  # where the mean of a bin is
    return _Bins(place, rows, predicted, observed, _TOOL_BINS)


def calibration(probabilities: Union[ArrayLike, Mapping[str, Any], PathLike[str]], y: Optional[ArrayLike] = None,
                ax: Optional[Axes] = None, *, classes: Optional[Sequence[Any]] = None, bins: int = 15) -> Axes:
    """A reliability diagram: how often predictions are right, by how sure they are, and below it how many there are.

    Probabilities are right as probabilities where the line is the dashed one. Red lines are how far it is off; their
    mean over rows, the calibration error, is the title.

    Parameters
    ----------
    probabilities : array of float, dict or path
        [rows, classes], judged by the largest one of each row; [rows], those of the second of two classes; or what
        ``fenchel evaluate --json`` writes, as a dictionary or the file that has it.
    y : sequence, optional
        The true class per row: the number of its column, or its name with `classes`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes if it is left out.
    classes : sequence, optional
        The class of each column, such as ``classes_`` of an estimator.
    bins : int
        Into how many parts the probabilities are divided; the tool's are 15.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`, or the new axes.

    Examples
    --------
    >>> import fenchel.plot
    >>> ax = fenchel.plot.calibration([[0.8, 0.2], [0.6, 0.4], [0.3, 0.7]], [0, 1, 1], bins=5)
    >>> ax.get_title()
    'calibration error 0.367'

    See Also
    --------
    confusion, triangle
    """
    bins = whole_number("bins", bins, 1, _MOST_BINS)
    if y is not None:
        found, across, up = _of_rows(probabilities, y, classes, bins)
    elif isinstance(probabilities, Mapping) or not hasattr(probabilities, "__len__") or isinstance(probabilities, str):
        found, across, up = _of_result(probabilities), "confidence", "accuracy"
    else:
        raise TypeError("y is missing; expected the true class for each row of probabilities")
    ax = axes_or_new(ax)
    ax.plot([0, 1], [0, 1], "--", color="gray", linewidth=1)
    ax.vlines(found.predicted, found.predicted, found.observed, color="C3", linewidth=1.2)
    ax.plot(found.predicted, found.observed, "o-", color="C0", markersize=4, clip_on=False, zorder=3)
    error = float((found.rows * abs(found.observed - found.predicted)).sum() / found.rows.sum())
    ax.set(xlim=(0, 1), ylim=(0, 1), ylabel=up)
    ax.set_title(f"calibration error {error:.3f}", fontsize="medium")
    ax.tick_params(labelbottom=False)
    below = ax.inset_axes((0, -0.4, 1, 0.33), sharex=ax)
    below.bar((found.place + 0.5) / found.bins, found.rows, width=0.9 / found.bins, color="C0", alpha=0.5)
    below.set(xlabel=across, ylabel="rows")
    return ax
