// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/solver.hpp"

#include <fmt/format.h>

#include "core/spec_reader.hpp"
#include "fenchel/core/option_error.hpp"
#include "fenchel/training/all.hpp"
#include "fenchel/training/train.hpp"

namespace fenchel {
namespace {

template <class... Types>
std::vector<SolverEntry> entries(TypeList<Types...>) {
  return {{Types::traits, spec::parameter_entries<Types>(), Types{}}...};
}

// An algorithm that may not take a step: it only judges where it stands.
class Unmoved final : public Algorithm {
 public:
  explicit Unmoved(std::unique_ptr<Algorithm> algorithm) : algorithm_(std::move(algorithm)) {}

  std::string_view name() const override { return algorithm_->name(); }
  StepReport step() override { return assess(); }
  StepReport assess() override {
    StepReport stands = algorithm_->assess();
    stands.done = true;
    return stands;
  }
  std::span<const double> parameters() const override { return algorithm_->parameters(); }
  Report report() const override { return algorithm_->report(); }
  bool dual_gradient(std::size_t i, std::span<double> out) const override {
    return algorithm_->dual_gradient(i, out);
  }
  void visit_state(StateArchive& archive) override { algorithm_->visit_state(archive); }

 private:
  std::unique_ptr<Algorithm> algorithm_;
};

}  // namespace

std::unique_ptr<Algorithm> AnySolver::start(const Problem& problem, const TrainOptions& options) const {
  std::unique_ptr<Algorithm> algorithm = model_->start(problem, options);
  if (options.max_iterations > 0) return algorithm;
  return std::make_unique<Unmoved>(std::move(algorithm));
}

AnySolver::AnySolver(std::string_view text) {
  const Spec spec = parse_spec(text, "solver");
  const bool found = spec::visit_named(AllSolvers(), spec.name,
                                       [&]<class S>(std::type_identity<S>) { *this = spec::read<S>(spec); });
  if (found || (spec.name == "auto" && spec.parameters.empty())) return;
  std::vector<std::string_view> names{"auto"};
  for (const SolverEntry& entry : solver_list()) names.push_back(entry.traits.name);
  throw OptionError(fmt::format("`solver` is '{}'; expected {}{}", spec.name, fmt::join(names, ", "),
                                spec::suggestion(spec.name, names)));
}

std::string AnySolver::text() const {
  if (automatic()) return "auto";
  std::string json = to_json(spec());
  for (const SolverEntry& entry : solver_list()) {
    if (entry.traits.name == name() && to_json(entry.solver.spec()) == json) return std::string(name());
  }
  return json;
}

const std::vector<SolverEntry>& solver_list() {
  static const std::vector<SolverEntry> list = entries(AllSolvers());
  return list;
}

}  // namespace fenchel
