# SPDX-License-Identifier: Apache-2.0
"""SparseMAP by the active set method, and over trees also the mean alone (by cutting planes), against lp-sparsemap.

Trees are the same problem on both sides. For sequences the peer regularizes the marginals of the states only, which is
a smaller problem than ours, with every transition regularized. Both start cold and the peer stops at a gap of 1e-9
(ours: 1e-12); its factors keep their active set, so that each solve gets a fresh one, built before the clock starts.
"""
import collections

from harness import Case

BATCH = 8
PASSES = 16  # as many passes as the harness asks for by default; further ones build their factors as they go


class Peer:
    """Solves a batch of problems with fresh factors each time."""

    def __init__(self, build, scores):
        self.build = build
        self.scores = scores
        self.ready = collections.deque([build() for _ in scores] for _ in range(PASSES))

    def __call__(self):
        factors = self.ready.popleft() if self.ready else [self.build() for _ in self.scores]
        for (_, factor), (variables, additional) in zip(factors, self.scores):
            factor.solve_qp(variables, additional, max_iter=10000)


def cases():
    import numpy
    from lpsmap.ad3ext.sequence import PFactorSequence
    from lpsmap.ad3ext.tree import PFactorTree
    from lpsmap.ad3qp.factor_graph import PFactorGraph

    random = numpy.random.default_rng(3)

    def factor_of(kind, variables, *arguments):
        graph = PFactorGraph()
        factor = kind()
        factor.initialize(*arguments)
        nodes = [graph.create_binary_variable() for _ in range(variables)]
        graph.declare_factor(factor, nodes, owned_by_graph=False)
        return graph, factor

    for n, sigma in ((30, 1), (30, 0.1), (30, 4), (10, 1)):
        scores = [((sigma * random.standard_normal(n * n)).tolist(), []) for _ in range(BATCH)]
        for title, ours in (("trees", "sparsemap_tree"), ("trees, mean alone,", "sparsemap_tree_mean")):
            yield Case(name=f"sparsemap {title} n={n} sigma={sigma} batch {BATCH}",
                       ours=f"{ours} n={n} sigma={sigma} batch={BATCH}",
                       peer=Peer(lambda n=n: factor_of(PFactorTree, n * n, False, True, n), scores),
                       goal=10, against="lp-sparsemap")
    for n, m, sigma in ((50, 10, 1), (50, 10, 4), (20, 5, 1)):
        scores = [((sigma * random.standard_normal(n * m)).tolist(),
                   (sigma * random.standard_normal((n - 1) * m * m)).tolist()) for _ in range(BATCH)]
        yield Case(name=f"sparsemap sequences n={n} m={m} sigma={sigma} batch {BATCH}",
                   ours=f"sparsemap_sequence n={n} m={m} sigma={sigma} batch={BATCH}",
                   peer=Peer(lambda n=n, m=m: factor_of(PFactorSequence, n * m, [m] * n), scores),
                   goal=10, against="lp-sparsemap (states only)")
