# SPDX-License-Identifier: Apache-2.0
"""Paths of model files, with the errors that Python has for them."""
from __future__ import annotations

import errno
import os
from typing import Any


def path_text(path: Any) -> str:
    """The path as a text."""
    try:
        text = os.fsdecode(path)
        os.fsencode(text)
    except TypeError:
        raise TypeError(f"path is {path!r}; expected a text or an object such as pathlib.Path") from None
    except UnicodeEncodeError:
        raise ValueError(f"path is {path!r}; expected a text without lone surrogates") from None
    if "\0" in text:
        raise ValueError(f"path is {path!r}; expected no null character in it")
    return text


def readable(path: Any) -> str:
    """The path of a file that is there."""
    name = path_text(path)
    if not os.path.exists(name):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    return _no_folder(name)


def writable(path: Any) -> str:
    """The path of a file in a folder that is there."""
    name = path_text(path)
    if not os.path.isdir(os.path.dirname(name) or os.curdir):
        raise FileNotFoundError(errno.ENOENT, "No such folder for the file", name)
    return _no_folder(name)


def _no_folder(name: str) -> str:
    if os.path.isdir(name):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    return name
