// SPDX-License-Identifier: Apache-2.0
// F and the smooth part of G as functions of the variables that an algorithm works with.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fenchel/training/objective.hpp"
#include "training/solvers/conditioning.hpp"
#include "training/solvers/primal_parts.hpp"

namespace fenchel {

class ConditionedObjective {
 public:
  ConditionedObjective(std::shared_ptr<Objective> objective, const Penalty& penalty,
                       const Curvature& curvature, Conditioning conditioning, int threads)
      : objective_(std::move(objective)),
        conditioning_(std::move(conditioning)),
        penalty_(penalty, objective_->shape(), curvature, threads) {
    if (conditioning_.identity()) return;
    for (auto* vector : {&w_, &gradient_, &parameters_}) vector->resize(objective_->shape().size);
  }

  const ShapedPenalty& penalty() const { return penalty_; }
  const Objective& objective() const { return *objective_; }
  /// Other variables, which heed how features vary together.
  void join(std::span<const Matrix<double>> joint_curvature) {
    conditioning_.join(joint_curvature, penalty_.penalty().l2);
  }
  std::vector<double> variables(std::span<const double> parameters) const {
    std::vector<double> start = start_of(penalty_.shape(), parameters);
    if (conditioning_.identity()) return start;
    std::vector<double> out(conditioning_.variables());
    conditioning_.to_variables(start, out);
    return out;
  }
  double evaluate(std::span<const double> variables, std::span<double> by_variables) {
    if (conditioning_.identity()) {
      const double loss = objective_->evaluate(variables, by_variables);
      return loss + penalty_.add_smooth(variables, by_variables);
    }
    conditioning_.to_parameters(variables, w_);
    const double loss = objective_->evaluate(w_, gradient_);
    const double smooth = penalty_.add_smooth(w_, gradient_);
    conditioning_.gradient_to_variables(gradient_, by_variables);
    return loss + smooth;
  }

  /// The parameters at a point: valid until the next call, and as long as the variables are.
  std::span<const double> parameters(std::span<const double> variables) {
    if (conditioning_.identity()) return variables;
    conditioning_.to_parameters(variables, parameters_);
    return parameters_;
  }

  /// How far a point is from the optimum: its gap, if one is known, and where none is, its steepest slope.
  std::optional<double> gap(std::span<const double> parameters, std::span<const double> by_variables) {
    return penalty_.gap(parameters, by_parameters(by_variables));
  }
  double first_order(std::span<const double> parameters, std::span<const double> by_variables) {
    return penalty_.first_order(parameters, by_parameters(by_variables));
  }

  /// As penalty().check_free, for a gradient by variables.
  void check_free(StepReport& last_step, std::span<const double> parameters,
                  std::span<const double> by_variables, const Accuracy& accuracy) {
    if (!accuracy.reached(last_step)) return;
    penalty_.check_free(last_step, {*objective_, parameters, by_parameters(by_variables)}, accuracy);
  }

 private:
  std::span<const double> by_parameters(std::span<const double> by_variables) {
    if (conditioning_.identity()) return by_variables;
    conditioning_.gradient_to_parameters(by_variables, gradient_);
    return gradient_;
  }

  std::shared_ptr<Objective> objective_;
  Conditioning conditioning_;
  ShapedPenalty penalty_;
  std::vector<double> w_, gradient_, parameters_;  // empty where the variables are the parameters
};

}  // namespace fenchel
