// SPDX-License-Identifier: Apache-2.0
// The plain formulas of verification say the same as the Ω of the library, which they share no code with.
#include "training/verify/plain_omega.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/regularizers/spec.hpp"

namespace fenchel::test {
namespace {

const std::vector<std::string> verified{"shannon",
                                        "argmax",
                                        "tsallis:alpha=0.3",
                                        "tsallis:alpha=1.00000001",
                                        "tsallis:alpha=1.2",
                                        "tsallis:alpha=1.5",
                                        "tsallis:alpha=2",
                                        "tsallis:alpha=4",
                                        "norm:q=1.2",
                                        "norm:q=2",
                                        "norm:q=5",
                                        "norm:q=inf",
                                        "squared_norm:q=1.1",
                                        "squared_norm:q=2",
                                        "renyi:beta=0.2",
                                        "renyi:beta=0.5",
                                        "renyi:beta=0.9",
                                        "shannon:temperature=0.4",
                                        "tsallis:alpha=2,constant=3,temperature=2",
                                        R"({"name":"shannon","cost":[1,0,2,0.5]})",
                                        "sigmoid",
                                        "sparse_sigmoid",
                                        "tsallis_sigmoid:alpha=1.3",
                                        R"({"name":"one_vs_all","entropy":{"name":"norm","q":2}})",
                                        R"({"name":"map","polytope":{"name":"cube","d":4}})",
                                        "squared",
                                        "relu",
                                        "poisson"};

// A point of the domain, with zeros.
std::vector<double> random_point(plain::Set set, Random& random) {
  std::vector<double> p(4);
  double sum = 0;
  for (double& entry : p) {
    entry = random.uniform() < 0.3 ? 0 : random.uniform();
    if (set == plain::Set::reals) entry = random.normal();
    sum += entry;
  }
  if (set != plain::Set::simplex) return p;
  if (sum == 0) return {0, 1, 0, 0};
  for (double& entry : p) entry /= sum;
  return p;
}

TEST(PlainOmega, AgreesWithTheLibrary) {
  Random random(5);
  for (const std::string& text : verified) {
    const AnyRegularizer omega = make_regularizer(text);
    const auto plain = plain::make_omega(omega.spec());
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::vector<double> theta(4);
      for (double& entry : theta) entry = (repeat % 5) * random.normal();
      const double conjugate = FenchelYoungLoss(omega).conjugate(theta);
      EXPECT_NEAR(plain->conjugate(theta), conjugate, 1e-12 * (1 + std::abs(conjugate))) << text;
      const std::vector<double> mu = random_point(plain->set(), random);
      EXPECT_NEAR(plain->value(mu), omega.value(mu), 1e-12 * (1 + std::abs(omega.value(mu)))) << text;
    }
  }
}

// What weak duality rests on: Ω*(θ) ≥ ⟨θ, μ⟩ − Ω(μ) for all points, with the plain values alone.
TEST(PlainOmega, ConjugatesBoundAllPoints) {
  Random random(6);
  for (const std::string& text : verified) {
    const auto plain = plain::make_omega(make_regularizer(text).spec());
    for (int repeat = 0; repeat < 200; ++repeat) {
      std::vector<double> theta(4);
      for (double& entry : theta) entry = 3 * random.normal();
      const std::vector<double> mu = random_point(plain->set(), random);
      double product = 0;
      for (std::size_t k = 0; k < 4; ++k) product += theta[k] * mu[k];
      EXPECT_GE(plain->conjugate(theta), product - plain->value(mu) - 1e-13) << text;
    }
  }
}

TEST(PlainOmega, RefusesOthersByName) {
  for (const std::string text : {"pairwise_hinge", "renyi:beta=2", "renyi:beta=0"}) {
    try {
      plain::make_omega(make_regularizer(text).spec());
      ADD_FAILURE() << text;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(text.substr(0, 5)), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace fenchel::test
