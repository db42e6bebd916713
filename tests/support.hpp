// SPDX-License-Identifier: Apache-2.0
// What many tests share: every Ω of the list with combinators around some, random scores and points of a
// domain, and plain dense arithmetic on vectors.
#pragma once

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "fenchel/core/domain.hpp"
#include "fenchel/core/random.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/regularizers/all.hpp"
#include "fenchel/regularizers/separable.hpp"
#include "fenchel/regularizers/spec.hpp"

namespace fenchel::test {

using Vector = std::vector<double>;
using Loss = FenchelYoungLoss;

inline constexpr double mask = -std::numeric_limits<double>::infinity();

/// An Ω with the name under which tests report it; `d` is 0 unless its parameters fix the number of classes.
struct Named {
  std::string name;
  AnyRegularizer omega;
  std::size_t d = 0;

  Traits traits() const { return omega.refined_traits(); }
  friend std::ostream& operator<<(std::ostream& stream, const Named& named) { return stream << named.name; }
};

/// {"name":"tsallis","alpha":1.5} in letters, digits and underscores, which is what GoogleTest accepts.
std::string test_name(const AnyRegularizer& omega);

/// A user's uniformly separable Ω, g(t) = (t^1.7 − t)/1.19, with a numeric inverse.
Separable user_separable();

/// Every example of the list that is not over structures, and combinators around several.
const std::vector<Named>& every_regularizer();
/// Whether a spec says all of Ω, as those of the list do; functions of a user have no text.
bool has_text(const AnyRegularizer& omega);

/// Those that satisfy a condition on their traits.
template <class Condition>
std::vector<Named> regularizers_where(Condition condition) {
  std::vector<Named> chosen;
  for (const Named& named : every_regularizer()) {
    if (condition(named)) chosen.push_back(named);
  }
  return chosen;
}

/// The name of an instantiated test.
inline constexpr auto name_of = [](const auto& info) { return info.param.name; };

// ---------------------------------------------------------------- random input

Vector normal_vector(Random& random, std::size_t d, double spread = 1, double shift = 0);
/// A point of the simplex: a vertex, sparse or dense.
Vector simplex_point(Random& random, std::size_t d);
/// A point strictly inside the simplex.
Vector interior_point(Random& random, std::size_t d);
/// A point of the domain, boundary included.
Vector domain_point(Random& random, std::size_t d, Domain domain);

// ---------------------------------------------------------------- arithmetic

double dot(const Vector& a, const Vector& b);
/// a + t b.
Vector moved(Vector a, double t, const Vector& b);
Vector scaled(Vector a, double t);
Vector shifted(Vector a, double c);
/// ‖a‖_∞; NaN if there is one.
double max_abs(const Vector& a);
double max_difference(const Vector& a, const Vector& b);
double sum_of_entries(const Vector& a);
Vector vertex(std::size_t d, std::size_t k);

// ---------------------------------------------------------------- Ω at vectors

Vector predict(const AnyRegularizer& omega, const Vector& theta);
double loss_value(const AnyRegularizer& omega, const Vector& theta, const Vector& y);
/// The same before it is clamped: below 0 by more than rounding where the prediction is no maximiser.
double unclamped_loss(const AnyRegularizer& omega, Vector theta, const Vector& y);
Vector link(const AnyRegularizer& omega, const Vector& mu);
Vector prox(const AnyRegularizer& omega, const Vector& eta, double tau);
Vector jvp(const AnyRegularizer& omega, const Vector& theta, const Vector& v);

}  // namespace fenchel::test
