// SPDX-License-Identifier: Apache-2.0
// From any loss ℓ(θ; e_k) to a Fenchel-Young loss (paper, appendix A.2): the entropy it generates,
// H_ℓ(p) = inf_θ Σ_i p_i ℓ(θ; e_i), by numerical minimisation, and with Ω = −H_ℓ a loss that is convex
// whatever ℓ is, with a probabilistic prediction. Made for a handful of classes: each evaluation solves a
// small game.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "fenchel/regularizers/any.hpp"

namespace fenchel {

/// A loss over scores and labels: returns ℓ(θ; e_k) and, unless `gradient` is empty, fills a (sub)gradient in
/// θ.
using LabelLoss =
    std::function<double(std::span<const double> theta, std::size_t k, std::span<double> gradient)>;

/// Ω = −H_ℓ over the simplex. Models `Regularizer`, so that FenchelYoungLoss{FenchelYoungized{ℓ}} is
/// L_{−H_ℓ}.
struct FenchelYoungized {
  LabelLoss loss;
  bool sum_to_zero = false;  ///< restrict θ to Σ θ = 0, as the lemma of appendix B.9 does
  double tolerance = 1e-9;   ///< on the gap of predictions, relative to max(1, |Ω*(θ)|)
  /// ℓ(·; e_k) is convex for each k. Then a search that converges has found the global minimum, and need not
  /// be repeated from d other starting points.
  bool convex = false;
  /// H_ℓ is strictly concave (that of the logistic loss is, those of the hinges are not): the loss has a
  /// gradient everywhere, and all solvers take it.
  bool strictly_concave = false;

  static constexpr Traits traits{.name = "fenchel_youngized",
                                 .strictly_convex = false,
                                 .strongly_convex = false,
                                 .symmetric = false,
                                 .zero_at_vertices = false,
                                 .formula = "−inf_θ E_p ℓ(θ; Y)",
                                 .loss = "Fenchel-Youngized",
                                 .prediction = "bundle method",
                                 .paper = "appendix A.2"};
  Traits refined_traits() const {
    Traits known = traits;
    known.strictly_convex = strictly_concave;
    return known;
  }
  void check() const;

  /// H_ℓ(p), the θ that attains it (approximately) and how the search went.
  struct Entropy {
    double value = 0;
    std::vector<double> theta;
    Report report;
  };
  Entropy entropy(std::span<const double> p) const;

  double value(std::span<const double> p) const { return -entropy(p).value; }
  operations::SolvedValue solve_value(std::span<const double> p) const;
  /// ∇Ω(p)_i = −ℓ(θ*; e_i) (Danskin).
  void gradient(std::span<const double> p, std::span<double> out) const;
  /// argmax ⟨θ, p⟩ + H_ℓ(p). Where ℓ is convex, p are the multipliers of min_s max_i θ_i + ℓ(s; e_i), whose
  /// value proves them: it is an upper bound for every ℓ. Where that bound is not met, cutting planes: each
  /// minimiser s bounds H by the linear Σ_i p_i ℓ(s; e_i). The residual is how far upper and lower bound are
  /// apart, and what the search for the entropy may have left.
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;

  /// min_θ' max_i ℓ(θ'; e_i) + θ_i − θ_k, which bounds L_{−H_ℓ}(θ; e_k) from above by weak duality and equals
  /// it where ℓ is convex.
  double upper_bound(std::span<const double> theta, std::size_t k) const;
};

static_assert(Regularizer<FenchelYoungized>);

/// ℓ(θ; e_k) = [[k ∉ argmax θ]]; H is 1 − max p, the norm entropy with q = ∞.
LabelLoss zero_one_loss();

/// φ and φ', for the pairwise losses below.
using MarginFunction = std::function<std::pair<double, double>(double)>;
MarginFunction hinge_function();           ///< [1 + t]₊
MarginFunction smoothed_hinge_function();  ///< 0, ½(1 + t)², t + ½ (appendix B.9)
MarginFunction squared_hinge_function();   ///< ½[1 + t]₊²

/// Σ_{j≠k} φ(θ_j − θ_k).
LabelLoss pairwise_loss(MarginFunction phi);
/// Σ_{j≠k} φ(θ_j), to be used with sum_to_zero: the losses whose entropies the paper has in closed form.
LabelLoss one_sided_loss(MarginFunction phi);

}  // namespace fenchel
