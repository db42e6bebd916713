# SPDX-License-Identifier: Apache-2.0
"""Time series of the UCR archive, and costs between them."""
import numpy as np

from .. import data

FILES = {"GunPoint": "ucr/GunPoint/GunPoint_{}.txt", "ItalyPowerDemand": "ucr/ItalyPowerDemand/ItalyPowerDemand_{}.ts"}


def needs(name):
    return [FILES[name].format(part) for part in ("TRAIN", "TEST")]


def read(name, part):
    """Series of one length as rows, and their labels."""
    path = data.path(FILES[name].format(part))
    if path.suffix == ".txt":
        table = np.loadtxt(path)
        return table[:, 1:], table[:, 0].astype(int)
    lines = [line.rsplit(":", 1) for line in path.read_text(encoding="utf-8").splitlines() if line and line[0] not in "#@"]
    return np.array([values.split(",") for values, _ in lines], dtype=float), np.array([int(label) for _, label in lines])


def costs(series, others):
    """Squared differences of each step of one series with each step of each of the others: [others, steps, steps]."""
    return (series[:, None] - others[:, None, :]) ** 2


def distances(series, others, function):
    """function of the costs of each pair: one row per series."""
    return np.array([function(costs(one, others)) for one in series])
