# SPDX-License-Identifier: Apache-2.0
"""Linear chains: log-partition and marginals of a batch, against torch-struct in double precision and a copy.

torch-struct takes O(n m^3) time and memory, so that its batch is smaller with 50 states. Its potentials are edges
between steps: n steps have n - 1 of them, and the scores of the first step belong to the first edge.
"""
from harness import Case


def potentials(torch, batch, n, m):
    generator = torch.Generator().manual_seed(5)
    return torch.randn(batch, n - 1, m, m, dtype=torch.double, generator=generator).requires_grad_()


def shared_potentials(torch, batch, n, m):
    """The scores of states and of shared transitions; the edges are made of them in every pass."""
    generator = torch.Generator().manual_seed(5)
    states = torch.randn(batch, n, m, dtype=torch.double, generator=generator).requires_grad_()
    transitions = torch.randn(m, m, dtype=torch.double, generator=generator).requires_grad_()
    return states, transitions


def cases():
    import torch
    import torch_struct

    torch.set_num_threads(1)
    torch.distributions.Distribution.set_default_validate_args(False)
    n = 50
    for m, batch, goal, rounds in ((10, 64, 60, None), (50, 8, 1000, 1)):
        edges = potentials(torch, batch, n, m)
        states, transitions = shared_potentials(torch, batch, n, m)

        def peer(edges=edges):
            log_partition = torch_struct.LinearChainCRF(edges).partition
            return log_partition, torch.autograd.grad(log_partition.sum(), edges)  # one pass each way

        def shared_peer(states=states, transitions=transitions):
            edges = states[:, 1:, :, None] + transitions.T  # entry (next, previous)
            edges = torch.cat([edges[:, :1] + states[:, :1, None, :], edges[:, 1:]], dim=1)
            log_partition = torch_struct.LinearChainCRF(edges).partition
            return log_partition, torch.autograd.grad(log_partition.sum(), (states, transitions))

        size = f"n={n} m={m} batch {batch}"
        arguments = f"n={n} m={m} batch={batch}"
        yield Case(name=f"sequence marginals {size}", ours=f"sequence_marginals {arguments}", peer=peer, goal=goal,
                   against="torch-struct", rounds=rounds)
        yield Case(name=f"chain marginals {size}", ours=f"chain_marginals {arguments}", peer=shared_peer, goal=goal,
                   against="torch-struct", rounds=rounds)
    yield Case(name="sequence marginals n=50 m=50 batch 64", ours="sequence_marginals n=50 m=50 batch=64",
               peer="sequence_copy n=50 m=50 batch=64", goal=4, against="a copy", limit=True)
