# SPDX-License-Identifier: Apache-2.0
"""α-entmax of rows within a Triton kernel: p = [1 + a (u − λ)]₊^{1/a} with a = α − 1 and u = θ − max θ, e^{u − λ} for a = 0.

λ, the root of Σ p = 1 in [0, (1 − d^{−a})/a], is found by Newton steps on the 1/a-norm of the brackets, which rise to the root
from below; every third evaluation is in the middle of what is left of the interval, so that no input is slow (paper §8.3).
"""
from __future__ import annotations

import triton
import triton.language as tl

#: Which formula the brackets have; the first argument of every kernel that depends on α.
SOFTMAX, GENERAL, ENTMAX15, SPARSEMAX = (tl.constexpr(kind) for kind in range(4))

LEAST = tl.constexpr(-1e30)  # scores below have no mass whatever λ is: stands for −inf, of which inf − inf would be NaN
STEPS = tl.constexpr(16)  # evaluations of Σ p; tensor operations need 14 in single precision
SETTLED = tl.constexpr(1e-7)  # |Δp| ≤ |Δλ|, and a p is at most 1
NEAR = tl.constexpr(0.3)  # |y| below which log(1 + y) and eʸ − 1 are series


@triton.jit
def log1p(y):
    """log(1 + y) for y > −1; the hardware's logarithm has an absolute error, which 1/a would enlarge."""
    near = tl.abs(y) < NEAR
    s = tl.where(near, y / (2 + y), 0.0)
    t = s * s
    series = 2 * s * (1 + t * (1 / 3 + t * (1 / 5 + t * (1 / 7 + t * (1 / 9 + t / 11)))))
    return tl.where(near, series, tl.log(tl.where(near, 1.0, 1 + y)))


@triton.jit
def expm1(y):
    """eʸ − 1."""
    near = tl.abs(y) < NEAR
    z = tl.where(near, y, 0.0)
    series = z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4 * (1 + z / 5 * (1 + z / 6)))))
    return tl.where(near, series, tl.exp(y) - 1)


@triton.jit
def brackets(x, a, KIND: tl.constexpr):
    """p and p^{1−a} for x = u − λ."""
    if KIND == SOFTMAX:
        p = tl.exp(x)
        slope = p
    elif KIND == SPARSEMAX:
        p = tl.maximum(1 + x, 0.0)
        slope = tl.where(p > 0, 1.0, 0.0)
    elif KIND == ENTMAX15:
        slope = tl.maximum(1 + 0.5 * x, 0.0)
        p = slope * slope
    else:
        inside = 1 + a * x
        outside = inside <= 0
        p = tl.where(outside, 0.0, tl.exp(log1p(tl.where(outside, 0.0, a * x)) / a))
        slope = p / tl.where(outside, 1.0, inside)
    return p, slope


@triton.jit
def slopes_of(p, a, KIND: tl.constexpr):
    """p^{1−a} on the support of p: 1/g''(p), of which the Jacobian is made."""
    if KIND == SOFTMAX:
        slope = p
    elif KIND == SPARSEMAX:
        slope = tl.where(p > 0, 1.0, 0.0)
    elif KIND == ENTMAX15:
        slope = tl.sqrt(p)
    else:
        slope = tl.where(p > 0, tl.exp((1 - a) * tl.log(tl.where(p > 0, p, 1.0))), 0.0)
    return slope


@triton.jit
def largest_threshold(d, a, KIND: tl.constexpr):
    """(1 − d^{−a})/a, the λ of d equal scores."""
    size = tl.full([], 0.0, tl.float32) + d
    if KIND == SOFTMAX:
        high = tl.log(size)
    else:
        high = (1 - tl.exp(-a * tl.log(size))) / a
    return high


@triton.jit
def newton_step(total, slopes, a, KIND: tl.constexpr):
    """Σp (1 − (Σp)^{−a})/a / Σ p^{1−a}: Newton's step on ‖1 + a (u − λ)‖_{1/a} = 1."""
    if KIND == SOFTMAX:
        step = log1p(total - 1) * total / slopes
    elif KIND == SPARSEMAX:
        step = (total - 1) / slopes
    elif KIND == ENTMAX15:
        step = 2 * (total - tl.sqrt(total)) / slopes
    else:
        step = -expm1(-a * log1p(total - 1)) / a * total / slopes
    return step


@triton.jit
def advance(at, low, high, total, slopes, step, a, KIND: tl.constexpr):
    """The next λ of every row, the interval that holds the root, and which rows have not settled."""
    enough = total >= 1
    low = tl.where(enough, at, low)
    high = tl.where(enough, high, at)
    newton = tl.maximum(tl.minimum(at + newton_step(total, slopes, a, KIND), high), low)
    moving = tl.abs(newton - at) > SETTLED * (1 + at)
    middle = 0.5 * (low + high)
    at = tl.where(moving & (step % 3 == 2), middle, newton)
    return at, low, high, moving


@triton.jit
def threshold(u, low, high, a, KIND: tl.constexpr):
    """λ of every row of the tile u ≤ 0, from a lower and an upper bound."""
    at = low
    step = 0
    moving = 1
    while (step < STEPS) & (moving > 0):
        p, slope = brackets(u - at[:, None], a, KIND)
        at, low, high, rows = advance(at, low, high, tl.sum(p, 1), tl.sum(slope, 1), step, a, KIND)
        moving = tl.max(rows.to(tl.int32))
        step += 1
    return at


@triton.jit
def reach(a, KIND: tl.constexpr):
    """How far below λ u may be and have mass: 1/a."""
    if KIND == SOFTMAX:
        far = -0.5 * LEAST
    else:
        far = 1 / a
    return far


@triton.jit
def below(theta, top):
    """u = θ − top, at least LEAST."""
    return tl.maximum(theta - top, LEAST)


@triton.jit
def not_a_number(x):
    """1 where x is NaN, which maxima may pass over."""
    return tl.where(x == x, 0, 1)


#: Whether kernels are run by Triton's interpreter, on the CPU; decided when this package is imported.
INTERPRETED = tl.constexpr(not isinstance(log1p, triton.JITFunction))


@triton.jit
def multiply(x, y):
    """The product of two tiles, in float32; the interpreter takes the bits of bfloat16 for integers, so it gets float32."""
    if INTERPRETED:
        x, y = x.to(tl.float32), y.to(tl.float32)
    return tl.dot(x, y, input_precision="ieee")
