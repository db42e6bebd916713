# SPDX-License-Identifier: Apache-2.0
"""Alignments of two series: which step of one belongs to which step of the other (dynamic time warping, paper §7.3)."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from .._arrays import any_array
from ._common import axes_or_new, finite_array
from ._heat import color_bar, heat_map

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

_SLACK = 1e-6  # of marginals beyond 0 and 1, from rounding
_BESIDE = 0.28  # the width of a series, in that of the matrix


def _series(name: str, value: Any) -> np.ndarray:
    """[steps, width]"""
    array = finite_array(name, value)
    if array.ndim > 2:
        raise ValueError(f"{name} has shape {array.shape}; expected [steps] or [steps, width]")
    return array.reshape(len(array), -1)


def _cells(path: np.ndarray) -> np.ndarray:
    if path.ndim != 2 or path.shape[1] != 2 or len(path) == 0:
        raise ValueError(f"alignment has shape {path.shape} and dtype {path.dtype}; expected the cells of a path [length, 2] as "
                         "whole numbers, or a matrix [m, n] of floats")
    if path.min() < 0:
        raise ValueError(f"alignment has the cell {path[path.min(axis=1) < 0][0].tolist()}; expected steps counted from 0")
    return path.astype(np.int64)


def _matrix_of(cells: np.ndarray, sizes: Any) -> np.ndarray:
    rows, columns = (size or most + 1 for size, most in zip(sizes, cells.max(axis=0).tolist()))
    if cells[:, 0].max() >= rows or cells[:, 1].max() >= columns:
        raise ValueError(f"alignment reaches the cell {cells.max(axis=0).tolist()}; expected steps below {[rows, columns]}, the "
                         "lengths of the series")
    matrix = np.zeros((rows, columns))
    matrix[cells[:, 0], cells[:, 1]] = 1
    return matrix


def alignment(alignment: ArrayLike, a: Optional[ArrayLike] = None, b: Optional[ArrayLike] = None,
              ax: Optional[Axes] = None) -> Axes:
    """An alignment of two series as a matrix: the first from the bottom to the top, the second from left to right.

    Parameters
    ----------
    alignment : array
        Cells [length, 2] of a path as whole numbers, as `Alignment.decode` and `Distribution.decode` return them; or a
        matrix [m, n] of numbers from 0 to 1, such as the expected alignment that ``fenchel.soft_dtw`` returns with
        ``return_alignment=True``, or `Distribution.marginals`.
    a, b : array of float, optional
        The series of m and n steps, [steps] or [steps, width]: drawn to the left and below.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes if it is left out.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`, or the new axes.

    Examples
    --------
    >>> import fenchel.plot
    >>> import numpy as np
    >>> a, b = np.array([0.0, 1, 2, 1, 0]), np.array([0.0, 0, 1, 2, 2, 1, 0])
    >>> _, expected = fenchel.soft_dtw((a[:, None] - b) ** 2, gamma=0.1, return_alignment=True)
    >>> ax = fenchel.plot.alignment(expected, a, b)
    >>> ax.images[0].get_array().shape
    (5, 7)

    See Also
    --------
    tree, marginals, fenchel.Alignment
    """
    series = [None if one is None else _series(name, one) for name, one in (("a", a), ("b", b))]
    sizes = [None if one is None else len(one) for one in series]
    given = any_array("alignment", alignment)
    path = _cells(given) if given.dtype.kind in "iu" else None
    matrix = finite_array("alignment", given) if path is None else _matrix_of(path, sizes)
    if matrix.ndim != 2 or any(size not in (None, have) for size, have in zip(sizes, matrix.shape)):
        expected = ", ".join(name if size is None else str(size) for name, size in zip("mn", sizes))
        raise ValueError(f"alignment has shape {matrix.shape}; expected ({expected}), steps of a by steps of b, of one pair")
    if matrix.min() < -_SLACK or matrix.max() > 1 + _SLACK:
        raise ValueError(f"alignment has entries from {matrix.min():g} to {matrix.max():g}; expected 0 to 1")
    ax = axes_or_new(ax)
    image = heat_map(ax, matrix.clip(0, 1), origin="lower", aspect="auto", cmap="Blues", vmin=0, vmax=1)
    if path is not None:
        ax.plot(path[:, 1], path[:, 0], ".-", color="C1", linewidth=1.2, markersize=4)
    elif ((matrix > _SLACK) & (matrix < 1 - _SLACK)).any():
        color_bar(ax, image, "probability")
    _draw_series(ax, *series)
    return ax


def _draw_series(ax: Axes, a: Optional[np.ndarray], b: Optional[np.ndarray]) -> None:
    """The series in axes of their own that share the steps of the matrix."""
    for label, axis, values in (("step of a", ax.yaxis, a), ("step of b", ax.xaxis, b)):
        if values is None:
            axis.set_label_text(label)
    if a is not None:
        left = ax.inset_axes((-_BESIDE - 0.03, 0, _BESIDE, 1), sharey=ax)
        left.plot(a, np.arange(len(a)), linewidth=1.2)
        left.invert_xaxis()  # the series looks at the matrix
        left.set(ylabel="step of a", xticks=[])
        ax.tick_params(labelleft=False)
    if b is not None:
        below = ax.inset_axes((0, -_BESIDE - 0.03, 1, _BESIDE), sharex=ax)
        below.plot(np.arange(len(b)), b, linewidth=1.2)
        below.set(xlabel="step of b", yticks=[])
        ax.tick_params(labelbottom=False)
    for child in ax.child_axes[-((a is not None) + (b is not None)) or len(ax.child_axes):]:
        child.grid(False)
