# SPDX-License-Identifier: Apache-2.0
"""What all estimators share: parameters as C++ takes them, and driving a fit to its end."""
from __future__ import annotations

import functools
import json
import math
import numbers
import os
import sys
import time
import warnings
from collections.abc import Mapping
from typing import Any, Callable, Optional, TypeVar, Union, cast

import joblib
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .. import _core
from .._arguments import LARGEST_INT, plain_text
from .._base import Regularizer, _own_polytope, _plain_dict
from ..custom import CustomRegularizer
from ._paths import writable
from ._record import RECORD, record_of

_STEP = 0.1  # seconds of training without a look at the keyboard
_LINE = 1.0  # seconds between two lines of progress
_LARGEST_SEED = 2**31 - 1
_EXAMPLES = {
    "omega": "a name such as 'tsallis:alpha=1.5', an object such as fenchel.Tsallis(1.5) or a dictionary",
    "kernel": "a name such as 'rbf:gamma=0.5' or a dictionary; of a function of your own, kernel='precomputed' takes "
              "the values as X",
    "solver": "a name such as 'lbfgs' or 'lbfgs:memory=20'",
}


def spec_text(name: str, spec: Any) -> str:
    """Ω, a kernel or a solver as C++ reads it: a text, or the JSON of an object; None leaves Ω and the kernel to C++."""
    if spec is None and name != "solver":
        return ""
    if isinstance(spec, str):
        return plain_text(name, spec)
    if isinstance(spec, Regularizer):
        return json.dumps(spec.spec)
    if isinstance(spec, Mapping):
        return json.dumps(_plain_dict(spec))
    raise TypeError(f"{name} is {spec!r}; expected {_EXAMPLES[name]}")


def written_in_python(omega: Any) -> bool:
    """Whether an Ω, or the set of structures that it is over, is a class of the user, which has no text."""
    return isinstance(omega, CustomRegularizer) or (isinstance(omega, Regularizer) and _own_polytope(omega._spec) is not None)


