# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of peers against ours, and compares what passes with the lists of their adapters.

usage: python -m peers.run [--write] [--list] [PEER...]     (from the root of the repository, with tests in PYTHONPATH)
--write  writes docs/peers_suites.md from what was found; otherwise a run of all peers checks that page
--list   prints each test that is not on a list and did not pass, with its message
"""
import argparse
import importlib.metadata
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from peers import page
from peers.fetch import copy, fetch
from peers.peer import NAMES, adapter, matches, reasons

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "peers"
LONGEST_RUN = 1800  # seconds, of one peer


def laid_out(name, peer):
    """The folder in which the tests of a peer lie alone, without the library that they are tests of."""
    folder = BUILD / "run" / name
    shutil.rmtree(folder, ignore_errors=True)
    if peer.sha256:
        source = fetch(peer.package, peer.version, peer.sha256, BUILD / "sdists")
    else:
        installed = importlib.metadata.version(peer.package)
        if installed != peer.version:
            sys.exit(f"error: {peer.package} {installed} is installed; expected {peer.version}")
        source = Path(importlib.metadata.distribution(peer.package).locate_file(""))
    for path in (*peer.tests, *peer.support):
        copy(source / path, folder / path)
    if peer.as_package:
        for path in {parent for path in peer.tests for parent in Path(path).parents if parent != Path(".")}:
            (folder / path / "__init__.py").touch()
    if peer.sha256:
        check_nothing_forgotten(peer, source)
    return folder


def check_nothing_forgotten(peer, source):
    """Every file of tests is run, or left out with a reason."""
    named = [*peer.tests, *peer.support, *(path for paths in peer.left_out.values() for path in paths)]
    there = [str(path.relative_to(source)) for pattern in ("test_*.py", "*_test.py") for path in source.rglob(pattern)]
    forgotten = [path for path in there if not any(matches(name, path) or path.startswith(name + "/") for name in named)]
    gone = [name for name in named if not any((source / name).parent.glob(Path(name).name))]
    if forgotten or gone:
        sys.exit(f"error: {peer.title}: not in the list: {sorted(forgotten)}; no longer there: {gone}")


def outcomes(name, peer):
    """What became of each test: {id: {"outcome", "message"}}."""
    folder = laid_out(name, peer)
    results = BUILD / f"{name}.json"
    results.unlink(missing_ok=True)
    environment = {**os.environ, "PEERS_NAME": name, "PEERS_RESULTS": str(results), "PYTHONDONTWRITEBYTECODE": "1",
                   "PYTHONPATH": os.pathsep.join([str(ROOT / "tests"), *filter(None, [os.environ.get("PYTHONPATH")])])}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "peers.plugin", "-p", "no:cacheprovider", "--rootdir", str(folder),
               "-c", os.devnull, "--tb=short", "--disable-warnings", *(f"-p{name}" for name in peer.plugins), *peer.tests]
    with open(BUILD / f"{name}.log", "w", encoding="utf-8") as log:
        subprocess.run(command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT, timeout=LONGEST_RUN)
    if not results.exists():
        sys.exit(f"error: the tests of {peer.title} did not run; see {(BUILD / name).relative_to(ROOT)}.log")
    return json.loads(results.read_text(encoding="utf-8"))


def judged(peer, found):
    """Faults: tests that failed and are not listed, and entries of the list that are stale."""
    faults = []
    for test, noted in found.items():
        listed = reasons(peer.does_not_apply, test)
        if noted["outcome"] == "passed" and listed:
            faults.append(f"passes now, take it off the list: {test}")
        elif noted["outcome"] != "passed" and not listed:
            faults.append(f"{noted['outcome']}: {test}")
        elif len(listed) > 1:
            faults.append(f"is on the list twice: {test}")
    for patterns in peer.does_not_apply.values():
        faults += [f"does not exist any more: {pattern}" for pattern in patterns
                   if not any(matches(pattern, test) for test in found)]
    return faults


def counted(peer, found, faults):
    """The numbers of a peer for the page, and the closing line."""
    passed = sum(noted["outcome"] == "passed" for noted in found.values())
    skipped = {reason: sum(reason in reasons(peer.does_not_apply, test) for test in found) for reason in peer.does_not_apply}
    return {"run": len(found), "passed": passed, "failed": len(faults), "skipped": skipped}


def line(counts):
    return f"{counts['passed']} passed, {counts['failed']} failed, {sum(counts['skipped'].values())} skipped"


def main():
    parser = argparse.ArgumentParser(description="Runs the tests of peers against ours.")
    parser.add_argument("peers", nargs="*", metavar="PEER", help=f"all of them by default: {', '.join(NAMES)}")
    parser.add_argument("--write", action="store_true", help="write docs/peers_suites.md")
    parser.add_argument("--list", action="store_true", help="show the messages of faults")
    asked = parser.parse_args()
    unknown = set(asked.peers) - set(NAMES)
    if unknown:
        parser.error(f"unknown peers: {', '.join(sorted(unknown))}; expected some of {', '.join(NAMES)}")
    BUILD.mkdir(parents=True, exist_ok=True)
    counts = {}
    for name in asked.peers or NAMES:
        peer = adapter(name).PEER
        found = outcomes(name, peer)
        faults = judged(peer, found)
        for fault in faults:
            print(f"  {fault}")
            if asked.list:
                print("    " + found.get(fault.partition(": ")[2], {}).get("message", "").replace("\n", "\n    "))
        counts[name] = counted(peer, found, faults)
        print(f"{peer.title}: {line(counts[name])}", flush=True)
    total = {"passed": sum(c["passed"] for c in counts.values()), "failed": sum(c["failed"] for c in counts.values()),
             "skipped": {name: sum(c["skipped"].values()) for name, c in counts.items()}}
    failed = total["failed"] > 0
    if set(counts) == set(NAMES) and not failed:
        if asked.write:
            page.write(counts)
        elif not page.is_current(counts):
            print(f"{page.PATH.relative_to(ROOT)} does not say this: scripts/test_peers --write")
            failed = True
    print(line(total))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
