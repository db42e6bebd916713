# SPDX-License-Identifier: Apache-2.0
"""Where a computation runs: in the core through XLA's foreign function interface, in the core through a callback, or in
formulas of jax.numpy.

On the CPU it is the core where the extension module fenchel._jax was built, and formulas where it was not; on other
platforms formulas, chosen by jax.lax.platform_dependent when a program is lowered. What has no formula takes a callback
where the extension is missing, and is an error on other platforms.
"""
from __future__ import annotations

import contextlib
import importlib
from functools import partial
from typing import Any, Callable, NamedTuple, Optional, Sequence, Tuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.extend.core import Primitive
from jax.interpreters import batching, mlir

from .. import _core
from .._arguments import shown

Struct = jax.ShapeDtypeStruct
BACKENDS = ("auto", "core", "formula")
_TARGET = "fenchel"


def _register() -> bool:
    """Whether programs of XLA can call the core."""
    try:
        jax.ffi.register_ffi_target(_TARGET, importlib.import_module("fenchel._jax").handler, platform="cpu")
    except Exception:  # not built, or of another version of the interface: formulas and callbacks do without
        return False
    return True


HAS_HANDLER = _register()
_chosen = "auto"


class backend(contextlib.ContextDecorator):
    """Chooses where fenchel.jax computes: for a block as a context, for good without `with`.

    What was compiled before keeps what it was compiled with.

    Parameters
    ----------
    name : str
        "auto": the core on the CPU, formulas of jax.numpy on other platforms; "core": the core, an error where
        there is none; "formula": formulas everywhere, an error for what has none.

    Raises
    ------
    ValueError
        The name is unknown.
    RuntimeError
        "core" is asked for, and the package was built without it.

    Examples
    --------
    >>> import jax.numpy as jnp, fenchel.jax as fj
    >>> with fj.backend("formula"):
    ...     p = fj.sparsemax(jnp.array([1.5, 1.0, 0.0]))
    >>> print(p)
    [0.75 0.25 0.  ]

    See Also
    --------
    core_available
    """

    def __init__(self, name: str):
        global _chosen
        if name not in BACKENDS:
            raise ValueError(f"backend is {shown(name)}; expected one of {', '.join(map(repr, BACKENDS))}")
        if name == "core" and not HAS_HANDLER:
            raise RuntimeError("backend is 'core'; expected 'auto' or 'formula', as the package was built without jaxlib's "
                               "headers, or for another version of JAX")
        self._name, self._before = name, _chosen
        _chosen = name

    def __enter__(self) -> None:
        global _chosen
        _chosen = self._name

    def __exit__(self, *_: Any) -> None:
        global _chosen
        _chosen = self._before


def chosen() -> str:
    """The backend that is chosen now."""
    return _chosen


def core_available() -> bool:
    """Whether programs on the CPU call the core: the extension module was built, and suits the version of JAX.

    Returns
    -------
    bool
        False: fenchel.jax computes with formulas of jax.numpy, and with callbacks where there are none.

    Examples
    --------
    >>> import fenchel.jax as fj
    >>> fj.core_available() in (True, False)
    True

    See Also
    --------
    backend
    """
    return HAS_HANDLER


class Call(NamedTuple):
    """An operation of the core on rows."""

    operation: str
    text: str = ""
    number: float = 0.0
    whole: int = 0
    axes: int = 1  # of a row
    core: Any = None  # the object in place of a text: an Ω that is written in Python


def varying_as(value: Any, array: Array) -> Array:
    """A value that shard_map takes to vary over devices where an array does. Compilers leave the array out."""
    return jnp.where(True, value, array)


def _varies(array: Array) -> bool:
    """Whether a call is in shard_map: types have the axes of the mesh, under a name that depends on the version of JAX."""
    kind = jax.typeof(array) if hasattr(jax, "typeof") else None
    return bool(getattr(getattr(kind, "manual_axis_type", None), "varying", None) or getattr(kind, "vma", None))


def _all_varying(results: Sequence[Array], arrays: Sequence[Array]) -> tuple:
    """Results of a call that JAX cannot look into, as varying as its arguments."""
    for array in filter(_varies, arrays):
        results = [varying_as(one, array.sum().astype(one.dtype)) for one in results]
    return tuple(results)


def core_call(call: Call, results: Sequence[Any], *arrays: Array) -> Any:
    """The results of an operation of the core, in compiled programs too."""
    if HAS_HANDLER and call.core is None:
        run = jax.ffi.ffi_call(_TARGET, tuple(results), vmap_method="broadcast_all")
        found = run(*arrays, operation=call.operation, text=call.text, number=np.float64(call.number),
                    whole=np.int64(call.whole), axes=np.int64(call.axes))
    else:
        found = jax.pure_callback(partial(_by_callback, call), tuple(results), *arrays, vmap_method="broadcast_all")
    return _all_varying(found, arrays)


def _omega(call: Call) -> Any:
    return _core.Omega(call.text) if call.core is None else call.core


