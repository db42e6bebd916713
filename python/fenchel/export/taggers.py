# SPDX-License-Identifier: Apache-2.0
"""Taggers: scores of labels from numbers of attributes, the best labels (Viterbi), and marginals, as an ONNX graph of Scan.

    u_t = Σ_a x_{t,a} w(a, ·)                                     (θ, divided by the temperature)
    α_0 = u_0 + start, α_t(j) = u_t(j) + ⊕_i (α_{t−1}(i) + T_ij)      with ⊕ = max, or log Σ exp
    β_t(i) = ⊕_j (T_ij + u_{t+1}(j) + β_{t+1}(j)), β = end where a sentence ends; μ_t = exp(α_t + β_t − log Z)
"""
from __future__ import annotations

import json
from typing import Any

import numpy as np

from .graph_builder import Graph
from .model_arrays import ModelArrays

_CRF = ("crf", "marginal", "logistic")


def weights(arrays: ModelArrays) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """States [attributes + 1, m], whose last row is 0, transitions [m, m], start and end [m]; divided by the temperature."""
    m, attributes = len(arrays.strings("labels")), len(arrays.strings("attributes"))
    parameters = arrays.arrays["parameters"] / arrays.temperature
    states = np.zeros((attributes + 1, m))
    if "state_offsets" in arrays.arrays:
        labels = arrays.arrays["state_labels"]
        owners = np.repeat(np.arange(attributes), np.diff(arrays.arrays["state_offsets"]))
        states[owners, labels] = parameters[:len(labels)]
        begin = len(labels)
    else:
        begin = attributes * m
        states[:attributes] = parameters[:begin].reshape(attributes, m)
    pairs = arrays.arrays["transitions"]
    transitions = np.zeros(m * m)
    transitions[pairs] = parameters[begin:begin + len(pairs)]
    begin += len(pairs)
    ends = parameters[begin:begin + 2 * m].reshape(2, m) if arrays.metadata["boundary"] == "true" else np.zeros((2, m))
    return states, transitions.reshape(m, m), ends[0], ends[1]


def vocabulary(arrays: ModelArrays) -> dict:
    """What a program needs to make numbers of sentences, and names of labels."""
    found = {"format": "fenchel.tagger_vocabulary.1", "attributes": arrays.strings("attributes"),
             "labels": arrays.strings("labels"), "templates": arrays.metadata["templates"],
             "joined_by": arrays.metadata.get("joined_by", "="), "columns": int(arrays.metadata.get("columns", 0))}
    if "clusters.numbers" in arrays.arrays:
        names = arrays.strings("clusters.names")
        found["clusters"] = {word: names[number] for word, number in
                             zip(arrays.strings("clusters.words"), arrays.arrays["clusters.numbers"].tolist())}
    return found


def graph(arrays: ModelArrays, precision: str) -> tuple[Any, list[str]]:
    """The ONNX model, and what it has not."""
    kind = np.float64 if precision == "double" else np.float32
    states, transitions, start, end = (part.astype(kind) for part in weights(arrays))
    m = len(start)
    g = Graph(kind)
    ids = g.input("attributes", np.int64, ["sentences", "tokens", "width"])
    values = g.input("values", kind, ["sentences", "tokens", "width"])
    lengths = g.input("lengths", np.int64, ["sentences"])
    each = g("Mul", g("Gather", g.constant("states", states), ids), g("Unsqueeze", values, g.whole([-1])))
    scores = g.output("scores", g("ReduceSum", each, g.whole([2]), keepdims=0), kind, ["sentences", "tokens", m])
    constants = _Constants(g, transitions, start, end)
    steps = g("Range", g.whole(0), g("Squeeze", g("Shape", ids, start=1, end=2)), g.whole(1))
    inside = g("Less", g("Unsqueeze", steps, g.whole([0])), g("Unsqueeze", lengths, g.whole([1])))
    length = g("Unsqueeze", lengths, g.whole([1]))

    tags = _viterbi(g, constants, scores, steps, length)
    g.output("labels", g("Where", inside, tags, g.whole(-1)), np.int64, ["sentences", "tokens"])
    loss = arrays.metadata["omega"]
    name = json.loads(loss)["name"] if loss.startswith("{") else loss.partition(":")[0]
    remarks = []
    if name in _CRF:
        marginals = _marginals(g, constants, scores, steps, length)
        kept = g("Where", g("Unsqueeze", inside, g.whole([2])), marginals, g.number(0))
        g.output("marginals", kept, kind, ["sentences", "tokens", m])
    else:
        remarks.append(f"the tagger was trained with {loss}: the file has scores and the best labels, and no marginals, "
                       "which are those of a CRF")
    return g.model("fenchel tagger"), remarks


