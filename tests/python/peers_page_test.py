# SPDX-License-Identifier: Apache-2.0
"""docs/peers_suites.md names every peer of tests/peers with its version and every reason; a run checks its numbers."""
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

try:
    import sklearn  # noqa: F401
    import torch  # noqa: F401
    from peers.peer import NAMES, adapter, matches
except ImportError as error:
    raise unittest.SkipTest(f"what the adapters need is missing: {error}")


class Page(unittest.TestCase):
    def test_peers_and_reasons(self):
        page = (ROOT / "docs" / "peers_suites.md").read_text(encoding="utf-8")
        for name in NAMES:
            peer = adapter(name).PEER
            self.assertIn(f"| {peer.title} | {peer.version} |", page)
            for reason in (*peer.does_not_apply, *peer.left_out):
                self.assertIn(reason, page)

    def test_patterns(self):
        self.assertTrue(matches("test_a", "folder/test_x.py::test_a[1-b]"))
        self.assertTrue(matches("test_a[*-b]", "test_x.py::test_a[1-b]"))
        self.assertFalse(matches("test_a", "test_x.py::test_ab"))
        self.assertFalse(matches("test_a[1]", "test_x.py::test_a[2]"))
        self.assertTrue(matches("test_x.py::Case::test_a", "test_x.py::Case::test_a"))


if __name__ == "__main__":
    unittest.main()
