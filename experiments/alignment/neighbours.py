# SPDX-License-Identifier: Apache-2.0
"""The nearest neighbour under Euclidean distance, dynamic time warping and soft-DTW."""
import fenchel
import numpy as np

from .series import distances, read

GAMMAS = [0.001, 0.01, 0.1, 1, 10, 100]


def euclidean(cost):
    return np.trace(cost, axis1=-2, axis2=-1)


def warping(band):
    """DTW within a band, where 0 is no warping at all, as in the UCR archive, and None no band."""
    if band == 0:
        return euclidean
    return lambda cost: fenchel.dtw(cost, band=band or 0)


def soft_warping(gamma):
    return lambda cost: fenchel.soft_dtw(cost, gamma)


def with_self(series, gamma):
    """Soft-DTW of each series with itself, which is not 0: half of it comes off in the soft-DTW divergence."""
    return fenchel.soft_dtw((series[:, :, None] - series[:, None, :]) ** 2, gamma)


def left_out_error(between, labels):
    """The leave-one-out error of 1-NN, from distances between training series."""
    between = between.copy()
    np.fill_diagonal(between, np.inf)
    return float(np.mean(labels[between.argmin(axis=1)] != labels))


def classify(name, bands, rows):
    """Test errors; band and γ by the leave-one-out error on the training set, the smallest in ties."""
    train, labels = read(name, "TRAIN")
    test, truth = (part[:rows] for part in read(name, "TEST"))

    def error(between):
        return round(float(np.mean(labels[between.argmin(axis=1)] != truth)), 6)

    left_out = [left_out_error(distances(train, train, warping(band)), labels) for band in bands]
    band = bands[int(np.argmin(left_out))]
    return {"train": len(train), "test": len(test), "length": train.shape[1],
            "euclidean": error(distances(test, train, euclidean)),
            "dtw": error(distances(test, train, warping(None))),
            "band": {"chosen": band, "left_out": [round(value, 6) for value in left_out],
                     "error": error(distances(test, train, warping(band)))},
            "soft": [soft_errors(gamma, train, labels, test, error) for gamma in GAMMAS]}


def soft_errors(gamma, train, labels, test, error):
    """Errors of soft-DTW and of its divergence, left out and on test. A test series' own term is the same for all neighbours."""
    inside, outside = (distances(series, train, soft_warping(gamma)) for series in (train, test))
    half = with_self(train, gamma) / 2
    return {"gamma": gamma, "value": [round(left_out_error(inside, labels), 6), error(outside)],
            "divergence": [round(left_out_error(inside - half, labels), 6), error(outside - half)]}


def chosen(soft, kind):
    """The entry with the least leave-one-out error; the smallest γ in ties."""
    return min(soft, key=lambda entry: entry[kind][0])
