# SPDX-License-Identifier: Apache-2.0
"""Ragged batches: a list of arrays, each an example with its own shape and, if need be, its own Ω.

An operation on a list of arrays is the operation on each of them, done in one loop in C++.
"""
from __future__ import annotations

import math
from typing import Any, Callable, Iterable, List, Sequence, Tuple, Union

import numpy as np

from . import _core
from ._arrays import any_array, real_array
from ._base import Regularizer, core_of, own_cost_of

__all__ = ["Ragged", "is_ragged"]


def is_ragged(theta: Any, omega: Any) -> bool:
    """Whether these are examples of their own: a list of Ω, a function that makes them, or arrays of several shapes."""
    if not isinstance(omega, (Regularizer, str, dict, type)) and (isinstance(omega, (list, tuple)) or callable(omega)):
        return True
    if not isinstance(theta, (list, tuple)) or not any(isinstance(example, np.ndarray) for example in theta):
        return False
    return len({np.shape(example) for example in theta}) > 1


def example_array(name: str, example: Any) -> np.ndarray:
    """One example as an array of real numbers with at least one axis."""
    return real_array(name, example)


def examples(name: str, values: Any) -> List[np.ndarray]:
    """The examples of a ragged batch as arrays."""
    if isinstance(values, (str, bytes, dict)) or not hasattr(values, "__iter__"):
        raise TypeError(f"{name} is {values!r}; expected a list of arrays, one for each example")
    return [example if type(example) is np.ndarray and example.ndim and example.dtype.kind == "f"
            else example_array(f"{name}[{i}]", example) for i, example in enumerate(values)]


def parts(flat: np.ndarray, sizes: Iterable[int], shapes: Iterable[Tuple[int, ...]]) -> List[np.ndarray]:
    """The arrays that lie in a flat one, one after the other."""
    result, position = [], 0
    for size, shape in zip(sizes, shapes):
        result.append(flat[position:position + size].reshape(shape))
        position += size
    return result


def _one_for_each(omega: Any, theta: Sequence[np.ndarray]) -> List[Any]:
    """The Ω of each example, as it is given."""
    if isinstance(omega, (list, tuple)):
        if len(omega) != len(theta):
            raise ValueError(f"omega has {len(omega)} entries; expected {len(theta)}, one for each example of theta")
        return list(omega)
    if isinstance(omega, type):
        raise TypeError(f"omega is the class {omega.__name__}; expected an object such as {omega.__name__}(...)")
    if callable(omega) and not isinstance(omega, Regularizer):
        return [omega(example) for example in theta]
    return [omega] * len(theta)


def rows_shape(core: _core.Omega, array: np.ndarray, name: str, number: int) -> Tuple[int, ...]:
    """The shape of the batch in an example; its other axes, one or more, are one vector of scores."""
    dimension = core.dimension
    if dimension is None:
        return array.shape[:-1]
    if array.size == dimension:
        return ()
    if array.shape[-1] == dimension:
        return array.shape[:-1]
    shape = core.shape
    if shape is not None and array.shape[-len(shape):] == shape:
        return array.shape[:-len(shape)]
    raise ValueError(f"{name}[{number}] has shape {array.shape}; expected {dimension} scores"
                     + (f", or the shape {shape}" if shape is not None and len(shape) > 1 else ""))


