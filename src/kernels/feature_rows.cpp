// SPDX-License-Identifier: Apache-2.0
// θ stays in registers while the features go by, a chunk of outputs at a time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/feature_rows.cpp"
#include "kernels/simd_targets.hpp"
// The rest is compiled for each instruction set.
#include "kernels/feature_rows.hpp"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

using Doubles = Vector<double>;
constexpr std::size_t width_of_vector = lanes<double>;
constexpr std::size_t longest_chunk = 8;  // vectors: half of the registers

// The entries of a row: feature and value of the e-th.
template <class T>
struct DenseEntries {
  const T* values;
  std::size_t size;
  FENCHEL_INLINE std::size_t feature(std::size_t e) const { return e; }
  FENCHEL_INLINE double value(std::size_t e) const { return static_cast<double>(values[e]); }
};
template <class T>
struct SparseEntries {
  const std::int32_t* indices;
  const T* values;
  std::size_t size;
  FENCHEL_INLINE std::size_t feature(std::size_t e) const { return static_cast<std::size_t>(indices[e]); }
  FENCHEL_INLINE double value(std::size_t e) const { return static_cast<double>(values[e]); }
};

// `count` vectors of θ from `theta` on; `w` points at the same outputs of the first feature.
template <std::size_t count, class Entries>
FENCHEL_INLINE void add_chunk(const Entries& x, const double* w, std::size_t stride, double* theta) {
  Doubles sums[count];
  for (std::size_t v = 0; v < count; ++v) sums[v] = load(theta + v * width_of_vector);
  for (std::size_t e = 0; e < x.size; ++e) {
    const Doubles factor = broadcast(x.value(e));
    const double* row = w + x.feature(e) * stride;
    for (std::size_t v = 0; v < count; ++v)
      sums[v] = hn::MulAdd(factor, load(row + v * width_of_vector), sums[v]);
  }
  for (std::size_t v = 0; v < count; ++v) store(sums[v], theta + v * width_of_vector);
}

template <class Entries>
FENCHEL_INLINE void add_scores_any(const Entries& x, const double* w, double* theta, std::size_t width) {
  std::size_t k = 0;
  for (; k + longest_chunk * width_of_vector <= width; k += longest_chunk * width_of_vector)
    add_chunk<longest_chunk>(x, w + k, width, theta + k);
  for (; k + 4 * width_of_vector <= width; k += 4 * width_of_vector) add_chunk<4>(x, w + k, width, theta + k);
  for (; k + 2 * width_of_vector <= width; k += 2 * width_of_vector) add_chunk<2>(x, w + k, width, theta + k);
  for (; k + width_of_vector <= width; k += width_of_vector) add_chunk<1>(x, w + k, width, theta + k);
  // The last one to three outputs together: each alone would go through the features again.
  const std::size_t rest = width - k;
  if (rest == 0) return;
  double sums[width_of_vector] = {};
  for (std::size_t e = 0; e < x.size; ++e) {
    const double* row = w + x.feature(e) * width + k;
    const double value = x.value(e);
    for (std::size_t r = 0; r < rest; ++r) sums[r] += value * row[r];
  }
  for (std::size_t r = 0; r < rest; ++r) theta[k + r] += sums[r];
}

template <class Entries>
FENCHEL_INLINE void add_outer_any(const Entries& x, const double* r, double* w, std::size_t width) {
  for (std::size_t e = 0; e < x.size; ++e) {
    const double value = x.value(e);
    if (value == 0) continue;
    const Doubles factor = broadcast(value);
    double* row = w + x.feature(e) * width;
    std::size_t k = 0;
    for (; k + width_of_vector <= width; k += width_of_vector)
      store(hn::MulAdd(factor, load(r + k), load(row + k)), row + k);
    for (; k < width; ++k) row[k] += value * r[k];
  }
}