def threads(n_jobs: Optional[int]) -> int:
    """The number of threads: None is one, −1 all processors, −2 all but one."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, numbers.Integral) or n_jobs == 0 or n_jobs > LARGEST_INT:
        raise ValueError(f"n_jobs is {n_jobs!r}; expected None, or a whole number <= {LARGEST_INT} other than 0")
    return int(n_jobs) if n_jobs > 0 else max(1, joblib.cpu_count() + 1 + int(n_jobs))


def seed(random_state: Any) -> int:
    """The seed of C++; None is 0, so that a fit has the same result each time."""
    if random_state is None:
        return 0
    if isinstance(random_state, numbers.Integral) and 0 <= int(random_state) < 2**64:
        return int(random_state)
    try:
        return int(check_random_state(random_state).randint(_LARGEST_SEED))
    except ValueError:
        raise ValueError(f"random_state is {random_state!r}; expected None, a whole number from 0 to 2^64 − 1 or a "
                         "numpy.random.RandomState") from None


def number(name: str, value: Any, least: float, whole: bool = False) -> Any:
    """A parameter that is a number."""
    fits = isinstance(value, numbers.Integral if whole else numbers.Real) and not isinstance(value, bool)
    most = LARGEST_INT if whole else sys.float_info.max
    if not fits or not least <= value <= most:
        above = f" and <= {most}" if fits and value > most else ""
        raise ValueError(f"{name} is {value!r}; expected a {'whole ' if whole else ''}number >= {least}{above}")
    return int(value) if whole else float(value)


def one_of(name: str, value: Any, choices: tuple) -> Any:
    """A parameter that is one of a few words."""
    word = value is None or isinstance(value, (str, bool, np.bool_, numbers.Integral))
    if not word or not any(value == choice for choice in choices):
        raise ValueError(f"{name} is {value!r}; expected one of {', '.join(repr(choice) for choice in choices)}")
    return value


Method = TypeVar("Method", bound=Callable[..., Any])


def keeps_the_model(fit: Method) -> Method:
    """For `fit`: one that fails or is interrupted leaves the estimator as it was, with its old model or with none."""

    @functools.wraps(fit)
    def fit_or_keep(self: Estimator, *arguments: Any, **named: Any) -> Any:
        before = dict(self.__dict__)
        try:
            return fit(self, *arguments, **named)
        except BaseException:
            parameters = self.get_params(deep=False)  # these are the user's, not the fit's
            self.__dict__ = {**before, **{name: self.__dict__[name] for name in parameters if name in self.__dict__}}
            raise

    return cast(Method, fit_or_keep)


class Estimator(BaseEstimator):
    """An estimator whose training is a fit of C++."""

    def __init__(self, omega: Any, penalty: Optional[str], reg_lambda: float, rho: float, solver: Union[str, dict],
                 tol: Optional[float], max_iter: int, warm_start: bool, n_jobs: Optional[int], random_state: Any, verbose: int):
        self.omega = omega
        self.penalty = penalty
        self.reg_lambda = reg_lambda
        self.rho = rho
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def get_params(self, deep: bool = True) -> dict:
        """The parameters.

        Parameters
        ----------
        deep : bool
            Also those of an Ω that is an object, as `omega__alpha`.

        Returns
        -------
        dict
            Parameters by name.
        """
        params = super().get_params(deep=deep)
        if deep and isinstance(self.omega, Regularizer) and not written_in_python(self.omega):
            params.update({f"omega__{key}": value for key, value in self.omega.spec.items() if key != "name"})
        return params

    def set_params(self, **params: Any) -> Estimator:
        """Sets parameters; `omega__alpha` replaces the Ω by one that differs in this.

        Parameters
        ----------
        **params : Any
            Parameters by name.

        Returns
        -------
        estimator
            The estimator itself.
        """
        inner = {key: value for key, value in params.items() if key.startswith("omega__")}
        super().set_params(**{key: value for key, value in params.items() if key not in inner})
        if not inner:
            return self
        if not isinstance(self.omega, Regularizer):
            raise ValueError(f"{next(iter(inner))}: omega is {self.omega!r}; expected an object such as "
                             f"fenchel.Tsallis(1.5)")
        changes = {key[len("omega__"):]: value for key, value in inner.items()}
        self.omega = Regularizer.from_spec({**self.omega.spec, **changes})
        return self

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the model to a file that `fenchel predict`, `fenchel inspect` and `load` read.

        Parameters
        ----------
        path : str or path
            The file.
        """
        name = writable(path)
        check_is_fitted(self)
        self._check_text()
        self.model_.save(name)

    def __getstate__(self) -> Any:
        if hasattr(self, "model_"):
            self._check_text()
        return super().__getstate__()

    def _has_code(self) -> bool:
        """Whether a part of the model is written in Python."""
        return written_in_python(self.omega)

    def _check_text(self) -> None:
        """TypeError for a fitted model that no file can hold."""
        if self.__dict__.get("_own_omega"):
            raise TypeError(f"omega was {self._own_omega}, which is written in Python and has no text: a fitted model of it can "
                            "be neither saved nor pickled")

    def _options(self) -> _core.FitOptions:
        options = _core.FitOptions()
        options.omega = "" if written_in_python(self.omega) else spec_text("omega", self.omega)
        if not (self.penalty is None or isinstance(self.penalty, str)):
            raise TypeError(f"penalty is {self.penalty!r}; expected None or a name such as 'l2'")
        options.penalty = plain_text("penalty", self.penalty or "")
        options.reg_lambda = number("reg_lambda", self.reg_lambda, 0)
        options.rho = number("rho", self.rho, 0)
        options.solver = spec_text("solver", self.solver)
        if self.tol is not None:
            options.tolerance = number("tol", self.tol, 0)
        options.max_iterations = number("max_iter", self.max_iter, 0, whole=True)
        options.threads = threads(self.n_jobs)
        options.seed = seed(self.random_state)
        return options

    def _results(self) -> dict:
        """How training went, as far as the model itself does not say it."""
        return {"objective_": self.objective_, "dual_gap_": self.dual_gap_, "remarks_": self.remarks_}

    def _run(self, fit: _core.Fit, depth: int) -> None:
        """Advances to the end, a moment at a time: an interrupt of the keyboard comes in between.

        A warning points to the call that is `depth` calls above.
        """
        start = shown = time.monotonic()
        for remark in fit.remarks if self.verbose else ():
            self._say(remark)
        while not fit.advance(_STEP):
            if self.verbose and time.monotonic() - shown >= _LINE:
                shown = time.monotonic()
                self._say(_progress(fit, shown - start))
        if self.verbose:
            self._say(f"{_progress(fit, time.monotonic() - start)}: {fit.status}")
        self.model_ = self._finite_model(fit)
        self._own_omega = repr(self.omega) if self._has_code() else ""
        self.n_iter_ = fit.iterations
        self.objective_ = fit.objective
        self.dual_gap_ = fit.gap
        self.solver_ = fit.solver
        self.remarks_ = fit.remarks
        record = record_of(self.get_params(deep=False), self._results())
        self.model_.provenance = {**self.model_.provenance, RECORD: record}
        if fit.status != "converged":
            warnings.warn(f"{type(self).__name__}: {fit.status} after {fit.iterations} iterations (residual "
                          f"{fit.residual:.2g}, tol {fit.tolerance:.2g}); a larger max_iter or tol, scaled features or "
                          f"a larger reg_lambda help", ConvergenceWarning, stacklevel=depth + 1)

    def _finite_model(self, fit: _core.Fit) -> _core.Model:
        """The model of a fit that has ended; ValueError if the objective or a parameter is not finite."""
        if fit.status == "diverged" or not math.isfinite(fit.objective):
            what = "the objective is not finite"
        else:
            model = fit.model()
            try:
                model.check()
                return model
            except ValueError as error:
                what = str(error)
        raise ValueError(f"{type(self).__name__}: training diverged: {what}; features may be too large for reg_lambda: scale "
                         "them, or take a larger reg_lambda")

    def _say(self, text: str) -> None:
        print(f"[{type(self).__name__}] {text}", file=sys.stderr, flush=True)


def _progress(fit: _core.Fit, seconds: float) -> str:
    gap = "" if fit.gap is None else f", gap {fit.gap:.3g}"
    return (f"iteration {fit.iterations}, objective {fit.objective:.8g}{gap}, residual {fit.residual:.2g}, "
            f"{seconds:.1f} s")
