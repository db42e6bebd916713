// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/convex_sets.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "core/spec_reader.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/polytopes/projections.hpp"

namespace fenchel {
namespace {

using Numbers = std::vector<double>;
using Vector = std::span<const double>;

// One value for all entries, or one for each.
double at(const Numbers& values, std::size_t j) { return values.size() == 1 ? values[0] : values[j]; }

void check_entries(std::string_view name, const Numbers& values, std::size_t dimension) {
  if (values.size() != 1) check_size(name, values.size(), dimension);
  for (const double value : values) {
    if (std::isnan(value)) throw std::invalid_argument(fmt::format("{} has a nan; expected numbers", name));
  }
}

void check_bounds(const Numbers& lower, const Numbers& upper, std::size_t dimension) {
  check_entries("lower", lower, dimension);
  check_entries("upper", upper, dimension);
  for (std::size_t j = 0; j < dimension; ++j) {
    if (at(lower, j) <= at(upper, j) && at(lower, j) < infinity && at(upper, j) > -infinity) continue;
    throw std::invalid_argument(
        fmt::format("lower[{}] is {} and upper[{}] {}; expected a bound below another", j, at(lower, j), j,
                    at(upper, j)));
  }
}

void check_weights(const Numbers& w, double c, std::size_t dimension) {
  check_entries("w", w, dimension);
  check_finite("w", Vector(w));
  check_finite("c", c);
  if (std::ranges::all_of(w, [](double weight) { return weight == 0; })) {
    throw std::invalid_argument("w is 0; expected weights that are not all 0");
  }
}

double clip(double value, double lower, double upper) { return std::min(std::max(value, lower), upper); }

double weighted_sum(const Numbers& w, Vector x) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += at(w, j) * x[j];
  return sum;
}

double squared_length(const Numbers& w, std::size_t dimension) {
  return w.size() == 1 ? static_cast<double>(dimension) * w[0] * w[0] : weighted_sum(w, w);
}

// x − w (⟨w, x⟩ − c)/‖w‖², in place.
void onto_plane(const Numbers& w, double c, std::span<double> x) {
  const double step = (weighted_sum(w, x) - c) / squared_length(w, x.size());
  for (std::size_t j = 0; j < x.size(); ++j) x[j] -= step * at(w, j);
}

double sign_of(double value) { return value < 0 ? -1 : 1; }

// P(x)_j = clip(x_j − τ w_j): the τ with ⟨w, P(x)⟩ = c. The sum falls with τ and is linear between the places
// where an entry reaches a bound, so that the piece with c is found by bisection, and τ on it exactly.
class Section {
 public:
  Section(const BoxSection& set, Vector x) : set_(set), x_(x) {}

  double entry(std::size_t j, double tau) const {
    return clip(x_[j] - tau * at(set_.w, j), at(set_.lower, j), at(set_.upper, j));
  }
  bool is_free(std::size_t j, double tau) const {
    const double value = x_[j] - tau * at(set_.w, j);
    return value > at(set_.lower, j) && value < at(set_.upper, j) && at(set_.w, j) != 0;
  }

  double threshold() const {
    const Numbers kinks = sorted_kinks();
    const auto above = std::ranges::partition_point(kinks, [&](double tau) { return sum(tau) > set_.c; });
    if (above != kinks.end() && sum(*above) == set_.c) return *above;
    const bool first = above == kinks.begin(), last = above == kinks.end();
    if (kinks.empty()) return on_piece(0);
    if (first) return on_piece(*above - 1);
    if (last) return on_piece(kinks.back() + 1);
    const double left = *(above - 1);
    return clip(on_piece(left + (*above - left) / 2), left, *above);
  }

 private:
  Numbers sorted_kinks() const {
    Numbers kinks;
    for (std::size_t j = 0; j < x_.size(); ++j) {
      const double w = at(set_.w, j);
      if (w == 0) continue;
      for (const double bound : {at(set_.lower, j), at(set_.upper, j)}) {
        const double kink = (x_[j] - bound) / w;
        if (std::isfinite(kink)) kinks.push_back(kink);
      }
    }
    std::ranges::sort(kinks);
    return kinks;
  }

