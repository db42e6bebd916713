# SPDX-License-Identifier: Apache-2.0
"""Dependency trees: arcs over words, of one tree or of many with their weights."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Dict, Optional, Sequence, Union

import numpy as np

from .._arrays import any_array
from ..distribution import KBest, Mixture
from ._common import axes_or_new, beside, finite_array, names_of
from ._fitted import Names
from ._layout import keep_inside

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

_LEAVES, _ARRIVES = 0.07, 0.14  # where arcs begin and end beside the middle of a word, so that both can be told apart
_SLACK = 1e-6  # of weights beyond 0 and 1, from rounding
_THINNEST, _WIDEST = 0.4, 2.4  # points of arcs of the weights 0 and 1


def _heads(name: str, heads: Any) -> np.ndarray:
    heads = any_array(name, heads)
    if heads.ndim != 1 or heads.size == 0 or heads.dtype.kind not in "iu":
        raise ValueError(f"{name} has shape {heads.shape} and dtype {heads.dtype}; expected a whole number per word, its head, "
                         "and -1 for the root")
    for word, head in enumerate(heads.tolist()):
        if not -1 <= head < heads.size or head == word:
            raise ValueError(f"{name}[{word}] is {head}; expected another word of 0 to {heads.size - 1}, or -1 for the root")
    return heads.astype(np.int64)


def _of_heads(heads: np.ndarray) -> np.ndarray:
    """Weights [head, modifier] of one tree; the diagonal is the root's."""
    weights = np.zeros((heads.size, heads.size))
    words = np.arange(heads.size)
    weights[np.where(heads < 0, words, heads), words] = 1
    return weights


def _weights(arcs: Any) -> np.ndarray:
    """What a caller gives as weights [head, modifier]."""
    if isinstance(arcs, KBest):
        raise TypeError("arcs is KBest, whose scores are no weights; expected one of its structures, heads, marginals or a "
                        "Mixture")
    if isinstance(arcs, Mixture):
        structures, shares = (finite_array(f"arcs.{name}", part) for name, part in zip(arcs._fields, arcs))
        if shares.ndim != 1 or structures.shape[:1] != shares.shape:
            raise ValueError(f"arcs is a mixture with structures of shape {structures.shape} and weights of shape "
                             f"{shares.shape}; expected that of one sentence")
        weights = np.tensordot(shares, structures, axes=1)
    elif any_array("arcs", arcs).ndim == 1 and any_array("arcs", arcs).dtype.kind != "f":
        return _of_heads(_heads("arcs", arcs))
    else:
        weights = finite_array("arcs", arcs)
    size = math.isqrt(weights.shape[-1]) if weights.ndim == 1 else weights.shape[-1]
    if weights.size != size * size or weights.ndim > 2:
        raise ValueError(f"arcs has shape {weights.shape}; expected heads [n] as whole numbers, or weights [n, n] of the arcs "
                         "from head to word of one sentence")
    if weights.min() < -_SLACK or weights.max() > 1 + _SLACK:
        raise ValueError(f"arcs has weights from {weights.min():g} to {weights.max():g}; expected 0 to 1")
    return weights.reshape(size, size).clip(0, 1)


def _arc(head: int, word: int, top: float) -> Any:
    """From a head to a word, or for the root straight down."""
    from matplotlib.path import Path

    if head == word:
        return Path([(word, top), (word, 0)])
    right = 1 if word > head else -1
    begin, end, height = head + right * _LEAVES, word - right * _ARRIVES, abs(head - word) ** 0.8 * 4 / 3
    return Path([(begin, 0), (begin, height), (end, height), (end, 0)], [Path.MOVETO, *[Path.CURVE4] * 3])


def _look(weight: float) -> Dict[str, Any]:
    return {"alpha": 0.25 + 0.75 * weight, "linewidth": _THINNEST + (_WIDEST - _THINNEST) * weight}


def tree(arcs: Union[ArrayLike, Mixture], tokens: Optional[Sequence[Any]] = None, ax: Optional[Axes] = None, *,
         gold: Optional[ArrayLike] = None, least: float = 0.01) -> Axes:
    """Arcs of a dependency tree over the words of a sentence; an arrow from above is the root's.

    Arcs with weights, which are marginals, means of trees or mixtures of them, are the wider and darker the more they weigh.

    Parameters
    ----------
    arcs : sequence of int, array of float, or Mixture
        The heads [n] of the words with -1 for the root, as `Distribution.decode` returns them; weights [n, n] from
        head to word with the root's on the diagonal, as `Distribution.marginals`, `sparsemap` and `map` are; or what
        `Distribution.sparsemap_mixture` returns.
    tokens : sequence of str, optional
        The words; their numbers if they are left out.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes if it is left out.
    gold : sequence of int, optional
        The heads of the right tree: arcs that it does not have are red.
    least : float
        Arcs of less weight are not drawn.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`, or the new axes. Its patches are the arcs, ordered by head and word.

    Examples
    --------
    >>> import fenchel.plot
    >>> trees = fenchel.Arborescence(3).distribution([[0.1, 0.4, 0.3], [2.0, 1.5, 2.0], [0.5, 0.4, 0.3]])
    >>> trees.decode(trees.map).tolist()
    [1, -1, 1]
    >>> ax = fenchel.plot.tree(trees.marginals, ["Birds", "sing", "loudly"])
    >>> len(ax.patches)
    9

    See Also
    --------
    alignment, marginals, fenchel.Arborescence
    """
    from matplotlib.patches import FancyArrowPatch

    weights = _weights(arcs)
    count = len(weights)
    right = None if gold is None else _heads("gold", gold)
    if right is not None and right.size != count:
        raise ValueError(f"gold has {right.size} heads; expected {count}, one for each word")
    names = names_of("tokens", tokens, count, "word") or [str(word) for word in range(count)]
    ax = axes_or_new(ax)
    spans = [abs(int(head) - int(word)) for head, word in np.argwhere(weights >= least)]
    top = max([1, *spans]) ** 0.8 * 1.15
    for head, word in np.argwhere(weights >= least).tolist():
        wrong = right is not None and right[word] != (-1 if head == word else head)
        ax.add_patch(FancyArrowPatch(path=_arc(head, word, top), arrowstyle="->,head_length=4.5,head_width=2.4", mutation_scale=1,
                                     color="C3" if wrong else "C0", joinstyle="miter", capstyle="butt", clip_on=False,
                                     **_look(weights[head, word])))
    ax.set(xlim=(-0.6, count - 0.4), ylim=(0, top), yticks=[])
    ax.spines[:].set_visible(False)
    ax.grid(False)
    ax.tick_params(length=0)
    keep_inside(ax, Names(ax, names))
    _legend(ax, weighted=bool(((weights >= least) & (weights < 1 - _SLACK)).any()), compared=right is not None)
    return ax


def _legend(ax: Axes, weighted: bool, compared: bool) -> None:
    """What widths and colors say, where there are several."""
    for weight in (1.0, 0.5, 0.1) if weighted else ():
        ax.plot([], [], color="C0", label=f"weight {weight:g}", **_look(weight))
    for color, text in (("C0", "right"), ("C3", "wrong")) if compared else ():
        ax.plot([], [], color=color, linewidth=_WIDEST, label=text)
    if weighted or compared:
        beside(ax)
