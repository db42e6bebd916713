# SPDX-License-Identifier: Apache-2.0
"""Tables of Parquet, Arrow IPC and Feather: for the estimators of Python, and as CSV for the tool; needs pyarrow.

>>> from fenchel.tables import read_table
>>> train = read_table("train.parquet", target="y", ignore=["id"])       # doctest: +SKIP
>>> test = read_table("test.parquet", like=train)                        # doctest: +SKIP
>>> classifier.fit(train.X, train.y).score(test.X, test.y)               # doctest: +SKIP

`fenchel-table convert train.parquet train.csv` (or `python -m fenchel.tables convert …`) writes what `fenchel train` reads.
"""
from .csv_file import convert
from .reading import read_table
from .table import Column, Table

__all__ = ["Column", "Table", "convert", "read_table"]
