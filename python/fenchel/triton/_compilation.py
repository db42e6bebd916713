# SPDX-License-Identifier: Apache-2.0
"""Compiles every kernel ahead of time for GPUs that need not be there, and reads what became of it: spilled registers and shared
memory. `python -m fenchel.triton._compilation` prints it as JSON; not within the interpreter.

Types, widths and tiles are those of calls, the rest of the arguments are numbers that are not known.
"""
from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from typing import Any, Dict, Iterator, List, NamedTuple, Sequence

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from . import _attention_backward_kernels, _attention_kernels, _row_kernels
from ._attention import for_keys, tiles
from ._launch import LONGEST_TILE, block_of, tile_of

_KIB = 1024
_SPILLED = 64  # bytes a thread: NVIDIA's assembler stores a few registers of its own will, so that more threads run at once


class Target(NamedTuple):
    """A GPU, and how much memory a block of threads may share on it."""

    backend: str
    arch: Any
    warp: int
    shared: int


#: 99 KiB is the least among NVIDIA's GPUs since compute capability 8.0 (that of 8.6 and 8.9).
TARGETS = {"sm_80": Target("cuda", 80, 32, 99 * _KIB), "sm_90": Target("cuda", 90, 32, 99 * _KIB),
           "sm_100": Target("cuda", 100, 32, 99 * _KIB), "gfx942": Target("hip", "gfx942", 64, 64 * _KIB)}

_TYPES = {torch.float32: "fp32", torch.float16: "fp16", torch.bfloat16: "bf16"}
_KINDS = {1.0: 0, 1.3: 1, 1.5: 2, 2.0: 3}
_FULL_PRECISION = ("state", "maxima", "losses", "weights", "slope_mean", "delta")
_OTHER_POINTERS = {"labels": "*i64", "allowed": "*u8", "marks": "*i8", "mass": "*i8"}
_SCORES = ("theta", "prediction", "q", "k", "v", "g", "out", "v_out")


class Program(NamedTuple):
    """A kernel with what is constant in it."""

    name: str
    kernel: Any
    dtype: torch.dtype
    constants: Dict[str, Any]
    options: Dict[str, int]


def _row_programs(alpha: float, dtype: torch.dtype) -> Iterator[Program]:
    kernels, kind = _row_kernels, {"KIND": _KINDS[alpha]}
    label = f"alpha={alpha:g} {_TYPES[dtype]}"
    for columns in (100, LONGEST_TILE):
        tile = tile_of(columns)
        options = {"num_warps": tile.pop("num_warps")}
        for loss in (False, True):
            constants = {**kind, **tile, "LOSS": loss}
            yield Program(f"short_rows {columns} loss={loss} {label}", kernels.short_rows, dtype, constants, options)
        yield Program(f"short_products {columns} {label}", kernels.short_products, dtype, {**kind, **tile}, options)
    block = block_of()
    options = {"num_warps": block.pop("num_warps")}
    yield Program(f"long_bounds {label}", kernels.long_bounds, dtype, {**kind, **block}, options)
    for name in ("long_thresholds", "from_state"):
        yield Program(f"{name} {label}", getattr(kernels, name), dtype, {**kind, **block, "LOSS": True}, options)
    yield Program(f"long_products {label}", kernels.long_products, dtype, {**kind, **block}, options)


def _attention_programs(alpha: float, dtype: torch.dtype, width: int, hip: bool) -> Iterator[Program]:
    forward, backward = _attention_kernels, _attention_backward_kernels
    tile = tiles(dtype, width, hip)
    options = {name: tile.pop(name) for name in ("num_warps", "num_stages")}
    constants = {"KIND": _KINDS[alpha], "CAUSAL": True, "MASKED": True, "WIDTH": width, "SIZE": width, **tile}
    values = {**constants, "V_WIDTH": width, "V_SIZE": width}
    label = f"d={width} alpha={alpha:g} {_TYPES[dtype]}"
    for kernel in (forward.bounds, forward.occupied):
        yield Program(f"{kernel.__name__} {label}", kernel, dtype, constants, options)
    yield Program(f"attend {label}", forward.attend, dtype, {**values, "GRADIENT": True}, options)
    yield Program(f"query_gradients {label}", backward.query_gradients, dtype, values, options)
    yield Program(f"key_gradients {label}", backward.key_gradients, dtype, values, for_keys(options, hip))


