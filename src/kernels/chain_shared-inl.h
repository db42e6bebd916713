// SPDX-License-Identifier: Apache-2.0
// Chains whose steps share their transitions. With E(j, i) = exp(T(j, i) − max T) and
// e_t(i) = exp(u_t(i) − max u_t),
//     p_t = Eᵀ α_{t−1},   α_t ∝ e_t p_t,   f_t = μ_t/p_t,   μ_{t−1} = α_{t−1} E f_t,
//     counts = E ∘ Σ_t α_{t−1} f_tᵀ,
// so that a step takes two products with E and only m exponentials. Rows are padded to whole vectors with
// zeros.
#if defined(FENCHEL_KERNELS_CHAIN_SHARED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FENCHEL_KERNELS_CHAIN_SHARED_INL_H
#undef FENCHEL_KERNELS_CHAIN_SHARED_INL_H
#else
#define FENCHEL_KERNELS_CHAIN_SHARED_INL_H
#endif

#include <optional>

#include "fenchel/core/workspace.hpp"
#include "kernels/chain_scaling-inl.h"
#include "kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

/// Everything of a chain in the linear domain; matrices have `width` columns, a multiple of the lanes.
struct LinearChain {
  std::size_t n;
  std::size_t m;
  std::size_t width;
  double* weights;    // E: [m, width]
  double* alpha;      // [n, width]
  double* predicted;  // p_t: [n, width]; row 0 is not used
  double* factor;     // f_t: [n, width]; row 0 is not used
  double* mass;       // E f_{t+1}: [n, width]; the last row is not used
  double* node;       // μ_t: [n, width]
  double log_partition = 0;

  LinearChain(const SharedChain& theta, Workspace& scratch)
      : n(theta.nodes.size() / theta.m),
        m(theta.m),
        width((m + lanes<double> - 1) / lanes<double> * lanes<double>),
        weights(zeros(m * width, scratch)),
        alpha(zeros(n * width, scratch)),
        predicted(zeros(n * width, scratch)),
        factor(zeros(n * width, scratch)),
        mass(zeros(n * width, scratch)),
        node(zeros(n * width, scratch)) {}

  static double* zeros(std::size_t count, Workspace& scratch) {
    double* values = scratch.take<double>(count).data();
    std::fill_n(values, count, 0.0);
    return values;
  }
};

/// to = exp(from − shift) for one row, which may be shorter than a vector.
FENCHEL_INLINE void exp_row(const double* from, std::size_t count, double shift, double* to) {
  if (count >= lanes<double>) {
    exp_along<double>(from, count, shift, to);
  } else {
    const auto e = exp<double>(hn::Sub(load_first(from, count, shift), broadcast(shift)));
    store_first(e, to, count);
  }
}

/// Four vectors of columns at a time: enough sums to keep the multipliers busy.
inline constexpr std::size_t chunk_vectors = 4;

/// out (+)= Σ_j x_j w_j for rows w_j of a matrix: Wᵀ x.
template <std::size_t vectors>
FENCHEL_INLINE void combine_chunk(const double* w, std::size_t width, const double* x, std::size_t rows,
                                  double* out) {
  Vector<double> sum[vectors];
  for (auto& s : sum) s = hn::Zero(Tag<double>());
  for (std::size_t j = 0; j < rows; ++j) {
    const auto xj = broadcast(x[j]);
    for (std::size_t k = 0; k < vectors; ++k) {
      sum[k] = hn::MulAdd(load(w + j * width + k * lanes<double>), xj, sum[k]);
    }
  }
  for (std::size_t k = 0; k < vectors; ++k) {
    double* to = out + k * lanes<double>;
    store(hn::Add(load(to), sum[k]), to);
  }
}

FENCHEL_INLINE void combine_rows(const LinearChain& c, const double* w, const double* x, double* out) {
  constexpr std::size_t chunk = chunk_vectors * lanes<double>;
  std::size_t i = 0;
  for (; i + chunk <= c.width; i += chunk) combine_chunk<chunk_vectors>(w + i, c.width, x, c.m, out + i);
  for (; i < c.width; i += lanes<double>) combine_chunk<1>(w + i, c.width, x, c.m, out + i);
}

