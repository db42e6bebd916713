# SPDX-License-Identifier: Apache-2.0
"""Plots (docs/gallery.md shows them); needs matplotlib.

- Ω: `entropies`, `predictions`, `losses`, `two_class`, `triangle`, `entropy_contours`, `score_plane`, `duality_gap`,
  `simplex_predictions`
- structures: `hull`, `permutahedra`, `ranking_losses`, `tree`, `alignment`, `marginals`
- models: `training_log`, `tuning_grid`, `confusion`, `calibration`

Every function draws into `ax` (or into new axes) and returns it. All that belongs to the axes stays inside of the figure, with
or without a layout engine:

>>> import fenchel.plot
>>> axes = fenchel.plot.two_class(["softmax", "entmax15", "sparsemax"])
>>> axes[0].figure.savefig("picture.svg")                                     # doctest: +SKIP
"""
try:
    import matplotlib as _matplotlib  # noqa: F401
except ImportError as error:
    raise ImportError("fenchel.plot needs matplotlib: pip install 'fenchel[plot]'") from error

from .alignment import alignment
from .calibration import calibration
from .confusion import confusion
from .cube import simplex_predictions
from .gap import duality_gap
from .hull import hull
from .logs import training_log
from .marginals import marginals
from .ranking import permutahedra, ranking_losses
from .tree import tree
from .triangle import entropy_contours, score_plane, triangle
from .tuning import tuning_grid
from .two_class import entropies, losses, predictions, two_class

__all__ = ["alignment", "calibration", "confusion", "duality_gap", "entropies", "entropy_contours", "hull", "losses", "marginals",
           "permutahedra", "predictions", "ranking_losses", "score_plane", "simplex_predictions", "training_log", "tree",
           "triangle", "tuning_grid", "two_class"]
