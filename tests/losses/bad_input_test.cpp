// SPDX-License-Identifier: Apache-2.0
// Wrong input of every kind is refused with the argument, the value and the expectation, for every Ω.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const double nan = std::nan("");
const double inf = std::numeric_limits<double>::infinity();

class BadInput : public testing::TestWithParam<Named> {
 protected:
  std::size_t d() const { return GetParam().d == 0 ? 4 : GetParam().d; }
  Loss loss() const { return Loss(GetParam().omega); }
  bool simplex() const { return GetParam().traits().domain == Domain::simplex; }
  Vector target() const { return vertex(d(), 0); }
  template <class T>
  std::string predicting(const Vector& theta) const {
    const std::vector<T> scores(theta.begin(), theta.end());
    std::vector<T> out(theta.size());
    return message_of([&] { loss().predict(std::span<const T>(scores), std::span<T>(out)); });
  }
};

TEST_P(BadInput, Scores) {
  Vector theta(d(), 0.5);
  theta[1] = nan;
  EXPECT_THAT(predicting<double>(theta),
              AllOf(HasSubstr("theta[1] is nan"), HasSubstr("scores must be finite")));
  EXPECT_THAT(predicting<float>(theta), HasSubstr("theta[1] is nan"));
  theta[1] = inf;
  EXPECT_THAT(predicting<double>(theta), HasSubstr("theta[1] is inf"));
  EXPECT_THAT(predicting<float>(theta), HasSubstr("theta[1] is inf"));
  theta.assign(d(), mask);
  if (simplex()) {
    EXPECT_THAT(predicting<double>(theta), HasSubstr("-inf everywhere"));
    EXPECT_THAT(predicting<float>(theta), HasSubstr("-inf everywhere"));
  }
  EXPECT_THAT(predicting<double>({}), HasSubstr("theta is empty; expected at least one entry"));
}

TEST_P(BadInput, Targets) {
  const Vector theta(d(), 0.5);
  const auto valuing = [&](const Vector& y) { return message_of([&] { loss().value(theta, y); }); };
  Vector y = target();
  y[1] = nan;
  EXPECT_THAT(valuing(y), HasSubstr("y[1] is nan"));
  y = target();
  y[1] = -0.25;
  const Domain domain = GetParam().traits().domain;
  if (domain != Domain::reals) {
    EXPECT_THAT(valuing(y), AllOf(HasSubstr("y[1] is -0.25"), HasSubstr(">= 0")));
  }
  y[1] = 0.5;
  if (simplex()) {
    EXPECT_THAT(valuing(y), AllOf(HasSubstr("y sums to 1.5"), HasSubstr("expected 1")));
  }
  y[1] = 2;
  if (domain == Domain::cube) {
    EXPECT_THAT(valuing(y), HasSubstr("expected a value in [0, 1]"));
  }
  EXPECT_THAT(valuing(Vector(d() + 1, 0)), HasSubstr("expected " + std::to_string(d())));
  for (const std::int64_t label : {std::int64_t{-1}, static_cast<std::int64_t>(d())}) {
    EXPECT_THAT(message_of([&] { loss().value(theta, label); }),
                AllOf(HasSubstr("y is " + std::to_string(label)), HasSubstr("expected a label in 0..")));
  }
}

TEST_P(BadInput, MassOnAMask) {
  if (!allows_masks(GetParam().traits().domain)) GTEST_SKIP() << "no masks";
  Vector theta(d(), 0.5);
  theta[0] = mask;
  EXPECT_THAT(message_of([&] { loss().value(theta, target()); }),
              HasSubstr("a masked output can have no mass"));
  EXPECT_THAT(message_of([&] { loss().value(theta, std::int64_t{0}); }),
              HasSubstr("a masked output can have no mass"));
}

