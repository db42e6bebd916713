// SPDX-License-Identifier: Apache-2.0
// Both products keep a tile of sums in registers: outputs × rows for the scores, outputs × vectors of
// features for the gradient. A tile has 8 to 12 vectors, which hides the latency of multiply-adds and leaves
// room for the operands among 16 registers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense_linear.cpp"
#include "kernels/simd_targets.hpp"
// The rest is compiled for each instruction set.
#include "kernels/dense_linear.hpp"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

// How many rows, or vectors of features, a tile of that many outputs has.
constexpr std::size_t tile_other(std::size_t outputs) {
  constexpr std::size_t sizes[] = {0, 8, 6, 4, 3, 2};
  return sizes[outputs];
}
constexpr std::size_t most_outputs = 5;

// The outputs of the next tile when `left` remain: all tiles of about the same size.
inline std::size_t tile_outputs(std::size_t left) {
  const std::size_t tiles = (left + most_outputs - 1) / most_outputs;
  return (left + tiles - 1) / tiles;
}

// tile[r][c] += x_r w_c for one vector of features; `load_x` and `load_w` fetch the operands.
template <std::size_t Rows, std::size_t Outputs, class V, class LoadX, class LoadW>
FENCHEL_INLINE void multiply_into(V (&tile)[Rows][Outputs], LoadX load_x, LoadW load_w) {
  if constexpr (Rows < Outputs) {  // the shorter side stays in registers
    V held[Rows];
    for (std::size_t r = 0; r < Rows; ++r) held[r] = load_x(r);
    for (std::size_t c = 0; c < Outputs; ++c) {
      const V w = load_w(c);
      for (std::size_t r = 0; r < Rows; ++r) tile[r][c] = hn::MulAdd(held[r], w, tile[r][c]);
    }
  } else {
    V held[Outputs];
    for (std::size_t c = 0; c < Outputs; ++c) held[c] = load_w(c);
    for (std::size_t r = 0; r < Rows; ++r) {
      const V x = load_x(r);
      for (std::size_t c = 0; c < Outputs; ++c) tile[r][c] = hn::MulAdd(x, held[c], tile[r][c]);
    }
  }
}

template <std::size_t Rows, std::size_t Outputs, class T>
FENCHEL_INLINE void score_tile(const T* x, std::size_t x_stride, const T* w, std::size_t w_stride,
                               std::size_t cols, const T* b, T* theta, std::size_t theta_stride) {
  using V = Vector<T>;
  V tile[Rows][Outputs];
  for (std::size_t r = 0; r < Rows; ++r) {
    for (std::size_t c = 0; c < Outputs; ++c) tile[r][c] = broadcast(T{0});
  }
  std::size_t j = 0;
  for (; j + lanes<T> <= cols; j += lanes<T>) {
    multiply_into<Rows, Outputs, V>(
        tile, [&](std::size_t r) HWY_ATTR { return load(x + r * x_stride + j); },
        [&](std::size_t c) HWY_ATTR { return load(w + c * w_stride + j); });
  }
  if (j < cols) {
    multiply_into<Rows, Outputs, V>(
        tile, [&](std::size_t r) HWY_ATTR { return load_first(x + r * x_stride + j, cols - j, T{0}); },
        [&](std::size_t c) HWY_ATTR { return load_first(w + c * w_stride + j, cols - j, T{0}); });
  }
  for (std::size_t r = 0; r < Rows; ++r) {
    for (std::size_t c = 0; c < Outputs; ++c) {
      theta[r * theta_stride + c] = b[c] + hn::GetLane(hn::SumOfLanes(Tag<T>(), tile[r][c]));
    }
  }
}

