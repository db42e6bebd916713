// SPDX-License-Identifier: Apache-2.0
// Taggers: sums of sparse features in registers, and chains in the linear domain whose transitions have
// been exponentiated beforehand. With e_t = exp(θ_t − max θ_t), α_t = e_t (Eᵀ α_{t−1})/s_t:
//     f_t = e_t β_t/s_t,   β_{t−1} = E f_t,   μ_t = α_t β_t,   counts = Σ_t α_{t−1} f_tᵀ
// No product leaves the range: α_t ≥ `chain_smallest` and Σ α_t β_t = 1 bound β_t.
#if defined(FENCHEL_KERNELS_CHAIN_TAGGING_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FENCHEL_KERNELS_CHAIN_TAGGING_INL_H
#undef FENCHEL_KERNELS_CHAIN_TAGGING_INL_H
#else
#define FENCHEL_KERNELS_CHAIN_TAGGING_INL_H
#endif

#include <optional>
#include <span>

#include "fenchel/core/workspace.hpp"
#include "kernels/chain_scaling-inl.h"
#include "kernels/chain_tagging.hpp"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

/// Vectors of a row that are in registers at a time.
inline constexpr std::size_t most_vectors = 6;

/// Calls body.template run<vectors>(first column) for pieces of a row of `width` entries.
template <class Body>
FENCHEL_INLINE void for_each_piece(std::size_t width, const Body& body) {
  constexpr std::size_t n = lanes<double>;
  std::size_t at = 0;
  for (; at + most_vectors * n <= width; at += most_vectors * n) body.template run<most_vectors>(at);
  with_constant<most_vectors - 1>((width - at) / n, [&](auto rest) HWY_ATTR { body.template run<rest>(at); });
}

/// θ_t from the rows of token t.
struct RowScores {
  const TokenFeatures& features;
  std::size_t token;
  const double* weights;
  double* theta;

  template <std::size_t vectors>
  FENCHEL_INLINE void run(std::size_t at) const {
    constexpr std::size_t n = lanes<double>;
    Vector<double> sum[vectors];
    for (auto& s : sum) s = hn::Zero(Tag<double>());
    const auto first = static_cast<std::size_t>(features.row_offsets[token]);
    const auto last = static_cast<std::size_t>(features.row_offsets[token + 1]);
    const bool scaled = !features.row_values.empty();
    for (std::size_t k = first; k < last; ++k) {
      const double* row = weights + features.rows[k] * features.width + at;
      if (scaled) {
        const auto x = broadcast(static_cast<double>(features.row_values[k]));
        for (std::size_t v = 0; v < vectors; ++v) sum[v] = hn::MulAdd(load(row + v * n), x, sum[v]);
      } else {
        for (std::size_t v = 0; v < vectors; ++v) sum[v] = hn::Add(sum[v], load(row + v * n));
      }
    }
    for (std::size_t v = 0; v < vectors; ++v) store(sum[v], theta + at + v * n);
  }
};

/// The gradient of the rows of token t.
struct RowGradients {
  const TokenFeatures& features;
  std::size_t token;
  const double* r;
  double* gradient;

  template <std::size_t vectors>
  FENCHEL_INLINE void run(std::size_t at) const {
    constexpr std::size_t n = lanes<double>;
    Vector<double> rate[vectors];
    for (std::size_t v = 0; v < vectors; ++v) rate[v] = load(r + at + v * n);
    const auto first = static_cast<std::size_t>(features.row_offsets[token]);
    const auto last = static_cast<std::size_t>(features.row_offsets[token + 1]);
    const bool scaled = !features.row_values.empty();
    for (std::size_t k = first; k < last; ++k) {
      double* row = gradient + features.rows[k] * features.width + at;
      if (scaled) {
        const auto x = broadcast(static_cast<double>(features.row_values[k]));
        for (std::size_t v = 0; v < vectors; ++v) {
          store(hn::MulAdd(rate[v], x, load(row + v * n)), row + v * n);
        }
      } else {
        for (std::size_t v = 0; v < vectors; ++v) store(hn::Add(load(row + v * n), rate[v]), row + v * n);
      }
    }
  }
};

inline void token_scores_rows(const TokenFeatures& features, TokenRange tokens, const double* row_weights,
                              const double* single_weights, double* theta) {
  const bool scaled = !features.single_values.empty();
  for (std::size_t t = 0; t < tokens.count; ++t, theta += features.width) {
    const std::size_t token = tokens.first + t;
    for_each_piece(features.width, RowScores{features, token, row_weights, theta});
    const auto last = static_cast<std::size_t>(features.single_offsets[token + 1]);
    for (auto k = static_cast<std::size_t>(features.single_offsets[token]); k < last; ++k) {
      const SingleFeature single = features.singles[k];
      const double w = single_weights[single.feature];
      theta[single.label] += scaled ? w * static_cast<double>(features.single_values[k]) : w;
    }
  }
}

