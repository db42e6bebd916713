// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/soft_rank.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "kernels/sort.hpp"
#include "polytopes/arrangements.hpp"
#include "solvers/isotonic.hpp"

namespace fenchel {
namespace {

void check_input(std::span<const double> theta, std::span<double> out, const SoftSortOptions& options) {
  constexpr double least = 1e-300;  // scores divided by less would overflow
  check_at_least("strength", options.strength, least);
  check_finite("strength", options.strength);
  check_finite("theta", theta);
  check_size("out", out.size(), theta.size());
}

void check_sortable(const SoftSortOptions& options) {
  if (options.generator.empty()) return;
  throw std::invalid_argument(fmt::format("regularization is {}; expected l2 or kl for values in soft order",
                                          options.generator.name()));
}

// scale · (n, …, 1).
std::span<double> ranks(std::size_t n, double scale, Workspace& scratch) {
  const auto w = scratch.take<double>(n);
  for (std::size_t i = 0; i < n; ++i) w[i] = scale * static_cast<double>(n - i);
  return w;
}

std::span<double> scaled(std::span<const double> theta, double scale, Workspace& scratch) {
  const auto out = scratch.take<double>(theta.size());
  for (std::size_t i = 0; i < theta.size(); ++i) out[i] = scale * theta[i];
  return out;
}

// Soft ranks.
arrangements::Projection project_ranks(std::span<const double> theta, const SoftSortOptions& options,
                                       Workspace& scratch) {
  const auto scores = scaled(theta, (options.descending ? -1 : 1) / options.strength, scratch);
  const auto w = ranks(theta.size(), 1, scratch);
  if (options.generator.empty()) return {scores, w, options.kl, scratch};
  check_covers(options.generator, "ranks", w.back(), w.front());
  return {scores, w, options.generator, scratch};
}

// Soft values in descending order of sign · θ, with the blocks of the dual solution.
struct SortSolution {
  std::span<std::uint32_t> order;
  std::span<double> values;  // sorted
  std::span<double> result;
  std::span<std::uint32_t> ends;

  SortSolution(std::span<const double> theta, const SoftSortOptions& options, Workspace& scratch)
      : order(scratch.take<std::uint32_t>(theta.size())),
        values(scratch.take<double>(theta.size())),
        result(scratch.take<double>(theta.size())),
        ends(scratch.take<std::uint32_t>(theta.size())) {
    const auto signed_values = scaled(theta, options.descending ? 1 : -1, scratch);
    const auto s = ranks(theta.size(), 1 / options.strength, scratch);
    kernels::argsort_descending(signed_values, order, values, scratch);
    const std::size_t count =
        options.kl ? solve_kl(s, scratch) : arrangements::project(s, values, result, ends, scratch);
    ends = ends.first(count);
  }

  // body(first, end) of each block.
  template <class Body>
  void for_each_block(Body body) const {
    std::size_t first = 0;
    for (const std::uint32_t end : ends) {
      body(first, end);
      first = end;
    }
  }

  // The share of the sorted value i in what all places of its block have in common.
  auto shares(std::size_t first, std::size_t end, bool kl) const {
    const std::size_t size = end - first;
    const double log_total = kl ? log_sum_exp(values.subspan(first, size)) : 0;
    return [this, kl, size, log_total](std::size_t i) {
      return kl ? std::exp(values[i] - log_total) : 1 / static_cast<double>(size);
    };
  }

