// SPDX-License-Identifier: Apache-2.0
// Two passes over a row: the sums Σs and ⟨s, v⟩, then the product. For α = 1, 1.5 and 2 the weights s are p,
// √p and 1; for other α they are powers, taken in double.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/entmax_jvp.cpp"
#include "kernels/simd_targets.hpp"
// The rest is compiled for each instruction set.
#include <algorithm>
#include <cmath>

#include "fenchel/core/workspace.hpp"
#include "kernels/entmax_jvp.hpp"
#include "kernels/powers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

constexpr std::size_t exact_vectors = 8;  // vectors summed in T before they go into double

struct Identity {
  template <class V>
  FENCHEL_INLINE V operator()(V p) const {
    return p;
  }
};
struct SquareRoot {
  template <class V>
  FENCHEL_INLINE V operator()(V p) const {
    return hn::Sqrt(p);
  }
};
struct Support {
  template <class V>
  FENCHEL_INLINE V operator()(V p) const {
    const hn::DFromV<V> d;
    return hn::IfThenElseZero(hn::Gt(p, hn::Zero(d)), hn::Set(d, 1));
  }
};

struct AnyPower {
  double exponent;
  FENCHEL_INLINE Vector<double> operator()(Vector<double> p) const {
    return power<double>(p, broadcast(exponent));
  }
};

template <class T>
FENCHEL_INLINE double lane_sum(Vector<T> v) {
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(Tag<T>(), v)));
}

template <class T, class Weight>
void product_of_row(std::span<const T> p, std::span<const T> v, std::span<T> out, Weight weight) {
  const std::size_t cols = p.size();
  const std::size_t whole = cols / lanes<T> * lanes<T>;
  double total = 0, along = 0;
  for (std::size_t start = 0; start < whole; start += exact_vectors * lanes<T>) {
    const std::size_t stop = std::min(whole, start + exact_vectors * lanes<T>);
    Vector<T> weights = broadcast<T>(0), products = broadcast<T>(0);
    for (std::size_t j = start; j < stop; j += lanes<T>) {
      const Vector<T> s = weight(load(p.data() + j));
      weights = hn::Add(weights, s);
      products = hn::MulAdd(s, load(v.data() + j), products);
    }
    total += lane_sum<T>(weights);
    along += lane_sum<T>(products);
  }
  const std::size_t rest = cols - whole;
  Vector<T> last_weights = broadcast<T>(0), last_v = broadcast<T>(0);
  if (rest > 0) {
    last_weights = weight(load_first(p.data() + whole, rest, T{0}));
    last_v = load_first(v.data() + whole, rest, T{0});
    total += lane_sum<T>(last_weights);
    along += lane_sum<T>(hn::Mul(last_weights, last_v));
  }
  const Vector<T> mean = broadcast(static_cast<T>(total > 0 ? along / total : 0));
  for (std::size_t j = 0; j < whole; j += lanes<T>) {
    store(hn::Mul(weight(load(p.data() + j)), hn::Sub(load(v.data() + j), mean)), out.data() + j);
  }
  if (rest > 0) store_first(hn::Mul(last_weights, hn::Sub(last_v, mean)), out.data() + whole, rest);
}

// In double for either T: with α > 2 the weights of small p are large, and one of them may be larger than all
// others together. J v does not change where a number is added to v, so that v may be 0 there; and Σ J v = 0
// gives the product there. Otherwise the difference of two nearly equal numbers would be multiplied by it.
template <class T>
void product_by_powers(std::span<const T> p, std::span<const T> v, double exponent, std::span<T> out) {
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const auto wide_p = scratch.take<double>(p.size()), wide_v = scratch.take<double>(p.size());
  std::copy(p.begin(), p.end(), wide_p.begin());
  std::size_t heaviest = p.size();
  for (std::size_t j = 0; j < p.size() && exponent < 0; ++j) {
    if (wide_p[j] > 0 && (heaviest == p.size() || wide_p[j] < wide_p[heaviest])) heaviest = j;
  }
  const double origin = heaviest < p.size() ? static_cast<double>(v[heaviest]) : 0;
  for (std::size_t j = 0; j < p.size(); ++j) {
    wide_v[j] = wide_p[j] > 0 ? static_cast<double>(v[j]) - origin : 0;
  }
  product_of_row<double>(wide_p, wide_v, wide_v, AnyPower{exponent});
  double others = 0;
  for (std::size_t j = 0; j < out.size(); ++j) {
    if (j != heaviest) others += wide_v[j];
    out[j] = static_cast<T>(wide_v[j]);
  }
  if (heaviest < p.size()) out[heaviest] = static_cast<T>(-others);
}

template <class T>
void entmax_jvp_any(MatrixView<const T> p, MatrixView<const T> v, double alpha, MatrixView<T> out) {
  for (std::size_t i = 0; i < p.rows(); ++i) {
    if (alpha == 1) {
      product_of_row(p.row(i), v.row(i), out.row(i), Identity());
    } else if (alpha == 1.5) {
      product_of_row(p.row(i), v.row(i), out.row(i), SquareRoot());
    } else if (alpha == 2) {
      product_of_row(p.row(i), v.row(i), out.row(i), Support());
    } else if (std::isinf(alpha)) {
      for (T& entry : out.row(i)) entry = 0;
    } else {
      product_by_powers(p.row(i), v.row(i), 2 - alpha, out.row(i));
    }
  }
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fenchel::kernels {

void entmax_jvp(MatrixView<const float> prediction, MatrixView<const float> v, double alpha,
                MatrixView<float> out) {
  FENCHEL_DISPATCH(entmax_jvp_any<float>)(prediction, v, alpha, out);
}
void entmax_jvp(MatrixView<const double> prediction, MatrixView<const double> v, double alpha,
                MatrixView<double> out) {
  FENCHEL_DISPATCH(entmax_jvp_any<double>)(prediction, v, alpha, out);
}

}  // namespace fenchel::kernels
#endif
