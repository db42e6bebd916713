#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the tests behind ctest's entries and closes with `N passed, N failed`.

usage: test_summary.py BUILD_FOLDER

A ctest entry is a shard of the C++ tests (its counts are in a JSON file that GoogleTest wrote), a Python
script (unittest prints its count), or a program that is itself one test.
"""
import json
import re
import sys
import xml.etree.ElementTree as xml
from collections import Counter
from pathlib import Path


def counts(entry, folder):
    """(passed, failed, skipped) of one ctest entry; a crash before any count is one failure."""
    name = entry.get("name")
    ok = entry.get("status") == "run"
    output = entry.findtext("system-out") or ""
    shard = folder / "tests" / f"{name}.json"
    ran = re.search(r"^Ran (\d+) tests? in", output, re.MULTILINE)
    if shard.exists():
        tests = [test for suite in json.loads(shard.read_text())["testsuites"] for test in suite["testsuite"]]
        failed = sum("failures" in test for test in tests)
        skipped = sum(test["result"] != "COMPLETED" for test in tests)
        total = len(tests)
    elif ran:
        ending = dict(re.findall(r"(failures|errors|skipped)=(\d+)", output[ran.end():]))
        failed = int(ending.get("failures", 0)) + int(ending.get("errors", 0))
        skipped, total = int(ending.get("skipped", 0)), int(ran[1])
    else:
        failed, skipped, total = int(not ok), 0, 1
    if not ok and failed == 0:
        failed, total = 1, total + 1
    return total - failed - skipped, failed, skipped


def main():
    folder = Path(sys.argv[1])
    passed, failed, skipped = Counter(), Counter(), Counter()
    for entry in xml.parse(folder / "test-report.xml").getroot().iter("testcase"):
        kind = entry.get("name").split(".")[0]
        for total, count in zip((passed, failed, skipped), counts(entry, folder)):
            total[kind] += count
    for kind in passed:
        print(f"  {kind:<10} {passed[kind]} passed, {failed[kind]} failed, {skipped[kind]} skipped")
    totals = [sum(count.values()) for count in (passed, failed, skipped)]
    print("{} passed, {} failed, {} skipped".format(*totals))
    return int(totals[1] > 0)


if __name__ == "__main__":
    sys.exit(main())
