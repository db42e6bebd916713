// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/kernel_ascent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "fenchel/core/parallel.hpp"
#include "training/examples_pass.hpp"
#include "training/gram_rows.hpp"
#include "training/problem_rows.hpp"
#include "training/progress.hpp"
#include "training/row_omega.hpp"

namespace fenchel {
namespace {

// As in dual_ascent.cpp: which examples a round visits, and how long it lasts.
constexpr double skipped_share = 0.1;
constexpr double round_share = 0.25;
constexpr int most_passes = 32;
constexpr int patience = 60;
constexpr std::size_t evaluation_block = 64;

template <Real T>
LinearProblem<T> checked(const KernelProblem<T>& problem) {
  LinearProblem<T> linear{.x = problem.x,
                          .y = problem.y,
                          .outputs = problem.outputs,
                          .omega = problem.omega,
                          .cost = problem.cost,
                          .weights = problem.weights,
                          .intercept = Intercept::none};
  check_problem(linear);
  return linear;
}

template <Real T>
class KernelAscent final : public Algorithm {
 public:
  KernelAscent(const KernelProblem<T>& problem, const TrainOptions& options)
      : problem_(checked(problem)),
        costs_(problem_),
        omega_(problem.omega),
        l2_(options.penalty.l2),
        threads_(resolve_threads(options.threads)),
        seed_(options.seed),
        gram_(problem.kernel, problem.x, problem.memory, threads_),
        progress_(options, patience),
        theta_(problem.x.rows() * problem.outputs),
        mu_(theta_.size()),
        coefficients_(theta_.size()),
        gaps_(problem.x.rows()),
        u_(problem.outputs),
        next_(problem.outputs) {
    start(problem.kernel);
  }

  std::string_view name() const override { return "kernel_ascent"; }
  std::span<const double> parameters() const override { return coefficients_; }
  Report report() const override { return progress_.report(); }

  Standing step() override {
    if (progress_.iterations() == 0) evaluate();
    std::vector<std::uint32_t> order;
    const double threshold = skipped_share * gap_ / static_cast<double>(std::max<std::size_t>(size(), 1));
    for (std::size_t i = 0; i < size(); ++i) {
      if (sigma_[i] > 0 && gaps_[i] > threshold) order.push_back(static_cast<std::uint32_t>(i));
    }
    double first = 0;
    for (int pass = 0; pass < most_passes && !order.empty(); ++pass) {
      const auto stream = static_cast<std::uint64_t>(progress_.iterations()) * most_passes;
      shuffle(std::span(order), seed_, stream + static_cast<std::uint64_t>(pass));
      double moved = 0;
      for (const std::uint32_t i : order) moved += update(i);
      if (pass == 0) first = moved;
      if (pass > 0 && moved <= round_share * first) break;
    }
    evaluate();
    return progress_.judge_gap({.objective = objective_, .dual = objective_ - gap_, .gap = gap_});
  }

  State save() const override {
    State state;
    progress_.save(state);
    state.set("theta", theta_);
    state.set("mu", mu_);
    state.set("coefficients", coefficients_);
    state.set("gaps", gaps_);
    state.set("numbers", std::vector<double>{objective_, gap_});
    return state;
  }
  void restore(const State& state) override {
    progress_.restore(state);
    state.read("theta", std::span(theta_));
    state.read("mu", std::span(mu_));
    state.read("coefficients", std::span(coefficients_));
    state.read("gaps", std::span(gaps_));
    std::vector<double> numbers(2);
    state.read("numbers", std::span(numbers));
    objective_ = numbers[0];
    gap_ = numbers[1];
  }

 private:
  std::size_t size() const { return problem_.x.rows(); }
  std::size_t width() const { return problem_.outputs; }
  double weight(std::size_t i) const { return problem_.weights.empty() ? 1 : problem_.weights[i]; }
  std::span<double> row_of(std::vector<double>& v, std::size_t i) const {
    return std::span(v).subspan(i * width(), width());
  }

  // μ_i = y_i; an example whose k(x, x) is 0 takes its optimum at once.
  void start(const Kernel& kernel) {
    Workspace& scratch = thread_workspace();
    std::vector<double> one(1);
    for (std::size_t i = 0; i < size(); ++i) {
      double diagonal = 0;
      if (kernel.kind == Kernel::Kind::precomputed) {
        diagonal = gram_.row(i)[i];
      } else {
        KernelRows<T>(kernel, problem_.x.block(i, 1)).evaluate(problem_.x, i, std::span(one));
        diagonal = one[0];
      }
      if (!(diagonal >= 0)) {
        throw std::invalid_argument(fmt::format(
            "kernel_ascent: k(x, x) of example {} is {}; expected a number >= 0, as of every kernel", i,
            diagonal));
      }
      sigma_.push_back(weight(i) * diagonal / l2_);
      const auto mu = row_of(mu_, i);
      write_target(problem_.y, i, 0, mu);
      if (sigma_[i] > 0 || weight(i) == 0) continue;
      std::ranges::fill(u_, 0.0);
      costs_.add(i, 0, u_, scratch);
      omega_.predict(u_, mu, scratch);
    }
  }

