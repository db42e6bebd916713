// SPDX-License-Identifier: Apache-2.0
#include "training/solvers/examples_pass.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "fenchel/core/workspace.hpp"

namespace fenchel {
namespace {

// Examples whose gradients wait to be added in their order: enough for several threads, few enough to keep.
constexpr std::size_t chunk_examples = 256;
constexpr std::size_t block_examples = 16;

}  // namespace

double full_pass(const Examples& examples, std::span<const double> w, std::span<double> gradient,
                 int threads) {
  std::vector<std::size_t> offsets;
  std::vector<double> gradients;
  std::vector<double> losses;
  double total = 0;
  for (std::size_t first = 0; first < examples.size(); first += chunk_examples) {
    const std::size_t count = std::min(chunk_examples, examples.size() - first);
    offsets.assign(1, 0);
    for (std::size_t i = 0; i < count; ++i)
      offsets.push_back(offsets.back() + examples.scores_size(first + i));
    gradients.resize(offsets.back());
    losses.assign(count, 0.0);
    for_each_block(count, block_examples, threads, [&](std::size_t begin, std::size_t end) {
      Workspace& scratch = thread_workspace();
      for (std::size_t i = begin; i < end; ++i) {
        const Workspace::Frame frame(scratch);
        const std::size_t size = offsets[i + 1] - offsets[i];
        const auto theta = scratch.take<double>(size);
        examples.scores(first + i, w, theta);
        losses[i] = examples.loss(first + i, theta, std::span(gradients).subspan(offsets[i], size), scratch);
      }
    });
    for (std::size_t i = 0; i < count; ++i) {
      total += losses[i];
      if (gradient.empty()) continue;
      const std::size_t size = offsets[i + 1] - offsets[i];
      examples.add(first + i, std::span<const double>(gradients).subspan(offsets[i], size), 1, gradient);
    }
  }
  return total;
}

}  // namespace fenchel
