// SPDX-License-Identifier: Apache-2.0
// Checks at public boundaries. Each throws std::invalid_argument naming the argument, the value and what
// was expected: "theta[3] is nan; scores must be finite or -inf".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "fenchel/core/domain.hpp"
#include "fenchel/core/views.hpp"

namespace fenchel {

/// How far a row of proportions may be from summing to one: input rounded to six digits passes, a missing
/// or doubled class does not. Single precision adds its own rounding.
template <Real T>
inline constexpr double simplex_tolerance = std::same_as<std::remove_const_t<T>, float> ? 1e-4 : 1e-6;

/// A point that turned out to be outside a domain: "mu lies outside conv(Y) …". A caller that knows the point
/// by another name throws it again under that name.
class OutsideDomain : public std::invalid_argument {
 public:
  OutsideDomain(std::string_view name, std::string problem);
  const std::string& problem() const { return problem_; }  ///< the message without the name

 private:
  std::string problem_;
};

/// `what` followed by row and column in brackets; the row is left out when negative.
std::string entry_name(std::string_view what, std::ptrdiff_t row, std::size_t column);

void check_greater(std::string_view name, double value, double bound);   ///< value > bound (and no NaN)
void check_at_least(std::string_view name, double value, double bound);  ///< value ≥ bound (and no NaN)
void check_finite(std::string_view name, double value);
void check_size(std::string_view name, std::size_t actual, std::size_t expected);
void check_not_empty(std::string_view name, std::size_t size);
void check_label(std::string_view name, std::int64_t label, std::size_t classes, std::ptrdiff_t row = -1);

/// Every entry finite.
void check_finite(std::string_view name, std::span<const double> values, std::ptrdiff_t row = -1);
void check_finite(std::string_view name, std::span<const float> values, std::ptrdiff_t row = -1);

/// Scores for a domain: finite, or −inf where that is a mask. On the simplex, never a row of masks only (over
/// structures only the polytope can tell whether the masks leave one).
void check_scores(std::string_view name, std::span<const double> theta, Domain domain,
                  std::ptrdiff_t row = -1);
void check_scores(std::string_view name, std::span<const float> theta, Domain domain,
                  std::ptrdiff_t row = -1);

/// A point of a domain: on the simplex non-negative and summing to one, in the cube within [0, 1], in the
/// cone non-negative, and finite everywhere.
void check_point(std::string_view name, std::span<const double> mu, Domain domain, std::ptrdiff_t row = -1);
void check_point(std::string_view name, std::span<const float> mu, Domain domain, std::ptrdiff_t row = -1);

/// Every entry in [lower, upper], up to `simplex_tolerance`: what was computed or rounded passes.
void check_within(std::string_view name, std::span<const double> mu, double lower, double upper);

/// No mass on a masked output: y_j = 0 wherever θ_j = −inf.
void check_mass_on_masks(std::span<const double> theta, std::span<const double> y, std::ptrdiff_t row = -1);
void check_mass_on_masks(std::span<const float> theta, std::span<const float> y, std::ptrdiff_t row = -1);

/// `out` is `input` itself or does not touch it.
void check_overlap(std::string_view name, const void* input, const void* out, std::size_t bytes);

}  // namespace fenchel
