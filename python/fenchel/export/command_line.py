# SPDX-License-Identifier: Apache-2.0
"""Writes a model for other programs."""
from __future__ import annotations

import argparse
import json
import sys
from typing import List, Optional

from .onnx_files import PRECISIONS, to_onnx

DONE, WRONG, INTERRUPTED = 0, 2, 130
_EPILOG = """What goes in and what comes out is in docs/deployment.md and in the metadata of the file.

  fenchel export m.safetensors --to onnx --out m.onnx

Exit status: 0 done; 2 wrong use, or a model that cannot be read or exported; 130 ended by Ctrl-C."""


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs the command and returns its exit status. Messages go to standard error."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.out == "-":
        parser.error("--out is '-'; expected a file")
    try:
        done = to_onnx(options.model, options.out, precision=options.precision)
    except (ValueError, OSError, ImportError, MemoryError) as error:
        print(f"error: {error or type(error).__name__}", file=sys.stderr)
        return WRONG
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return INTERRUPTED
    for remark in done.remarks:
        print(f"warning: {remark}", file=sys.stderr)
    if options.json:
        print(json.dumps(done._asdict()))
    else:
        beside = f" and {done.vocabulary}" if done.vocabulary else ""
        print(f"{options.model}: {done.task} -> {done.file}{beside}", file=sys.stderr)
        for what, shapes in (("in", done.inputs), ("out", done.outputs)):
            shown = ", ".join(f"{name} {shape}" for name, shape in shapes.items()).replace("'", "")
            print(f"  {what}: {shown}", file=sys.stderr)
    return DONE


def _parser() -> argparse.ArgumentParser:
    from .. import __version__

    parser = argparse.ArgumentParser(prog="python -m fenchel.export", description=__doc__, epilog=_EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"fenchel {__version__}")
    parser.add_argument("model", metavar="MODEL", help="a model file")
    parser.add_argument("--to", choices=("onnx",), default="onnx", help="the format")
    parser.add_argument("--out", "-o", metavar="FILE", help="the file to write; by default MODEL with .onnx for its ending")
    parser.add_argument("--precision", choices=PRECISIONS, default="double", help="of weights, inputs and results")
    parser.add_argument("--json", action="store_true", help="one JSON object: the files, and what goes in and comes out")
    return parser
