// SPDX-License-Identifier: Apache-2.0
// Bregman divergences, and what the paper says of their relation with Fenchel-Young losses (§3.2, §3.3, §4.2,
// §10.1): information, risks, regrets, proper losses.
#pragma once

#include <span>

#include "fenchel/core/views.hpp"
#include "fenchel/regularizers/any.hpp"

namespace fenchel {

/// B_Ω(y ‖ μ) = Ω(y) − Ω(μ) − ⟨∇Ω(μ), y − μ⟩ (paper eq. 11), for μ where Ω is differentiable.
double bregman_divergence(const AnyRegularizer& omega, std::span<const double> y, std::span<const double> mu);

/// The generalized Kullback-Leibler divergence Σ y log(y/μ) − y + μ (paper §3.2).
double kullback_leibler(std::span<const double> y, std::span<const double> mu);

/// E_p[L_Ω(θ; Y)] for Y equal to row i of `outcomes` with probability p_i (paper §3.3).
double expected_loss(const AnyRegularizer& omega, std::span<const double> theta,
                     MatrixView<const double> outcomes, std::span<const double> p);

/// I_Ω(Y; p) = E_p[Ω(Y)] − Ω(E_p[Y]) ≥ 0, the Bregman information, which is the pointwise Bayes risk
/// min_θ E_p[L_Ω(θ; Y)] (paper eq. 13).
double bregman_information(const AnyRegularizer& omega, MatrixView<const double> outcomes,
                           std::span<const double> p);

/// The same under the name it has in decision theory. Over the simplex with Y = e_i it is H(p)
/// (paper eq. 17).
double bayes_risk(const AnyRegularizer& omega, MatrixView<const double> outcomes, std::span<const double> p);

/// E_p[L_Ω(θ; Y)] minus the Bayes risk, which is L_Ω(θ; E_p[Y]).
double regret(const AnyRegularizer& omega, std::span<const double> theta, MatrixView<const double> outcomes,
              std::span<const double> p);

/// The proper loss ℓ_Ω(p; y) = −Ω(p) − ⟨∇Ω(p), y − p⟩ = B_Ω(y ‖ p) − Ω(y) (paper §10.1, where the inner
/// product is printed with the opposite sign).
double proper_loss(const AnyRegularizer& omega, std::span<const double> p, std::span<const double> y);

/// The Brier score Σ_i ([[k = i]] − p_i)², the proper loss of the Gini index 1 − ‖p‖² (paper §10.1).
double brier_score(std::span<const double> p, std::size_t label);

}  // namespace fenchel