inline void add_token_gradients_rows(const TokenFeatures& features, TokenRange tokens, const double* r,
                                     double* row_gradient, double* single_gradient) {
  const bool scaled = !features.single_values.empty();
  for (std::size_t t = 0; t < tokens.count; ++t, r += features.width) {
    const std::size_t token = tokens.first + t;
    for_each_piece(features.width, RowGradients{features, token, r, row_gradient});
    const auto last = static_cast<std::size_t>(features.single_offsets[token + 1]);
    for (auto k = static_cast<std::size_t>(features.single_offsets[token]); k < last; ++k) {
      const SingleFeature single = features.singles[k];
      const double rate = r[single.label];
      single_gradient[single.feature] +=
          scaled ? rate * static_cast<double>(features.single_values[k]) : rate;
    }
  }
}

/// out = Σ_j x_j w_j for rows w_j of `width` entries: two sums per vector, so that short rows keep the
/// multipliers busy too.
struct Combine {
  const double* w;
  std::size_t width;
  const double* x;
  std::size_t rows;
  double* out;

  template <std::size_t vectors>
  FENCHEL_INLINE void run(std::size_t at) const {
    constexpr std::size_t n = lanes<double>;
    Vector<double> even[vectors];
    Vector<double> odd[vectors];
    for (std::size_t v = 0; v < vectors; ++v) even[v] = odd[v] = hn::Zero(Tag<double>());
    const double* row = w + at;
    std::size_t j = 0;
    for (; j + 2 <= rows; j += 2, row += 2 * width) {
      const auto x0 = broadcast(x[j]);
      const auto x1 = broadcast(x[j + 1]);
      for (std::size_t v = 0; v < vectors; ++v) even[v] = hn::MulAdd(load(row + v * n), x0, even[v]);
      for (std::size_t v = 0; v < vectors; ++v) odd[v] = hn::MulAdd(load(row + width + v * n), x1, odd[v]);
    }
    if (j < rows) {
      const auto x0 = broadcast(x[j]);
      for (std::size_t v = 0; v < vectors; ++v) even[v] = hn::MulAdd(load(row + v * n), x0, even[v]);
    }
    for (std::size_t v = 0; v < vectors; ++v) store(hn::Add(even[v], odd[v]), out + at + v * n);
  }
};

/// out = max_j (x_j + w_j) + add.
struct CombineBest {
  const double* w;
  std::size_t width;
  const double* x;
  std::size_t rows;
  const double* add;
  double* out;

  template <std::size_t vectors>
  FENCHEL_INLINE void run(std::size_t at) const {
    constexpr std::size_t n = lanes<double>;
    Vector<double> best[vectors];
    for (auto& b : best) b = broadcast(-infinity<double>);
    for (std::size_t j = 0; j < rows; ++j) {
      const auto xj = broadcast(x[j]);
      const double* row = w + j * width + at;
      for (std::size_t v = 0; v < vectors; ++v) best[v] = hn::Max(best[v], hn::Add(load(row + v * n), xj));
    }
    for (std::size_t v = 0; v < vectors; ++v) {
      store(hn::Add(best[v], load(add + at + v * n)), out + at + v * n);
    }
  }
};

/// The shape of a chain's rows.
struct TaggingRows {
  std::size_t n;
  std::size_t m;
  std::size_t width;

  FENCHEL_INLINE auto used(std::size_t at) const {
    return hn::FirstN(Tag<double>(), std::min(lanes<double>, m - std::min(m, at)));
  }
};

/// θ_t becomes e_t with zeros in the padding, its largest goes to `top`; false where it spreads too much.
FENCHEL_INLINE bool exponentiate(const TaggingRows& rows, double spread, double* theta, double& top) {
  constexpr std::size_t n = lanes<double>;
  auto high = broadcast(-infinity<double>);
  auto low = broadcast(infinity<double>);
  const std::size_t whole = rows.m / n * n;
  for (std::size_t i = 0; i < whole; i += n) {
    high = hn::Max(high, load(theta + i));
    low = hn::Min(low, load(theta + i));
  }
  if (whole < rows.width) {
    const auto used = rows.used(whole);
    high = hn::Max(high, hn::IfThenElse(used, load(theta + whole), high));
    low = hn::Min(low, hn::IfThenElse(used, load(theta + whole), low));
  }
  top = max_of_lanes<double>(high);
  const double least = -max_of_lanes<double>(hn::Sub(hn::Zero(Tag<double>()), low));
  if (!(top - least <= spread)) return false;
  const auto shift = broadcast(top);
  for (std::size_t i = 0; i < rows.width; i += n) {
    const auto e = exp<double>(hn::Sub(load(theta + i), shift));
    store(i < whole ? e : hn::IfThenElseZero(rows.used(i), e), theta + i);
  }
  return true;
}

