// SPDX-License-Identifier: Apache-2.0
#include "training/solvers/kernel_ascent.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "fenchel/core/numeric.hpp"
#include "losses/dual_bound.hpp"
#include "training/problems/linear_rows.hpp"
#include "training/solvers/dual_round.hpp"
#include "training/solvers/dual_row.hpp"
#include "training/solvers/gram_rows.hpp"
#include "training/solvers/stopping_rule.hpp"

namespace fenchel {
namespace {

constexpr int most_passes = 32;
constexpr int patience = 60;
constexpr std::size_t evaluation_block = 64;

template <Real T>
class KernelAscent final : public StoppedAlgorithm {
 public:
  KernelAscent(const KernelProblem<T>& problem, bool random, const TrainOptions& options)
      : StoppedAlgorithm("kernel_ascent", options, patience),
        problem_(linear_part(problem)),
        losses_(problem_),
        dual_(losses_.row()),
        l2_(options.penalty.l2),
        random_(random),
        gram_(problem.kernel, problem.x, problem.memory, threads_),
        theta_(problem.x.rows() * problem.outputs),
        mu_(theta_.size()),
        coefficients_(theta_.size()),
        gaps_(problem.x.rows()),
        u_(problem.outputs),
        next_(problem.outputs) {
    start(problem.kernel);
  }

  std::span<const double> parameters() const override { return proven_.empty() ? coefficients_ : proven_; }
  bool dual_gradient(std::size_t i, std::span<double> out) const override {
    problem_.y.write(i, out);
    for (std::size_t k = 0; k < width(); ++k) out[k] = weight(i) * (mu_[i * width() + k] - out[k]);
    return true;
  }

  StepReport step() override {
    if (stopping_.iterations() == 0) evaluate();
    std::vector<std::uint32_t> order;
    const double threshold = left_out(gap_, size());
    for (std::size_t i = 0; i < size(); ++i) {
      if (sigma_[i] > 0 && gaps_[i] > threshold) order.push_back(static_cast<std::uint32_t>(i));
    }
    const DualRound round{.seed = round_seed(seed_, stopping_.iterations()),
                          .random = random_,
                          .passes = most_passes,
                          .negligible = -1};  // none is dropped
    run_round(round, order, [&](std::size_t i) { return update(i); });
    evaluate();
    prove();
    return stopping_.judge(now(), parameters());
  }

  StepReport assess() override {
    if (stopping_.iterations() == 0) evaluate();
    prove();
    return stopping_.assess(now(), parameters());
  }

  void visit_state(StateArchive& archive) override {
    const std::vector<double> fresh = mu_;
    archive("progress", stopping_);
    archive("theta", theta_);
    archive("mu", mu_);
    archive("coefficients", coefficients_);
    if (!archive.reading()) return;
    check_restored(archive, fresh);
    if (stopping_.iterations() > 0) evaluate();
  }

 private:
  StepReport now() const {
    StepReport report{.objective = objective_, .dual = objective_ - gap_, .gap = gap_};
    report.residual = StoppingRule::relative_gap(report);
    return report;
  }

  // The gap is a bound where scores follow from the dual variables: nothing is called converged before they
  // were made anew. A run goes on from what it had, whatever its tolerance, unless that was not good enough.
  void prove() {
    proven_.clear();
    if (!stopping_.reached(now())) return;
    const std::vector<double> theta = theta_;
    std::vector<double> coefficients = coefficients_;
    add_all(coefficients_, theta_);
    evaluate();
    if (!stopping_.reached(now())) return;
    theta_ = theta;
    proven_ = std::exchange(coefficients_, std::move(coefficients));
  }

  // Coefficients as they follow from the dual variables, and scores as they follow from these. Returns the
  // size of the numbers that are added up.
  double add_all(std::vector<double>& coefficients, std::vector<double>& theta) {
    std::ranges::fill(coefficients, 0.0);
    std::ranges::fill(theta, 0.0);
    double largest = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      if (!(sigma_[i] > 0)) continue;
      const auto mu = row_of(mu_, i);
      problem_.y.write(i, std::span(u_));
      const auto own = row_of(coefficients, i);
      for (std::size_t k = 0; k < width(); ++k) own[k] = weight(i) * (u_[k] - mu[k]) / l2_;
      if (max_abs(own) == 0) continue;
      const auto row = gram_.row(i);
      for (std::size_t j = 0; j < size(); ++j) add_scaled(row[j], own, &theta[j * width()]);
      largest = std::max(largest, max_abs(own) * max_abs(row));
    }
    return largest;
  }

