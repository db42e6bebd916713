// SPDX-License-Identifier: Apache-2.0
// Sets of structures and what one asks of p(y) ∝ exp⟨θ, y⟩ over them. Example i has its own set and the
// scores offsets[i] to offsets[i + 1] of one flat array; structures come back as dense vectors.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/random.hpp"
#include "fenchel/polytopes/spec.hpp"
#include "gibbs_batch.hpp"

namespace fenchel::python {
namespace {

using namespace nb::literals;
// One number per example.
template <class Function>
Result<double> numbers(const Batch& batch, Function function) {
  const auto result = new_array<double>({batch.count()});
  const GilRelease release;
  batch.for_each([&](std::size_t i) { result.data()[i] = std::invoke(function, batch.at(i)); });
  return result;
}

// One vector per example, filled by function(distribution, i, out).
template <class Function>
Result<double> vectors(const Batch& batch, Function function) {
  const auto result = new_array<double>({batch.entries()});
  const GilRelease release;
  batch.for_each([&](std::size_t i) { function(batch.at(i), i, batch.part(result, i)); });
  return result;
}

// Several structures per example as one flat array of dense vectors; how many each has; a number for each.
nb::tuple packed(const Batch& batch, const std::vector<std::vector<Structure>>& structures,
                 const std::vector<std::vector<double>>& weights) {
  std::size_t total = 0, rows = 0;
  for (std::size_t i = 0; i < structures.size(); ++i) {
    rows += structures[i].size();
    total += structures[i].size() * batch.dimension(i);
  }
  const auto dense = new_array<double>({total});
  const auto counts = new_array<std::int64_t>({structures.size()});
  const auto numbers = new_array<double>({rows});
  std::size_t position = 0, row = 0;
  for (std::size_t i = 0; i < structures.size(); ++i) {
    counts.data()[i] = static_cast<std::int64_t>(structures[i].size());
    for (std::size_t k = 0; k < structures[i].size(); ++k) {
      write(structures[i][k], {dense.data() + position, batch.dimension(i)});
      position += batch.dimension(i);
      numbers.data()[row++] = weights[i][k];
    }
  }
  return nb::make_tuple(dense, counts, numbers);
}

Result<double> covariance_product(const Sets& sets, const Doubles& theta, const Offsets& offsets,
                                  const Doubles& v, int threads) {
  const Batch batch(sets, theta, offsets, threads);
  if (v.size() != theta.size()) throw std::invalid_argument("v has another size than theta");
  return vectors(batch, [&](const GibbsDistribution& gibbs, std::size_t i, auto out) {
    std::ranges::copy(gibbs.covariance_product(batch.part(v, i)), out.begin());
  });
}

// Log-probabilities of counts[i] structures of example i, one after the other in y.
Result<double> log_prob(const Sets& sets, const Doubles& theta, const Offsets& offsets, const Doubles& y,
                        const Offsets& counts, int threads) {
  const Batch batch(sets, theta, offsets, threads);
  if (counts.size() != batch.count()) throw std::invalid_argument("expected one count for each example");
  std::vector<std::size_t> first(batch.count() + 1), row(batch.count() + 1);
  for (std::size_t i = 0; i < batch.count(); ++i) {
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(counts.data()[i], 0));
    row[i + 1] = row[i] + count;
    first[i + 1] = first[i] + count * batch.dimension(i);
  }
  if (y.size() != first.back()) throw std::invalid_argument("y has another size than the counts say");
  const auto result = new_array<double>({row.back()});
  const GilRelease release;
  batch.for_each([&](std::size_t i) {
    const GibbsDistribution gibbs = batch.at(i);
    const double log_z = gibbs.log_partition();
    for (std::size_t k = 0; k < row[i + 1] - row[i]; ++k) {
      const std::span<const double> structure(y.data() + first[i] + k * batch.dimension(i),
                                              batch.dimension(i));
      check_structure(batch.set(i), structure);
      result.data()[row[i] + k] = std::min(dot_masked(gibbs.theta(), structure) - log_z, 0.0);
    }
  });
  return result;
}

std::size_t positive(const char* name, std::int64_t count) {
  if (count >= 1) return static_cast<std::size_t>(count);
  throw std::invalid_argument(std::string(name) + " is " + std::to_string(count) +
                              "; expected a whole number >= 1");
}

// The k best structures of every example and their scores ⟨θ, y⟩.
nb::tuple k_best(const Sets& sets, const Doubles& theta, const Offsets& offsets, std::int64_t k,
                 int threads) {
  const Batch batch(sets, theta, offsets, threads);
  const std::size_t most = positive("k", k);
  std::vector<std::vector<Structure>> structures(batch.count());
  std::vector<std::vector<double>> scores(batch.count());
  {
    const GilRelease release;
    batch.for_each([&](std::size_t i) {
      const GibbsDistribution gibbs = batch.at(i);
      structures[i] = gibbs.k_best(most);
      for (const Structure& y : structures[i]) scores[i].push_back(dot(y, gibbs.theta()));
    });
  }
  return packed(batch, structures, scores);
}

// Draws of every example; each example has its own seed, taken from the one given.
Result<double> sample(const Sets& sets, const Doubles& theta, const Offsets& offsets, std::int64_t count,
                      std::uint64_t seed, int threads) {
  const Batch batch(sets, theta, offsets, threads);
  const std::size_t draws = positive("count", count);
  Random random(seed);
  std::vector<std::uint64_t> seeds(batch.count());
  for (std::uint64_t& one : seeds) one = random.bits();
  if (batch.entries() > 0 && draws > (std::size_t{1} << 60) / batch.entries()) throw std::bad_alloc();
  const auto result = new_array<double>({draws * batch.entries()});
  std::vector<std::size_t> first(batch.count() + 1);
  for (std::size_t i = 0; i < batch.count(); ++i) first[i + 1] = first[i] + draws * batch.dimension(i);
  const GilRelease release;
  batch.for_each([&](std::size_t i) {
    const std::vector<Structure> drawn = batch.at(i).sample(draws, seeds[i]);
    for (std::size_t k = 0; k < draws; ++k) {
      write(drawn[k], {result.data() + first[i] + k * batch.dimension(i), batch.dimension(i)});
    }
  });
  return result;
}

nb::tuple sparsemap_mixture(const Batch& batch) {
  std::vector<std::vector<Structure>> structures(batch.count());
  std::vector<std::vector<double>> weights(batch.count());
  {
    const GilRelease release;
    batch.for_each([&](std::size_t i) {
      GibbsDistribution::Sparse sparse = batch.at(i).sparsemap();
      structures[i] = std::move(sparse.mixture.structures);
      weights[i] = std::move(sparse.mixture.weights);
    });
  }
  return packed(batch, structures, weights);
}

// Binds function(batch).
template <class Function>
void bind_batch(nb::module_& module, const char* name, Function function) {
  module.def(
      name,
      [function](const Sets& sets, const Doubles& theta, const Offsets& offsets, int threads) {
        return function(Batch(sets, theta, offsets, threads));
      },
      "polytopes"_a, "theta"_a, "offsets"_a, "n_threads"_a = 1);
}

void bind_batches(nb::module_& module) {
  using Gibbs = GibbsDistribution;
  bind_batch(module, "gibbs_map", [](const Batch& batch) {
    return vectors(batch, [](const Gibbs& gibbs, std::size_t, auto out) { write(gibbs.map(), out); });
  });
  bind_batch(module, "gibbs_marginals", [](const Batch& batch) {
    return vectors(batch, [](const Gibbs& gibbs, std::size_t, auto out) {
      std::ranges::copy(gibbs.marginals(), out.begin());
    });
  });
  bind_batch(module, "gibbs_log_partition",
             [](const Batch& batch) { return numbers(batch, &Gibbs::log_partition); });
  bind_batch(module, "gibbs_entropy", [](const Batch& batch) { return numbers(batch, &Gibbs::entropy); });
  module.def("gibbs_covariance_product", &covariance_product, "polytopes"_a, "theta"_a, "offsets"_a, "v"_a,
             "n_threads"_a = 1);
  module.def("gibbs_log_prob", &log_prob, "polytopes"_a, "theta"_a, "offsets"_a, "y"_a, "counts"_a,
             "n_threads"_a = 1);
  module.def("gibbs_k_best", &k_best, "polytopes"_a, "theta"_a, "offsets"_a, "k"_a, "n_threads"_a = 1);
  module.def("gibbs_sample", &sample, "polytopes"_a, "theta"_a, "offsets"_a, "count"_a, "seed"_a,
             "n_threads"_a = 1);
  bind_batch(module, "gibbs_project", [](const Batch& batch) {
    return vectors(batch, [](const Gibbs& gibbs, std::size_t, auto out) { gibbs.project(out); });
  });
  bind_batch(module, "gibbs_sparsemap_mixture", &sparsemap_mixture);
}

// Whether structures differ in the length of their short form: no parameter says how long it is.
bool short_varies(const AnyPolytope& set) {
  const std::string_view axes = set.traits().short_axes;
  return !axes.empty() && !set.spec().find(axes.substr(0, axes.find(' ')));
}

}  // namespace

