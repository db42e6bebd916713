// SPDX-License-Identifier: Apache-2.0
#include "fenchel/solvers/generator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fenchel/core/numeric.hpp"
#include "messages.hpp"

namespace fenchel::test {
namespace {

std::vector<Generator> every_generator() {
  std::vector<Generator> all{FermiDiracGenerator{}, BurgGenerator{}};
  for (const double alpha : {0.3, 0.5, 0.999999, 1.0, 1.000001, 1.5, 2.0, 2.5, 4.0})
    all.emplace_back(TsallisGenerator{alpha});
  for (std::size_t i = all.size(); i-- > 0;) all.push_back(all[i].with_ridge(0.7));
  return all;
}

TEST(Generator, FunctionsBelongTogether) {
  for (const Generator& phi : every_generator()) {
    for (const double t : {1e-9, 1e-3, 0.2, 0.5, 0.9, 0.999, 3.0, 50.0}) {
      if (t > phi.upper()) continue;
      SCOPED_TRACE(std::string(phi.name()) + " at " + std::to_string(t));
      EXPECT_NEAR(phi.inverse(phi.slope(t)), t, 1e-9 * t + 4e-16 * std::abs(phi.slope(t)) * phi.mobility(t));
      const double h = 1e-6 * std::min(t, 1 - std::min(t, 0.999999));
      const double slope = (phi.value(t + h) - phi.value(t - h)) / (2 * h);
      EXPECT_NEAR(slope, phi.slope(t),
                  1e-5 * (1 + std::abs(slope)) + 1e-15 * (1 + std::abs(phi.value(t))) / h);
      const double curvature = (phi.slope(t + h) - phi.slope(t - h)) / (2 * h);
      EXPECT_NEAR(1 / phi.mobility(t), curvature,
                  1e-4 * (1 + curvature) + 1e-14 * (1 + std::abs(phi.slope(t))) / h);
      if (const auto least = phi.least_curvature(0.5 * t, std::min(2 * t, phi.upper()))) {
        EXPECT_LE(*least, 1 / phi.mobility(t) * (1 + 1e-12));
      }
    }
  }
}

TEST(Generator, EndsOfTheInterval) {
  const Generator sparse = TsallisGenerator{1.5};
  EXPECT_EQ(sparse.inverse(-100), 0);
  EXPECT_EQ(sparse.mobility(0), 0);
  EXPECT_TRUE(std::isfinite(sparse.lowest_slope()));
  const Generator dense = TsallisGenerator{0.5};
  EXPECT_EQ(dense.lowest_slope(), -infinity);
  EXPECT_EQ(dense.inverse(dense.highest_slope()), infinity);
  const Generator fermi = FermiDiracGenerator{};
  EXPECT_EQ(fermi.value(1), 0);
  EXPECT_EQ(fermi.value(1 + 1e-9), 0) << "rounding counts as the end";
  EXPECT_TRUE(fermi.covers(0, 1));
  EXPECT_FALSE(fermi.covers(0, 1.5));
  EXPECT_FALSE(Generator(BurgGenerator{}).covers(0, 1));
  EXPECT_TRUE(Generator(BurgGenerator{}).covers(1e-3, 1));
  const Generator capped = sparse.within(0, 1);
  EXPECT_EQ(capped.inverse(1e6), 1);
  EXPECT_EQ(capped.mobility(1), 0);
}

TEST(Generator, Names) {
  EXPECT_EQ(make_generator("tsallis:alpha=3").order(), 3.0);
  EXPECT_EQ(make_generator("fermi_dirac").name(), "fermi_dirac");
  EXPECT_EQ(generator_names().size(), 3u);
  EXPECT_THAT(message_of([] { make_generator("fermi-dirac"); }), testing::HasSubstr("mean 'fermi_dirac'?"));
  EXPECT_THAT(message_of([] { make_generator("tsallis:alpha=0"); }), testing::HasSubstr("alpha is 0"));
  EXPECT_THAT(message_of([] { make_generator("burg:alpha=2"); }), testing::HasSubstr("no parameter 'alpha'"));
  EXPECT_THAT(message_of([] { make_generator("tsallis:beta=2"); }), testing::HasSubstr("no parameter"));
  EXPECT_THAT(message_of([] { make_generator("tsallis", infinity); }), testing::HasSubstr("alpha is inf"));
}

}  // namespace
}  // namespace fenchel::test