  // `fresh`: the dual variables at the start, which those that no update moves still have.
  void check_restored(StateArchive& archive, const std::vector<double>& fresh) {
    for (std::size_t i = 0; i < size(); ++i) {
      const auto mu = row_of(mu_, i);
      archive.check("mu", in_domain(problem_.loss.omega(), mu, thread_workspace()));
      if (sigma_[i] > 0) continue;
      archive.check_data("mu", mu, std::span(fresh).subspan(i * width(), width()), 1);
    }
    std::vector<double> coefficients(coefficients_.size()), theta(theta_.size());
    const double largest = add_all(coefficients, theta);
    // Many small updates leave more than one rounding: they were of the size of μ, not of what is left of it.
    double unit = 0;
    for (std::size_t i = 0; i < size(); ++i) unit = std::max(unit, weight(i) / l2_);
    archive.check_data("coefficients", coefficients_, coefficients, std::max(unit, max_abs(coefficients)));
    archive.check_data("theta", theta_, theta, std::max(largest, max_abs(theta)));
  }

  std::size_t size() const { return problem_.x.rows(); }
  std::size_t width() const { return problem_.outputs; }
  double weight(std::size_t i) const { return losses_.weight(i); }
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
      losses_.write_target(i, mu);
      if (sigma_[i] > 0 || weight(i) == 0) continue;
      std::ranges::fill(u_, 0.0);
      losses_.predict(i, u_, mu, scratch);
    }
  }

  // Returns about how far μ_i was from its optimum.
  double update(std::size_t i) {
    Workspace& scratch = thread_workspace();
    const auto mu = row_of(mu_, i);
    std::ranges::copy(row_of(theta_, i), u_.begin());
    losses_.add_cost(i, u_, scratch);
    add_scaled(sigma_[i], mu, u_.data());
    dual_.update(u_, sigma_[i], next_, scratch);
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
    add_scaled(1, next_, coefficients_.data() + i * width());
    const auto row = gram_.row(i);
    for (std::size_t j = 0; j < size(); ++j) {
      if (row[j] != 0) add_scaled(row[j], next_, theta_.data() + j * width());
    }
    return weight(i) * sigma_[i] * change;
  }

  void evaluate() {
    std::vector<RowLosses> sums((size() + evaluation_block - 1) / evaluation_block);
    for_each_block(size(), evaluation_block, threads_, [&](std::size_t begin, std::size_t end) {
      Workspace& scratch = thread_workspace();
      const Workspace::Frame frame(scratch);
      const auto u = scratch.take<double>(width());
      RowLosses& sum = sums[begin / evaluation_block];
      for (std::size_t i = begin; i < end; ++i) {
        gaps_[i] = 0;
        if (weight(i) == 0) continue;
        const auto theta = row_of(theta_, i);
        std::ranges::copy(theta, u.begin());
        losses_.add_cost(i, u, scratch);
        const RowLosses losses = losses_.losses(i, u, row_of(mu_, i), scratch);
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
  LinearLosses<T> losses_;
  DualRow dual_;
  double l2_;
  bool random_;
  GramRows<T> gram_;
  std::vector<double> sigma_;  // w_i k(x_i, x_i) / l2
  std::vector<double> theta_, mu_, coefficients_;
  std::vector<double> proven_;  // coefficients made anew, where they were near enough to the optimum
  std::vector<double> gaps_;
  std::vector<double> u_, next_;
  double objective_ = 0;
  double gap_ = 0;
};

}  // namespace

template <Real T>
std::unique_ptr<Algorithm> start_kernel_ascent(const KernelProblem<T>& problem, bool random,
                                               const TrainOptions& options) {
  return std::make_unique<KernelAscent<T>>(problem, random, options);
}
template std::unique_ptr<Algorithm> start_kernel_ascent(const KernelProblem<float>&, bool,
                                                        const TrainOptions&);
template std::unique_ptr<Algorithm> start_kernel_ascent(const KernelProblem<double>&, bool,
                                                        const TrainOptions&);

}  // namespace fenchel
