# SPDX-License-Identifier: Apache-2.0
"""Soft-DTW of a matrix of costs, value and gradient in double precision, against tslearn's compiled loops."""
from harness import Case


def cases():
    import numpy
    from tslearn.metrics import SoftDTW

    for m, n, gamma, goal in ((500, 500, 1.0, 20), (100, 100, 1.0, 15), (500, 500, 0.1, 20)):
        cost = numpy.random.default_rng(5).normal(size=(m, n)) ** 2

        def peer(cost=cost, gamma=gamma):
            soft = SoftDTW(cost, gamma=gamma)
            return soft.compute(), soft.grad()

        yield Case(name=f"soft-DTW {m} x {n} gamma {gamma:g}", ours=f"soft_dtw m={m} n={n} gamma={gamma}", peer=peer,
                   goal=goal, against="tslearn")
