# SPDX-License-Identifier: Apache-2.0
"""Projections onto the permutahedron against fast_soft_sort, isotonic regression against scikit-learn.

fast_soft_sort is not on PyPI: put a checkout of github.com/google-research/fast-soft-sort on PYTHONPATH; without it
its cases are left out and reported as missing. Scores of scale 1 are strongly regularized (one block), scores of scale d
weakly (many small blocks). Every pass takes the next of many rows, since on the same row again and again branch
prediction would learn its order by heart.
"""
import itertools

from harness import Case

ENTRIES = 1 << 22


def rows(numpy, d, scale):
    generator = numpy.random.default_rng(7)
    return itertools.cycle(scale * generator.standard_normal((max(4, ENTRIES // d), d)))


def projections(numpy, operators):
    for d, (label, scale) in itertools.product((1000, 10_000, 100_000, 1_000_000), (("1", 1), ("d", None))):
        scale = scale or d
        w = numpy.arange(d, 0, -1.0)
        for kind, request, goal in (("l2", "permutahedron", 6), ("kl", "permutahedron_kl", 6)):
            if kind == "kl" and (d > 100_000 or label == "d"):
                continue
            weights = numpy.log(w) if kind == "kl" else w

            def peer(data=rows(numpy, d, scale), weights=weights, kind=kind):
                result = operators.Projection(next(data), weights, regularization=kind).compute()
                return numpy.exp(result) if kind == "kl" else result

            yield Case(name=f"permutahedron {kind} d={d} scale {label}", ours=f"{request} d={d} scale={scale}",
                       peer=peer, goal=goal, against="fast_soft_sort")


def cases():
    import numpy
    from sklearn.isotonic import isotonic_regression

    try:
        from fast_soft_sort import numpy_ops
    except ImportError as error:
        print(f"permutahedron: a peer is missing ({error})", flush=True)
    else:
        yield from projections(numpy, numpy_ops)
    for d in (1000, 10_000, 100_000, 1_000_000):
        data = rows(numpy, d, 1)
        yield Case(name=f"isotonic regression n={d}", ours=f"isotonic d={d}",
                   peer=lambda data=data: isotonic_regression(next(data)), goal=2, against="scikit-learn")
