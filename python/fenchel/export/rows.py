# SPDX-License-Identifier: Apache-2.0
"""Models of rows, linear ones and those with kernels: x → θ → ŷ_Ω(θ/t) and the answers, recorded from tensor operations.

    x' = (x − mean)/scale with missing values filled, θ = W x' + b or θ = Σ a_i k(x_i, x')
"""
from __future__ import annotations

import json
import logging
import warnings
from typing import Any, Callable, Optional

import numpy as np

from .model_arrays import ModelArrays
from .onnx_files import installed

try:
    import torch
    from torch import Tensor, nn
except ImportError as error:
    raise installed("torch", error) from None

from ..torch import _rows

Predict = Callable[[Tensor], Tensor]

_THRESHOLD = 0.5  # above which a label is in a set
# Answers that follow from scores alone, without ŷ.
_BY_SCORES = ("classification", "ranking", "label-ranking")


def predictor(omega: dict) -> Optional[Predict]:
    """ŷ_Ω in tensor operations, or None where there are none."""
    if omega["name"] == "argmax":
        return lambda theta: nn.functional.one_hot(theta.argmax(-1), theta.shape[-1]).to(theta.dtype)
    if omega["name"] == "map" and omega["polytope"]["name"] == "cube":
        return lambda theta: (theta > 0).to(theta.dtype)
    if omega["name"] == "one_vs_all":
        of_two = predictor(omega["entropy"])
        if of_two is None:
            return None
        return lambda theta: of_two(torch.stack([theta, torch.zeros_like(theta)], -1))[..., 0]
    plan = _rows.plan_of(json.dumps(omega))
    return (lambda theta: _rows.predict(theta, plan)) if plan.kind else None


def kernel_of(arrays: ModelArrays, kind: torch.dtype) -> Optional[_Kernel]:
    """k(x_i, x') for the rows of the support, or None for linear models."""
    if "kernel" not in arrays.metadata:
        return None
    spec = json.loads(arrays.metadata["kernel"])
    if spec["name"] == "precomputed":
        raise ValueError("the model has a precomputed kernel, which the file does not know; expected a linear, rbf or "
                         "polynomial one")
    features = int(arrays.metadata["features"])
    rows = arrays.arrays["dense"] if "dense" in arrays.arrays else arrays.sparse("sparse", features)
    return _Kernel(spec, torch.from_numpy(rows.copy()).to(kind))


class _Kernel(nn.Module):
    """k(x_i, x) for rows x_i: linear, rbf exp(−gamma ‖x − x_i‖²), polynomial (gamma ⟨x, x_i⟩ + coef0)^degree."""

    rows: Tensor
    squares: Tensor

    def __init__(self, spec: dict, rows: Tensor):
        super().__init__()
        self.spec = spec
        self.register_buffer("rows", rows)
        self.register_buffer("squares", (rows * rows).sum(-1))

    def forward(self, x: Tensor) -> Tensor:
        value = x @ self.rows.T
        if self.spec["name"] == "rbf":
            distances = (x * x).sum(-1, keepdim=True) + self.squares - 2 * value
            value = (-self.spec["gamma"] * distances.clamp(min=0)).exp()
        elif self.spec["name"] == "polynomial":
            value = (self.spec["gamma"] * value + self.spec["coef0"]) ** self.spec["degree"]
        return value + self.spec.get("constant", 0.0)


class RowModel(nn.Module):
    """From rows of features to scores, outputs and answers."""

    weights: Tensor
    intercept: Optional[Tensor]
    fill: Optional[Tensor]
    mean: Optional[Tensor]
    scale: Optional[Tensor]

    def __init__(self, arrays: ModelArrays, kind: torch.dtype):
        super().__init__()
        self.task, self.temperature = arrays.metadata["task"], arrays.temperature
        self.predict = predictor(json.loads(arrays.metadata["omega"])) if self.task != "ranking" else None
        if self.predict is None and self.task not in _BY_SCORES:
            raise ValueError(f"the prediction of {arrays.metadata['omega']} has no tensor operations, and {self.task} needs it; "
                             "expected an Ω of the Tsallis family, a norm, a coordinatewise Ω, or argmax")
        self.kernel = kernel_of(arrays, kind)
        weights = arrays.arrays["weights"] if self.kernel is None else \
            arrays.sparse("coefficients", int(arrays.metadata["outputs"]))
        given = {"weights": weights, "intercept": arrays.arrays.get("intercept"), "fill": arrays.arrays.get("fill"),
                 "mean": arrays.arrays.get("scaling.mean"), "scale": arrays.arrays.get("scaling.scale")}
        for name, array in given.items():
            self.register_buffer(name, None if array is None else torch.from_numpy(np.array(array)).to(kind))

    @property
    def features(self) -> int:
        return self.weights.shape[0] if self.kernel is None else self.kernel.rows.shape[1]

    @property
    def results(self) -> list[str]:
        """The names of what comes out."""
        labels = self.task in ("classification", "proportions", "multilabel", "label-ranking")
        return ["scores"] + ["outputs"] * (self.predict is not None) + ["labels"] * labels

    def forward(self, features: Tensor) -> tuple[Tensor, ...]:
        x = features
        if self.fill is not None:
            x = torch.where(x.isnan(), self.fill, x)
        if self.mean is not None:
            x = x - self.mean
        if self.scale is not None:
            x = x / self.scale
        scores = (x if self.kernel is None else self.kernel(x)) @ self.weights
        if self.intercept is not None:
            scores = scores + self.intercept
        found = {"scores": scores}
        if self.predict is not None:
            found["outputs"] = self.predict(scores / self.temperature)
        if self.task in ("classification", "proportions"):
            found["labels"] = scores.argmax(-1)
        elif self.task == "multilabel":
            found["labels"] = found["outputs"] > _THRESHOLD
        elif self.task == "label-ranking":
            found["labels"] = scores.topk(scores.shape[-1]).indices
        return tuple(found[name] for name in self.results)


def graph(arrays: ModelArrays, precision: str) -> tuple[Any, list[str]]:
    """The ONNX model, and what it has not."""
    try:
        import onnx  # noqa: F401
        import onnxscript  # noqa: F401
    except ImportError as error:
        raise installed(str(error.name), error) from None
    model = RowModel(arrays, torch.float64 if precision == "double" else torch.float32).eval()
    proto = _recorded(model)
    remarks = []
    if model.predict is None and model.task != "ranking":
        remarks.append(f"the prediction of {arrays.metadata['omega']} has no tensor operations: the file has scores and "
                       "labels, and no outputs")
    elif model.task == "ranking":
        remarks.append("the file has the scores of documents, whose order is the answer, and no outputs, which need whole "
                       "queries")
    return proto, remarks


def _recorded(model: RowModel) -> Any:
    """The ONNX model that torch records, without what it notes of this machine."""
    rows = torch.zeros(2, model.features, dtype=model.weights.dtype)
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = torch.onnx.export(model, (rows,), dynamo=True, verbose=False, input_names=["features"],
                                        output_names=model.results, dynamic_shapes=({0: torch.export.Dim("rows")},))
    finally:
        logger.setLevel(level)
    assert program is not None
    proto = program.model_proto
    for part in (proto, proto.graph, *proto.graph.node, *proto.graph.value_info, *proto.graph.input, *proto.graph.output):
        part.ClearField("metadata_props")
        part.ClearField("doc_string")
    return proto
