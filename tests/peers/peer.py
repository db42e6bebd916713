# SPDX-License-Identifier: Apache-2.0
"""What an adapter says about its peer, and how the list of tests that do not apply is read."""
from __future__ import annotations

import importlib
import re
import sys
import types
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple

# In the order of the page.
NAMES = ("entmax", "scikit_learn", "crfsuite", "sklearn_crfsuite", "torch_struct", "lp_sparsemap", "pot")


@dataclass(frozen=True)
class Peer:
    """A library with tests.

    `tests` are files or folders of its source distribution, copied to where they run; without a `sha256` they are those inside
    the installed package. `left_out` are files of tests that are not run at all: {reason: files}. `does_not_apply` are tests that
    are run and must not pass: {reason: patterns}, a pattern being the id of a test, without its parameters for all of them, where
    * stands for anything.
    """

    title: str
    package: str  # its name in the index
    version: str
    tests: Tuple[str, ...]
    sha256: Optional[str] = None
    support: Tuple[str, ...] = ()  # files that its tests read or import
    as_package: bool = False       # tests import from the package in which they lie, by relative names
    plugins: Tuple[str, ...] = ()  # of pytest, with fixtures that the tests need
    left_out: Dict[str, List[str]] = field(default_factory=dict)
    does_not_apply: Dict[str, List[str]] = field(default_factory=dict)
    ours: str = ""                 # what stands in for it


def adapter(name: str) -> Any:
    """The module of a peer."""
    return importlib.import_module(f"peers.{name}")


def matches(pattern: str, test: str) -> bool:
    """Whether a pattern of a list names a test; without its file, in any file."""
    if "::" in test and "::" not in pattern:
        test = test.partition("::")[2]
    expression = ".*".join(map(re.escape, pattern.split("*")))
    return re.fullmatch(expression + ("" if "[" in pattern else r"(\[.*\])?"), test, re.DOTALL) is not None


def reasons(listed: Dict[str, List[str]], test: str) -> List[str]:
    """The reasons for which a test does not apply."""
    return [reason for reason, patterns in listed.items() if any(matches(pattern, test) for pattern in patterns)]


def module(name: str, **names: Any) -> types.ModuleType:
    """A module of this name with these names in it, in the place of the peer's."""
    made = types.ModuleType(name)
    made.__dict__.update(names)
    sys.modules[name] = made
    parent, _, last = name.rpartition(".")
    if parent in sys.modules:
        setattr(sys.modules[parent], last, made)
    return made
