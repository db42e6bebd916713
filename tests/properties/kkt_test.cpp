// SPDX-License-Identifier: Apache-2.0
// Optimality of predictions on the simplex: θ − ∇Ω(p) is a constant τ on the support, and θ − τ ≤ ∇Ω(p) off
// it. Relative to max(1, |θ − τ|) the residual stays at 1e-12 wherever p has not underflowed.
#include "fenchel/core/numeric.hpp"
#include "properties/property.hpp"

namespace fenchel::test {
namespace {

constexpr double residual_limit = 1e-12;
// General methods (the interior-point method of cost matrices) end at their own stopping rules.
constexpr double search_limit = 1e-9;
constexpr double underflow = 1e-290;  // below it, p has lost digits to the range of doubles

// Differentiable on the relative interior and convex: ∇Ω, if it is exact, characterises ŷ.
bool has_kkt(const Named& named) {
  const Traits traits = named.traits();
  return traits.domain == Domain::simplex && traits.strictly_convex && traits.differentiable &&
         !traits.gradient_by_differences;
}

// How much ∇Ω_j moves when every p is moved by one rounding: no double is a better p than that.
Vector representable(const AnyRegularizer& omega, const Vector& p, const Vector& slope) {
  Vector nudged = p;
  for (std::size_t j = 0; j < p.size(); ++j) nudged[j] = std::nextafter(p[j], j % 2 == 0 ? 0.0 : 1.0);
  Vector moved_slope = link(omega, nudged);
  for (std::size_t j = 0; j < p.size(); ++j)
    moved_slope[j] = p[j] > 0 ? std::abs(moved_slope[j] - slope[j]) : 0;
  return moved_slope;
}

// The largest violation of the conditions, relative to its allowance (1 is the limit).
double kkt_violation(const AnyRegularizer& omega, const Vector& theta, double limit = residual_limit) {
  const Vector p = predict(omega, theta);
  const Vector slope = link(omega, p);
  const Vector slack = representable(omega, p, slope);
  // Where p is 0 it may also have underflowed: its slope is bounded by that of the smallest p.
  Vector lifted = p;
  for (double& entry : lifted) entry = std::max(entry, underflow);
  const Vector slope_at_zero = link(omega, lifted);
  const double top = *std::ranges::max_element(theta);
  // τ from the class with the smallest slope, whose rounding is the smallest.
  std::size_t best = static_cast<std::size_t>(std::ranges::max_element(p) - p.begin());
  for (std::size_t j = 0; j < p.size(); ++j) {
    if (p[j] > underflow && std::abs(slope[j]) < std::abs(slope[best])) best = j;
  }
  const double tau = (theta[best] - top) - slope[best];
  double worst = 0;
  for (std::size_t j = 0; j < p.size(); ++j) {
    const double score = theta[j] - top - tau;
    const double gap = score - slope[j];
    const double allowed = limit * std::max(1.0, std::abs(score)) + 8 * (slack[j] + slack[best]);
    if (p[j] > underflow) worst = std::max(worst, std::abs(gap) / allowed);
    if (p[j] == 0) worst = std::max(worst, (score - slope_at_zero[j]) / allowed);
  }
  return worst;
}

class Kkt : public testing::TestWithParam<Named> {
 protected:
  double violation(const Vector& theta) const {
    const bool search = GetParam().traits().predict_by_search;
    return kkt_violation(GetParam().omega, theta, search ? search_limit : residual_limit);
  }
};

TEST_P(Kkt, ResidualOfRandomScores) {
  const Trials trials{.log_spread_min = -6, .log_spread_max = 3, .classes = {1, 2, 3, 10, 100}};
  check_property(GetParam(), trials, [&](const Draw& draw, Random& random) {
    for (const double shift : {draw.shift, 1e6, -1e6}) {
      const Vector theta = normal_vector(random, draw.d, draw.spread, shift);
      require_at_most(violation(theta), 1, "violation");
    }
  });
}

TEST_P(Kkt, ResidualOfHardScores) {
  check_property(GetParam(), {.runs = 30, .classes = {1, 2, 3, 10, 100}},
                 [&](const Draw& draw, Random& random) {
                   Vector theta(draw.d, draw.shift);
                   require_at_most(violation(theta), 1, "all equal");
                   for (double& entry : theta) entry += draw.spread * static_cast<double>(random.below(3));
                   require_at_most(violation(theta), 1, "ties");
                   for (std::size_t j = 0; j < draw.d; ++j)
                     theta[j] = draw.shift + draw.spread * static_cast<double>(j);
                   require_at_most(violation(theta), 1, "ascending");
                   theta.assign(draw.d, draw.shift);
                   theta[0] = std::nextafter(theta[0], infinity);
                   require_at_most(violation(theta), 1, "one rounding apart");
                   theta[0] = draw.shift + 500;
                   require_at_most(violation(theta), 1, "one far ahead");
                 });
}

INSTANTIATE_TEST_SUITE_P(All, Kkt, testing::ValuesIn(regularizers_where(has_kkt)), name_of);

// The smoothed hinge has a kink where the largest entries tie: with r = (1 − max p)/(1 − p) the slope is r²/2
// elsewhere, and the tied ones share a further d − Σ r in any proportion.
TEST(KktOfSmoothedHinge, ResidualOfRandomScores) {
  const Named named{"pairwise_smoothed_hinge", PairwiseSmoothedHinge{}};
  const Trials trials{.log_spread_min = -6, .log_spread_max = 3, .classes = {2, 3, 10, 100}};
  check_property(named, trials, [&](const Draw& draw, Random& random) {
    const Vector theta = normal_vector(random, draw.d, draw.spread, draw.shift);
    const Vector p = predict(named.omega, theta);
    const double highest = *std::ranges::max_element(p);
    if (highest == 1) return;  // a vertex: covered by the margin
    const double top = *std::ranges::max_element(theta);
    constexpr double tie = 1e-14;
    double tied_scores = 0, count = 0, ratios = 0;
    for (std::size_t j = 0; j < draw.d; ++j) {
      ratios += (1 - highest) / (1 - p[j]);
      if (p[j] >= highest - tie) tied_scores += theta[j] - top, ++count;
    }
    const double tau = (tied_scores - 0.5 * count - (static_cast<double>(draw.d) - ratios)) / count;
    const double rounding = residual_limit + 1e-15 * static_cast<double>(draw.d) / (1 - highest);
    for (std::size_t j = 0; j < draw.d; ++j) {
      const double score = theta[j] - top - tau;
      const double r = (1 - highest) / (1 - p[j]);
      const double allowed = rounding * std::max(1.0, std::abs(score)) * static_cast<double>(draw.d);
      if (p[j] >= highest - tie) {
        require_at_most(0.5 - score, allowed, "a share below zero");
      } else if (p[j] > 0) {
        require_at_most(std::abs(score - 0.5 * r * r), allowed, "on the support");
      } else {
        require_at_most(score - 0.5 * r * r, allowed, "off the support");
      }
    }
  });
}

// Large d, once for each algorithm.
class KktLarge : public testing::TestWithParam<std::string> {};

TEST_P(KktLarge, ResidualOfRandomScores) {
  const AnyRegularizer omega = make_regularizer(GetParam());
  Random random(20);
  for (const std::size_t d : {std::size_t{10000}, std::size_t{100000}}) {
    for (const double spread : {1e-6, 1.0, 1e3}) {
      const Vector theta = normal_vector(random, d, spread, 1e6);
      EXPECT_LE(kkt_violation(omega, theta), 1) << GetParam() << " d=" << d << " spread=" << spread;
    }
    EXPECT_LE(kkt_violation(omega, Vector(d, -1e6)), 1) << GetParam() << " all equal, d=" << d;
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, KktLarge,
                         testing::Values("shannon", "tsallis:alpha=0.5", "tsallis:alpha=1.02",
                                         "tsallis:alpha=1.2", "tsallis:alpha=1.5", "tsallis:alpha=2",
                                         "tsallis:alpha=3", "norm:q=2", "norm:q=5", "squared_norm:q=1.5",
                                         "squared_norm:q=2", "renyi:beta=0.5", "pairwise_squared_hinge"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace fenchel::test
