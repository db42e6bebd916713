// SPDX-License-Identifier: Apache-2.0
// Chains with edge scores of their own at every step. Vectors run along the previous state j, which is
// contiguous; `lanes` rows i go together so that their horizontal sums are reduced at once.
#if defined(FENCHEL_KERNELS_CHAIN_EDGES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FENCHEL_KERNELS_CHAIN_EDGES_INL_H
#undef FENCHEL_KERNELS_CHAIN_EDGES_INL_H
#else
#define FENCHEL_KERNELS_CHAIN_EDGES_INL_H
#endif

#include <optional>
#include <span>

#include "fenchel/core/workspace.hpp"
#include "kernels/chain_scaling-inl.h"
#include "kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

using V = Vector<double>;

/// A row of m entries as vectors: `whole` ones, then one more for the rest. That one ends with the row and
/// overlaps the vector before it, except in rows shorter than a vector.
struct RowShape {
  std::size_t m;
  std::size_t whole = m / lanes<double> * lanes<double>;  // entries in whole vectors
  bool has_rest = whole < m;
  std::size_t rest = m < lanes<double> ? 0 : m - lanes<double>;  // where the last vector starts
  std::size_t width =
      whole + (has_rest ? lanes<double> : 0);  // the length of vectors over states, padded with zeros

  FENCHEL_INLINE V load_rest(const double* row) const {
    return m < lanes<double> ? load_first(row, m, 0.0) : load(row + rest);
  }
  FENCHEL_INLINE void store_rest(V v, double* row) const {
    if (m < lanes<double>) {
      store_first(v, row, m);
    } else {
      store(v, row + rest);
    }
  }
  /// 1 where the last vector does not overlap the one before.
  FENCHEL_INLINE V fresh() const {
    return hn::IfThenElse(hn::FirstN(Tag<double>(), m < lanes<double> ? 0 : lanes<double> - (m - whole)),
                          hn::Zero(Tag<double>()), broadcast(1.0));
  }
};

/// `lanes` rows of a matrix from row i on; past its last row, that row again.
struct RowBlock {
  std::size_t index[lanes<double>];
  std::size_t count;

  FENCHEL_INLINE RowBlock(std::size_t first, std::size_t m) : count(std::min(lanes<double>, m - first)) {
    for (std::size_t r = 0; r < lanes<double>; ++r) index[r] = std::min(first + r, m - 1);
  }
  /// One entry per row, with zeros for the rows past the last.
  FENCHEL_INLINE void store_padded(V v, double* to) const {
    store(hn::IfThenElseZero(hn::FirstN(Tag<double>(), count), v), to + index[0]);
  }
};

/// out_i = Σ_j w_ij x_j; x and out are padded.
FENCHEL_INLINE void multiply(const RowShape& shape, const double* w, const double* x, double* out) {
  constexpr std::size_t n = lanes<double>;
  const V x_rest = hn::Mul(load(x + shape.rest), shape.fresh());
  for (std::size_t i = 0; i < shape.m; i += n) {
    const RowBlock block(i, shape.m);
    V sum[n];
    for (std::size_t r = 0; r < n; ++r) {
      sum[r] = shape.has_rest ? hn::Mul(shape.load_rest(w + block.index[r] * shape.m), x_rest)
                              : hn::Zero(Tag<double>());
    }
    for (std::size_t j = 0; j < shape.whole; j += n) {
      const V xj = load(x + j);
      for (std::size_t r = 0; r < n; ++r)
        sum[r] = hn::MulAdd(load(w + block.index[r] * shape.m + j), xj, sum[r]);
    }
    block.store_padded(reduce_rows<double>(sum, Add()), out);
  }
}

