// SPDX-License-Identifier: Apache-2.0
// What tests over structures share: every example of every polytope, its vertices, every Ω over it, and
// random points of conv(Y).
#pragma once

#include <string>
#include <vector>

#include "fenchel/polytopes/all.hpp"
#include "fenchel/polytopes/gibbs.hpp"
#include "fenchel/polytopes/spec.hpp"
#include "support.hpp"

namespace fenchel::test {

/// A polytope with the name under which tests report it.
struct NamedSet {
  std::string name;
  AnyPolytope set;

  friend std::ostream& operator<<(std::ostream& stream, const NamedSet& named) {
    return stream << named.name;
  }
};

/// Letters, digits and underscores of a spec.
std::string plain_name(const Spec& spec);
/// Every example of every polytope of the list.
const std::vector<NamedSet>& every_polytope();
/// Those that offer an oracle.
std::vector<NamedSet> polytopes_offering(Oracle oracle);
/// Y as dense vectors, in no particular order, where the set can list them.
std::vector<Vector> vertices(const AnyPolytope& set);
/// A structure: the best one of random scores.
Vector random_vertex(const AnyPolytope& set, Random& random);
/// A mixture of three structures.
Vector random_mean(const AnyPolytope& set, Random& random);
/// Every Ω of the list that can be built over the set, each with its name.
std::vector<Named> omegas_over(const NamedSet& named);

}  // namespace fenchel::test
