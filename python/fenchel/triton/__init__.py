# SPDX-License-Identifier: Apache-2.0
"""Triton kernels of entmax, its loss and its attention, for GPUs; chosen by calling them.

They were verified in Triton's interpreter and by compilation for GPUs, not on one: `python -m fenchel.triton.doctor` checks and
times them on yours.
"""
try:
    import triton  # noqa: F401
except ImportError as error:
    raise ImportError("fenchel.triton needs Triton: pip install 'fenchel[triton]'", name="triton") from error

from .attention import *  # noqa: F403
from .attention import __all__ as _attention_names
from .functional import *  # noqa: F403
from .functional import __all__ as _functional_names

__all__ = [*_attention_names, *_functional_names]
