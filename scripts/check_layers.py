#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that includes follow the data: a folder may include only itself and the folders before it.

Also keeps SIMD inside src/kernels, and the libraries behind fenchel out of its public headers; and fenchel.hpp has to
reach every public header.
"""
import re
import sys
from pathlib import Path

LAYERS = ["core", "data", "kernels", "solvers", "polytopes", "regularizers", "losses", "metrics", "models",
          "training"]
HIDDEN_LIBRARIES = ["nlohmann/", "fmt/", "hwy/", "boost/", "CLI/", "cblas", "lapack", "f77blas", "openblas",
                    "omp.h", "zlib.h", "bzlib.h", "zstd.h", "pugixml"]
SUFFIXES = {".cpp", ".hpp", ".h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def layer_of(included):
    """The layer that an include path names, or None if it is not one of ours."""
    parts = Path(included.removeprefix("fenchel/")).parts
    if len(parts) > 1 and parts[0] in LAYERS:
        return parts[0]
    return None


def problems_of_include(path, included):
    """What is wrong with one include, as sentences."""
    tree, folder = path.parts[0], path.parts[2 if path.parts[0] == "include" else 1]
    if folder in LAYERS:
        target = layer_of(included)
        if target and LAYERS.index(target) > LAYERS.index(folder):
            yield f"{folder} may not include {target}: {included}"
        if included == "fenchel/fenchel.hpp":
            yield "the umbrella header is for users, not for the library"
    elif folder != "fenchel.hpp":
        yield f"{folder} is not one of the layers: {', '.join(LAYERS)}"
    if included.startswith("hwy/") and path.parts[:2] != ("src", "kernels"):
        yield f"only src/kernels may include Highway: {included}"
    elif tree == "include" and included.startswith(tuple(HIDDEN_LIBRARIES)):
        yield f"a public header may not show {included}"


def problems(root):
    for path in sorted(p for tree in ("include/fenchel", "src") for p in (root / tree).rglob("*.*")):
        if path.suffix not in SUFFIXES:
            continue
        relative = path.relative_to(root)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if match := INCLUDE.match(line):
                for problem in problems_of_include(relative, match[1]):
                    yield f"{relative}:{number}: {problem}"


def included_by(path):
    return [match[1] for line in path.read_text(encoding="utf-8").splitlines() if (match := INCLUDE.match(line))]


def unreached(root):
    """Public headers that fenchel.hpp does not include, neither itself nor through others."""
    folder = root / "include"
    reached, waiting = set(), ["fenchel/fenchel.hpp"]
    while waiting:
        name = waiting.pop()
        if name in reached or not (folder / name).exists():
            continue
        reached.add(name)
        waiting += included_by(folder / name)
    for path in sorted((folder / "fenchel").rglob("*.hpp")):
        if str(path.relative_to(folder)) not in reached:
            yield f"{path.relative_to(root)}: fenchel.hpp does not reach it"


def main():
    root = Path(__file__).resolve().parent.parent
    found = [*problems(root), *unreached(root)]
    print("\n".join(found), end="\n" if found else "")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
