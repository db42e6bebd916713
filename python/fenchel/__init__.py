# SPDX-License-Identifier: Apache-2.0
"""Fenchel: learning with Fenchel-Young losses.

Choose the shape of the output by a regularizer Ω; prediction, loss, gradient and the rest follow:

>>> import fenchel
>>> fenchel.predict([1.6, 1.1, 0.4], fenchel.Tsallis(alpha=1.5)).round(3).tolist()
[0.649, 0.309, 0.042]
"""
from ._base import Polytope, Regularizer
from ._core import __version__
from .custom import CustomRegularizer, Separable
from .custom_polytope import CustomPolytope
from .distribution import Distribution
from .explanation import explain
from .functions import (conjugate, gradient, jvp, loss, margin, predict, predict_csr, prox, value, value_and_gradient,
                        vjp)
from .names import *  # noqa: F403
from .names import __all__ as _names
from .polytopes import *  # noqa: F403
from .polytopes import __all__ as _polytopes
from .regularizers import *  # noqa: F403
from .regularizers import __all__ as _regularizers
from .soft import *  # noqa: F403
from .soft import __all__ as _soft

__all__ = ["CustomPolytope", "CustomRegularizer", "Distribution", "Polytope", "Regularizer", "Separable", "__version__",
           "conjugate", "explain", "gradient", "jvp", "loss", "margin", "predict", "predict_csr", "prox", "value",
           "value_and_gradient", "vjp", *_names, *_polytopes, *_regularizers, *_soft]
