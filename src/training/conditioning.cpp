// SPDX-License-Identifier: Apache-2.0
#include "training/conditioning.hpp"

#include <algorithm>
#include <cmath>

#include "fenchel/core/parallel.hpp"

namespace fenchel {
namespace {

constexpr std::size_t block_entries = 16384;

}  // namespace

Conditioning::Conditioning(const Curvature& curvature, const ParameterShape& shape, double l2, int threads)
    : Conditioning(shape, threads) {
  if (curvature.diagonal.empty()) {
    keep_all(curvature.mean);
    return;
  }
  const std::size_t penalised_rows = shape.penalised / width_;
  for (std::size_t row = 0; row < curvature.diagonal.size(); ++row) {
    const double own = curvature.diagonal[row], all = own + (row < penalised_rows ? l2 : 0);
    const double mean = row < curvature.mean.size() ? curvature.mean[row] : 0;
    if (own == 0 && row < penalised_rows) continue;
    rows_.push_back({row, all > 0 && std::isfinite(all) ? 1 / std::sqrt(all) : 1, mean});
  }
  moves_ = !curvature.mean.empty();
}

Conditioning::Conditioning(const ParameterShape& shape, int threads)
    : parameters_(shape.size), width_(std::max<std::size_t>(shape.width, 1)), threads_(threads) {}

Conditioning Conditioning::centring(const Curvature& curvature, const ParameterShape& shape, int threads) {
  Conditioning out(shape, threads);
  out.keep_all(curvature.mean);
  return out;
}

void Conditioning::keep_all(std::span<const double> mean) {
  identity_ = mean.empty();
  for (std::size_t row = 0; row < parameters_ / width_; ++row) {
    rows_.push_back({row, 1, row < mean.size() ? mean[row] : 0});
  }
  moves_ = !mean.empty();
}

// Blocks of whole rows, whose weights lie together: body(row, where it is in parameters, where in variables).
template <class Body>
void Conditioning::for_each_row(Body body) const {
  const std::size_t block = std::max<std::size_t>(1, block_entries / width_);
  for_each_block(rows_.size(), block, threads_, [&](std::size_t first, std::size_t last) {
    for (std::size_t r = first; r < last; ++r) body(rows_[r], rows_[r].at * width_, r * width_);
  });
}

// Wᵀ mean, in an order that does not depend on the threads.
std::vector<double> Conditioning::mean_product(std::span<const double> w) const {
  std::vector<double> sums(width_, 0.0);
  for (const Row& row : rows_) {
    if (row.mean == 0) continue;
    for (std::size_t k = 0; k < width_; ++k) sums[k] += row.mean * w[row.at * width_ + k];
  }
  return sums;
}

void Conditioning::clear_others(std::span<double> w) const {
  if (variables() < w.size()) std::ranges::fill(w, 0.0);
}

void Conditioning::to_parameters(std::span<const double> variables, std::span<double> w) const {
  clear_others(w);
  for_each_row([&](const Row& row, std::size_t to, std::size_t from) {
    for (std::size_t k = 0; k < width_; ++k) w[to + k] = row.scale * variables[from + k];
  });
  if (!moves_) return;
  const auto sums = mean_product(w);
  const auto intercept = w.last(width_);
  for (std::size_t k = 0; k < width_; ++k) intercept[k] -= sums[k];
}

void Conditioning::to_variables(std::span<const double> w, std::span<double> variables) const {
  for_each_row([&](const Row& row, std::size_t from, std::size_t to) {
    for (std::size_t k = 0; k < width_; ++k) variables[to + k] = w[from + k] / row.scale;
  });
  if (!moves_) return;
  const auto sums = mean_product(w);
  const auto intercept = variables.last(width_);
  for (std::size_t k = 0; k < width_; ++k) intercept[k] += sums[k] / rows_.back().scale;
}

void Conditioning::gradient_to_variables(std::span<const double> gradient,
                                         std::span<double> by_variables) const {
  const auto intercept = gradient.last(width_);
  for_each_row([&](const Row& row, std::size_t from, std::size_t to) {
    for (std::size_t k = 0; k < width_; ++k) {
      const double moved = row.mean == 0 ? 0 : row.mean * intercept[k];
      by_variables[to + k] = row.scale * (gradient[from + k] - moved);
    }
  });
}

void Conditioning::gradient_to_parameters(std::span<const double> by_variables,
                                          std::span<double> gradient) const {
  clear_others(gradient);
  const auto intercept = by_variables.last(width_);
  for_each_row([&](const Row& row, std::size_t to, std::size_t from) {
    for (std::size_t k = 0; k < width_; ++k) {
      const double moved = row.mean == 0 ? 0 : row.mean * intercept[k] / rows_.back().scale;
      gradient[to + k] = by_variables[from + k] / row.scale + moved;
    }
  });
}

}  // namespace fenchel
