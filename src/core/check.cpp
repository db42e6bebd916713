// SPDX-License-Identifier: Apache-2.0
#include "fenchel/core/check.hpp"

#include <fmt/core.h>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

namespace fenchel {
namespace {

[[noreturn]] void reject(const std::string& message) { throw std::invalid_argument(message); }

std::string where(std::ptrdiff_t row) { return row < 0 ? std::string() : fmt::format(" in row {}", row); }

template <Real T>
void check_finite_entries(std::string_view name, std::span<const T> values, std::ptrdiff_t row) {
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (!std::isfinite(values[j])) {
      reject(fmt::format("{} is {}; values must be finite", entry_name(name, row, j), values[j]));
    }
  }
}

template <Real T>
void check_score_entries(std::string_view name, std::span<const T> theta, Domain domain, std::ptrdiff_t row) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const bool masks = allows_masks(domain);
  bool any_finite = theta.empty();
  for (std::size_t j = 0; j < theta.size(); ++j) {
    const bool masked = masks && theta[j] == -infinity;
    if (!masked && !std::isfinite(theta[j])) {
      reject(fmt::format("{} is {}; scores must be finite{}", entry_name(name, row, j), theta[j],
                         masks ? " or -inf" : ""));
    }
    any_finite = any_finite || !masked;
  }
  if (!any_finite && domain != Domain::cube && domain != Domain::polytope) {
    reject(fmt::format("{} is -inf everywhere{}; at least one score must be finite", name, where(row)));
  }
}

template <Real T>
void check_point_entries(std::string_view name, std::span<const T> mu, Domain domain, std::ptrdiff_t row) {
  check_finite_entries(name, mu, row);
  if (domain == Domain::reals || domain == Domain::polytope) return;
  double sum = 0;
  for (std::size_t j = 0; j < mu.size(); ++j) {
    if (mu[j] < 0) {
      reject(fmt::format("{} is {}; expected a value >= 0", entry_name(name, row, j), mu[j]));
    }
    if (domain == Domain::cube && mu[j] > 1) {
      reject(fmt::format("{} is {}; expected a value in [0, 1]", entry_name(name, row, j), mu[j]));
    }
    sum += static_cast<double>(mu[j]);
  }
  if (domain == Domain::simplex && !(std::abs(sum - 1) <= simplex_tolerance<T>)) {
    reject(fmt::format("{} sums to {}{}; expected 1", name, sum, where(row)));
  }
}

template <Real T>
void check_mass(std::span<const T> theta, std::span<const T> y, std::ptrdiff_t row) {
  for (std::size_t j = 0; j < theta.size(); ++j) {
    if (y[j] != 0 && theta[j] == -std::numeric_limits<T>::infinity()) {
      reject(fmt::format("{} is {} but {} is -inf; a masked output can have no mass", entry_name("y", row, j),
                         y[j], entry_name("theta", row, j)));
    }
  }
}

}  // namespace

OutsideDomain::OutsideDomain(std::string_view name, std::string problem)
    : std::invalid_argument(fmt::format("{} {}", name, problem)), problem_(std::move(problem)) {}

std::string entry_name(std::string_view what, std::ptrdiff_t row, std::size_t column) {
  return row < 0 ? fmt::format("{}[{}]", what, column) : fmt::format("{}[{}, {}]", what, row, column);
}

void check_greater(std::string_view name, double value, double bound) {
  if (!(value > bound)) reject(fmt::format("{} is {}; expected a number > {}", name, value, bound));
}

void check_at_least(std::string_view name, double value, double bound) {
  if (!(value >= bound)) reject(fmt::format("{} is {}; expected a number >= {}", name, value, bound));
}

void check_finite(std::string_view name, double value) {
  if (!std::isfinite(value)) reject(fmt::format("{} is {}; expected a finite number", name, value));
}

void check_size(std::string_view name, std::size_t actual, std::size_t expected) {
  if (actual != expected) {
    reject(
        fmt::format("{} has {} {}; expected {}", name, actual, actual == 1 ? "entry" : "entries", expected));
  }
}

void check_not_empty(std::string_view name, std::size_t size) {
  if (size == 0) reject(fmt::format("{} is empty; expected at least one entry", name));
}

void check_label(std::string_view name, std::int64_t label, std::size_t classes, std::ptrdiff_t row) {
  if (label < 0 || static_cast<std::uint64_t>(label) >= classes) {
    const std::string entry = row < 0 ? std::string(name) : fmt::format("{}[{}]", name, row);
    reject(fmt::format("{} is {}; expected a label in 0..{}", entry, label, classes - 1));
  }
}

void check_finite(std::string_view name, std::span<const double> values, std::ptrdiff_t row) {
  check_finite_entries(name, values, row);
}
void check_finite(std::string_view name, std::span<const float> values, std::ptrdiff_t row) {
  check_finite_entries(name, values, row);
}

void check_scores(std::string_view name, std::span<const double> theta, Domain domain, std::ptrdiff_t row) {
  check_score_entries(name, theta, domain, row);
}
void check_scores(std::string_view name, std::span<const float> theta, Domain domain, std::ptrdiff_t row) {
  check_score_entries(name, theta, domain, row);
}

void check_point(std::string_view name, std::span<const double> mu, Domain domain, std::ptrdiff_t row) {
  check_point_entries(name, mu, domain, row);
}
void check_point(std::string_view name, std::span<const float> mu, Domain domain, std::ptrdiff_t row) {
  check_point_entries(name, mu, domain, row);
}

void check_within(std::string_view name, std::span<const double> mu, double lower, double upper) {
  for (std::size_t j = 0; j < mu.size(); ++j) {
    if (mu[j] >= lower - simplex_tolerance<double> && mu[j] <= upper + simplex_tolerance<double>) continue;
    reject(upper < std::numeric_limits<double>::infinity()
               ? fmt::format("{} is {}; expected a value in [{}, {}]", entry_name(name, -1, j), mu[j], lower,
                             upper)
               : fmt::format("{} is {}; expected a value >= {}", entry_name(name, -1, j), mu[j], lower));
  }
}

void check_mass_on_masks(std::span<const double> theta, std::span<const double> y, std::ptrdiff_t row) {
  check_mass(theta, y, row);
}
void check_mass_on_masks(std::span<const float> theta, std::span<const float> y, std::ptrdiff_t row) {
  check_mass(theta, y, row);
}

void check_overlap(std::string_view name, const void* input, const void* out, std::size_t bytes) {
  const auto* first = static_cast<const std::byte*>(input);
  const auto* second = static_cast<const std::byte*>(out);
  const std::less<> before;  // a total order also over unrelated pointers
  if (first == second || !before(first, second + bytes) || !before(second, first + bytes)) return;
  reject(fmt::format("{} overlaps the input partly; expected the same memory or a separate buffer", name));
}

}  // namespace fenchel
