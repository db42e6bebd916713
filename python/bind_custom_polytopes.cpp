// SPDX-License-Identifier: Apache-2.0
// A set of structures whose oracles are written in Python, and the library's Ω over it.
#include <nanobind/stl/pair.h>

#include <array>
#include <optional>
#include <stdexcept>
#include <vector>

#include "bindings.hpp"
#include "callback.hpp"
#include "fenchel/polytopes/any.hpp"
#include "fenchel/regularizers/any.hpp"

namespace fenchel::python {
namespace {

using namespace nb::literals;
using Scores = std::span<const double>;
using Vector = std::span<double>;

// What the user's class offers beside `map` is known when it is wrapped, so that it is a type of its own.
template <bool with_marginals, bool with_k_best, bool with_sample>
struct PythonPolytope {
  Callback self;
  std::size_t size = 1;
  std::vector<std::size_t> extents = {};

  static constexpr PolytopeTraits traits{.name = "custom",
                                         .binary = false,
                                         .sphere = false,
                                         .masks = false,
                                         .vertices = "given by a MAP oracle",
                                         .no_marginals = "the class has no method marginals"};
  std::size_t dimension() const { return size; }
  std::vector<std::size_t> shape() const { return extents; }
  void map(Scores theta, Vector vertex) const { self.vector("_map", vertex, theta); }
  bool is_vertex(Scores mu) const { return self.number("_is_vertex", mu) != 0; }
  double marginals(Scores theta, Vector mu, Workspace&) const requires with_marginals {
    return self.vector_and_number("_marginals", mu, theta);
  }
  void k_best(Scores theta, std::size_t k, std::vector<Structure>& structures,
              Workspace&) const requires with_k_best {
    structures.clear();
    self.rows(
        "_k_best", size, [&](std::size_t, Scores y) { assign(y, structures.emplace_back()); }, theta, k);
  }
  void sample(Scores theta, Random& random, std::span<Structure> draws,
              Workspace&) const requires with_sample {
    const std::size_t seed = random.bits() >> 1;
    self.rows(
        "_sample", size, [&](std::size_t i, Scores y) { assign(y, draws[i]); }, theta, draws.size(), seed);
  }
};

template <bool... chosen>
AnyPolytope wrap(const nb::object& self, std::size_t size, const std::vector<std::size_t>& extents) {
  if constexpr (sizeof...(chosen) == 3) {
    return PythonPolytope<chosen...>{Callback(self), size, extents};
  } else {
    constexpr std::array methods{"marginals", "k_best", "sample"};
    return has_method(self, methods[sizeof...(chosen)]) ? wrap<chosen..., true>(self, size, extents)
                                                        : wrap<chosen..., false>(self, size, extents);
  }
}

AnyPolytope custom_polytope(const nb::object& self, const nb::tuple& shape) {
  std::vector<std::size_t> extents;
  std::size_t size = 1;
  for (const nb::handle extent : shape) size *= extents.emplace_back(nb::cast<std::size_t>(extent));
  return wrap<>(self, size, extents);
}

}  // namespace

void bind_custom_polytopes(nb::module_& module) {
  module.def("custom_polytope", &custom_polytope, "self"_a, "shape"_a);
  module.def(
      "omega_over",
      // `omega` was made with a set that stands in for one that has no text.
      [](const AnyRegularizer& omega, const AnyPolytope& polytope) {
        const std::optional<AnyRegularizer> result = omega.over(polytope);
        if (!result) throw std::invalid_argument(to_json(omega.spec()) + " is not over a polytope");
        return *result;
      },
      "omega"_a, "polytope"_a);
}

}  // namespace fenchel::python
