#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every file of the repository: sources carry an SPDX line, no file names a path of one machine, and comments of C++,
which clang-format leaves as they are, stay within the columns of code.
"""
import re
import subprocess
import sys
from pathlib import Path

SPDX = "SPDX-License-Identifier: Apache-2.0"
SPDX_WITHIN_LINES = 3
SOURCE_SUFFIXES = {".cpp", ".hpp", ".h", ".py", ".cmake", ".sh", ".in"}
SOURCE_NAMES = {"CMakeLists.txt", "Makefile"}
COMMENTED_SUFFIXES = {".cpp", ".hpp", ".h"}
COMMENT = re.compile(r"(?:^|\s)//")
LONGEST_COMMENT = 110  # the ColumnLimit of .clang-format
MACHINE_PATH = re.compile(r"(?<![\w.~-])/(?:home/\w+|root|work)/")


def is_source(path, text):
    return path.suffix in SOURCE_SUFFIXES or path.name in SOURCE_NAMES or text.startswith("#!")


def problems(path):
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:  # a picture or another binary file
        return
    lines = text.splitlines()
    if is_source(path, text) and not any(SPDX in line for line in lines[:SPDX_WITHIN_LINES]):
        yield f"{path}:1: no line '{SPDX}'"
    for number, line in enumerate(lines, 1):
        if match := MACHINE_PATH.search(line):
            yield f"{path}:{number}: a path of one machine: {match[0]}"
        if path.suffix in COMMENTED_SUFFIXES and len(line) > LONGEST_COMMENT and COMMENT.search(line):
            yield f"{path}:{number}: a comment of {len(line)} columns; expected at most {LONGEST_COMMENT}"


def main():
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, check=True, capture_output=True, text=True).stdout.split("\0")
    found = [problem for name in sorted(filter(None, names)) if Path(name).is_file() for problem in problems(Path(name))]
    print("\n".join(found), end="\n" if found else "")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
