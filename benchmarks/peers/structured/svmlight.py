# SPDX-License-Identifier: Apache-2.0
"""Reading svmlight files, against scikit-learn's load_svmlight_file."""
import pathlib
import tempfile

from harness import Case

FOLDER = tempfile.TemporaryDirectory(prefix="fenchel-svmlight-")


def write(name, rows, features, entries, digits):
    """A file of random rows: `entries` of `features` per row, values with `digits` decimals."""
    import numpy

    random = numpy.random.default_rng(3)
    path = pathlib.Path(FOLDER.name) / name
    with path.open("w", encoding="ascii") as file:
        for _ in range(rows):
            indices = numpy.sort(random.choice(features, entries, replace=False)) + 1
            values = random.normal(size=entries)
            pairs = " ".join(f"{index}:{value:.{digits}f}" for index, value in zip(indices, values))
            file.write(f"{random.integers(10)} {pairs}\n")
    return path


def cases():
    from sklearn.datasets import load_svmlight_file

    for name, rows, features, entries, digits in (("sparse, 6 digits", 20000, 50000, 80, 6),
                                                  ("dense, 4 digits", 20000, 100, 100, 4),
                                                  ("sparse, 17 digits", 20000, 50000, 80, 17)):
        path = write(f"{name.replace(', ', '_').replace(' ', '_')}.svm", rows, features, entries, digits)
        yield Case(name=f"read_svmlight {name}", ours=f"read_svmlight path={path}",
                   peer=lambda path=path: load_svmlight_file(str(path)), goal=10, against="scikit-learn", rounds=3)
