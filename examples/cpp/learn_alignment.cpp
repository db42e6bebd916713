// SPDX-License-Identifier: Apache-2.0
// Learning to align: a metric for dynamic time warping is learned from pairs of series with known alignments
// (paper §7.3 "Alignments", §8.2). The score of a cell is θ_ij = −Σ_c w_c (a_ic − b_jc)², linear in the
// weights w of the channels; the loss is the structured hinge, MAP with the Hamming cost; block Frank-Wolfe
// trains it with nothing but DTW. Two channels follow the alignment, four are noise.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/fenchel.hpp"

namespace {

constexpr std::size_t channels = 6, informative = 2, length = 20;
const fenchel::Alignment grid{length, length};

// Two series, and the path along which the second one follows the first.
struct Pair {
  std::vector<double> a, b;    // [length, channels]
  std::vector<double> target;  // [length, length]: ones on the true path
};

// A random path. The series dwell on a value where it is level, and move on where it is diagonal.
Pair random_pair(fenchel::Random& random) {
  Pair pair{std::vector<double>(length * channels), std::vector<double>(length * channels),
            std::vector<double>(length * length)};
  for (double& value : pair.a) value = random.normal();
  for (double& value : pair.b) value = random.normal();
  std::vector<double> latent(informative);
  for (std::size_t i = 0, j = 0, move = 2; i < length && j < length;) {
    pair.target[i * length + j] = 1;
    for (std::size_t c = 0; c < informative; ++c) {
      if (move >= 2) latent[c] = random.normal();
      pair.a[i * channels + c] = latent[c] + 0.1 * random.normal();
      pair.b[j * channels + c] = latent[c] + 0.1 * random.normal();
    }
    move = i + 1 == length ? 1 : j + 1 == length ? 0 : random.below(6);
    i += move != 1 ? 1 : 0;
    j += move != 0 ? 1 : 0;
  }
  return pair;
}

// −(a_ic − b_jc)²: what channel c adds to the score of cell (i, j).
double similarity(const Pair& pair, std::size_t i, std::size_t j, std::size_t c) {
  const double difference = pair.a[i * channels + c] - pair.b[j * channels + c];
  return -difference * difference;
}

// Pairs as examples of a model that is linear in w: all that training needs to know.
class Pairs final : public fenchel::Examples {
 public:
  Pairs(std::uint64_t seed, std::size_t count) {
    fenchel::Random random(seed);
    for (std::size_t p = 0; p < count; ++p) pairs_.push_back(random_pair(random));
  }

  std::size_t size() const override { return pairs_.size(); }
  fenchel::ParameterShape shape() const override { return {channels, channels, 1}; }
  std::size_t scores_size(std::size_t) const override { return length * length; }
  void scores(std::size_t p, std::span<const double> w, std::span<double> theta) const override {
    for (std::size_t cell = 0; cell < theta.size(); ++cell) {
      theta[cell] = 0;
      for (std::size_t c = 0; c < channels; ++c) {
        theta[cell] += w[c] * similarity(pairs_[p], cell / length, cell % length, c);
      }
    }
  }
  void add(std::size_t p, std::span<const double> r, double scale, std::span<double> w) const override {
    for (std::size_t cell = 0; cell < r.size(); ++cell) {
      for (std::size_t c = 0; c < channels; ++c) {
        w[c] += scale * r[cell] * similarity(pairs_[p], cell / length, cell % length, c);
      }
    }
  }
  double loss(std::size_t p, std::span<const double> theta, std::span<double> gradient,
              fenchel::Workspace&) const override {
    return hinge_.value_and_gradient(theta, pairs_[p].target, gradient);
  }

  // The share of cells on only one of the two paths, the true one and that of DTW under w.
  double error(std::span<const double> w) const {
    std::vector<double> theta(length * length);
    double wrong = 0, cells = 0;
    for (std::size_t p = 0; p < size(); ++p) {
      scores(p, w, theta);
      const auto path = hinge_.predict(theta);  // predictions leave the cost out
      for (std::size_t cell = 0; cell < theta.size(); ++cell) {
        wrong += path[cell] != pairs_[p].target[cell] ? 1 : 0;
        cells += path[cell] + pairs_[p].target[cell];
      }
    }
    return wrong / cells;
  }

 private:
  std::vector<Pair> pairs_;
  fenchel::FenchelYoungLoss hinge_ =
      fenchel::FenchelYoungLoss{fenchel::Map{grid}}.with_cost(fenchel::hamming_cost(grid));
};

}  // namespace

int main() {
  const Pairs held_out(2, 50);
  const fenchel::TrainResult result = fenchel::train(
      fenchel::OwnProblem{.examples = std::make_shared<Pairs>(1, 50)},
      {.penalty = fenchel::L2(1), .solver = fenchel::FrankWolfe{}, .tolerance = 1e-2, .max_iterations = 100});
  const double before = held_out.error(std::vector<double>(channels, 1.0)),
               after = held_out.error(result.parameters);
  std::printf("objective %.3f, gap %.3f; weights", result.last_step.objective, *result.last_step.gap);
  for (const double weight : result.parameters) std::printf(" %.2f", weight);
  std::printf("\ncells that differ: %.1f%% with equal weights, %.1f%% learned\n", 100 * before, 100 * after);
  return after < 0.5 * before ? 0 : 1;
}
