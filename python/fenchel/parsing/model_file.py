# SPDX-License-Identifier: Apache-2.0
"""Parsers, and training runs that were cut short, as safetensors files.

Format 1 has no labels, format 2 has them: the vocabulary has relations, and the network a scorer for them. Metadata: `format`,
`record` (JSON: vocabulary and training) and `checksum` (SHA-256 of record and tensors; files written before there were labels
have none).
"""
from __future__ import annotations

import hashlib
import json
import os
import pathlib
from typing import Any, Dict, Tuple

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as tensor_bytes
from torch import Tensor

from .network import Network
from .vocabulary import Vocabulary

FORMAT, LABELLED_FORMAT = "fenchel.dependency_parser.1", "fenchel.dependency_parser.2"

Tensors = Dict[str, Tensor]


def write(path: pathlib.Path, tensors: Tensors, record: Dict[str, Any], labelled: bool = False) -> None:
    """All or nothing: the file is written beside its place and then moved there."""
    place = pathlib.Path(os.path.realpath(path))  # a link stays
    unfinished = place.with_name(place.name + f".{os.getpid()}.part")
    tensors = {name: tensor.detach().contiguous() for name, tensor in tensors.items()}
    text = json.dumps(record)
    metadata = {"format": LABELLED_FORMAT if labelled else FORMAT, "record": text, "checksum": _checksum(tensors, text)}
    try:
        with open(unfinished, "wb") as file:
            file.write(tensor_bytes(tensors, metadata))
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(place)
    finally:
        unfinished.unlink(missing_ok=True)


def read(path: pathlib.Path) -> Tuple[Tensors, Dict[str, Any]]:
    """Tensors and record. Throws ValueError if it is not a file of this kind, or damaged."""
    if not path.is_file():
        raise ValueError(f"{path} is not there, or is not a file")
    try:
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}
    except (SafetensorError, RuntimeError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is not a safetensors file, or damaged: {error}") from None
    if metadata.get("format") not in (FORMAT, LABELLED_FORMAT):
        raise ValueError(f"{path} has format {metadata.get('format')!r}; expected {FORMAT!r} or {LABELLED_FORMAT!r}")
    if any(tensor.dtype != torch.float32 for tensor in tensors.values()):
        raise ValueError(f"{path} has numbers of other types than float32")
    text = metadata.get("record", "")
    if "checksum" in metadata or metadata["format"] == LABELLED_FORMAT:
        if metadata.get("checksum") != _checksum(tensors, text):
            raise ValueError(f"{path} is damaged: its checksum is wrong")
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise ValueError(f"{path} has no record of its training, or a damaged one")
    return tensors, record


def save(path: pathlib.Path, parameters: Tensors, vocabulary: Vocabulary, run: Dict[str, Any]) -> None:
    """A parser with how it was trained."""
    write(path, parameters, {"vocabulary": vocabulary.record(), "run": run}, vocabulary.relations is not None)


def load(path: pathlib.Path) -> Tuple[Network, Vocabulary, Dict[str, Any]]:
    """The network, its vocabulary, and how it was trained."""
    parameters, record = read(path)
    if "vocabulary" not in record:
        raise ValueError(f"{path} is an unfinished training run; expected a parser")
    try:
        vocabulary = Vocabulary.restored(record["vocabulary"])
        with torch.device("meta"):  # no memory: the file may promise more than it holds
            check_tensors(parameters, Network(vocabulary).state_dict())
    except ValueError as error:
        raise ValueError(f"{path} does not fit the parser: {error}") from None
    with torch.random.fork_rng(devices=[]):  # starting values are drawn, and replaced
        network = Network(vocabulary)
    network.load_state_dict(parameters)
    run = record.get("run")
    return network, vocabulary, run if isinstance(run, dict) else {}


def check_tensors(found: Tensors, expected: Tensors) -> None:
    """Throws unless these are finite tensors of the names and shapes expected."""
    if set(found) != set(expected):
        name = min(set(found) ^ set(expected))
        raise ValueError(f"tensor {name!r} is {'not expected' if name in found else 'missing'}")
    for name, tensor in found.items():
        if tensor.shape != expected[name].shape:
            raise ValueError(f"tensor {name!r} has shape {tuple(tensor.shape)}; expected {tuple(expected[name].shape)}")
        if not torch.isfinite(tensor).all():
            raise ValueError(f"tensor {name!r} has entries that are not finite")


def _checksum(tensors: Tensors, record: str) -> str:
    found = hashlib.sha256(record.encode("utf-8", "surrogatepass"))
    for name in sorted(tensors):
        found.update(f"\0{name}\0{tuple(tensors[name].shape)}\0".encode("utf-8", "surrogatepass"))
        found.update(tensors[name].numpy().tobytes())
    return found.hexdigest()
