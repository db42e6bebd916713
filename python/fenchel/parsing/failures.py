# SPDX-License-Identifier: Apache-2.0
"""What can go wrong beside wrong input: packages that are not there, and training that diverges."""

EXTRA = "fenchel.parsing needs PyTorch and safetensors: pip install 'fenchel[parsing]'"


class Diverged(ValueError):
    """Scores or losses of a training step are not finite."""


def require_packages() -> None:
    """Says which extra is missing, if one is."""
    try:
        import safetensors as _safetensors  # noqa: F401
        import torch as _torch  # noqa: F401
    except ImportError as error:
        raise ImportError(EXTRA) from error
