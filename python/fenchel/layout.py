# SPDX-License-Identifier: Apache-2.0
"""How the examples of a distribution lie in arrays: in a batch of one shape, in a padded batch, or in a list.

C++ takes the scores of all examples one after the other; a layout makes that form, and arrays from results.
"""
from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Sequence, Tuple, Union

import numpy as np

from . import _core
from ._base import Polytope, polytope_of
from .ragged import example_array, examples, parts

__all__ = ["Layout", "layout_of"]


def _joined(arrays: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate([array.ravel() for array in arrays] or [np.empty(0)])


class Layout:
    """Examples one after the other: their sets, their scores in double, and where each begins."""

    uniform = False  # whether all examples have the same set
    description = ""

    def __init__(self, polytopes: List[Polytope], scores: Union[np.ndarray, List[np.ndarray]], dtype: np.dtype):
        self.polytopes = polytopes
        self.count = len(polytopes)
        self.sizes = np.array([core.dimension for core in self.cores], dtype=np.int64)
        flat = scores.ravel() if isinstance(scores, np.ndarray) else _joined(scores)
        self.values = flat.astype(np.float64, copy=False)
        self.offsets = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)
        self.dtype = np.dtype(np.float32) if dtype in (np.float32, np.float16) else np.dtype(np.float64)

    @property
    def cores(self) -> List[_core.Polytope]:
        """The C++ object of each set."""
        made: Dict[int, _core.Polytope] = {}
        return [made.get(id(one)) or made.setdefault(id(one), one.core) for one in self.polytopes]

    def vectors(self, flat: np.ndarray) -> Any:
        """One vector per example."""
        raise NotImplementedError

    def numbers(self, flat: np.ndarray) -> Any:
        """One number per example."""
        raise NotImplementedError

    def blocks(self, flat: np.ndarray, counts: np.ndarray, least: int = 1) -> Any:
        """Several vectors per example; in one array room for `least` or more."""
        raise NotImplementedError

    def rows(self, flat: np.ndarray, counts: np.ndarray, fill: float) -> Any:
        """Several numbers per example."""
        raise NotImplementedError

    def structures(self, y: Any, name: str = "y") -> Tuple[np.ndarray, np.ndarray, bool]:
        """Vectors given by the caller: flat, how many each example has, and whether they have an axis of their own."""
        raise NotImplementedError


class Padded(Layout):
    """A batch in one array; `places` are the entries of the array's vectors that an example uses."""

    def __init__(self, polytope: Polytope, theta: np.ndarray, parts: Union[None, List[Tuple[Polytope, np.ndarray]]],
                 leading: Tuple[int, ...]):
        self.leading, self.event = leading, theta.shape[len(leading):]
        self.size = polytope.core.dimension
        count = math.prod(leading)
        vectors = theta.reshape(count, self.size)
        self.uniform = parts is None
        self.places = None if parts is None else [place for _, place in parts]
        polytopes = [polytope] * count if parts is None else [part for part, _ in parts]
        scores = vectors if self.places is None else [row[place] for row, place in zip(vectors, self.places)]
        super().__init__(polytopes, scores, theta.dtype)
        self.description = f"batch {leading}" + ("" if self.uniform else " with lengths")

    def vectors(self, flat: np.ndarray) -> np.ndarray:
        return self.blocks(flat, np.ones(self.count, np.int64)).reshape(*self.leading, *self.event)

    def numbers(self, flat: np.ndarray) -> Any:
        return flat.reshape(self.leading)[()]

    def blocks(self, flat: np.ndarray, counts: np.ndarray, least: int = 1) -> np.ndarray:
        most = int(counts.max(initial=least))
        if self.places is None and (counts == most).all():
            return flat.astype(self.dtype, copy=False).reshape(*self.leading, most, *self.event)
        result = np.zeros((self.count, most, self.size), self.dtype)
        position = 0
        for i, count in enumerate(counts):
            size = int(count * self.sizes[i])
            place = slice(None) if self.places is None else self.places[i]
            result[i][:count, place] = flat[position:position + size].reshape(count, -1)
            position += size
        return result.reshape(*self.leading, most, *self.event)

    def rows(self, flat: np.ndarray, counts: np.ndarray, fill: float) -> np.ndarray:
        most = int(counts.max(initial=1))
        result = np.full((self.count, most), fill)
        result[np.arange(most) < counts[:, None]] = flat
        return result.reshape(*self.leading, most)

    def structures(self, y: Any, name: str = "y") -> Tuple[np.ndarray, np.ndarray, bool]:
        y = example_array(name, y)
        for event in (self.event, (self.size,)):
            axes = y.ndim - len(event)
            leading = y.shape[:max(axes, 0)]
            if y.shape[max(axes, 0):] == event and leading in (self.leading, (*self.leading, *leading[-1:])):
                break
        else:
            raise ValueError(f"{name} has shape {y.shape}; expected that of theta, {self.leading + self.event}")
        several = axes > len(self.leading)
        count = y.shape[axes - 1] if several else 1
        rows = y.reshape(self.count, count, self.size)
        counts = np.full(self.count, count, np.int64)
        if self.places is None:
            return rows.astype(np.float64, copy=False).ravel(), counts, several
        used = []
        for i, place in enumerate(self.places):
            outside = np.delete(rows[i], place, axis=-1)
            if name == "y" and outside.any():
                raise ValueError(f"example {i}: y is not 0 in the padding")
            used.append(rows[i][:, place])
        return _joined(used).astype(np.float64, copy=False), counts, several


