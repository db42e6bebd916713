#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Side-by-side run against torch and entmax: run.sh [BUILD_DIR] [options of compare.py]
# Builds the benchmark binary and a virtual environment under BUILD_DIR (default: build), then compares.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/build}
[ $# -gt 0 ] && shift
venv=$build/peers-venv

cmake -S "$root" -B "$build" -DFENCHEL_BUILD_BENCHMARKS=ON
cmake --build "$build" --target fenchel_bench_peer
if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet torch==2.13.0 entmax
fi
exec "$venv/bin/python" "$root/benchmarks/peers/compare.py" "$build/benchmarks/fenchel_bench_peer" "$@"