  // Returns about how far μ_i was from its optimum.
  double update(std::size_t i) {
    Workspace& scratch = thread_workspace();
    const auto mu = row_of(mu_, i);
    std::ranges::copy(row_of(theta_, i), u_.begin());
    costs_.add(i, 0, u_, scratch);
    add_scaled(sigma_[i], mu.data(), width(), u_.data());
    omega_.update(u_, sigma_[i], next_, scratch);
    double change = 0;
    std::size_t moved = 0;
    for (std::size_t k = 0; k < width(); ++k) {
      const double delta = mu[k] - next_[k];
      mu[k] = next_[k];
      next_[k] = weight(i) * delta / l2_;
      change += std::abs(delta);
      moved += delta != 0 ? 1 : 0;
    }
    if (moved == 0) return 0;
    add_scaled(1, next_.data(), width(), coefficients_.data() + i * width());
    const auto row = gram_.row(i);
    for (std::size_t j = 0; j < size(); ++j) {
      if (row[j] != 0) add_scaled(row[j], next_.data(), width(), theta_.data() + j * width());
    }
    return weight(i) * sigma_[i] * change;
  }

  void evaluate() {
    std::vector<RowLosses> sums((size() + evaluation_block - 1) / evaluation_block);
    for_each_block(size(), evaluation_block, threads_, [&](std::size_t begin, std::size_t end) {
      Workspace& scratch = thread_workspace();
      const Workspace::Frame frame(scratch);
      const auto u = scratch.take<double>(width());
      const auto y = scratch.take<double>(width());
      RowLosses& sum = sums[begin / evaluation_block];
      for (std::size_t i = begin; i < end; ++i) {
        gaps_[i] = 0;
        if (weight(i) == 0) continue;
        const auto theta = row_of(theta_, i);
        std::ranges::copy(theta, u.begin());
        costs_.add(i, 0, u, scratch);
        write_target(problem_.y, i, 0, y);
        const RowLosses losses = omega_.losses(u, y, row_of(mu_, i), scratch);
        gaps_[i] = weight(i) * losses.gap;
        sum.gap += gaps_[i];
        sum.primal += weight(i) * losses.primal + 0.5 * l2_ * dot(row_of(coefficients_, i), theta);
      }
    });
    objective_ = 0;
    gap_ = 0;
    for (const RowLosses& sum : sums) {
      objective_ += sum.primal;
      gap_ += sum.gap;
    }
  }

  LinearProblem<T> problem_;
  RowCosts<T> costs_;
  RowOmega omega_;
  double l2_;
  int threads_;
  std::uint64_t seed_;
  GramRows<T> gram_;
  Progress progress_;
  std::vector<double> sigma_;  // w_i k(x_i, x_i) / l2
  std::vector<double> theta_, mu_, coefficients_;
  std::vector<double> gaps_;
  std::vector<double> u_, next_;
  double objective_ = 0;
  double gap_ = 0;
};

template <Real T>
std::unique_ptr<Algorithm> make(const KernelProblem<T>& problem, const TrainOptions& options) {
  problem.kernel.check();
  options.penalty.check();
  if (!(options.penalty.l2 > 0) || !options.penalty.smooth()) {
    throw std::invalid_argument("kernel_ascent: expected the l2 penalty alone, with l2 > 0");
  }
  if (!problem.omega.refined_traits().convex) {
    throw std::invalid_argument(
        fmt::format("kernel_ascent: {} is not convex and has no proximity operator; choose another omega",
                    to_json(problem.omega.spec())));
  }
  if (problem.x.rows() > std::numeric_limits<std::uint32_t>::max()) {
    throw std::invalid_argument(
        fmt::format("kernel_ascent: {} examples; expected fewer than 2^32", problem.x.rows()));
  }
  return std::make_unique<KernelAscent<T>>(problem, options);
}

template <Real T>
KernelResult run(const KernelProblem<T>& problem, const TrainOptions& options) {
  const auto algorithm = make(problem, options);
  Standing standing;
  while (!standing.done) {
    standing = algorithm->step();
    if (options.observer && !options.observer(standing, *algorithm)) break;
  }
  const MatrixView<const double> coefficients(algorithm->parameters().data(), problem.x.rows(),
                                              problem.outputs);
  return {make_kernel_model(problem.kernel, problem.x, coefficients), standing, algorithm->report()};
}

}  // namespace

std::unique_ptr<Algorithm> make_kernel_ascent(const KernelProblem<float>& problem,
                                              const TrainOptions& options) {
  return make(problem, options);
}
std::unique_ptr<Algorithm> make_kernel_ascent(const KernelProblem<double>& problem,
                                              const TrainOptions& options) {
  return make(problem, options);
}
KernelResult train_kernel(const KernelProblem<float>& problem, const TrainOptions& options) {
  return run(problem, options);
}
KernelResult train_kernel(const KernelProblem<double>& problem, const TrainOptions& options) {
  return run(problem, options);
}

}  // namespace fenchel
