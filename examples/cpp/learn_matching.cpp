// SPDX-License-Identifier: Apache-2.0
// Learning to match: n objects a_i and n objects b_j in an unknown order, where b of the right match is a
// linear image of a with noise. The score of a match is a_iᵀ W b_j; W is learned from known matchings through
// losses over the Birkhoff polytope (paper §7.3), with the structured hinge (Hungarian method, Hamming cost)
// and with SparseMAP (projections onto doubly stochastic matrices).
#include <cstdio>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/fenchel.hpp"

namespace {

constexpr std::size_t n = 6, features = 3;
const fenchel::Birkhoff matchings{n};

struct Case {
  std::vector<double> a, b;    // [n, features]
  std::vector<double> target;  // [n, n], a permutation matrix
};

std::vector<Case> random_cases(std::uint64_t seed, std::size_t count) {
  fenchel::Random random(seed);
  std::vector<Case> cases(count);
  for (Case& one : cases) {
    one = {std::vector<double>(n * features), std::vector<double>(n * features), std::vector<double>(n * n)};
    for (double& value : one.a) value = random.normal();
    std::vector<std::size_t> columns(n);
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    for (std::size_t i = n; i > 1; --i) std::swap(columns[i - 1], columns[random.below(i)]);
    for (std::size_t i = 0; i < n; ++i) {
      one.target[i * n + columns[i]] = 1;
      for (std::size_t c = 0; c < features; ++c) {
        // The image: features rotated by one place, the last one with its sign changed.
        const double image = (c == 0 ? -1 : 1) * one.a[i * features + (c + features - 1) % features];
        one.b[columns[i] * features + c] = image + 0.2 * random.normal();
      }
    }
  }
  return cases;
}

// Cases as examples of the model θ_ij = a_iᵀ W b_j, which is linear in W.
class Cases final : public fenchel::Examples {
 public:
  Cases(std::vector<Case> cases, fenchel::FenchelYoungLoss loss)
      : cases_(std::move(cases)), loss_(std::move(loss)) {}

  std::size_t size() const override { return cases_.size(); }
  fenchel::ParameterShape shape() const override { return {features * features, features * features, 1}; }
  std::size_t scores_size(std::size_t) const override { return n * n; }
  void scores(std::size_t k, std::span<const double> w, std::span<double> theta) const override {
    for (std::size_t cell = 0; cell < theta.size(); ++cell) {
      theta[cell] = 0;
      visit(k, cell, [&](std::size_t e, double value) { theta[cell] += w[e] * value; });
    }
  }
  void add(std::size_t k, std::span<const double> r, double scale, std::span<double> w) const override {
    for (std::size_t cell = 0; cell < r.size(); ++cell) {
      visit(k, cell, [&](std::size_t e, double value) { w[e] += scale * r[cell] * value; });
    }
  }
  double loss(std::size_t k, std::span<const double> theta, std::span<double> gradient,
              fenchel::Workspace&) const override {
    return loss_.value_and_gradient(theta, cases_[k].target, gradient);
  }

  // The share of objects that the best matching under W matches correctly.
  double accuracy(std::span<const double> w) const {
    const fenchel::FenchelYoungLoss best{fenchel::Map{matchings}};
    std::vector<double> theta(n * n);
    double right = 0;
    for (std::size_t k = 0; k < size(); ++k) {
      scores(k, w, theta);
      const auto match = best.predict(theta);
      right += std::inner_product(match.begin(), match.end(), cases_[k].target.begin(), 0.0);
    }
    return right / static_cast<double>(n * size());
  }

 private:
  // Calls f(entry of W, factor) for the entries behind the score of a cell.
  template <class F>
  void visit(std::size_t k, std::size_t cell, F f) const {
    const double* a = &cases_[k].a[cell / n * features];
    const double* b = &cases_[k].b[cell % n * features];
    for (std::size_t e = 0; e < features * features; ++e) f(e, a[e / features] * b[e % features]);
  }

  std::vector<Case> cases_;
  fenchel::FenchelYoungLoss loss_;
};

}  // namespace

int main() {
  const std::vector<std::pair<const char*, fenchel::FenchelYoungLoss>> losses{
      {"structured hinge", {fenchel::Map{matchings}, fenchel::hamming_cost(matchings, 0.5)}},
      {"SparseMAP", fenchel::SparseMap{matchings}}};
  const Cases held_out(random_cases(2, 100), fenchel::Map{matchings});
  bool right = true;
  for (const auto& [name, loss] : losses) {
    const fenchel::TrainResult result =
        fenchel::train(fenchel::OwnProblem{.examples = std::make_shared<Cases>(random_cases(1, 60), loss)},
                       {.penalty = fenchel::L2(0.1),
                        .solver = fenchel::FrankWolfe{},
                        .tolerance = 1e-2,
                        .max_iterations = 50});
    const double accuracy = held_out.accuracy(result.parameters);
    std::printf("%-16s objective %.3f, gap %.3f: %.1f%% of held-out objects matched rightly\n", name,
                result.last_step.objective, *result.last_step.gap, 100 * accuracy);
    right = right && accuracy > 0.85;
  }
  return right ? 0 : 1;
}