  double sum(double tau) const {
    double total = 0;
    for (std::size_t j = 0; j < x_.size(); ++j) {
      const double w = at(set_.w, j);
      if (w != 0) total += w * entry(j, tau);
    }
    return total;
  }

  // The τ that the piece around `inside` gives.
  double on_piece(double inside) const {
    double rest = -set_.c, squares = 0;
    for (std::size_t j = 0; j < x_.size(); ++j) {
      const double w = at(set_.w, j);
      if (w == 0) continue;
      const bool open = is_free(j, inside);
      rest += w * (open ? x_[j] : entry(j, inside));
      squares += open ? w * w : 0;
    }
    return squares > 0 ? rest / squares : inside;
  }

  const BoxSection& set_;
  Vector x_;
};

template <class... Sets>
ConvexSet make_of(const Spec& spec, std::variant<Sets...>*) {
  std::optional<ConvexSet> found;
  // A number is a list of one.
  const auto set = []<class Member>(std::string_view key, const SpecValue& value, Member& member) {
    if constexpr (std::is_same_v<Member, Numbers>) {
      if (const auto* number = std::get_if<double>(&value)) {
        member = {*number};
        return;
      }
    }
    spec::assign(key, value, member);
  };
  const auto read_if_named = [&]<class Set>(std::type_identity<Set>) {
    if (spec.name == Set::name) found = spec::read<Set>(spec, set, {});
  };
  (read_if_named(std::type_identity<Sets>()), ...);
  if (found) return *found;
  const std::vector<std::string_view> names{Sets::name...};
  throw std::invalid_argument(
      fmt::format("unknown set '{}'{}", spec.name, spec::suggestion(spec.name, names)));
}

template <class... Sets>
std::vector<std::string_view> names_of(std::variant<Sets...>*) {
  return {Sets::name...};
}

void check_vector(std::string_view name, Vector x) {
  check_not_empty(name, x.size());
  check_finite(name, x);
}

}  // namespace

void Box::check(std::size_t dimension) const { check_bounds(lower, upper, dimension); }

void Box::project(Vector x, std::span<double> out) const {
  for (std::size_t j = 0; j < x.size(); ++j) out[j] = clip(x[j], at(lower, j), at(upper, j));
}

void Box::jvp(Vector x, Vector v, std::span<double> out) const {
  for (std::size_t j = 0; j < x.size(); ++j) {
    out[j] = x[j] > at(lower, j) && x[j] < at(upper, j) ? v[j] : 0;
  }
}

void Ball::check(std::size_t) const {
  if (norm != 1 && norm != 2 && norm != infinity) {
    throw std::invalid_argument(fmt::format("norm is {}; expected 1, 2 or inf", norm));
  }
  check_at_least("radius", radius, 0);
  check_finite("radius", radius);
}

void Ball::project(Vector x, std::span<double> out) const {
  std::ranges::copy(x, out.begin());
  if (radius == 0) {
    std::ranges::fill(out, 0.0);
  } else if (norm == infinity) {
    project_box(out, -radius, radius);
  } else if (norm == 2) {
    project_ball(out, radius);
  } else {
    double sum = 0;
    for (const double entry : x) sum += std::abs(entry);
    if (sum <= radius) return;
    for (double& entry : out) entry = std::abs(entry) / radius;
    project_simplex(out);
    for (std::size_t j = 0; j < x.size(); ++j) out[j] *= radius * sign_of(x[j]);
  }
}

void Ball::jvp(Vector x, Vector v, std::span<double> out) const {
  if (norm == infinity) return Box{{-radius}, {radius}}.jvp(x, v, out);
  Numbers p(x.size());
  project(x, p);
  if (std::ranges::equal(p, x) && radius > 0) {  // inside
    std::ranges::copy(v, out.begin());
    return;
  }
  std::ranges::fill(out, 0.0);
  if (radius == 0) return;
  if (norm == 2) {  // (r/‖x‖) (v − u ⟨u, v⟩) with u = P(x)/r
    double inner = 0, ratio = 0;
    for (std::size_t j = 0; j < x.size(); ++j) inner += p[j] / radius * v[j];
    const std::size_t largest = static_cast<std::size_t>(
        std::ranges::max_element(x, {}, [](double entry) { return std::abs(entry); }) - x.begin());
    ratio = p[largest] / x[largest];
    for (std::size_t j = 0; j < x.size(); ++j) out[j] = ratio * (v[j] - p[j] / radius * inner);
    return;
  }
  double sum = 0, support = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (p[j] == 0) continue;
    sum += sign_of(x[j]) * v[j];
    ++support;
  }
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (p[j] != 0) out[j] = v[j] - sign_of(x[j]) * sum / support;
  }
}