 private:
  // log μ = s − v = s − log Σ e^s + log Σ e^θ on a block, never leaving the logarithms.
  std::size_t solve_kl(std::span<const double> s, Workspace& scratch) const {
    const std::size_t count = isotonic_log_kl_blocks(s, values, ends, scratch);
    std::size_t first = 0;
    for (std::size_t b = 0; b < count; ++b) {
      const std::size_t size = ends[b] - first;
      const double scores = log_sum_exp(s.subspan(first, size));
      const double weights = log_sum_exp(values.subspan(first, size));
      for (; first < ends[b]; ++first)
        result[first] = size == 1 ? values[first] : (s[first] - scores) + weights;
    }
    return count;
  }
};

}  // namespace

SoftSortOptions SoftSortOptions::named(std::string_view regularization) {
  if (regularization == "l2") return {};
  if (regularization == "kl") return {.kl = true};
  const std::string_view name = regularization.substr(0, regularization.find(':'));
  const std::vector<std::string_view> known = generator_names();
  if (std::ranges::find(known, name) == known.end()) {
    throw std::invalid_argument(fmt::format(
        "regularization is '{}'; expected 'l2', 'kl' or, for ranks, 'tsallis:alpha=1.5' or 'burg'",
        regularization));
  }
  Generator phi = make_generator(regularization);
  if (phi.order() == 1.0) return {.kl = true};  // up to terms that are the same for all ranks
  if (phi.order() == 2.0) return {};
  return {.generator = std::move(phi)};
}

void soft_rank(std::span<const double> theta, std::span<double> out, const SoftSortOptions& options,
               Workspace& scratch) {
  check_input(theta, out, options);
  if (theta.empty()) return;
  const Workspace::Frame frame(scratch);
  if (!options.kl && options.generator.empty()) {
    const auto w = ranks(theta.size(), 1, scratch);
    const auto scores = scaled(theta, (options.descending ? -1 : 1) / options.strength, scratch);
    if (arrangements::project_inside(scores, w, out)) return;
  }
  project_ranks(theta, options, scratch).write(out);
}

void soft_rank_vjp(std::span<const double> theta, std::span<const double> u, std::span<double> out,
                   const SoftSortOptions& options, Workspace& scratch) {
  check_input(theta, out, options);
  check_size("u", u.size(), theta.size());
  if (theta.empty()) return;
  const Workspace::Frame frame(scratch);
  const auto solution = project_ranks(theta, options, scratch);
  const double scale = (options.descending ? -1 : 1) / options.strength;
  const Generator& phi = options.generator;
  const auto weight = [&](std::size_t i) {
    if (!phi.empty()) return phi.mobility(solution.mu[i]);
    return options.kl ? solution.mu[i] : 1;
  };
  solution.multiply(u, weight, scale, out);
}

void soft_sort(std::span<const double> theta, std::span<double> out, const SoftSortOptions& options,
               Workspace& scratch) {
  check_input(theta, out, options);
  check_sortable(options);
  if (theta.empty()) return;
  const Workspace::Frame frame(scratch);
  const SortSolution solution(theta, options, scratch);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = options.descending ? solution.result[i] : -solution.result[i];
}

void soft_sort_vjp(std::span<const double> theta, std::span<const double> u, std::span<double> out,
                   const SoftSortOptions& options, Workspace& scratch) {
  check_input(theta, out, options);
  check_sortable(options);
  check_size("u", u.size(), theta.size());
  if (theta.empty()) return;
  const Workspace::Frame frame(scratch);
  const SortSolution solution(theta, options, scratch);
  solution.for_each_block([&](std::size_t first, std::size_t end) {
    const double sum = sum_of(u.subspan(first, end - first));
    const auto share = solution.shares(first, end, options.kl);
    for (; first < end; ++first) out[solution.order[first]] = share(first) * sum;
  });
}

void soft_sort_jvp(std::span<const double> theta, std::span<const double> v, std::span<double> out,
                   const SoftSortOptions& options, Workspace& scratch) {
  check_input(theta, out, options);
  check_sortable(options);
  check_size("v", v.size(), theta.size());
  if (theta.empty()) return;
  const Workspace::Frame frame(scratch);
  const SortSolution solution(theta, options, scratch);
  solution.for_each_block([&](std::size_t first, std::size_t end) {
    const auto share = solution.shares(first, end, options.kl);
    double mean = 0;
    for (std::size_t i = first; i < end; ++i) mean += share(i) * v[solution.order[i]];
    for (; first < end; ++first) out[first] = mean;
  });
}

}  // namespace fenchel