/// out_i = max_j (e_ij + x_j).
FENCHEL_INLINE void multiply_tropical(const RowShape& shape, const double* e, const double* x, double* out) {
  constexpr std::size_t n = lanes<double>;
  const V lowest = broadcast(-infinity<double>);
  const V x_rest = shape.m < n ? load_first(x, shape.m, -infinity<double>) : shape.load_rest(x);
  for (std::size_t i = 0; i < shape.m; i += n) {
    const RowBlock block(i, shape.m);
    V top[n];
    for (std::size_t r = 0; r < n; ++r) {
      top[r] = shape.has_rest ? hn::Add(shape.load_rest(e + block.index[r] * shape.m), x_rest) : lowest;
    }
    for (std::size_t j = 0; j < shape.whole; j += n) {
      const V xj = load(x + j);
      for (std::size_t r = 0; r < n; ++r) {
        top[r] = hn::Max(top[r], hn::Add(load(e + block.index[r] * shape.m + j), xj));
      }
    }
    const V best = reduce_rows<double>(top, Max());
    if (block.count == n) {
      store(best, out + i);
    } else {
      store_first(best, out + i, block.count);
    }
  }
}

/// `rows` rows of scale_edges; `column_rest` holds the sums of the last vector.
template <std::size_t rows>
FENCHEL_INLINE void scale_rows(const RowShape& shape, double* w, const double* x, const double* f,
                               double* column, V& column_rest) {
  constexpr std::size_t n = lanes<double>;
  V rest[rows];
  V factor[rows];
  for (std::size_t r = 0; r < rows; ++r) {
    factor[r] = broadcast(f[r]);
    if (shape.has_rest) rest[r] = shape.load_rest(w + r * shape.m);
  }
  for (std::size_t j = 0; j < shape.whole; j += n) {
    const V xj = load(x + j);
    V sum = load(column + j);
    for (std::size_t r = 0; r < rows; ++r) {
      const V mu = hn::Mul(hn::Mul(load(w + r * shape.m + j), factor[r]), xj);
      store(mu, w + r * shape.m + j);
      sum = hn::Add(sum, mu);
    }
    store(sum, column + j);
  }
  if (!shape.has_rest) return;
  const V x_rest = load(x + shape.rest);
  for (std::size_t r = 0; r < rows; ++r) {
    const V mu = hn::Mul(hn::Mul(rest[r], factor[r]), x_rest);
    shape.store_rest(mu, w + r * shape.m);
    column_rest = hn::Add(column_rest, mu);
  }
}

/// w_ij becomes μ_ij = w_ij x_j f_i, and column_j = Σ_i μ_ij (padded). w and μ share memory, so the last
/// vectors, which overlap the others, are read before and written after them.
FENCHEL_INLINE void scale_edges(const RowShape& shape, double* w, const double* x, const double* f,
                                double* column) {
  constexpr std::size_t n = lanes<double>;
  std::fill_n(column, shape.width, 0.0);
  V column_rest = hn::Zero(Tag<double>());
  std::size_t i = 0;
  for (; i + n <= shape.m; i += n) scale_rows<n>(shape, w + i * shape.m, x, f + i, column, column_rest);
  for (; i < shape.m; ++i) scale_rows<1>(shape, w + i * shape.m, x, f + i, column, column_rest);
  if (shape.has_rest) store(column_rest, column + shape.rest);
}

/// The state of a forward pass: α_t (padded) and s_t of every step.
struct ForwardPass {
  std::span<double> alpha;
  std::span<double> scale;
};

/// Exponentials of step t into w, α_t from α_{t−1}; false where the linear domain does not suffice.
inline bool forward_step(const RowShape& shape, const double* theta, double* w, std::size_t t,
                         const ForwardPass& pass, LogProduct& z) {
  const std::size_t m = shape.m;
  const Range range = range_of(theta, m * m);
  if (!range.usable(theta, m * m, chain_spread)) return false;
  double* alpha = pass.alpha.data() + t * shape.width;
  if (range.high == -infinity<double>) {
    z.multiply(0, 0);
    return true;
  }
  exp_along<double>(theta, m * m, range.high, w);
  multiply(shape, w, alpha - shape.width, alpha);
  return normalize(alpha, shape.width, pass.scale[t], range.high, z);
}

