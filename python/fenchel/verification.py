# SPDX-License-Identifier: Apache-2.0
"""Models that carry a proof of how good they are."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Optional, Union

if TYPE_CHECKING:
    from ._types import ArrayLike


def verify(path: Union[str, os.PathLike[str]], X: Any, y: Any, sample_weight: Optional[ArrayLike] = None,
           tol: Optional[float] = None) -> dict:
    """How far from the optimum the model of a file is at most: `verify` of the estimator that it holds. Needs
    scikit-learn.

    The model was trained with a certificate: `certificate=True`, or `fenchel train --certificate`.

    Parameters
    ----------
    path : str or path
        The model file.
    X : array_like [n, features]
        The features that it was trained on.
    y : array_like
        The targets that it was trained on.
    sample_weight : array_like [n], optional
        The weights of the rows that it was trained with.
    tol : float, optional
        The largest gap over the primal that counts as verified; that of training if not given.

    Returns
    -------
    dict
        `verified`, `primal`, `dual`, `gap`, `relative` and, where it is not verified, `problems`.

    Raises
    ------
    ValueError
        The model has no certificate, or the file is not a model.

    Examples
    --------
    >>> import fenchel, os, tempfile
    >>> from fenchel.sklearn import FenchelYoungClassifier
    >>> X, y = [[0.0], [1.0], [2.0]], ["low", "middle", "high"]
    >>> path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
    >>> FenchelYoungClassifier("sparsemax", certificate=True).fit(X, y).save(path)
    >>> fenchel.verify(path, X, y)["verified"]
    True

    See Also
    --------
    fenchel.sklearn.load
    """
    from .sklearn import load

    return load(path).verify(X, y, sample_weight, tol)
