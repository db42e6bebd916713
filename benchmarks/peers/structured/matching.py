# SPDX-License-Identifier: Apache-2.0
"""Matchings and transport plans in double precision: assignment against scipy, entropic and quadratic plans and the
linear programme against POT. Peers and we draw from the same distributions; every pass takes another matrix."""
import itertools

from harness import Case


def scores(numpy, n, m, kind):
    """Four matrices of costs, handed out in turn."""
    generator = numpy.random.default_rng(11)
    products = numpy.outer(numpy.arange(1.0, n + 1), numpy.arange(1.0, m + 1))
    draw = {
        "uniform": lambda: generator.random((n, m)),
        "masses": lambda: generator.random((n, m)),
        "integers": lambda: generator.integers(0, 100, (n, m)).astype(float),
        "products": lambda: products,
    }[kind]
    return itertools.cycle([draw() for _ in range(4)])


def assignment_cases(numpy):
    from scipy.optimize import linear_sum_assignment

    for n in (10, 100, 500, 1000):
        for kind, goal in (("uniform", 3 if n == 10 else 7), ("integers", 2.5), ("products", 0.9)):
            costs = scores(numpy, n, n, kind)
            yield Case(name=f"assignment {kind} n={n}", ours=f"assignment n={n} kind={kind}",
                       peer=lambda costs=costs: linear_sum_assignment(next(costs)), goal=goal, against="scipy")


def masses(numpy, n, kind):
    generator = numpy.random.default_rng(12)
    weights = 0.1 + generator.random(n) if kind == "masses" else numpy.ones(n)
    return weights / weights.sum()


def plan_cases(numpy):
    import ot

    tolerance = 1e-9
    for n, epsilon in ((100, 0.05), (100, 0.01), (500, 0.05), (500, 0.01), (1000, 0.05)):
        costs, a = scores(numpy, n, n, "uniform"), masses(numpy, n, "uniform")

        def sinkhorn(costs=costs, a=a, epsilon=epsilon):
            return ot.bregman.sinkhorn_log(a, a, next(costs), epsilon, numItermax=20000, stopThr=tolerance, warn=False)

        yield Case(name=f"Sinkhorn n={n} epsilon={epsilon:g}", peer=sinkhorn, goal=30, against="POT sinkhorn_log",
                   ours=f"sinkhorn n={n} epsilon={epsilon} tolerance={tolerance}", rounds=2)
    for n, m in ((100, 100), (300, 400)):
        costs, a, b = scores(numpy, n, m, "masses"), masses(numpy, n, "masses"), masses(numpy, m, "masses")
        yield Case(name=f"transport {n} x {m}", ours=f"transport n={n} m={m} kind=masses", goal=0.5,
                   peer=lambda costs=costs, a=a, b=b: ot.emd(a, b, next(costs)), against="POT emd", rounds=2)
    for n, gamma, goal in ((50, 1.0, 10), (200, 1.0, 3), (200, 0.01, 10)):
        costs, a = scores(numpy, n, n, "uniform"), masses(numpy, n, "uniform")

        def quadratic(costs=costs, a=a, gamma=gamma):
            return ot.smooth.smooth_ot_dual(a, a, next(costs), gamma, reg_type="l2", stopThr=tolerance, numItermax=5000)

        yield Case(name=f"quadratic plan n={n} gamma={gamma:g}", peer=quadratic, goal=goal, against="POT smooth_ot_dual",
                   ours=f"transport_projection n={n} gamma={gamma}", rounds=2)


def cases():
    import numpy

    yield from assignment_cases(numpy)
    yield from plan_cases(numpy)
