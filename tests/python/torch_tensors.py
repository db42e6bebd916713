# SPDX-License-Identifier: Apache-2.0
"""What the tests of fenchel.torch share: torch, without which they are skipped, and random tensors."""
try:
    import torch
except ImportError:
    print("skipped: torch is not installed")
    raise SystemExit(0)

__all__ = ["double", "torch"]


def double(*shape, seed=0):
    """Standard normal scores that have gradients."""
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)).requires_grad_()
