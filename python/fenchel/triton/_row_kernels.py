# SPDX-License-Identifier: Apache-2.0
"""Kernels over rows of scores: predictions, Jacobian products, losses and their gradients.

A row of at most TILE scores is read once and stays in registers. Longer ones are read in blocks: once for the maximum, a lower
bound of λ (that of the maxima of lanes, which are some of the scores) and the maximum of every block; then Newton's method reads
the blocks that reach above the bound. The state of a row, (max θ, λ, 1/Σp), is all that is kept of a loss: its gradient is made
from the scores when it is asked for, so that no array of the size of the scores is written before.
"""
from __future__ import annotations

import triton
import triton.language as tl

from ._brackets import LEAST, STEPS, advance, below, brackets, largest_threshold, not_a_number, reach, slopes_of, threshold


@triton.jit
def row_loss(inner, at, chosen, a):
    """L = ⟨u, p − y⟩ − Ω(p), in which Ω(p) = Σ p (u − λ)/(1 + a) because p^a = 1 + a (u − λ)."""
    return tl.maximum((a * inner + at) / (1 + a) - chosen, 0.0)


@triton.jit
def short_rows(KIND: tl.constexpr, theta, labels, out, state, rows, columns, a, ignore, row_stride, out_stride,
               LOSS: tl.constexpr, ROWS: tl.constexpr, TILE: tl.constexpr):
    """Predictions into `out`; or with LOSS losses into `out` and what their gradients need into `state`."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, TILE)
    inside = (row < rows)[:, None] & (column < columns)[None, :]
    scores = tl.load(theta + row[:, None] * row_stride + column[None, :], mask=inside, other=float("-inf")).to(tl.float32)
    wrong = tl.max(not_a_number(scores), 1)
    top = tl.max(scores, 1)
    lost = (wrong > 0) | (tl.abs(top) == float("inf"))
    top = tl.where(lost, 0.0, top)
    u = below(tl.where(lost[:, None], 0.0, scores), top[:, None])
    u = tl.where((column < columns)[None, :], u, LEAST)
    low = tl.zeros([ROWS], tl.float32)
    at = threshold(u, low, low + largest_threshold(columns, a, KIND), a, KIND)
    p, _ = brackets(u - at[:, None], a, KIND)
    inverse = tl.where(lost, float("nan"), 1 / tl.sum(p, 1))
    if LOSS:
        label = tl.load(labels + row, mask=row < rows, other=ignore)
        kept = label != ignore
        chosen = tl.max(tl.where(column[None, :] == label[:, None], u, 2 * LEAST), 1)
        loss = row_loss(tl.sum(tl.where(p > 0, p * u, 0.0), 1) * inverse, at, tl.where(chosen <= LEAST, float("-inf"), chosen), a)
        loss = tl.where((label >= 0) & (label < columns), loss, float("nan"))
        loss = tl.where(inverse == inverse, loss, float("nan"))
        tl.store(out + row, tl.where(kept, loss, 0.0), mask=row < rows)
        tl.store(state + row, top, mask=row < rows)
        tl.store(state + rows + row, at, mask=row < rows)
        tl.store(state + 2 * rows + row, tl.where(loss == loss, inverse, float("nan")), mask=row < rows)
    else:
        p = p * inverse[:, None]
        tl.store(out + row[:, None] * out_stride + column[None, :], p.to(out.dtype.element_ty), mask=inside)


@triton.jit
def long_bounds(KIND: tl.constexpr, theta, state, maxima, rows, columns, blocks, a, row_stride, BLOCK: tl.constexpr):
    """The largest score of every block of a row and of the row, and a lower bound of λ from the largest of every lane."""
    row = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, BLOCK)
    largest = tl.full([BLOCK], float("-inf"), tl.float32)
    wrong = tl.zeros([BLOCK], tl.int32)
    for block in range(blocks):
        column = block * BLOCK + lane
        scores = tl.load(theta + row * row_stride + column, mask=column < columns, other=float("-inf")).to(tl.float32)
        wrong += not_a_number(scores)
        largest = tl.maximum(largest, scores)
        tl.store(maxima + row * blocks + block, tl.max(scores, 0))
    top = tl.max(largest, 0)
    lost = (tl.max(wrong, 0) > 0) | (tl.abs(top) == float("inf"))
    u = below(tl.where(lost, 0.0, largest), tl.where(lost, 0.0, top))
    low = tl.zeros([1], tl.float32)
    at = threshold(u[None, :], low, low + largest_threshold(columns, a, KIND), a, KIND)
    tl.store(state + row, tl.where(lost, float("nan"), top))
    tl.store(state + rows + row, tl.max(at, 0))


@triton.jit
def long_thresholds(KIND: tl.constexpr, theta, labels, losses, state, maxima, rows, columns, blocks, a, ignore, row_stride,
                    LOSS: tl.constexpr, BLOCK: tl.constexpr):
    """λ and 1/Σp of a row, reading the blocks that have mass at the lower bound; with LOSS its loss."""
    row = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, BLOCK)
    top = tl.load(state + row)
    at = tl.load(state + rows + row)
    lost = top != top
    cut = top + at - reach(a, KIND)
    cut -= tl.abs(cut) * 1e-6  # rounding of the sum: a block more costs little
    low, high = at, largest_threshold(columns, a, KIND)
    total, inner = 1.0, 0.0
    step = 0
    moving = tl.where(lost, -1, 1)
    # The last evaluation, of a λ that has settled, is that of the sums.
    while (step <= STEPS) & (moving >= 0):
        masses = tl.zeros([BLOCK], tl.float32)
        slopes = tl.zeros([BLOCK], tl.float32)
        inners = tl.zeros([BLOCK], tl.float32)
        for block in range(blocks):
            if tl.load(maxima + row * blocks + block) > cut:
                column = block * BLOCK + lane
                scores = tl.load(theta + row * row_stride + column, mask=column < columns, other=float("-inf")).to(tl.float32)
                u = below(scores, top)
                p, slope = brackets(u - at, a, KIND)
                masses += p
                slopes += slope
                inners += tl.where(p > 0, p * u, 0.0)
        total = tl.sum(masses, 0)
        inner = tl.sum(inners, 0)
        if moving > 0:
            at, low, high, rows_moving = advance(at, low, high, total, tl.sum(slopes, 0), step, a, KIND)
            moving = tl.where(rows_moving & (step + 1 < STEPS), 1, 0)
        else:
            moving = -1
        step += 1
    inverse = tl.where(lost, float("nan"), 1 / total)
    if LOSS:
        label = tl.load(labels + row)
        known = (label >= 0) & (label < columns)
        chosen = tl.load(theta + row * row_stride + label, mask=known, other=0.0).to(tl.float32) - top
        loss = tl.where(known & (inverse == inverse), row_loss(inner * inverse, at, chosen, a), float("nan"))
        inverse = tl.where(loss == loss, inverse, float("nan"))
        tl.store(losses + row, tl.where(label == ignore, 0.0, loss))
    tl.store(state + rows + row, at)
    tl.store(state + 2 * rows + row, inverse)


@triton.jit
def from_state(KIND: tl.constexpr, theta, labels, weights, out, state, rows, columns, blocks, a, ignore, row_stride, out_stride,
               LOSS: tl.constexpr, BLOCK: tl.constexpr):
    """p from the state of its row; with LOSS (p − y) times the weight of the row, 0 where it is ignored."""
    program = tl.program_id(0).to(tl.int64)
    row = program // blocks
    column = program % blocks * BLOCK + tl.arange(0, BLOCK)
    inside = column < columns
    scores = tl.load(theta + row * row_stride + column, mask=inside, other=0.0).to(tl.float32)
    top, at, inverse = tl.load(state + row), tl.load(state + rows + row), tl.load(state + 2 * rows + row)
    p, _ = brackets(below(scores, top) - at, a, KIND)
    p = tl.where(inverse == inverse, p * inverse, float("nan"))
    if LOSS:
        label = tl.load(labels + row)
        p = tl.where(column == label, p - 1, p) * tl.load(weights + row)
        p = tl.where(label == ignore, 0.0, p)
    tl.store(out + row * out_stride + column, p.to(out.dtype.element_ty), mask=inside)


@triton.jit
def short_products(KIND: tl.constexpr, prediction, v, out, rows, columns, a, ROWS: tl.constexpr, TILE: tl.constexpr):
    """J v = s ∘ (v − ⟨s, v⟩/Σs) with s = p^{1−a}; v is first made 0 at the largest p, as all of it may lie there."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, TILE)
    place = row[:, None] * columns + column[None, :]
    inside = (row < rows)[:, None] & (column < columns)[None, :]
    p = tl.load(prediction + place, mask=inside, other=0.0).to(tl.float32)
    change = tl.load(v + place, mask=inside, other=0.0).to(tl.float32)
    s = slopes_of(p, a, KIND)
    at_top = inside & (p == tl.max(p, 1)[:, None])
    centre = tl.sum(tl.where(at_top, change, 0.0), 1) / tl.sum(at_top.to(tl.float32), 1)
    change -= centre[:, None]
    mean = tl.sum(s * change, 1) / tl.sum(s, 1)
    tl.store(out + place, (s * (change - mean[:, None])).to(out.dtype.element_ty), mask=inside)


