// SPDX-License-Identifier: Apache-2.0
#include "training/solvers/kernel_ascent.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "kernels/feature_rows.hpp"
#include "losses/dual_bound.hpp"
#include "training/problems/linear_rows.hpp"
#include "training/solvers/dual_round.hpp"
#include "training/solvers/dual_row.hpp"
#include "training/solvers/extrapolation.hpp"
#include "training/solvers/gram_part.hpp"
#include "training/solvers/gram_rows.hpp"
#include "training/solvers/kernel_newton.hpp"
#include "training/solvers/newton_turns.hpp"
#include "training/solvers/stopping_rule.hpp"

namespace fenchel {
namespace {

constexpr int most_passes = 64;
// The first passes of a round have orders of their own, which mostly is all that it needs; the others have
// one order, and lead to where they can be extrapolated to.
constexpr int shuffled_passes = 6;
constexpr int patience = 60;
constexpr std::size_t evaluation_block = 64;
// A round over more of the examples than this works on all of their scores.
constexpr double whole_share = 0.7;
// Where ŷ is sparse, rounds grow with the support, unless examples are few: the first is among one of so many
// examples, later ones among at most so many times as many as have coefficients, or one of so many.
constexpr std::size_t first_share = 8;
constexpr std::size_t growth = 2;
constexpr std::size_t least_share = 12;
constexpr std::size_t few_examples = 1000;
// After so many rounds in which the gap did not fall to a share, one is among all examples: gaps of some may
// come and go with rounds among others.
constexpr int stale_rounds = 4;
constexpr double stale_share = 0.9;
// A round that leaves more of the gap than this is followed by Newton's method, where Ω and memory allow it.
constexpr double slow_share = 0.5;
// Its first turn may take as many multiplications as so many products by the Gram matrix of the support.
constexpr double first_products = 256;
// Of the gap to reach: that of μ alone is larger than that of μ and the coefficients that led to it.
constexpr double newton_share = 0.03;

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
        gram_(problem, threads_),
        part_(gram_, problem.memory),
        theta_(problem.x.rows() * problem.outputs),
        mu_(theta_.size()),
        coefficients_(theta_.size()),
        gaps_(problem.x.rows()),
        u_(problem.outputs),
        next_(problem.outputs),
        newton_(theta_.size()) {
    leaps_ = gram_.matrix() != nullptr && KernelNewton<T>::suits(problem.loss);
    grows_ = problem.loss.traits().sparse;
    const AnyPolytope* set = problem.loss.omega().polytope();
    projected_ = set != nullptr && set->offers(Oracle::project);
    start(problem.kernel);
    if (!options.start.empty()) warm_start(options.start);
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
    const bool all = std::exchange(rounds_without_, rounds_without_ % stale_rounds) == stale_rounds;
    const double threshold = all ? -1 : left_out(gap_, size());
    for (std::size_t i = 0; i < size(); ++i) {
      if (sigma_[i] > 0 && gaps_[i] > threshold) order.push_back(static_cast<std::uint32_t>(i));
    }
    if (grows_ && !all && size() > few_examples) choose(order);
    const DualRound round{.seed = round_seed(seed_, static_cast<std::uint64_t>(stopping_.iterations())),
                          .random = random_,
                          .shuffled_passes = shuffled_passes,
                          .passes = most_passes,
                          .negligible = -1};  // none is dropped
    const double before = gap_;
    climb(round, std::move(order));
    evaluate();
    ++rounds_without_;
    if (gap_ <= stale_share * mark_) {
      mark_ = gap_;
      rounds_without_ = 0;
    }
    if (leaps_ && !stopping_.reached(now()) && gap_ > slow_share * before) leap();
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
    archive("rounds_without", rounds_without_);
    archive.check("rounds_without", rounds_without_ >= 0 && rounds_without_ <= stale_rounds);
    archive.extended("mark", mark_);
    archive.check("mark", mark_ >= 0);
    archive("newton", newton_);
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
      write_coefficients(i, coefficients);
      const auto own = row_of(coefficients, i);
      if (max_abs(own) == 0) continue;
      const auto row = gram_.row(i);
      kernels::add_outer(std::span<const double>(own), row, theta.data());
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
    for (std::size_t i = 0; i < size(); ++i) {
      const double diagonal = kernel_diagonal(kernel, problem_.x, i);
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

  // A warm start: coefficients of another λ or of nearly the same data. μ_i = y_i − λ a_i/w_i has them too,
  // where it is a point of the domain; a start that is worse than μ = y is no start.
  void warm_start(std::span<const double> start) {
    check_size("start", start.size(), coefficients_.size());
    check_finite("start", start);
    const std::vector<double> mu = mu_;
    Workspace& scratch = thread_workspace();
    for (std::size_t i = 0; i < size(); ++i) {
      if (!(sigma_[i] > 0)) continue;
      problem_.y.write(i, std::span(next_));
      for (std::size_t k = 0; k < width(); ++k) next_[k] -= l2_ * start[i * width() + k] / weight(i);
      if (in_domain(problem_.loss.omega(), next_, scratch)) std::ranges::copy(next_, row_of(mu_, i).begin());
    }
    add_all(coefficients_, theta_);
    evaluate();
    warm_ = objective_ - gap_ >= 0;
    if (warm_) return;
    mu_ = mu;
    std::ranges::fill(coefficients_, 0.0);
    std::ranges::fill(theta_, 0.0);
  }

  // The examples that a round is among, of those with a gap. The support of some tells most of the others
  // that they have none, and what is not in a round costs nothing.
  void choose(std::vector<std::uint32_t>& order) {
    std::size_t most = size() / first_share;
    if (stopping_.iterations() == 0 && !warm_) {
      shuffle(std::span(order), seed_, 0);
    } else {
      std::size_t support = 0;
      for (std::size_t i = 0; i < size(); ++i) support += max_abs(row_of(coefficients_, i)) > 0 ? 1 : 0;
      most = std::max(growth * support, size() / least_share);
      const auto larger = [&](std::uint32_t a, std::uint32_t b) {
        return gaps_[a] != gaps_[b] ? gaps_[a] > gaps_[b] : a < b;
      };
      if (order.size() > most)
        std::ranges::nth_element(order, order.begin() + static_cast<std::ptrdiff_t>(most), larger);
    }
    if (order.size() > most) order.resize(most);
    std::ranges::sort(order);
  }

  // A round among the examples of `order`: their scores follow every update, those of the others the round.
  void climb(const DualRound& round, std::vector<std::uint32_t> order) {
    if (static_cast<double>(order.size()) > whole_share * static_cast<double>(size())) {
      std::vector<std::uint32_t> all(size());
      std::iota(all.begin(), all.end(), 0U);
      part_.choose(std::move(all));
      run_passes(round, order, theta_);
      return;
    }
    part_.choose(order);
    std::vector<double> theta(part_.size() * width()), before(part_.size() * width());
    for (std::size_t j = 0; j < part_.size(); ++j) {
      for (std::size_t k = 0; k < width(); ++k) {
        theta[k * part_.size() + j] = theta_[k * size() + part_.example(j)];
        before[j * width() + k] = coefficients_[part_.example(j) * width() + k];
      }
    }
    std::iota(order.begin(), order.end(), 0U);
    run_passes(round, order, theta);
    for (std::size_t j = 0; j < part_.size(); ++j) {
      const std::size_t i = part_.example(j);
      for (std::size_t k = 0; k < width(); ++k)
        next_[k] = coefficients_[i * width() + k] - before[j * width() + k];
      if (max_abs(next_) > 0) kernels::add_outer(std::span<const double>(next_), gram_.row(i), theta_.data());
    }
    for (std::size_t j = 0; j < part_.size(); ++j) {
      for (std::size_t k = 0; k < width(); ++k)
        theta_[k * size() + part_.example(j)] = theta[k * part_.size() + j];
    }
  }

  // Passes over examples of the part, whose scores these are.
  void run_passes(const DualRound& round, std::vector<std::uint32_t>& order, std::vector<double>& theta) {
    Extrapolation extrapolation;
    run_round(
        round, order, [&](std::size_t j) { return update(j, theta); },
        [&](int passes) {
          if (passes < shuffled_passes) return;
          extrapolation.add({mu_of_part(), theta});
          if (!extrapolation.ready()) return;
          if (auto to = extrapolation.combine()) jump(std::move(*to), theta);
          extrapolation.clear();
          extrapolation.add({mu_of_part(), theta});
        });
  }

  std::vector<double> mu_of_part() {
    std::vector<double> mu;
    mu.reserve(part_.size() * width());
    for (std::size_t j = 0; j < part_.size(); ++j) {
      const auto own = row_of(mu_, part_.example(j));
      mu.insert(mu.end(), own.begin(), own.end());
    }
    return mu;
  }

  // To these dual variables and the scores that follow from them, if the dual objective is larger there.
  void jump(Extrapolation::Point to, std::vector<double>& theta) {
    enter_domain(to);
    if (!(gain(to, theta) > 0)) return;
    for (std::size_t j = 0; j < part_.size(); ++j) {
      const std::size_t i = part_.example(j);
      const auto next = std::span(to.x).subspan(j * width(), width());
      if (std::ranges::equal(next, row_of(mu_, i))) continue;
      std::ranges::copy(next, row_of(mu_, i).begin());
      write_coefficients(i, coefficients_);
    }
    theta = std::move(to.image);
  }

  // Examples whose μ is not in the domain stay where they are, or go to the nearest point of conv(Y).
  void enter_domain(Extrapolation::Point& to) {
    Workspace& scratch = thread_workspace();
    for (std::size_t j = 0; j < part_.size(); ++j) {
      const auto own = row_of(mu_, part_.example(j)), next = std::span(to.x).subspan(j * width(), width());
      if (std::ranges::equal(own, next)) continue;
      if (projected_) {
        problem_.loss.omega().polytope()->project(next, next_, scratch);
      } else {
        if (inside(next, scratch)) continue;
        std::ranges::copy(own, next_.begin());
      }
      const double scale = weight(part_.example(j)) / l2_;
      for (std::size_t k = 0; k < width(); ++k) u_[k] = scale * (next[k] - next_[k]);
      std::ranges::copy(next_, next.begin());
      kernels::add_outer(std::span<const double>(u_), part_.row(j), to.image.data());
    }
  }

  bool inside(std::span<const double> mu, Workspace& scratch) const {
    const Domain domain = problem_.loss.omega().refined_traits().domain;
    if (domain != Domain::reals && std::ranges::min(mu) < 0) return false;
    if (domain == Domain::cube && std::ranges::max(mu) > 1) return false;
    return in_domain(problem_.loss.omega(), mu, scratch);
  }

  // By how much the dual objective is larger there: what the gaps at the scores that we have fall by,
  // Ω(μ) − Ω(μ') + ⟨θ + c, μ' − μ⟩, and what the scores change by, half of which counts.
  double gain(const Extrapolation::Point& to, const std::vector<double>& theta) {
    Workspace& scratch = thread_workspace();
    double sum = 0;
    for (std::size_t j = 0; j < part_.size(); ++j) {
      const std::size_t i = part_.example(j);
      const auto mu = row_of(mu_, i);
      const auto next = std::span(to.x).subspan(j * width(), width());
      if (std::ranges::equal(mu, next)) continue;
      double product = 0;
      for (std::size_t k = 0; k < width(); ++k) {
        u_[k] = theta[k * part_.size() + j];
        product += (next[k] - mu[k]) * (to.image[k * part_.size() + j] - u_[k]);
      }
      losses_.add_cost(i, u_, scratch);
      const double fall = losses_.losses(i, u_, mu, scratch).gap - losses_.losses(i, u_, next, scratch).gap;
      sum += weight(i) * (fall + 0.5 * product);
    }
    return sum;
  }

  // a_i = w_i (y_i − μ_i)/λ.
  void write_coefficients(std::size_t i, std::vector<double>& out) {
    problem_.y.write(i, std::span(u_));
    const auto mu = row_of(mu_, i), own = row_of(out, i);
    for (std::size_t k = 0; k < width(); ++k) own[k] = weight(i) * (u_[k] - mu[k]) / l2_;
  }

  // Newton's method from where the rounds are; what it finds is taken if the dual objective is larger there.
  void leap() {
    double support = 0;
    for (std::size_t i = 0; i < size(); ++i) support += max_abs(row_of(coefficients_, i)) > 0 ? 1 : 0;
    // Where rounds grow with the support, they mostly need no help.
    if (!newton_.due(first_products * support * support * static_cast<double>(width()), !grows_)) return;
    KernelNewton<T> newton(losses_, *gram_.matrix(), width(), l2_, threads_);
    newton.run(newton_.start(coefficients_, objective_),
               newton_share * stopping_.accuracy().enough(objective_), newton_.work());
    const double gap = gap_, dual = objective_ - gap_;
    const std::vector<double> theta = theta_, mu = mu_, coefficients = coefficients_;
    for (std::size_t i = 0; i < size(); ++i) {
      if (sigma_[i] > 0)
        std::ranges::copy(std::span(newton.mu()).subspan(i * width(), width()), row_of(mu_, i).begin());
    }
    add_all(coefficients_, theta_);
    evaluate();
    // Where ŷ is smooth, steps are the more worth the nearer they come.
    const bool pays = gap_ <= slow_share * gap || (!grows_ && newton.bound() <= slow_share * newton_.bound());
    if (!(objective_ - gap_ > dual)) {
      theta_ = theta;
      mu_ = mu;
      coefficients_ = coefficients;
      evaluate();
    }
    newton_.end(newton.coefficients(), newton.objective(), newton.bound(), pays);
  }

  // Moves μ of example j of the part, whose scores these are. Returns about how far it was from its optimum.
  double update(std::size_t j, std::vector<double>& theta) {
    Workspace& scratch = thread_workspace();
    const std::size_t i = part_.example(j);
    const auto mu = row_of(mu_, i);
    for (std::size_t k = 0; k < width(); ++k) u_[k] = theta[k * part_.size() + j];
    losses_.add_cost(i, u_, scratch);
    add_scaled(sigma_[i], mu, u_.data());
    if (dual_.ridge()) {
      dual_.project(u_, sigma_[i], sparse_);
      std::ranges::fill(next_, 0.0);
      for (std::size_t e = 0; e < sparse_.values.size(); ++e)
        next_[static_cast<std::size_t>(sparse_.indices[e])] = sparse_.values[e];
    } else {
      dual_.update(u_, sigma_[i], next_, scratch);
    }
    double change = 0;
    for (std::size_t k = 0; k < width(); ++k) {
      const double delta = mu[k] - next_[k];
      mu[k] = next_[k];
      next_[k] = weight(i) * delta / l2_;
      change += std::abs(delta);
    }
    if (change == 0) return 0;
    const auto still = static_cast<std::size_t>(std::ranges::count(next_, 0.0));
    newton_.spend(static_cast<double>(part_.size() * (width() - still)));
    add_scaled(1, next_, coefficients_.data() + i * width());
    kernels::add_outer(std::span<const double>(next_), part_.row(j), theta.data());
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
        for (std::size_t k = 0; k < width(); ++k) u[k] = theta_[k * size() + i];
        const double product = dot(row_of(coefficients_, i), u);
        losses_.add_cost(i, u, scratch);
        const RowLosses losses = losses_.losses(i, u, row_of(mu_, i), scratch);
        gaps_[i] = weight(i) * losses.gap;
        sum.gap += gaps_[i];
        sum.primal += weight(i) * losses.primal + 0.5 * l2_ * product;
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
  GramPart<T> part_;
  std::vector<double> sigma_;  // w_i k(x_i, x_i) / l2
  std::vector<double> theta_;  // by output: a kernel's row is added to the scores of one output at a time
  std::vector<double> mu_, coefficients_;
  std::vector<double> proven_;  // coefficients made anew, where they were near enough to the optimum
  std::vector<double> gaps_;
  std::vector<double> u_, next_;
  SparseRow sparse_;
  bool projected_ = false;                                 // conv(Y) has a projection
  bool grows_ = false;                                     // rounds grow with the support
  double mark_ = std::numeric_limits<double>::infinity();  // the gap when it last fell to a share,
  int rounds_without_ = 0;                                 // and the rounds since
  bool warm_ = false;                                      // started at other coefficients
  bool leaps_ = false;                                     // Newton's method can be taken
  NewtonTurns newton_;
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
