# SPDX-License-Identifier: Apache-2.0
"""Kernels of the gradients of attention with entmax, over the blocks that have mass.

With s = p^{1−a} and g the gradient of a query's result, that of its scores is s_j (⟨g, v_j⟩ − δ), where δ = ⟨g, Σ s v/Σ s⟩ is
known from the forward pass: no pass over the keys is needed for it.
"""
from __future__ import annotations

import triton
import triton.language as tl

from ._attention_kernels import block_of, blocks_seen, scores_of
from ._brackets import LEAST, SOFTMAX, below, brackets, multiply


@triton.jit
def weights_of(KIND: tl.constexpr, scores, top, at, inverse, a):
    """p and p^{1−a}; 0 for queries without a prediction."""
    none = (top != top) | (top == float("-inf"))
    x = tl.where(none[:, None], LEAST, below(scores, tl.where(none, 0.0, top)[:, None]) - at[:, None])
    p, slope = brackets(x, a, KIND)
    if KIND == SOFTMAX:
        slope = slope * inverse[:, None]
    return p * inverse[:, None], slope


@triton.jit
def query_gradients(KIND: tl.constexpr, q, k, v, allowed, state, delta, mass, g, out, q_strides, k_strides, v_strides, g_strides,
                    heads, group, queries, keys, rows, shift, scale, a, CAUSAL: tl.constexpr, MASKED: tl.constexpr,
                    WIDTH: tl.constexpr, SIZE: tl.constexpr, V_WIDTH: tl.constexpr, V_SIZE: tl.constexpr,
                    QUERIES: tl.constexpr, KEYS: tl.constexpr):
    """The gradient of a block of queries; NaN where there was no prediction."""
    query_blocks, key_blocks = tl.cdiv(queries, QUERIES), tl.cdiv(keys, KEYS)
    block, pair = tl.program_id(0) % query_blocks, (tl.program_id(0) // query_blocks).to(tl.int64)
    batch, head = pair // heads, pair % heads
    query = block * QUERIES + tl.arange(0, QUERIES)
    row = pair * queries + query
    q_block = block_of(q, batch, head, block * QUERIES, queries, q_strides, WIDTH, QUERIES, SIZE)
    g_block = block_of(g, batch, head, block * QUERIES, queries, g_strides, V_WIDTH, QUERIES, V_SIZE)
    top = tl.load(state + row, mask=query < queries, other=float("-inf"))
    at = tl.load(state + rows + row, mask=query < queries, other=0.0)
    inverse = tl.load(state + 2 * rows + row, mask=query < queries, other=0.0)
    centre = tl.load(delta + row, mask=query < queries, other=0.0)
    lost = top != top
    safe_inverse, safe_centre = tl.where(lost, 0.0, inverse), tl.where(lost, 0.0, centre)
    gradient = tl.zeros([QUERIES, SIZE], tl.float32)
    for key_block in range(blocks_seen(block, keys, shift, CAUSAL, QUERIES, KEYS)):
        if tl.load(mass + (pair * query_blocks + block) * key_blocks + key_block) != 0:
            key = key_block * KEYS + tl.arange(0, KEYS)
            k_block = block_of(k, batch, head // group, key_block * KEYS, keys, k_strides, WIDTH, KEYS, SIZE)
            v_block = block_of(v, batch, head // group, key_block * KEYS, keys, v_strides, V_WIDTH, KEYS, V_SIZE)
            scores = scores_of(q_block, k_block, allowed, batch, query, key, keys, shift, scale, CAUSAL, MASKED)
            _, slope = weights_of(KIND, scores, top, at, safe_inverse, a)
            change = multiply(g_block, tl.trans(v_block))
            of_scores = slope * (change - safe_centre[:, None])
            gradient += multiply(of_scores.to(k_block.dtype), k_block)
    gradient = tl.where(lost[:, None], float("nan"), gradient * scale)
    column = tl.arange(0, SIZE)
    tl.store(out + row[:, None] * WIDTH + column[None, :], gradient.to(out.dtype.element_ty),
             mask=(query < queries)[:, None] & (column < WIDTH)[None, :])


@triton.jit
def key_gradients(KIND: tl.constexpr, q, k, v, allowed, state, delta, mass, g, out, v_out, q_strides, k_strides, v_strides,
                  g_strides, heads, group, queries, keys, rows, shift, scale, a, CAUSAL: tl.constexpr, MASKED: tl.constexpr,
                  WIDTH: tl.constexpr, SIZE: tl.constexpr, V_WIDTH: tl.constexpr, V_SIZE: tl.constexpr,
                  QUERIES: tl.constexpr, KEYS: tl.constexpr):
    """The gradients of a block of keys and values, over all queries of all heads that share them."""
    query_blocks, key_blocks = tl.cdiv(queries, QUERIES), tl.cdiv(keys, KEYS)
    shared_heads = heads // group
    block, pair = tl.program_id(0) % key_blocks, (tl.program_id(0) // key_blocks).to(tl.int64)
    batch, shared = pair // shared_heads, pair % shared_heads
    key = block * KEYS + tl.arange(0, KEYS)
    k_block = block_of(k, batch, shared, block * KEYS, keys, k_strides, WIDTH, KEYS, SIZE)
    v_block = block_of(v, batch, shared, block * KEYS, keys, v_strides, V_WIDTH, KEYS, V_SIZE)
    of_keys, of_values = tl.zeros([KEYS, SIZE], tl.float32), tl.zeros([KEYS, V_SIZE], tl.float32)
    first = 0
    if CAUSAL:
        first = tl.maximum(block * KEYS - shift, 0) // QUERIES
    for place in range(group * (query_blocks - tl.minimum(first, query_blocks))):
        seeing = query_blocks - tl.minimum(first, query_blocks)
        head = shared * group + place // seeing
        query_block = first + place % seeing
        index = batch * heads + head
        if tl.load(mass + (index * query_blocks + query_block) * key_blocks + block) != 0:
            query = query_block * QUERIES + tl.arange(0, QUERIES)
            row = index * queries + query
            q_block = block_of(q, batch, head, query_block * QUERIES, queries, q_strides, WIDTH, QUERIES, SIZE)
            g_block = block_of(g, batch, head, query_block * QUERIES, queries, g_strides, V_WIDTH, QUERIES, V_SIZE)
            top = tl.load(state + row, mask=query < queries, other=float("-inf"))
            at = tl.load(state + rows + row, mask=query < queries, other=0.0)
            inverse = tl.load(state + 2 * rows + row, mask=query < queries, other=0.0)
            centre = tl.load(delta + row, mask=query < queries, other=0.0)
            lost = top != top
            scores = scores_of(q_block, k_block, allowed, batch, query, key, keys, shift, scale, CAUSAL, MASKED)
            p, slope = weights_of(KIND, scores, top, at, tl.where(lost, 0.0, inverse), a)
            of_values += multiply(tl.trans(p.to(g_block.dtype)), g_block)
            change = multiply(g_block, tl.trans(v_block))
            of_scores = slope * (change - tl.where(lost, 0.0, centre)[:, None])
            of_keys += multiply(tl.trans(of_scores.to(q_block.dtype)), q_block)
    column, v_column = tl.arange(0, SIZE), tl.arange(0, V_SIZE)
    row = pair * keys + key
    tl.store(out + row[:, None] * WIDTH + column[None, :], (of_keys * scale).to(out.dtype.element_ty),
             mask=(key < keys)[:, None] & (column < WIDTH)[None, :])
    tl.store(v_out + row[:, None] * V_WIDTH + v_column[None, :], of_values.to(v_out.dtype.element_ty),
             mask=(key < keys)[:, None] & (v_column < V_WIDTH)[None, :])
