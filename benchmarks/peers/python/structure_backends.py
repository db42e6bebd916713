# SPDX-License-Identifier: Apache-2.0
"""Structures on the CPU: the C++ core, tensor operations in eager mode and compiled by Inductor, and pytorch-crf.

    python benchmarks/peers/python/structure_backends.py [--rounds 5] [--threads 1] [--eager] [--only TEXT]

Needs torch, fenchel and pytorch-crf. Rounds alternate; printed are milliseconds, the best of each, of the value and of the
value with its gradient. --eager leaves out what is compiled, which takes minutes;
--only keeps the cases whose name has a text.
"""
import argparse
import os
import time


def best(calls, rounds):
    """The best time of each call, in rounds that alternate."""
    times = [float("inf")] * len(calls)
    for _ in range(rounds):
        for place, call in enumerate(calls):
            start = time.perf_counter()
            call()
            times[place] = min(times[place], time.perf_counter() - start)
    return times


def cases():
    """Name, the function, its scores, and the same of a peer where there is one."""
    import fenchel.torch as ft
    import torch
    import torchcrf

    torch.manual_seed(0)
    batch, steps, tags = 32, 20, 20
    crf, peer = ft.CRF(tags, batch_first=True), torchcrf.CRF(tags, batch_first=True)
    peer.load_state_dict(crf.state_dict())
    labels = torch.randint(0, tags, (batch, steps))
    mask = torch.arange(steps) < torch.randint(steps // 2, steps + 1, (batch, 1))
    emissions = torch.randn(batch, steps, tags)
    yield f"CRF, loss, {batch} × {steps} × {tags}", lambda e: -crf(e, labels, mask), emissions, lambda e: -peer(e, labels, mask)
    yield f"CRF, marginals, {batch} × {steps} × {tags}", lambda e: crf.marginals(e, mask), emissions, None
    for rows, d in ((64, 10), (64, 100), (16, 1000)):
        yield f"soft_rank, {rows} × {d}", ft.soft_rank, torch.randn(rows, d), None
    for m in (8, 32, 100):
        yield f"sinkhorn, 8 × {m} × {m}", lambda c: ft.sinkhorn(c, gamma=0.1), torch.rand(8, m, m), None
    for m in (10, 50):
        yield f"soft_dtw, 8 × {m} × {m}", ft.soft_dtw, torch.rand(8, m, m), None


def errors():
    """How far the columns of plans are from their sums, relative to the mass, by the spread of the scores."""
    import torch
    from fenchel.torch._plan_tensors import entropic_plan

    print("sinkhorn, worst columns")
    for spread in (1, 10, 100, 1000, 10000):
        worst = 0.0
        for m, n in ((3, 3), (10, 10), (40, 30), (100, 100)):
            generator = torch.Generator().manual_seed(m)
            x, a, b = (torch.rand(8, *shape, dtype=torch.float64, generator=generator) for shape in ((m, n), (m,), (n,)))
            a, b = a / a.sum(-1, keepdim=True), b / b.sum(-1, keepdim=True)
            worst = max(worst, (entropic_plan(spread * x, a, b).sum(-2) - b).abs().sum(-1).nan_to_num(nan=1).max().item())
        print(f"    spread of the scores {spread:6}: {worst:.0e}", flush=True)


def calls_of(function, scores, backend):
    """The value, and the value with its gradient."""
    import fenchel.torch as ft
    import torch

    leaf = scores.clone().requires_grad_()

    def value():
        with ft.backend(backend, nan="propagate"), torch.no_grad():
            function(scores)

    def gradient():
        with ft.backend(backend, nan="propagate"):
            torch.autograd.grad(function(leaf).square().sum(), leaf)

    return [value, gradient]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--eager", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(options.threads)
    import torch

    torch.set_num_threads(options.threads)
    if not options.only:
        errors()
    names = ["core", "tensor", *([] if options.eager else ["compiled"]), "peer"]
    print(f"{'ms, value | value and gradient':32}" + "".join(f"{name:>18}" for name in names))
    for name, function, scores, peer in cases():
        if options.only not in name:
            continue
        columns = [calls_of(function, scores, "core"), calls_of(function, scores, "tensor")]
        if not options.eager:
            torch._dynamo.reset()
            columns.append(calls_of(torch.compile(function, fullgraph=True, dynamic=False), scores, "tensor"))
        if peer is not None:
            columns.append(calls_of(peer, scores, "core"))
        for call in [call for column in columns for call in column]:
            call()
        times = best([call for column in columns for call in column], options.rounds)
        print(f"{name:32}" + "".join(f"{1e3 * value:8.2f} | {1e3 * both:6.2f} " for value, both in zip(times[::2], times[1::2])),
              flush=True)


if __name__ == "__main__":
    main()
