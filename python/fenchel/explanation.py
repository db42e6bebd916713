# SPDX-License-Identifier: Apache-2.0
"""What an Ω or a set of structures is, in words."""
from __future__ import annotations

from typing import TYPE_CHECKING, Union

from . import _core
from ._arguments import plain_text
from ._base import Polytope, core_of

if TYPE_CHECKING:
    from ._types import OmegaLike

__all__ = ["explain"]


class Text(str):
    """A text that an interactive session shows as it is, line by line."""

    def __repr__(self) -> str:
        return str(self).rstrip("\n")


def explain(what: Union[OmegaLike, Polytope, None] = None) -> str:
    """The formula, parameters, properties, margin and place in the paper of an Ω or a set of structures, in
    words.

    It is what `fenchel losses` and `fenchel polytopes` print.

    Parameters
    ----------
    what : Regularizer, Polytope, str or dict, optional
        An object, or a name such as "tsallis", "tsallis:alpha=1.5" or "arborescence"; without it, the tables
        of all.

    Returns
    -------
    str
        A text that an interactive session shows line by line.

    Examples
    --------
    >>> import fenchel
    >>> print(fenchel.explain("tsallis").splitlines()[0])
    {"name":"tsallis","alpha":1.5}

    See Also
    --------
    Regularizer, Polytope
    """
    if what is None:
        return Text(_core.table_of_losses() + "\n" + _core.table_of_polytopes())
    if isinstance(what, type):
        raise TypeError(
            f"what is the class {what.__name__}; expected an object such as {what.__name__}(...), or a name")
    if isinstance(what, Polytope):
        return Text(_core.explain(what.core))
    if isinstance(what, str):
        return Text(_by_name(plain_text("what", what)))
    return Text(_core.explain(core_of(what)))


def _by_name(text: str) -> str:
    if text.split(":")[0] in [entry["name"] for entry in _core.polytopes()]:
        return _core.explain_polytope(text)
    return _core.explain_loss(text)
