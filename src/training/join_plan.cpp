// SPDX-License-Identifier: Apache-2.0
#include "training/join_plan.hpp"

#include <algorithm>
#include <array>

#include "fenchel/core/check.hpp"

namespace fenchel {
namespace {

constexpr double least_shared = 20;  // iterations before the first change
constexpr double least_apart = 60;   // and between later ones
constexpr double cheap = 50;         // evaluations that a warm start may spend at once

}  // namespace

JoinPlan::JoinPlan(const Objective& objective, bool warm) {
  const double cost = objective.joint_curvature_cost();
  apart_cost_ =
      objective.joint_curvature_apart() ? cost * static_cast<double>(objective.shape().width) : infinity;
  next_ = warm && cost <= cheap ? 0 : std::max(cost, least_shared);
}

bool JoinPlan::due(int iterations, std::span<const double> w) {
  if (iterations < next_) return false;
  ++changes_;
  next_ = iterations + std::max(apart_cost_, least_apart);
  point_.assign(w.begin(), w.end());
  return true;
}

void JoinPlan::save(State& state) const {
  state.set("join.next", std::vector<double>{next_, static_cast<double>(changes_)});
  state.set("join.point", point_);
}

void JoinPlan::restore(const State& state, std::size_t size) {
  std::array<double, 2> numbers{};
  state.read<double>("join.next", numbers);
  next_ = numbers[0];
  changes_ = static_cast<int>(numbers[1]);
  point_ = state.array<double>("join.point");
  if (!point_.empty()) check_size("join.point", point_.size(), size);
}

}  // namespace fenchel
