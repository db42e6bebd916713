// SPDX-License-Identifier: Apache-2.0
// Certificates of every solver, penalty and Ω: what is verified bounds the optimum, agrees with what the
// solver says, and no change of the model or of the data goes unnoticed.
#include "fenchel/training/verify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "data_dir.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/option_error.hpp"
#include "fenchel/models/loss_choice.hpp"
#include "fenchel/regularizers/spec.hpp"
#include "fenchel/training/solver.hpp"
#include "training/problems_fixture.hpp"

namespace fenchel::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t rows = 40;

Dataset small_dataset(bool dense = false) {
  const SmallData data = small_data(rows, 5, 3, 4);
  Dataset result;
  result.x = dense ? Features(data.dense) : Features(data.sparse);
  result.labels.names = {"a", "b", "c"};
  for (std::size_t i = 0; i < rows; ++i) {
    result.labels.indices.push_back(data.labels[i]);
    result.labels.offsets.push_back(static_cast<std::int64_t>(i + 1));
  }
  result.weights = data.weights;
  result.values = Matrix<double>(rows, 1);
  for (std::size_t i = 0; i < rows; ++i)
    result.values(i, 0) = std::abs(data.dense(i, 0)) + data.targets(i, 1);
  return result;
}

struct Certified {
  AnyModel model;
  StepReport last_step;
  Verification found;
};

// Fitted as closely as verification asks for, as `fenchel train --certificate` does.
Certified certified(const Dataset& data, FitOptions options) {
  if (!options.tolerance) options.tolerance = default_tolerance;
  const std::unique_ptr<Fit> fit = make_fit(prepare(data, options), options);
  Certified result{.last_step = run(fit->algorithm()), .found = {}};
  result.model = fit->model();
  result.found = certify(result.model, *fit, data);
  return result;
}

std::string trial(const FitOptions& options) {
  return std::string(options.solver.name()) + " " + options.omega + " " + options.penalty + " " +
         std::string(to_string(*options.intercept));
}

std::vector<FitOptions> all_options() {
  std::vector<FitOptions> result;
  for (const SolverEntry& entry : solver_list()) {
    for (const std::string omega :
         {"logistic", "tsallis:alpha=1.5", "hinge", "norm:q=2", "one_vs_all_hinge"}) {
      for (const std::string penalty : {"l2", "elastic_net", "l1", "group_lasso", "none"}) {
        for (const Intercept intercept : {Intercept::free, Intercept::penalised, Intercept::none}) {
          result.push_back({.task = Task::classification,
                            .omega = omega,
                            .penalty = penalty,
                            .lambda = 0.5,
                            .rho = 0.3,
                            .intercept = intercept,
                            .solver = std::string(entry.traits.name),
                            .tolerance = 1e-7,
                            .max_iterations = 200,
                            .threads = 1});
        }
      }
    }
  }
  return result;
}

TEST(Verify, EverySolverPenaltyAndOmegaHasABound) {
  const Dataset data = small_dataset();
  std::map<std::string, double> least;    // objective by problem, of the solvers
  std::map<std::string, double> largest;  // lower bound
  std::size_t tried = 0;
  for (const FitOptions& options : all_options()) {
    Certified result;
    try {
      result = certified(data, options);
    } catch (const OptionError&) {
      continue;  // the solver does not take it
    }
    ++tried;
    const Verification& found = result.found;
    EXPECT_NEAR(found.primal, result.last_step.objective, 1e-9 * found.primal) << trial(options);
    // A bound of the solver itself is confirmed; that of subgradients is of a mixture of all their
    // predictions, which nobody keeps.
    if (result.last_step.dual && result.last_step.gap && options.solver.name() != "subgradient") {
      EXPECT_LE(found.gap, *result.last_step.gap + 1e-9 * found.primal) << trial(options);
    }
    FitOptions problem = options;
    problem.solver = {};
    const std::string name = trial(problem);
    least.try_emplace(name, infinity);
    largest.try_emplace(name, -infinity);
    least[name] = std::min(least[name], found.primal);
    // Without a penalty the bound is about a ball, which the solver that went furthest may have left.
    if (options.penalty != "none") largest[name] = std::max(largest[name], found.dual);
  }
  EXPECT_GT(tried, 100U);
  for (const auto& [name, dual] : largest) EXPECT_LE(dual, least[name] * (1 + 1e-9)) << name;
}

