// SPDX-License-Identifier: Apache-2.0
// The three root finders agree, keep their brackets, and end on functions made to break them.
#include "fenchel/solvers/root.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace fenchel {
namespace {

const std::vector<RootMethod> methods{RootMethod::bisection, RootMethod::toms748, RootMethod::newton};

TEST(Root, MethodsAgree) {
  for (const double target : {1e-9, 0.3, 2.0, 7.9}) {
    for (const RootMethod method : methods) {
      const auto phi = [&](double x) { return RootSample{std::exp(-x) - std::exp(-target), -std::exp(-x)}; };
      const Root root = find_root(phi, 0, 20, {.method = method});
      EXPECT_NEAR(root.x, target, 1e-15 * std::exp(target) + 1e-15) << to_string(method);
      EXPECT_LE(root.lower, root.x);
      EXPECT_GE(root.upper, root.x);
      EXPECT_TRUE(root.report.converged()) << to_string(method);
    }
  }
}

TEST(Root, EndsThatMissTheirSignAreReturned) {
  for (const RootMethod method : methods) {
    EXPECT_EQ(find_root([](double x) { return RootSample{-1 - x, -1}; }, 0, 1, {.method = method}).x, 0);
    EXPECT_EQ(find_root([](double x) { return RootSample{2 - x, -1}; }, 0, 1, {.method = method}).x, 1);
    EXPECT_EQ(find_root(
                  [](double x) {
                    return RootSample{0.5 - x, -1};
                  },
                  0.5, 0.5, {.method = method})
                  .x,
              0.5);
  }
}

TEST(Root, PathologicalFunctionsEnd) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::function<RootSample(double)>> functions{
      [](double x) {
        return RootSample{x < 0.7 ? 1.0 : -1.0, 0};
      },  // a jump, no slope
      [](double x) {
        return RootSample{x < 0.7 ? 1e-300 : -1e300, -1e-300};
      },  // wild sizes
      [](double x) {
        return RootSample{-std::pow(x - 0.7, 9), -9 * std::pow(x - 0.7, 8)};
      },  // flat
      [=](double x) {
        return RootSample{0.7 - x, nan};
      },  // a useless slope
      [](double x) {
        return RootSample{0.7 - x, 1};
      },  // a wrong one
      [](double x) {
        return RootSample{x == 0 ? 1.0 : -1e-3, -1e6};
      },  // only the end is positive
      [=](double x) {
        return RootSample{x <= 0 ? 1.0 : (x >= 2 ? -1.0 : nan), -1};
      }};  // undefined inside
  for (std::size_t i = 0; i < functions.size(); ++i) {
    for (const RootMethod method : methods) {
      int calls = 0;
      const auto counted = [&](double x) { return ++calls, functions[i](x); };
      const Root root = find_root(counted, 0, 2, {.method = method});
      EXPECT_LE(calls, 5000) << i << " " << to_string(method);
      // A bracket within [0, 2] whose ends have their signs (undefined counts as negative), and one of them.
      EXPECT_GE(root.lower, 0);
      EXPECT_LE(root.upper, 2);
      EXPECT_GE(functions[i](root.lower).value, 0) << i << " " << to_string(method);
      EXPECT_FALSE(functions[i](root.upper).value > 0) << i << " " << to_string(method);
      EXPECT_TRUE(root.x == root.lower || root.x == root.upper) << i << " " << to_string(method);
      if (root.report.residual > 0) {  // else x is a root, wherever the other end is
        EXPECT_LE(root.upper - root.lower, 1e-15) << i << " " << to_string(method);
      }
      if (i < 2) {
        EXPECT_NEAR(root.x, 0.7, 1e-15) << i << " " << to_string(method);
      }
      if (i == 3 || i == 4) {
        EXPECT_NEAR(root.x, 0.7, 1e-12) << i << " " << to_string(method);
      }
    }
  }
}

TEST(Root, StopsAtTheBudgetAndAtTheResidual) {
  const auto phi = [](double x) { return RootSample{0.123456789 - x * x, -2 * x}; };
  for (const RootMethod method : methods) {
    EXPECT_EQ(find_root(phi, 0.01, 1, {.method = method, .max_iterations = 4}).report.status,
              Status::max_iterations);
    const Root loose = find_root(phi, 0.01, 1, {.method = method, .residual = 1e-3});
    EXPECT_LE(loose.report.residual, 1e-3);
    EXPECT_LT(loose.report.iterations, 16);
  }
  for (const RootMethod method : methods) EXPECT_EQ(root_method(to_string(method)), method);
  EXPECT_EQ(root_method("brent"), std::nullopt);
}

}  // namespace
}  // namespace fenchel