def programs(target: str, alphas: Sequence[float] = tuple(_KINDS), dtypes: Sequence[torch.dtype] = tuple(_TYPES),
             widths: Sequence[int] = (64, 128, 256)) -> Iterator[Program]:
    """The kernels as calls with these α, types and widths of heads launch them on a target."""
    for alpha in alphas:
        for dtype in dtypes:
            yield from _row_programs(alpha, dtype)
            for width in widths:
                yield from _attention_programs(alpha, dtype, width, TARGETS[target].backend == "hip")


def few_programs(target: str) -> Iterator[Program]:
    """One of each kernel: what there is time for in a test."""
    rows = {program.kernel: program for program in _row_programs(1.3, torch.bfloat16)}
    yield from rows.values()
    yield from _attention_programs(1.5, torch.bfloat16, 64, TARGETS[target].backend == "hip")


def _signature(program: Program) -> Dict[str, Any]:
    losses = program.constants.get("LOSS") and program.kernel is _row_kernels.short_rows
    types: Dict[str, Any] = {}
    for name in program.kernel.arg_names:
        if name in program.constants:
            types[name] = "constexpr"
        elif name in _FULL_PRECISION or (name == "out" and losses):
            types[name] = "*fp32"
        elif name in _SCORES:
            types[name] = f"*{_TYPES[program.dtype]}"
        elif name in _OTHER_POINTERS:
            types[name] = _OTHER_POINTERS[name]
        elif name.endswith("_strides"):
            types[name] = ("i64", "i64", "i32")
        else:
            types[name] = "fp32" if name in ("a", "scale") else "i32"
    return types


def _alignments(signature: Dict[str, Any]) -> Dict[tuple, list]:
    """That memory begins at multiples of 16 bytes and strides of heads are multiples of 16, as in calls with such widths."""
    aligned = [["tt.divisibility", 16]]
    known: Dict[tuple, list] = {}
    for place, kind in enumerate(signature.values()):
        if isinstance(kind, tuple):
            known.update({(place, axis): aligned for axis in range(len(kind))})
        elif kind.startswith("*"):
            known[(place,)] = aligned
    return known


def _nvidia_spills(cubin: bytes) -> int:
    """Bytes of memory that a thread of the binary has for registers that it had to store."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        command = [triton.knobs.nvidia.cuobjdump.path, "-res-usage", file.name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return sum(map(int, re.findall(r"(?:STACK|LOCAL):(\d+)", done.stdout)))


def compiled(program: Program, target_name: str) -> Dict[str, Any]:
    """What became of a kernel on a target; `problem` says what is wrong, or is empty."""
    target = TARGETS[target_name]
    signature = _signature(program)
    source = ASTSource(program.kernel, signature=signature, constexprs=dict(program.constants), attrs=_alignments(signature))
    result: Dict[str, Any] = {"kernel": program.name, "target": target_name}
    try:
        made = triton.compile(source, target=GPUTarget(target.backend, target.arch, target.warp), options=dict(program.options))
    except Exception as error:  # a compiler may raise anything: the report is what it is for
        return {**result, "problem": f"{type(error).__name__}: {error}"[:2000]}
    if target.backend == "cuda":
        spills = _nvidia_spills(made.asm["cubin"])
    else:
        spills = sum(map(int, re.findall(r"\.vgpr_spill_count:\s*(\d+)", made.asm["amdgcn"])))
    limit = _SPILLED if target.backend == "cuda" else 0
    problems = []
    if spills > limit:
        problems.append(f"{spills} {'bytes of' if limit else 'vector'} registers spilled; expected at most {limit}")
    if made.metadata.shared > target.shared:
        problems.append(f"{made.metadata.shared} bytes of shared memory; expected at most {target.shared}")
    return {**result, "spills": spills, "shared": made.metadata.shared, "problem": "; ".join(problems)}


def report(targets: Sequence[str] = tuple(TARGETS), everything: bool = False) -> List[Dict[str, Any]]:
    """One of each kernel, or every variant, on targets."""
    return [compiled(program, target) for target in targets for program in (programs if everything else few_programs)(target)]


def main(arguments: Sequence[str]) -> int:
    """Of the targets that are named, or of all; --all takes minutes."""
    rows = report([name for name in TARGETS if name in arguments] or tuple(TARGETS), "--all" in arguments)
    print(json.dumps(rows, indent=1))
    return 1 if any(row["problem"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