class _Constants:
    """Names of what both recursions read."""

    def __init__(self, g: Graph, transitions: np.ndarray, start: np.ndarray, end: np.ndarray):
        self.labels = len(start)
        self.transitions = g.constant("transitions", transitions)
        self.start, self.end = g.constant("start", start), g.constant("end", end)


def _log_sum(g: Graph, x: str, axis: int) -> str:
    """log Σ exp along an axis, which goes."""
    top = g("ReduceMax", x, g.whole([axis]), keepdims=1)
    total = g("ReduceSum", g("Exp", g("Sub", x, top)), g.whole([axis]), keepdims=0)
    return g("Add", g("Log", total), g("Squeeze", top, g.whole([axis])))


def _forward(g: Graph, c: _Constants, scores: str, steps: str, length: str, best: bool) -> list[str]:
    """α after the last token of each sentence, and of every token what the way back needs: its best forerunners, or α."""
    body = g.part()
    alpha = body.input("alpha", g.kind, ["sentences", c.labels])
    u = body.input("u", g.kind, ["sentences", c.labels])
    step = body.input("step", np.int64, [])
    before = body("Add", body("Unsqueeze", alpha, body.whole([2])), c.transitions)
    reduced = body("ReduceMax", before, body.whole([1]), keepdims=0) if best else _log_sum(body, before, 1)
    first = body("Equal", step, body.whole(0))
    later = body("Add", u, body("Where", first, c.start, reduced))
    active = body("Less", step, length)
    now = body("Where", active, later, alpha)
    body.output("next_alpha", now, g.kind, ["sentences", c.labels])
    if best:
        moved = body("And", active, body("Not", first))
        forerunners = body("Where", moved, body("ArgMax", before, axis=1, keepdims=0), body.whole(range(c.labels)))
        body.output("forerunners", forerunners, np.int64, ["sentences", c.labels])
    else:
        body.output("kept_alpha", body("Identity", now), g.kind, ["sentences", c.labels])
    begin = g("Mul", g("ReduceSum", scores, g.whole([1]), keepdims=0), g.number(0))
    return g.scan(body, [begin], [scores, steps], axes=[1, 0], output_axes=[1])


def _viterbi(g: Graph, c: _Constants, scores: str, steps: str, length: str) -> str:
    """The best labels."""
    alpha, forerunners = _forward(g, c, scores, steps, length, best=True)
    last = g("ArgMax", g("Add", alpha, c.end), axis=1, keepdims=1)
    body = g.part()
    label = body.input("label", np.int64, ["sentences", 1])
    back = body.input("back", np.int64, ["sentences", c.labels])
    body.output("label_before", body("GatherElements", back, label, axis=1), np.int64, ["sentences", 1])
    body.output("label_here", body("Squeeze", label, body.whole([1])), np.int64, ["sentences"])
    return g.scan(body, [last], [forerunners], axes=[1], output_axes=[1], reverse=True)[1]


def _marginals(g: Graph, c: _Constants, scores: str, steps: str, length: str) -> str:
    """The probabilities of labels under the conditional random field."""
    alpha, alphas = _forward(g, c, scores, steps, length, best=False)
    log_partition = _log_sum(g, g("Add", alpha, c.end), 1)
    body = g.part()
    beta = body.input("beta", g.kind, ["sentences", c.labels])
    u = body.input("u", g.kind, ["sentences", c.labels])
    step = body.input("step", np.int64, [])
    ahead = body("Unsqueeze", body("Add", u, beta), body.whole([1]))
    before = _log_sum(body, body("Add", c.transitions, ahead), 2)
    body.output("beta_before", body("Where", body("Less", step, length), before, beta), g.kind, ["sentences", c.labels])
    body.output("beta_here", body("Identity", beta), g.kind, ["sentences", c.labels])
    begin = g("Add", g("Mul", alpha, g.number(0)), c.end)
    betas = g.scan(body, [begin], [scores, steps], axes=[1, 0], output_axes=[1], reverse=True)[1]
    shift = g("Unsqueeze", log_partition, g.whole([1, 2]))
    return g("Exp", g("Sub", g("Add", alphas, betas), shift))
