# SPDX-License-Identifier: Apache-2.0
"""What the tests of fenchel.triton share: Triton's interpreter, which runs kernels on the CPU. Skipped without Triton."""
import importlib.util
import os

for package in ("torch", "triton"):
    if importlib.util.find_spec(package) is None:
        print(f"skipped: {package} is not installed")
        raise SystemExit(0)
os.environ["TRITON_INTERPRET"] = "1"

import fenchel.torch as ft  # noqa: E402
import fenchel.triton as triton  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
from fenchel.triton import _checks  # noqa: E402

np.seterr(all="ignore")  # the interpreter computes lanes that are not taken
PLACE = _checks.place("cpu", True)

__all__ = ["PLACE", "failures", "ft", "torch", "triton"]


def failures(checks):
    """Those that did not pass, and that there were some at all."""
    made = list(checks)
    assert made
    return [one for one in made if not one.passed]
