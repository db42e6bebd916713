# SPDX-License-Identifier: Apache-2.0
"""The tests of other libraries, run against ours.

Each module `peers.<name>` is the adapter of one of them: `PEER` says where its tests come from and which of them do not apply,
and why; `substitute()` puts our functions behind its names. Nothing of theirs is kept here: source distributions are fetched
from the package index and checked against pinned hashes. `python -m peers.run` runs them (scripts/test_peers).
"""
