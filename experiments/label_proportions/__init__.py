# SPDX-License-Identifier: Apache-2.0
"""Label proportions on multi-label data sets (paper §9.1, tables 3 and 4)."""
from ..experiment import Experiment
from .report import findings, report, steps

label_proportions = Experiment("label_proportions", steps, report, findings)
