# SPDX-License-Identifier: Apache-2.0
"""Fenchel-Young losses, predictions and projections for JAX.

On the CPU compiled programs call the C++ core; on other platforms they compute the same formulas in jax.numpy
(docs/python_jax.md has the table). All functions work under jit, vmap and scan, and have derivatives in forward and in reverse
mode, nested as you like. `import fenchel` does not need JAX.

>>> import jax, jax.numpy as jnp, numpy as np, fenchel.jax as fj
>>> theta = jnp.array([1.6, 1.1, 0.4])
>>> print(np.asarray(jax.jit(fj.sparsemax)(theta)).round(3))
[0.75 0.25 0.  ]
"""
from __future__ import annotations

try:
    import jax as _jax
except ImportError as error:
    raise ImportError("fenchel.jax needs JAX: pip install jax", name="jax") from error
del _jax

from . import crf, projections  # noqa: E402
from ._calls import backend, core_available  # noqa: E402
from .functions import conjugate, gradient, link, loss, predict, value, value_and_grad, value_and_gradient  # noqa: E402
from .names import (  # noqa: E402
    entmax,
    entmax15,
    entmax15_loss,
    entmax_loss,
    normmax,
    normmax_loss,
    softmax,
    softmax_loss,
    sparse_sigmoid,
    sparsemax,
    sparsemax_loss,
)
from .soft import soft_dtw, soft_rank, soft_sort  # noqa: E402
from .structured import budget, sinkhorn, sparsemap  # noqa: E402
from .young import make_fenchel_young_loss  # noqa: E402

__all__ = ["backend", "budget", "conjugate", "core_available", "crf", "entmax", "entmax15", "entmax15_loss", "entmax_loss",
           "gradient", "link", "loss", "make_fenchel_young_loss", "normmax", "normmax_loss", "predict", "projections", "sinkhorn",
           "soft_dtw", "soft_rank", "soft_sort", "softmax", "softmax_loss", "sparse_sigmoid", "sparsemap", "sparsemax",
           "sparsemax_loss", "value", "value_and_grad", "value_and_gradient"]
