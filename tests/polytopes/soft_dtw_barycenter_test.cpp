// SPDX-License-Identifier: Apache-2.0
// Barycentres: stationary by differences, known cases, weights, lengths, threads, errors.
#include "fenchel/polytopes/soft_dtw_barycenter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "messages.hpp"
#include "polytopes/alignment_reference.hpp"

namespace fenchel::test {
namespace {

using Options = SoftDtwBarycenterOptions;

/// Series of some lengths: noisy waves with a shift each.
struct Waves {
  Waves(std::initializer_list<std::size_t> lengths, std::size_t width) {
    Random random(7);
    for (const std::size_t length : lengths) {
      Matrix<double>& one = owned.emplace_back(length, width);
      const double shift = random.uniform();
      for (std::size_t t = 0; t < length; ++t) {
        for (std::size_t k = 0; k < width; ++k) {
          const double time = static_cast<double>(t) / static_cast<double>(length);
          one(t, k) = std::sin(6 * (time + shift) + static_cast<double>(k)) + 0.1 * random.normal();
        }
      }
    }
    for (const Matrix<double>& one : owned) views.push_back(one.view());
  }
  std::vector<Matrix<double>> owned;
  std::vector<MatrixView<const double>> views;
};

Numbers numbers(std::span<const double> values) { return {values.begin(), values.end()}; }

double largest_difference(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, std::abs(a[k] - b[k]));
  return largest;
}

/// Σ w_i soft-DTW(b, x_i) / Σ w_i, from the definition.
double objective(const Waves& waves, MatrixView<const double> b, const Options& options) {
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < waves.views.size(); ++i) {
    const double weight = options.weights.empty() ? 1 : options.weights[i];
    sum += weight * soft_dtw_series(b, waves.views[i], {}, options.soft_dtw);
    total += weight;
  }
  return sum / total;
}

void expect_local_minimum(const Waves& waves, const Options& options) {
  SoftDtwBarycenter found = soft_dtw_barycenter(waves.views, options);
  EXPECT_EQ(found.report.status, Status::stationary);
  EXPECT_LE(found.report.residual, options.tolerance);
  const double value = objective(waves, found.series.view(), options);
  EXPECT_NEAR(found.value, value, 1e-12 * (1 + std::abs(value)));
  constexpr double h = 1e-4;
  for (double& entry : found.series.entries()) {
    const double kept = entry;
    entry = kept + h;
    const double above = objective(waves, found.series.view(), options);
    entry = kept - h;
    const double below = objective(waves, found.series.view(), options);
    entry = kept;
    EXPECT_NEAR((above - below) / (2 * h), 0, 2e-5);
    EXPECT_GE(std::min(above, below), value - 1e-9);
  }
}

TEST(SoftDtwBarycenter, IsALocalMinimumBelowTheMean) {
  const Waves waves({12, 12, 12, 12}, 2);
  for (const std::size_t band : {0, 2}) {
    for (const double gamma : {0.01, 0.1, 1.0, 10.0}) {
      const Options options{.soft_dtw = {.gamma = gamma, .band = band}};
      expect_local_minimum(waves, options);
      const Options none{.soft_dtw = options.soft_dtw, .max_iterations = 0};
      const SoftDtwBarycenter mean = soft_dtw_barycenter(waves.views, none);
      EXPECT_EQ(mean.report.status, Status::max_iterations);
      EXPECT_GT(mean.value, soft_dtw_barycenter(waves.views, options).value);
      for (std::size_t k = 0; k < mean.series.entries().size(); ++k) {
        double sum = 0;
        for (const auto& one : waves.owned) sum += one.entries()[k];
        EXPECT_NEAR(mean.series.entries()[k], sum / 4, 1e-15);
      }
    }
  }
}

