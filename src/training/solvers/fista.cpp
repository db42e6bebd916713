// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/solvers/fista.hpp"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "fenchel/core/workspace.hpp"
#include "fenchel/solvers/fista_minimizer.hpp"
#include "training/solvers/nonsmooth_training.hpp"
#include "training/solvers/requirements.hpp"

namespace fenchel {
namespace {

class FistaMethod {
 public:
  static constexpr std::string_view name = Fista::traits.name;
  static constexpr double most_ascent =
      10;  // it need not descend all the time, but does not go far up either

  void begin(const ConditionedObjective& problem, std::span<const double> start,
             const TrainOptions& options) {
    shrink_.penalty = &problem.penalty();
    machine_.emplace(FistaMinimizer{.tolerance = 0, .max_iterations = options.max_iterations}, start, shrink_,
                     *memory_);
  }
  FistaMachine& machine() { return *machine_; }
  const FistaMachine& machine() const { return *machine_; }
  void tell(double value) { machine_->tell(value, shrink_); }
  // Without a step, the gradient may be that of a trial.
  bool evaluated() const {
    return machine_->iterations() > 0 && machine_->report().status != Status::stalled;
  }
  std::array<std::pair<std::string, std::span<const double>>, 2> points() const {
    return {{{"machine.point", machine_->point()}, {"machine.ahead", machine_->ahead()}}};
  }

 private:
  struct Shrink {
    const ShapedPenalty* penalty = nullptr;
    void operator()(double step, std::span<double> w) const { penalty->prox(step, w); }
  };

  Shrink shrink_;
  std::shared_ptr<Workspace> memory_ = std::make_shared<Workspace>();
  std::optional<FistaMachine> machine_;
};

}  // namespace

std::optional<Refusal> Fista::refuses(const Problem& problem, const TrainOptions&) const {
  return requirements::first(requirements::no_kernel(problem), requirements::smooth_loss(problem));
}

std::optional<std::string> Fista::suits(const Problem& problem, const TrainOptions& options) const {
  if (refuses(problem, options)) return std::nullopt;
  return "the penalty has kinks (group), which its proximity operator handles";
}

std::unique_ptr<Algorithm> Fista::start(const Problem& problem, const TrainOptions& asked) const {
  const TrainOptions options = requirements::accept(*this, problem, asked);
  return std::make_unique<NonsmoothTraining<FistaMethod>>(make_objective(problem, options.threads),
                                                          FistaMethod(), options);
}

}  // namespace fenchel