nb::tuple extents_of(const AnyPolytope& set) {
  nb::list extents;
  for (const std::size_t extent : set.shape()) extents.append(extent);
  return nb::tuple(extents);
}

void check_structure(const AnyPolytope& set, std::span<const double> y) {
  set.check_point("y", y);
  if (!set.is_vertex(y)) {
    throw std::invalid_argument("y is not a structure of " + std::string(set.traits().name));
  }
}

void bind_polytopes(nb::module_& module) {
  nb::class_<AnyPolytope>(module, "Polytope", "A set of structures, made from its name and parameters.")
      .def(
          "__init__",
          [](AnyPolytope* self, const std::string& spec) { new (self) AnyPolytope(make_polytope(spec)); },
          "spec"_a)
      .def_prop_ro("spec", [](const AnyPolytope& self) { return to_json(self.spec()); })
      .def_prop_ro("name", [](const AnyPolytope& self) { return std::string(self.traits().name); })
      .def_prop_ro("dimension", &AnyPolytope::dimension)
      .def_prop_ro("shape", &extents_of)
      .def_prop_ro("short_axes", [](const AnyPolytope& self) { return words(self.traits().short_axes); })
      .def_prop_ro("short_varies", &short_varies);
  bind_batches(module);
  bind_structures(module);
}

}  // namespace fenchel::python
