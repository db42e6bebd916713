# SPDX-License-Identifier: Apache-2.0
"""Projective dependency trees: log-partition and marginals of a batch, against torch-struct in double precision."""
from harness import Case


def cases():
    import torch
    import torch_struct

    torch.set_num_threads(1)
    torch.distributions.Distribution.set_default_validate_args(False)
    for n, goal in ((10, 300), (20, 150), (40, 100)):
        scores = torch.randn(64, n, n, dtype=torch.double, generator=torch.Generator().manual_seed(5))

        scores.requires_grad_()

        def peer(scores=scores):
            log_partition = torch_struct.DependencyCRF(scores).partition
            return log_partition, torch.autograd.grad(log_partition.sum(), scores)  # one pass each way

        yield Case(name=f"projective trees n={n} batch 64", ours=f"projective_tree n={n} batch=64", peer=peer,
                   goal=goal, against="torch-struct")
