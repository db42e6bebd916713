// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/dual_ascent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "fenchel/core/check.hpp"
#include "training/dual_part.hpp"
#include "training/progress.hpp"
#include "training/solver_spec.hpp"

namespace fenchel {
namespace {

// Outputs of a separable Ω that one thread takes at a time: a cache line of W.
constexpr std::size_t outputs_of_part = 8;
// Examples with less than this share of the mean contribution to the gap are left out of a round: together
// they hold less than this share of the gap.
constexpr double skipped_share = 0.1;
// Within a round, examples that come this much closer than that to their optimum are dropped.
constexpr double dropped_share = 0.1;
// A round ends when the examples it visits hold no more than this share of the gap they began with.
constexpr double round_share = 0.25;
constexpr int most_passes = 32;
// Multiplications of an evaluation for which waking other threads costs more than they save.
constexpr std::size_t smallest_parallel_work = 500'000;
// A solver that has not improved the gap by a thousandth in so many rounds will not at working precision.
constexpr int patience = 60;

template <Real T>
class DualAscent final : public Algorithm {
 public:
  DualAscent(const LinearProblem<T>& problem, const TrainOptions& options)
      : setup_(problem, options.penalty),
        threads_(threads_for(problem, options.threads)),
        seed_(options.seed),
        random_(read_order(options.solver)),
        progress_(options, patience),
        w_(problem.shape().size) {
    const std::size_t width = splits(problem, options.penalty) ? outputs_of_part : problem.outputs;
    for (std::size_t first = 0; first < problem.outputs; first += width) {
      parts_.emplace_back(setup_, first, std::min(width, problem.outputs - first));
    }
    for (DualPart<T>& part : parts_) part.start();
    if (!options.start.empty()) warm_start(options.start);
  }

  std::string_view name() const override { return "dual_ascent"; }
  std::span<const double> parameters() const override { return w_; }
  Report report() const override { return progress_.report(); }

  Standing step() override {
    if (!evaluated_) evaluate();  // where to spend the first round
    const DualRound round{
        .seed = seed_ + static_cast<std::uint64_t>(progress_.iterations()) * 0xbf58476d1ce4e5b9U,
        .random = random_,
        .passes = most_passes,
        .negligible = dropped_share * threshold(),
        .share = round_share};
    for_each_block(parts_.size(), 1, threads_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) parts_[p].run(round);
    });
    evaluate();
    return progress_.judge_gap({.objective = objective_, .dual = objective_ - gap_, .gap = gap_});
  }

  State save() const override {
    State state;
    progress_.save(state);
    for (std::size_t p = 0; p < parts_.size(); ++p) parts_[p].save(state, fmt::format("part{}.", p));
    state.set("w", w_);
    state.set("numbers", std::vector<double>{objective_, gap_, evaluated_ ? 1.0 : 0.0});
    return state;
  }

  void restore(const State& state) override {
    progress_.restore(state);
    for (std::size_t p = 0; p < parts_.size(); ++p) parts_[p].restore(state, fmt::format("part{}.", p));
    state.read("w", std::span(w_));
    std::vector<double> numbers(3);
    state.read("numbers", std::span(numbers));
    objective_ = numbers[0];
    gap_ = numbers[1];
    evaluated_ = numbers[2] != 0;
  }

 private:
  static int threads_for(const LinearProblem<T>& problem, int threads) {
    return problem.x.size() * problem.outputs < smallest_parallel_work ? 1 : resolve_threads(threads);
  }

  static bool splits(const LinearProblem<T>& problem, const Penalty& penalty) {
    const Traits traits = problem.omega.refined_traits();
    return traits.separable && !problem.omega.dimension() && penalty.group == 0 &&
           (traits.domain == Domain::cube || traits.domain == Domain::reals || traits.domain == Domain::cone);
  }

  static bool read_order(const std::string& solver) {
    const SolverSpec spec(solver, "dual_ascent", {"order"});
    const std::string order = spec.word("order", "random");
    if (order == "random" || order == "cyclic") return order == "random";
    throw std::invalid_argument("order is '" + order + "'; expected random or cyclic");
  }

  double threshold() const {
    return skipped_share * gap_ / static_cast<double>(setup_.rows.size() * parts_.size());
  }

