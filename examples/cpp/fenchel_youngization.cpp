// SPDX-License-Identifier: Apache-2.0
// From any loss ℓ(θ; k) to the entropy it generates, H_ℓ(p) = inf_θ Σ p_k ℓ(θ; k), and to the Fenchel-Young
// loss of −H_ℓ, which is convex whatever ℓ is (paper, appendix A.2).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include "fenchel/fenchel.hpp"

int main() {
  const std::vector<double> p{0.4, 0.4, 0.2};
  const std::vector<double> theta{0.3, 0.1, -0.5};

  // The logistic loss, written as a user would: its entropy is Shannon's.
  const fenchel::LabelLoss logistic = [](std::span<const double> scores, std::size_t k,
                                         std::span<double> gradient) {
    const fenchel::FenchelYoungLoss loss{fenchel::Shannon{}};
    const auto label = static_cast<std::int64_t>(k);
    return gradient.empty() ? loss.value(scores, label) : loss.value_and_gradient(scores, label, gradient);
  };
  const double shannon = -fenchel::FenchelYoungized{logistic}.value(p);
  bool right = std::abs(shannon + 0.8 * std::log(0.4) + 0.2 * std::log(0.2)) < 1e-7;

  // The zero-one loss is not convex; its Fenchel-Young loss is, with H(p) = 1 − max p.
  const fenchel::FenchelYoungized zero_one{fenchel::zero_one_loss()};
  const fenchel::FenchelYoungLoss convex{zero_one};
  const fenchel::FenchelYoungLoss norm{fenchel::make_regularizer("norm:q=inf")};
  right = right && std::abs(-zero_one.value(p) - 0.6) < 1e-7;
  right = right && std::abs(convex.value(theta, 2) - norm.value(theta, 2)) < 1e-7;
  right = right && convex.value(theta, 2) <= zero_one.upper_bound(theta, 2) + 1e-7;

  // The paper's closed forms for pairwise hinge losses are those of Σ_j φ(θ_j) under Σ θ = 0, not of
  // Σ_j φ(θ_j − θ_k).
  const auto hinge = fenchel::hinge_function();
  const double restricted = -fenchel::FenchelYoungized{fenchel::one_sided_loss(hinge), true}.value(p);
  const double pairwise = -fenchel::FenchelYoungized{fenchel::pairwise_loss(hinge)}.value(p);
  right = right && std::abs(restricted - 1.8) < 1e-7 && std::abs(pairwise - 1.6) < 1e-7;

  std::printf("shannon %g, zero-one %g, hinge %g (sum to zero) %g (pairwise)\n", shannon, -zero_one.value(p),
              restricted, pairwise);
  return right ? 0 : 1;
}
