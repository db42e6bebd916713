# SPDX-License-Identifier: Apache-2.0
"""Where the data sets lie, and where to get those that are missing."""
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[1]
#: One folder for each source of data.
FOLDER = pathlib.Path(os.environ.get("FENCHEL_DATA") or ROOT.parent / "shared" / "data")

ORIGINS = {
    "mulan": "the Mulan collection of multi-label data sets (github.com/tsoumakas/mulan, data/multi-label)",
    "sparse_multilabel": "mldr.datasets (github.com/fcharte/mldr.datasets), written as svmlight files with several labels",
    "conll2000": "the CoNLL-2000 shared task (the copy in nltk_data)",
    "ocr": "Taskar's handwritten words (github.com/shogun-toolbox/shogun-data, ocr/ocr_taskar.mat), written as text",
    "rank": "LETOR 4.0, MQ2008, fold 1",
    "label_ranking": "github.com/akorba/Structured_Approach_Label_Ranking",
    "libsvm": "the LIBSVM collection of data sets",
    "ud": "Universal Dependencies (github.com/UniversalDependencies; the folder names the treebank and its release)",
    "ucr": "the UCR archive of time series (copies in tslearn and sktime)",
}


def path(name: str) -> pathlib.Path:
    """The path of a data file, such as mulan/yeast/yeast-train.arff."""
    return FOLDER / name


def missing(name: str) -> str:
    """What to tell the user about a file that is not there, or "" if it is."""
    if path(name).exists():
        return ""
    origin = ORIGINS[name.split("/")[0]]
    return f"{path(name)} is not there; it comes from {origin}; $FENCHEL_DATA names another folder to look in"
