// SPDX-License-Identifier: Apache-2.0
// log Z and marginals of a batch of sentences of n words.
#include "fenchel/polytopes/projective_tree.hpp"

#include <memory>

#include "peers/structured/registry.hpp"

namespace {

struct Sentences {
  std::vector<double> theta;
  std::vector<double> mu;
  std::vector<double> log_partitions;
  fenchel::Workspace scratch;
};

const bool added = fenchel::bench::add_case("projective_tree", [](const fenchel::bench::Arguments& a) {
  const std::size_t n = a.size("n");
  const std::size_t batch = a.size("batch");
  const auto data = std::make_shared<Sentences>();
  fenchel::Random random(5);
  data->theta.resize(batch * n * n);
  for (double& score : data->theta) score = random.normal();
  data->mu.resize(data->theta.size());
  data->log_partitions.resize(batch);
  const fenchel::ProjectiveTree set{n};
  return std::function<void()>([=] {
    set.marginals_block({data->theta.data(), batch, n * n}, {data->mu.data(), batch, n * n},
                        data->log_partitions, data->scratch);
  });
});

}  // namespace