TEST_P(BadInput, Lengths) {
  const Vector theta(d(), 0.5), short_one(d() - 1, 0.5);
  Vector out(d()), short_out(d() - 1);
  EXPECT_THAT(message_of([&] { loss().predict(theta, short_out); }),
              HasSubstr("out has " + std::to_string(d() - 1)));
  EXPECT_THAT(message_of([&] { loss().jvp(theta, short_one, out); }),
              HasSubstr("v has " + std::to_string(d() - 1)));
  EXPECT_NE(message_of([&] { loss().jvp(theta, theta, short_out); }), "");
  EXPECT_NE(message_of([&] { loss().prox(theta, 1, short_out); }), "");
  EXPECT_NE(message_of([&] { loss().value_and_gradient(theta, target(), short_out); }), "");
  EXPECT_NE(message_of([&] { loss().link(target(), short_out); }), "");
  EXPECT_THAT(message_of([&] { loss().margin(0); }), HasSubstr("d is empty"));
}

TEST_P(BadInput, ProxAndJvp) {
  Vector eta(d(), 0.5), out(d());
  if (GetParam().traits().convex) {
    EXPECT_THAT(message_of([&] { loss().prox(eta, -1, out); }),
                HasSubstr("tau is -1; expected a number >= 0"));
    EXPECT_THAT(message_of([&] { loss().prox(eta, nan, out); }), HasSubstr("tau is nan"));
    EXPECT_THAT(message_of([&] { loss().prox(eta, inf, out); }), HasSubstr("tau is inf"));
    eta[1] = mask;
    EXPECT_THAT(message_of([&] { loss().prox(eta, 1, out); }), HasSubstr("eta[1] is -inf"));
  } else {
    EXPECT_THAT(message_of([&] { loss().prox(eta, 1, out); }), HasSubstr("not convex"));
  }
  Vector v(d(), 1.0);
  v[1] = inf;
  EXPECT_THAT(message_of([&] { loss().jvp(Vector(d(), 0.5), v, out); }), HasSubstr("v[1] is inf"));
}

INSTANTIATE_TEST_SUITE_P(All, BadInput, testing::ValuesIn(every_regularizer()), name_of);

TEST(BadBatch, NamesTheRow) {
  Vector theta(300, 0.5), out(300), weights(100, 1);
  theta[3 * 50 + 2] = nan;
  const MatrixView<const double> scores(theta.data(), 100, 3);
  for (const char* spec : {"shannon", "tsallis:alpha=1.5", "norm:q=2", "sigmoid", "shannon:temperature=2"}) {
    const AnyRegularizer omega = make_regularizer(spec);
    EXPECT_THAT(
        message_of([&] { FenchelYoungLoss(omega).predict(scores, MatrixView<double>(out.data(), 100, 3)); }),
        HasSubstr("theta[50, 2] is nan"))
        << spec;
    Vector copy = theta;  // in place the row is still named
    const MatrixView<double> same(copy.data(), 100, 3);
    EXPECT_THAT(message_of([&] { FenchelYoungLoss(omega).predict(same, same); }), HasSubstr("50")) << spec;
  }
  theta[3 * 50 + 2] = 0;
  std::vector<std::int32_t> labels(100, 1);
  labels[7] = 3;
  const Targets<double> targets{std::span<const std::int32_t>(labels)};
  EXPECT_THAT(message_of([&] { FenchelYoungLoss(Shannon{}).value(scores, targets, {}); }),
              HasSubstr("y[7] is 3; expected a label in 0..2"));
  labels[7] = 0;
  weights[4] = -1;
  EXPECT_THAT(
      message_of([&] { FenchelYoungLoss(Shannon{}).value(scores, targets, {}, {.weights = weights}); }),
      HasSubstr("weights[4] is -1"));
  weights.resize(99);
  EXPECT_THAT(
      message_of([&] { FenchelYoungLoss(Shannon{}).value(scores, targets, {}, {.weights = weights}); }),
      HasSubstr("weights has 99 entries; expected 100"));
  Vector losses(5);
  EXPECT_THAT(message_of([&] { FenchelYoungLoss(Shannon{}).value(scores, targets, losses); }),
              HasSubstr("losses has 5 entries"));
  labels.resize(50);
  const Targets<double> fewer{std::span<const std::int32_t>(labels)};
  EXPECT_THAT(message_of([&] { FenchelYoungLoss(Shannon{}).value(scores, fewer, {}); }),
              HasSubstr("y has 50 entries; expected 100"));
}

}  // namespace
}  // namespace fenchel::test
