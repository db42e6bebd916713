# SPDX-License-Identifier: Apache-2.0
"""A dependency parser with Fenchel-Young losses over trees and labels (paper §9.2); needs PyTorch and safetensors.

`fenchel-parse` trains, parses and evaluates from the shell (docs/dependency_parsing.md). From Python:

>>> import fenchel, fenchel.parsing
>>> train, dev = (fenchel.read_conllu(name) for name in ("train.conllu", "dev.conllu"))              # doctest: +SKIP
>>> fenchel.parsing.train(train, dev, "parser.safetensors", fenchel.parsing.Settings(loss="crf"))    # doctest: +SKIP
>>> fenchel.parsing.Parser.load("parser.safetensors").predict(dev)                                   # doctest: +SKIP
"""
import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING

from .evaluation import Scores, evaluate
from .settings import Settings

if _TYPE_CHECKING:
    from .parser import Parser, Tree
    from .training import train

__all__ = ["Parser", "Scores", "Settings", "Tree", "evaluate", "train"]

_WITH_TORCH = {"Parser": "parser", "Tree": "parser", "train": "training"}


def __getattr__(name: str):
    """What needs PyTorch is imported when it is first used: scores of files and the help of the commands do not."""
    if name not in _WITH_TORCH:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .failures import require_packages

    require_packages()
    return getattr(_importlib.import_module("." + _WITH_TORCH[name], __name__), name)