/// α_0 from the entries (0, i, 0).
inline bool forward_start(const RowShape& shape, const double* theta, const ForwardPass& pass,
                          LogProduct& z) {
  const std::size_t m = shape.m;
  double* alpha = pass.alpha.data();
  std::fill_n(alpha, shape.width, 0.0);
  for (std::size_t i = 0; i < m; ++i) alpha[i] = theta[i * m];
  const Range range = range_of(alpha, m);
  if (!range.usable(alpha, m, chain_spread)) return false;
  if (range.high == -infinity<double>) {
    z.multiply(0, 0);
    return true;
  }
  for (std::size_t i = 0; i < m; ++i) alpha[i] = std::exp(alpha[i] - range.high);
  return normalize(alpha, shape.width, pass.scale[0], range.high, z);
}

/// The exponentials in μ become marginals.
inline void backward_pass(const RowShape& shape, const ForwardPass& pass, double* mu, Workspace& scratch) {
  const std::size_t m = shape.m;
  const std::size_t n = pass.scale.size();
  const Workspace::Frame frame(scratch);
  double* node = scratch.take<double>(shape.width).data();
  double* factor = scratch.take<double>(shape.width).data();
  std::copy_n(pass.alpha.data() + (n - 1) * shape.width, shape.width, node);
  for (std::size_t t = n - 1; t > 0; --t) {
    const double* alpha = pass.alpha.data() + t * shape.width;
    const V scale = broadcast(pass.scale[t]);
    for (std::size_t i = 0; i < shape.width; i += lanes<double>) {
      const V a = hn::Mul(load(alpha + i), scale);
      store(hn::IfThenElseZero(hn::Gt(a, hn::Zero(Tag<double>())), hn::Div(load(node + i), a)), factor + i);
    }
    scale_edges(shape, mu + t * m * m, alpha - shape.width, factor, node);
  }
  std::fill_n(mu, m * m, 0.0);
  for (std::size_t i = 0; i < m; ++i) mu[i * m] = node[i];
}

inline std::optional<double> edges_marginals(std::span<const double> theta, std::size_t m,
                                             std::span<double> mu, Workspace& scratch) {
  if (m * m < lanes<double>) return std::nullopt;  // less than a vector: nothing to gain
  const std::size_t n = theta.size() / (m * m);
  const RowShape shape{m};
  const Workspace::Frame frame(scratch);
  const ForwardPass pass{scratch.take<double>(n * shape.width), scratch.take<double>(n)};
  double* weights = mu.empty() ? scratch.take<double>(m * m).data() : mu.data();
  const std::size_t step = mu.empty() ? 0 : m * m;
  LogProduct z;
  if (!forward_start(shape, theta.data(), pass, z)) return std::nullopt;
  for (std::size_t t = 1; t < n && !z.zero(); ++t) {
    if (!forward_step(shape, theta.data() + t * m * m, weights + t * step, t, pass, z)) return std::nullopt;
  }
  if (!mu.empty() && !z.zero()) backward_pass(shape, pass, mu.data(), scratch);
  return z.log();
}

/// Rows of one step: node_i = Σ_j μ_ij and slope_i = Σ_j μ_ij (v_ij + previous_j)/node_i.
FENCHEL_INLINE void slopes(const RowShape& shape, const double* mu, const double* v, const double* previous,
                           double* node, double* slope) {
  constexpr std::size_t n = lanes<double>;
  const Tag<double> d;
  const V zero = hn::Zero(d);
  const V fresh = shape.fresh();
  const V previous_rest = load(previous + shape.rest);
  for (std::size_t i = 0; i < shape.m; i += n) {
    const RowBlock block(i, shape.m);
    V mass[n];
    V moment[n];
    for (std::size_t r = 0; r < n; ++r) {
      const std::size_t at = block.index[r] * shape.m;
      mass[r] = moment[r] = zero;
      if (shape.has_rest) {
        mass[r] = hn::Mul(shape.load_rest(mu + at), fresh);
        moment[r] = hn::Mul(mass[r], hn::Add(shape.load_rest(v + at), previous_rest));
      }
      for (std::size_t j = 0; j < shape.whole; j += n) {
        const V p = load(mu + at + j);
        mass[r] = hn::Add(mass[r], p);
        moment[r] = hn::MulAdd(p, hn::Add(load(v + at + j), load(previous + j)), moment[r]);
      }
    }
    const V total = reduce_rows<double>(mass, Add());
    const V mean = hn::Div(reduce_rows<double>(moment, Add()), total);
    block.store_padded(total, node);
    block.store_padded(hn::IfThenElseZero(hn::Gt(total, zero), mean), slope);
  }
}

