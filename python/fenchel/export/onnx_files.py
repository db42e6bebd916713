# SPDX-License-Identifier: Apache-2.0
"""A model file as an ONNX file, and beside it, for taggers, their vocabulary."""
from __future__ import annotations

import json
import os
import pathlib
from typing import Any, NamedTuple, Optional, Union

from .. import __version__
from .model_arrays import ModelArrays, read_model

PRECISIONS = ("double", "single")
_MOST_BYTES = 2**31 - 1  # of what Protocol Buffers hold


class Exported(NamedTuple):
    """What `to_onnx` wrote."""

    file: str
    vocabulary: str  #: the file of a tagger's attributes and labels; empty for models of rows
    task: str
    precision: str
    inputs: dict[str, list]  #: names and shapes; a text is a size that is free
    outputs: dict[str, list]
    remarks: list[str]  #: what the file has not, and why


def to_onnx(model: Union[str, os.PathLike[str]], out: Union[str, os.PathLike[str], None] = None, *,
            precision: str = "double") -> Exported:
    """Writes a trained model as an ONNX file (docs/deployment.md says what goes in and what comes out).

    Models of rows take numbers as `fenchel train` saw them: missing values (NaN) are filled, features scaled. Taggers take
    numbers of attributes, which a vocabulary names that is written beside.

    Parameters
    ----------
    model : str or path
        A model file, of `fenchel train` or of an estimator's `save`.
    out : str or path, optional
        The file to write; by default that of the model with .onnx for its ending.
    precision : str
        "double", in which results are those of `fenchel predict` but for rounding, or "single", for half the size.

    Returns
    -------
    Exported
        The files, and names and shapes of inputs and outputs.

    Raises
    ------
    ValueError
        The file is no model, or its prediction has no tensor operations.
    ImportError
        The packages onnx, torch or onnxscript are missing.

    Examples
    --------
    >>> from fenchel.export import to_onnx
    >>> to_onnx("m.safetensors").file                                                                # doctest: +SKIP
    'm.onnx'
    """
    if precision not in PRECISIONS:
        raise ValueError(f"precision is {precision!r}; expected 'double' or 'single'")
    arrays = read_model(model)
    place = pathlib.Path(model).with_suffix(".onnx") if out is None else pathlib.Path(out)
    if place.exists() and os.path.samefile(place, model):
        raise ValueError(f"{place}: is the model itself; expected another file")
    if not (place.parent.is_dir()):
        raise FileNotFoundError(2, "No such folder for the file", str(place))
    tagger = arrays.metadata["kind"] == "tagger"
    vocabulary = place.with_suffix(".vocabulary.json") if tagger else None
    if tagger:
        from . import taggers

        proto, remarks = taggers.graph(arrays, precision)
        texts = json.dumps(taggers.vocabulary(arrays)).encode()
    else:
        from . import rows

        proto, remarks = rows.graph(arrays, precision)
        texts = b""
    _describe(proto, arrays, precision)
    data = _bytes(proto, place)
    _write(place, data)
    if vocabulary is not None:
        _write(vocabulary, texts)
    return Exported(str(place), str(vocabulary or ""), _task(arrays), precision, _shapes(proto.graph.input),
                    _shapes(proto.graph.output), remarks)


def _task(arrays: ModelArrays) -> str:
    return arrays.metadata.get("task", "tagging")


def _describe(proto: Any, arrays: ModelArrays, precision: str) -> None:
    """What a program needs to know beside the numbers, all of it as texts."""
    known = {"fenchel.format": "1", "fenchel.version": __version__, "fenchel.task": _task(arrays),
             "fenchel.precision": precision, "fenchel.omega": arrays.metadata["omega"]}
    for name in ("loss", "temperature", "target", "zero_based"):
        if arrays.metadata.get(name):
            known[f"fenchel.{name}"] = arrays.metadata[name]
    for name in ("classes", "labels", "feature_names"):
        if strings := arrays.strings(name):
            known["fenchel." + name.replace("labels", "classes")] = json.dumps(strings)
    if "nominal.columns" in arrays.arrays:
        known["fenchel.nominal"] = json.dumps(_nominal(arrays))
    for name, text in known.items():
        entry = proto.metadata_props.add()
        entry.key, entry.value = name, text
    proto.producer_name, proto.producer_version = "fenchel", __version__


def _nominal(arrays: ModelArrays) -> list[dict]:
    """Columns of words: which numbers stand for them."""
    texts, found = iter(arrays.strings("nominal")), []
    for feature, values, one_hot in arrays.arrays["nominal.columns"].reshape(-1, 3).tolist():
        found.append({"name": next(texts), "feature": feature, "one_hot": bool(one_hot),
                      "values": [next(texts) for _ in range(values)]})
    return found


def _shapes(values: Any) -> dict[str, list]:
    return {value.name: [size.dim_param or size.dim_value for size in value.type.tensor_type.shape.dim] for value in values}


def _bytes(proto: Any, place: pathlib.Path) -> bytes:
    size = proto.ByteSize()
    if size > _MOST_BYTES:
        raise ValueError(f"{place}: the model takes {size} bytes; an ONNX file holds at most {_MOST_BYTES}"
                         "; --precision single halves it")
    return proto.SerializeToString()


def _write(place: pathlib.Path, data: bytes) -> None:
    """All or nothing: the file is written beside its place and then moved there; into pipes and devices directly."""
    place = pathlib.Path(os.path.realpath(place))  # a link stays
    if place.exists() and not place.is_file():
        place.write_bytes(data)
        return
    unfinished = place.with_name(place.name + f".tmp-{os.getpid()}")
    try:
        with open(unfinished, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(place)
    finally:
        unfinished.unlink(missing_ok=True)


def installed(name: str, error: ImportError, extra: Optional[str] = None) -> ImportError:
    """The error of a package that is not there, with what to type."""
    return ImportError(f"export needs the package {name} ({error}); type: pip install 'fenchel[{extra or 'onnx'}]'",
                       name=error.name)
