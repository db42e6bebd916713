# SPDX-License-Identifier: Apache-2.0
"""Tables with names of columns as X: columns go by name, in estimators of Python and in models of the tool."""
import datetime
import io
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np

try:
    import fenchel.sklearn as estimators
    import pandas
    from fenchel.sklearn import FenchelYoungClassifier, FenchelYoungRegressor
except ImportError as error:
    raise unittest.SkipTest(f"scikit-learn or pandas is missing: {error}")
try:
    import pyarrow
except ImportError:
    pyarrow = None
try:
    import polars
except ImportError:
    polars = None

TOOL = os.environ.get("FENCHEL_TOOL", str(pathlib.Path(sys.executable).parent / "fenchel"))
OTHER_ORDER = ["c", "a", "b"]


def frame(rows=30):
    return pandas.DataFrame(np.random.default_rng(0).integers(-20, 21, size=(rows, 3)) / 16, columns=["a", "b", "c"])


def kinds(table):
    """The same table of every library that is there."""
    yield "pandas", table
    if pyarrow is not None:
        yield "pyarrow", pyarrow.Table.from_pandas(table, preserve_index=False)
        yield "a record batch", pyarrow.RecordBatch.from_pandas(table, preserve_index=False)
    if polars is not None and pyarrow is not None:
        yield "polars", polars.from_arrow(pyarrow.Table.from_pandas(table, preserve_index=False))


class Silent(unittest.TestCase):
    """Warnings are errors, unless a test expects them."""

    def setUp(self):
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("error")

    def fitted(self, table=None):
        table = frame() if table is None else table
        return FenchelYoungClassifier("sparsemax").fit(table, (frame()["a"] > 0).astype(int))


