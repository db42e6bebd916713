// SPDX-License-Identifier: Apache-2.0
// From a data set to a model, with every choice in one aggregate: what the flags of the tool and the
// parameters of estimators set. A fit advances step by step, so that whoever drives it can watch, save and
// stop it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fenchel/core/dataset.hpp"
#include "fenchel/core/scaler.hpp"
#include "fenchel/core/task.hpp"
#include "fenchel/models/model_file.hpp"
#include "fenchel/models/task.hpp"
#include "fenchel/training/algorithm.hpp"
#include "fenchel/training/problem.hpp"
#include "fenchel/training/train.hpp"

namespace fenchel {

/// The choices of a fit.
struct FitOptions {
  std::optional<Task> task = {};  ///< none: guessed from the data
  std::string omega = {};         ///< a loss of resolve_loss; empty: the task's default
  std::string penalty = {};       ///< none, l2, l1, elastic_net or group_lasso; empty: l2, but none for
                                  ///< perceptrons, whose loss any penalty would bring to W = 0
  double lambda = 1;              ///< the strength of the penalty; scikit-learn's C is 1/λ
  double rho = 1;                 ///< elastic_net: (λ/2)‖W‖² + λρ‖W‖₁
  std::optional<Intercept> intercept = {};  ///< none: free where the solver can, else penalised
  Scaling scale = Scaling::none;
  std::string class_weight = {};  ///< "balanced" or "name=2,other=0.5"; empty: all 1
  std::string kernel = {};        ///< as in "rbf:gamma=0.5"; empty: a linear model
  std::string solver = "auto";    ///< as in TrainOptions
  double tolerance = 1e-6;
  int max_iterations = 1000;
  int threads = 0;
  std::uint64_t seed = 0;
};

/// "free", "penalised", "none".
std::string_view to_string(Intercept intercept);
/// Throws std::invalid_argument for any other name.
Intercept parse_intercept(std::string_view name);

/// The penalty of that name and strength; throws std::invalid_argument with the nearest name if there is
/// none.
Penalty make_penalty(std::string_view name, double lambda, double rho);

/// The options with a penalty, and the penalty in words.
FitOptions with_penalty(const FitOptions& options, bool perceptron);
std::string penalty_text(const FitOptions& options);

/// The part of the options that an algorithm sees; `start` may be empty.
TrainOptions train_options(const FitOptions& options, std::span<const double> start);

/// Data made ready: the targets of the task and the scaled features, shared by the fits of a grid.
struct PreparedData {
  Task task = Task::classification;
  Features x;                  ///< scaled, the rows that have a target
  std::vector<double> center;  ///< still to be subtracted from x
  Scaler scaler;
  TaskTargets targets;
  std::vector<double> weights;  ///< of the rows; empty: all 1
  std::vector<std::string> feature_names;
  std::vector<double> fill;            ///< what stands for missing values
  std::vector<NominalColumn> nominal;  ///< what the words of nominal columns stand for
  std::string source;
  std::vector<std::string> remarks;  ///< choices made, in words
};
/// Guesses the task if need be, reads the targets, fits and applies the scaling. Throws std::invalid_argument
/// if the data do not fit the task.
std::shared_ptr<const PreparedData> prepare(const Dataset& data, const FitOptions& options);
/// The same from targets that are read already, one for each row of x; the options' task is not looked at.
std::shared_ptr<PreparedData> prepare(const Features& x, TaskTargets targets, std::vector<double> weights,
                                      const FitOptions& options);

/// A fit in progress.
class Fit {
 public:
  virtual ~Fit() = default;

  virtual Algorithm& algorithm() = 0;
  /// The model of some parameters.
  virtual AnyModel model_of(std::span<const double> parameters) const = 0;
  /// The model of the parameters as they stand.
  AnyModel model() { return model_of(algorithm().parameters()); }
  /// The choices that were made, in words: "solver: lbfgs (…)".
  const std::vector<std::string>& remarks() const { return remarks_; }

 protected:
  std::vector<std::string> remarks_;
};

/// A fit at its start, or at the parameters of `start`, a model of the same shape.
std::unique_ptr<Fit> make_fit(std::shared_ptr<const PreparedData> data, const FitOptions& options,
                              const AnyModel* start = nullptr);

/// All of it: prepares, runs to the end, returns the model and how it went.
struct Fitted {
  AnyModel model;
  Report report;
  Standing standing;
};
Fitted fit(const Dataset& data, const FitOptions& options = {});

}  // namespace fenchel