// The plain code has a list of its own of the losses that add a cost: nothing is shared with training.
TEST(Verify, KnowsEveryLossThatHasACost) {
  const Dataset data = small_dataset();
  for (const LossName& loss : loss_names()) {
    if (loss.omega.empty() && loss.one_vs_all.empty()) continue;  // over structures only
    std::vector<std::string_view> names = loss.aliases;
    names.push_back(loss.name);
    for (const std::string_view name : names) {
      const FitOptions options{.task = Task::classification,
                               .omega = std::string(name),
                               .lambda = 0.5,
                               .intercept = Intercept::none,
                               .solver = "dual_ascent"};
      const Certified result = certified(data, options);
      EXPECT_NEAR(result.found.primal, result.last_step.objective, 1e-9 * result.found.primal) << name;
    }
  }
}

TEST(Verify, ConvergedSmoothFitsAreVerified) {
  for (const bool dense : {false, true}) {
    const Dataset data = small_dataset(dense);
    for (const Scaling scale : {Scaling::none, Scaling::standard, Scaling::maxabs}) {
      for (const std::string omega : {"logistic", "tsallis:alpha=1.5", "sparsemax", "sigmoid",
                                      "renyi:beta=0.5", "squared_norm:q=1.5"}) {
        for (const std::string weights : {"", "balanced", "a=2,c=0.5"}) {
          const Certified result = certified(data, {.task = Task::classification,
                                                    .omega = omega,
                                                    .lambda = 0.1,
                                                    .scale = scale,
                                                    .class_weight = weights});
          EXPECT_TRUE(result.found.verified)
              << omega << " " << weights << ": " << testing::PrintToString(result.found.problems);
          EXPECT_LE(result.found.imbalance, 1e-12);
        }
      }
    }
  }
}

TEST(Verify, NumbersAreVerified) {
  const Dataset data = small_dataset();
  for (const std::string omega : {"squared", "relu", "poisson"}) {
    for (const Intercept intercept : {Intercept::free, Intercept::penalised, Intercept::none}) {
      const Certified result = certified(
          data, {.task = Task::regression, .omega = omega, .intercept = intercept, .tolerance = 1e-9});
      EXPECT_TRUE(result.found.verified) << omega << ": " << testing::PrintToString(result.found.problems);
    }
  }
}

TEST(Verify, LassosAreVerifiedWhenTheyConvergeFarEnough) {
  const Dataset data = small_dataset();
  for (const std::string penalty : {"l1", "group_lasso"}) {
    const FitOptions options{
        .task = Task::classification, .penalty = penalty, .tolerance = 1e-12, .max_iterations = 100000};
    const Certified result = certified(data, options);
    EXPECT_LE(result.found.relative, 1e-7) << penalty;
    EXPECT_TRUE(verify(result.model, data, 1e-6).verified);
  }
}

TEST(Verify, KernelsAreVerified) {
  for (const bool dense : {false, true}) {
    const Dataset data = small_dataset(dense);
    for (const std::string kernel : {"linear", "rbf:gamma=0.5", "polynomial:degree=2,coef0=1"}) {
      for (const std::string omega : {"hinge", "logistic"}) {
        const Certified result = certified(
            data, {.task = Task::classification, .omega = omega, .kernel = kernel, .tolerance = 1e-7});
        EXPECT_TRUE(result.found.verified) << kernel << ": " << testing::PrintToString(result.found.problems);
        EXPECT_NEAR(result.found.primal, result.last_step.objective, 1e-9 * result.found.primal);
      }
    }
  }
}