class Names(Silent):
    def test_order_does_not_matter(self):
        for library, table in kinds(frame()):
            with self.subTest(fitted_with=library):
                fitted = self.fitted(table)
                self.assertEqual(list(fitted.feature_names_in_), ["a", "b", "c"])
                expected = fitted.predict_proba(frame())
                for other, moved in kinds(frame()[OTHER_ORDER]):
                    np.testing.assert_array_equal(fitted.predict_proba(moved), expected, err_msg=other)
                    self.assertEqual(fitted.score(moved, (frame()["a"] > 0).astype(int)), 1.0)

    def test_missing_and_renamed_columns_are_named(self):
        fitted = self.fitted()
        for library, renamed in kinds(frame().rename(columns={"b": "B"})):
            expected = "(?s)feature names should match.*'b' is missing from X; training had it, but not 'B'"
            with self.subTest(library), self.assertRaisesRegex(ValueError, expected):
                fitted.predict(renamed)
        with self.assertRaisesRegex(ValueError, "'a' and 'c' are missing from X; training had them$"):
            fitted.predict(frame()[["b"]])

    def test_other_columns_are_left_out_with_a_warning(self):
        # As the tool does with CSV, which says so.
        fitted = self.fitted()
        for library, more in kinds(frame().assign(id=7, note="word")[["note", *OTHER_ORDER, "id"]]):
            with self.subTest(library):
                with self.assertWarnsRegex(UserWarning, "columns are not of the model and left out: 'note' and 'id'") as told:
                    found = fitted.predict_proba(more)
                self.assertEqual(told.filename, __file__)
                np.testing.assert_array_equal(found, fitted.predict_proba(frame()))

    def test_columns_of_one_name(self):
        with self.assertRaisesRegex(ValueError, "two columns of X are called 'a'"):
            self.fitted(frame()[["a", "b", "a"]])
        with self.assertRaisesRegex(ValueError, "column 'a' of X appears twice"):
            self.fitted().predict(frame()[["a", "b", "c", "a"]])

    def test_parts(self):
        y = (frame()["a"] > 0).astype(int)
        one, other = (FenchelYoungClassifier().partial_fit(frame(), y, classes=[0, 1]) for _ in range(2))
        one.partial_fit(frame(), y)
        other.partial_fit(frame()[OTHER_ORDER], y)
        np.testing.assert_array_equal(one.coef_, other.coef_)
        with self.assertRaisesRegex(ValueError, "'a' is missing from X"):
            one.partial_fit(frame()[["b", "c"]], y)
        with tempfile.TemporaryDirectory() as folder:
            one.save(pathlib.Path(folder) / "parts.safetensors")
            again = estimators.load(pathlib.Path(folder) / "parts.safetensors")
        np.testing.assert_array_equal(again.predict_proba(frame()[OTHER_ORDER]), one.predict_proba(frame()))

    def test_warm_starts_verification_and_calibration(self):
        y = (frame()["a"] > 0).astype(int)
        fitted = FenchelYoungClassifier(reg_lambda=2.0, certificate=True).fit(frame(), y)
        self.assertTrue(fitted.verify(frame()[OTHER_ORDER], y)["verified"])
        one, other = (FenchelYoungClassifier(warm_start=True).fit(frame(), y) for _ in range(2))
        before = one.coef_
        for estimator, table in ((one, frame()), (other, frame()[OTHER_ORDER])):
            estimator.set_params(max_iter=0)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it cannot converge
                estimator.fit(table, y)
            np.testing.assert_array_equal(estimator.coef_, before)
            estimator.calibrate(table, y)
        self.assertEqual(one.temperature_, other.temperature_)

    def test_files_and_pickles_keep_names(self):
        fitted = self.fitted()
        with tempfile.TemporaryDirectory() as folder:
            fitted.save(pathlib.Path(folder) / "model.safetensors")
            loaded = estimators.load(pathlib.Path(folder) / "model.safetensors")
        for again in (loaded, pickle.loads(pickle.dumps(fitted))):
            np.testing.assert_array_equal(again.predict_proba(frame()[OTHER_ORDER]), fitted.predict_proba(frame()))

    def test_names_that_are_numbers_go_by_position(self):
        table = frame().set_axis([0, 1, 2], axis=1)
        fitted = self.fitted(table)
        self.assertFalse(hasattr(fitted, "feature_names_in_"))
        np.testing.assert_array_equal(fitted.predict_proba(table), fitted.predict_proba(table.to_numpy()))
        with self.assertRaisesRegex(ValueError, "the columns of X are numbered '2', '1' and '0'; expected 0, 1, … in this order"):
            fitted.predict(table[[2, 1, 0]])

    def test_arrays_still_go_by_position_and_scikit_learn_says_so(self):
        fitted = self.fitted()
        with self.assertWarnsRegex(UserWarning, "does not have valid feature names"):
            np.testing.assert_array_equal(fitted.predict_proba(frame().to_numpy()), fitted.predict_proba(frame()))


