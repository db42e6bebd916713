// SPDX-License-Identifier: Apache-2.0
// Most scores are spread well enough for two rounds of counting on the place of a value between the extremes:
// that needs no comparison, and an insertion sort repairs the few that fell on one place. Where too many
// did (far outliers), integer keys of 64 bits, as much of the value as fits above its index, go through
// Highway's vector quicksort; where even those agree, keys of 128 bits hold everything.
#include "kernels/sort.hpp"

#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace fenchel::kernels {
namespace {

// Measured: below this, counting and vector quicksort cost more to start than std::sort takes.
constexpr std::size_t shortest_count = 40;
// Above this, the random access of counting costs as much as the comparisons of vector quicksort. A digit of
// up to 11 bits and an index share 32 bits.
constexpr std::size_t longest_count = std::size_t{1} << 20;
constexpr std::size_t most_digits = 2048;
constexpr std::size_t few = std::size_t{1} << 15;  // up to this many need only 2^20 places
constexpr std::size_t moves_per_value = 2;         // with more moves than that, sorting again is cheaper

// Where the results go. Both spans are as long as the values.
struct Output {
  std::span<std::uint32_t> order;
  std::span<double> sorted;
};

const hwy::Sorter& sorter() {
  static thread_local const hwy::Sorter instance;  // holds a buffer of fixed size
  return instance;
}

// Highway's library ends the program where the CPU has none of the instruction sets that it is compiled for.
bool has_vectors() { return (hwy::SupportedTargets() & ~(HWY_SCALAR | HWY_EMU128 | HWY_AVX3_DL)) != 0; }

// In ascending order.
template <class Key, class Less>
void sort_keys(std::span<Key> keys, const Less& less) {
  if (keys.size() < shortest_count || !has_vectors()) {
    std::sort(keys.begin(), keys.end(), less);
  } else {
    sorter()(keys.data(), keys.size(), hwy::SortAscending());
  }
}

// An unsigned integer that grows as the value falls; 0 and −0 have the same.
std::uint64_t descending_key(double value) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // −0 + 0 is 0
  return (bits & sign) != 0 ? bits : ~(bits | sign);
}

// Moves every value that is larger than its predecessor to its place; equal ones keep their order. Gives up,
// with order and values still in step, after too many moves.
bool insertion_sort(Output out) {
  const auto [order, sorted] = out;
  std::size_t moves = moves_per_value * sorted.size() + shortest_count * shortest_count;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] <= sorted[i - 1]) continue;
    const double value = sorted[i];
    const std::uint32_t index = order[i];
    std::size_t place = i;
    do {
      sorted[place] = sorted[place - 1];
      order[place] = order[place - 1];
      --place;
    } while (place > 0 && sorted[place - 1] < value);
    sorted[place] = value;
    order[place] = index;
    if (i - place > moves) return false;
    moves -= i - place;
  }
  return true;
}

// A map of values to 0, …, places − 1 that never puts a smaller value first, because rounding keeps the order
// of differences and products.
class Places {
 public:
  Places(std::span<const double> values, double places) {
    const auto [lowest, highest] = range_of(values);
    highest_ = highest;
    scale_ = (places - 1) / (highest - lowest);
  }

  // Not where all values are equal, or too far apart or too near for the arithmetic.
  bool usable() const { return scale_ > 0 && std::isfinite(scale_); }
  std::uint32_t operator()(double value) const {
    return static_cast<std::uint32_t>(static_cast<std::int32_t>((highest_ - value) * scale_));
  }

 private:
  double highest_;
  double scale_;
};

void sums_before(std::span<std::uint32_t> counts) {
  std::uint32_t sum = 0;
  for (std::uint32_t& count : counts) {
    const std::uint32_t before = sum;
    sum += count;
    count = before;
  }
}

