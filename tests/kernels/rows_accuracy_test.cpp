// SPDX-License-Identifier: Apache-2.0
// Predictions and summaries of every kernel against long double, on every instruction set of this CPU, for
// inputs that are easy and inputs that are not.
#include <gtest/gtest.h>

#include <span>

#include "reference.hpp"

namespace fenchel::test {
namespace {

// Absolute errors of a probability and of a row's sum: a few roundings of T. In double the error of u is that
// of θ/q, which p = u^q multiplies by q.
template <class T>
constexpr double entry_tolerance = sizeof(T) == 8 ? 1e-14 : 4e-7;
template <class T>
constexpr double sum_tolerance = sizeof(T) == 8 ? 4e-15 : 3e-7;
template <class T>
constexpr double conjugate_tolerance = sizeof(T) == 8 ? 1e-14 : 1e-6;
constexpr double kkt_tolerance = 1e-12;

// The reference needs a power in long double for every α but these.
constexpr double fast_alphas[] = {1.0, 1.5, 2.0};
constexpr double slow_alphas[] = {1.05, 1.1, 1.2, 1.25, 1.3, 1.8, 1.95};

template <class T>
void check_row(double alpha, const std::vector<T>& theta, const Prediction& expected,
               const std::string& what) {
  const std::size_t cols = theta.size();
  std::vector<T> p(cols);
  double shift = 0;
  double conjugate = 0;
  const MatrixView<const T> view(theta.data(), 1, cols);
  const RowSummaries summaries{{&shift, 1}, {&conjugate, 1}};
  ASSERT_EQ(predict<T>(alpha, view, MatrixView<T>(p.data(), 1, cols), summaries), 1U) << what;
  long double sum = 0;
  long double error = 0;
  for (std::size_t i = 0; i < cols; ++i) {
    ASSERT_GE(p[i], T{0}) << what << " entry " << i;
    if (std::isinf(theta[i])) {
      ASSERT_EQ(p[i], T{0}) << what << " entry " << i;
    }
    sum += p[i];
    error = std::max(error, std::abs(p[i] - expected.p[i]));
  }
  EXPECT_LE(static_cast<double>(error), entry_tolerance<T>) << what;
  EXPECT_NEAR(static_cast<double>(sum), 1.0, sum_tolerance<T>) << what;
  EXPECT_EQ(shift, static_cast<double>(expected.shift)) << what;
  const double scale = std::max(1.0, static_cast<double>(expected.conjugate));
  EXPECT_NEAR(conjugate, static_cast<double>(expected.conjugate), conjugate_tolerance<T> * scale) << what;
  if constexpr (sizeof(T) == 8) {
    if (alpha == 1.0) return;
    // On the support θ_i − p_i^{α−1}/(α−1) is the same for all i.
    const long double q = 1.0L / (static_cast<long double>(alpha) - 1);
    for (std::size_t i = 0; i < cols; ++i) {
      if (p[i] < T(1e-3)) continue;
      const long double residual =
          (theta[i] - expected.shift) - q * (std::pow(static_cast<long double>(p[i]), 1 / q) + expected.tau);
      EXPECT_LE(std::abs(static_cast<double>(residual)), kkt_tolerance * static_cast<double>(q)) << what;
    }
  }
}

/// Every score vector of one length, every α, every instruction set.
template <class T>
void check_length(std::size_t cols, std::span<const double> alphas) {
  for (const auto& [name, theta] : score_vectors<T>(cols, static_cast<unsigned>(cols))) {
    for (const double alpha : alphas) {
      const Prediction expected = reference(theta.data(), cols, alpha);
      for_each_target([&, &name = name, &theta = theta](const std::string& target) {
        check_row<T>(
            alpha, theta, expected,
            name + ", d = " + std::to_string(cols) + ", alpha = " + std::to_string(alpha) + ", " + target);
      });
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

template <class T>
class RowsAccuracy : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(RowsAccuracy, Scalars);

TYPED_TEST(RowsAccuracy, ShortRows) {
  for (std::size_t cols = 1; cols <= 130; ++cols) check_length<TypeParam>(cols, fast_alphas);
  for (std::size_t cols : {1, 2, 3, 5, 8, 9, 17, 33, 100, 129}) check_length<TypeParam>(cols, slow_alphas);
}

TYPED_TEST(RowsAccuracy, LongRows) {
  for (std::size_t cols : {255, 256, 257, 1000, 2049, 4100}) check_length<TypeParam>(cols, fast_alphas);
  check_length<TypeParam>(300, slow_alphas);
}

TYPED_TEST(RowsAccuracy, VeryLongRows) { check_length<TypeParam>(100007, fast_alphas); }

// The conjugate of a confident row keeps its relative accuracy down to the smallest loss.
TYPED_TEST(RowsAccuracy, TinyConjugates) {
  using T = TypeParam;
  for_each_target([](const std::string& target) {
    SCOPED_TRACE(target);
    for (std::size_t cols : {2, 10, 100, 300, 3000, 20000}) {
      for (const double gap : {2.0, 6.0, 12.0, 20.0, 40.0, 80.0}) {
        std::vector<T> theta(cols, T(-gap));
        theta[cols - 1] = 0;
        std::vector<T> p(cols);
        double shift = 0;
        double conjugate = 0;
        kernels::softmax(MatrixView<const T>(theta.data(), 1, cols), MatrixView<T>(p.data(), 1, cols),
                         {{&shift, 1}, {&conjugate, 1}});
        const double expected = std::log1p(static_cast<double>(cols - 1) * std::exp(-gap));
        EXPECT_NEAR(conjugate / expected, 1.0, sizeof(T) == 8 ? 1e-13 : 2e-5) << cols << " gap " << gap;
      }
    }
  });
}

}  // namespace
}  // namespace fenchel::test
