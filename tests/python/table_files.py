# SPDX-License-Identifier: Apache-2.0
"""What the tests of tables share: files of Parquet, Arrow IPC and Feather, and what the tool reads from CSV."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np
from fenchel.tables import read_table

try:
    import pyarrow
    import pyarrow.feather
    import pyarrow.parquet
except ImportError:
    pyarrow = None

TOOL = os.environ.get("FENCHEL_TOOL", str(pathlib.Path(sys.executable).parent / "fenchel"))


def write(path, table, kind="parquet"):
    """A file of one of the formats, under a name that does not say which."""
    if kind == "parquet":
        pyarrow.parquet.write_table(table, path)
    elif kind == "feather":
        pyarrow.feather.write_feather(table, str(path))
    else:
        with pyarrow.OSFile(str(path), "wb") as sink, getattr(pyarrow.ipc, "new_" + kind)(sink, table.schema) as writer:
            writer.write_table(table)
    return path


def bits(values):
    return np.ascontiguousarray(values, dtype=np.float64).view(np.int64).tolist()


class Files(unittest.TestCase):
    """Tests with a folder of their own; warnings are errors unless they are expected."""

    def setUp(self):
        if pyarrow is None:
            self.skipTest("pyarrow is not installed")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("error")

    def file(self, columns, name="data", kind="parquet"):
        table = columns if pyarrow is not None and isinstance(columns, pyarrow.Table) else pyarrow.table(columns)
        return write(self.folder / name, table, kind)

    def refuses(self, columns, expected, **options):
        path = self.file(columns)
        with self.assertRaisesRegex(ValueError, "data: " + expected):
            read_table(path, **options)

    def run_tool(self, *arguments):
        if not os.path.exists(TOOL):
            self.skipTest("the tool is not installed")
        done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def cached(self, csv, *flags):
        """What the tool reads from CSV: the arrays of the cache that it makes."""
        path = self.folder / "data.cache"
        self.run_tool("convert", csv, "--out", path, *flags)
        content = path.read_bytes()
        (size,) = struct.unpack("<Q", content[:8])
        header, types = json.loads(content[8:8 + size]), {"F64": "<f8", "I64": "<i8", "I32": "<i4", "U8": "u1"}
        arrays = {}
        for name, entry in header.items():
            if name != "__metadata__":
                begin, end = (8 + size + place for place in entry["data_offsets"])
                arrays[name] = np.frombuffer(content[begin:end], types[entry["dtype"]]).reshape(entry["shape"])
        return arrays

    @staticmethod
    def texts(arrays, name):
        ends = [0, *arrays[name + ".ends"].tolist()]
        whole = arrays[name + ".bytes"].tobytes()
        return [whole[begin:end].decode() for begin, end in zip(ends, ends[1:])]