@triton.jit
def long_products(KIND: tl.constexpr, prediction, v, out, columns, blocks, a, BLOCK: tl.constexpr):
    """The same for a row in blocks; blocks without mass get zeros, and their v is not read."""
    row = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, BLOCK)
    largest, centre, total, inner = 0.0, 0.0, 0.0, 0.0
    for block in range(blocks):
        column = block * BLOCK + lane
        inside = column < columns
        p = tl.load(prediction + row * columns + column, mask=inside, other=0.0).to(tl.float32)
        here = tl.max(p, 0)
        if not (here <= 0):
            change = tl.load(v + row * columns + column, mask=inside & (p != 0), other=0.0).to(tl.float32)
            s = slopes_of(p, a, KIND)
            if here > largest:
                at_top = inside & (p == here)
                new = tl.sum(tl.where(at_top, change, 0.0), 0) / tl.sum(at_top.to(tl.float32), 0)
                inner += (centre - new) * total
                largest, centre = here, new
            inner += tl.sum(s * (tl.where(p != 0, change, centre) - centre), 0)
            total += tl.sum(s, 0)
    mean = centre + inner / total
    for block in range(blocks):
        column = block * BLOCK + lane
        inside = column < columns
        p = tl.load(prediction + row * columns + column, mask=inside, other=0.0).to(tl.float32)
        change = tl.load(v + row * columns + column, mask=inside & (p != 0), other=0.0).to(tl.float32)
        s = slopes_of(p, a, KIND)
        product = tl.where(p != 0, s * (change - mean), 0.0)
        tl.store(out + row * columns + column, product.to(out.dtype.element_ty), mask=inside)