class Listed(Layout):
    """A ragged batch: a list of arrays."""

    def __init__(self, polytopes: List[Polytope], arrays: List[np.ndarray]):
        self.shapes = [array.shape for array in arrays]
        for i, (polytope, array) in enumerate(zip(polytopes, arrays)):
            core = polytope.core
            if array.size != core.dimension:
                raise ValueError(f"theta[{i}] has shape {array.shape}; expected {core.shape}, that of {polytope!r}")
        single = bool(arrays) and all(array.dtype in (np.float32, np.float16) for array in arrays)
        super().__init__(polytopes, arrays, np.dtype(np.float32 if single else np.float64))
        self.description = f"{len(arrays)} examples"

    def vectors(self, flat: np.ndarray) -> List[np.ndarray]:
        return [block[0] for block in self.blocks(flat, np.ones(self.count, np.int64))]

    def numbers(self, flat: np.ndarray) -> np.ndarray:
        return flat

    def blocks(self, flat: np.ndarray, counts: np.ndarray, least: int = 1) -> List[np.ndarray]:
        return parts(flat.astype(self.dtype, copy=False), (counts * self.sizes).tolist(),
                     ((count, *shape) for count, shape in zip(counts.tolist(), self.shapes)))

    def rows(self, flat: np.ndarray, counts: np.ndarray, fill: float) -> List[np.ndarray]:
        return parts(flat, counts.tolist(), ((count,) for count in counts.tolist()))

    def structures(self, y: Any, name: str = "y") -> Tuple[np.ndarray, np.ndarray, bool]:
        arrays = examples(name, y)
        if len(arrays) != self.count:
            raise ValueError(f"{name} has {len(arrays)} examples; expected {self.count} as theta has")
        several = any(array.ndim > len(shape) for array, shape in zip(arrays, self.shapes))
        for i, (array, shape) in enumerate(zip(arrays, self.shapes)):
            if (array.shape[1:] if several else array.shape) != shape:
                raise ValueError(f"{name}[{i}] has shape {array.shape}; expected that of theta[{i}], {shape}")
        counts = np.array([array.size // size for array, size in zip(arrays, self.sizes)], np.int64)
        return _joined(arrays).astype(np.float64, copy=False), counts, several


def layout_of(polytope: Any, theta: Any, lengths: Any) -> Layout:
    """The layout that these arguments of a distribution stand for."""
    if isinstance(polytope, (list, tuple)) or not isinstance(polytope, Polytope):
        if lengths is not None:
            raise ValueError("lengths is given; expected none with a list of polytopes")
        arrays = examples("theta", theta)
        return Listed(_one_for_each(polytope, arrays), arrays)
    array = example_array("theta", theta)
    core = polytope.core  # a set of the user may say its dimension alone, or its shape
    shape = core.shape
    if array.shape[-1] == core.dimension:
        leading = array.shape[:-1]
    elif array.ndim >= len(shape) and array.shape[-len(shape):] == shape:
        leading = array.shape[:-len(shape)]
    else:
        raise ValueError(
            f"theta has shape {array.shape}; expected {shape}, that of {polytope!r}, after the axes of a batch")
    return Padded(polytope, array, None if lengths is None else _parts(polytope, lengths, leading), leading)


def _one_for_each(polytope: Union[Sequence[Any], Callable[[np.ndarray], Any]],
                  arrays: List[np.ndarray]) -> List[Polytope]:
    if callable(polytope):
        return [polytope_of(polytope(array)) for array in arrays]
    if len(polytope) != len(arrays):
        raise ValueError(f"polytope has {len(polytope)} entries; expected {len(arrays)}, one for each example of theta")
    return [polytope_of(one) for one in polytope]


def _parts(polytope: Polytope, lengths: Any, leading: Tuple[int, ...]) -> List[Tuple[Polytope, np.ndarray]]:
    """The set of each length, and the entries of the padded vectors that it uses."""
    given = np.asarray(lengths)
    if given.dtype.kind not in "iu":
        raise TypeError(f"lengths has dtype {given.dtype}; expected whole numbers")
    axes = len(polytope.length_parameters)
    if axes == 0:
        raise ValueError(f"lengths is given; structures of {polytope!r} have no length")
    expected = leading if axes == 1 else (*leading, axes)
    if given.shape != expected:
        raise ValueError(f"lengths has shape {given.shape}; expected {expected}, "
                         f"{'one' if axes == 1 else axes} for each example of theta")
    made = {}
    rows = given.reshape(math.prod(leading), axes).tolist()
    for row in rows:
        if tuple(row) not in made:
            made[tuple(row)] = polytope.of_length(*row)
    return [made[tuple(row)] for row in rows]
