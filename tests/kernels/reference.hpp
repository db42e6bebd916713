// SPDX-License-Identifier: Apache-2.0
// What the kernel tests compare with: predictions and conjugates in long double, straight from the
// definition, and score vectors that have broken such kernels before.
#pragma once

#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/rows.hpp"

namespace fenchel::test {

/// alpha = 1 stands for softmax.
struct Prediction {
  std::vector<long double> p;
  long double shift = 0;
  long double conjugate = 0;
  long double tau = 0;  // of p = [(θ − shift)(α−1) − τ]_+^{1/(α−1)}
};

inline long double raise(long double u, long double q) {
  if (u <= 0) return 0;
  if (q == 1) return u;
  if (q == 2) return u * u;
  return std::pow(u, q);
}

template <class T>
Prediction reference(const T* theta, std::size_t cols, double alpha) {
  Prediction result;
  result.p.resize(cols);
  result.shift = *std::max_element(theta, theta + cols);
  if (alpha == 1.0) {
    long double others = 0;
    bool skipped = false;
    for (std::size_t i = 0; i < cols; ++i) {
      result.p[i] = std::exp(theta[i] - result.shift);
      if (!skipped && theta[i] == result.shift) {
        skipped = true;
      } else {
        others += result.p[i];
      }
    }
    for (long double& p : result.p) p /= 1 + others;
    result.conjugate = std::log1p(others);
    return result;
  }
  const double whole = std::round(1.0 / (alpha - 1.0));
  const bool is_whole = std::abs(1.0 / (alpha - 1.0) - whole) < 1e-12;
  const long double q =
      is_whole ? static_cast<long double>(whole) : 1.0L / (static_cast<long double>(alpha) - 1);
  const long double a = 1 + 1 / q;
  std::vector<long double> z;
  for (std::size_t i = 0; i < cols; ++i) {
    const long double score = (theta[i] - result.shift) / q;
    if (score > -1) z.push_back(score);
  }
  long double low = -1;
  long double high = 0;
  for (int i = 0; i < 70; ++i) {
    const long double middle = (low + high) / 2;
    long double mass = 0;
    for (long double score : z) mass += raise(score - middle, q);
    (mass >= 1 ? low : high) = middle;
  }
  result.tau = low;
  long double mass = 0;
  for (std::size_t i = 0; i < cols; ++i) {
    mass += result.p[i] = raise((theta[i] - result.shift) / q - low, q);
  }
  for (std::size_t i = 0; i < cols; ++i) {
    long double& p = result.p[i];
    p /= mass;
    if (p > 0) result.conjugate += (theta[i] - result.shift) * p - (std::pow(p, a) - p) / (a * (a - 1));
  }
  return result;
}

template <class T>
std::size_t predict(double alpha, MatrixView<const T> theta, MatrixView<T> out, RowSummaries summaries = {}) {
  if (alpha == 1.0) return kernels::softmax(theta, out, summaries);
  if (alpha == 2.0) return kernels::sparsemax(theta, out, summaries);
  if (alpha == 1.5) return kernels::entmax15(theta, out, summaries);
  return kernels::entmax(theta, out, alpha, summaries);
}

/// Named score vectors of one length.
template <class T>
std::vector<std::pair<std::string, std::vector<T>>> score_vectors(std::size_t cols, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  const T mask = -std::numeric_limits<T>::infinity();
  std::vector<std::pair<std::string, std::vector<T>>> cases;
  const auto add = [&](const std::string& name, auto score) {
    std::vector<T> row(cols);
    for (std::size_t i = 0; i < cols; ++i) row[i] = static_cast<T>(score(i));
    cases.emplace_back(name, std::move(row));
  };
  for (double sigma : {1e-6, 1e-4, 0.1, 1.0, 4.0, 30.0, 1e3}) {
    add("sigma " + std::to_string(sigma), [&](std::size_t) { return sigma * normal(generator); });
  }
  const double n = static_cast<double>(cols);
  add("all equal", [](std::size_t) { return 0.7; });
  add("two values", [](std::size_t i) { return i % 3 == 0 ? 0.3 : 0.0; });
  add("ascending", [&](std::size_t i) { return static_cast<double>(i) / n; });
  add("descending", [&](std::size_t i) { return -3.0 * static_cast<double>(i) / n; });
  add("geometric", [](std::size_t i) { return -std::pow(0.9, static_cast<double>(i)); });
  add("ties", [&](std::size_t) { return std::round(2.0 * normal(generator)); });
  add("shift up", [&](std::size_t) { return 1e6 + normal(generator); });
  add("shift down", [&](std::size_t) { return -1e6 + normal(generator); });
  add("masked", [&](std::size_t i) { return i % 4 != 1 || cols == 1 ? normal(generator) : mask; });
  add("one left", [&](std::size_t i) { return i + 1 == cols ? -5.0 : static_cast<double>(mask); });
  add("confident", [&](std::size_t i) { return i == cols / 2 ? 17.0 : normal(generator); });
  add("huge spread", [](std::size_t i) { return i % 2 == 0 ? -1e30 : 1e30; });
  return cases;
}

/// Runs `body` once for each instruction set that is compiled in and that this CPU has.
template <class Body>
void for_each_target(const Body& body) {
  const std::int64_t supported = hwy::SupportedTargets();
  std::set<std::string> seen;
  for (std::int64_t rest = supported; rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest & -rest);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    const std::string name = kernels::simd_target();
    if (seen.insert(name).second) body(name);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace fenchel::test
