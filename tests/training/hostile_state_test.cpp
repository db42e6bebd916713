// SPDX-License-Identifier: Apache-2.0
// A saved state is hostile input: each of its entries is changed in turn. Either it is refused, or the run
// that goes on from it ends, and says "converged" only of what is near the optimum.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "training/resume_cases.hpp"

namespace fenchel::test {
namespace {

constexpr double tolerance = 1e-3;

// Copies of an array with something wrong.
template <class T>
std::vector<std::vector<T>> changed(const std::vector<T>& good) {
  std::vector<std::vector<T>> all;
  using Limits = std::numeric_limits<T>;
  std::vector<T> values{T(0), T(1), Limits::max(), Limits::lowest(), static_cast<T>(-1)};
  if constexpr (Limits::has_infinity) {
    values.insert(values.end(),
                  {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), T(1e300), T(1e-300)});
  }
  for (const T value : values) {
    if (!good.empty()) all.emplace_back(good.size(), value);
    for (const std::size_t at : {std::size_t{0}, good.size() / 2, good.size() - 1}) {
      if (at >= good.size()) continue;
      all.push_back(good);
      all.back()[at] = value;
    }
  }
  for (std::size_t at = 0; at < std::min<std::size_t>(good.size(), 3); ++at) {
    all.push_back(good);
    all.back()[at] = static_cast<T>(all.back()[at] * 2);
    all.push_back(good);
    all.back()[at] = static_cast<T>(all.back()[at] + 1);
    // A bit of the exponent of a number, or an ordinary one of a count.
    all.push_back(good);
    auto* bytes = reinterpret_cast<unsigned char*>(&all.back()[at]);
    bytes[sizeof(T) - 2] ^= 0x10;
  }
  all.push_back(good);
  std::ranges::reverse(all.back());
  all.push_back(good);
  all.back().push_back(T(0));
  if (!good.empty()) all.emplace_back(good.begin(), good.end() - 1);
  all.emplace_back();
  all.erase(std::remove_if(all.begin(), all.end(),
                           [&](const std::vector<T>& one) {
                             return one.size() == good.size() &&
                                    (good.empty() ||
                                     std::memcmp(one.data(), good.data(), good.size() * sizeof(T)) == 0);
                           }),
            all.end());
  return all;
}

// F + G at the parameters, by an evaluation of its own; that of the algorithm for kernels, which have none.
double objective_at(const ResumeCase& one, std::span<const double> w, double said) {
  if (std::holds_alternative<KernelProblem<double>>(one.problem)) return said;
  const auto objective = make_objective(one.problem, 1);
  std::vector<double> gradient(w.size());
  const ParameterShape shape = objective->shape();
  return objective->evaluate(w, gradient) + one.penalty.value(w.first(shape.penalised), shape.width);
}

// How far above the optimum a run that has converged may be. Without l2 everybody looks at slopes, and who
// ends with a larger gap than the tolerance has looked at how much a pass changes.
double slack(const ResumeCase& one, const StepReport& end) {
  const bool by_change = end.gap && *end.gap > tolerance * std::abs(end.objective);
  return one.penalty.l2 > 0 && !by_change ? 1.5 * tolerance : 0.05;
}

class HostileState : public ::testing::Test, public ResumeCases {
 protected:
  // Returns whether the state was refused.
  static bool refuses(const ResumeCase& one, const State& state, double optimum) {
    const auto algorithm = one.make(tolerance, 40);
    try {
      algorithm->restore(state);
    } catch (const std::invalid_argument&) {
      return true;
    }
    StepReport last_step = algorithm->assess();
    for (int t = 0; t < 60 && !last_step.done; ++t) last_step = algorithm->step();
    EXPECT_TRUE(last_step.done);
    if (!algorithm->report().converged()) return false;
    const double objective = objective_at(one, algorithm->parameters(), last_step.objective);
    EXPECT_LE(objective, optimum + slack(one, last_step) * std::abs(optimum));
    EXPECT_NEAR(objective, last_step.objective, 1e-5 * std::abs(objective));
    return false;
  }
};

TEST_F(HostileState, IsRefusedOrHarmless) {
  int refused = 0, accepted = 0;
  for (const ResumeCase& one : cases) {
    const auto best = one.make(1e-7, 4000);
    const double optimum = run(*best).objective;
    for (const int before : {0, 3, 40}) {
      const auto algorithm = one.make(tolerance, 40);
      StepReport last_step;
      for (int t = 0; t < before && !last_step.done; ++t) last_step = algorithm->step();
      const State state = algorithm->save();
      for (const auto& [name, array] : state.arrays()) {
        const auto try_all = [&, &key = name](const auto& good) {
          int number = 0;
          for (const auto& bad : changed(good)) {
            SCOPED_TRACE(one.name + " after " + std::to_string(before) + ", " + key + " " +
                         std::to_string(number++));
            State hostile = state;
            hostile.set(key, bad);
            refuses(one, hostile, optimum) ? ++refused : ++accepted;
          }
        };
        std::visit(try_all, array);
      }
    }
  }
  EXPECT_GT(refused, accepted);  // most changes are not harmless
}

// The entries of `late` as far beyond it, away from `early`, as `far` says; nothing where their sizes differ,
// or where the dual variables are about the same.
std::optional<State> extrapolated(const State& early, const State& late, double far) {
  State forged = late;
  for (const auto& [name, array] : late.arrays()) {
    const auto* values = std::get_if<std::vector<double>>(&array);
    if (!values || name.starts_with("progress")) continue;
    const auto& before = early.array<double>(name);
    if (before.size() != values->size()) return std::nullopt;
    double largest = 0;
    for (std::size_t j = 0; j < before.size(); ++j)
      largest = std::max(largest, std::abs((*values)[j] - before[j]));
    if (name == "part0.mu.values" && !(largest * std::abs(far) > 1)) return std::nullopt;
    std::vector<double> moved(*values);
    for (std::size_t j = 0; j < moved.size(); ++j) moved[j] += far * (moved[j] - before[j]);
    forged.set(name, moved);
  }
  return forged;
}

// What follows from the dual variables follows from them linearly: on the line through two states of a run
// all entries fit each other, far out where no dual point is.
TEST_F(HostileState, DualVariablesOutsideTheirSetAreRefused) {
  int tried = 0;
  for (const ResumeCase& one : cases) {
    if (!one.solver.traits().dual) continue;
    const auto algorithm = one.make(1e-12, 40);
    algorithm->step();
    const State early = algorithm->save();
    for (int t = 0; t < 2; ++t) algorithm->step();  // few, as states near the optimum hardly differ
    const State late = algorithm->save();
    EXPECT_NO_THROW(one.make(1e-12, 40)->restore(late)) << one.name;
    for (const double far : {-200.0, 200.0}) {
      const auto forged = extrapolated(early, late, far);
      if (!forged) continue;  // dual variables that are kept without their zeros
      EXPECT_THROW(one.make(1e-12, 40)->restore(*forged), std::invalid_argument) << one.name << far;
      ++tried;
    }
  }
  EXPECT_GE(tried, 4);
}

// The gradients of Frank-Wolfe and W are multiples of each other.
TEST_F(HostileState, GradientsThatAreNoneAreRefused) {
  int tried = 0;
  for (const ResumeCase& one : cases) {
    const auto algorithm = one.make(1e-12, 40);
    if (!algorithm->save().arrays().contains("gradients.values")) continue;
    for (int t = 0; t < 4; ++t) algorithm->step();
    const State state = algorithm->save();
    EXPECT_NO_THROW(one.make(1e-12, 40)->restore(state)) << one.name;
    for (const double factor : {-1.0, 3.0}) {
      State forged = state;
      for (const char* name : {"gradients.values", "w"}) {
        std::vector<double> values = state.array<double>(name);
        for (double& entry : values) entry *= factor;
        forged.set(name, values);
      }
      forged.set("lag", std::vector<double>(state.array<double>("lag").size(), 0.0));
      forged.set("average", forged.array<double>("w"));
      EXPECT_THROW(one.make(1e-12, 40)->restore(forged), std::invalid_argument) << one.name << factor;
      ++tried;
    }
  }
  EXPECT_GE(tried, 6);
}

// A machine that says it knows its first point is asked what it knows.
TEST_F(HostileState, FirstEvaluationsAreThoseOfTheData) {
  int tried = 0;
  for (const ResumeCase& one : cases) {
    State forged = one.make(tolerance, 40)->save();
    if (!forged.arrays().contains("machine.started")) continue;
    forged.set("machine.started", std::vector<std::int64_t>{1});
    EXPECT_THROW(one.make(tolerance, 40)->restore(forged), std::invalid_argument) << one.name;
    ++tried;
  }
  EXPECT_GE(tried, 1);
}

constexpr double large = 1e7;

// Rows, two of which contradict each other about a large feature that the others do not have.
struct LargeFeature {
  LargeFeature() : small(small_data(40, 6, 3, 2)), x(42, 7), labels(small.labels) {
    for (std::size_t i = 0; i < 40; ++i) std::ranges::copy(small.dense.row(i), x.row(i).begin());
    for (const std::size_t i : {std::size_t{40}, std::size_t{41}}) {
      x(i, 6) = large;
      labels.push_back(static_cast<std::int32_t>(i - 40));
    }
  }
  LinearProblem<double> problem() const {
    return {.x = x, .y = labels, .outputs = 3, .loss = Tsallis{2}, .intercept = Intercept::none};
  }

