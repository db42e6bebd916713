# SPDX-License-Identifier: Apache-2.0
"""fenchel.sklearn: sparse matrices whose arrays do not fit together are refused, by fit and by predict."""
import unittest

import numpy as np

try:
    import scipy.sparse
    from fenchel.sklearn import FenchelYoungClassifier, FenchelYoungMultilabel
except ImportError as error:
    raise unittest.SkipTest(f"scikit-learn is missing: {error}")

DENSE = np.round(np.random.default_rng(0).normal(size=(60, 3)))
Y = (DENSE[:, 0] > 0).astype(int)


def with_entry(name, i, value):
    def change(matrix):
        array = getattr(matrix, name).astype(np.int64)
        array[i] = value
        setattr(matrix, name, array)
    return change


def cut(name, entries):
    def change(matrix):
        setattr(matrix, name, getattr(matrix, name)[:entries])
    return change


BROKEN = {
    r"X.indptr\[5\] is 1000000; expected at most": with_entry("indptr", slice(5, None), 10**6),
    r"X.indptr\[6\] is \d+ after 1000000": with_entry("indptr", 5, 10**6),
    r"X.indptr\[5\] is -7 after": with_entry("indptr", 5, -7),
    r"X.indptr\[0\] is 2; expected 0": with_entry("indptr", 0, 2),
    r"X.indptr has shape \(8,\)": cut("indptr", 8),
    r"X.indices has shape \(9,\)": cut("indices", 9),
    r"X.indices\[3\] is 1000; expected 0 to": with_entry("indices", 3, 1000),
    r"X.indices\[3\] is -5; expected 0 to": with_entry("indices", 3, -5),
    r"X.indices\[3\] is 4294967297; expected 0 to": with_entry("indices", 3, 2**32 + 1),
}


class Sparse(unittest.TestCase):
    def refused(self, message, matrix):
        with self.assertRaisesRegex(ValueError, message):
            FenchelYoungClassifier().fit(matrix, Y)
        with self.assertRaisesRegex(ValueError, message):
            FenchelYoungClassifier().fit(DENSE, Y).predict(matrix)

    def test_compressed(self):
        for make in (scipy.sparse.csr_matrix, scipy.sparse.csr_array, scipy.sparse.csc_array):
            for numbers in (np.float64, np.int64):  # which scikit-learn converts first
                for message, change in BROKEN.items():
                    if make is scipy.sparse.csc_array and "indptr" in message:
                        continue
                    with self.subTest(make=make, numbers=numbers, message=message):
                        matrix = make(DENSE.astype(numbers))
                        change(matrix)
                        self.refused(message, matrix)
        columns = scipy.sparse.csc_array(DENSE)
        columns.indptr[2] = 10**6
        self.refused(r"X.indptr\[3\] is \d+ after 1000000", columns)

    def test_other_formats(self):
        blocks = scipy.sparse.bsr_array(DENSE, blocksize=(2, 3))
        blocks.indices[4] = 1
        self.refused(r"X.indices\[4\] is 1; expected 0 to 0", blocks)
        places = scipy.sparse.coo_matrix(DENSE)
        places.col[2] = 77
        self.refused(r"X.coords\[1\]\[2\] is 77", places)
        diagonals = scipy.sparse.dia_matrix(DENSE)
        diagonals.offsets = np.arange(len(diagonals.offsets) + 5, dtype=np.int32)
        self.refused("X has .* offsets", diagonals)

    def test_targets(self):
        y = scipy.sparse.csr_array(np.eye(3)[np.arange(60) % 3])
        y.indices[4] = 5000
        with self.assertRaisesRegex(ValueError, r"y.indices\[4\] is 5000; expected 0 to 2"):
            FenchelYoungMultilabel().fit(DENSE, y)

    def test_whole_matrices(self):
        expected = FenchelYoungClassifier().fit(DENSE, Y)
        unsorted = scipy.sparse.csr_array(DENSE)
        self.assertTrue(unsorted.has_canonical_format)  # kept by SciPy, and wrong once the arrays change
        row = np.flatnonzero(np.diff(unsorted.indptr) > 1)[0]
        for array in (unsorted.indices, unsorted.data):
            part = slice(unsorted.indptr[row], unsorted.indptr[row + 1])
            array[part] = array[part][::-1].copy()
        kept = unsorted.indices.copy()
        longer = scipy.sparse.csr_array(DENSE)  # SciPy allows room after the last entry
        longer.data, longer.indices = np.append(longer.data, 5.0), np.append(longer.indices, -1)
        for name, matrix in (("unsorted", unsorted), ("longer", longer),
                             *((form, scipy.sparse.csr_array(DENSE).asformat(form)) for form in
                               ("csr", "csc", "bsr", "coo", "lil", "dok", "dia"))):
            with self.subTest(name):
                model = FenchelYoungClassifier().fit(matrix, Y)
                np.testing.assert_allclose(model.coef_, expected.coef_, rtol=0, atol=1e-9)
                np.testing.assert_allclose(model.decision_function(matrix), expected.decision_function(DENSE), atol=1e-9)
        np.testing.assert_array_equal(unsorted.indices, kept)
        FenchelYoungClassifier().fit(scipy.sparse.csr_array((60, 3)), Y)


if __name__ == "__main__":
    unittest.main()