def _soft(name: str) -> Callable[..., Tuple[np.ndarray, ...]]:
    return lambda call, *rows: (getattr(_core, name)(*rows, call.number, call.text, bool(call.whole), 1),)


def _soft_dtw(call: Call, cost: np.ndarray) -> Tuple[np.ndarray, ...]:
    return _core.dtw(cost, call.whole, 1) if call.number == 0 else _core.soft_dtw_gradient(cost, call.number, call.whole, 1)


def _double(mu: np.ndarray) -> np.ndarray:
    return mu.astype(np.float64, copy=False)


_OPERATIONS: dict[str, Callable[..., Tuple[np.ndarray, ...]]] = {
    "predict": lambda call, theta: (_omega(call).predict(theta, None, 1),),
    "jvp": lambda call, theta, v: (_omega(call).jvp(theta, v, 1),),
    "conjugate": lambda call, theta: (_omega(call).conjugate(theta, 1),),
    "loss": lambda call, theta, y: _core.Loss(_omega(call)).value_and_gradient(
        theta, y.astype(np.int64) if y.dtype.kind == "i" else y, 1),
    "value": lambda call, mu: (_omega(call).value(_double(mu)),),
    "link": lambda call, mu: (_omega(call).gradient(_double(mu)),),
    "entmax": lambda call, theta, alphas: (_core.entmax_rows(theta, _double(alphas), 1),),
    "soft_dtw": _soft_dtw,
    **{name: _soft(name) for name in ("soft_rank", "soft_rank_vjp", "soft_sort", "soft_sort_vjp", "soft_sort_jvp")},
}


def _by_callback(call: Call, *given: Any) -> Tuple[np.ndarray, ...]:
    """What the handler does, in NumPy: rows that the core refuses are NaN."""
    arrays = [np.ascontiguousarray(one) for one in given]
    shape, dtype = arrays[0].shape, arrays[0].dtype
    batch, row = shape[:len(shape) - call.axes], shape[len(shape) - call.axes:]
    count = int(np.prod(batch))
    rows = [one.reshape(count, *one.shape[len(batch):]) for one in arrays]
    operation = _OPERATIONS[call.operation]
    try:
        found = operation(call, *rows)
    except ValueError:
        parts: list[Any] = []
        for i in range(count):
            try:
                parts.append(operation(call, *(one[i:i + 1] for one in rows)))
            except ValueError:
                parts.append(None)
        found = _joined(parts, call, row)
    return tuple(np.asarray(one, dtype).reshape((*batch, *one.shape[1:])) for one in found)


_NUMBERS = ("conjugate", "value")  # operations with a number for each row
_PAIRS = ("loss", "soft_dtw")  # with a number and a row


def _joined(parts: list, call: Call, row: tuple) -> Tuple[np.ndarray, ...]:
    """Results of single rows together, NaN for those that have none."""
    number, whole = np.full((1,), np.nan), np.full((1, *row), np.nan)
    missing = (number,) if call.operation in _NUMBERS else (number, whole) if call.operation in _PAIRS else (whole,)
    return tuple(np.concatenate(columns) for columns in zip(*(missing if one is None else one for one in parts)))


def _refuse(*_: Any, message: str, **__: Any) -> Any:
    raise NotImplementedError(message)


# Stands for what a platform has no formula for: programs can hold it, but it cannot be lowered.
_missing = Primitive("fenchel_missing")
_missing.multiple_results = True
_missing.def_impl(_refuse)
_missing.def_abstract_eval(lambda *_, results, message: [jax.core.ShapedArray(shape, dtype) for shape, dtype in results])
mlir.register_lowering(_missing, _refuse)


def _batch_missing(arrays: Any, axes: Any, *, results: tuple, message: str) -> Any:
    size = next(one.shape[axis] for one, axis in zip(arrays, axes) if axis is not None)
    grown = tuple(((size, *shape), dtype) for shape, dtype in results)
    return _missing.bind(*arrays, results=grown, message=message), [0] * len(results)


batching.primitive_batchers[_missing] = _batch_missing


def run(place: str, name: str, call: Call, results: Sequence[Any], formula: Optional[Callable[..., Any]],
        *arrays: Array) -> Any:
    """The results, a tuple, of an operation: of the core, or of its formula."""
    if place == "formula" and formula is None:
        raise NotImplementedError(f"{name} has no formula in jax.numpy; expected the backend 'auto' or 'core'")
    if place == "formula" or (not HAS_HANDLER and formula is not None):
        return formula(*arrays)  # type: ignore[misc]

    def core(*given: Array) -> Any:
        return core_call(call, results, *given)

    if place == "core" or call.core is not None or not HAS_HANDLER:
        return core(*arrays)
    shapes = tuple((one.shape, np.dtype(one.dtype)) for one in results)

    def missing(*given: Array) -> Any:
        return _all_varying(_missing.bind(*given, results=shapes, message=f"{name} runs on the CPU alone: it has no formula in "
                                          "jax.numpy; see the table in docs/python_jax.md"), given)

    return lax.platform_dependent(*arrays, cpu=core, default=formula or missing)
