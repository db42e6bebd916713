# SPDX-License-Identifier: Apache-2.0
"""Fenchel: learning with Fenchel-Young losses.

Choose the shape of the output by a regularizer Ω; prediction, loss, gradient and the rest follow:

>>> import fenchel
>>> fenchel.predict([1.6, 1.1, 0.4], fenchel.Tsallis(alpha=1.5)).round(3).tolist()
[0.649, 0.309, 0.042]
"""
import importlib as _importlib

from ._base import Polytope, Regularizer
from ._core import version as __version__
from .combinations import FenchelYoungized, Restriction, Sum
from .custom import CustomRegularizer, Separable
from .custom_polytope import CustomPolytope
from .distribution import Distribution
from .divergences import *  # noqa: F403
from .divergences import __all__ as _divergences
from .explanation import explain
from .functions import conjugate, gradient, jvp, link, loss, margin, predict, predict_csr, prox, value, value_and_gradient, vjp
from .loss_names import *  # noqa: F403
from .loss_names import __all__ as _loss_names
from .names import *  # noqa: F403
from .names import __all__ as _names
from .polytopes import *  # noqa: F403
from .polytopes import __all__ as _polytopes
from .regularizers import *  # noqa: F403
from .regularizers import __all__ as _regularizers
from .soft import *  # noqa: F403
from .soft import __all__ as _soft
from .treebank import Treebank, read_conllu
from .verification import verify

__all__ = [
    "CustomPolytope", "CustomRegularizer", "Distribution", "FenchelYoungized", "Polytope", "Regularizer", "Restriction",
    "Separable", "Sum", "Treebank",
    "__version__", "conjugate", "explain", "gradient", "jvp", "link", "loss", "margin", "predict", "predict_csr", "prox",
    "read_conllu", "value", "value_and_gradient", "verify", "vjp",
]
__all__ += _divergences + _loss_names + _names + _polytopes + _regularizers + _soft


def __getattr__(name: str):
    """The parts that need other packages are imported when they are first used."""
    if name in ("export", "parsing", "plot", "projections", "sklearn", "tables", "torch"):
        return _importlib.import_module("." + name, __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
