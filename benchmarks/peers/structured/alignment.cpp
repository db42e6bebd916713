// SPDX-License-Identifier: Apache-2.0
// Soft-DTW, value and gradient, of an m × n matrix of costs.
#include <memory>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/polytopes/soft_dtw.hpp"
#include "peers/structured/registry.hpp"

namespace {

struct Costs {
  std::vector<double> cost;
  std::vector<double> gradient;
};

const bool added = fenchel::bench::add_case("soft_dtw", [](const fenchel::bench::Arguments& a) {
  const std::size_t m = a.size("m");
  const std::size_t n = a.size("n");
  const double gamma = a.number("gamma");
  const auto data = std::make_shared<Costs>();
  fenchel::Random random(5);
  data->cost.resize(m * n);
  for (double& entry : data->cost) {
    const double x = random.normal();
    entry = x * x;
  }
  data->gradient.resize(m * n);
  return std::function<void()>([=] {
    static_cast<void>(
        fenchel::soft_dtw({data->cost.data(), m, n}, {data->gradient.data(), m, n}, {.gamma = gamma}));
  });
});

}  // namespace
