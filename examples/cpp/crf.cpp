// SPDX-License-Identifier: Apache-2.0
// One tagged sentence under four losses: a conditional random field, SparseMAP, the structured perceptron and
// the structured hinge are the same class over the same polytope.
#include <cmath>
#include <cstdio>
#include <vector>

#include "fenchel/fenchel.hpp"

int main() {
  const fenchel::Chain chain{.n = 4, .m = 3};  // four words, three tags
  std::vector<double> theta(chain.dimension(), 0.0);
  const std::vector<double> unary{1.2, 0.1, -0.3, 0.2, 0.9, 0.7, -0.5, 0.4, 0.6, 1.0, -0.2, 0.1};
  std::copy(unary.begin(), unary.end(), theta.begin());
  theta[12 + 0 * 3 + 1] = 0.8;  // the transition from tag 0 to tag 1
  theta[12 + 1 * 3 + 2] = 0.5;

  std::vector<double> y(chain.dimension());
  fenchel::write(chain.structure(std::vector<int>{0, 1, 2, 0}), y);

  const fenchel::FenchelYoungLoss crf{fenchel::Marginal{chain}};
  const fenchel::FenchelYoungLoss sparse{fenchel::SparseMap{chain}};
  const fenchel::FenchelYoungLoss perceptron{fenchel::Map{chain}};
  const auto hinge = perceptron.with_cost(fenchel::hamming_cost(chain));
  std::printf("CRF %.4f, SparseMAP %.4f, perceptron %.4f, hinge %.4f\n", crf.value(theta, y),
              sparse.value(theta, y), perceptron.value(theta, y), hinge.value(theta, y));

  // The distribution behind the CRF.
  const fenchel::GibbsDistribution gibbs(chain, theta);
  std::printf("log Z %.4f, entropy %.4f, log p(y) %.4f\n", gibbs.log_partition(), gibbs.entropy(),
              gibbs.log_probability(y));
  for (const fenchel::Structure& best : gibbs.k_best(3)) {
    for (const int tag : chain.tags(best)) std::printf("%d ", tag);
    std::printf(" score %.2f\n", fenchel::dot(best, theta));
  }
  // SparseMAP mixes few of the 81 sequences.
  const auto mixture = gibbs.sparsemap().mixture;
  std::printf("SparseMAP mixes %zu sequences\n", mixture.size());
  const bool agree = std::abs(crf.value(theta, y) + gibbs.log_probability(y)) < 1e-12;
  return agree && mixture.size() < 20 ? 0 : 1;
}
