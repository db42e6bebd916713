#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a compiled call of JAX costs: the core through XLA's foreign functions, formulas in jax.numpy, and jax.nn.softmax.

usage: jax_calls.py [--rounds N] [--sizes ROWSxCOLUMNS ...] [--jaxopt]

Scores are normal, float32. Rounds alternate between the calls; printed are microseconds, the best of all rounds, and the ratio to
a compiled softmax of JAX. With --jaxopt its projections and losses are compared instead, and ratios are to them.
"""
import argparse
import time

NAMES = ("softmax", "sparsemax", "entmax15")


def best(calls, rounds, repeats):
    """The best time of each call, in rounds that alternate, each the mean of some repeats."""
    times = [float("inf")] * len(calls)
    for _ in range(rounds):
        for place, call in enumerate(calls):
            start = time.perf_counter()
            for _ in range(repeats):
                result = call()
            result.block_until_ready()
            times[place] = min(times[place], (time.perf_counter() - start) / repeats)
    return times


def compiled(function, theta, place):
    """A program for a backend, as a call without arguments."""
    import fenchel.jax as fj
    import jax

    with fj.backend(place):
        program = jax.jit(lambda t: function(t))  # of its own: programs keep the backend that they were compiled with
        program(theta).block_until_ready()
    return lambda: program(theta)


def of_softmax(theta):
    """Softmax and its sparse kin, with JAX's first."""
    import fenchel.jax as fj
    import jax

    calls = {"jax.nn.softmax": compiled(jax.nn.softmax, theta, "auto")}
    for name in NAMES:
        for place in ("core", "formula") if fj.core_available() else ("formula",):
            calls[f"{name}, {place}"] = compiled(getattr(fj, name), theta, place)
    return [calls]


def of_jaxopt(theta):
    """What jaxopt has too, with its own first; a batch there is vmap."""
    import fenchel.jax as fj
    import jax
    import jax.numpy as jnp
    from fenchel.jax import projections
    from jaxopt import loss, projection

    d, labels = theta.shape[-1], jnp.arange(theta.shape[0]) % theta.shape[-1]
    section = (jnp.zeros(d), jnp.ones(d), jnp.ones(d), 2.0)
    pairs = {
        "simplex": (jax.vmap(projection.projection_simplex), projections.project_simplex),
        "L1 ball": (jax.vmap(projection.projection_l1_ball), projections.project_l1_ball),
        "box section": (jax.vmap(lambda x: projection.projection_box_section(x, section)),
                        lambda x: projections.project_box_section(x, *section)),
        "sparsemax gradient": (jax.grad(lambda t: jax.vmap(loss.multiclass_sparsemax_loss)(labels, t).sum()),
                               jax.grad(lambda t: fj.sparsemax_loss(t, labels).sum()))}
    return [{f"{name}, jaxopt": compiled(theirs, theta, "auto"), f"{name}, core": compiled(ours, theta, "auto"),
             f"{name}, formula": compiled(ours, theta, "formula")} for name, (theirs, ours) in pairs.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--sizes", nargs="*", default=["1x10", "64x10", "512x1000"])
    parser.add_argument("--jaxopt", action="store_true")
    options = parser.parse_args()

    import fenchel.jax as fj
    import jax
    import jax.numpy as jnp
    import numpy as np

    print(f"jax {jax.__version__}, core: {'yes' if fj.core_available() else 'no'}")
    for size in options.sizes:
        rows, columns = map(int, size.split("x"))
        theta = jnp.asarray(np.random.default_rng(0).normal(size=(rows, columns)), jnp.float32)
        for calls in of_jaxopt(theta) if options.jaxopt else of_softmax(theta):
            times = best(list(calls.values()), options.rounds, 100 if rows * columns < 10000 else 3)
            for name, found in zip(calls, times):
                print(f"{size:>10}  {name:28} {found * 1e6:9.1f} µs  {found / times[0]:6.2f}")


if __name__ == "__main__":
    main()
