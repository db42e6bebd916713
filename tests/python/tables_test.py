# SPDX-License-Identifier: Apache-2.0
"""Parquet, Arrow IPC and Feather, read for the estimators, and refused where they cannot be used."""
import datetime
import decimal
import importlib
import subprocess
import sys
import unittest
from unittest import mock

import numpy as np
from fenchel.tables import convert, read_table
from table_files import Files, bits, pyarrow, write


class Missing(unittest.TestCase):
    def test_the_extra_is_named_where_pyarrow_is_missing(self):
        real = importlib.import_module

        def without(name, *rest):
            if name.startswith("pyarrow"):
                raise ImportError("no pyarrow")
            return real(name, *rest)

        with mock.patch("importlib.import_module", without), \
                self.assertRaisesRegex(ImportError, r"pip install 'fenchel\[tables\]'"):
            read_table("anything.parquet")

    def test_importing_it_needs_no_pyarrow(self):
        code = "import sys, fenchel.tables; sys.exit('pyarrow' in sys.modules)"
        self.assertEqual(subprocess.run([sys.executable, "-c", code]).returncode, 0)


class Reading(Files):
    def test_formats_are_known_by_their_bytes(self):
        table = pyarrow.table({"x": [1.5, 2.0], "y": ["a", "b"]})
        for kind in ("parquet", "feather", "file", "stream"):
            with self.subTest(kind):
                found = read_table(write(self.folder / "train.csv", table, kind), target="y")
                self.assertEqual(found.X.to_pydict(), {"x": [1.5, 2.0]})
                self.assertEqual(found.y.tolist(), ["a", "b"])

    def test_a_path_of_hive_makes_no_columns(self):
        (self.folder / "year=2020").mkdir()
        self.assertEqual(read_table(self.file({"x": [1.0]}, "year=2020/data.parquet")).feature_names, ["x"])

    def test_numbers(self):
        tenths = [decimal.Decimal("0.1"), decimal.Decimal("12345678901234567.891"), None]
        columns = {
            "int8": pyarrow.array([-1, 2, 3], pyarrow.int8()), "uint64": pyarrow.array([1, 2**53, 2**60], pyarrow.uint64()),
            "half": pyarrow.array(np.array([0.1, 1, 2], np.float16)), "float": pyarrow.array([0.1, 1, 2], pyarrow.float32()),
            "flag": [True, False, True], "decimal": pyarrow.array(tenths, pyarrow.decimal128(38, 18)),
            "codes": pyarrow.array([5, 7, 5]).dictionary_encode(), "null": pyarrow.nulls(3),
            "huge": pyarrow.array([decimal.Decimal(10)**70] * 3, pyarrow.decimal256(76, 2)),
        }
        found = read_table(self.file(columns), missing="impute").X
        self.assertEqual(found["float"].to_pylist(), [float(np.float32(0.1)), 1, 2])
        self.assertEqual(found["half"].to_pylist(), [float(np.float16(0.1)), 1, 2])
        self.assertEqual(found["uint64"].to_pylist(), [1.0, 2.0**53, 2.0**60])
        self.assertEqual(bits(found["decimal"].to_pylist()[:2]), bits([0.1, 12345678901234567.891]))
        self.assertEqual(found["flag"].to_pylist(), [1, 0, 1])
        self.assertEqual(found["codes"].to_pylist(), [5, 7, 5])
        self.assertEqual(found["null"].to_pylist(), [0, 0, 0])
        self.assertEqual(found["huge"].to_pylist(), [1e70] * 3)

    def test_decimals_are_rounded_once(self):
        random = np.random.default_rng(0)
        with decimal.localcontext() as context:
            context.prec = 60
            values = [decimal.Decimal(int(random.integers(-10**18, 10**18)) * 10**15 + int(random.integers(10**15))).scaleb(-20)
                      for _ in range(500)]
        column = pyarrow.array(values, pyarrow.decimal128(38, 20))
        self.assertEqual(bits(read_table(self.file({"x": column})).X["x"]), bits([float(value) for value in values]))

    def test_words_become_features_as_in_the_tool(self):
        columns = {"colour": ["red", "Green", "blue", "red"],
                   "size": pyarrow.array(["10", "9", "9.5", "10"], pyarrow.large_string()),
                   "shape": pyarrow.array(["round", "edgy", "edgy", "round"]).dictionary_encode(), "one": ["k"] * 4}
        found = read_table(self.file(columns))
        self.assertEqual(found.X.to_pydict(), {
            "colour=Green": [0, 1, 0, 0], "colour=blue": [0, 0, 1, 0], "colour=red": [1, 0, 0, 1],
            "size=9": [0, 1, 0, 0], "size=9.5": [0, 0, 1, 0], "size=10": [1, 0, 0, 1], "shape": [1, 0, 0, 1], "one": [0] * 4})
        self.assertEqual(found.columns[2].words, ("edgy", "round"))

    def test_runs_and_views(self):
        if not hasattr(pyarrow, "string_view"):
            self.skipTest("this pyarrow has no views of strings")
        table = {"run": pyarrow.RunEndEncodedArray.from_arrays([2, 3], [1.5, 2.5]),
                 "text": pyarrow.array(list("aba"), pyarrow.string_view())}
        found = read_table(self.file(table, kind="stream")).X
        self.assertEqual(found.to_pydict(), {"run": [1.5, 1.5, 2.5], "text": [0, 1, 0]})

    def test_other_data_are_read_like_the_training_data(self):
        columns = {"id": [7, 8, 9, 7], "x": [1.0, None, 3.0, 5.0], "c": ["b", "a", "c", "a"], "y": [0, 1, 0, 1]}
        train = read_table(self.file(columns), target="y", ignore=["id"], missing="impute")
        path = self.file({"y": [1, 0], "c": ["c", None], "x": [None, 2.0], "id": [1, 2]})
        test = read_table(path, like=train)
        self.assertEqual(test.X.to_pydict(), {"x": [3, 2], "c=a": [0, 1], "c=b": [0, 0], "c=c": [1, 0]})
        self.assertEqual((test.y.tolist(), test.target, test.ignored), ([1, 0], "y", ("id",)))
        path = self.file({"c": ["c"], "x": [2.0], "new": [1], "other": [2]})
        with self.assertWarnsRegex(UserWarning, "columns are not in .* and left out: 'new' and 'other'") as told:
            self.assertIsNone(read_table(path, like=train).y)
        self.assertEqual(told.filename, __file__)
        for columns, expected in (
                ({"X": [1.0], "c": ["a"]}, "'x' is missing; .* has it, but not 'X'"),
                ({"x": [1.0], "c": ["d"]}, "column 'c', row 1: 'd' is not a word of it in training; expected one of 'a', 'b' and "
                                           "'c'"),
                ({"x": [1.0], "c": [1.0]}, r"column 'c' holds numbers \(double\); expected words"),
                ({"x": ["1.0"], "c": ["a"]}, "column 'x' holds words .*; expected numbers")):
            self.refuses(columns, expected, like=train)

    def test_targets(self):
        for given, expected, kind in (([1, 2**62 + 1], [1, 2**62 + 1], "i"), ([0.5, 1.5], [0.5, 1.5], "f"),
                                      ([True, False], [True, False], "b"),
                                      (["b>a", "a=b"], ["b>a", "a=b"], "O"),
                                      (pyarrow.array([3, 4], pyarrow.int8()), [3, 4], "i"),
                                      (pyarrow.array(["p", "q"]).dictionary_encode(), ["p", "q"], "O"),
                                      ([decimal.Decimal("0.1"), decimal.Decimal("2")], [0.1, 2.0], "f")):
            y = read_table(self.file({"x": [1.0, 2.0], "y": given}), target=2).y
            self.assertEqual((y.tolist(), y.dtype.kind), (expected, kind))
        columns = {"x": [1.0, 2.0, 3.0], "y": [1.0, float("nan"), 2.0], "z": ["a", None, "b"], "l": [[1], [2], [3]]}
        self.refuses(columns, "target 'y', row 2: nan is not a finite number", target="y", ignore=["z", "l"])
        self.refuses(columns, r"target 'z', row 2: the target is missing \(null\)", target="z", ignore=["y", "l"])
        self.refuses(columns, "target 'l' has the type 'list<.*", target="l", ignore=["y", "z"])
        self.refuses(columns, "there is no column 'w'; expected 'x', 'y', 'z' and 'l', or a number from 1 to 4", target="w")
        self.refuses(columns, "target and ignore both have column 'y'", target="y", ignore=[2])
        self.refuses({"y": [1.0]}, "there are no features; the columns are 'y'", target="y")

    def test_the_index_of_pandas_is_no_column(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        frame = pandas.DataFrame({"x": [1.0, 2.0], "y": [0, 1]}, index=pandas.Index([7, 3], name="id"))
        for made in (frame, frame.rename_axis(None), frame.reset_index(drop=True)):
            frame_file = self.folder / "frame.parquet"
            made.to_parquet(frame_file)
            self.assertEqual(read_table(frame_file, target="y").feature_names, ["x"])
        frame.to_parquet(frame_file)
        self.assertEqual(read_table(frame_file, target="id").y.tolist(), [7, 3])
        damaged = pyarrow.table({"x": [1.0]}).replace_schema_metadata({"pandas": "{\xff"})
        self.assertEqual(read_table(self.file(damaged)).feature_names, ["x"])

    def test_estimators_take_it(self):
        try:
            import fenchel.sklearn as estimators
        except ImportError as error:
            self.skipTest(f"scikit-learn is missing: {error}")
        rows = 40
        x = np.random.default_rng(0).normal(size=rows)
        columns = {"x": x, "colour": ["red", "green", "blue", "red"] * (rows // 4), "y": np.where(x > 0, "high", "low")}
        train = read_table(self.file(columns), target="y")
        fitted = estimators.FenchelYoungClassifier(reg_lambda=0.01).fit(train.X, train.y)
        self.assertEqual(fitted.feature_names_in_.tolist(), ["x", "colour=blue", "colour=green", "colour=red"])
        test = read_table(self.file({name: columns[name] for name in ("y", "colour", "x")}, "test"), like=train)
        self.assertEqual(fitted.score(test.X, test.y), fitted.score(train.X, train.y))
        self.assertGreater(fitted.score(test.X, test.y), 0.9)
        self.assertRegex(repr(train), "<Table of .*data: 40 rows, 4 features, target 'y'>")


class Refusals(Files):
    def test_types_are_named(self):
        day = datetime.date(2026, 1, 31)
        for column in ([day], [datetime.datetime(2026, 1, 31)], [datetime.timedelta(1)], [datetime.time(1)], [[1.0]], [{"a": 1}],
                       [b"ab"], pyarrow.array([[(1, 2)]], pyarrow.map_(pyarrow.int8(), pyarrow.int8())),
                       pyarrow.array([day]).dictionary_encode()):
            column = column if isinstance(column, pyarrow.Array) else pyarrow.array(column)
            with self.subTest(str(column.type)):
                path = self.file({"x": [1.0], "w": column}, kind="stream")
                expected = r"data: column 'w' has the type '.*; expected numbers, booleans or words: .*leave it out \(`ignore`\)"
                with self.assertRaisesRegex(ValueError, expected):
                    read_table(path)
                with self.assertRaisesRegex(ValueError, expected):
                    convert(path, self.folder / "data.csv")
                self.assertEqual(read_table(path, ignore=["w"]).feature_names, ["x"])

    def test_values_are_named(self):
        for value, expected in ((float("nan"), "nan is not a finite number"), (float("-inf"), "-inf is not a finite number"),
                                (None, r"the value is missing \(null\); `missing=\"impute\"`")):
            self.refuses({"x": [1.0, value], "z": [1, 2]}, "column 'x', row 2: " + expected)
        for value, kind in ((2**53 + 1, "int64"), (-2**53 - 1, "int64"), (2**64 - 1, "uint64")):
            self.refuses({"x": pyarrow.array([2**53, 1, value, None][:3 if kind == "int64" else 4], getattr(pyarrow, kind)())},
                         f"column 'x', row 3: no double is {value}")

    def test_too_many_words(self):
        self.refuses({"id": [f"row {i}" for i in range(1001)]}, "column 'id' has 1001 different words, .*at most 1000")

    def test_tables_without_rows_or_with_columns_of_one_name(self):
        for kind in ("parquet", "file", "stream"):
            path = self.file({"x": pyarrow.array([], pyarrow.float64())}, kind=kind)
            with self.subTest(kind), self.assertRaisesRegex(ValueError, "data: there are no rows"):
                read_table(path)
        two = pyarrow.Table.from_arrays([pyarrow.array([1.0]), pyarrow.array([2.0])], names=["x", "x"])
        with self.assertRaisesRegex(ValueError, "data: two columns are called 'x'"):
            read_table(self.file(two))
        self.refuses({"a=b": [1, 2, 3], "a": ["b", "c", "d"]}, "two features are called 'a=b'")
        with self.assertRaisesRegex(ValueError, "data: there are no columns"):
            read_table(self.file(pyarrow.table({}), kind="stream"))

    def test_files_that_are_cut_off_or_damaged(self):
        table = pyarrow.table({"x": [1.5, 2.5] * 50, "w": ["a", "b"] * 50})
        for kind in ("parquet", "feather", "file", "stream"):
            whole = self.file(table, kind=kind).read_bytes()
            for size in (9, 12, len(whole) // 2, len(whole) - 9 - (8 if kind == "stream" else 0)):
                (self.folder / "cut").write_bytes(whole[:size])
                with self.subTest(kind, size=size), self.assertRaisesRegex(ValueError, "cut: the file is damaged or cut off: ."):
                    read_table(self.folder / "cut")
            random = np.random.default_rng(0)
            for _ in range(60):
                hurt = bytearray(whole)
                hurt[random.integers(8, len(hurt))] = random.integers(256)
                (self.folder / "hurt").write_bytes(hurt)
                try:
                    read_table(self.folder / "hurt")
                except ValueError as error:
                    self.assertIn("hurt: ", str(error))

    def test_other_formats(self):
        old = "Feather's first version, .* expected the second: pyarrow.feather.write_feather"
        for content, expected in ((b"", "the file is empty; expected Parquet, Arrow IPC or Feather"),
                                  (b"a,b\n1,2\n", "begins with b'a,b.*`fenchel train`"), (b"\x1f\x8b\x08", "begins with"),
                                  (b"PARE" * 5, "an encrypted file of Parquet"), (b"FEA1" * 5, old)):
            (self.folder / "data").write_bytes(content)
            with self.subTest(content), self.assertRaisesRegex(ValueError, "data: .*" + expected):
                read_table(self.folder / "data")
        with self.assertRaises(FileNotFoundError):
            read_table(self.folder / "nothing")
        with self.assertRaises(IsADirectoryError):
            read_table(self.folder)

    def test_what_is_no_file(self):
        for read in (read_table, lambda path: convert(path, self.folder / "o.csv")):
            for path in (None, ["a.parquet"], 3):
                with self.assertRaisesRegex(TypeError, r"(path|source) is .*; expected the name of a file"):
                    read(path)
            with self.assertRaisesRegex(ValueError, "is 'https://x/y.parquet', an address; expected a file: download it first"):
                read("https://x/y.parquet")
        with self.assertRaisesRegex(TypeError, "destination is None; expected the name of a file"):
            convert("a.parquet", None)

    def test_arguments(self):
        path = self.file({"x": [1.0]})
        for options, error, expected in (({"missing": "fill"}, ValueError, "missing is 'fill'; expected 'error' or 'impute'"),
                                         ({"ignore": "x"}, TypeError, "ignore is 'x'; expected a list"),
                                         ({"like": path}, ValueError, "like is .*; expected a table of read_table"),
                                         ({"target": True}, ValueError, "there is no column True"),
                                         ({"target": 0}, ValueError, "there is no column 0")):
            with self.subTest(options), self.assertRaisesRegex(error, expected):
                read_table(path, **options)


if __name__ == "__main__":
    unittest.main()
