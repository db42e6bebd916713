# SPDX-License-Identifier: Apache-2.0
"""Parsers, and training runs that were cut short, as safetensors files."""
import json
import os
import pathlib
from typing import Any, Dict, Tuple

from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from .model import Parser
from .vocabulary import Vocabulary

FORMAT = "fenchel.dependency_parser.1"


def write(path: pathlib.Path, tensors: Dict[str, Tensor], record: Dict[str, Any]) -> None:
    """All or nothing: the file is written beside its place and then moved there."""
    unfinished = path.with_name(path.name + f".{os.getpid()}.part")
    metadata = {"format": FORMAT, "record": json.dumps(record)}
    try:
        unfinished.write_bytes(save({name: tensor.contiguous() for name, tensor in tensors.items()}, metadata))
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def read(path: pathlib.Path) -> Tuple[Dict[str, Tensor], Dict[str, Any]]:
    """Tensors and record. Throws ValueError if it is not a file of this kind."""
    if not path.is_file():
        raise ValueError(f"{path} is not there")
    try:
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}
    except SafetensorError as error:
        raise ValueError(f"{path} is not a safetensors file, or damaged: {error}") from None
    if metadata.get("format") != FORMAT:
        raise ValueError(f"{path} has format {metadata.get('format')!r}; expected {FORMAT!r}")
    try:
        return tensors, json.loads(metadata["record"])
    except (KeyError, ValueError):
        raise ValueError(f"{path} has no record of its training, or a damaged one") from None


def save_parser(path: pathlib.Path, parameters: Dict[str, Tensor], vocabulary: Vocabulary, run: Dict[str, Any]) -> None:
    """A parser with how it was trained."""
    write(path, parameters, {"vocabulary": vocabulary.record(), "run": run})


def load_parser(path: pathlib.Path) -> Tuple[Parser, Vocabulary, Dict[str, Any]]:
    """The parser, its vocabulary, and how it was trained."""
    parameters, record = read(path)
    if "vocabulary" not in record:
        raise ValueError(f"{path} is an unfinished training run; expected a parser")
    try:
        vocabulary = Vocabulary(**record["vocabulary"])
        parser = Parser(vocabulary)
        parser.load_state_dict(parameters)
    except (TypeError, RuntimeError) as error:
        raise ValueError(f"{path} does not fit the parser: {error}") from None
    return parser, vocabulary, record["run"]
