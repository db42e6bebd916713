# SPDX-License-Identifier: Apache-2.0
"""Losses L_Ω(θ + c_y; y) with the costs c_y that they add to the scores (paper §3.4), as C++ takes them."""
from __future__ import annotations

from typing import Any, Callable, Optional

import numpy as np

from . import _core
from ._arrays import real_array
from ._base import core_of, own_cost_of

EXPECTED = ("'zero_one', 'hamming' (over structures), a vector of costs, a matrix with a row of costs for each label, or a "
            "function of y")


class _Function:
    """A function of y that gives its costs, checked."""

    def __init__(self, function: Callable[[np.ndarray], Any], shape: Optional[tuple]):
        self._function, self._shape = function, shape

    def __call__(self, y: np.ndarray) -> np.ndarray:
        given = y if self._shape is None else y.reshape(self._shape)
        costs = real_array("the result of cost", self._function(given)).astype(np.float64).reshape(-1)
        if costs.size != y.size or not np.isfinite(costs).all():
            raise ValueError(f"cost returned {costs.size} numbers; expected {y.size}, all of them finite")
        return costs


def loss_of(omega: Any, cost: Any, d: int) -> _core.Loss:
    """The loss of rows of d scores, with costs from what a user may give: in a name such as "hinge", or beside Ω."""
    core, own = core_of(omega), own_cost_of(omega)
    if own is not None:
        no_other_cost(omega, cost)
        return _core.Loss(core, own)
    return _core.Loss(core) if cost is None else _core.Loss(core, _cost_of(cost, core, d))


def no_other_cost(omega: Any, cost: Any) -> None:
    """Refuses a cost beside a name that has one."""
    if cost is not None:
        raise ValueError(f"cost is given, and omega is {omega!r}; expected an Ω without a cost of its own, such as "
                         "'argmax' for hinge losses")


def _cost_of(cost: Any, core: _core.Omega, d: int) -> _core.Cost:
    """What a user may give but for None."""
    if isinstance(cost, str):
        if cost not in ("zero_one", "hamming"):
            raise ValueError(f"cost is {cost!r}; expected {EXPECTED}")
        return _core.Cost.zero_one() if cost == "zero_one" else _core.Cost.hamming(core, 1.0)
    if callable(cost) and not isinstance(cost, type):
        return _core.Cost.of(_Function(cost, core.shape))
    costs = np.ascontiguousarray(real_array("cost", cost, EXPECTED), dtype=np.float64)
    if not np.isfinite(costs).all():
        raise ValueError(f"cost has the entry {costs[~np.isfinite(costs)][0]}; expected finite numbers")
    if costs.shape == (d, d):
        return _core.Cost.by_label(costs)
    if costs.size != d:
        raise ValueError(f"cost has shape {costs.shape}; expected ({d},), or ({d}, {d}) with a row for each label")
    return _core.Cost.fixed(costs.reshape(-1))