// Two parameters: no point of a fine grid has an objective below the dual value, and the best comes near it.
TEST(Verify, NoPointOfAGridLiesBelowTheDualValue) {
  const std::vector<double> x{-1.5, -0.2, 0.4, 1.1, 2.0};
  const std::vector<double> y{-1, 0.5, 0.2, 1.5, 1.8};
  Dataset data;
  data.x = Features(Matrix<double>(5, 1, std::vector<double>(x)));
  data.values = Matrix<double>(5, 1, std::vector<double>(y));
  for (const std::string penalty : {"l2", "l1", "elastic_net", "none"}) {
    for (const Intercept intercept : {Intercept::free, Intercept::penalised}) {
      const Certified result = certified(data, {.task = Task::regression,
                                                .omega = "squared",
                                                .penalty = penalty,
                                                .lambda = 0.7,
                                                .rho = 0.5,
                                                .intercept = intercept,
                                                .solver = "fista",
                                                .tolerance = 1e-10,
                                                .max_iterations = 20000});
      const Penalty g = make_penalty(penalty, 0.7, 0.5);
      double least = infinity;
      for (double w = -1; w <= 2; w += 1.0 / 128) {
        for (double b = -1; b <= 2; b += 1.0 / 128) {
          const std::vector<double> parameters{w, b};
          double value = g.value(std::span(parameters).first(intercept == Intercept::free ? 1 : 2), 1);
          for (std::size_t i = 0; i < 5; ++i) value += 0.5 * (w * x[i] + b - y[i]) * (w * x[i] + b - y[i]);
          least = std::min(least, value);
        }
      }
      EXPECT_LE(result.found.dual, least) << penalty;
      EXPECT_NEAR(result.found.dual, least, 2e-4) << penalty;
      EXPECT_LE(result.found.relative, 1e-6) << penalty;
    }
  }
}

// ------------------------------------------------------------ what must be caught

struct Change {
  std::string name;
  std::function<void(LinearModel&, Certificate&)> make;
};

TEST(Verify, NoChangeOfAModelGoesUnnoticed) {
  const Dataset data = small_dataset();
  const Certified result = certified(data, {.task = Task::classification, .scale = Scaling::standard});
  ASSERT_TRUE(result.found.verified);
  const std::vector<Change> changes{
      {"a weight", [](LinearModel& model, Certificate&) { model.weights(1, 2) += 0.1; }},
      {"the intercept", [](LinearModel& model, Certificate&) { model.intercept[0] += 0.1; }},
      {"no intercept", [](LinearModel& model, Certificate&) { model.intercept.clear(); }},
      {"the scaling", [](LinearModel& model, Certificate&) { model.scaler.scale[3] *= 1.001; }},
      {"the mean", [](LinearModel& model, Certificate&) { model.scaler.mean[3] += 0.001; }},
      {"two classes",
       [](LinearModel& model, Certificate&) { std::swap(model.classes[0], model.classes[1]); }},
      {"the loss",
       [](LinearModel& model, Certificate&) { model.loss = make_regularizer("tsallis:alpha=1.1"); }},
      {"the name of the loss", [](LinearModel& model, Certificate&) { model.loss_name = "softmax_margin"; }},
      {"a dual variable", [](LinearModel&, Certificate& proof) { proof.mu.values[5] += 0.2; }},
      {"a dual variable of a large number",
       [](LinearModel&, Certificate& proof) { proof.mu.values[5] = 1e300; }},
      {"negative dual variables",
       [](LinearModel&, Certificate& proof) { std::ranges::fill(proof.mu.values, -1.0); }},
      {"lambda", [](LinearModel&, Certificate& proof) { proof.lambda = 2; }},
      {"lambda everywhere",
       [](LinearModel& model, Certificate& proof) {
         proof.lambda = 2;
         model.provenance["lambda"] = "2";
       }},
      {"the penalty", [](LinearModel&, Certificate& proof) { proof.penalty = "l1"; }},
      {"an unknown penalty", [](LinearModel&, Certificate& proof) { proof.penalty = "l3"; }},
      {"the kind of intercept", [](LinearModel&, Certificate& proof) { proof.intercept = "penalised"; }},
      {"weights of classes", [](LinearModel&, Certificate& proof) { proof.class_weight = "balanced"; }},
      {"the claimed primal value", [](LinearModel&, Certificate& proof) { proof.primal *= 1.001; }},
      {"the claimed dual value", [](LinearModel&, Certificate& proof) { proof.dual *= 1.001; }},
      {"everything, with a tolerance that allows it",
       [&](LinearModel& model, Certificate& proof) {
         for (double& weight : model.weights.entries()) weight = -weight;
         model.certificate = std::make_shared<Certificate>(proof);
         const Verification found = verify(model, data, 1e9);
         proof.primal = found.primal;
         proof.dual = found.dual;
         proof.tolerance = 1e9;
       }},
      {"the fingerprint", [](LinearModel&, Certificate& proof) { proof.data += "0"; }}};
  const TemporaryFolder folder;
  const std::string path = folder / "m.safetensors";
  for (const Change& change : changes) {
    LinearModel model = std::get<LinearModel>(result.model);
    auto proof = std::make_shared<Certificate>(*model.certificate);
    change.make(model, *proof);
    model.certificate = proof;
    save(model, path);  // with checksums that are right
    try {
      const Verification found = verify(load(path), data);
      EXPECT_FALSE(found.verified) << change.name;
      EXPECT_FALSE(found.problems.empty()) << change.name;
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(change.name, "an unknown penalty") << error.what();
    }
  }
  save(result.model, path);
  EXPECT_TRUE(verify(load(path), data).verified);
}

