// SPDX-License-Identifier: Apache-2.0
#include "structures.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <stdexcept>

namespace fenchel::test {

std::string plain_name(const Spec& spec) {
  std::string name;
  for (const char c : to_json(spec)) {
    if (std::isalnum(static_cast<unsigned char>(c))) name.push_back(c);
    if (c == '.') name.push_back('p');
    if (c == '-') name.push_back('m');
    if (c == ',' || c == '}') name.push_back('_');
  }
  return name;
}

const std::vector<NamedSet>& every_polytope() {
  static const std::vector<NamedSet> all = [] {
    std::vector<NamedSet> named;
    for (const PolytopeEntry& entry : polytope_list()) {
      for (const AnyPolytope& set : entry.examples) {
        named.push_back({plain_name(set.spec()) + std::to_string(named.size()), set});
      }
    }
    return named;
  }();
  return all;
}

std::vector<NamedSet> polytopes_offering(Oracle oracle) {
  std::vector<NamedSet> chosen;
  for (const NamedSet& named : every_polytope()) {
    if (named.set.offers(oracle)) chosen.push_back(named);
  }
  return chosen;
}

std::vector<Vector> vertices(const AnyPolytope& set) {
  std::vector<Structure> structures;
  set.k_best(Vector(set.dimension(), 0.0), 100000, structures, thread_workspace());
  std::vector<Vector> dense;
  for (const Structure& y : structures) write(y, dense.emplace_back(set.dimension()));
  return dense;
}

Vector random_vertex(const AnyPolytope& set, Random& random) {
  Structure best;
  set.map(normal_vector(random, set.dimension()), best, thread_workspace());
  Vector y(set.dimension());
  write(best, y);
  return y;
}

Vector random_mean(const AnyPolytope& set, Random& random) {
  const Vector weights = interior_point(random, 3);
  Vector mu(set.dimension(), 0.0);
  for (const double weight : weights) mu = moved(mu, weight, random_vertex(set, random));
  return mu;
}

namespace {

// Ω over a set, unless it cannot be: it needs an oracle that the set lacks, or its domain leaves out
// structures (entropies of negative numbers).
std::optional<AnyRegularizer> try_over(const AnyRegularizer& omega, const AnyPolytope& set) {
  try {
    const auto result = omega.over(set);
    Random random(1);
    for (int draw = 0; result && draw < 3; ++draw) result->check_point("y", random_vertex(set, random));
    return result;
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<Named> omegas_over(const NamedSet& named) {
  const AnyPolytope& set = named.set;
  std::vector<AnyRegularizer> omegas;
  for (const RegularizerEntry& entry : regularizer_list()) {
    const auto omega = try_over(entry.examples.front(), set);
    // General methods are slow on larger sets.
    if (omega && (!omega->refined_traits().predict_by_search || set.dimension() <= 12))
      omegas.push_back(*omega);
  }
  omegas.emplace_back(Temperature{SparseMap{set}, 0.25});
  std::vector<Named> result;
  for (const AnyRegularizer& omega : omegas) {
    const std::string name =
        omega.spec().name + (omega.spec().find("temperature") ? "_tempered_" : "_") + named.name;
    result.push_back({name, omega, set.dimension()});
  }
  return result;
}

}  // namespace fenchel::test
