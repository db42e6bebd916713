# SPDX-License-Identifier: Apache-2.0
"""Places where a file cannot be written, descriptors that are closed, pipes that nobody reads, several writers."""
import contextlib
import os
import resource
import signal
import subprocess

import runs
from runs import Failure

OLD = b"what was there before"
SMALL_FILE = 256  # bytes: less than any file that the tool writes


def refused(status, messages, arguments):
    """A file that could not be written is said, with status 1 or 2."""
    if status not in (1, 2) or "error" not in messages and "warning" not in messages:
        raise Failure(f"status {status} where the file cannot be written: {runs.command(arguments)}: {messages.strip()[-300:]}")


def unchanged(path, arguments, known=("file",)):
    if path.read_bytes() != OLD:
        raise Failure(f"the old file is gone: {runs.command(arguments)}")
    if left := runs.leftovers(path.parent, set(known)):
        raise Failure(f"left over: {left} ({runs.command(arguments)})")


def limit_files():
    """For the child: files may not grow; the write fails instead of a signal."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL_FILE, SMALL_FILE))


@contextlib.contextmanager
def mounted(folder, *options):
    """A file system of one page on a folder; False where only root may mount."""
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", folder], capture_output=True, check=False)
    try:
        yield done.returncode == 0
    finally:
        if done.returncode == 0:
            subprocess.run(["umount", folder], check=True)


def not_written(status, messages, arguments):
    """An error, but for checkpoints: a run that cannot save one goes on, warns, and ends with status 1."""
    if "--checkpoint" not in arguments:
        refused(status, messages, arguments)
    elif status != 1 or "warning" not in messages:
        raise Failure(f"status {status}, {messages.strip()[-300:]}: {runs.command(arguments)}")


def file_limit(make, folder, _):
    """Files that may not grow beyond some bytes, as on a disk with a quota."""
    path = folder / "file"
    path.write_bytes(OLD)
    arguments = make(path)
    status, messages = runs.run(*arguments, preexec_fn=limit_files)
    not_written(status, messages, arguments)
    unchanged(path, arguments)


def full_disk(make, folder, _):
    path = folder / "file"
    with mounted(folder, "size=8k") as mount:
        if not mount:
            return
        path.write_bytes(OLD)
        (folder / "filler").touch()
        with contextlib.suppress(OSError), open(folder / "filler", "wb", buffering=0) as filler:
            while True:
                filler.write(bytes(512))
        arguments = make(path)
        status, messages = runs.run(*arguments)
        not_written(status, messages, arguments)
        unchanged(path, arguments, ("file", "filler"))


def read_only_folder(make, folder, _):
    path = folder / "file"
    with mounted(folder, "size=64k") as mount:
        path.write_bytes(OLD)
        if mount:
            subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
        elif os.geteuid() != 0:
            folder.chmod(0o555)
        else:
            return
        arguments = make(path)
        status, messages = runs.run(*arguments)
        if not mount:
            folder.chmod(0o755)
        not_written(status, messages, arguments)
        unchanged(path, arguments)


def closed_descriptors(make, folder, _):
    """Any of the three standard descriptors closed: what is written is the same, and no message gets into it."""
    path = folder / "file"
    runs.good(*make(path))
    expected = path.read_bytes()
    for closed in ([0], [1], [2], [0, 1], [1, 2], [0, 2], [0, 1, 2]):
        path.unlink()
        status = runs.start(*make(path), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            preexec_fn=lambda closed=closed: [os.close(descriptor) for descriptor in closed]).wait(runs.SECONDS)
        # Results that cannot be printed are a failure; messages that cannot be are none.
        if status not in ((0, 1, 2) if 1 in closed else (0, 1)) or not runs.same(path, expected):
            raise Failure(f"status {status} with the descriptors {closed} closed, the file "
                          f"{runs.state_of(path, expected)}: {runs.command(make(path))}")


def dead_pipe():
    """The end for writing of a pipe that nobody reads any more."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def dead_pipes(make, folder, _):
    """Nobody reads the progress, or the results: the file is written all the same."""
    path = folder / "file"
    arguments = [argument for argument in make(path) if argument != "--quiet"]
    runs.good(*make(path))
    expected = path.read_bytes()
    for stream in ("stdout", "stderr"):
        for target in (dead_pipe, lambda: os.open("/dev/full", os.O_WRONLY)):
            path.unlink()
            descriptor = target()
            options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: descriptor}
            status = runs.start(*arguments, **options).wait(runs.SECONDS)
            os.close(descriptor)
            # Who writes to a pipe that nobody reads may be ended by the signal, but only after the file is there.
            allowed = (0, 1, 2, -signal.SIGPIPE) if stream == "stdout" else (0, 1)
            if status not in allowed or not runs.same(path, expected):
                raise Failure(f"status {status} with nobody reading {stream}, the file "
                              f"{runs.state_of(path, expected)}: {runs.command(arguments)}")


def several_writers(make, folder, draw):
    """Four processes write one file, some of them killed: it is whole at any time, and nothing is left over."""
    path = folder / "file"
    runs.good(*make(path))
    expected = path.read_bytes()
    for _ in range(3):
        processes = [runs.start(*make(path)) for _ in range(4)]
        doomed = draw.choice(processes)
        doomed.send_signal(signal.SIGKILL)
        for process in processes:
            status, messages = runs.finish(process)
            if status not in (0, -signal.SIGKILL):
                raise Failure(f"status {status} of one of four: {runs.command(process.args)}: {messages.strip()[-300:]}")
        if not runs.same(path, expected):
            raise Failure(f"four writers made another file: {runs.command(make(path))}")
    runs.good(*make(path))
    if left := runs.leftovers(folder, {"file"}):
        raise Failure(f"left over by several writers: {left} ({runs.command(make(path))})")


def shrunk_cache(folder, draw):
    """Somebody cuts a data set off that is mapped into memory: an error, not a signal."""
    rows, cache = folder / "rows", folder / "cache"
    rows.write_bytes(runs.output_of("synth", "classification", "--samples", "3000", "--features", "40"))
    for _ in range(5):
        runs.good("convert", rows, "--out", cache)
        process = runs.start("train", cache, "--quiet", "--solver", "subgradient", "--max-iterations", "400", "--threads", "1")
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(draw.uniform(0.02, 0.4))
        os.truncate(cache, draw.choice([0, 100, 5000, cache.stat().st_size // 2]))
        status, messages = runs.finish(process)
        if status not in (0, 1, 2):
            raise Failure(f"status {status} when the cache was cut off: {messages.strip()[-300:]}")


PLACES = [file_limit, full_disk, read_only_folder, closed_descriptors, dead_pipes, several_writers]