class Ragged:
    """A ragged batch as C++ takes it: the rows of all examples one after the other, and an Ω for each row."""

    def __init__(self, theta: Any, omega: Any, name: str = "theta"):
        self.name = name
        self.arrays = examples(name, theta)
        omegas = _one_for_each(omega, self.arrays)
        cores, costs = [core_of(one) for one in omegas], [own_cost_of(one) for one in omegas]
        self.leading = [rows_shape(core, array, name, i) for i, (core, array) in enumerate(zip(cores, self.arrays))]
        single = self.arrays and all(array.dtype in (np.float32, np.float16) for array in self.arrays)
        self.dtype = np.dtype(np.float32 if single else np.float64)
        self.cores: List[_core.Omega] = []
        self.costs: List[_core.Cost] = []  # none, or one for each
        with_costs = any(cost is not None for cost in costs)
        lengths: List[int] = []
        for core, cost, array, leading in zip(cores, costs, self.arrays, self.leading):
            rows = math.prod(leading)
            if with_costs:
                self.costs += [_core.Cost() if cost is None else cost] * rows
            if rows == 1:
                self.cores.append(core)
                lengths.append(array.size)
            elif rows:
                self.cores += [core] * rows
                lengths += [array.size // rows] * rows
        self.values = self.joined(self.arrays)
        self.offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)

    def joined(self, arrays: Sequence[np.ndarray]) -> np.ndarray:
        """Arrays one after the other in a flat one."""
        if not arrays:
            return np.empty(0, self.dtype)
        return np.concatenate([array.ravel() for array in arrays]).astype(self.dtype, copy=False)

    def like(self, name: str, values: Any) -> np.ndarray:
        """Other arrays with the shapes of θ, flat; each may also be flat itself."""
        arrays = examples(name, values)
        if len(arrays) != len(self.arrays):
            raise ValueError(f"{name} has {len(arrays)} examples; expected {len(self.arrays)} as {self.name} has")
        for i, (array, theta) in enumerate(zip(arrays, self.arrays)):
            if array.shape != theta.shape and array.shape != (theta.size,):
                raise ValueError(
                    f"{name}[{i}] has shape {array.shape}; expected that of {self.name}[{i}], {theta.shape}")
        return self.joined(arrays)

    def targets(self, y: Any) -> np.ndarray:
        """Targets, flat: for each example integer labels, one per row, or an array like θ."""
        if not hasattr(y, "__len__") or len(y) != len(self.arrays):
            count = f"{len(y)} examples" if hasattr(y, "__len__") else "no examples"
            raise ValueError(f"y has {count}; expected {len(self.arrays)} as {self.name} has")
        return self.like("y", [self._target(i, any_array(f"y[{i}]", target)) for i, target in enumerate(y)])

    def _target(self, i: int, target: np.ndarray) -> np.ndarray:
        theta, leading = self.arrays[i], self.leading[i]
        if target.dtype.kind not in "iu" or target.shape != leading or target.shape == theta.shape:
            return target
        if theta.shape[:-1] != leading:
            raise ValueError(f"y[{i}] is a label; expected the vector of a structure, with the shape of theta[{i}]")
        d = theta.shape[-1]
        if ((target < 0) | (target >= d)).any():
            raise ValueError(f"y[{i}] is {target}; expected labels from 0 to {d - 1}")
        rows = np.zeros((*leading, d), self.dtype)
        np.put_along_axis(rows, target[..., None].astype(np.int64), 1, axis=-1)
        return rows

    def run(self, function: Callable[..., Any], *others: Any) -> Any:
        """A function of the module on the rows of all examples."""
        try:
            return function(self.cores, self.values, *others)
        except ValueError as error:
            if any(self.leading):
                raise ValueError(f"{error} (in a batch of examples of several rows, all rows are counted)") from error
            raise

    def back(self, flat: np.ndarray) -> List[np.ndarray]:
        """A flat result as arrays with the shapes of θ."""
        return parts(flat, (array.size for array in self.arrays), (array.shape for array in self.arrays))

    def numbers(self, flat: np.ndarray) -> Union[np.ndarray, List[np.ndarray]]:
        """One number per row: an array if every example is one row, else a list of arrays."""
        if not any(self.leading):
            return flat
        return parts(flat, map(math.prod, self.leading), self.leading)

    def each(self, function: Callable[[_core.Omega, np.ndarray], Any]) -> List[Any]:
        """A function of each row and its Ω; errors say which one it was."""
        results = []
        for i, core in enumerate(self.cores):
            try:
                results.append(function(core, self.values[self.offsets[i]:self.offsets[i + 1]]))
            except ValueError as error:
                raise ValueError(f"{self.name}[{i}]: {error}") from error
        return results