template <std::size_t Outputs, class T>
void score_columns(MatrixView<const T> x, MatrixView<const T> w, std::size_t first, std::span<const T> b,
                   MatrixView<T> theta) {
  constexpr std::size_t rows = tile_other(Outputs);
  const T* weights = w.data() + first * w.stride();
  const T* offsets = b.data() + first;
  T* out = theta.data() + first;
  std::size_t i = 0;
  for (; i + rows <= x.rows(); i += rows) {
    score_tile<rows, Outputs>(x.data() + i * x.stride(), x.stride(), weights, w.stride(), x.cols(), offsets,
                              out + i * theta.stride(), theta.stride());
  }
  for (; i < x.rows(); ++i) {
    score_tile<1, Outputs>(x.data() + i * x.stride(), x.stride(), weights, w.stride(), x.cols(), offsets,
                           out + i * theta.stride(), theta.stride());
  }
}

template <class T>
void linear_scores_any(MatrixView<const T> x, MatrixView<const T> w, std::span<const T> b,
                       MatrixView<T> theta) {
  for (std::size_t first = 0; first < w.rows();) {
    const std::size_t outputs = tile_outputs(w.rows() - first);
    with_constant<most_outputs>(outputs,
                                [&](auto count) HWY_ATTR { score_columns<count>(x, w, first, b, theta); });
    first += outputs;
  }
}

// What score_tile computes for a dense row, whose feature j goes into lane j mod lanes of a sum: a row of
// `sums` holds one lane of all outputs. Entries that are 0 change nothing there, so leaving them out changes
// no bit.
inline void sparse_scores(std::span<const std::int32_t> indices, std::span<const double> values,
                          MatrixView<const double> w, std::span<const double> b, std::span<double> theta,
                          std::span<double> sums) {
  const hn::CappedTag<double, 1> one;
  const std::size_t outputs = theta.size();
  std::fill_n(sums.data(), lanes<double> * outputs, 0.0);
  for (std::size_t e = 0; e < indices.size(); ++e) {
    const auto j = static_cast<std::size_t>(indices[e]);
    const double* row = w.data() + j * w.stride();
    double* sum = sums.data() + j % lanes<double> * outputs;
    const auto x = broadcast(values[e]);
    std::size_t k = 0;
    for (; k + lanes<double> <= outputs; k += lanes<double>) {
      store<double>(hn::MulAdd(x, load(row + k), load(sum + k)), sum + k);
    }
    for (; k < outputs; ++k) {
      hn::StoreU(hn::MulAdd(hn::Set(one, values[e]), hn::LoadU(one, row + k), hn::LoadU(one, sum + k)), one,
                 sum + k);
    }
  }
  for (std::size_t k = 0; k < outputs; ++k) {
    HWY_ALIGN double lane[lanes<double>];
    for (std::size_t l = 0; l < lanes<double>; ++l) lane[l] = sums[l * outputs + k];
    theta[k] = b[k] + hn::GetLane(hn::SumOfLanes(Tag<double>(), load(lane)));
  }
}

// sum_c[j, j + Vectors·lanes) += Σ_i r_ic x_i; `ahead` is where rows to prefetch begin, after `later` of X's.
template <std::size_t Outputs, std::size_t Vectors, bool Partial, class T>
FENCHEL_INLINE void gradient_tile(MatrixView<const T> x, std::size_t j, const T* r, std::size_t r_stride,
                                  std::size_t next, T* sum, std::size_t sum_stride) {
  using V = Vector<T>;
  constexpr std::size_t line = 64 / sizeof(T);
  const std::size_t count = Partial ? x.cols() - j : 0;
  V tile[Vectors][Outputs];
  for (std::size_t v = 0; v < Vectors; ++v) {
    for (std::size_t c = 0; c < Outputs; ++c) {
      const T* from = sum + c * sum_stride + j + v * lanes<T>;
      tile[v][c] = Partial ? load_first(from, count, T{0}) : load(from);
    }
  }
  const T* row = x.data() + j;
  const T* ahead = row + x.rows() * x.stride();
  for (std::size_t i = 0; i < x.rows(); ++i, row += x.stride(), ahead += x.stride(), r += r_stride) {
    if (i < next) {
      for (std::size_t v = 0; v < Vectors * lanes<T>; v += line) hwy::Prefetch(ahead + v);
    }
    multiply_into<Vectors, Outputs, V>(
        tile,
        [&](std::size_t v) HWY_ATTR {
          const T* from = row + v * lanes<T>;
          return Partial ? load_first(from, count, T{0}) : load(from);
        },
        [&](std::size_t c) HWY_ATTR { return broadcast(r[c]); });
  }
  for (std::size_t v = 0; v < Vectors; ++v) {
    for (std::size_t c = 0; c < Outputs; ++c) {
      T* to = sum + c * sum_stride + j + v * lanes<T>;
      if constexpr (Partial) {
        store_first(tile[v][c], to, count);
      } else {
        store(tile[v][c], to);
      }
    }
  }
}

