// SPDX-License-Identifier: Apache-2.0
// Propositions 1 and 2 for every Ω over every polytope: losses, gradients, optimality, Jacobian products,
// proximity operators, temperature, masks, precision and ragged batches.
#include <gtest/gtest.h>

#include "fenchel/core/numeric.hpp"
#include "fenchel/losses/ragged.hpp"
#include "structures.hpp"

namespace fenchel::test {
namespace {

constexpr double tight = 1e-10;  // iterative predictions stop at gaps far below
constexpr int seeds = 4;
const Vector scales{0.05, 1, 8};

std::vector<Named> every_structured() {
  std::vector<Named> all;
  for (const NamedSet& set : every_polytope()) {
    for (const Named& named : omegas_over(set)) all.push_back(named);
  }
  // Those that show what parameters do, over the sets of their own.
  for (const RegularizerEntry& entry : regularizer_list()) {
    for (std::size_t k = 1; k < entry.examples.size(); ++k) {
      const AnyRegularizer& omega = entry.examples[k];
      if (!omega.polytope() || entry.parameters.size() < 2) continue;
      all.push_back({plain_name(omega.spec()), omega, omega.polytope()->dimension()});
    }
  }
  return all;
}

class Structured : public testing::TestWithParam<Named> {
 protected:
  const AnyRegularizer& omega() const { return GetParam().omega; }
  std::size_t d() const { return GetParam().d; }
  const AnyPolytope& set() const { return *omega().polytope(); }
  bool smooth() const { return GetParam().traits().strongly_convex; }

