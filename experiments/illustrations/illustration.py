# SPDX-License-Identifier: Apache-2.0
"""What an illustration is: numbers that the library computes, statements about them, and a drawing."""
import dataclasses
import pathlib
from typing import Any, Callable, Dict, List

import numpy as np

from ..experiment import Finding

TOLERANCE = 1e-9


@dataclasses.dataclass(frozen=True)
class Illustration:
    """A figure of the paper. The result of `compute(**parameters)` is all that the rest gets."""

    name: str
    number: int  # of the figure in the paper
    text: str  # a sentence: what it shows
    compute: Callable[..., Dict[str, Any]]
    draw: Callable[[Dict[str, Any], pathlib.Path], None]
    findings: Callable[[Dict[str, Any]], List[Finding]]
    parameters: Dict[str, Any] = dataclasses.field(default_factory=dict)


def short(values):
    """Numbers for a result: few digits."""
    return (np.round(values, 6) + 0.0).tolist()  # without -0.0


def error(one, other):
    """The largest difference, for a result: to 12 digits, so that it is the same on every machine."""
    return round(float(np.abs(np.asarray(one) - np.asarray(other)).max()), 12)


def equal(statement, *errors):
    """The finding that differences are within the tolerance."""
    largest = max(errors)
    return Finding(f"{statement}, within {TOLERANCE:g}", largest <= TOLERANCE,
                   f"largest difference {largest:.1g}" if largest else "differences below 1e-12")