TEST(Verify, OtherDataAreNoticed) {
  const Dataset data = small_dataset();
  const Certified result = certified(data, {.task = Task::classification});
  Dataset other = data;
  other.weights[0] *= 1.0001;
  EXPECT_FALSE(verify(result.model, other).verified);
  other = data;
  std::swap(other.labels.indices[0], other.labels.indices[1]);
  other.labels.indices[0] = (data.labels.indices[0] + 1) % 3;
  EXPECT_FALSE(verify(result.model, other).verified);
  const std::vector<std::size_t> fewer{0, 1, 2, 3};
  const Verification found = verify(result.model, select_rows(data, fewer));
  EXPECT_FALSE(found.verified);
  EXPECT_THAT(found.problems.front(), HasSubstr("the data have 4 examples; the model was trained on 40"));
}

TEST(Verify, ADamagedCertificateIsRefused) {
  const Certified result = certified(small_dataset(), {.task = Task::classification});
  const auto& model = std::get<LinearModel>(result.model);
  for (const std::string facts : {"", "[]", "{}", "{\"data\":1}"}) {
    TensorFile file = to_tensors(model);
    file.metadata["certificate"] = facts;
    LinearModel read;
    EXPECT_THROW(from_tensors(file, read), std::invalid_argument) << facts;
  }
}

TEST(Verify, RefusesWhatItCannotVerify) {
  const Dataset data = small_dataset();
  AnyModel plain = fit(data, {.task = Task::classification}).model;
  EXPECT_THROW(verify(plain, data), std::invalid_argument);
  const FitOptions options{.task = Task::classification, .omega = "pairwise_hinge"};
  const auto fit = make_fit(prepare(data, options), options);
  ASSERT_TRUE(fit->refuses_certificate());
  EXPECT_THAT(*fit->refuses_certificate(), HasSubstr("pairwise_hinge"));
  EXPECT_THROW(fit->certificate_of(fit->model()), OptionError);
  const auto own = make_fit(prepare(data, options), FenchelYoungLoss(Shannon{}, zero_one_cost()), {});
  EXPECT_TRUE(own->refuses_certificate());
}

}  // namespace
}  // namespace fenchel::test
