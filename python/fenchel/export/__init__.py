# SPDX-License-Identifier: Apache-2.0
"""Trained models for other programs, as ONNX files.

>>> from fenchel.export import to_onnx
>>> to_onnx("m.safetensors", "m.onnx").outputs                            # doctest: +SKIP
{'scores': ['rows', 3], 'outputs': ['rows', 3], 'labels': ['rows']}

`fenchel export` and `python -m fenchel.export` are the same from the shell.
"""
from .onnx_files import Exported, to_onnx

__all__ = ["Exported", "to_onnx"]
