# SPDX-License-Identifier: Apache-2.0
"""Plots of entropies, predictions, losses, polytopes and training logs (docs/gallery.md shows them); needs matplotlib.

Every function draws into `ax` (or into new axes) and returns it:

>>> import fenchel.plot                                                       # doctest: +SKIP
>>> fenchel.plot.two_class(["softmax", "entmax15", "sparsemax"])              # doctest: +SKIP
"""
try:
    import matplotlib as _matplotlib  # noqa: F401
except ImportError as error:
    raise ImportError("fenchel.plot needs matplotlib: pip install 'fenchel[plot]'") from error

from .cube import simplex_predictions
from .gap import duality_gap
from .hull import hull
from .logs import training_log
from .ranking import permutahedra, ranking_losses
from .triangle import entropy_contours, score_plane, triangle
from .two_class import entropies, losses, predictions, two_class

__all__ = ["duality_gap", "entropies", "entropy_contours", "hull", "losses", "permutahedra", "predictions", "ranking_losses",
           "score_plane", "simplex_predictions", "training_log", "triangle", "two_class"]
