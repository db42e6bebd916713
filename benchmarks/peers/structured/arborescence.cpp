// SPDX-License-Identifier: Apache-2.0
// Marginals of a batch of non-projective sentences of n words. input=normal: scores N(0, 1). input=pairs:
// words in pairs that lead to each other by `gap`, all other scores 0; the marginals are known in closed form
// (a = exp(gap): partner a/(n−1+2a), other words ½/(n+1) + ½/(n−1+2a)), and our largest error is printed.
#include "fenchel/polytopes/arborescence.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include "peers/structured/registry.hpp"

namespace {

struct Sentences {
  fenchel::Arborescence set;
  std::vector<double> theta;
  std::vector<double> mu;
  std::vector<double> log_partitions;
  fenchel::Workspace scratch;

  void run() {
    const std::size_t batch = log_partitions.size();
    const std::size_t d = set.dimension();
    set.marginals_block({theta.data(), batch, d}, {mu.data(), batch, d}, log_partitions, scratch);
  }
};

void fill_pairs(Sentences& data, double gap) {
  const std::size_t n = data.set.n;
  for (std::size_t i = 0; i < data.theta.size(); ++i) {
    const std::size_t arc = i % (n * n);
    data.theta[i] = (arc / n ^ 1U) == arc % n ? gap : 0;
  }
}

double error_on_pairs(Sentences& data, double gap) {
  const std::size_t n = data.set.n;
  const auto words = static_cast<double>(n);
  const double partner = 1 / ((words - 1) * std::exp(-gap) + 2);
  const double other = 0.5 / (words + 1) + 0.5 / (words - 1 + 2 * std::exp(gap));
  data.run();
  double largest = 0;
  for (std::size_t arc = 0; arc < n * n; ++arc) {
    if (arc / n == arc % n) continue;
    largest = std::max(largest, std::abs(data.mu[arc] - ((arc / n ^ 1U) == arc % n ? partner : other)));
  }
  return largest;
}

const bool added = fenchel::bench::add_case("arborescence", [](const fenchel::bench::Arguments& a) {
  const std::size_t n = a.size("n");
  const std::size_t batch = a.size("batch");
  const auto data = std::make_shared<Sentences>();
  data->set = {.n = n, .single_root = a.text("single_root", "no") == "yes"};
  data->theta.resize(batch * n * n);
  data->mu.resize(data->theta.size());
  data->log_partitions.resize(batch);
  if (a.text("input", "normal") == "pairs") {
    fill_pairs(*data, a.number("gap"));
    std::cerr << "  our largest error on pairs " << a.text("gap")
              << " apart from the rest: " << error_on_pairs(*data, a.number("gap")) << '\n';
  } else {
    fenchel::Random random(5);
    for (double& score : data->theta) score = random.normal();
  }
  return std::function<void()>([=] { data->run(); });
});

}  // namespace