/// What the passes over one chain share.
struct TaggingPass {
  const TaggingEdges& edges;
  TaggingRows rows;
  double* theta;   // scores, then e_t, then μ_t
  double* alpha;   // [n, width]
  double* factor;  // f_t: [n, width]; row 0 is not used
  double* scale;   // s_t: [n]

  bool forward(LogProduct& z) const {
    const std::size_t width = rows.width;
    for (std::size_t t = 0; t < rows.n; ++t) {
      double* e = theta + t * width;
      double* a = alpha + t * width;
      double top = 0;
      if (!exponentiate(rows, chain_spread - edges.spread, e, top)) return false;
      if (t == 0) {
        std::copy_n(e, width, a);
      } else {
        for_each_piece(width, Combine{edges.forward.data(), width, a - width, rows.m, a});
        for (std::size_t i = 0; i < width; i += lanes<double>)
          store(hn::Mul(load(a + i), load(e + i)), a + i);
        top += edges.shift;
      }
      if (!normalize(a, width, scale[t], top, z) || z.zero()) return false;
    }
    return true;
  }

  void backward(double* beta) const {
    const std::size_t width = rows.width;
    std::fill_n(beta, width, 1.0);
    for (std::size_t t = rows.n - 1; t > 0; --t) {
      const std::size_t at = t * width;
      const auto inverse = broadcast(1 / scale[t]);
      for (std::size_t i = 0; i < width; i += lanes<double>) {
        const auto b = load(beta + i);
        store(hn::Mul(hn::Mul(load(theta + at + i), inverse), b), factor + at + i);
        store(hn::Mul(load(alpha + at + i), b), theta + at + i);
      }
      for_each_piece(width, Combine{edges.backward.data(), width, factor + at, rows.m, beta});
    }
    for (std::size_t i = 0; i < width; i += lanes<double>) {
      store(hn::Mul(load(alpha + i), load(beta + i)), theta + i);
    }
  }
};

inline std::optional<double> marginals_of_tags(const TaggingEdges& edges, std::span<double> theta,
                                               std::span<double> counts, Workspace& scratch) {
  const TaggingRows rows{theta.size() / edges.width, edges.m, edges.width};
  if (edges.spread > chain_spread) return std::nullopt;
  const Workspace::Frame frame(scratch);
  const TaggingPass pass{edges,
                         rows,
                         theta.data(),
                         scratch.take<double>(theta.size()).data(),
                         scratch.take<double>(theta.size()).data(),
                         scratch.take<double>(rows.n).data()};
  LogProduct z;
  if (!pass.forward(z)) return std::nullopt;
  pass.backward(scratch.take<double>(rows.width).data());
  add_outer<3>(rows, pass.alpha, pass.factor, counts.data());
  return z.log();
}

inline double best_tags(const TaggingEdges& edges, std::span<const double> theta,
                        std::span<std::int32_t> tags, Workspace& scratch) {
  const std::size_t n = tags.size();
  const std::size_t width = edges.width;
  const Workspace::Frame frame(scratch);
  double* best = scratch.take<double>(n * width).data();
  std::copy_n(theta.data(), width, best);
  for (std::size_t t = 1; t < n; ++t) {
    double* to = best + t * width;
    for_each_piece(
        width, CombineBest{edges.scores.data(), width, to - width, edges.m, theta.data() + t * width, to});
  }
  const double* last = best + (n - 1) * width;
  std::size_t state = static_cast<std::size_t>(std::max_element(last, last + edges.m) - last);
  const double score = last[state];
  tags[n - 1] = static_cast<std::int32_t>(state);
  for (std::size_t t = n - 1; t > 0; --t) {
    // Searching again along the one path is cheaper than recording where every maximum came from.
    const double* before = best + (t - 1) * width;
    std::size_t from = 0;
    double top = -infinity<double>;
    for (std::size_t j = 0; j < edges.m; ++j) {
      const double value = before[j] + edges.scores[j * width + state];
      if (value > top) {
        top = value;
        from = j;
      }
    }
    state = from;
    tags[t - 1] = static_cast<std::int32_t>(state);
  }
  return score;
}

inline void edges_of_tags(std::span<const double> transitions, TaggingEdges& edges) {
  const std::size_t m = edges.m;
  const std::size_t width = edges.width;
  const Range range = range_of(transitions.data(), m * m);
  edges.spread = range.spread(transitions.data(), m * m);
  edges.shift = range.high;
  std::fill(edges.forward.begin(), edges.forward.end(), 0.0);
  std::fill(edges.backward.begin(), edges.backward.end(), 0.0);
  std::fill(edges.scores.begin(), edges.scores.end(), 0.0);
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t i = 0; i < m; ++i) {
      const double score = transitions[j * m + i];
      edges.scores[j * width + i] = score;
      edges.forward[j * width + i] = edges.backward[i * width + j] = std::exp(score - edges.shift);
    }
  }
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
