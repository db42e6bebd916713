// SPDX-License-Identifier: Apache-2.0
// SparseMAP from a cold start, a batch of score vectors one after another: by the active set method, and
// over trees the mean alone, as a loss needs it.
#include <cstddef>
#include <memory>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/polytopes/arborescence.hpp"
#include "fenchel/polytopes/sequence.hpp"
#include "fenchel/solvers/active_set.hpp"
#include "peers/structured/registry.hpp"

namespace fenchel::bench {
namespace {

// What one pass works on.
template <class Set>
struct Batch {
  Set set;
  std::vector<std::vector<double>> thetas;
  std::vector<double> mu;
  Mixture mixture;
  Workspace scratch;
};

template <class Set>
std::shared_ptr<Batch<Set>> problems(const Set& set, const Arguments& arguments) {
  auto batch = std::make_shared<Batch<Set>>();
  batch->set = set;
  batch->mu.resize(set.dimension());
  batch->thetas.assign(arguments.size("batch"), std::vector<double>(set.dimension()));
  Random random(3);
  for (auto& theta : batch->thetas) {
    for (double& score : theta) score = arguments.number("sigma") * random.normal();
  }
  return batch;
}

template <class Set>
std::function<void()> mixtures(const Set& set, const Arguments& arguments) {
  return [batch = problems(set, arguments)] {
    const auto map = [&](std::span<const double> scores, Structure& best) {
      return batch->set.map(scores, best, batch->scratch);
    };
    for (const auto& theta : batch->thetas) {
      batch->mixture.weights.clear();
      ActiveSet{}.minimize(theta, map, batch->mixture, batch->mu, batch->scratch);
    }
  };
}

std::function<void()> means(const Arborescence& set, const Arguments& arguments) {
  return [batch = problems(set, arguments)] {
    for (const auto& theta : batch->thetas) batch->set.project(theta, batch->mu, batch->scratch);
  };
}

const bool trees = add_case("sparsemap_tree", [](const Arguments& arguments) {
  return mixtures(Arborescence{.n = arguments.size("n")}, arguments);
});
const bool tree_means = add_case("sparsemap_tree_mean", [](const Arguments& arguments) {
  return means(Arborescence{.n = arguments.size("n")}, arguments);
});
const bool sequences = add_case("sparsemap_sequence", [](const Arguments& arguments) {
  return mixtures(Sequence{.n = arguments.size("n"), .m = arguments.size("m")}, arguments);
});

}  // namespace
}  // namespace fenchel::bench
