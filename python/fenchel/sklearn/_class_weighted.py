# SPDX-License-Identifier: Apache-2.0
"""Estimators whose classes can have weights."""
from __future__ import annotations

from typing import TYPE_CHECKING, Optional, Union

import numpy as np

from ._linear import LinearEstimator

if TYPE_CHECKING:
    from .._types import OmegaLike


class ClassWeighted(LinearEstimator):
    """The parameter class_weight and what it does to the weights of rows."""

    def __init__(self, omega: Optional[OmegaLike] = None, *, class_weight: Union[str, dict, None] = None,
                 penalty: Optional[str] = None, reg_lambda: float = 1.0, rho: float = 1.0,
                 fit_intercept: Union[bool, str] = True, scale: Optional[str] = None, kernel: Union[str, dict, None] = None,
                 solver: Union[str, dict] = "auto", tol: Optional[float] = None, max_iter: int = 1000, warm_start: bool = False,
                 n_jobs: Optional[int] = None, random_state: Union[int, np.random.RandomState, None] = None,
                 verbose: int = 0, certificate: bool = False):
        super().__init__(omega, penalty=penalty, reg_lambda=reg_lambda, rho=rho, fit_intercept=fit_intercept,
                         scale=scale, kernel=kernel, solver=solver, tol=tol, max_iter=max_iter,
                         warm_start=warm_start, n_jobs=n_jobs, random_state=random_state, verbose=verbose,
                         certificate=certificate)
        self.class_weight = class_weight

    def _weights_of_classes(self) -> Optional[np.ndarray]:
        """One weight per class where a dictionary gives them."""
        if self.class_weight is None or isinstance(self.class_weight, str):
            if self.class_weight not in (None, "balanced"):
                raise ValueError(f"class_weight is {self.class_weight!r}; expected None, 'balanced' or a dictionary")
            return None
        if not isinstance(self.class_weight, dict):
            raise ValueError(f"class_weight is {self.class_weight!r}; expected None, 'balanced' or a dictionary")
        weights = np.ones(len(self.classes_))
        known = self.classes_.tolist()
        complete = all(label in self.class_weight for label in known)
        for key, weight in self.class_weight.items():
            found = np.flatnonzero(self.classes_ == key)
            if len(found) == 0:
                if complete:  # a class that this y happens not to have
                    continue
                raise ValueError(f"class_weight has the class {key!r} and not all of y, {self.classes_}; expected weights of "
                                 "classes of y, or of all of them and others")
            given = np.asarray(weight)
            if given.ndim or given.dtype.kind not in "biuf" or not (np.isfinite(given) and given >= 0):
                raise ValueError(f"class_weight[{key!r}] is {weight!r}; expected a number >= 0")
            weights[found[0]] = weight
        return weights

    def _balanced(self) -> str:
        return "balanced" if isinstance(self.class_weight, str) else ""