/// `rows` rows of covariances; `column_rest` holds the sums of the last vector.
template <std::size_t rows>
FENCHEL_INLINE void covariance_rows(const RowShape& shape, const double* mu, const double* v,
                                    const double* previous, const double* rate, double* out, double* column,
                                    V& column_rest) {
  constexpr std::size_t n = lanes<double>;
  for (std::size_t j = 0; j < shape.whole; j += n) {
    const V before = load(previous + j);
    V sum = load(column + j);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t at = r * shape.m + j;
      const V x = hn::Add(hn::Add(load(v + at), before), broadcast(rate[r]));
      const V change = hn::Mul(load(mu + at), x);
      store(change, out + at);
      sum = hn::Add(sum, change);
    }
    store(sum, column + j);
  }
  if (!shape.has_rest) return;
  const V before = load(previous + shape.rest);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t at = r * shape.m;
    const V x = hn::Add(hn::Add(shape.load_rest(v + at), before), broadcast(rate[r]));
    const V change = hn::Mul(shape.load_rest(mu + at), x);
    shape.store_rest(change, out + at);
    column_rest = hn::Add(column_rest, change);
  }
}

/// out_ij = μ_ij (v_ij + previous_j + rate_i), column_j = Σ_i out_ij (padded).
FENCHEL_INLINE void covariances(const RowShape& shape, const double* mu, const double* v,
                                const double* previous, const double* rate, double* out, double* column) {
  constexpr std::size_t n = lanes<double>;
  const std::size_t m = shape.m;
  std::fill_n(column, shape.width, 0.0);
  V rest = hn::Zero(Tag<double>());
  std::size_t i = 0;
  for (; i + n <= m; i += n) {
    covariance_rows<n>(shape, mu + i * m, v + i * m, previous, rate + i, out + i * m, column, rest);
  }
  for (; i < m; ++i) {
    covariance_rows<1>(shape, mu + i * m, v + i * m, previous, rate + i, out + i * m, column, rest);
  }
  if (shape.has_rest) store(rest, column + shape.rest);
}

inline void edges_covariance(std::span<const double> mu, std::size_t m, std::span<const double> v,
                             std::span<double> out, Workspace& scratch) {
  const std::size_t n = mu.size() / (m * m);
  const RowShape shape{m};
  const std::size_t width = shape.width;
  const Workspace::Frame frame(scratch);
  double* node = scratch.take<double>(n * width).data();
  double* slope = scratch.take<double>(n * width).data();
  double* mean = scratch.take<double>(n).data();
  double* change = scratch.take<double>(width).data();
  double* rate = scratch.take<double>(width).data();
  std::fill_n(node, width, 0.0);
  std::fill_n(slope, width, 0.0);
  for (std::size_t i = 0; i < m; ++i) {
    node[i] = mu[i * m];
    slope[i] = v[i * m];
  }
  mean[0] = centre(node, slope, m);
  for (std::size_t t = 1; t < n; ++t) {
    const std::size_t at = t * width;
    slopes(shape, mu.data() + t * m * m, v.data() + t * m * m, slope + at - width, node + at, slope + at);
    mean[t] = centre(node + at, slope + at, m);
  }
  const std::size_t last = (n - 1) * width;
  for (std::size_t i = 0; i < m; ++i) change[i] = node[last + i] * slope[last + i];
  for (std::size_t t = n - 1; t > 0; --t) {
    const std::size_t at = t * width;
    for (std::size_t i = 0; i < m; ++i) {
      rate[i] = node[at + i] > 0 ? change[i] / node[at + i] - (slope[at + i] + mean[t]) : 0;
    }
    covariances(shape, mu.data() + t * m * m, v.data() + t * m * m, slope + at - width, rate,
                out.data() + t * m * m, change);
  }
  std::fill_n(out.data(), m * m, 0.0);
  for (std::size_t i = 0; i < m; ++i) out[i * m] = change[i];
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
