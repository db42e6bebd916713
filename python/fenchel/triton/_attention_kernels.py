# SPDX-License-Identifier: Apache-2.0
"""Kernels of attention with entmax in the place of softmax: what a block of queries needs of the blocks of keys.

Three kernels, because a block of keys is skipped by what a kernel before found: `bounds` reads all keys for max θ and a lower
bound of λ, `occupied` marks the blocks in which some score has mass at that bound and takes a Newton step, and `attend` takes the
others and sums the values, over marked blocks alone. Scores are made again wherever they are needed. Stored are the results, some
numbers for each query, and a byte for each pair of blocks.
"""
from __future__ import annotations

import triton
import triton.language as tl

from ._brackets import LEAST, STEPS, advance, below, brackets, largest_threshold, multiply, not_a_number, reach, threshold


@triton.jit
def block_of(array, batch, head, first, count, strides, WIDTH: tl.constexpr, ROWS: tl.constexpr, SIZE: tl.constexpr):
    """Rows of one head from `first` on as a tile, 0 beyond the last row and column; strides are those of batch, head and row."""
    row, column = tl.arange(0, ROWS), tl.arange(0, SIZE)
    wide_first = tl.full([], 0, tl.int64) + first  # the rest of an address fits into 32 bits
    start = array + batch * strides[0] + head * strides[1] + wide_first * strides[2]
    inside = (row + first < count)[:, None] & (column < WIDTH)[None, :]
    return tl.load(start + row[:, None] * strides[2] + column[None, :], mask=inside, other=0.0)


@triton.jit
def scores_of(q, k, allowed, batch, query, key, keys, shift, scale, CAUSAL: tl.constexpr, MASKED: tl.constexpr):
    """⟨q, k⟩ scale, −inf where a query may not see a key: query i sees keys up to i + shift."""
    scores = multiply(q, tl.trans(k)) * scale
    seen = (key < keys)[None, :]
    if MASKED:
        seen = seen & (tl.load(allowed + batch * keys + key, mask=key < keys, other=0) != 0)[None, :]
    if CAUSAL:
        seen = seen & (key[None, :] <= query[:, None] + shift)
    return tl.where(seen, scores, float("-inf"))


@triton.jit
def blocks_seen(block, keys, shift, CAUSAL: tl.constexpr, QUERIES: tl.constexpr, KEYS: tl.constexpr):
    """How many blocks of keys a block of queries can see."""
    last = keys
    if CAUSAL:
        last = tl.maximum(tl.minimum(keys, (block + 1) * QUERIES + shift), 0)
    return (last + KEYS - 1) // KEYS