// Two rounds of counting, the low digit of the place first.
bool counting_sort(std::span<const double> values, Output out, Workspace& scratch) {
  const std::size_t n = values.size();
  if (n < shortest_count || n > longest_count) return false;
  const auto digit_bits = std::clamp(static_cast<int>(std::bit_width(n)), 7, n < few ? 10 : 11);
  const Places place(values, std::ldexp(1.0, 2 * digit_bits));
  if (!place.usable()) return false;
  const Workspace::Frame frame(scratch);
  const auto places = scratch.take<std::uint32_t>(n);
  for (std::size_t i = 0; i < n; ++i) places[i] = place(values[i]);

  std::array<std::uint32_t, most_digits> low_starts;
  std::array<std::uint32_t, most_digits> high_starts;
  const std::size_t digits = std::size_t{1} << digit_bits;
  const auto low_mask = static_cast<std::uint32_t>(digits - 1);
  std::fill_n(low_starts.begin(), digits, 0U);
  std::fill_n(high_starts.begin(), digits, 0U);
  for (std::size_t i = 0; i < n; ++i) {
    ++low_starts[places[i] & low_mask];
    ++high_starts[places[i] >> digit_bits];
  }
  sums_before(std::span(low_starts).first(digits));
  sums_before(std::span(high_starts).first(digits));

  const int index_bits = 32 - digit_bits;
  const std::uint32_t index_mask = (std::uint32_t{1} << index_bits) - 1;
  const auto records = scratch.take<std::uint32_t>(n);
  for (std::size_t i = 0; i < n; ++i) {
    records[low_starts[places[i] & low_mask]++] =
        places[i] >> digit_bits << index_bits | static_cast<std::uint32_t>(i);
  }
  for (const std::uint32_t record : records) {
    const std::uint32_t target = high_starts[record >> index_bits]++;
    const std::uint32_t index = record & index_mask;
    out.order[target] = index;
    out.sorted[target] = values[index];
  }
  return insertion_sort(out);
}

// 64-bit keys: the leading bits of the value's, less what all of them share.
bool wide_sort(std::span<const double> values, Output out, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const auto keys = scratch.take<std::uint64_t>(values.size());
  std::uint64_t lowest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t highest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    keys[i] = descending_key(values[i]);
    lowest = std::min(lowest, keys[i]);
    highest = std::max(highest, keys[i]);
  }
  const std::uint64_t low = std::bit_ceil(values.size()) - 1;
  const int spare = lowest == highest ? 0 : std::countl_zero(highest - lowest);
  for (std::size_t i = 0; i < values.size(); ++i) keys[i] = ((keys[i] - lowest) << spare & ~low) | i;
  sort_keys(keys, std::less<>());
  for (std::size_t i = 0; i < values.size(); ++i) {
    out.order[i] = static_cast<std::uint32_t>(keys[i] & low);
    out.sorted[i] = values[out.order[i]];
  }
  return insertion_sort(out);
}

// 128-bit keys: all of the value and the index.
void full_sort(std::span<const double> values, Output out, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const auto keys = scratch.take<hwy::uint128_t>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) keys[i] = {.lo = i, .hi = descending_key(values[i])};
  sort_keys(keys, [](const hwy::uint128_t& a, const hwy::uint128_t& b) {
    return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo);
  });
  for (std::size_t i = 0; i < values.size(); ++i) {
    out.order[i] = static_cast<std::uint32_t>(keys[i].lo);
    out.sorted[i] = values[out.order[i]];
  }
}

}  // namespace

Range range_of(std::span<const double> values) {
  std::array<double, 4> lowest;  // four comparisons side by side
  std::array<double, 4> highest;
  lowest.fill(values[0]);
  highest.fill(values[0]);
  const std::size_t whole = values.size() / 4 * 4;
  for (std::size_t i = 0; i < whole; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) {
      lowest[k] = values[i + k] < lowest[k] ? values[i + k] : lowest[k];
      highest[k] = values[i + k] > highest[k] ? values[i + k] : highest[k];
    }
  }
  for (const double value : values.subspan(whole)) {
    lowest[0] = std::min(lowest[0], value);
    highest[0] = std::max(highest[0], value);
  }
  return {*std::ranges::min_element(lowest), *std::ranges::max_element(highest)};
}

void argsort_descending(std::span<const double> values, std::span<std::uint32_t> order,
                        std::span<double> sorted, Workspace& scratch) {
  if (std::is_sorted(values.begin(), values.end(), std::greater<>())) {
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::copy(values, sorted.begin());
    return;
  }
  const Output out{order, sorted};
  if (counting_sort(values, out, scratch) || wide_sort(values, out, scratch)) return;
  full_sort(values, out, scratch);
}

}  // namespace fenchel::kernels
