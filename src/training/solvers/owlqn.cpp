// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/solvers/owlqn.hpp"

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "solvers/orthant_lbfgs.hpp"
#include "training/solvers/nonsmooth_training.hpp"
#include "training/solvers/requirements.hpp"

namespace fenchel {
namespace {

class OwlqnMethod {
 public:
  static constexpr std::string_view name = Owlqn::traits.name;
  static constexpr double most_ascent = 1 + 1e-6;  // it descends, but for rounding

  explicit OwlqnMethod(std::size_t memory) : memory_(static_cast<int>(memory)) {}

  void begin(const ConditionedObjective& problem, std::span<const double> start,
             const TrainOptions& options) {
    const ParameterShape& shape = problem.penalty().shape();
    const Penalty& penalty = problem.penalty().penalty();
    machine_.emplace(OrthantLbfgs{.l1 = penalty.l1 + penalty.group,  // of single weights, if any
                                  .penalised = shape.penalised,
                                  .inverse_curvature = inverse_curvature(problem, penalty.l2),
                                  .max_iterations = options.max_iterations,
                                  .memory = memory_,
                                  .noise = problem.objective().noise(),
                                  .threads = resolve_threads(options.threads)},
                     start);
  }
  OrthantMachine& machine() { return *machine_; }
  const OrthantMachine& machine() const { return *machine_; }
  void tell(double value) { machine_->tell(value); }
  // Numbers that are not finite, at the start, cannot be compared: it has stalled there.
  bool evaluated() const { return machine_->started() && std::isfinite(machine_->value()); }
  std::array<std::pair<std::string, std::span<const double>>, 1> points() const {
    return {{{"machine.point", machine_->point()}}};
  }

 private:
  // Features curve the loss by as much as they are large: one scale for all would suit none.
  static std::vector<double> inverse_curvature(const ConditionedObjective& problem, double l2) {
    const Curvature curvature = problem.objective().curvature();
    const ParameterShape& shape = problem.penalty().shape();
    if (curvature.diagonal.empty()) return {};
    std::vector<double> result(shape.size);
    for (std::size_t j = 0; j < shape.size; ++j) {
      const double here = curvature.diagonal[j / shape.width] + (j < shape.penalised ? l2 : 0);
      result[j] = here > 0 ? 1 / here : 1;
    }
    return result;
  }

  int memory_;
  std::optional<OrthantMachine> machine_;
};

}  // namespace

void Owlqn::check() const { requirements::check_memory(memory); }

std::optional<Refusal> Owlqn::refuses(const Problem& problem, const TrainOptions& options) const {
  return requirements::first(requirements::no_kernel(problem), requirements::smooth_loss(problem),
                             requirements::no_groups(problem, options.penalty));
}

std::optional<std::string> Owlqn::suits(const Problem& problem, const TrainOptions& options) const {
  if (refuses(problem, options) || options.penalty.smooth()) return std::nullopt;
  return "the loss is smooth, and l1 is within each orthant";
}

std::unique_ptr<Algorithm> Owlqn::start(const Problem& problem, const TrainOptions& asked) const {
  const TrainOptions options = requirements::accept(*this, problem, asked);
  return std::make_unique<NonsmoothTraining<OwlqnMethod>>(make_objective(problem, options.threads),
                                                          OwlqnMethod(memory), options);
}

}  // namespace fenchel
