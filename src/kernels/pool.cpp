// SPDX-License-Identifier: Apache-2.0
// The processor cannot predict whether an entry joins the block before it, so the loop has no branch: a step
// either pools the last block with the one before or takes the next entry, by masks. Each step waits for the
// previous one, so four parts of the sequence run side by side; their blocks are pooled at the seams.
// Values are compared by cross-multiplication, because divisions would take longer than all the rest.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool.cpp"
#include "kernels/simd_targets.hpp"
// The rest is compiled for each instruction set.
#include <algorithm>
#include <limits>

#include "kernels/pool.hpp"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Pair = hn::FixedTag<double, 2>;
using Block = hn::Vec<Pair>;  // sum, weight

constexpr std::size_t chains = 4;
constexpr std::size_t shortest_chain = 16;  // measured: shorter ones do not repay the seams

inline bool below(const MeanBlock& block, const MeanBlock& next) {
  return block.sum * next.weight < next.sum * block.weight;
}

// A part of the sequence and its stack of blocks. Under the stack lie two blocks that are never pooled.
struct Chain {
  std::size_t next;  // the first entry not taken yet
  std::size_t end;
  MeanBlock* bottom;
  MeanBlock* top;
  std::uint32_t* top_end;
};

// The entries; without weights all of them are 1.
template <bool weighted>
struct Entries {
  const double* sums;
  const double* weights;

  MeanBlock operator[](std::size_t i) const {
    if constexpr (weighted) return {sums[i], weights[i]};
    return {sums[i], 1};
  }
  Block load(std::size_t i) const {
    const Pair pair;
    const MeanBlock block = (*this)[i];
    return hn::OddEven(hn::Set(pair, block.weight), hn::Set(pair, block.sum));
  }
};

inline void start(Chain& chain, std::size_t first, std::size_t end, MeanBlock* blocks, std::uint32_t* ends) {
  blocks[0] = blocks[1] = {std::numeric_limits<double>::infinity(), 1};
  chain = {first, end, blocks + 1, blocks + 1, ends + 1};
}

// Steps of all chains until one has no entry left. The last block of a chain and the one before are in
// registers.
template <bool weighted>
HWY_NOINLINE void run_together(Chain* chain, Entries<weighted> entries) {
  const Pair pair;
  Block last[chains];
  Block before[chains];
  for (std::size_t k = 0; k < chains; ++k) {
    last[k] = entries.load(chain[k].next++);
    before[k] = hn::LoadU(pair, &chain[k].top->sum);
  }
  for (;;) {
    std::size_t steps = chain[0].end - chain[0].next;  // a step takes one entry at most
    for (std::size_t k = 1; k < chains; ++k) steps = std::min(steps, chain[k].end - chain[k].next);
    if (steps == 0) break;
    for (; steps > 0; --steps) {
      for (std::size_t k = 0; k < chains; ++k) {
        Chain& c = chain[k];
        const Block products = hn::Mul(before[k], hn::Shuffle01(last[k]));
        const auto pools = hn::Lt(hn::DupEven(products), hn::DupOdd(products));
        const Block under = hn::LoadU(pair, &c.top[-1].sum);
        hn::StoreU(last[k], pair, &c.top[1].sum);  // above the top: without effect where it pools
        c.top_end[1] = static_cast<std::uint32_t>(c.next);
        const Block fresh = entries.load(c.next);
        const Block pooled = hn::Add(before[k], last[k]);
        before[k] = hn::IfThenElse(pools, under, last[k]);
        last[k] = hn::IfThenElse(pools, pooled, fresh);
        const auto minus = static_cast<std::ptrdiff_t>(
            hn::GetLane(hn::BitCast(hn::RebindToSigned<Pair>(), hn::VecFromMask(pair, pools))));  // −1 or 0
        c.top += 1 + 2 * minus;
        c.top_end += 1 + 2 * minus;
        c.next += static_cast<std::size_t>(1 + minus);
      }
    }
  }
  for (std::size_t k = 0; k < chains; ++k) {
    hn::StoreU(last[k], pair, &chain[k].top[1].sum);
    chain[k].top_end[1] = static_cast<std::uint32_t>(chain[k].next);
  }
}

// Pools the block above the top as far down as it goes, and makes it the top.
inline void settle(Chain& chain) {
  MeanBlock last = chain.top[1];
  const std::uint32_t end = chain.top_end[1];
  for (; below(*chain.top, last); --chain.top, --chain.top_end) {
    last.sum += chain.top->sum;
    last.weight += chain.top->weight;
  }
  *++chain.top = last;
  *++chain.top_end = end;
}

template <bool weighted>
inline void run_alone(Chain& chain, Entries<weighted> entries) {
  while (chain.next != chain.end) {
    chain.top[1] = entries[chain.next++];
    chain.top_end[1] = static_cast<std::uint32_t>(chain.next);
    settle(chain);
  }
}

// Puts the blocks of a chain on top of those of the first.
inline void join(Chain& first, const Chain& second) {
  const std::ptrdiff_t size = second.top - second.bottom;
  const std::uint32_t* ends = second.top_end - size;
  bool pooled = true;
  for (std::ptrdiff_t b = 1; b <= size; ++b) {
    first.top[1] = second.bottom[b];
    first.top_end[1] = ends[b];
    if (pooled) {  // blocks after one that stays are in order already
      const MeanBlock* top = first.top;
      settle(first);
      pooled = first.top <= top;
    } else {
      ++first.top;
      ++first.top_end;
    }
  }
}

template <bool weighted>
std::size_t pool_entries(Entries<weighted> entries, std::size_t n, std::span<MeanBlock> blocks,
                         std::span<std::uint32_t> ends) {
  Chain chain[chains];
  if (n < chains * shortest_chain) {
    start(chain[0], 0, n, blocks.data(), ends.data());
    run_alone(chain[0], entries);
  } else {
    for (std::size_t k = 0; k < chains; ++k) {
      const std::size_t first = n / chains * k;
      const std::size_t last = k + 1 == chains ? n : first + n / chains;
      start(chain[k], first, last, blocks.data() + first + 3 * k, ends.data() + first + 3 * k);
    }
    run_together(chain, entries);
    for (std::size_t k = 0; k < chains; ++k) {
      settle(chain[k]);
      run_alone(chain[k], entries);
      if (k > 0) join(chain[0], chain[k]);
    }
  }
  const auto count = static_cast<std::size_t>(chain[0].top - chain[0].bottom);
  std::copy_n(blocks.begin() + 2, count, blocks.begin());
  std::copy_n(ends.begin() + 2, count, ends.begin());
  return count;
}

std::size_t pool_means_any(std::span<const double> sums, std::span<const double> weights,
                           std::span<MeanBlock> blocks, std::span<std::uint32_t> ends) {
  if (weights.empty()) return pool_entries(Entries<false>{sums.data(), nullptr}, sums.size(), blocks, ends);
  return pool_entries(Entries<true>{sums.data(), weights.data()}, sums.size(), blocks, ends);
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fenchel::kernels {

std::size_t pool_means(std::span<const double> sums, std::span<const double> weights,
                       std::span<MeanBlock> blocks, std::span<std::uint32_t> ends) {
  return FENCHEL_DISPATCH(pool_means_any)(sums, weights, blocks, ends);
}

}  // namespace fenchel::kernels
#endif
