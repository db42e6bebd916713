// SPDX-License-Identifier: Apache-2.0
// A batch is its rows, and has the same bits for any number of threads.
#include <cstring>

#include "properties/property.hpp"

namespace fenchel::test {
namespace {

class RowsProperty : public testing::TestWithParam<Named> {
 protected:
  const Named& named() const { return GetParam(); }
  const AnyRegularizer& omega() const { return GetParam().omega; }
};

template <Real T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// A row alone may go through another SIMD path than in a block: equal to a few roundings.
template <Real T>
constexpr double row_tolerance = std::same_as<T, float> ? 1e-6 : 1e-13;

template <Real T>
void check_batch(const AnyRegularizer& omega, std::size_t d, std::uint64_t seed) {
  const Loss loss(omega);
  Random random(seed);
  const std::size_t rows = 1 + random.below(40);
  std::vector<T> theta(rows * d), y(rows * d), together(rows * d), gradient(rows * d), alone(d);
  for (T& entry : theta) entry = static_cast<T>(random.normal());
  for (std::size_t i = 0; i < rows; ++i) {
    const Vector target = domain_point(random, d, omega.refined_traits().domain);
    for (std::size_t j = 0; j < d; ++j) y[i * d + j] = static_cast<T>(target[j]);
  }
  Vector losses(rows), conjugates(rows);
  const MatrixView<const T> scores(theta.data(), rows, d), targets(y.data(), rows, d);
  loss.predict(scores, MatrixView<T>(together.data(), rows, d));
  FenchelYoungLoss(omega).conjugate(scores, conjugates);
  const BatchLoss total =
      loss.value_and_gradient(scores, targets, losses, MatrixView<T>(gradient.data(), rows, d));
  double sum = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    loss.predict(scores.row(i), std::span<T>(alone));
    for (std::size_t j = 0; j < d; ++j) {
      const double size = 1 + std::abs(static_cast<double>(alone[j]));
      require_at_most(std::abs(static_cast<double>(alone[j] - together[i * d + j])), row_tolerance<T> * size,
                      "prediction");
      require_at_most(std::abs(static_cast<double>(alone[j] - y[i * d + j] - gradient[i * d + j])),
                      2 * row_tolerance<T> * (size + static_cast<double>(std::abs(y[i * d + j]))),
                      "gradient");
    }
    const double one = loss.value(scores.row(i), targets.row(i));
    require_at_most(std::abs(one - losses[i]), row_tolerance<T> * (10 + one), "loss");
    const double conjugate = loss.conjugate(scores.row(i));
    require_at_most(std::abs(conjugate - conjugates[i]), row_tolerance<T> * (10 + std::abs(conjugate)),
                    "conjugate");
    sum += losses[i];
  }
  require_at_most(std::abs(sum - total.total), 1e-13 * (1 + sum), "total");
}

TEST_P(RowsProperty, BatchIsItsRows) {
  check_property(named(), {.runs = 15, .classes = {1, 2, 3, 5, 17}}, [&](const Draw& draw, Random&) {
    check_batch<double>(omega(), draw.d, draw.seed);
    check_batch<float>(omega(), draw.d, draw.seed);
  });
}

template <Real T>
void check_threads(const AnyRegularizer& omega, std::size_t d) {
  Random random(11);
  const std::size_t rows = 70000 / d;  // several blocks
  std::vector<T> theta(rows * d);
  for (T& entry : theta) entry = static_cast<T>(2 * random.normal());
  std::vector<std::int32_t> labels(rows);
  for (auto& label : labels) label = static_cast<std::int32_t>(random.below(d));
  const Targets<T> targets{std::span<const std::int32_t>(labels)};
  std::vector<std::vector<T>> gradients;
  std::vector<Vector> losses;
  Vector totals;
  for (const int threads : {1, 2, 3}) {
    std::vector<T> gradient(rows * d);
    Vector values(rows);
    const BatchLoss total = FenchelYoungLoss(omega).value_and_gradient(
        MatrixView<const T>(theta.data(), rows, d), targets, values, MatrixView<T>(gradient.data(), rows, d),
        {.threads = threads});
    gradients.push_back(gradient);
    losses.push_back(values);
    totals.push_back(total.total);
  }
  for (std::size_t run = 1; run < totals.size(); ++run) {
    EXPECT_TRUE(same_bits(gradients[0], gradients[run]));
    EXPECT_TRUE(same_bits(losses[0], losses[run]));
    EXPECT_EQ(totals[0], totals[run]);
  }
}

TEST_P(RowsProperty, SameBitsForAnyNumberOfThreads) {
  const std::size_t fixed = named().d;
  check_threads<float>(omega(), fixed > 0 ? fixed : 7);
  check_threads<double>(omega(), fixed > 0 ? fixed : 130);
}

INSTANTIATE_TEST_SUITE_P(All, RowsProperty, testing::ValuesIn(every_regularizer()), name_of);

}  // namespace
}  // namespace fenchel::test
