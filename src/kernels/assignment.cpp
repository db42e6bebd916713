// SPDX-License-Identifier: Apache-2.0
// The row scans of the linear assignment solver: several running maxima side by side, so that a scan is bound
// by the loads and not by the latency of comparing.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/assignment.cpp"
#include "kernels/simd_targets.hpp"
// The rest is compiled for each instruction set.
#include "kernels/assignment.hpp"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

using Doubles = Vector<double>;
using Integers = hn::Vec<hn::RebindToSigned<Tag<double>>>;
constexpr std::size_t width = lanes<double>;

/// The running two largest of each lane, and the vector in which the largest was met.
struct LaneTops {
  Doubles best;
  Doubles second;
  Doubles block;
};

FENCHEL_INLINE void take(LaneTops& tops, Doubles x, Doubles number) {
  const auto more = hn::Gt(x, tops.best);
  tops.second = hn::Max(tops.second, hn::Min(tops.best, x));
  tops.best = hn::Max(tops.best, x);
  tops.block = hn::IfThenElse(more, number, tops.block);
}

FENCHEL_INLINE void merge(TopTwo& top, const LaneTops& tops, std::size_t columns) {
  HWY_ALIGN double best[width];
  HWY_ALIGN double second[width];
  HWY_ALIGN double block[width];
  hn::Store(tops.best, Tag<double>(), best);
  hn::Store(tops.second, Tag<double>(), second);
  hn::Store(tops.block, Tag<double>(), block);
  for (std::size_t lane = 0; lane < width; ++lane) {
    const std::size_t at = static_cast<std::size_t>(block[lane]) * width + lane;
    if (at >= columns) continue;
    if (best[lane] > top.best || (best[lane] == top.best && at < top.at)) {
      top.second = std::max(top.best, second[lane]);
      top.best = best[lane];
      top.at = at;
    } else {
      top.second = std::max(top.second, best[lane]);
    }
  }
}

TopTwo top_two_any(std::span<const double> row, std::span<const double> prices) {
  constexpr std::size_t chains = 3;
  const std::size_t columns = row.size();
  LaneTops tops[chains];
  for (LaneTops& lane_tops : tops) {
    lane_tops.best = lane_tops.second = broadcast(-infinity<double>);
    lane_tops.block = broadcast(0.0);
  }
  Doubles number = broadcast(0.0);
  const Doubles one = broadcast(1.0);
  std::size_t j = 0;
  for (; j + chains * width <= columns; j += chains * width) {
    for (std::size_t c = 0; c < chains; ++c) {
      take(tops[c], hn::Sub(load(&row[j + c * width]), load(&prices[j + c * width])), number);
      number = hn::Add(number, one);
    }
  }
  for (; j + width <= columns; j += width) {
    take(tops[0], hn::Sub(load(&row[j]), load(&prices[j])), number);
    number = hn::Add(number, one);
  }
  TopTwo top{-infinity<double>, -infinity<double>, columns};
  for (const LaneTops& lane_tops : tops) merge(top, lane_tops, columns);
  for (; j < columns; ++j) {
    const double x = row[j] - prices[j];
    top.second = std::max(top.second, std::min(top.best, x));
    if (x > top.best) top = {x, top.second, j};
  }
  if (top.at == columns) top.at = 0;  // only where every entry is −inf
  return top;
}

/// The columns from j on, one vector.
FENCHEL_INLINE void relax_vector(const double* row, Doubles base, Integers index, const PathSearch& search,
                                 std::size_t j, Doubles& nearest, Doubles& nearest_free, Doubles& at,
                                 Doubles number) {
  const Doubles old = load(&search.distance[j]);
  const Doubles candidate = hn::Sub(base, hn::Sub(load(row + j), load(&search.prices[j])));
  const auto less = hn::Lt(candidate, old);
  const Doubles distance = hn::Min(candidate, old);
  store(distance, &search.distance[j]);
  const hn::RebindToSigned<Tag<double>> di;
  hn::StoreU(hn::IfThenElse(hn::RebindMask(di, less), index, hn::LoadU(di, &search.previous[j])), di,
             &search.previous[j]);
  at = hn::IfThenElse(hn::Lt(distance, nearest), number, at);
  nearest = hn::Min(nearest, distance);
  nearest_free = hn::Min(nearest_free, hn::Add(distance, load(&search.occupied[j])));
}

