# SPDX-License-Identifier: Apache-2.0
"""The list of experiments, in the order of the report."""
from .alignment import alignment
from .dependency_parsing import dependency_parsing
from .dual_training import dual_training
from .illustrations import illustrations
from .label_proportions import label_proportions
from .ranking import ranking
from .solver_comparison import solver_comparison
from .synthetic_proportions import synthetic_proportions
from .tagging import tagging

EXPERIMENTS = [label_proportions, synthetic_proportions, solver_comparison, dual_training, dependency_parsing, ranking, tagging,
               alignment, illustrations]