TEST(SoftDtwBarycenter, StartsAtTheMeanOfStretchedSeries) {
  const Numbers line{0, 1, 2, 3, 4}, ends{10, 30}, point{7};
  const std::vector<MatrixView<const double>> series{
      {line.data(), 5, 1}, {ends.data(), 2, 1}, {point.data(), 1, 1}};
  const Numbers weights{1, 2, 1};
  const SoftDtwBarycenter mean = soft_dtw_barycenter(series, {.weights = weights, .max_iterations = 0});
  ASSERT_EQ(mean.series.rows(), 5U);
  for (std::size_t t = 0; t < 5; ++t) {
    const auto step = static_cast<double>(t);
    EXPECT_NEAR(mean.series(t, 0), (step + 2 * (10 + 5 * step) + 7) / 4, 1e-14);
  }
}

TEST(SoftDtwBarycenter, OfOneSeriesIsTheSeriesWithoutSmoothing) {
  const Waves waves({15}, 2);
  Random random(3);
  Matrix<double> start = waves.owned[0];
  for (double& entry : start.entries()) entry += 0.05 * random.normal();
  double last = 1e9;
  for (const double gamma : {1.0, 0.1, 0.01, 1e-4}) {
    const Options options{.soft_dtw = {.gamma = gamma}, .start = start.view()};
    const SoftDtwBarycenter found = soft_dtw_barycenter(waves.views, options);
    const double error = largest_difference(found.series.entries(), waves.owned[0].entries());
    EXPECT_LT(error, last);
    last = error;
  }
  EXPECT_LE(last, 1e-6);
}

TEST(SoftDtwBarycenter, TendsToTheMeanOverAllAlignmentsWithSmoothing) {
  const Waves waves({10, 10, 10}, 1);
  const SoftDtwBarycenter found = soft_dtw_barycenter(waves.views, {.soft_dtw = {.gamma = 1e7}});
  EXPECT_LE(found.report.residual, 1e-6);
  const Matrix<double> nothing(10, 10);
  Matrix<double> uniform(10, 10);
  soft_dtw(nothing.view(), uniform.view());
  for (std::size_t t = 0; t < 10; ++t) {
    double sum = 0;
    double mass = 0;
    for (const Matrix<double>& one : waves.owned) {
      for (std::size_t j = 0; j < 10; ++j) {
        sum += uniform(t, j) * one(j, 0);
        mass += uniform(t, j);
      }
    }
    EXPECT_NEAR(found.series(t, 0), sum / mass, 1e-5);
  }
}

TEST(SoftDtwBarycenter, TakesSeriesOfAnyLengths) {
  const Waves waves({9, 14, 1, 11}, 2);
  const Matrix<double> start(12, 2);
  for (const std::size_t band : {0, 3}) {
    const Options options{.soft_dtw = {.gamma = 0.5, .band = band}, .start = start.view()};
    expect_local_minimum(waves, options);
    EXPECT_EQ(soft_dtw_barycenter(waves.views, options).series.rows(), 12U);
  }
}

TEST(SoftDtwBarycenter, Weights) {
  const Waves waves({10, 10, 10}, 1);
  const SoftDtwOptions soft{.gamma = 0.1};
  const Numbers uneven{1, 0.5, 3};
  expect_local_minimum(waves, {.soft_dtw = soft, .weights = uneven});
  const Numbers equal{4, 4, 4};
  const auto plain = soft_dtw_barycenter(waves.views, {.soft_dtw = soft});
  const auto weighted = soft_dtw_barycenter(waves.views, {.soft_dtw = soft, .weights = equal});
  EXPECT_EQ(numbers(weighted.series.entries()), numbers(plain.series.entries()));
  const Numbers only{0, 2, 0};
  const auto second = soft_dtw_barycenter(waves.views, {.soft_dtw = soft, .weights = only});
  const auto alone = soft_dtw_barycenter(std::span(waves.views).subspan(1, 1), {.soft_dtw = soft});
  EXPECT_LE(largest_difference(second.series.entries(), alone.series.entries()), 1e-12);
}

TEST(SoftDtwBarycenter, ThreadsGiveTheSameBits) {
  const Waves waves({20, 17, 23, 20, 19, 20, 21}, 2);
  Options options{.soft_dtw = {.gamma = 0.3}, .start = waves.views[0]};
  const SoftDtwBarycenter one = soft_dtw_barycenter(waves.views, options);
  for (const int threads : {0, 2, 3}) {
    options.threads = threads;
    const SoftDtwBarycenter many = soft_dtw_barycenter(waves.views, options);
    EXPECT_EQ(numbers(many.series.entries()), numbers(one.series.entries()));
    EXPECT_EQ(many.value, one.value);
    EXPECT_EQ(many.report.iterations, one.report.iterations);
  }
}

