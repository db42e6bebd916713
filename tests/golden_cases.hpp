// SPDX-License-Identifier: Apache-2.0
// Reads the golden cases (one JSON object per line) and computes them through the public C++ interface.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "fenchel/core/views.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/regularizers/spec.hpp"

namespace fenchel::test {

using Json = nlohmann::json;

/// Float cases are those whose inputs are below this (golden/README.md).
inline constexpr double largest_float_input = 200;

/// |got − expect| ≤ t + t |expect|, with the tolerances of golden/README.md.
template <Real T>
inline constexpr double golden_tolerance = std::same_as<T, float> ? 2e-5 : 1e-9;

inline std::vector<Json> golden_cases(const std::string& file) {
  std::ifstream stream(std::string(FENCHEL_GOLDEN_DIR) + "/" + file);
  if (!stream) throw std::runtime_error("cannot open golden cases " + file);
  std::vector<Json> cases;
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) cases.push_back(Json::parse(line));
  }
  return cases;
}

/// A JSON list of numbers, "-inf" included.
template <Real T>
std::vector<T> golden_numbers(const Json& list) {
  std::vector<T> numbers;
  for (const Json& entry : list) {
    numbers.push_back(entry.is_string() ? -std::numeric_limits<T>::infinity() : entry.get<T>());
  }
  return numbers;
}

/// Whether every finite input of the case is small enough for single precision.
inline bool fits_float(const Json& golden) {
  double largest = 0;
  for (const char* key : {"theta", "eta", "v", "mu", "y"}) {
    if (!golden.contains(key)) continue;
    for (const double entry : golden_numbers<double>(golden[key])) {
      if (std::isfinite(entry)) largest = std::max(largest, std::abs(entry));
    }
  }
  return largest < largest_float_input;
}

/// What the library says: one number or many; "no margin" is empty.
template <Real T>
std::vector<double> golden_result(const Json& golden) {
  const FenchelYoungLoss loss(make_regularizer(golden["omega"].dump()));
  const std::string op = golden["op"];
  const auto numbers = [&](const char* key) { return golden_numbers<T>(golden.at(key)); };
  const auto widened = [](const std::vector<T>& values) {
    return std::vector<double>(values.begin(), values.end());
  };
  if (op == "margin") {
    const auto margin = loss.margin(golden["d"].get<std::size_t>());
    return margin ? std::vector<double>{*margin} : std::vector<double>{};
  }
  if (op == "value") return {loss.regularizer(golden_numbers<double>(golden["mu"]))};
  const std::vector<T> input = numbers(op == "prox" ? "eta" : "theta");
  const std::span<const T> theta(input);
  std::vector<T> out(theta.size());
  const std::span<T> written(out);
  if (op == "conjugate") return {loss.conjugate(theta)};
  if (op == "loss") {
    const std::vector<T> y = numbers("y");
    return {loss.value(theta, std::span<const T>(y))};
  }
  if (op == "predict") {
    loss.predict(theta, written);
  } else if (op == "gradient") {
    const std::vector<T> y = numbers("y");
    loss.gradient(theta, std::span<const T>(y), written);
  } else if (op == "prox") {
    loss.prox(theta, golden["tau"].get<double>(), written);
  } else if (op == "jvp") {
    const std::vector<T> v = numbers("v");
    loss.jvp(theta, std::span<const T>(v), written);
  } else {
    throw std::runtime_error("unknown op " + op);
  }
  return widened(out);
}

}  // namespace fenchel::test
