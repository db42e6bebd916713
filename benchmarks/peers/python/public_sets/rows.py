# SPDX-License-Identifier: Apache-2.0
"""Readers of rows: classes, numbers, sets of labels, orders.

They are scikit-learn's reader of svmlight or a few plain lines, not Fenchel's, so that a file which the tool misreads shows
up in the table.
"""
import csv
import re
import xml.etree.ElementTree

import numpy
import scipy.sparse

from .public_set import PublicSet, number_name, split_lines

DENSE = 2 / 3  # the share of values that are there from which rows are dense arrays


def features(x):
    """As everyone would have them. LinearSVC refuses the indices of 64 bits that scikit-learn's reader makes."""
    if x.nnz >= DENSE * x.shape[0] * x.shape[1]:
        return x.toarray()
    x.indices, x.indptr = x.indices.astype(numpy.int32), x.indptr.astype(numpy.int32)
    return x


# ---- rows with one label

def read_classes(name, train, test):
    """svmlight with a label per row: y is an array of names."""
    from sklearn.datasets import load_svmlight_files

    x, y, x_test, y_test = load_svmlight_files([str(train), str(test)])
    x, x_test = features(x), features(x_test)
    names = [numpy.array([number_name(label) for label in labels]) for labels in (y, y_test)]
    return PublicSet(name, "classification", "accuracy", train, test, x, names[0], x_test, names[1])


def read_bundled(name, folder):
    """A set that comes with scikit-learn, written as CSV with a header: the target is the last column."""
    import sklearn.datasets

    data = getattr(sklearn.datasets, f"load_{name}")()
    path = folder / f"{name}.csv"
    names = [str(column) for column in data.feature_names]
    regression = name == "diabetes"
    targets = data.target if regression else [str(data.target_names[label]) for label in data.target]
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*names, "progression" if regression else "class"])
        writer.writerows([*map(repr, row.tolist()), target] for row, target in zip(data.data, targets))
    train, test = split_lines(path, folder, 1)
    rows = [read_csv(part) for part in (train, test)]
    x, x_test = (numpy.array([row[:-1] for row in part], dtype=float) for part in rows)
    y, y_test = (numpy.array([row[-1] for row in part], dtype=float if regression else str) for part in rows)
    task, metric = ("regression", "R²") if regression else ("classification", "accuracy")
    return PublicSet(name, task, metric, train, test, x, y, x_test, y_test)


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


def read_series(name, train, test):
    """Time series of one length, as rows: a label and values between blanks, or `v,v,…:label` below @data."""
    def rows(path):
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        if path.suffix == ".ts":
            lines = [line for line in lines if line[0] not in "#@"]
            cut = [line.rpartition(":") for line in lines]
            return [values.split(",") for values, _, _ in cut], [label for _, _, label in cut]
        cells = [line.split() for line in lines]
        return [cell[1:] for cell in cells], [cell[0] for cell in cells]

    (x, y), (x_test, y_test) = rows(train), rows(test)
    names = [numpy.array([number_name(float(label)) for label in labels]) for labels in (y, y_test)]
    return PublicSet(name, "classification", "accuracy", train, test, numpy.array(x, dtype=float), names[0],
                     numpy.array(x_test, dtype=float), names[1])


# ---- rows with sets of labels

def indicators(sets, classes):
    index = {name: k for k, name in enumerate(classes)}
    y = numpy.zeros((len(sets), len(classes)), dtype=int)
    for i, names in enumerate(sets):
        y[i, [index[name] for name in names]] = 1
    return y


def read_label_sets(name, train, test):
    """svmlight with several labels: y has a column of 0 and 1 for each."""
    from sklearn.datasets import load_svmlight_files

    x, labels, x_test, test_labels = load_svmlight_files([str(train), str(test)], multilabel=True)
    x, x_test = features(x), features(x_test)
    sets = [[[number_name(label) for label in row] for row in part] for part in (labels, test_labels)]
    classes = sorted({label for part in sets for row in part for label in row}, key=float)
    return PublicSet(name, "multilabel", "micro F1", train, test, x, indicators(sets[0], classes), x_test,
                     indicators(sets[1], classes), classes=tuple(classes))


def read_mulan(name, train, test):
    """ARFF with an XML file that names the labels: nominal features of more than two values become a column for each."""
    names = [label.get("name") for label in xml.etree.ElementTree.parse(train.parent / f"{name}.xml").iter()
             if label.tag.endswith("label")]
    (x, y), (x_test, y_test) = (arff_arrays(path, names) for path in (train, test))
    return PublicSet(name, "multilabel", "micro F1", train, test, x, y, x_test, y_test, classes=tuple(names))


def arff_arrays(path, label_names):
    attributes, rows = arff_rows(path)
    columns, labels = [], {}
    for j, (name, values) in enumerate(attributes):
        cells = [row[j] for row in rows]
        if name in label_names:
            labels[name] = numpy.array([int(cell) for cell in cells])
        elif values and len(values) > 2:
            columns += [numpy.array([float(cell == value) for cell in cells]) for value in values]
        else:
            columns.append(numpy.array(cells, dtype=float))
    x = features(scipy.sparse.csr_matrix(numpy.column_stack(columns)))
    return x, numpy.column_stack([labels[name] for name in label_names])


def arff_rows(path):
    """The attributes, each with its name and its values if it is nominal, and the cells of all rows as text."""
    attributes, rows, in_data = [], [], False
    for line in path.read_text(encoding="utf-8").splitlines():
        line = line.strip()
        if not line or line.startswith("%"):
            continue
        if in_data and line.startswith("{"):
            cells = ["0"] * len(attributes)
            for pair in filter(None, line.strip("{} ").split(",")):
                index, value = pair.split()
                cells[int(index)] = value
            rows.append(cells)
        elif in_data:
            rows.append([cell.strip() for cell in line.split(",")])
        elif line.lower().startswith("@data"):
            in_data = True
        elif found := re.match(r"@attribute\s+('(?:[^'\\]|\\.)*'|\S+)\s+(.*)", line, re.I):
            kind = found[2].strip()
            values = [value.strip() for value in kind.strip("{}").split(",")] if kind.startswith("{") else []
            attributes.append((found[1].strip("'").replace("\\", ""), values))
    return attributes, rows


# ---- orders

def read_queries(name, train, test):
    """svmlight with qid: y has relevances, and documents of a query follow one another."""
    from sklearn.datasets import load_svmlight_files

    x, y, queries, x_test, y_test, test_queries = load_svmlight_files([str(train), str(test)], query_id=True)

    def counts(ids):
        starts = numpy.flatnonzero(numpy.r_[True, ids[1:] != ids[:-1]])
        return numpy.diff(numpy.r_[starts, len(ids)])

    return PublicSet(name, "ranking", "NDCG@10", train, test, features(x), y.astype(int), features(x_test), y_test.astype(int),
                     train_queries=counts(queries), test_queries=counts(test_queries))


def read_orders(name, path, folder):
    """CSV whose last column is an order such as b>a>c: y has the place of each item, 0 for the first."""
    parts = split_lines(path, folder, 1)
    rows = [read_csv(part) for part in parts]
    items = sorted(rows[0][0][-1].split(">"))
    places = [numpy.array([order_places(row[-1], items) for row in part]) for part in rows]
    x, x_test = (numpy.array([row[:-1] for row in part], dtype=float) for part in rows)
    return PublicSet(name, "label-ranking", "Kendall's τ", *parts, x, places[0], x_test, places[1], classes=tuple(items))


def order_places(order, items):
    place = {item: k for k, item in enumerate(order.split(">"))}
    return [place[item] for item in items]