TEST(SoftDtwBarycenter, UnitsDoNotMatter) {
  const Waves waves({12, 12, 12}, 1);
  const auto plain = soft_dtw_barycenter(waves.views);
  for (const double unit : {std::exp2(-60), std::exp2(60)}) {
    Waves scaled = waves;
    scaled.views.clear();
    for (Matrix<double>& one : scaled.owned) {
      for (double& entry : one.entries()) entry *= unit;
      scaled.views.push_back(one.view());
    }
    const auto found = soft_dtw_barycenter(scaled.views, {.soft_dtw = {.gamma = unit * unit}});
    EXPECT_EQ(found.report.status, Status::stationary);
    EXPECT_NEAR(found.value / (unit * unit), plain.value, 1e-9 * std::abs(plain.value));
  }
  const Numbers level(6, 0.1);  // no range at all
  const std::vector<MatrixView<const double>> levels(3, {level.data(), 6, 1});
  const auto found = soft_dtw_barycenter(levels);
  EXPECT_NE(found.report.status, Status::max_iterations);
  EXPECT_LE(largest_difference(found.series.entries(), level), 1e-15);
}

TEST(SoftDtwBarycenter, RefusesBadInput) {
  const Waves waves({4, 4}, 2);
  const auto complaint = [&](const Options& options) {
    return message_of([&] { soft_dtw_barycenter(waves.views, options); });
  };
  const auto complaint_of = [](const Waves& bad, const Options& options) {
    return message_of([&] { soft_dtw_barycenter(bad.views, options); });
  };
  using ::testing::HasSubstr;
  EXPECT_EQ(complaint({}), "");
  EXPECT_THAT(message_of([] { soft_dtw_barycenter({}); }), HasSubstr("series is empty"));
  EXPECT_THAT(complaint_of(Waves({4, 0}, 2), {}), HasSubstr("series[1] is empty"));
  EXPECT_THAT(complaint_of(Waves({4, 4}, 0), {}), HasSubstr("a step of series[0] is empty"));
  for (const double gamma : {0.0, -1.0, static_cast<double>(NAN)}) {
    EXPECT_THAT(complaint({.soft_dtw = {.gamma = gamma}}), HasSubstr("gamma is"));
  }
  const Numbers two{1, 2};
  const Numbers three{1, 2, 3};
  const Numbers negative{1, -2};
  const Numbers zeros{0, 0};
  const Numbers odd{1, NAN};
  EXPECT_THAT(complaint({.weights = three}), HasSubstr("weights"));
  EXPECT_THAT(complaint({.weights = negative}), HasSubstr("weights[1] is -2"));
  EXPECT_THAT(complaint({.weights = zeros}), HasSubstr("the sum of weights is 0"));
  EXPECT_THAT(complaint({.weights = odd}), HasSubstr("weights[1] is nan"));
  EXPECT_THAT(complaint({.start = {two.data(), 2, 1}}), HasSubstr("a step of start"));
  EXPECT_THAT(complaint({.start = {odd.data(), 1, 2}}), HasSubstr("start[0, 1] is nan"));
  EXPECT_THAT(complaint({.tolerance = -1}), HasSubstr("tolerance is -1"));
  EXPECT_THAT(complaint({.max_iterations = -1}), HasSubstr("max_iterations is -1"));
  Waves bad = waves;
  bad.views = {bad.owned[0].view(), bad.owned[1].view()};
  bad.owned[1](2, 1) = NAN;
  EXPECT_THAT(complaint_of(bad, {}), HasSubstr("series[1][2, 1] is nan"));
  bad.owned[1](2, 1) = 1e200;
  EXPECT_THAT(complaint_of(bad, {}), HasSubstr("values of series span 1e+200"));
  bad.views[1] = {two.data(), 2, 1};
  EXPECT_THAT(complaint_of(bad, {}), HasSubstr("a step of series[1]"));
}

}  // namespace
}  // namespace fenchel::test
