# SPDX-License-Identifier: Apache-2.0
"""Arrays of one content in many forms: types, byte orders, strides, read-only, unaligned, lists."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

# What entries are: mostly ordinary numbers, sometimes what breaks careless code.
KINDS = ("normal",) * 8 + ("ties", "zeros", "large", "masked", "nan", "infinite", "huge", "tiny", "whole")


def entries(seed: int, kind: str, shape: tuple) -> np.ndarray:
    """Numbers of some kind in float64."""
    random = np.random.default_rng(seed)
    values = random.normal(size=shape)
    if kind == "ties":
        values = np.round(values)
    elif kind == "zeros":
        values = np.zeros(shape)
    elif kind == "large":
        values = values * 1e6
    elif kind == "huge":
        values = values * 1e300
    elif kind == "tiny":
        values = values * 1e-310
    elif kind == "whole":
        values = random.integers(0, 4, shape).astype(np.float64)
    elif kind in ("masked", "nan", "infinite"):
        bad = {"masked": -np.inf, "nan": np.nan, "infinite": np.inf}[kind]
        values = np.where(random.random(shape) < 0.3, bad, values)
    return values


TYPES = ("float64",) * 6 + ("float32",) * 3 + (">f8", ">f4", "float16", "longdouble", "int64", "int8", "uint16", "bool",
                                                  "complex128", "object", "str", "datetime64[s]")
_REFUSED = "cOUM"  # kinds of types that are no real numbers


def _unaligned(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind == "O":
        return array
    room = np.zeros(array.nbytes + 1, np.uint8)
    made = room[1:].view(array.dtype).reshape(array.shape)
    made[...] = array
    return made


def _strided(array: np.ndarray) -> np.ndarray:
    room = np.zeros([2 * n + 1 for n in array.shape], array.dtype)
    made = room[tuple(slice(1, None, 2) for _ in array.shape)]
    made[...] = array
    return made


def _reversed(array: np.ndarray) -> np.ndarray:
    turn = tuple(slice(None, None, -1) for _ in array.shape)
    return array[turn].copy()[turn]


def _read_only(array: np.ndarray) -> np.ndarray:
    array = array.copy()
    array.flags.writeable = False
    return array


def _moved(array: np.ndarray) -> np.ndarray:
    return np.moveaxis(np.moveaxis(array, -1, 0).copy(), 0, -1) if array.ndim else array


def _overlapping(array: np.ndarray) -> np.ndarray:
    return np.broadcast_to(array[:1], array.shape) if array.ndim > 1 and len(array) else array


LAYOUTS = {
    "plain": np.ascontiguousarray, "fortran": np.asfortranarray, "strided": _strided, "reversed": _reversed,
    "read_only": _read_only, "unaligned": _unaligned, "overlapping": _overlapping, "list": lambda array: array.tolist(),
    "masked": np.ma.masked_array, "moved": _moved,
}
_LAYOUTS = ("plain",) * 4 + tuple(LAYOUTS)


class Form(NamedTuple):
    """How an array or a tensor is given, and what its plain copy is; `refused` if the package has to refuse it."""

    given: Any
    plain: Any
    refused: bool
    single: bool  # whether it is computed in single precision
    text: str
    abstract: bool = False  # whether it has a shape, but no numbers

    def copied(self, kind: Any = None) -> Any:
        """A copy of the plain one; the numbers alone if `kind` is an array."""
        if isinstance(self.plain, np.ndarray):
            return self.plain.copy()
        if kind is np.ndarray:
            return self.plain.detach().numpy()
        return self.plain.detach().clone().requires_grad_(self.plain.requires_grad)

    def content(self) -> bytes:
        """What is given, to see whether it changes."""
        if isinstance(self.given, np.ndarray):
            return self.given.tobytes()
        if self.refused or self.abstract or isinstance(self.given, list):
            return b""
        return self.given.detach().double().numpy(force=True).tobytes()


def form(values: np.ndarray, dtype: str, layout: str) -> Form:
    """Values in some form."""
    with np.errstate(all="ignore"):
        typed = values.astype(dtype) if dtype != "datetime64[s]" else np.zeros(values.shape, dtype)
    given = LAYOUTS[layout](np.ascontiguousarray(typed).reshape(typed.shape))
    refused = layout == "masked" or (np.dtype(dtype).kind in _REFUSED and layout != "list")
    if layout == "list" and np.dtype(dtype).kind in "cUM" and values.size > 0:  # a list of nothing has no type
        refused = True
    with np.errstate(all="ignore"):
        plain = values if refused else np.array(given, np.float64, order="C", copy=True)
    single = dtype in ("float32", "float16") and layout != "list"
    shown = np.array2string(values, threshold=40, separator=",", floatmode="unique").replace("\n", "")
    return Form(given, plain, refused, single, f"{dtype} {layout} {values.shape} {shown}")


@st.composite
def forms(draw: Any, shape: tuple, kinds: tuple = KINDS, types: tuple = TYPES) -> Form:
    """An array of some shape, in any form."""
    values = entries(draw(st.integers(0, 2**32 - 1)), draw(st.sampled_from(kinds)), shape)
    return form(values, draw(st.sampled_from(types)), draw(st.sampled_from(_LAYOUTS)))
