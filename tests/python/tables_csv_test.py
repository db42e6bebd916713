# SPDX-License-Identifier: Apache-2.0
"""Parquet, Arrow IPC and Feather as CSV: the tool reads the same bits, and what CSV cannot hold is refused."""
import decimal
import os
import subprocess
import sys
import unittest
from unittest import mock

import numpy as np
from fenchel.tables import convert, read_table
from table_files import TOOL, Files, bits, pyarrow


class Conversion(Files):
    def written(self, columns, **options):
        path = self.folder / "data.csv"
        convert(self.file(columns), path, **options)
        return path

    def test_the_tool_reads_the_same_bits(self):
        random = np.random.default_rng(0).integers(0, 2**64, 3000, dtype=np.uint64).view(np.float64)
        doubles = np.concatenate([random[np.isfinite(random)][:2900], [0.1, 5e-324, -0.0, 1.7976931348623157e308, 1e22, 1e-7]])
        rows = len(doubles)
        columns = {"double": doubles, "float": (np.arange(rows) / 7).astype(np.float32),
                   "half": (np.arange(rows) % 99 / 7).astype(np.float16),
                   "flag": np.arange(rows) % 3 == 0, "int": np.arange(rows) - 2**53 + rows,
                   "decimal": pyarrow.array([decimal.Decimal(i) / 8 - 40 for i in range(rows)], pyarrow.decimal128(20, 10)),
                   "small": pyarrow.array([decimal.Decimal(i).scaleb(-18) for i in range(rows)], pyarrow.decimal128(38, 20)),
                   "y": np.arange(rows) % 2}
        csv = self.written(columns)
        arrays, ours = self.cached(csv), read_table(self.folder / "data", target="y").X
        self.assertEqual(self.texts(arrays, "feature_names"), ours.column_names)
        for j, name in enumerate(ours.column_names):
            self.assertEqual(bits(arrays["x"][:, j]), bits(ours[name]), name)

    def test_words_and_missing_values(self):
        strange = [" blanks ",
                   'a "quote"', "a, comma; and\ttab", "two\nlines\r\nor three", "one\rreturn", "Ωmega", "7", "nan", "b|c", "#"]
        columns = {"word": strange, "x, \"y\"": [1.5, None] * 5, "colour": ["red", None, "blue", "green", "red"] * 2,
                   "codes": pyarrow.array(["p", "q"] * 5).dictionary_encode(), "y": ["u", "v"] * 5}
        arrays = self.cached(self.written(columns), "--missing", "impute")
        ours = read_table(self.folder / "data", target="y", missing="impute")
        self.assertEqual(self.texts(arrays, "feature_names"), ours.feature_names)
        for j, name in enumerate(ours.feature_names):
            self.assertEqual(arrays["x"][:, j].tolist(), ours.X[name].to_pylist(), name)
        fill = [0.0] * len(ours.feature_names)
        first = 0
        for column in ours.columns:
            spread = len(column.features) > 1
            fill[first + (int(column.fill) if spread else 0)] = 1.0 if spread else column.fill
            first += len(column.features)
        self.assertEqual(arrays["fill"].tolist(), fill)

    def test_what_the_message_of_the_tool_recommends(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        path = self.file({"x": [0.1, 1e-300, 2.0], "w": ["b", "a", "c"], "y": [1, 2, 1]}, "data.parquet")
        ours = self.cached(self.written(pyarrow.parquet.read_table(path)))
        pandas.read_parquet(path).to_csv(self.folder / "other.csv", index=False)
        theirs = self.cached(self.folder / "other.csv")
        ours, theirs = ({name: array.tolist() for name, array in arrays.items()} for arrays in (ours, theirs))
        self.assertEqual(ours, theirs)
        done = subprocess.run([TOOL, "describe", str(path)], capture_output=True, text=True)
        self.assertRegex(done.stderr, "Parquet.*fenchel-table convert .*data.parquet FILE.csv")

    def test_texts_that_csv_would_change_are_refused(self):
        for texts, expected in ((["a", "NA"], "row 2: the text 'NA', which is a missing value to CSV"),
                                (["a", ""], "row 2: the text ''"), (["?", "a"], r"row 1: the text '\?'"),
                                (["a\0b", "a"], "has a byte 0"),
                                (["01234", "x"], "begins with '01234', by which CSV makes it a column of numbers"),
                                (["1,5", "x"], "begins with '1,5'"), (["-inf", "x"], "begins with '-inf'")):
            path = self.file({"x": [1.0, 2.0], "w": texts})
            with self.subTest(texts), self.assertRaisesRegex(ValueError, "data: column 'w'.*" + expected):
                convert(path, self.folder / "data.csv")
            self.assertFalse((self.folder / "data.csv").exists())
            convert(path, self.folder / "data.csv", ignore=["w"])
            self.assertEqual((self.folder / "data.csv").read_text(), '"x"\n1\n2\n')
            (self.folder / "data.csv").unlink()

    def test_values_that_are_refused(self):
        for columns, expected in (({"x": [1.0, float("nan")]}, "column 'x', row 2: nan is not a finite number"),
                                  ({"x": [1.0, None]}, r"column 'x' has missing values \(null\) and is the only column"),
                                  ({"a\0b": [1.0]}, "the name of column 'a.*has a byte 0")):
            with self.subTest(expected), self.assertRaisesRegex(ValueError, "data: " + expected):
                self.written(columns)
        with self.assertRaisesRegex(ValueError, "there are no columns left"):
            self.written({"x": [1.0]}, ignore=[1])
        with self.assertRaisesRegex(TypeError, "ignore is 'x'; expected a list"):
            self.written({"x": [1.0]}, ignore="x")

    def test_remarks(self):
        expected = "column 'id', row 1: no double is 9007199254740993: as a feature it will be rounded"
        with self.assertWarnsRegex(UserWarning, expected) as told:
            csv = self.written({"x": [1.0, 2.0], "id": [2**53 + 1, 7]})
        self.assertEqual(told.filename, __file__)
        self.assertIn("9007199254740993", csv.read_text())
        for columns in ({"a": ["b", "c"], "b": ["a", "a"]}, {"0": [1.0, 2.0], "1": [2.0, 1.0]}, {"nan": [1.0, 2.0]}):
            with self.assertWarnsRegex(UserWarning, "`--header yes`"):
                self.written(columns)

    def test_a_header_that_is_doubted_is_one_if_the_tool_is_told(self):
        with self.assertWarns(UserWarning):
            csv = self.written({"0": [1.0, 2.0], "1": [2.0, 1.0], "y": ["y", "0"]})
        self.assertEqual(self.texts(self.cached(csv, "--header", "yes"), "feature_names"), ["0", "1"])

    def test_written_whole_or_not_at_all(self):
        csv = self.folder / "data.csv"
        csv.write_text("before")
        os.chmod(csv, 0o640)
        path = self.file({"x": [1.0], "y": [2.0]})
        with mock.patch("os.replace", side_effect=OSError("no space")), self.assertRaisesRegex(OSError, "no space"):
            convert(path, csv)
        self.assertEqual((csv.read_text(), sorted(one.name for one in self.folder.iterdir())), ("before", ["data", "data.csv"]))
        link = self.folder / "link.csv"
        link.symlink_to("data.csv")
        self.assertEqual(convert(path, link), 1)
        self.assertTrue(link.is_symlink())
        self.assertEqual((csv.read_text(), csv.stat().st_mode & 0o777), ('"x","y"\n1,2\n', 0o640))
        self.assertEqual(sorted(one.name for one in self.folder.iterdir()), ["data", "data.csv", "link.csv"])

    def test_destinations(self):
        path = self.file({"x": [1.0], "y": [2.0]}, "source.csv")
        (self.folder / "folder.csv").mkdir()
        for name, error, expected in (("data.tsv", ValueError, r"expected a name that ends in \.csv"),
                                      ("folder.csv", ValueError, "is no file"), ("source.csv", ValueError, "the file to read"),
                                      ("nowhere/data.csv", FileNotFoundError, "nowhere")):
            with self.subTest(name), self.assertRaisesRegex(error, expected):
                convert(path, self.folder / name)

    def test_command(self):
        def run(*arguments):
            return subprocess.run([sys.executable, "-m", "fenchel.tables", *map(str, arguments)], capture_output=True, text=True)

        path = self.file({"x": [1.0], "id": [2**53 + 1], "y": [2.0]})
        done = run("convert", path, self.folder / "data.csv", "--ignore", "y")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertRegex(done.stderr, "warning: .*column 'id', row 1.*\n.*data: 1 rows -> .*data.csv\n")
        self.assertEqual((self.folder / "data.csv").read_text(), '"x","id"\n1,9007199254740993\n')
        for wrong in (("convert", self.folder / "nothing", "a.csv"), ("convert", path, "a.svm"),
                      ("convert", path, "a.csv", "--ignore", "z")):
            done = run(*wrong)
            self.assertEqual((done.returncode, done.stderr[:7]), (2, "error: "), done.stderr)
        self.assertEqual(run().returncode, 2)
        self.assertRegex(run("--version").stdout, r"fenchel-table \d+\.\d+")
        self.assertIn("first bytes", run("convert", "--help").stdout)


if __name__ == "__main__":
    unittest.main()
