# SPDX-License-Identifier: Apache-2.0
"""Fenchel-Young losses and their prediction functions for PyTorch.

Tensors of the CPU are computed by the C++ core. Those of other devices stay there where an Ω has tensor operations
(`backend` lists them); for the rest they are brought to the CPU and their results sent back.

>>> import torch, fenchel.torch as ft
>>> theta = torch.tensor([[1.6, 1.1, 0.4]], requires_grad=True)
>>> ft.entmax15(theta).detach().round(decimals=3).tolist()
[[0.6489999890327454, 0.3089999854564667, 0.041999999433755875]]
>>> ft.FenchelYoungLoss("sparsemax")(theta, torch.tensor([0])).backward()
"""
from ._backend import backend
from .attention import *  # noqa: F403
from .attention import __all__ as _attention
from .attention_models import *  # noqa: F403
from .attention_models import __all__ as _attention_models
from .attention_weights import *  # noqa: F403
from .attention_weights import __all__ as _attention_weights
from .bisect import *  # noqa: F403
from .bisect import __all__ as _bisect
from .crf import CRF
from .functional import *  # noqa: F403
from .functional import __all__ as _functional
from .layers import *  # noqa: F403
from .layers import __all__ as _layers
from .losses import *  # noqa: F403
from .losses import __all__ as _losses
from .names import *  # noqa: F403
from .names import __all__ as _names
from .soft import *  # noqa: F403
from .soft import __all__ as _soft
from .structured import *  # noqa: F403
from .structured import __all__ as _structured

__all__ = ["CRF", "backend", *_attention, *_attention_models, *_attention_weights, *_bisect, *_functional, *_layers, *_losses,
           *_names, *_soft, *_structured]
