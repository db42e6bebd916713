// SPDX-License-Identifier: Apache-2.0
// Simple convex sets by name, with their Euclidean projections P(x) = argmin ½‖p − x‖² over p ∈ C and the
// Jacobians of these: boxes, balls, half-spaces, sections of boxes. With Ω = ½‖·‖² + I_C, P is ŷ_Ω (paper
// §3.2).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "fenchel/core/spec.hpp"

namespace fenchel {

/// lower ≤ x ≤ upper, with one bound for all entries or one for each; they may be infinite.
struct Box {
  std::vector<double> lower = {0};
  std::vector<double> upper = {1};

  static constexpr std::string_view name = "box";
  static constexpr auto parameters() {
    return std::tuple{Parameter{"lower", &Box::lower, "bounds from below: one, or one per entry"},
                      Parameter{"upper", &Box::upper, "bounds from above: one, or one per entry"}};
  }
  void check(std::size_t dimension) const;
  void project(std::span<const double> x, std::span<double> out) const;
  void jvp(std::span<const double> x, std::span<const double> v, std::span<double> out) const;
};

/// ‖x‖₁, ‖x‖₂ or ‖x‖_∞ ≤ radius.
struct Ball {
  double norm = 2;  ///< 1, 2 or infinity
  double radius = 1;

  static constexpr std::string_view name = "ball";
  static constexpr auto parameters() {
    return std::tuple{Parameter{"norm", &Ball::norm, "1, 2 or inf"},
                      Parameter{"radius", &Ball::radius, "the largest norm, >= 0"}};
  }
  void check(std::size_t dimension) const;
  void project(std::span<const double> x, std::span<double> out) const;
  void jvp(std::span<const double> x, std::span<const double> v, std::span<double> out) const;
};

/// ⟨w, x⟩ ≤ c.
struct HalfSpace {
  std::vector<double> w = {1};  ///< one for all entries, or one for each; not all 0
  double c = 0;

  static constexpr std::string_view name = "half_space";
  static constexpr auto parameters() {
    return std::tuple{Parameter{"w", &HalfSpace::w, "weights: one, or one per entry"},
                      Parameter{"c", &HalfSpace::c, "the largest sum of w x"}};
  }
  void check(std::size_t dimension) const;
  void project(std::span<const double> x, std::span<double> out) const;
  void jvp(std::span<const double> x, std::span<const double> v, std::span<double> out) const;
};

/// ⟨w, x⟩ = c.
struct Hyperplane {
  std::vector<double> w = {1};
  double c = 0;

  static constexpr std::string_view name = "hyperplane";
  static constexpr auto parameters() {
    return std::tuple{Parameter{"w", &Hyperplane::w, "weights: one, or one per entry"},
                      Parameter{"c", &Hyperplane::c, "the sum of w x"}};
  }
  void check(std::size_t dimension) const;
  void project(std::span<const double> x, std::span<double> out) const;
  void jvp(std::span<const double> x, std::span<const double> v, std::span<double> out) const;
};

/// lower ≤ x ≤ upper and ⟨w, x⟩ = c. With lower = 0, upper = inf, w = 1 and c = 1 it is the simplex; with
/// upper = 1 and c = k instead, a budget of k.
struct BoxSection {
  std::vector<double> lower = {0};
  std::vector<double> upper = {1};
  std::vector<double> w = {1};
  double c = 1;

  static constexpr std::string_view name = "box_section";
  static constexpr auto parameters() {
    return std::tuple{Parameter{"lower", &BoxSection::lower, "bounds from below: one, or one per entry"},
                      Parameter{"upper", &BoxSection::upper, "bounds from above: one, or one per entry"},
                      Parameter{"w", &BoxSection::w, "weights: one, or one per entry"},
                      Parameter{"c", &BoxSection::c, "the sum of w x"}};
  }
  void check(std::size_t dimension) const;
  void project(std::span<const double> x, std::span<double> out) const;
  void jvp(std::span<const double> x, std::span<const double> v, std::span<double> out) const;
};

/// Any of them.
using ConvexSet = std::variant<Box, Ball, HalfSpace, Hyperplane, BoxSection>;

/// The set that a spec names: {"name": "box", "lower": 0, "upper": 1}. Unknown names and parameters suggest
/// the nearest known one.
ConvexSet make_convex_set(const Spec& spec);
ConvexSet make_convex_set(std::string_view text);
/// The names, in order.
std::vector<std::string_view> convex_set_names();

/// P(x). Throws std::invalid_argument if the set has no point of that size, or x is not finite.
void project(const ConvexSet& set, std::span<const double> x, std::span<double> out);
/// J v with the Jacobian J of P at x, which is symmetric; where P has a kink, one of its limits.
void project_jvp(const ConvexSet& set, std::span<const double> x, std::span<const double> v,
                 std::span<double> out);

}  // namespace fenchel