class Columns(Silent):
    def refuses(self, column, expected):
        table = frame().assign(w=column)
        with self.assertRaisesRegex(ValueError, expected):
            self.fitted(table)

    def test_words_are_refused_with_advice(self):
        self.refuses("red", "column 'w' of X holds 'red' in row 0 .*expected numbers: .*OneHotEncoder.*read_table")
        self.refuses(pandas.Categorical(["red"] * 30), "column 'w' of X holds 'red'")
        self.refuses([1.0, "?"] * 15, r"column 'w' of X holds '\?' in row 1")

    def test_dates_are_refused(self):
        self.refuses(pandas.Timestamp("2026-01-31"), "column 'w' of X has the type datetime64")
        self.refuses(pandas.Timedelta("1h"), "column 'w' of X has the type timedelta64")
        self.refuses(datetime.date(2026, 1, 31), "column 'w' of X holds '2026-01-31' in row 0 .*date")

    def test_types_of_other_libraries_are_refused(self):
        for library, table in kinds(frame().assign(w="red")):
            with self.subTest(library), self.assertRaisesRegex(ValueError, "column 'w' of X"):
                self.fitted(table)
        if pyarrow is not None:
            table = pyarrow.table({"a": [1.0, 2.0], "l": [[1], [2]]})
            with self.assertRaisesRegex(ValueError, "column 'l' of X has the type 'list<.*int64>'"):
                FenchelYoungRegressor().fit(table, [1.0, 2.0])

    def test_what_is_a_number(self):
        expected = self.fitted(frame().assign(w=[0.0, 1.0] * 15)).coef_
        for column in ([False, True] * 15, ["0", "1"] * 15, pandas.array([0, 1] * 15, dtype="Int64"),
                       pandas.array([False, True] * 15, dtype="boolean"), pandas.Categorical([0, 1] * 15)):
            for library, table in kinds(frame().assign(w=column)):
                if library != "pandas" and isinstance(column, list) and isinstance(column[0], str):
                    continue  # texts are texts where columns have types
                with self.subTest(library, column=column[:2]):
                    np.testing.assert_array_equal(self.fitted(table).coef_, expected)

    def test_values_that_are_not_finite_are_named(self):
        for value, name in ((np.nan, "NaN"), (np.inf, "infinity")):
            table = frame()
            table.loc[4, "b"] = value
            for library, wrong in kinds(table[OTHER_ORDER]):
                with self.subTest(library, value=name), \
                        self.assertRaisesRegex(ValueError, f"column 'b' of X has {name} in row 4 .*Input X contains {name}"):
                    self.fitted().predict(wrong)
            sparse = table.astype(pandas.SparseDtype(float, 0.0))
            with self.assertRaisesRegex(ValueError, f"column 'b' of X has {name} in row 4"):
                self.fitted(sparse)

    def test_sparse_frames(self):
        sparse = frame().astype(pandas.SparseDtype(float, 0.0))
        np.testing.assert_array_equal(self.fitted(sparse).predict(sparse[OTHER_ORDER]), self.fitted().predict(frame()))

    def test_single_precision_stays(self):
        self.assertEqual(self.fitted(frame().astype(np.float32)).coef_.dtype, np.float32)