  SmallData small;
  Matrix<double> x;
  std::vector<std::int32_t> labels;
};

// The same for sentences of one token.
TaggerData large_attribute() {
  TaggerData data = random_tagging({.sentences = 8}, 4);
  data.values.assign(data.attributes.size(), 1.0F);
  for (const std::int32_t label : {0, 1}) {
    data.attributes.push_back(data.attribute_names.add("large"));
    data.values.push_back(static_cast<float>(large));
    data.offsets.push_back(static_cast<std::int64_t>(data.attributes.size()));
    data.sentences.push_back(static_cast<std::int64_t>(data.tokens()));
    data.labels.push_back(label);
  }
  return data;
}

// Parameters that nearly fit the dual variables, beside a large number that makes "nearly" mean much: a gap
// at such parameters is no bound.
TEST_F(HostileState, ParametersBesideLargeFeaturesProveNothing) {
  const LargeFeature rows;
  const TaggerData sentences = large_attribute();
  const TaggerFeatures features = tagger_features(sentences, {});
  const auto chains = [&](const char* loss) {
    return ChainProblem{sentences, features, TaggingLoss{features.labels}(loss)};
  };
  const std::vector<ResumeCase> large_cases{{"rows", rows.problem(), DualAscent{}},
                                            {"rows, frank_wolfe", rows.problem(), FrankWolfe{}},
                                            {"chains", chains("sparsemap"), DualAscent{}},
                                            {"chains with kinks", chains("hinge"), DualAscent{}},
                                            {"chains, frank_wolfe", chains("sparsemap"), FrankWolfe{}}};
  int accepted = 0;
  for (const ResumeCase& one : large_cases) {
    const double optimum = run(*one.make(1e-6, 20000)).objective;
    const auto algorithm = one.make(1e-12, 40);
    for (int t = 0; t < 2; ++t) algorithm->step();
    const State state = algorithm->save();
    for (const double by : {10.0, 1.0, 0.1, 0.01}) {
      SCOPED_TRACE(one.name + ", all parameters nearer to 0 by " + std::to_string(by));
      State forged = state;
      for (const auto& [name, array] : state.arrays()) {
        if (name != "w" && name != "average" && name != "part0.v") continue;
        std::vector<double> values = state.array<double>(name);
        for (double& entry : values) entry = std::copysign(std::max(std::abs(entry) - by, 0.0), entry);
        forged.set(name, values);
      }
      accepted += refuses(one, forged, optimum) ? 0 : 1;
    }
  }
  EXPECT_GT(accepted, 0);  // else nothing was tried
}

// The lower bound of a subgradient method is a mixture that no data can confirm.
TEST_F(HostileState, BoundsFromFilesProveNothing) {
  int tried = 0;
  for (const ResumeCase& one : cases) {
    const auto algorithm = one.make(1e-5, 400);
    // Without l2 there is no bound.
    if (one.penalty.l2 == 0 || !algorithm->save().arrays().contains("bound_offset")) continue;
    SCOPED_TRACE(one.name);
    const auto best = one.make(1e-7, 4000);
    const double optimum = run(*best).objective;
    algorithm->step();
    State forged = algorithm->save();
    const auto objective = forged.array<double>("last_objective");
    if (objective[0] < 1.02 * optimum) continue;  // too near for a bound to be wrong
    ++tried;
    forged.set("bound", std::vector<double>(forged.array<double>("bound").size(), 0.0));
    for (const char* name : {"bound_offset", "best_dual", "progress.best_dual"}) forged.set(name, objective);
    for (const char* name : {"progress.residual", "progress.best"}) forged.set(name, std::vector<double>{0});
    const auto resumed = one.make(1e-5, 400);
    resumed->restore(forged);
    StepReport last_step = resumed->assess();
    while (!last_step.done) last_step = resumed->step();
    EXPECT_FALSE(resumed->report().converged() && last_step.objective > 1.001 * optimum);
    EXPECT_TRUE(!last_step.gap || last_step.objective - *last_step.gap <= optimum + 1e-9);
  }
  EXPECT_GE(tried, 1);
}

}  // namespace
}  // namespace fenchel::test
