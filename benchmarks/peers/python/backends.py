#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predictions in tensor operations, compiled by Inductor for this CPU, beside the C++ core and the package entmax.

usage: backends.py [--rounds N] [--rows N] [--threads N] [--sizes D …]

Scores are normal with deviations 0.1, 1 and 4, float32. Rounds alternate; printed are microseconds, the best of each, and the
ratios of entmax's sort, of its partial sort (k=100) and of the compiled operations to ours. Then the worst errors of tensor
operations against the core in double, over scores of all scales, ties and geometric sequences, for sizes from 1 to 10000.
"""
import argparse
import os
import time

SIZES = (4, 10, 100, 1000, 32000)
MAPS = ("softmax", "sparsemax", "entmax15", "entmax, α = 1.3")


def best(calls, rounds):
    """The best time of each call, in rounds that alternate."""
    times = [float("inf")] * len(calls)
    for _ in range(rounds):
        for place, call in enumerate(calls):
            start = time.perf_counter()
            call()
            times[place] = min(times[place], time.perf_counter() - start)
    return times


def compare(options):
    import entmax
    import fenchel.torch as ft
    import torch

    ours = {"softmax": ft.softmax, "sparsemax": ft.sparsemax, "entmax15": ft.entmax15,
            "entmax, α = 1.3": lambda t: ft.entmax(t, 1.3)}
    peers = {"softmax": (lambda t: t.softmax(-1),) * 2,
             "sparsemax": (entmax.sparsemax, lambda t: entmax.sparsemax(t, k=100)),
             "entmax15": (entmax.entmax15, lambda t: entmax.entmax15(t, k=100)),
             "entmax, α = 1.3": (lambda t: entmax.entmax_bisect(t, 1.3),) * 2}
    print(f"{'µs, rows × d':28} {'core':>9} {'compiled':>9} {'peer':>9} {'k=100':>9}   "
          "peer/compiled  k=100/compiled  compiled/core")
    for name in MAPS:
        for d in options.sizes:
            rows = max(options.rows * 1000 // max(d, 1000), 1)
            for scale in (0.1, 1.0, 4.0):
                theta = scale * torch.randn(rows, d, generator=torch.Generator().manual_seed(d))
                torch._dynamo.reset()
                with ft.backend("tensor", nan="propagate"):
                    compiled = torch.compile(ours[name], fullgraph=True, dynamic=False)
                    compiled(theta)

                    def run_compiled(compiled=compiled, theta=theta):
                        return compiled(theta)

                    calls = [None, run_compiled, lambda: peers[name][0](theta), lambda: peers[name][1](theta)]

                    def core(name=name, theta=theta):
                        with ft.backend("core"):
                            return ours[name](theta)

                    calls[0] = core
                    t = best(calls, options.rounds)
                print(f"{f'{name}, {rows} × {d}, σ = {scale:g}':28} " + " ".join(f"{1e6 * x:9.0f}" for x in t) +
                      f" {t[2] / t[1]:14.2f} {t[3] / t[1]:15.2f} {t[1] / t[0]:14.2f}", flush=True)


def hard_scores(d):
    """The last three rows have a density that grows by a factor in each step of Newton's method."""
    import math

    import torch

    steps = torch.arange(d, dtype=torch.float64)
    generator = torch.Generator().manual_seed(d)
    parts = [scale * torch.randn(20, d, dtype=torch.float64, generator=generator) for scale in (1e-3, 0.1, 1, 4, 30, 1e3)]
    parts += [torch.zeros(1, d, dtype=torch.float64), -steps * torch.logspace(-6, 2, 20, dtype=torch.float64)[:, None],
              -torch.logspace(-8, 1, d, dtype=torch.float64)[None],
              1 - torch.logspace(0, 9, d, base=2, dtype=torch.float64)[None]]
    depth = -torch.linspace(0, 1, d, dtype=torch.float64).clamp(min=1e-9).log() / math.log(max(d, 2))
    parts += [depth**power / slope for power in (0.5, 1, 2) for slope in (torch.tensor([[0.3], [1.0], [2.0]]),)]
    return torch.cat(parts)


def errors():
    import fenchel.torch as ft
    import torch

    orders = (0.1, 0.5, 1.0, 1.05, 1.25, 1.5, 1.8, 2.0, 2.5, 3.0, 5.0, 20.0)
    print(f"{'worst error of ŷ, α =':24}" + "".join(f"{alpha:9g}" for alpha in orders))
    for dtype in (torch.float64, torch.float32):
        worst = []
        for alpha in orders:
            worst.append(0.0)
            for d in (1, 2, 3, 10, 100, 1000, 10000):
                theta = hard_scores(d).to(dtype)
                with ft.backend("tensor", nan="propagate"):
                    found = ft.entmax(theta, alpha).double()
                worst[-1] = max(worst[-1], (found - ft.entmax(theta.double(), alpha)).abs().max().item())
        print(f"{str(dtype)[6:]:24}" + "".join(f"{x:9.0e}" for x in worst), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--rows", type=int, default=512)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(options.threads)
    import torch

    torch.set_num_threads(options.threads)
    errors()
    compare(options)


if __name__ == "__main__":
    main()
