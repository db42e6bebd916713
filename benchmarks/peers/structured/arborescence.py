# SPDX-License-Identifier: Apache-2.0
"""Non-projective dependency trees: marginals of a batch by the matrix-tree theorem, against torch-struct in double.

On pairs of words that lead to each other the exact marginals are known; the errors of both are printed."""
import math
import sys

from harness import Case


def pair_scores(torch, n, gap):
    scores = torch.zeros(64, n, n, dtype=torch.double)
    for head in range(n):
        scores[:, head, head ^ 1] = gap
    return scores


def error_on_pairs(marginals, n, gap):
    partner = 1 / ((n - 1) * math.exp(-gap) + 2)
    other = 0.5 / (n + 1) + 0.5 / (n - 1 + 2 * math.exp(gap))
    return max(abs(marginals[head][word] - (partner if head ^ 1 == word else other))
               for head in range(n) for word in range(n) if head != word)


def cases():
    import torch
    from torch_struct.deptree import deptree_nonproj, deptree_part

    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(5)
    for n, goal in ((10, 7), (30, 7), (60, 4)):
        scores = torch.randn(64, n, n, dtype=torch.double, generator=generator)
        for single_root in (False, True):
            def peer(scores=scores, single_root=single_root):
                return deptree_nonproj(scores, not single_root)

            def peer_with_log_z(scores=scores, single_root=single_root):
                return deptree_part(scores, not single_root), deptree_nonproj(scores, not single_root)

            kind = ", one child of the root" if single_root else ""
            yield Case(name=f"arborescences n={n} batch 64{kind}",
                       ours=f"arborescence n={n} batch=64 single_root={'yes' if single_root else 'no'}",
                       peer=peer, goal=goal, against="torch-struct")
            if n == 30:  # ours always computes both
                yield Case(name=f"arborescences n={n} batch 64{kind}, with log Z",
                           ours=f"arborescence n={n} batch=64 single_root={'yes' if single_root else 'no'}",
                           peer=peer_with_log_z, goal=goal, against="torch-struct")
    for gap in (10, 30, 60):
        scores = pair_scores(torch, 30, gap)
        error = error_on_pairs(deptree_nonproj(scores, True)[0].tolist(), 30, gap)
        print(f"  torch-struct's largest error on pairs {gap} apart from the rest: {error:.3g}", file=sys.stderr)
        yield Case(name=f"arborescences n=30 batch 64, pairs at {gap}",
                   ours=f"arborescence n=30 batch=64 input=pairs gap={gap}",
                   peer=lambda scores=scores: deptree_nonproj(scores, True), goal=7, against="torch-struct")
