// SPDX-License-Identifier: Apache-2.0
// Sentences of different lengths in one ragged batch: every example has its own Ω over its own polytope of
// dependency trees. The gradient goes back to whatever computed the arc scores.
#include <cmath>
#include <cstdio>
#include <vector>

#include "fenchel/fenchel.hpp"

int main() {
  const std::vector<std::size_t> lengths{3, 5, 4};
  std::vector<fenchel::FenchelYoungLoss> omegas;
  std::vector<std::size_t> offsets{0};
  std::vector<double> theta, y;
  fenchel::Random random(1);
  for (const std::size_t n : lengths) {
    const fenchel::Arborescence trees{.n = n, .single_root = true};
    omegas.emplace_back(fenchel::SparseMap{trees});
    for (std::size_t j = 0; j < n * n; ++j) theta.push_back(random.normal());
    std::vector<int> heads(n, 0);  // every word hangs on the first one, which hangs on the root
    heads[0] = -1;
    std::vector<double> tree(n * n);
    fenchel::write(trees.structure(heads), tree);
    y.insert(y.end(), tree.begin(), tree.end());
    offsets.push_back(theta.size());
  }
  std::vector<double> losses(lengths.size()), gradient(theta.size());
  const fenchel::RaggedView<const double> scores(theta.data(), offsets), targets(y.data(), offsets);
  const auto result = fenchel::batch::loss_and_gradient(
      omegas, scores, targets, losses, fenchel::RaggedView<double>(gradient.data(), offsets));
  std::printf("losses %.4f %.4f %.4f, sum %.4f\n", losses[0], losses[1], losses[2], result.total);
  double sum = 0;
  for (const double entry : gradient) sum += entry;
  return result.report.converged() && std::abs(sum) < 1e-9 ? 0 : 1;  // every word still has one head in total
}