@triton.jit
def bounds(KIND: tl.constexpr, q, k, allowed, state, q_strides, k_strides, heads, group, queries, keys, rows, shift, scale, a,
           CAUSAL: tl.constexpr, MASKED: tl.constexpr, WIDTH: tl.constexpr, SIZE: tl.constexpr,
           QUERIES: tl.constexpr, KEYS: tl.constexpr):
    """max θ of every query, NaN if it has no prediction and −inf if it sees nothing, and a lower bound of λ."""
    query_blocks = tl.cdiv(queries, QUERIES)
    block, pair = tl.program_id(0) % query_blocks, (tl.program_id(0) // query_blocks).to(tl.int64)
    batch, head = pair // heads, pair % heads
    query = block * QUERIES + tl.arange(0, QUERIES)
    q_block = block_of(q, batch, head, block * QUERIES, queries, q_strides, WIDTH, QUERIES, SIZE)
    largest = tl.full([QUERIES, KEYS], float("-inf"), tl.float32)
    wrong = tl.zeros([QUERIES], tl.int32)
    for key_block in range(blocks_seen(block, keys, shift, CAUSAL, QUERIES, KEYS)):
        key = key_block * KEYS + tl.arange(0, KEYS)
        k_block = block_of(k, batch, head // group, key_block * KEYS, keys, k_strides, WIDTH, KEYS, SIZE)
        scores = scores_of(q_block, k_block, allowed, batch, query, key, keys, shift, scale, CAUSAL, MASKED)
        wrong = tl.maximum(wrong, tl.max(not_a_number(scores), 1))
        largest = tl.maximum(largest, scores)
    top = tl.max(largest, 1)
    lost = (wrong > 0) | (top == float("inf"))
    nothing = top == float("-inf")
    u = below(tl.where((lost | nothing)[:, None], 0.0, largest), tl.where(lost | nothing, 0.0, top)[:, None])
    low = tl.zeros([QUERIES], tl.float32)
    at = threshold(u, low, low + largest_threshold(keys, a, KIND), a, KIND)
    tl.store(state + pair * queries + query, tl.where(lost, float("nan"), top), mask=query < queries)
    tl.store(state + rows + pair * queries + query, at, mask=query < queries)


@triton.jit
def occupied(KIND: tl.constexpr, q, k, allowed, state, marks, q_strides, k_strides, heads, group, queries, keys, rows, shift,
             scale, a, CAUSAL: tl.constexpr, MASKED: tl.constexpr, WIDTH: tl.constexpr, SIZE: tl.constexpr,
             QUERIES: tl.constexpr, KEYS: tl.constexpr):
    """Marks the blocks of keys with mass at the bound of λ, which a Newton step then raises."""
    query_blocks, key_blocks = tl.cdiv(queries, QUERIES), tl.cdiv(keys, KEYS)
    block, pair = tl.program_id(0) % query_blocks, (tl.program_id(0) // query_blocks).to(tl.int64)
    batch, head = pair // heads, pair % heads
    query = block * QUERIES + tl.arange(0, QUERIES)
    q_block = block_of(q, batch, head, block * QUERIES, queries, q_strides, WIDTH, QUERIES, SIZE)
    top = tl.load(state + pair * queries + query, mask=query < queries, other=float("-inf"))
    at = tl.load(state + rows + pair * queries + query, mask=query < queries, other=0.0)
    none = (top == float("-inf")) | (top != top)
    above = tl.where(none, 0.0, top)
    total, slopes = tl.zeros([QUERIES], tl.float32), tl.zeros([QUERIES], tl.float32)
    for key_block in range(blocks_seen(block, keys, shift, CAUSAL, QUERIES, KEYS)):
        key = key_block * KEYS + tl.arange(0, KEYS)
        k_block = block_of(k, batch, head // group, key_block * KEYS, keys, k_strides, WIDTH, KEYS, SIZE)
        scores = scores_of(q_block, k_block, allowed, batch, query, key, keys, shift, scale, CAUSAL, MASKED)
        x = tl.where(none[:, None], LEAST, below(scores, above[:, None]) - at[:, None])
        some = tl.max(tl.max((x > -reach(a, KIND)).to(tl.int32), 1), 0)
        tl.store(marks + (pair * query_blocks + block) * key_blocks + key_block, some.to(tl.int8))
        p, slope = brackets(x, a, KIND)
        total += tl.sum(p, 1)
        slopes += tl.sum(slope, 1)
    high = at * 0 + largest_threshold(keys, a, KIND)
    at, _, _, _ = advance(at, at, high, tl.where(none, 1.0, total), tl.where(none, 1.0, slopes), 0, a, KIND)
    tl.store(state + rows + pair * queries + query, at, mask=query < queries)


@triton.jit
def attend(KIND: tl.constexpr, q, k, v, allowed, state, marks, out, slope_mean, mass, q_strides, k_strides, v_strides, heads,
           group, queries, keys, rows, shift, scale, a, GRADIENT: tl.constexpr, CAUSAL: tl.constexpr, MASKED: tl.constexpr,
           WIDTH: tl.constexpr, SIZE: tl.constexpr, V_WIDTH: tl.constexpr, V_SIZE: tl.constexpr,
           QUERIES: tl.constexpr, KEYS: tl.constexpr):
    """λ, 1/Σp and Σ p v; with GRADIENT the mean of v weighted by p^{1−a} too. `mass` marks the blocks that have some."""
    query_blocks, key_blocks = tl.cdiv(queries, QUERIES), tl.cdiv(keys, KEYS)
    block, pair = tl.program_id(0) % query_blocks, (tl.program_id(0) // query_blocks).to(tl.int64)
    batch, head = pair // heads, pair % heads
    query = block * QUERIES + tl.arange(0, QUERIES)
    q_block = block_of(q, batch, head, block * QUERIES, queries, q_strides, WIDTH, QUERIES, SIZE)
    top = tl.load(state + pair * queries + query, mask=query < queries, other=float("-inf"))
    at = tl.load(state + rows + pair * queries + query, mask=query < queries, other=0.0)
    lost, nothing = top != top, top == float("-inf")
    none = lost | nothing
    above = tl.where(none, 0.0, top)
    low, high = at, at * 0 + largest_threshold(keys, a, KIND)
    mark = marks + (pair * query_blocks + block) * key_blocks
    seen_blocks = blocks_seen(block, keys, shift, CAUSAL, QUERIES, KEYS)
    step = 0
    moving = 1
    while (step < STEPS) & (moving > 0):
        total, slopes = tl.zeros([QUERIES], tl.float32), tl.zeros([QUERIES], tl.float32)
        for key_block in range(seen_blocks):
            if tl.load(mark + key_block) != 0:
                key = key_block * KEYS + tl.arange(0, KEYS)
                k_block = block_of(k, batch, head // group, key_block * KEYS, keys, k_strides, WIDTH, KEYS, SIZE)
                scores = scores_of(q_block, k_block, allowed, batch, query, key, keys, shift, scale, CAUSAL, MASKED)
                p, slope = brackets(below(scores, above[:, None]) - at[:, None], a, KIND)
                total += tl.sum(p, 1)
                slopes += tl.sum(slope, 1)
        total, slopes = tl.where(none, 1.0, total), tl.where(none, 1.0, slopes)
        at, low, high, rows_moving = advance(at, low, high, total, slopes, step, a, KIND)
        moving = tl.max((rows_moving & ~none).to(tl.int32), 0)
        step += 1
    total, slopes = tl.zeros([QUERIES], tl.float32), tl.zeros([QUERIES], tl.float32)
    values = tl.zeros([QUERIES, V_SIZE], tl.float32)
    mean = tl.zeros([QUERIES, V_SIZE if GRADIENT else 1], tl.float32)
    for key_block in range(seen_blocks):
        if tl.load(mark + key_block) != 0:
            key = key_block * KEYS + tl.arange(0, KEYS)
            k_block = block_of(k, batch, head // group, key_block * KEYS, keys, k_strides, WIDTH, KEYS, SIZE)
            v_block = block_of(v, batch, head // group, key_block * KEYS, keys, v_strides, V_WIDTH, KEYS, V_SIZE)
            scores = scores_of(q_block, k_block, allowed, batch, query, key, keys, shift, scale, CAUSAL, MASKED)
            x = tl.where(none[:, None], LEAST, below(scores, above[:, None]) - at[:, None])
            p, slope = brackets(x, a, KIND)
            total += tl.sum(p, 1)
            values += multiply(p.to(v_block.dtype), v_block)
            if GRADIENT:
                rounded = slope.to(v_block.dtype)
                slopes += tl.sum(rounded.to(tl.float32), 1)  # weights that sum to 1, however they are rounded
                mean += multiply(rounded, v_block)
            some = tl.max(tl.max((p > 0).to(tl.int32), 1), 0)
            tl.store(mass + (pair * query_blocks + block) * key_blocks + key_block, some.to(tl.int8))
    inverse = tl.where(lost, float("nan"), tl.where(nothing, 0.0, 1 / tl.where(none, 1.0, total)))
    row = pair * queries + query
    tl.store(state + rows + row, at, mask=query < queries)
    tl.store(state + 2 * rows + row, inverse, mask=query < queries)
    column = tl.arange(0, V_SIZE)
    inside = (query < queries)[:, None] & (column < V_WIDTH)[None, :]
    place = row[:, None] * V_WIDTH + column[None, :]
    tl.store(out + place, (values * inverse[:, None]).to(out.dtype.element_ty), mask=inside)
    if GRADIENT:
        weight = tl.where(lost, float("nan"), tl.where(nothing, 0.0, 1 / tl.where(none, 1.0, slopes)))
        tl.store(slope_mean + place, mean * weight[:, None], mask=inside)