  // Runs body(theta, random) over seeds and scales.
  template <class Body>
  void for_scores(Body body) const {
    for (const double scale : scales) {
      for (int seed = 0; seed < seeds; ++seed) {
        SCOPED_TRACE("scale " + std::to_string(scale) + " seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 17);
        body(normal_vector(random, d(), scale), random);
      }
    }
  }
};

TEST_P(Structured, LossIsZeroAtThePredictionAndPositiveElsewhere) {
  for_scores([&](const Vector& theta, Random& random) {
    const Vector y = random_vertex(set(), random);
    const double value = loss_value(omega(), theta, y);
    EXPECT_GE(unclamped_loss(omega(), theta, y), -tight * (1 + max_abs(theta)));
    EXPECT_TRUE(std::isfinite(value));
    const double gap = Loss(omega()).conjugate(theta) + omega().value(y) - dot(theta, y);
    EXPECT_NEAR(value, std::max(gap, 0.0), tight * (1 + std::abs(gap) + max_abs(theta)));
    const Vector mu = predict(omega(), theta);
    if (max_difference(mu, y) > 1e-3 && GetParam().traits().strictly_convex) {
      EXPECT_GT(value, 0);
    }
    if (!GetParam().traits().value_by_search) {
      EXPECT_NEAR(loss_value(omega(), theta, mu), 0, tight * (1 + max_abs(theta)));
    }
  });
}

// Points that were computed, or rounded to single precision, are still points of conv(Y).
TEST_P(Structured, PredictionsAreTargets) {
  for_scores([&](const Vector& theta, Random& random) {
    Vector mu = predict(omega(), theta);
    omega().check_point("mu", mu);
    const std::vector<float> narrow(mu.begin(), mu.end());
    omega().check_point("mu", Vector(narrow.begin(), narrow.end()));
    for (double& entry : mu) entry += 1e-8 * (random.uniform() - 0.5);
    omega().check_point("mu", mu);
  });
}

TEST_P(Structured, GradientIsThatOfTheLoss) {
  for_scores([&](const Vector& theta, Random& random) {
    const Vector y = random_vertex(set(), random);
    const Vector v = normal_vector(random, d());
    const double h = 1e-4;
    Vector below(d()), above(d());
    const double low = Loss(omega()).value_and_gradient(moved(theta, -h, v), y, below);
    const double high = Loss(omega()).value_and_gradient(moved(theta, h, v), y, above);
    const double quotient = (high - low) / (2 * h);
    const double noise = 1e-8 * (1 + std::abs(low));
    EXPECT_LE(dot(below, v) - noise, quotient);
    EXPECT_LE(quotient, dot(above, v) + noise);
    Vector gradient(d());
    Loss(omega()).value_and_gradient(theta, y, gradient);
    EXPECT_EQ(gradient, moved(predict(omega(), theta), -1, y));
  });
}

TEST_P(Structured, LossIsConvex) {
  for_scores([&](const Vector& theta, Random& random) {
    const Vector y = random_vertex(set(), random);
    const Vector other = moved(theta, 1, normal_vector(random, d(), max_abs(theta)));
    const double t = random.uniform();
    const double chord = (1 - t) * loss_value(omega(), theta, y) + t * loss_value(omega(), other, y);
    const double inside = loss_value(omega(), moved(scaled(theta, 1 - t), t, other), y);
    EXPECT_LE(inside, chord + tight * (1 + chord));
  });
}

// No structure improves the objective to first order: for differentiable Ω, max_y ⟨θ − ∇Ω(ŷ), y − ŷ⟩ ≤ 0.
TEST_P(Structured, PredictionIsOptimal) {
  if (GetParam().traits().value_by_search) GTEST_SKIP() << "Ω has no closed form";
  for_scores([&](const Vector& theta, Random&) {
    const Vector mu = predict(omega(), theta);
    Vector scores = moved(theta, -1, link(omega(), mu));
    for (std::size_t j = 0; j < d(); ++j) {
      // Where ∇Ω is −inf the entry only needs to be unused by every structure.
      if (!std::isfinite(scores[j])) scores[j] = 0;
    }
    Structure best;
    const double gap = set().map(scores, best, thread_workspace()) - dot(scores, mu);
    EXPECT_LE(gap, tight * (1 + max_abs(theta)));
  });
}

TEST_P(Structured, JacobianProducts) {
  for_scores([&](const Vector& theta, Random& random) {
    const Vector v = normal_vector(random, d()), u = normal_vector(random, d());
    const Vector product = jvp(omega(), theta, v);
    EXPECT_NEAR(dot(u, product), dot(v, jvp(omega(), theta, u)), 1e-7 * (1 + max_abs(product)))
        << "symmetric";
    EXPECT_GE(dot(v, product), -1e-9) << "positive semidefinite";
    const double h = 1e-5;
    const Vector above = predict(omega(), moved(theta, h, v)), below = predict(omega(), moved(theta, -h, v));
    const Vector slope = scaled(moved(above, -1, below), 1 / (2 * h));
    // A kink between the two points: both one-sided slopes differ.
    const Vector middle = predict(omega(), theta);
    const Vector bend = scaled(moved(moved(above, 1, below), -2, middle), 1 / h);
    if (max_abs(bend) > 1e-3 * (1 + max_abs(slope))) return;
    EXPECT_LE(max_difference(product, slope), 1e-4 * (1 + max_abs(slope)));
  });
}

TEST_P(Structured, ProxIsOptimal) {
  // Newton's steps of the search see no kinks of ŷ where Ω is of Legendre type, and end at rounding.
  if (GetParam().traits().value_by_search && !GetParam().traits().legendre)
    GTEST_SKIP() << "value by an iterative solve";
  for_scores([&](const Vector& eta, Random& random) {
    const double tau = 0.7;
    const Vector mu = prox(omega(), eta, tau);
    const auto objective = [&](const Vector& at) {
      const Vector difference = moved(at, -1, eta);
      return 0.5 * dot(difference, difference) + tau * omega().value(at);
    };
    const double best = objective(mu);
    for (const double t : {1e-3, 0.1}) {
      const Vector other = moved(scaled(mu, 1 - t), t, random_vertex(set(), random));
      EXPECT_GE(objective(other), best - 1e-7 * (1 + std::abs(best)));
    }
  });
}

TEST_P(Structured, TemperatureScales) {
  for_scores([&](const Vector& theta, Random& random) {
    const Vector y = random_vertex(set(), random);
    const Temperature warm{omega(), 4};
    EXPECT_LE(max_difference(predict(warm, theta), predict(omega(), scaled(theta, 0.25))), 1e-12);
    const double expected = 4 * loss_value(omega(), scaled(theta, 0.25), y);
    EXPECT_NEAR(loss_value(warm, theta, y), expected, tight * (1 + expected));
  });
}

TEST_P(Structured, FloatMatchesDouble) {
  for_scores([&](const Vector& theta, Random&) {
    const std::vector<float> narrow(theta.begin(), theta.end());
    const Vector wide(narrow.begin(), narrow.end());
    std::vector<float> out(d());
    Loss(omega()).predict(narrow, out);
    EXPECT_LE(max_difference(Vector(out.begin(), out.end()), predict(omega(), wide)), 1e-5);
    const double conjugate = Loss(omega()).conjugate(wide);
    EXPECT_NEAR(Loss(omega()).conjugate(narrow), conjugate, 1e-5 * (1 + std::abs(conjugate)));
  });
}

INSTANTIATE_TEST_SUITE_P(All, Structured, testing::ValuesIn(every_structured()), name_of);

// ---------------------------------------------------------------- against the list of all structures

class Enumerated : public testing::TestWithParam<NamedSet> {
 protected:
  const AnyPolytope& set() const { return GetParam().set; }
};

TEST_P(Enumerated, MapIsTheBest) {
  const auto all = vertices(set());
  ASSERT_FALSE(all.empty());
  Random random(3);
  for (const double scale : scales) {
    const Vector theta = normal_vector(random, set().dimension(), scale);
    double best = -infinity;
    for (const Vector& y : all) best = std::max(best, dot(theta, y));
    Structure y;
    EXPECT_NEAR(set().map(theta, y, thread_workspace()), best, 1e-12 * (1 + std::abs(best)));
    EXPECT_NEAR(dot(y, theta), best, 1e-12 * (1 + std::abs(best)));
  }
}

TEST_P(Enumerated, SparseMapHasNoWolfeGap) {
  const auto all = vertices(set());
  Random random(4);
  for (const double scale : scales) {
    const Vector theta = normal_vector(random, set().dimension(), scale);
    Mixture mixture;
    Vector mu(theta.size()), mean(theta.size());
    const Report report = set().project(theta, mixture, mu, thread_workspace());
    EXPECT_TRUE(report.converged());
    EXPECT_LE(report.residual, 1e-10);
    write(mixture, mean);
    EXPECT_LE(max_difference(mean, mu), 1e-12 * (1 + max_abs(mu)));
    double total = 0;
    for (const double weight : mixture.weights) {
      EXPECT_GT(weight, 0);
      total += weight;
    }
    EXPECT_NEAR(total, 1, 1e-12);
    EXPECT_LE(mixture.size(), theta.size() + 1);
    for (const Vector& y : all) EXPECT_LE(dot(moved(theta, -1, mu), moved(y, -1, mu)), 1e-10);
    Vector direct(theta.size());
    set().project(theta, direct, thread_workspace());
    EXPECT_LE(max_difference(direct, mu), 1e-9 * (1 + max_abs(theta)));
    EXPECT_LE(max_difference(predict(SparseMap{set()}, mu), mu), 1e-9) << "idempotent";
  }
}

TEST_P(Enumerated, SparsemaxOfAllStructures) {
  const auto all = vertices(set());
  Random random(5);
  for (const double scale : scales) {
    const Vector theta = normal_vector(random, set().dimension(), scale);
    Vector scores;
    for (const Vector& y : all) scores.push_back(dot(theta, y));
    const Vector p = predict(Tsallis{2}, scores);
    Vector mean(theta.size(), 0.0);
    for (std::size_t i = 0; i < all.size(); ++i) mean = moved(mean, p[i], all[i]);
    EXPECT_LE(max_difference(predict(StructuredSparsemax{set()}, theta), mean), 1e-10);
    EXPECT_NEAR(Loss(StructuredSparsemax{set()}).conjugate(theta), Loss(Tsallis{2}).conjugate(scores), 1e-10);
    const StructuredSparsemax omega{set()};
    Vector rounded = mean;
    for (double& entry : rounded) entry = static_cast<float>(entry);
    EXPECT_NEAR(omega.value(rounded), omega.value(mean), 1e-4);
    const AnyRegularizer listed = MaximumEntropy{set(), Tsallis{2}};
    EXPECT_LE(max_difference(predict(listed, theta), mean), 1e-10);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Enumerated, testing::ValuesIn(polytopes_offering(Oracle::k_best)), name_of);

class Marginals : public testing::TestWithParam<NamedSet> {
 protected:
  const AnyPolytope& set() const { return GetParam().set; }
};

TEST_P(Marginals, AgreeWithEnumeration) {
  if (!set().offers(Oracle::k_best)) GTEST_SKIP() << "cannot be listed";
  const auto all = vertices(set());
  Random random(6);
  for (const double scale : scales) {
    const Vector theta = normal_vector(random, set().dimension(), scale);
    Vector scores;
    for (const Vector& y : all) scores.push_back(dot(theta, y));
    const Vector p = predict(Shannon{}, scores);
    Vector mean(theta.size(), 0.0);
    for (std::size_t i = 0; i < all.size(); ++i) mean = moved(mean, p[i], all[i]);
    EXPECT_LE(max_difference(predict(Marginal{set()}, theta), mean), 1e-11 * (1 + max_abs(mean)));
    const double log_partition = Loss(Shannon{}).conjugate(scores);
    EXPECT_NEAR(Loss(Marginal{set()}).conjugate(theta), log_partition, 1e-12 * (1 + std::abs(log_partition)));
    const GibbsDistribution gibbs(set(), theta);
    double entropy = 0;
    for (const double probability : p) entropy -= xlogx(probability);
    EXPECT_NEAR(gibbs.entropy(), entropy, 1e-11 * (1 + std::abs(log_partition)));
    EXPECT_NEAR(gibbs.log_probability(all[0]), scores[0] - log_partition,
                1e-11 * (1 + std::abs(log_partition)));
  }
}

// −Ω(μ) is the largest entropy with mean μ: at a prediction, that of the Gibbs distribution.
TEST_P(Marginals, ValueAtPredictionsIsMinusTheEntropy) {
  Random random(7);
  const Vector theta = normal_vector(random, set().dimension());
  const Marginal omega{set()};
  const auto solved = omega.solve_value(predict(omega, theta));
  EXPECT_TRUE(solved.report.converged());
  EXPECT_NEAR(solved.value, -GibbsDistribution(set(), theta).entropy(), 1e-7);
  const Vector y = random_vertex(set(), random);
  EXPECT_EQ(omega.solve_value(y).value, 0);
}

// A mean that was rounded to single precision lies beside conv(Y), where there is no maximum to find: the
// value is that of the mean next to it all the same.
TEST_P(Marginals, ValueAtRoundedPoints) {
  Random random(17);
  for (const double scale : {0.3, 1.0, 3.0}) {
    const Vector theta = normal_vector(random, set().dimension(), scale);
    const Marginal omega{set()};
    Vector mu = predict(omega, theta);
    for (double& entry : mu) entry = static_cast<float>(entry);
    const auto solved = omega.solve_value(mu);
    EXPECT_NEAR(solved.value, -GibbsDistribution(set(), theta).entropy(), 1e-5);
    EXPECT_LE(solved.report.residual, 1e-6);
    mu = predict(SparseMap{set()}, theta);  // on a face
    const double value = omega.value(mu);
    for (double& entry : mu) entry = static_cast<float>(entry);
    EXPECT_NEAR(omega.value(mu), value, 1e-4);
  }
}

TEST_P(Marginals, SamplesFollowThem) {
  if (!set().offers(Oracle::sample)) GTEST_SKIP() << "no sampler";
  Random random(8);
  const Vector theta = normal_vector(random, set().dimension());
  const GibbsDistribution gibbs(set(), theta);
  constexpr std::size_t count = 20000;
  Vector frequency(theta.size(), 0.0);
  for (const Structure& y : gibbs.sample(count, 5)) add(y, 1.0 / count, frequency);
  const Vector mu = gibbs.marginals();
  for (std::size_t j = 0; j < mu.size(); ++j) {
    Vector e(mu.size(), 0.0);
    e[j] = 1;
    const double variance = gibbs.covariance_product(e)[j];
    EXPECT_NEAR(frequency[j], mu[j], 5 * std::sqrt(std::max(variance, 0.0) / count) + 1e-12) << "entry " << j;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Marginals, testing::ValuesIn(polytopes_offering(Oracle::marginals)), name_of);

// ---------------------------------------------------------------- ragged batches

TEST(Ragged, EqualsOneByOneForAnyNumberOfThreads) {
  std::vector<FenchelYoungLoss> omegas;
  std::vector<AnyPolytope> sets;
  for (const Named& named : every_structured()) {
    omegas.push_back(named.omega);
    sets.push_back(*named.omega.polytope());
  }
  std::vector<std::size_t> offsets{0};
  Vector theta, y, weights;
  Random random(9);
  for (std::size_t i = 0; i < omegas.size(); ++i) {
    const Vector row = normal_vector(random, sets[i].dimension()), target = random_vertex(sets[i], random);
    theta.insert(theta.end(), row.begin(), row.end());
    y.insert(y.end(), target.begin(), target.end());
    offsets.push_back(theta.size());
    weights.push_back(random.uniform());
  }
  const auto view = [&](auto& values) { return RaggedView<const double>(values.data(), offsets); };
  Vector losses(omegas.size()), gradient(theta.size()), expected(theta.size()), products(theta.size());
  double total = 0;
  Vector expected_losses;
  for (std::size_t i = 0; i < omegas.size(); ++i) {
    const std::span<double> out(expected.data() + offsets[i], sets[i].dimension());
    const double value = weights[i] * omegas[i].value_and_gradient(view(theta).row(i), view(y).row(i), out);
    for (double& entry : out) entry *= weights[i];
    expected_losses.push_back(value);
    total += value;
  }
  for (const int threads : {1, 2, 5}) {
    const BatchOptions options{.threads = threads, .weights = weights};
    const BatchLoss result = batch::loss_and_gradient(omegas, view(theta), view(y), losses,
                                                      RaggedView<double>(gradient.data(), offsets), options);
    EXPECT_EQ(result.total, total);
    EXPECT_EQ(losses, expected_losses);
    EXPECT_EQ(gradient, expected);
  }
  Vector in_place = theta;
  batch::predict(omegas, view(in_place), RaggedView<double>(in_place.data(), offsets));
  batch::jvp(omegas, view(theta), view(y), RaggedView<double>(products.data(), offsets));
  for (std::size_t i = 0; i < omegas.size(); ++i) {
    const Vector row(view(theta).row(i).begin(), view(theta).row(i).end());
    const Vector mu(in_place.begin() + static_cast<std::ptrdiff_t>(offsets[i]),
                    in_place.begin() + static_cast<std::ptrdiff_t>(offsets[i + 1]));
    EXPECT_EQ(mu, predict(omegas[i].omega(), row));
  }
}

}  // namespace
}  // namespace fenchel::test
