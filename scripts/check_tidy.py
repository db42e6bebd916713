#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy over src/ and cli/ with the headers they include; the checks are in .clang-tidy.

usage: check_tidy.py CLANG_TIDY BUILD_FOLDER JOBS [SECONDS]

With SECONDS, what changed last is looked at first, and what the time does not suffice for is said to be left out.

Most of its time goes into the standard headers, again for every file. So files are first tried in batches, as one
translation unit each: what is clean in a batch is clean. The files of a batch with a finding, or that does not compile
because two of them use a name for different things, are tried again one by one, and that run is the one that counts.

src/kernels is left out: Highway compiles each file several times over, once for each instruction set, by including it
into itself, and clang-tidy sees only code that its own target flags allow.
"""
import json
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

LARGEST_BATCH = 16  # files; more would leave too few batches to share among the cores
FILTER = r"(include/fenchel|/cli|/src)/.*\.[ch]pp$"  # of .clang-tidy, with the sources of a batch
# This check looks only at the file named on the command line, so it never sees batches; few files use it.
MAIN_FILE_CHECK, MAIN_FILE_PATTERN = "misc-unused-using-decls", re.compile(r"^using [\w:]+;", re.MULTILINE)
LOCAL_NAMESPACE = re.compile(r"^namespace \{\n(.*?)^\}  // namespace\n", re.MULTILINE | re.DOTALL)
LOCAL_NAME = re.compile(r"^(?!template|return|[#}/\s])[^\n(={;]*?\b(\w+) ?[({=;]", re.MULTILINE)


def local_names(path):
    """Names that a file keeps to itself, near enough to keep most clashes out of a batch."""
    text = path.read_text(encoding="utf-8")
    blocks = LOCAL_NAMESPACE.findall(text) + MAIN_FILE_PATTERN.findall(text)
    return {match[1] for block in blocks for match in LOCAL_NAME.finditer(block)}


def batches(paths):
    """Files of one tree (its flags are the same) whose own names do not clash."""
    made = []
    for path in paths:
        names = local_names(path)
        for tree, files, taken in made:
            if tree == path.parts[0] and len(files) < LARGEST_BATCH and not names & taken:
                files.append(path)
                taken |= names
                break
        else:
            made.append((path.parts[0], [path], set(names)))
    return [files for _, files, _ in made]


class Tidy:
    def __init__(self, program, build):
        self.program, self.build = program, build
        commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
        self.commands = {Path(entry["file"]).resolve(): entry for entry in commands}
        self.folder = build / "tidy"
        self.folder.mkdir(exist_ok=True)

    def run(self, *arguments):
        """(clean, output)."""
        command = [self.program, "--quiet", "--config-file=.clang-tidy", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode == 0, done.stdout + (done.stderr if done.returncode else "")

    def alone(self, path, *options):
        return self.run("-p", self.build, *options, path)

    def batch(self, number, files):
        """The findings of a batch, as the text to print."""
        if len(files) == 1:
            clean, output = self.alone(files[0])
            return "" if clean else output
        unit = self.folder / f"batch_{number}.cpp"
        unit.write_text("".join(f'#include "{path.resolve()}"  // NOLINT\n' for path in files), encoding="utf-8")
        entry = self.commands[files[0].resolve()]
        command = entry["command"].replace(entry["file"], str(unit.resolve()))
        folder = self.folder / str(number)
        folder.mkdir(exist_ok=True)
        one = [{"directory": entry["directory"], "command": command, "file": str(unit.resolve())}]
        (folder / "compile_commands.json").write_text(json.dumps(one), encoding="utf-8")
        clean, _ = self.run("-p", folder, f"--header-filter={FILTER}", unit)
        if clean:
            retried = [path for path in files if MAIN_FILE_PATTERN.search(path.read_text(encoding="utf-8"))]
            results = [self.alone(path, f"--checks=-*,{MAIN_FILE_CHECK}") for path in retried]
        else:
            results = [self.alone(path) for path in files]
        return "".join(output for clean, output in results if not clean)


def changed(path):
    """When a file was last changed, by its history."""
    done = subprocess.run(["git", "log", "-1", "--format=%ct", "--", path], capture_output=True, text=True)
    return int(done.stdout or 0)


def main():
    program, build, jobs = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    deadline = time.monotonic() + float(sys.argv[4]) if len(sys.argv) > 4 else float("inf")
    sources = sorted(path for tree in ("src", "cli") for path in Path(tree).rglob("*.cpp"))
    chosen = [path for path in sources if path.parts[:2] != ("src", "kernels")]
    if deadline < float("inf"):
        chosen.sort(key=changed, reverse=True)
    made = batches(chosen)
    tidy, left = Tidy(program, build), []

    def in_time(number, files):
        if time.monotonic() < deadline:
            return tidy.batch(number, files)
        left.extend(files)
        return ""

    with ThreadPoolExecutor(jobs) as pool:
        findings = "".join(pool.map(in_time, range(len(made)), made))
    print(findings, end="")
    if left:
        print(f"clang-tidy: no time for {len(left)} of {len(chosen)} files, those that changed longest ago")
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(main())
