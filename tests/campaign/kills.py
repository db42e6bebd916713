# SPDX-License-Identifier: Apache-2.0
"""Kills at random moments: the run goes on from its checkpoint and ends with the same bits; no file is torn."""
import json
import signal
import subprocess
import time

import runs
from runs import Failure

SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]
KILLS_OF_A_RUN = 4  # before it may go to its end


class Interrupted:
    """One training run in a folder of its own: killed, resumed and compared with one that was left alone."""

    def __init__(self, arguments, folder, draw):
        self.arguments = arguments
        self.draw = draw
        self.folder = folder
        self.model, self.checkpoint, self.reference = (folder / name for name in ("model", "checkpoint", "reference"))
        self.kills = 0

    def full_run(self):
        """Runs without a kill; the seconds that it took."""
        begin = time.monotonic()
        runs.good(*self.arguments, "--every", "0s", "--checkpoint", self.checkpoint, "--model", self.reference)
        self.checkpoint.unlink()
        return time.monotonic() - begin

    def attempt(self, seconds=None):
        """Runs on from the checkpoint, and is killed after so many seconds. Whether it came to its end."""
        resume = ["--resume", self.checkpoint] if self.checkpoint.exists() else []
        process = runs.start(*self.arguments, "--every", "0s", "--checkpoint", self.checkpoint, "--model", self.model, *resume)
        sent = None
        if seconds is not None:
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                sent = self.draw.choice(SIGNALS)
                process.send_signal(sent)
                self.kills += 1
        status, messages = runs.finish(process)
        expected = {0, 2} if resume and not sent else {0}
        if sent:  # it may have been at its end already, or before the handler was there
            expected |= {-sent, 128 + sent}
        if status not in expected:
            raise Failure(f"status {status} (signal {sent}) of {runs.command(process.args)}: {messages.strip()[-300:]}")
        if status == 2 and "nothing is left to do" not in messages:
            raise Failure(f"cannot resume: {messages.strip()[-300:]} ({runs.command(process.args)})")
        for path in (self.model, self.checkpoint):
            self.whole(path)
        return status in (0, 2)

    def whole(self, path):
        """A file that is there opens: the model in the tool, the checkpoint when it is resumed."""
        if path == self.model and path.exists():
            runs.good("inspect", path)

    def torture(self):
        length = self.full_run()
        for _ in range(KILLS_OF_A_RUN):
            if self.attempt(self.draw.uniform(0.3, 1.1) * length):
                break
        self.attempt()
        if self.model.read_bytes() != self.reference.read_bytes():
            raise Failure(f"another model after {self.kills} kills: {runs.command(self.arguments)}")
        if left := runs.leftovers(self.folder, {"model", "checkpoint", "reference"}):
            raise Failure(f"left over after {self.kills} kills and a full run: {left} ({runs.command(self.arguments)})")


def kill_run(arguments, folder, draw):
    """How many kills one run had, until it was at its end."""
    run = Interrupted(arguments, folder, draw)
    run.torture()
    return run.kills


def kill_writer(make, folder, draw):
    """Kills a writer: the old file stays, or the new one is there as a whole. How many kills there were."""
    path, kills = folder / "file", 0
    begin = time.monotonic()
    runs.good(*make(path))
    length = time.monotonic() - begin
    new = path.read_bytes()
    for _ in range(KILLS_OF_A_RUN):
        old = b"what was there before"
        path.write_bytes(old)
        process = runs.start(*make(path))
        sent = draw.choice(SIGNALS)
        try:
            process.wait(draw.uniform(0.2, 1.05) * length)
        except subprocess.TimeoutExpired:
            process.send_signal(sent)
            kills += 1
        status, messages = runs.finish(process)
        if status not in (0, -sent, 128 + sent):
            raise Failure(f"status {status} (signal {sent}) of {runs.command(process.args)}: {messages.strip()[-300:]}")
        content = path.read_bytes()
        # A run that was asked to stop saves what it has by then, and checkpoints are of any iteration.
        early = status == 128 + sent or b"fenchel_checkpoint" in content
        if content != old and not runs.same(path, new) and not (early and complete(content)):
            raise Failure(f"torn, {len(content)} of {len(new)} bytes after signal {sent}: {runs.command(process.args)}")
    runs.good(*make(path))
    if not runs.same(path, new):
        raise Failure(f"other bytes after kills: {runs.command(make(path))}")
    if left := runs.leftovers(folder, {"file"}):
        raise Failure(f"left over after kills and a full run: {left} ({runs.command(make(path))})")
    return kills


def complete(content):
    """Whether a tensor file has all its bytes."""
    length = int.from_bytes(content[:8], "little")
    try:
        header = json.loads(content[8 : 8 + length])
    except ValueError:
        return False
    ends = [tensor["data_offsets"][1] for name, tensor in header.items() if name != "__metadata__"]
    return len(content) == 8 + length + max(ends, default=0)