FENCHEL_INLINE void take_nearest(Nearest& result, double distance, double free_distance, std::size_t at) {
  if (distance < result.distance || (distance == result.distance && at < result.at)) {
    result.distance = distance;
    result.at = at;
  }
  result.free_distance = std::min(result.free_distance, free_distance);
}

Nearest relax_any(std::span<const double> row, double base, std::int64_t index, const PathSearch& search) {
  constexpr std::size_t chains = 2;
  const std::size_t columns = row.size();
  const Doubles bases = broadcast(base);
  const Integers indices = hn::Set(hn::RebindToSigned<Tag<double>>(), index);
  Doubles nearest[chains];
  Doubles nearest_free[chains];
  Doubles at[chains];
  for (std::size_t c = 0; c < chains; ++c) {
    nearest[c] = nearest_free[c] = broadcast(infinity<double>);
    at[c] = broadcast(0.0);
  }
  Doubles number = broadcast(0.0);
  const Doubles one = broadcast(1.0);
  std::size_t j = 0;
  for (; j + chains * width <= columns; j += chains * width) {
    for (std::size_t c = 0; c < chains; ++c) {
      relax_vector(row.data(), bases, indices, search, j + c * width, nearest[c], nearest_free[c], at[c],
                   number);
      number = hn::Add(number, one);
    }
  }
  for (; j + width <= columns; j += width) {
    relax_vector(row.data(), bases, indices, search, j, nearest[0], nearest_free[0], at[0], number);
    number = hn::Add(number, one);
  }
  Nearest result{infinity<double>, infinity<double>, columns};
  for (std::size_t c = 0; c < chains; ++c) {
    HWY_ALIGN double distances[width];
    HWY_ALIGN double free_distances[width];
    HWY_ALIGN double blocks[width];
    hn::Store(nearest[c], Tag<double>(), distances);
    hn::Store(nearest_free[c], Tag<double>(), free_distances);
    hn::Store(at[c], Tag<double>(), blocks);
    for (std::size_t lane = 0; lane < width; ++lane) {
      take_nearest(result, distances[lane], free_distances[lane],
                   static_cast<std::size_t>(blocks[lane]) * width + lane);
    }
  }
  for (; j < columns; ++j) {
    const double candidate = base - (row[j] - search.prices[j]);
    if (candidate < search.distance[j]) {
      search.distance[j] = candidate;
      search.previous[j] = index;
    }
    take_nearest(result, search.distance[j], search.distance[j] + search.occupied[j], j);
  }
  return result;
}

void raise_maxima_any(std::span<const double> row, std::int64_t index, std::span<double> top,
                      std::span<std::int64_t> owner) {
  const hn::RebindToSigned<Tag<double>> di;
  const Integers indices = hn::Set(di, index);
  std::size_t j = 0;
  for (; j + width <= row.size(); j += width) {
    const Doubles x = load(&row[j]);
    const Doubles old = load(&top[j]);
    store(hn::Max(x, old), &top[j]);
    const auto more = hn::RebindMask(di, hn::Gt(x, old));
    hn::StoreU(hn::IfThenElse(more, indices, hn::LoadU(di, &owner[j])), di, &owner[j]);
  }
  for (; j < row.size(); ++j) {
    if (row[j] <= top[j]) continue;
    top[j] = row[j];
    owner[j] = index;
  }
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fenchel::kernels {

TopTwo top_two(std::span<const double> row, std::span<const double> prices) {
  return FENCHEL_DISPATCH(top_two_any)(row, prices);
}
Nearest relax(std::span<const double> row, double base, std::int64_t index, const PathSearch& search) {
  return FENCHEL_DISPATCH(relax_any)(row, base, index, search);
}
void raise_maxima(std::span<const double> row, std::int64_t index, std::span<double> top,
                  std::span<std::int64_t> owner) {
  FENCHEL_DISPATCH(raise_maxima_any)(row, index, top, owner);
}

}  // namespace fenchel::kernels
#endif
