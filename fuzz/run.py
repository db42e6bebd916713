#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the fuzz targets of build-fuzz/fenchel_fuzz, several at a time, and says what each did.

What a target starts from: fuzz/seeds (written by hand), inputs that the library makes itself (so that they follow its
formats), fuzz/corpus (what earlier runs found worth keeping), and what was found in this build so far. Inputs that fail
go to build-fuzz/findings; `fenchel_fuzz --target=NAME FILE` runs one of them again.
"""
import argparse
import concurrent.futures
import gzip
import os
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build-fuzz"
PROGRAM = BUILD / "fenchel_fuzz"
FINDINGS = BUILD / "findings"
LIMITS = ["-rss_limit_mb=2048", "-timeout=10"]
LONGEST_INPUT = 8192  # bytes: every sample fits, and more only makes an execution slower
CI_RUNS = 4000        # inputs in CI, those of the corpus among them: the same ones for the same program
CI_SECONDS = 20       # at most
KEPT_BYTES = 40_000   # of the committed corpus of one target

# One thread: the targets are small, and several processes share the cores.
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "UBSAN_OPTIONS": "print_stacktrace=1"}


def fuzz(target, *arguments):
    return subprocess.run([str(PROGRAM), f"--target={target}", *arguments], cwd=BUILD, env=ENVIRONMENT, text=True,
                          errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def packed(target):
    """The committed corpus of a target: one file instead of hundreds."""
    return ROOT / "fuzz" / "corpus" / f"{target}.tar.gz"


def unpacked(target):
    """The folder that the committed corpus was unpacked to, if there is one."""
    folder = BUILD / "kept" / target
    shutil.rmtree(folder, ignore_errors=True)
    if packed(target).exists():
        folder.mkdir(parents=True)
        with tarfile.open(packed(target)) as archive:
            for member in archive.getmembers():
                (folder / Path(member.name).name).write_bytes(archive.extractfile(member).read())
    return folder


def inputs_of(target):
    """The folders that a target starts from; the first is where it adds what it finds."""
    grown, made = BUILD / "corpus" / target, BUILD / "made" / target
    shutil.rmtree(made, ignore_errors=True)
    for folder in (grown, made):
        folder.mkdir(parents=True, exist_ok=True)
    done = fuzz(target, f"--seeds={made}")
    if done.returncode != 0:
        raise RuntimeError(f"{target}: the seeds cannot be made\n{done.stdout}")
    folders = [grown, made, unpacked(target), ROOT / "fuzz" / "seeds" / target]
    return [str(folder) for folder in folders if folder.is_dir()]


def number(pattern, text):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def run(target, options):
    """One line about a target, and how many findings it had."""
    before = set(FINDINGS.iterdir())
    flags = [*LIMITS, f"-max_len={LONGEST_INPUT}", f"-max_total_time={options.seconds}", "-print_final_stats=1",
             f"-artifact_prefix={FINDINGS}/{target}-"]
    if options.ci:
        flags += [f"-runs={CI_RUNS}", "-seed=1"]
    if options.keep_going:
        flags += ["-fork=1", "-ignore_crashes=1", "-ignore_ooms=1", "-ignore_timeouts=1"]
    done = fuzz(target, *flags, *inputs_of(target))
    (BUILD / f"{target}.log").write_text(done.stdout, encoding="utf-8")
    found = sorted(path for path in set(FINDINGS.iterdir()) - before if path.name.startswith(target + "-"))
    findings = max(len(found), int(done.returncode != 0))
    executions = number(r"number_of_executed_units: (\d+)", done.stdout) or number(r"#(\d+)", done.stdout)
    edges = number(r"cov: (\d+)", done.stdout)
    print(f"{target:<18} {executions:>10} executions  {edges:>6} edges  {findings:>3} findings", flush=True)
    if findings and not options.keep_going:
        report = re.split(r"(?m)^(?==+\d*=*ERROR|finding:|.*runtime error:|.*terminate called)", done.stdout, maxsplit=1)[-1]
        print("\n".join(report.splitlines()[:25]), file=sys.stderr, flush=True)
    for path in found:
        print(f"  {path.relative_to(ROOT)}", flush=True)
    return findings


def minimise(target, _):
    """Makes the committed corpus from all inputs: the smallest files that reach everything, within its size."""
    packed(target).parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as merged:
        done = fuzz(target, "-merge=1", *LIMITS, f"-max_len={LONGEST_INPUT}", merged, *inputs_of(target))
        if done.returncode != 0:
            raise RuntimeError(f"{target}: the corpus cannot be minimised\n{done.stdout[-2000:]}")
        kept, size = 0, 0
        with gzip.GzipFile(packed(target), "wb", mtime=0) as stream, \
                tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for path in sorted(Path(merged).iterdir(), key=lambda file: (file.stat().st_size, file.name)):
                size += path.stat().st_size
                if size > KEPT_BYTES:
                    break
                member = tarfile.TarInfo(path.name[:16])
                member.size = path.stat().st_size
                with path.open("rb") as file:
                    archive.addfile(member, file)
                kept += 1
    print(f"{target:<18} {kept:>5} inputs kept", flush=True)
    return 0


def processor_seconds():
    """What finished children took."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--ci", action="store_true", help=f"the corpus and new inputs, {CI_RUNS} for each target")
    parser.add_argument("--keep-going", action="store_true", help="go on after a finding")
    parser.add_argument("--minimise", action="store_true", help="write fuzz/corpus anew instead")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="all if none is named")
    options = parser.parse_args()
    if options.ci:
        options.seconds = CI_SECONDS
    return options


def main():
    options = arguments()
    FINDINGS.mkdir(parents=True, exist_ok=True)
    known = subprocess.run([str(PROGRAM), "--list"], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    names = options.targets or known.stdout.split()
    if unknown := set(names) - set(known.stdout.split()):
        sys.exit(f"error: unknown targets: {', '.join(sorted(unknown))}")
    before = processor_seconds()  # of the compiler, where this took the place of a shell
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS") or 2)) as pool:
        findings = sum(pool.map(lambda name: (minimise if options.minimise else run)(name, options), names))
    print(f"{len(names)} targets, {findings} findings, {(processor_seconds() - before) / 60:.0f} processor minutes")
    return int(findings > 0)


if __name__ == "__main__":
    sys.exit(main())
