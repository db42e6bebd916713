# SPDX-License-Identifier: Apache-2.0
"""Confusion matrices: how often each class was predicted as each other."""
from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from .._arrays import any_array
from ._common import axes_or_new, finite_array, names_of, result_of
from ._heat import color_bar, heat_map

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

_SHARES = {"true": 1, "pred": 0, "all": None}  # the axis over which shares sum to 1


def _classes(name: str, y: Any) -> List[Any]:
    array = any_array(name, y)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} has shape {array.shape}; expected a class per row, and at least one")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name}[{int(np.argmin(np.isfinite(array)))}] is not finite; expected a class per row")
    return array.tolist()


def _counted(y_true: Any, y_pred: Any, labels: Optional[Sequence[Any]]) -> Tuple[np.ndarray, List[Any]]:
    """Counts [true, predicted], and the classes."""
    truth, predicted = _classes("y_true", y_true), _classes("y_pred", y_pred)
    if len(truth) != len(predicted):
        raise ValueError(f"y_pred has {len(predicted)} rows; expected {len(truth)} as y_true has")
    order = sorted({*truth, *predicted}) if labels is None else list(labels)
    places = {label: k for k, label in enumerate(order)}
    for name, given in (("y_true", truth), ("y_pred", predicted)):
        for i, label in enumerate(given):
            if label not in places:
                raise ValueError(f"{name}[{i}] is {label!r}; expected one of labels, {order}")
    counts = np.zeros((len(order),) * 2)
    np.add.at(counts, ([places[label] for label in truth], [places[label] for label in predicted]), 1)
    return counts, order


def _given(matrix: Any, labels: Optional[Sequence[Any]]) -> Tuple[np.ndarray, Optional[Sequence[Any]]]:
    """Counts that are there already."""
    if isinstance(matrix, Mapping) or not hasattr(matrix, "__len__") or isinstance(matrix, str):
        result = result_of("evaluate", matrix)
        if "confusion" not in result:
            raise ValueError("the result has no 'confusion'; expected that of `fenchel evaluate --json` for a model of classes")
        matrix = result["confusion"]
        labels = [entry["name"] for entry in result["classes"]] if labels is None else labels
    counts = finite_array("matrix", matrix)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise ValueError(f"matrix has shape {counts.shape}; expected [classes, classes], or true classes with y_pred")
    if counts.min() < 0:
        raise ValueError(f"matrix has an entry {counts.min():g}; expected counts, which are not negative")
    return counts, labels


def _texts(counts: np.ndarray, shares: np.ndarray, normalized: bool) -> List[str]:
    texts = []
    for count, share in zip(counts.ravel(), shares.ravel()):
        number = f"{count:.0f}" if count == round(count) else f"{count:.4g}"
        texts.append(f"{share:.2f}\n{number}" if normalized else number)
    return texts


def confusion(matrix: Union[ArrayLike, Mapping[str, Any], PathLike[str]], y_pred: Optional[ArrayLike] = None,
              ax: Optional[Axes] = None, *, labels: Optional[Sequence[Any]] = None, normalize: Optional[str] = None) -> Axes:
    """How often each class was predicted as each other: the true classes from the top to the bottom.

    Parameters
    ----------
    matrix : array, dict or path
        Counts [true, predicted]; the true class per row, with `y_pred`; or what ``fenchel evaluate --json`` writes for a
        model of classes, as a dictionary or the file that has it.
    y_pred : sequence, optional
        The predicted class per row.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes if it is left out.
    labels : sequence, optional
        The classes in their order: names for a matrix, else those that occur in `matrix` and `y_pred`.
    normalize : {"true", "pred", "all"}, optional
        Colors and numbers are shares of the true class, of the predicted one or of everything, with the counts below
        them. A share of nothing is 0.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`, or the new axes.

    Examples
    --------
    >>> import fenchel.plot
    >>> ax = fenchel.plot.confusion([[5, 1], [0, 4]], labels=["no", "yes"], normalize="true")
    >>> ax.images[0].get_array().tolist()[1]
    [0.0, 1.0]

    See Also
    --------
    calibration
    """
    if normalize is not None and normalize not in _SHARES:
        raise ValueError(f"normalize is {normalize!r}; expected None, 'true', 'pred' or 'all'")
    counts, classes = _given(matrix, labels) if y_pred is None else _counted(matrix, y_pred, labels)
    names = names_of("labels", classes, len(counts), "class")
    if normalize is None:
        shown = counts
    else:
        total = counts.sum(axis=_SHARES[normalize], keepdims=True)
        shown = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
    ax = axes_or_new(ax)
    image = heat_map(ax, shown, rows=names, columns=names, texts=_texts(counts, shown, normalize is not None), cmap="Blues",
                     vmin=0, vmax=max(shown.max(), 1e-12) if normalize is None else 1)
    ax.set(xlabel="predicted", ylabel="true")
    color_bar(ax, image, "rows" if normalize is None else "share")
    return ax