  // ŷ_Ω at the parameters given, unless μ = y does better: its dual objective is 0.
  void warm_start(std::span<const double> start) {
    check_size("start", start.size(), w_.size());
    std::vector<double> slice;
    for (DualPart<T>& part : parts_) {
      slice.resize(setup_.rows.features() * part.width());
      copy_part(part, start.data(), slice.data(), problem_outputs(), part.width());
      part.start_at(slice);
    }
    evaluate();
    if (objective_ - gap_ >= 0) return;
    for (DualPart<T>& part : parts_) part.start();
    evaluated_ = false;
  }

  std::size_t problem_outputs() const { return setup_.problem.outputs; }

  // From the columns of the whole to those of a part.
  void copy_part(const DualPart<T>& part, const double* whole, double* slice, std::size_t stride,
                 std::size_t width) const {
    for (std::size_t j = 0; j < setup_.rows.features(); ++j) {
      std::copy_n(whole + j * stride + part.first(), width, slice + j * width);
    }
  }

  void evaluate() {
    if (parts_.size() == 1) {
      add_up(parts_.front().evaluate(w_, threads_), {});
    } else {
      std::vector<DualSums> sums(parts_.size());
      for_each_block(parts_.size(), 1, threads_, [&](std::size_t begin, std::size_t end) {
        std::vector<double> slice;
        for (std::size_t p = begin; p < end; ++p) {
          const DualPart<T>& part = parts_[p];
          slice.resize(setup_.rows.features() * part.width());
          sums[p] = parts_[p].evaluate(slice, 1);
          for (std::size_t j = 0; j < setup_.rows.features(); ++j) {
            std::copy_n(slice.data() + j * part.width(), part.width(),
                        w_.data() + j * problem_outputs() + part.first());
          }
        }
      });
      add_up({}, sums);
    }
    evaluated_ = true;
    for (DualPart<T>& part : parts_) part.choose(threshold());
  }

  void add_up(DualSums total, const std::vector<DualSums>& sums) {
    for (const DualSums& sum : sums) {
      total.loss += sum.loss;
      total.gap += sum.gap;
    }
    objective_ = total.loss + setup_.penalty.value(w_, problem_outputs());
    gap_ = total.gap;
  }

  DualSetup<T> setup_;
  int threads_;
  std::uint64_t seed_;
  bool random_;
  Progress progress_;
  std::vector<DualPart<T>> parts_;
  std::vector<double> w_;
  double objective_ = 0;
  double gap_ = 0;
  bool evaluated_ = false;
};

void check_omega(const AnyRegularizer& omega) {
  const Traits traits = omega.refined_traits();
  if (traits.convex) return;
  throw std::invalid_argument(fmt::format(
      "dual_ascent: {} is not convex and has no proximity operator; choose another omega, or --solver lbfgs",
      to_json(omega.spec())));
}

template <Real T>
void check_request(const LinearProblem<T>& problem, const Penalty& penalty) {
  penalty.check();
  check_omega(problem.omega);
  if (problem.intercept == Intercept::free) {
    throw std::invalid_argument(
        "dual_ascent: a free intercept couples all examples; choose --intercept penalised or none, or "
        "--solver lbfgs");
  }
  if (!(penalty.l2 > 0)) {
    throw std::invalid_argument(fmt::format(
        "dual_ascent: l2 is {}; expected a penalty with l2 > 0 (l2, elastic net), or --solver fista",
        penalty.l2));
  }
  if (!problem.center.empty() && !penalty.smooth()) {
    throw std::invalid_argument(
        "dual_ascent: features that are centred need the l2 penalty alone; choose --scale maxabs or --solver "
        "fista");
  }
  if (problem.examples() > std::numeric_limits<std::uint32_t>::max()) {
    throw std::invalid_argument(
        fmt::format("dual_ascent: {} examples; expected fewer than 2^32", problem.examples()));
  }
}

template <Real T>
std::unique_ptr<Algorithm> make(const LinearProblem<T>& problem, const TrainOptions& options) {
  check_problem(problem);
  check_request(problem, options.penalty);
  return std::make_unique<DualAscent<T>>(problem, options);
}

}  // namespace

std::unique_ptr<Algorithm> make_dual_ascent(const LinearProblem<float>& problem,
                                            const TrainOptions& options) {
  return make(problem, options);
}
std::unique_ptr<Algorithm> make_dual_ascent(const LinearProblem<double>& problem,
                                            const TrainOptions& options) {
  return make(problem, options);
}

}  // namespace fenchel