/// out_j += Σ_i w_ji x_i: W x.
FENCHEL_INLINE void dot_rows(const LinearChain& c, const double* w, const double* x, double* out) {
  constexpr std::size_t n = lanes<double>;
  for (std::size_t j = 0; j < c.width; j += n) {
    Vector<double> sum[n];
    for (auto& s : sum) s = hn::Zero(Tag<double>());
    for (std::size_t i = 0; i < c.width; i += n) {
      const auto xi = load(x + i);
      for (std::size_t r = 0; r < n; ++r) {
        sum[r] = hn::MulAdd(load(w + std::min(j + r, c.m - 1) * c.width + i), xi, sum[r]);
      }
    }
    store(hn::Add(load(out + j), reduce_rows<double>(sum, Add())), out + j);
  }
}

/// Fills E, α and p; false where the linear domain does not suffice.
inline bool shared_forward(const SharedChain& theta, LinearChain& c, Workspace& scratch) {
  const std::size_t m = c.m;
  const Range edges = range_of(theta.transitions.data(), m * m);
  const double edge_spread = edges.spread(theta.transitions.data(), m * m);
  const double edge_shift = std::max(edges.high, std::numeric_limits<double>::lowest());  // all masked: E = 0
  if (edge_spread > chain_spread) return false;
  for (std::size_t j = 0; j < m; ++j) {
    exp_row(theta.transitions.data() + j * m, m, edge_shift, c.weights + j * c.width);
  }
  const Workspace::Frame frame(scratch);
  double* nodes = LinearChain::zeros(c.width, scratch);
  LogProduct z;
  for (std::size_t t = 0; t < c.n; ++t) {
    const double* scores = theta.nodes.data() + t * m;
    const Range range = range_of(scores, m);
    if (!range.usable(scores, m, chain_spread - edge_spread)) return false;
    double* alpha = c.alpha + t * c.width;
    if (range.high == -infinity<double>) {
      z.multiply(0, 0);
      break;
    }
    exp_row(scores, m, range.high, t == 0 ? alpha : nodes);
    if (t > 0) {
      double* p = c.predicted + t * c.width;
      combine_rows(c, c.weights, alpha - c.width, p);
      for (std::size_t i = 0; i < c.width; i += lanes<double>) {
        store(hn::Mul(load(p + i), load(nodes + i)), alpha + i);
      }
    }
    double scale = 0;
    if (!normalize(alpha, c.width, scale, t == 0 ? range.high : range.high + edge_shift, z)) return false;
    if (z.zero()) break;
  }
  c.log_partition = z.log();
  return true;
}

/// Fills f and μ.
inline void shared_backward(LinearChain& c) {
  std::copy_n(c.alpha + (c.n - 1) * c.width, c.width, c.node + (c.n - 1) * c.width);
  for (std::size_t t = c.n - 1; t > 0; --t) {
    const double* p = c.predicted + t * c.width;
    double* f = c.factor + t * c.width;
    for (std::size_t i = 0; i < c.m; ++i) f[i] = p[i] > 0 ? c.node[t * c.width + i] / p[i] : 0;
    const std::size_t before = (t - 1) * c.width;
    dot_rows(c, c.weights, f, c.mass + before);
    for (std::size_t j = 0; j < c.width; ++j) c.node[before + j] = c.alpha[before + j] * c.mass[before + j];
  }
}

inline std::optional<double> shared_marginals(const SharedChain& theta, SharedChainGradient mu,
                                              Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  LinearChain c(theta, scratch);
  if (!shared_forward(theta, c, scratch)) return std::nullopt;
  if (mu.nodes.empty() || c.log_partition == -infinity<double>) return c.log_partition;
  shared_backward(c);
  double* counts = LinearChain::zeros(c.m * c.width, scratch);
  add_outer<2>(c, c.alpha, c.factor, counts);
  for (std::size_t t = 0; t < c.n; ++t) std::copy_n(c.node + t * c.width, c.m, mu.nodes.data() + t * c.m);
  for (std::size_t j = 0; j < c.m; ++j) {
    for (std::size_t i = 0; i < c.m; ++i) {
      mu.transitions[j * c.m + i] = counts[j * c.width + i] * c.weights[j * c.width + i];
    }
  }
  return c.log_partition;
}

