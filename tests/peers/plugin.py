# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest: substitutes ours for a peer before its tests are imported, and notes what became of each test.

A test that passes without one call of ours says nothing about us: it is noted as "not ours". Random numbers are the same in every
run. $PEERS_NAME is the adapter and $PEERS_RESULTS the file to write.
"""
import importlib.util
import json
import os
import random
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from peers.peer import adapter

OURS = str(Path(importlib.util.find_spec("fenchel").origin).parent)
LONGEST_MESSAGE = 400
_outcomes = {}
_reached = False


def seed():
    random.seed(0)
    np.random.seed(0)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)


def probe(frame, event, argument):
    """Looks for a call of ours, and then no further."""
    global _reached
    if frame.f_code.co_filename.startswith(OURS):
        _reached = True
        sys.setprofile(None)


def pytest_configure(config):
    try:
        from hypothesis import settings
        settings.register_profile("peers", derandomize=True, database=None, deadline=None)
        settings.load_profile("peers")
    except ImportError:
        pass
    if importlib.util.find_spec("joblib"):
        import joblib
        joblib.parallel_config("threading")  # other processes would not have the substitution, nor be seen
    seed()
    adapter(os.environ["PEERS_NAME"]).substitute()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item, nextitem):
    global _reached
    _reached = False
    seed()
    sys.setprofile(probe)
    threading.setprofile(probe)
    yield
    sys.setprofile(None)
    threading.setprofile(None)
    noted = _outcomes[item.nodeid]
    if noted["outcome"] == "passed" and not _reached:
        noted["outcome"] = "not ours"


def pytest_collectreport(report):
    if report.failed:
        _outcomes[report.nodeid] = {"outcome": "failed", "message": str(report.longrepr)[-LONGEST_MESSAGE:]}


def pytest_runtest_logreport(report):
    noted = _outcomes.setdefault(report.nodeid, {"outcome": "passed", "message": ""})
    if report.failed or report.skipped:
        crash = getattr(report.longrepr, "reprcrash", None)
        message = crash.message if crash else str(report.longrepr)
        noted.update(outcome="failed" if report.failed else "skipped", message=message[:LONGEST_MESSAGE])


def pytest_sessionfinish(session):
    Path(os.environ["PEERS_RESULTS"]).write_text(json.dumps(_outcomes, indent=1), encoding="utf-8")