template <std::size_t Outputs, class T>
void gradient_columns(MatrixView<const T> x, MatrixView<const T> r, std::size_t first, std::size_t next,
                      MatrixView<T> sum) {
  constexpr std::size_t vectors = tile_other(Outputs);
  const T* residuals = r.data() + first;
  T* out = sum.data() + first * sum.stride();
  std::size_t j = 0;
  for (; j + vectors * lanes<T> <= x.cols(); j += vectors * lanes<T>) {
    gradient_tile<Outputs, vectors, false>(x, j, residuals, r.stride(), next, out, sum.stride());
  }
  for (; j + lanes<T> <= x.cols(); j += lanes<T>) {
    gradient_tile<Outputs, 1, false>(x, j, residuals, r.stride(), next, out, sum.stride());
  }
  if (j < x.cols()) gradient_tile<Outputs, 1, true>(x, j, residuals, r.stride(), next, out, sum.stride());
}

template <class T>
void add_linear_gradient_any(MatrixView<const T> x, MatrixView<const T> r, std::size_t next,
                             MatrixView<T> sum) {
  for (std::size_t first = 0; first < sum.rows();) {
    const std::size_t outputs = tile_outputs(sum.rows() - first);
    const std::size_t prefetched = first == 0 ? next : 0;
    with_constant<most_outputs>(
        outputs, [&](auto count) HWY_ATTR { gradient_columns<count>(x, r, first, prefetched, sum); });
    first += outputs;
  }
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fenchel::kernels {

void linear_scores(MatrixView<const float> x, MatrixView<const float> transposed, std::span<const float> b,
                   MatrixView<float> theta) {
  FENCHEL_DISPATCH(linear_scores_any<float>)(x, transposed, b, theta);
}
void linear_scores(MatrixView<const double> x, MatrixView<const double> transposed, std::span<const double> b,
                   MatrixView<double> theta) {
  FENCHEL_DISPATCH(linear_scores_any<double>)(x, transposed, b, theta);
}
void linear_scores(std::span<const std::int32_t> indices, std::span<const double> values,
                   MatrixView<const double> w, std::span<const double> b, std::span<double> theta,
                   std::span<double> scratch) {
  FENCHEL_DISPATCH(sparse_scores)(indices, values, w, b, theta, scratch);
}
std::size_t score_scratch(std::size_t outputs) {
  constexpr std::size_t most_lanes = 32 / sizeof(double);  // vectors have at most 256 bits
  return most_lanes * outputs;
}
void add_linear_gradient(MatrixView<const float> x, MatrixView<const float> r, std::size_t next,
                         MatrixView<float> sum) {
  FENCHEL_DISPATCH(add_linear_gradient_any<float>)(x, r, next, sum);
}
void add_linear_gradient(MatrixView<const double> x, MatrixView<const double> r, std::size_t next,
                         MatrixView<double> sum) {
  FENCHEL_DISPATCH(add_linear_gradient_any<double>)(x, r, next, sum);
}

}  // namespace fenchel::kernels
#endif
