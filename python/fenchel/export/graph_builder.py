# SPDX-License-Identifier: Apache-2.0
"""ONNX graphs written as calls: `g("Add", a, b)` adds a node and returns the name of its result."""
from __future__ import annotations

import itertools
from typing import Any, Iterator, Optional, Sequence

import numpy as np

from .onnx_files import installed

try:
    import onnx
    from onnx import helper, numpy_helper
except ImportError as error:
    raise installed("onnx", error) from None

_OPSET, _IR = 18, 10


class Graph:
    """A graph, or the body of a Scan, which sees the names of the graph around it."""

    def __init__(self, kind: type, around: Optional[Graph] = None):
        self.kind = kind
        self._root: Graph = self if around is None else around._root
        self._nodes: list[Any] = []
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []
        self._constants: list[Any] = []
        self._numbers: Iterator[int] = itertools.count() if around is None else around._numbers

    def _new(self, hint: str) -> str:
        return f"{hint}_{next(self._numbers)}"

    def __call__(self, operation: str, *inputs: str, **attributes: Any) -> str:
        name = self._new(operation.lower())
        self._nodes.append(helper.make_node(operation, inputs, [name], name=f"node_{name}", **attributes))
        return name

    def part(self) -> Graph:
        """The body of a Scan."""
        return Graph(self.kind, self)

    def input(self, name: str, kind: type, shape: Sequence) -> str:
        name = name if self is self._root else self._new(name)
        self._inputs.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(kind)), shape))
        return name

    def output(self, name: str, value: str, kind: type, shape: Sequence) -> str:
        name = name if self is self._root else self._new(name)
        self._nodes.append(helper.make_node("Identity", [value], [name], name=f"node_{name}"))
        self._outputs.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(kind)), shape))
        return name

    def constant(self, name: str, array: np.ndarray) -> str:
        name = self._root._new(name)
        self._root._constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def whole(self, value: Any) -> str:
        return self.constant("whole", np.array(value, np.int64))

    def number(self, value: float) -> str:
        return self.constant("number", np.array(value, self.kind))

    def scan(self, body: Graph, states: Sequence[str], over: Sequence[str], *, axes: Sequence[int],
             output_axes: Sequence[int], reverse: bool = False) -> list[str]:
        """Final states, and what the body gave at each step; from the last step to the first where `reverse`."""
        names = [self._new("scan") for _ in body._outputs]
        graph = helper.make_graph(body._nodes, self._new("body"), body._inputs, body._outputs)
        direction = int(reverse)
        self._nodes.append(helper.make_node(
            "Scan", [*states, *over], names, name=f"node_{names[0]}", body=graph, num_scan_inputs=len(over),
            scan_input_axes=list(axes), scan_output_axes=list(output_axes), scan_input_directions=[direction] * len(over),
            scan_output_directions=[direction] * len(output_axes)))
        return names

    def model(self, name: str) -> Any:
        """The whole as a model, checked."""
        graph = helper.make_graph(self._nodes, name, self._inputs, self._outputs, self._constants)
        proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR)
        if proto.ByteSize() < 2**31:
            onnx.checker.check_model(proto, full_check=True)
        return proto
