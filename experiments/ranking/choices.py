# SPDX-License-Identifier: Apache-2.0
"""The losses that are compared: Ω over the permutahedron of w, and how the tool is asked for them."""

#: By the tool's name, as the report writes it. With λ > 0 and no cost, Ω = 0 has the solution W = 0: it has no λ.
OMEGAS = {"map": "0", "hinge": "0, with Hamming cost", "sparsemap": "½‖·‖²", "entropic": "−Hˢ"}
SMOOTH = ("sparsemap", "entropic")
PRESETS = ("top1", "k-subsets", "full", "partial")

_ITERATIONS = {"map": ("--max-iterations", 100), "hinge": ("--max-iterations", 50)}
_TOLERANCE = {"hinge": 1e-3}


def name(omega, w):
    """The key of a loss in results."""
    return f"{omega}:w={w}"


def loss(omega, w, k=None, tolerance=1e-6):
    """The arguments for a loss and its solver; `k` is the number of places that count, where w has one."""
    tolerance = _TOLERANCE.get(omega, tolerance)
    places = f",k={k}" if k and w in ("k-subsets", "partial") else ""
    return ["--omega", name(omega, w) + places, *_ITERATIONS.get(omega, ()), "--tolerance", tolerance, "--threads", 1]
