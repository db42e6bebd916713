# SPDX-License-Identifier: Apache-2.0
"""What arguments may be, for type checkers; nothing imports it when it runs."""
from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

from ._base import Polytope, Regularizer

__all__ = ["ArrayLike", "CostLike", "NamedOmegas", "OmegaLike", "OmegasLike", "PolytopeLike", "PolytopesLike"]

#: Ω: an object, a text such as "tsallis:alpha=1.5", or a dictionary.
OmegaLike = Union[Regularizer, str, Mapping[str, Any]]
#: For plots: one Ω, several, or names for a legend and what they stand for.
NamedOmegas = Union[OmegaLike, Sequence[OmegaLike], Mapping[str, OmegaLike]]
#: One Ω, or that of each example of a ragged batch: a list, or a function of an example's scores.
OmegasLike = Union[OmegaLike, Sequence[OmegaLike], Callable[[np.ndarray], OmegaLike]]

#: A set of structures: an object, a text such as "arborescence:n=5", or a dictionary.
PolytopeLike = Union[Polytope, str, Mapping[str, Any]]
#: One set, or that of each example of a ragged batch.
PolytopesLike = Union[PolytopeLike, Sequence[PolytopeLike], Callable[[np.ndarray], PolytopeLike]]

#: c_y: "zero_one", "hamming", a vector, a matrix with a row for each label, or a function of y.
CostLike = Union[str, ArrayLike, Callable[[np.ndarray], ArrayLike]]
