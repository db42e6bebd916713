# SPDX-License-Identifier: Apache-2.0
"""Soft-DTW barycentres (Cuturi and Blondel 2017), and classification by the nearest centroid."""
import fenchel
import numpy as np

from .neighbours import euclidean, soft_warping, warping
from .series import costs, distances, read

GAMMAS = [0.01, 0.1, 1, 10]
SHOWN = 10  # series of a class in the figure


def centroids(name, gammas, rows):
    """Errors of the nearest centroid in training and test, how close centroids are to their class, and what to draw."""
    train, labels = read(name, "TRAIN")
    test, truth = (part[:rows] for part in read(name, "TEST"))
    classes = [train[labels == label] for label in np.unique(labels)]
    means = np.array([series.mean(axis=0) for series in classes])
    averages = {gamma: np.array([fenchel.soft_dtw_barycenter(series, gamma) for series in classes]) for gamma in gammas}

    def errors(centres, function):
        names = np.unique(labels)
        return [round(float(np.mean(names[distances(series, centres, function).argmin(axis=1)] != right)), 6)
                for series, right in ((train, labels), (test, truth))]

    return {"test": len(test),
            "mean": {"euclidean": errors(means, euclidean), "dtw": errors(means, warping(None)),
                     "spread": spread(classes, means)},
            "barycentres": [{"gamma": gamma, "errors": errors(centres, soft_warping(gamma)), "spread": spread(classes, centres)}
                            for gamma, centres in averages.items()],
            "curves": [{"series": [as_text(one) for one in series[:SHOWN]], "mean": as_text(mean),
                        "barycentres": [as_text(centres[i]) for centres in averages.values()]}
                       for i, (series, mean) in enumerate(zip(classes, means))]}


def spread(classes, centres):
    """The mean of DTW between a training series and the centroid of its class."""
    return round(float(np.mean(np.concatenate([fenchel.dtw(costs(centre, series))
                                               for series, centre in zip(classes, centres)]))), 6)


def as_text(series):
    """Numbers in one string, which takes one line in the results."""
    return " ".join(f"{value:.3f}" for value in series)


def from_text(text):
    return np.array(text.split(), dtype=float)