/// The derivative along v of a chain in the linear domain, with everything it needs on the way. With D_t the
/// derivative of the log-partition of the paths that end in a state, and W = E ∘ v_T,
///     D_t = v_t + (Wᵀ α + Eᵀ (α D))/p_t,   g_t = change_t/p_t − f_t (D_t − v_t)
///     change_{t−1} = α (E g_t + W f_t + D_{t−1} E f_t)
struct ChainDerivative {
  double* weights;  // W: [m, width]
  double* slope;    // D: [n, width]
  double* moment;   // α D: [n, width]
  double* own;      // D_t − v_t: [n, width]
  double* rate;     // g: [n, width]
  double* change;   // of μ: [n, width]

  ChainDerivative(const LinearChain& c, const SharedChain& v, Workspace& scratch)
      : weights(LinearChain::zeros(c.m * c.width, scratch)),
        slope(LinearChain::zeros(c.n * c.width, scratch)),
        moment(LinearChain::zeros(c.n * c.width, scratch)),
        own(LinearChain::zeros(c.n * c.width, scratch)),
        rate(LinearChain::zeros(c.n * c.width, scratch)),
        change(LinearChain::zeros(c.n * c.width, scratch)) {
    for (std::size_t j = 0; j < c.m; ++j) {
      for (std::size_t i = 0; i < c.m; ++i) {
        weights[j * c.width + i] = c.weights[j * c.width + i] * v.transitions[j * c.m + i];
      }
    }
  }

  void forward(const LinearChain& c, const SharedChain& v) {
    for (std::size_t t = 0; t < c.n; ++t) {
      const std::size_t at = t * c.width;
      if (t > 0) {
        combine_rows(c, weights, c.alpha + at - c.width, own + at);
        combine_rows(c, c.weights, moment + at - c.width, own + at);
      }
      for (std::size_t i = 0; i < c.m; ++i) {
        if (t > 0) own[at + i] = c.predicted[at + i] > 0 ? own[at + i] / c.predicted[at + i] : 0;
        slope[at + i] = own[at + i] + v.nodes[t * c.m + i];
      }
      centre(c.node + at, slope + at, c.m);
      for (std::size_t i = 0; i < c.m; ++i) moment[at + i] = c.alpha[at + i] * slope[at + i];
    }
  }

  void backward(const LinearChain& c) {
    const std::size_t last = (c.n - 1) * c.width;
    for (std::size_t i = 0; i < c.m; ++i) change[last + i] = c.node[last + i] * slope[last + i];
    for (std::size_t t = c.n - 1; t > 0; --t) {
      const std::size_t at = t * c.width;
      const std::size_t before = at - c.width;
      for (std::size_t i = 0; i < c.m; ++i) {
        const double p = c.predicted[at + i];
        rate[at + i] = p > 0 ? change[at + i] / p - c.factor[at + i] * own[at + i] : 0;
      }
      dot_rows(c, c.weights, rate + at, change + before);
      dot_rows(c, weights, c.factor + at, change + before);
      for (std::size_t j = 0; j < c.m; ++j) {
        change[before + j] =
            c.alpha[before + j] * (change[before + j] + slope[before + j] * c.mass[before + j]);
      }
    }
  }
};

inline bool shared_covariance(const SharedChain& theta, const SharedChain& v, SharedChainGradient out,
                              Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  LinearChain c(theta, scratch);
  if (!shared_forward(theta, c, scratch)) return false;
  shared_backward(c);
  ChainDerivative d(c, v, scratch);
  d.forward(c, v);
  d.backward(c);
  const std::size_t size = c.m * c.width;
  double* rates = LinearChain::zeros(size, scratch);
  double* moments = LinearChain::zeros(size, scratch);
  double* counts = LinearChain::zeros(size, scratch);
  add_outer<2>(c, c.alpha, d.rate, rates);
  add_outer<2>(c, d.moment, c.factor, moments);
  add_outer<2>(c, c.alpha, c.factor, counts);
  for (std::size_t t = 0; t < c.n; ++t) std::copy_n(d.change + t * c.width, c.m, out.nodes.data() + t * c.m);
  for (std::size_t j = 0; j < c.m; ++j) {
    for (std::size_t i = 0; i < c.m; ++i) {
      const std::size_t k = j * c.width + i;
      out.transitions[j * c.m + i] = c.weights[k] * (rates[k] + moments[k]) + d.weights[k] * counts[k];
    }
  }
  return true;
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
