// SPDX-License-Identifier: Apache-2.0
// log Z and marginals of a batch of sequences of n steps over m states, and a copy of their potentials.
#include "fenchel/polytopes/chain.hpp"

#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/polytopes/sequence.hpp"
#include "peers/structured/registry.hpp"

namespace {

struct Sequences {
  std::vector<double> theta;
  std::vector<double> mu;
  fenchel::Workspace scratch;
};

std::shared_ptr<Sequences> sequences(std::size_t entries) {
  const auto data = std::make_shared<Sequences>();
  fenchel::Random random(5);
  data->theta.resize(entries);
  for (double& score : data->theta) score = random.normal();
  data->mu.resize(entries);
  return data;
}

template <class Set>
std::function<void()> marginals(const fenchel::bench::Arguments& a) {
  const Set set{.n = a.size("n"), .m = a.size("m")};
  const std::size_t batch = a.size("batch");
  const std::size_t d = set.dimension();
  const auto data = sequences(batch * d);
  return [=] {
    for (std::size_t b = 0; b < batch; ++b) {
      set.marginals(std::span(data->theta).subspan(b * d, d), std::span(data->mu).subspan(b * d, d),
                    data->scratch);
    }
  };
}

std::function<void()> copy(const fenchel::bench::Arguments& a) {
  const auto data = sequences(a.size("batch") * a.size("n") * a.size("m") * a.size("m"));
  return [=] { std::memcpy(data->mu.data(), data->theta.data(), data->theta.size() * sizeof(double)); };
}

const bool added = fenchel::bench::add_case("sequence_marginals", marginals<fenchel::Sequence>) &&
                   fenchel::bench::add_case("chain_marginals", marginals<fenchel::Chain>) &&
                   fenchel::bench::add_case("sequence_copy", copy);

}  // namespace
