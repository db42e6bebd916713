#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/capabilities.md from tests/capabilities.json: what can be done, from where, and the test that does it.

Every test that is named has to exist, so that the page cannot promise what nothing tries.
usage: scripts/capabilities.py [--check]
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "capabilities.md"
FRONTS = {"cpp": "C++", "tool": "tool", "numpy": "NumPy", "sklearn": "scikit-learn", "torch": "PyTorch",
          "jax": "JAX"}
HEAD = """# What can be done, from where

Each mark leads to a test that does it. Where there is none, the number says why. Written by `make generate` from
`tests/capabilities.json`; CI checks that every test that is named exists.
"""


def known_tests():
    """Where each test is, by its name: Suite.Name of C++, file.Class.test of Python."""
    found = {}
    for path in sorted((ROOT / "tests").rglob("*.cpp")):
        for suite, name in re.findall(r"^(?:TYPED_)?TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", path.read_text(encoding="utf-8"), re.M):
            found[f"{suite}.{name}"] = path
    for folder in ("cli", "python", "frameworks"):
        for path in sorted((ROOT / "tests" / folder).glob("*_test.py")):
            owner = ""
            for line in path.read_text(encoding="utf-8").splitlines():
                if made := re.match(r"class (\w+)", line):
                    owner = made[1]
                elif made := re.match(r"    def (test\w+)", line):
                    found[f"{path.stem}.{owner}.{made[1]}"] = path
    return found


def cell(entry, tests, reasons):
    """A mark that leads to a test, or the number of a reason."""
    if isinstance(entry, dict):
        return f"[{reasons.setdefault(entry['why'], len(reasons) + 1)}](#why-not)"
    if entry not in tests:
        sys.exit(f"error: tests/capabilities.json names the test {entry}, which does not exist")
    return f"[✓](../{tests[entry].relative_to(ROOT)} \"{entry}\")"


def page():
    """The text of the page."""
    tests, reasons = known_tests(), {}
    lines = [HEAD]
    for group in json.loads((ROOT / "tests" / "capabilities.json").read_text(encoding="utf-8")):
        lines += [f"## {group['group']}", "", "| | " + " | ".join(FRONTS.values()) + " |", "|---" * (len(FRONTS) + 1) + "|"]
        for row in group["rows"]:
            lines.append(f"| {row['what']} | " + " | ".join(cell(row[front], tests, reasons) for front in FRONTS) + " |")
        lines.append("")
    lines += ["## Why not", ""]
    return "\n".join(lines + [f"{number}. {reason}" for reason, number in reasons.items()]) + "\n"


def main():
    text = page()
    if sys.argv[1:] != ["--check"]:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    print("docs/capabilities.md is not what tests/capabilities.json says: run scripts/capabilities.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