double largest_any(std::span<const double> row) {
  double top = row[0];
  std::size_t k = 0;
  if (row.size() >= width_of_vector) {
    Doubles tops = load(row.data());
    for (k = width_of_vector; k + width_of_vector <= row.size(); k += width_of_vector)
      tops = hn::Max(tops, load(row.data() + k));
    top = max_of_lanes<double>(tops);
  }
  for (; k < row.size(); ++k) top = std::max(top, row[k]);
  return top;
}

std::size_t entries_above_any(std::span<const double> row, double bound, std::int32_t* indices) {
  std::size_t count = 0;
  std::size_t k = 0;
  const Doubles bounds = broadcast(bound);
  for (; k + width_of_vector <= row.size(); k += width_of_vector) {
    if (hn::AllFalse(Tag<double>(), hn::Gt(load(row.data() + k), bounds))) continue;
    for (std::size_t r = k; r < k + width_of_vector; ++r) {
      indices[count] = static_cast<std::int32_t>(r);
      count += row[r] > bound ? 1 : 0;
    }
  }
  for (; k < row.size(); ++k) {
    if (row[k] > bound) indices[count++] = static_cast<std::int32_t>(k);
  }
  return count;
}

template <class T>
void scores_of_dense(std::span<const T> x, const double* w, std::span<double> theta) {
  add_scores_any(DenseEntries<T>{x.data(), x.size()}, w, theta.data(), theta.size());
}
template <class T>
void scores_of_sparse(std::span<const std::int32_t> indices, std::span<const T> values, const double* w,
                      std::span<double> theta) {
  add_scores_any(SparseEntries<T>{indices.data(), values.data(), values.size()}, w, theta.data(),
                 theta.size());
}
template <class T>
void outer_of_dense(std::span<const T> x, std::span<const double> r, double* w) {
  add_outer_any(DenseEntries<T>{x.data(), x.size()}, r.data(), w, r.size());
}
template <class T>
void outer_of_sparse(std::span<const std::int32_t> indices, std::span<const T> values,
                     std::span<const double> r, double* w) {
  add_outer_any(SparseEntries<T>{indices.data(), values.data(), values.size()}, r.data(), w, r.size());
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fenchel::kernels {

void add_scores(std::span<const float> x, const double* w, std::span<double> theta) {
  FENCHEL_DISPATCH(scores_of_dense<float>)(x, w, theta);
}
void add_scores(std::span<const double> x, const double* w, std::span<double> theta) {
  FENCHEL_DISPATCH(scores_of_dense<double>)(x, w, theta);
}
void add_scores(std::span<const std::int32_t> indices, std::span<const float> values, const double* w,
                std::span<double> theta) {
  FENCHEL_DISPATCH(scores_of_sparse<float>)(indices, values, w, theta);
}
void add_scores(std::span<const std::int32_t> indices, std::span<const double> values, const double* w,
                std::span<double> theta) {
  FENCHEL_DISPATCH(scores_of_sparse<double>)(indices, values, w, theta);
}
void add_outer(std::span<const float> x, std::span<const double> r, double* w) {
  FENCHEL_DISPATCH(outer_of_dense<float>)(x, r, w);
}
void add_outer(std::span<const double> x, std::span<const double> r, double* w) {
  FENCHEL_DISPATCH(outer_of_dense<double>)(x, r, w);
}
void add_outer(std::span<const std::int32_t> indices, std::span<const float> values,
               std::span<const double> r, double* w) {
  FENCHEL_DISPATCH(outer_of_sparse<float>)(indices, values, r, w);
}
void add_outer(std::span<const std::int32_t> indices, std::span<const double> values,
               std::span<const double> r, double* w) {
  FENCHEL_DISPATCH(outer_of_sparse<double>)(indices, values, r, w);
}

double largest(std::span<const double> row) { return FENCHEL_DISPATCH(largest_any)(row); }
std::size_t entries_above(std::span<const double> row, double bound, std::int32_t* indices) {
  return FENCHEL_DISPATCH(entries_above_any)(row, bound, indices);
}

}  // namespace fenchel::kernels
#endif