void HalfSpace::check(std::size_t dimension) const { check_weights(w, c, dimension); }

void HalfSpace::project(Vector x, std::span<double> out) const {
  std::ranges::copy(x, out.begin());
  if (weighted_sum(w, x) > c) onto_plane(w, c, out);
}

void HalfSpace::jvp(Vector x, Vector v, std::span<double> out) const {
  std::ranges::copy(v, out.begin());
  if (weighted_sum(w, x) > c) onto_plane(w, 0, out);
}

void Hyperplane::check(std::size_t dimension) const { check_weights(w, c, dimension); }

void Hyperplane::project(Vector x, std::span<double> out) const {
  std::ranges::copy(x, out.begin());
  onto_plane(w, c, out);
}

void Hyperplane::jvp(Vector, Vector v, std::span<double> out) const {
  std::ranges::copy(v, out.begin());
  onto_plane(w, 0, out);
}

void BoxSection::check(std::size_t dimension) const {
  check_bounds(lower, upper, dimension);
  check_weights(w, c, dimension);
  double least = 0, most = 0, size = std::abs(c);
  for (std::size_t j = 0; j < dimension; ++j) {
    const double weight = at(w, j);
    if (weight == 0) continue;
    const double a = weight * at(lower, j), b = weight * at(upper, j);
    least += std::min(a, b);
    most += std::max(a, b);
    size += std::min(std::abs(a), std::abs(b));
  }
  constexpr double rounding = 1e-12;  // of a sum over entries that meets c exactly
  if (c >= least - rounding * size && c <= most + rounding * size) return;
  throw std::invalid_argument(
      fmt::format("c is {}; the sum of w x is from {} to {} for x between its bounds", c, least, most));
}

void BoxSection::project(Vector x, std::span<double> out) const {
  const Section section(*this, x);
  const double tau = section.threshold();
  for (std::size_t j = 0; j < x.size(); ++j) {
    out[j] = at(w, j) == 0 ? clip(x[j], at(lower, j), at(upper, j)) : section.entry(j, tau);
  }
}

void BoxSection::jvp(Vector x, Vector v, std::span<double> out) const {
  const Section section(*this, x);
  const double tau = section.threshold();
  double sum = 0, squares = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (!section.is_free(j, tau)) continue;
    sum += at(w, j) * v[j];
    squares += at(w, j) * at(w, j);
  }
  for (std::size_t j = 0; j < x.size(); ++j) {
    const bool loose = at(w, j) == 0 && x[j] > at(lower, j) && x[j] < at(upper, j);
    out[j] = section.is_free(j, tau) ? v[j] - at(w, j) * sum / squares : loose ? v[j] : 0;
  }
}

ConvexSet make_convex_set(const Spec& spec) { return make_of(spec, static_cast<ConvexSet*>(nullptr)); }

ConvexSet make_convex_set(std::string_view text) { return make_convex_set(parse_spec(text, "set")); }

std::vector<std::string_view> convex_set_names() { return names_of(static_cast<ConvexSet*>(nullptr)); }

void project(const ConvexSet& set, Vector x, std::span<double> out) {
  check_vector("x", x);
  check_size("out", out.size(), x.size());
  std::visit(
      [&](const auto& one) {
        one.check(x.size());
        one.project(x, out);
      },
      set);
}

void project_jvp(const ConvexSet& set, Vector x, Vector v, std::span<double> out) {
  check_vector("x", x);
  check_size("v", v.size(), x.size());
  check_size("out", out.size(), x.size());
  std::visit(
      [&](const auto& one) {
        one.check(x.size());
        one.jvp(x, v, out);
      },
      set);
}

}  // namespace fenchel
