# SPDX-License-Identifier: Apache-2.0
"""One public set: which files the tool gets, and the same rows as arrays for its peers."""
import dataclasses
import gzip
import pathlib
import random


@dataclasses.dataclass
class PublicSet:
    """One set. What x and y are depends on the task; see the readers."""

    name: str
    task: str  # as the tool calls it
    metric: str
    train: pathlib.Path
    test: pathlib.Path
    x: object
    y: object
    x_test: object
    y_test: object
    train_queries: object = None  # ranking: the number of documents of each query
    test_queries: object = None
    classes: tuple = ()  # multilabel: the names of the columns of y
    attributes: str = ""  # tagging: which attributes CRFsuite gets, words or letters

    def size(self):
        if self.task == "tagging":
            tokens = [sum(map(len, sentences)) for sentences in (self.x, self.x_test)]
            return f"{len(self.x)} + {len(self.x_test)} sentences, {tokens[0]} + {tokens[1]} tokens"
        return f"{self.x.shape[0]} + {self.x_test.shape[0]} × {self.x.shape[1]}"


def open_text(path):
    return gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else open(path, encoding="utf-8", newline=None)


def number_name(value):
    """A label that is a number, by its shortest text."""
    return f"{value:g}"


def split_lines(path, folder, header_lines=0):
    """The same lines in two files, each with the header: three quarters to train on, and the rest."""
    with open_text(path) as text:
        lines = text.read().splitlines()
    head, body = lines[:header_lines], lines[header_lines:]
    random.Random(0).shuffle(body)
    held_out = len(body) // 4
    suffix = path.name.removesuffix(".gz").partition(".")[2]
    parts = []
    for part, rows in (("train", body[held_out:]), ("test", body[:held_out])):
        parts.append(folder / f"{path.name.partition('.')[0]}-{part}.{suffix or 'svm'}")
        parts[-1].write_text("\n".join(head + rows) + "\n", encoding="utf-8")
    return parts
