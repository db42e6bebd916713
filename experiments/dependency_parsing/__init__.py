# SPDX-License-Identifier: Apache-2.0
"""Dependency parsing (paper §9.2): the parser of fenchel.parsing, without labels, on treebanks of five languages.

`python -m experiments.dependency_parsing table` prints scores beside the paper's.
"""
from fenchel.parsing.losses import LOSSES

from ..experiment import Experiment, Step
from .pictures import draw
from .report import PROBE, findings, report
from .table import COMPARED
from .treebanks import SOURCES

GRID = [0.0005, 0.001, 0.002, 0.004, 0.008]
PROBED = [0.001, 0.002, 0.004]  # on the others
CHOSEN = {"hinge": 0.002, "crf": 0.004, "sparsemap": 0.004}  # on vi, for its variants
BY_HEART = {"hinge": 0.001, "crf": 0.002, "sparsemap": 0.002, "perceptron": 0.001}
BUDGET = {"epochs": 20, "patience": 5}
REDUCED = {"epochs": 6, "patience": 6}


def _study(**parameters):
    from .runs import study  # here and below: PyTorch is loaded only when there is something to train

    return study(**parameters)


def _mixtures(**parameters):
    from .trees import mixtures

    return mixtures(**parameters)


def _overfit(**parameters):
    from .overfit import overfit

    return overfit(**parameters)


def study_step(language, losses, name="", **variant):
    """The runs of some losses on a treebank, with learning rates chosen there: by short runs, except on vi.

    There are three seeds on vi and en, where runs are shorter, and one elsewhere. A variant, with other parameters of `study`,
    is one run with the learning rates chosen before.
    """
    if variant:
        how = {"learning_rates": {loss: CHOSEN[loss] for loss in losses}, "seeds": 1, **variant}
    elif language == "vi":
        how = {"learning_rates": GRID, "seeds": 3}
    else:
        how = {"learning_rates": PROBED, "seeds": 3 if language == "en" else 1, "probe_epochs": PROBE}
    parameters = {"language": language, "losses": losses, **(REDUCED if language == "en" else BUDGET), **how}
    return Step(name or language, _study, parameters, SOURCES[language].files)


def steps(quick):
    if quick:
        return [Step(f"made_up_{loss}", _overfit, {"loss": loss, "learning_rate": rate, "epochs": 200})
                for loss, rate in BY_HEART.items()]
    trees = {"language": "vi", "learning_rates": {loss: CHOSEN[loss] for loss in ("sparsemap", "crf")}, **BUDGET}
    return [study_step("vi", list(LOSSES)), Step("vi_trees", _mixtures, trees, SOURCES["vi"].files),
            study_step("vi", COMPARED, "vi_upos", tags="upos"),
            *(study_step(language, COMPARED) for language in ("en", "zh", "ro", "ja"))]


dependency_parsing = Experiment("dependency_parsing", steps, report, findings, draw, only_when_named=True)