class Tool(Silent):
    """Models that `fenchel train` made of CSV, given frames."""

    def setUp(self):
        super().setUp()
        if not os.path.exists(TOOL):
            self.skipTest("the tool is not installed")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_tool(self, *arguments):
        done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout

    def trained(self, table, *flags):
        train, self.model = self.folder / "train.csv", self.folder / "model.safetensors"
        table.to_csv(train, index=False)
        self.run_tool("train", train, "--target", "y", "--model", self.model, "--omega", "sparsemax", *flags)
        return estimators.load(self.model)

    def agree(self, estimator, table):
        """The tool's probabilities of a CSV file are those of the estimator for the frame, to the last bit."""
        test = self.folder / "test.csv"
        table.to_csv(test, index=False)
        theirs = np.load(io.BytesIO(self.run_tool("predict", self.model, test, "--proba", "--format", "npy")))
        for library, same in kinds(table):
            with self.subTest(library):
                np.testing.assert_array_equal(estimator.predict_proba(same), theirs)

    @staticmethod
    def rows(words=True, gaps=False):
        table = frame(40)
        table["y"] = np.where(table["a"] + table["b"] > 0, "high", "low")
        if words:
            table["colour"] = ["red", "green", "blue", "green"] * 10
            table["shape"] = ["round", "square"] * 20
        if gaps:
            table.loc[[3, 8], "b"] = np.nan
            if words:
                table.loc[[1, 5], "colour"] = None
        return table

    def test_order(self):
        table = self.rows(words=False)
        estimator = self.trained(table)
        self.agree(estimator, table[["c", "y", "b", "a"]])
        self.agree(estimator, table[OTHER_ORDER])

    def test_words_and_missing_values(self):
        for gaps in (False, True):
            table = self.rows(gaps=gaps)
            estimator = self.trained(table, *(("--missing", "impute") if gaps else ()))
            self.assertEqual(estimator.feature_names_in_.tolist(),
                             ["a", "b", "c", "colour=blue", "colour=green", "colour=red", "shape"])
            self.agree(estimator, table[["shape", "c", "colour", "y", "b", "a"]])
            again = pickle.loads(pickle.dumps(estimator))
            self.agree(again, table.drop(columns="y"))

    def test_words_as_positions(self):
        table = self.rows(gaps=True)
        self.agree(self.trained(table, "--missing", "impute", "--nominal", "ordinal"), table)

    def test_booleans_and_numerals_among_words(self):
        table = self.rows(words=False)
        table["flag"] = [True, False, False, True] * 10
        table["mixed"] = ["A", "7", "B", "A"] * 10
        self.agree(self.trained(table), table[["mixed", "flag", *OTHER_ORDER]])

    def test_unknown_words_are_named(self):
        estimator = self.trained(self.rows())
        with self.assertRaisesRegex(ValueError, "column 'colour' of X has 'pink' in row 0 .*expected one of 'blue', 'green' and "
                                                "'red', as in training"):
            estimator.predict(self.rows().assign(colour="pink"))
        with self.assertRaisesRegex(ValueError, "column 'a' of X .*'pink'.*expected numbers, as in training"):
            estimator.predict(self.rows().assign(a="pink"))
        with self.assertRaisesRegex(ValueError, "column 'colour' of X has no value in row 1 .*training kept nothing"):
            estimator.predict(self.rows().assign(colour=self.rows(gaps=True)["colour"]))
        with self.assertRaisesRegex(ValueError, "'colour' is missing from X; training had it, but not 'Colour'"):
            estimator.predict(self.rows().rename(columns={"colour": "Colour"}))

    def test_features_of_words_are_taken_too(self):
        table = self.rows().drop(columns="y")
        estimator = self.trained(self.rows())
        coded = pandas.get_dummies(table, columns=["colour"], prefix_sep="=", dtype=float)
        coded["shape"] = (table["shape"] == "square").astype(float)
        np.testing.assert_array_equal(estimator.predict_proba(coded), estimator.predict_proba(table))

    def test_a_new_fit_forgets_the_columns_of_the_tool(self):
        estimator = self.trained(self.rows())
        estimator.fit(frame(40), self.rows()["y"])
        expected = FenchelYoungClassifier("sparsemax").fit(frame(40), self.rows()["y"]).predict_proba(frame(40))
        found = estimator.predict_proba(frame(40)[OTHER_ORDER])
        self.assertEqual(estimator.feature_names_in_.tolist(), ["a", "b", "c"])
        np.testing.assert_allclose(found, expected, atol=1e-3)

    def test_models_of_arff(self):
        table = self.rows().assign(grade=[1, 2, 3, 2] * 10)
        head = "".join(f"@attribute {name} {kind}\n" for name, kind in (
            ("a", "numeric"), ("b", "numeric"), ("c", "numeric"), ("y", "{low,high}"), ("colour", "{red,green,blue,pink}"),
            ("shape", "{round,square}"), ("grade", "{3,2,1}")))
        data, self.model = self.folder / "train.arff", self.folder / "model.safetensors"
        data.write_text("@relation r\n" + head + "@data\n" + table.to_csv(index=False, header=False))
        self.run_tool("train", data, "--target", "y", "--model", self.model, "--omega", "sparsemax")
        theirs = np.load(io.BytesIO(self.run_tool("predict", self.model, data, "--proba", "--format", "npy")))
        for library, moved in kinds(table[["grade", "shape", "c", "colour", "b", "a"]]):
            with self.subTest(library):
                np.testing.assert_array_equal(estimators.load(self.model).predict_proba(moved), theirs)

    def test_files_without_names_go_by_position(self):
        data = self.folder / "bare.csv"
        table = self.rows(words=False)
        table.to_csv(data, index=False, header=False)
        self.model = self.folder / "model.safetensors"
        self.run_tool("train", data, "--model", self.model, "--omega", "sparsemax", "--header", "no")
        estimator = estimators.load(self.model)
        self.assertFalse(hasattr(estimator, "feature_names_in_"))
        np.testing.assert_array_equal(estimator.predict_proba(frame(40).set_axis([0, 1, 2], axis=1)),
                                      estimator.predict_proba(frame(40).to_numpy()))


if __name__ == "__main__":
    unittest.main()
