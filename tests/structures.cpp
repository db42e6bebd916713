// SPDX-License-Identifier: Apache-2.0
#include "structures.hpp"

#include <algorithm>
#include <cctype>

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

std::vector<Named> omegas_over(const NamedSet& named) {
  const AnyPolytope& set = named.set;
  std::vector<AnyRegularizer> omegas{Map{set}, SparseMap{set}};
  if (set.offers(Oracle::marginals)) omegas.emplace_back(Marginal{set});
  const auto* ranks = set.get_if<Permutahedron>();
  const bool negative = ranks && *std::ranges::min_element(ranks->w) < 0;
  // Conditional gradient, where there is nothing else, takes its time on larger sets.
  if (!negative && (set.offers(Oracle::project_kl) || set.dimension() <= 12))
    omegas.emplace_back(Entropic{set});

  if (set.offers(Oracle::k_best)) {
    omegas.emplace_back(StructuredSparsemax{set});
    omegas.emplace_back(MaximumEntropy{set, Tsallis{1.5}});
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
