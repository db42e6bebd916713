# SPDX-License-Identifier: Apache-2.0
"""Checks the Triton kernels where they are, and times them: `python -m fenchel.triton.doctor [--json] [--no-benchmark] [--all]`.

On a GPU the kernels run there, against golden values, the C++ core and dense attention; then a benchmark. Elsewhere they run in
Triton's interpreter, and are compiled for GPUs that are not there. The exit status is 0 if everything holds, else 1.
"""
from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from typing import Any, Dict, List, Optional, Sequence

import torch
import triton

from . import _benchmark, _checks
from ._launch import interpreted

_NO_GPU = ("No GPU is here: the kernels ran in Triton's interpreter and were compiled for GPUs. That shows neither races nor "
           "errors of the compiler, and no times. Run this command on a machine with a GPU.")
_INTERPRETED = ("TRITON_INTERPRET is set: the kernels ran in Triton's interpreter alone, on the CPU. That shows neither races "
                "nor errors of the compiler, and no times.")
_GPU = "The kernels ran on this GPU."


def _device() -> Optional[str]:
    """The kind of GPU that Triton can use here, if there is one."""
    for name in ("cuda", "xpu"):
        if getattr(torch, name).is_available():
            return name
    return None


def _elsewhere(module: str, arguments: Sequence[str], interpret: bool) -> List[Dict[str, Any]]:
    """What a module prints in a process of its own: whether kernels are interpreted is decided when they are imported."""
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    if interpret:
        environment["TRITON_INTERPRET"] = "1"
    command = [sys.executable, "-W", "ignore", "-m", f"fenchel.triton.{module}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        raise RuntimeError(f"{module} ended with status {done.returncode}: {(done.stderr or done.stdout)[-2000:]}") from None


def _on_gpu(device: str, benchmark: bool) -> Dict[str, Any]:
    module = torch.get_device_module(device)
    return {"where": "gpu", "device": module.get_device_name(), "says": _GPU,
            "checks": _checks.rows_of(_checks.everything(_checks.place(device, False))), "compilation": [],
            "benchmark": list(_benchmark.everything(device)) if benchmark else []}


def report(benchmark: bool = True, everything: bool = False) -> Dict[str, Any]:
    """All that can be verified here."""
    device = _device()
    found: Dict[str, Any]
    if interpreted():
        found = {"where": "interpreter", "device": "cpu", "says": _INTERPRETED, "compilation": [], "benchmark": [],
                 "checks": _checks.rows_of(_checks.everything(_checks.place("cpu", True)))}
    elif device is not None:
        found = _on_gpu(device, benchmark)
    else:
        found = {"where": "interpreter and compilation", "device": "cpu", "says": _NO_GPU, "benchmark": [],
                 "checks": _elsewhere("_checks", (), True),
                 "compilation": _elsewhere("_compilation", ("--all",) if everything else (), False)}
    passed = all(row["passed"] for row in found["checks"]) and not any(row["problem"] for row in found["compilation"])
    return {**found, "passed": passed, "triton": triton.__version__, "torch": torch.__version__}


def _number(value: Optional[float]) -> str:
    return "nan" if value is None else f"{value:.1e}"


def _milliseconds(value: Optional[float]) -> str:
    return "" if value is None else f"{1e3 * value:.3f}"


def text_of(found: Dict[str, Any]) -> str:
    """The report for people."""
    lines = [f"fenchel.triton, Triton {found['triton']}, torch {found['torch']}, {found['device']}", ""]
    for row in found["checks"]:
        verdict = "ok  " if row["passed"] else "FAIL"
        lines.append(f"{verdict} {row['check']}: {_number(row['error'])}, at most {_number(row['bound'])}")
    for row in found["compilation"]:
        use = f"{row['spills']} spilled, {row['shared']} bytes shared" if not row["problem"] else row["problem"]
        lines.append(f"{'FAIL' if row['problem'] else 'ok  '} {row['target']} {row['kernel']}: {use}")
    if found["benchmark"]:
        lines += ["", f"{'ms':60}{'':36}{'forward':>10}{'both':>10}{'GB/s':>8}{'of copy':>8}"]
    for row in found["benchmark"]:
        rate = "" if row["GB/s"] is None else f"{row['GB/s']:.0f}"
        share = "" if row["share of copy"] is None else f"{row['share of copy']:.2f}"
        lines.append(f"{row['what']:60}{row['by']:36}{_milliseconds(row['forward']):>10}{_milliseconds(row['with backward']):>10}"
                     f"{rate:>8}{share:>8}")
    return "\n".join([*lines, "", found["says"], "passed" if found["passed"] else "FAILED"])


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Prints the report; 0 if everything holds."""
    parser = argparse.ArgumentParser(prog="python -m fenchel.triton.doctor",
                                     description="Checks and times the Triton kernels here.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--no-benchmark", action="store_true", help="only check")
    parser.add_argument("--all", action="store_true", help="without a GPU: compile every variant, which takes minutes")
    options = parser.parse_args(arguments)
    try:
        found = report(not options.no_benchmark, options.all)
    except Exception as error:  # of drivers and compilers: the doctor says what is wrong instead of failing with it
        found = {"where": "", "device": "", "says": f"{type(error).__name__}: {error}", "passed": False, "checks": [],
                 "compilation": [], "benchmark": [], "triton": triton.__version__, "torch": torch.__version__}
    print(json.dumps(found, indent=1) if options.json else text_of(found))
    return 0 if found["passed"] else 1


if __name__ == "__main__":
    sys.exit(main())
